// `-f name=value` and `-F name=<JSON>`: into the query of a request or into its JSON body, where `a[b]=c` makes an
// object and `a[]=c` a list. A value may be secret, so only names are ever told.

import type { Fault } from '../../base/errors.ts';
import { parseJson, toJson } from '../../base/json.ts';
import { isSecretName } from '../../output/credentials.ts';
import { quote } from '../../base/sanitize.ts';

export interface ApiField {
  /** As it was typed: `a[b]`. */
  readonly name: string;
  readonly value: unknown;
}

/** The fields of both kinds, in the order of the flags, and what is wrong with them. */
export function parseFields(
  plain: readonly string[],
  typed: readonly string[],
): { readonly fields: readonly ApiField[]; readonly faults: readonly Fault[] } {
  const all = [
    ...plain.map((pair, i) => fieldIn('--field', pair, i + 1, (text) => text)),
    ...typed.map((pair, i) => fieldIn('--json-field', pair, i + 1, jsonIn)),
  ];
  return {
    fields: all.flatMap((each) => ('problem' in each ? [] : [each])),
    faults: all.flatMap((each) => ('problem' in each ? [each] : [])),
  };
}

function fieldIn(
  field: string,
  pair: string,
  number: number,
  read: (text: string) => unknown,
): ApiField | Fault {
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(0, at));
  if (at <= 0) return { field, problem: `must be name=value (number ${number} is not)` };
  const value = read(pair.slice(at + 1));
  if (value === unreadable) {
    const problem = `${quote(name)} has a value that is no JSON`;
    return { field, problem, fix: 'a text goes with -f' };
  }
  if (isSecretName(lastKey(name)) && value !== null) {
    const problem = `${quote(name)}: no secret is taken from the command line`;
    return { field, problem, fix: 'put the body into a file for --input' };
  }
  return { name, value };
}

const unreadable = Symbol('unreadable');

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return unreadable;
  }
}

/** Name and value as a query carries them. */
export const queryPairs = (fields: readonly ApiField[]): readonly (readonly [string, string])[] =>
  fields.map(({ name, value }) => [name, typeof value === 'string' ? value : toJson(value)]);

type Node = Record<string, unknown> | unknown[];

const lastKey = (name: string): string => keysOf(name)?.findLast((key) => key !== '') ?? name;

/** `a[b][]` → `a`, `b`, and nothing for the next of a list. */
function keysOf(name: string): readonly string[] | undefined {
  const parts = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (parts === null) return undefined;
  const inner = [...parts[2]!.matchAll(/\[([^\]]*)\]/g)].map(([, key]) => key!);
  return [parts[1]!, ...inner];
}

/** The JSON body that the fields make; what contradicts itself is a fault. */
export function bodyOf(fields: readonly ApiField[]): {
  readonly body: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
} {
  const body = Object.create(null) as Record<string, unknown>;
  const faults: Fault[] = [];
  for (const { name, value } of fields) {
    const keys = keysOf(name);
    const field = `field ${quote(name)}`;
    if (keys === undefined) faults.push({ field, problem: 'must be a name, name[key] or name[]' });
    else if (!put(body, keys, value))
      faults.push({ field, problem: 'contradicts another field of the same name' });
  }
  return { body, faults };
}

/** Puts a value where the keys lead, making objects and lists on the way; `false` where something else is. */
function put(node: Node, [key = '', ...rest]: readonly string[], value: unknown): boolean {
  const [next] = rest;
  if (Array.isArray(node) !== (key === '')) return false;
  if (Array.isArray(node)) {
    if (next === undefined) return node.push(value) > 0;
    const last: unknown = node.at(-1);
    // `a[][x]=1 a[][y]=2` is one object; a name that it has already begins the next.
    const goesOn = isNode(last) && !Array.isArray(last) && !(next in last);
    if (!goesOn) node.push(emptyFor(next));
    return put(node.at(-1) as Node, rest, value);
  }
  if (next === undefined) {
    if (key in node) return false;
    node[key] = value;
    return true;
  }
  node[key] ??= emptyFor(next);
  const inner = node[key];
  return isNode(inner) && put(inner, rest, value);
}

const emptyFor = (next: string): Node =>
  next === '' ? [] : (Object.create(null) as Record<string, unknown>);

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
