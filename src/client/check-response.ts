// Checks an answer's data: whether it is about the thing that was asked for, and where it differs from the API document
// (a warning where that may mislead, an aside where it is only new). Pure; changes nothing of the data.

import { type Operation, type Input } from '../api/operations/define-operation.ts';
import { fieldsOf } from '../api/operations/fields.ts';
import { issuesOf } from '../api/schema/rules.ts';
import { valueAtKeys } from '../base/json.ts';

/** What an answer says that it is about, where that is another thing than the one asked for: `another post (…)`. */
export function differentId(operation: Operation, input: Input, data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const told = data as Readonly<Record<string, unknown>>;
  for (const [name, key] of operation.repeats) {
    const asked = input[name];
    const got = Object.hasOwn(told, key) ? told[key] : undefined;
    if (typeof asked === 'string' && typeof got === 'string' && asked !== got)
      return `another ${nounOf(name)}${isSensitive(operation, name) ? '' : ` (${got})`}`;
  }
  return undefined;
}

const isSensitive = (operation: Operation, name: string): boolean =>
  fieldsOf(operation).some((field) => field.name === name && field.sensitive);

/** What an input asks for by its path: `post PostSpringLaunch`; nothing where the path names nothing. */
export function subjectOf(operation: Operation, input: Input): string | undefined {
  // What the command's own words give is no thing to be found.
  const things = operation.places.path.filter((name) => !operation.command.includes(`{${name}}`));
  const last = things.at(-1);
  return last === undefined ? undefined : `${nounOf(last)} ${String(input[last])}`;
}

const nounOf = (name: string): string =>
  name === 'id' ? 'thing' : name.replace(/Id$/, '').replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);

interface SchemaMismatches {
  /** What is missing in one line; a line for each value of another kind than the document says. */
  readonly warnings: readonly string[];
  /** Values that the document does not list: shown with `--debug` alone. */
  readonly asides: readonly string[];
}

const MOST_NAMED = 5;
const MOST_WARNINGS = 20;
const COUNTLESS: SchemaMismatches = {
  warnings: ['the response differs from the API document in too many places to list'],
  asides: [],
};

/** Judges data by the result schema of an operation. Unknown fields are ignored. */
export function schemaMismatches(operation: Operation, data: unknown): SchemaMismatches {
  try {
    return named(issuesOf(operation.result, data), data);
  } catch (error) {
    // zod hands lists on as arguments, of which the stack takes some ten thousand.
    if (error instanceof RangeError) return COUNTLESS;
    throw error;
  }
}

function named(issues: ReturnType<typeof issuesOf>, data: unknown): SchemaMismatches {
  const found = issues
    .map(({ code, path, message }) => ({ code, path, message, value: valueAtKeys(data, path) }))
    .filter(({ code }) => code !== 'unrecognized_keys');
  const isUnlisted = ({ code, value }: (typeof found)[number]) =>
    code === 'invalid_value' && typeof value === 'string';
  const unlisted = found.filter(isUnlisted);
  const wrong = found.filter((each) => !isUnlisted(each));
  const values = unlisted
    .slice(0, MOST_NAMED)
    .map(({ path, value }) => `${path.join('.')} ${String(value)}`);
  const shown = wrong.slice(0, MOST_WARNINGS);
  const missing = shown
    .filter(({ value }) => value === undefined)
    .map(({ path }) => path.join('.'));
  const warnings = [
    ...(missing.length === 0 ? [] : [`the response lacks ${missing.join(', ')}`]),
    ...shown
      .filter(({ value }) => value !== undefined)
      .map(
        ({ path, message }) =>
          `the response’s ${path.join('.')} does not match the API document: ${message}`,
      ),
  ];
  const more = wrong.length - shown.length;
  return {
    warnings: more > 0 ? [...warnings, `the response differs in ${more} more places`] : warnings,
    asides:
      unlisted.length === 0
        ? []
        : [`${unlisted.length} values that the API document does not list: ${values.join(', ')}`],
  };
}
