// Checks that a result is about the requested resource, and matches the API document. A result that does not match is
// still a result, with a warning.

import type { Input, Operation } from '../api/operations/define-operation.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import { issuesOf } from '../api/schema/issues.ts';
import { valueAtKeys } from '../base/json.ts';

/**
 * Describes the ID in a response that differs from the requested one: `another post (…)`; `undefined` if it is the
 * same.
 */
export function differentId(operation: Operation, input: Input, data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const fields = data as Readonly<Record<string, unknown>>;
  for (const [name, key] of operation.repeatedIds) {
    const requested = input[name];
    const got = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof requested === 'string' && typeof got === 'string' && requested !== got)
      return `another ${nounOf(name)}${isSensitive(operation, name) ? '' : ` (${got})`}`;
  }
  return undefined;
}

const isSensitive = (operation: Operation, name: string): boolean =>
  fieldsOf(operation).some((field) => field.name === name && field.sensitive);

/** Describes the requested resource by the path: `post PostSpringLaunch`; `undefined` if the path has no ID. */
export function subjectOf(
  operation: {
    readonly command: string;
    readonly places: Pick<Operation['places'], 'path'>;
  },
  input: Input,
): string | undefined {
  // Fields that the command words determine do not identify a resource.
  const idNames = operation.places.path.filter((name) => !operation.command.includes(`{${name}}`));
  const last = idNames.at(-1);
  return last === undefined ? undefined : `${nounOf(last)} ${String(input[last])}`;
}

const nounOf = (name: string): string =>
  name === 'id'
    ? 'resource'
    : name.replace(/Id$/, '').replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);

const MOST_WARNINGS = 20;

/**
 * Compares data with the result schema of an operation. Returns missing fields in one line, because a command shows only
 * twenty notes, and one line for each value of a wrong type. Unknown fields and unlisted values are ignored.
 */
export function schemaMismatches(operation: Operation, data: unknown): readonly string[] {
  const wrong = issuesOf(operation.result, data)
    .map(({ code, path, message }) => ({ code, path, message, value: valueAtKeys(data, path) }))
    .filter(({ code, value }) => code !== 'invalid_value' || typeof value !== 'string')
    .filter(({ code }) => code !== 'unrecognized_keys');
  const shown = wrong.slice(0, MOST_WARNINGS);
  const missing = shown.filter(({ value }) => value === undefined);
  const differing = shown.filter(({ value }) => value !== undefined);
  const more = wrong.length - shown.length;
  return [
    ...(missing.length === 0
      ? []
      : [`the response lacks ${missing.map(({ path }) => path.join('.')).join(', ')}`]),
    ...differing.map(
      ({ path, message }) =>
        `the response’s ${path.join('.')} does not match the API document: ${message}`,
    ),
    ...(more > 0 ? [`the response differs in ${more} more places`] : []),
  ];
}
