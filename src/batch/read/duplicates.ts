// What the records of a list are about. Equal records are one; two that overlap in another way would do a part twice,
// and are an error.

import { createHash } from 'node:crypto';
import type { Operation, Input } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { hashOf } from '../../base/hash.ts';
import { HASHED } from '../journal/format.ts';
import { isInShard, type Shard } from '../options.ts';

export interface RecordSubject {
  /** The same for every record of one thing: its id, or a hash of the input where that is more than an id. */
  readonly key: string;
  /** The parts that the record names, each once; `undefined` where it is about the whole. */
  readonly parts: readonly string[] | undefined;
}

/** 132 bits of a SHA-256, from which a text or a credential cannot be read back. */
const HASH_LENGTH = 22;

/** The input without the parts that it names, as JSON text: the same for every record of one thing. */
function wholeOf({ parts: field = '' }: Operation, input: Input): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).filter(([name]) => name !== field)),
  );
}

/** Makes the function that says what an input of this operation is about. */
export function subjectsOf(operation: Operation): (input: Input) => RecordSubject {
  const { parts: field = '' } = operation;
  const [first, ...more] = fieldsOf(operation).filter(({ name }) => name !== field);
  const isPlain = first !== undefined && more.length === 0 && !first.hidden;
  const hashed = (input: Input) => {
    const hash = createHash('sha256').update(wholeOf(operation, input)).digest('base64url');
    return HASHED + hash.slice(0, HASH_LENGTH);
  };
  return (input) => {
    const named = input[field] as readonly string[] | undefined;
    return {
      key: isPlain ? String(input[first.name]) : hashed(input),
      parts: named === undefined ? undefined : [...new Set(named)],
    };
  };
}

/** Whether a record belongs to this share; all records of one thing do, another machine does not know what they name. */
export const isInShare = (operation: Operation, input: Input, shard: Shard | undefined): boolean =>
  shard === undefined || isInShard(hashOf(wholeOf(operation, input)), shard);

/** What the records before one are about, by their keys: the lines that name the whole, and each part. */
interface NamedBefore {
  whole?: number;
  readonly parts: Map<string, number>;
}

/** Finds equal records and those that overlap. Records are given in the order of the list. */
export function overlapFinder() {
  const seen = new Map<string, NamedBefore>();
  const lists = new Set<string>();
  return {
    /** `repeated` where an equal record came before; else the line of one that this overlaps with, if there is one. */
    add({ key, parts }: RecordSubject, line: number): 'repeated' | Overlap | undefined {
      const whole = JSON.stringify([key, parts?.toSorted()]);
      if (lists.has(whole)) return 'repeated';
      lists.add(whole);
      const before = seen.get(key) ?? { parts: new Map<string, number>() };
      seen.set(key, before);
      const shared = parts?.find((part) => before.parts.has(part));
      const sharedLine = before.parts.get(shared ?? '');
      const [some] = before.parts;
      if (parts === undefined) before.whole = line;
      for (const part of parts ?? []) if (!before.parts.has(part)) before.parts.set(part, line);
      if (parts === undefined)
        return some && { line: some[1], what: `target ${some[0]} of ${key}` };
      if (before.whole !== undefined) return { line: before.whole, what: `all of ${key}` };
      return sharedLine === undefined
        ? undefined
        : { line: sharedLine, what: `target ${shared} of ${key}` };
    },
  };
}

export interface Overlap {
  /** The line of the record before. */
  readonly line: number;
  /** What that one names. */
  readonly what: string;
}
