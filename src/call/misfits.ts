// What an answer's data has that the API document does not: a warning where it may mislead, an aside where it is
// only new. Pure; changes nothing of the data.

import { isExactNumber } from '../json.ts';
import type { Operation } from '../operations/operation.ts';
import { issuesOf } from '../schema/issues.ts';

export interface Misfits {
  /** Something is missing or of another kind than the document says; a line each. */
  readonly warnings: readonly string[];
  /** Values that the document does not list: worth a line only to somebody who looks closely. */
  readonly asides: readonly string[];
}

const MOST_NAMED = 5;
const NONE: Misfits = { warnings: [], asides: [] };

/** Judges data by the result schema of an operation. Unknown fields are no misfit, and no news either. */
export function misfitsOf(operation: Operation, data: unknown): Misfits {
  if (operation.fits(data)) return NONE;
  const found = issuesOf(operation.result, data)
    .map(({ code, path, message }) => ({ code, path, message, value: valueAt(data, path) }))
    .filter(({ code, value }) => code !== 'unrecognized_keys' && !isExactNumber(value));
  const isUnlisted = ({ code, value }: (typeof found)[number]) =>
    code === 'invalid_value' && typeof value === 'string';
  const unlisted = found.filter(isUnlisted);
  const named = unlisted
    .slice(0, MOST_NAMED)
    .map(({ path, value }) => `${path.join('.')} ${String(value)}`);
  return {
    warnings: found
      .filter((each) => !isUnlisted(each))
      .map(({ path, message, value }) =>
        value === undefined
          ? `the answer lacks ${path.join('.')}`
          : `the answer’s ${path.join('.')} is not what the API document says: ${message}`,
      ),
    asides:
      unlisted.length === 0
        ? []
        : [`${unlisted.length} value(s) that the API document does not list: ${named.join(', ')}`],
  };
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (value, key) => (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key],
    data,
  );
}
