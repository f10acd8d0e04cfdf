// Whether an answer is about the thing that was asked for, as far as it says. Pure.

import { fieldsOf } from '../operations/field.ts';
import { placesOf, type Operation } from '../operations/operation.ts';
import type { Input } from './request.ts';

/** What an answer says that it is about, where that is another thing than the one asked for: `another post (…)`. */
export function otherThan(operation: Operation, input: Input, data: unknown): string | undefined {
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
  const things = placesOf(operation).path.filter(
    (name) => !operation.command.includes(`{${name}}`),
  );
  const last = things.at(-1);
  return last === undefined ? undefined : `${nounOf(last)} ${String(input[last])}`;
}

const nounOf = (name: string): string =>
  name === 'id' ? 'thing' : name.replace(/Id$/, '').replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);
