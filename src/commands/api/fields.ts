// `-f name=value` and `-F name=<JSON>`: the query of a request or its JSON body, where `a[b]=c` makes an object and
// `a[]=c` a list. A value may be secret: faults show only names.

import type { Fault } from '../../base/errors.ts';
import { parseJson, toJson } from '../../base/json.ts';
import { isSecretName } from '../../output/credentials.ts';
import { quote } from '../../base/sanitize.ts';

export interface ApiField {
  /** As it was typed: `a[b]`. */
  readonly name: string;
  readonly value: unknown;
}

/** The fields of both flags in their order. Adds what is wrong to the faults. */
export function parseFields(
  plain: readonly string[],
  typed: readonly string[],
  faults: Fault[],
): readonly ApiField[] {
  const all = [
    ...plain.map((pair, i) => fieldIn('--field', pair, i + 1, (text) => text)),
    ...typed.map((pair, i) => fieldIn('--json-field', pair, i + 1, parseJson)),
  ];
  return all.flatMap((each) => {
    if (!('problem' in each)) return [each];
    faults.push(each);
    return [];
  });
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
  let value: unknown;
  try {
    value = read(pair.slice(at + 1));
  } catch {
    const problem = `${quote(name)} has a value that is not JSON`;
    return { field, problem, fix: 'use -f for text' };
  }
  if (isSecretName(lastKey(name)) && value !== null) {
    const problem = `${quote(name)}: secrets are not accepted on the command line`;
    return { field, problem, fix: 'put the body into a file and use --input' };
  }
  return { name, value };
}

/** Name and value as a query carries them. */
export const queryPairs = (fields: readonly ApiField[]): readonly (readonly [string, string])[] =>
  fields.map(({ name, value }) => [name, typeof value === 'string' ? value : toJson(value)]);

type Node = Record<string, unknown> | unknown[];

const lastKey = (name: string): string => keysOf(name)?.findLast((key) => key !== '') ?? name;

/** `a[b][]` → `a`, `b`, and an empty text for the next item of a list. */
function keysOf(name: string): readonly string[] | undefined {
  const parts = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (parts === null) return undefined;
  return [parts[1]!, ...Array.from(parts[2]!.matchAll(/\[([^\]]*)\]/g), ([, key]) => key!)];
}

/** The JSON body of the fields; fields that contradict each other are faults. */
export function bodyOf(
  fields: readonly ApiField[],
  faults: Fault[],
): Readonly<Record<string, unknown>> {
  const body = Object.create(null) as Record<string, unknown>;
  for (const { name, value } of fields) {
    const keys = keysOf(name);
    const field = `field ${quote(name)}`;
    if (keys === undefined) faults.push({ field, problem: 'must be a name, name[key] or name[]' });
    else if (!setAt(body, keys, value))
      faults.push({ field, problem: 'conflicts with another field of the same name' });
  }
  return body;
}

/** Sets the value at the keys, making objects and lists on the way; `false` where something else is there. */
function setAt(node: Node, [key = '', ...rest]: readonly string[], value: unknown): boolean {
  const [next] = rest;
  if (Array.isArray(node) !== (key === '')) return false;
  if (Array.isArray(node)) {
    if (next === undefined) return node.push(value) > 0;
    const last: unknown = node.at(-1);
    // `a[][x]=1 a[][y]=2` is one object; a name that it already has begins the next one.
    const continues = isNode(last) && !Array.isArray(last) && !(next in last);
    if (!continues) node.push(emptyFor(next));
    return setAt(node.at(-1) as Node, rest, value);
  }
  if (next === undefined) {
    if (key in node) return false;
    node[key] = value;
    return true;
  }
  node[key] ??= emptyFor(next);
  const inner = node[key];
  return isNode(inner) && setAt(inner, rest, value);
}

const emptyFor = (next: string): Node =>
  next === '' ? [] : (Object.create(null) as Record<string, unknown>);

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
