// Inputs and results as people may see them: a mask stands for every secret.

import type { Input } from '../call/request.ts';
import type { Field } from '../operations/field.ts';
import { MASK } from '../output/redact.ts';

/** The same input with a mask in place of every secret. */
export function maskSecrets(fields: readonly Field[], input: Input): Input {
  const hidden = fields
    .filter(({ secret, name }) => secret && input[name] != null)
    .map(({ name }): [string, unknown] => {
      const value = input[name];
      return [
        name,
        isMap(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, MASK])) : MASK,
      ];
    });
  return { ...input, ...Object.fromEntries(hidden) };
}

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null;
