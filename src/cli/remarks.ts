// What is worth saying of a text that may be sent as it is. Refuses nothing.

import type { Input } from '../call/request.ts';
import type { Field } from '../operations/field.ts';
import { codePoints } from '../schema/text.ts';
import { flagOf } from './flag-names.ts';

/** Spaces of every kind, and characters that nobody sees. */
const NOTHING_TO_SEE = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Remarks on an input's texts: one that looks empty, one whose length depends on who counts. */
export function remarksOn(fields: readonly Field[], input: Input): readonly string[] {
  return fields.flatMap((field) => {
    const value = input[field.name];
    if (typeof value !== 'string') return [];
    const { prose, maxLength = Infinity } = field;
    const looksEmpty = prose && value !== '' && NOTHING_TO_SEE.test(value);
    const fitsByOneMeasure = codePoints(value) <= maxLength && value.length > maxLength;
    return [
      ...(looksEmpty ? [`warning: ${flagOf(field)}: the text looks empty`] : []),
      ...(fitsByOneMeasure
        ? [`${flagOf(field)}: the service may count characters another way`]
        : []),
    ];
  });
}
