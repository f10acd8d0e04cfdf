// Whether an answer is about the thing that was asked for, as far as it says. Pure.

import type { Operation } from '../operations/operation.ts';
import type { Input } from './request.ts';

/** What an answer says that it is about, where that is another thing than the one asked for: `another post (…)`. */
export function otherThan(operation: Operation, input: Input, data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const told = data as Readonly<Record<string, unknown>>;
  for (const [name, key] of operation.repeats) {
    const asked = input[name];
    const got = Object.hasOwn(told, key) ? told[key] : undefined;
    if (typeof asked === 'string' && typeof got === 'string' && asked !== got)
      return `another ${nounOf(name)} (${got})`;
  }
  return undefined;
}

const nounOf = (name: string): string =>
  name === 'id' ? 'thing' : name.replace(/Id$/, '').replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);
