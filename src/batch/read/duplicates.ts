// What a record is about: a thing as a whole, or parts of it. A list may name the same part in several records and in
// several forms; it is done once. Keeps no record, only a hash of each whole and each part.

import type { Operation, Input } from '../../api/operations/define-operation.ts';
import { keyOf, type JournalOutcome } from '../journal/format.ts';
import type { Journal, JournalKey } from '../journal/journal.ts';
import { hashTable } from './hash-table.ts';
import type { Hash } from '../../base/hash.ts';

/** Each part of a record, and the text of the input that names it alone. */
export interface RecordPart {
  readonly id: string;
  readonly text: string;
}

export interface RecordSubject {
  /** The input as JSON text. */
  readonly text: string;
  /** The text of the input that names the whole: the same for every record of one thing. */
  readonly whole: string;
  /** The parts that the record names, each once; none where it is about the whole. */
  readonly parts: readonly RecordPart[];
}

/** What is in JSON text as it is. */
const PLAIN = /^[\w-]*$/;
const NONE: readonly RecordPart[] = [];

/** Makes the function that tells what an input of this operation is about. */
export function subjectsOf(operation: Operation): (input: Input) => RecordSubject {
  const write = writerFor(operation);
  const { parts: field } = operation;
  return (input) => {
    const text = write(input);
    const ids = field === undefined ? undefined : (input[field] as readonly string[] | undefined);
    if (field === undefined || ids === undefined) return { text, whole: text, parts: NONE };
    const whole = Object.fromEntries(Object.entries(input).filter(([name]) => name !== field));
    const parts = [...new Set(ids)].map((id) => ({ id, text: write({ ...input, [field]: [id] }) }));
    return { text, whole: write(whole), parts };
  };
}

/** Writes inputs as JSON text. One that holds an id alone always has the same form. */
function writerFor({ input: { shape }, parts }: Operation): (input: Input) => string {
  const [name, ...more] = Object.keys(shape).filter((each) => each !== parts);
  if (name === undefined || more.length > 0) return JSON.stringify;
  const start = `{${JSON.stringify(name)}:"`;
  return (input) => {
    const value = input[name];
    const isAlone = parts === undefined || input[parts] === undefined;
    return isAlone && typeof value === 'string' && PLAIN.test(value)
      ? `${start}${value}"}`
      : JSON.stringify(input);
  };
}

/** What of a record is to be done: all of it, these parts, nothing, or nobody knows because it was never listed. */
export type ClaimResult = 'all' | 'nothing' | 'unlisted' | readonly RecordPart[];

export interface ClaimLedger {
  /** Begins to read the list, or to read it again. Claims of an earlier reading do not count any more. */
  begin(): void;
  /** Claims what a record is about. The first reading lists; what a later one finds must have been listed. */
  claim(subject: RecordSubject): ClaimResult;
  /** Whether a whole came after parts of it, so that they were claimed although the whole includes them. */
  isOverclaimed(): boolean;
  /** The hashes of the wholes and parts that the last reading claimed. */
  claimed(): Iterable<Hash>;
}

/** On a mark: the reading that claimed it last, from 1. */
const READING = 0b11;
/** On the mark of a whole: a record names parts of it. */
const HAS_PARTS = 0b100;
/** On the mark of a part: a record names it, and a record of the whole includes it. */
const INCLUDED = 0b1000;

/** Knows what a list names, by hashes that `hashOf` makes of the texts. */
export function createClaimLedger(hashOf: (text: string) => Hash): ClaimLedger {
  const table = hashTable();
  let reading = 0;
  let overclaimed = false;

  const claimWhole = (hash: Hash): ClaimResult => {
    const mark = table.get(hash);
    if ((mark & READING) === reading) return 'nothing';
    if (reading > 1 && (mark & READING) === 0) return 'unlisted';
    overclaimed ||= reading === 1 && (mark & HAS_PARTS) !== 0;
    table.set(hash, (mark & ~READING) | reading);
    return 'all';
  };
  const include = (parts: readonly Hash[]): ClaimResult => {
    if (reading > 1) return parts.every((hash) => table.get(hash) !== 0) ? 'nothing' : 'unlisted';
    for (const hash of parts) table.set(hash, table.get(hash) | INCLUDED);
    return 'nothing';
  };
  const claimPart = (hash: Hash): 'claimed' | 'taken' | 'unlisted' => {
    const mark = table.get(hash);
    if (reading > 1 && mark === 0) return 'unlisted';
    if ((mark & READING) === reading) return 'taken';
    table.set(hash, (mark & ~READING) | reading);
    return 'claimed';
  };

  return {
    begin: () => void reading++,
    claim({ whole, parts }) {
      const hash = hashOf(whole);
      if (parts.length === 0) return claimWhole(hash);
      const mark = table.get(hash);
      if ((mark & READING) !== 0) return include(parts.map(({ text }) => hashOf(text)));
      if (reading === 1) table.set(hash, mark | HAS_PARTS);
      const claims = parts.map((part) => [part, claimPart(hashOf(part.text))] as const);
      if (claims.some(([, claim]) => claim === 'unlisted')) return 'unlisted';
      const left = claims.filter(([, claim]) => claim === 'claimed').map(([part]) => part);
      return left.length === 0 ? 'nothing' : left;
    },
    isOverclaimed: () => overclaimed,
    *claimed() {
      for (const [hash, mark] of table.entries()) if ((mark & READING) === reading) yield hash;
    },
  };
}

// What a journal knows of a record, whole by whole and part by part: a list that has changed since may name the same
// parts in other records.

export type KnownOutcomes = Pick<Journal, 'before' | 'hasUnknownPart'>;

export interface EarlierOutcomes {
  /** What an earlier run knows of it. */
  readonly past: JournalOutcome | undefined;
  /** What the journal calls what is left to do. */
  readonly keys: readonly JournalKey[];
  /** The parts that are left to do; `undefined` for a whole. */
  readonly parts: readonly RecordPart[] | undefined;
}

/** Looks up what was claimed of a record. */
export function earlierOutcomes(
  journal: KnownOutcomes,
  subject: RecordSubject,
  claimed: 'all' | readonly RecordPart[],
): EarlierOutcomes {
  const whole = keyOf(subject.whole);
  const ofWhole = journal.before(whole);
  if (claimed === 'all') {
    // The request for the whole would include a part of which nobody knows whether it was done.
    const past = !wasSent(ofWhole) && journal.hasUnknownPart(whole) ? 'unknown' : ofWhole;
    return { past, keys: [{ key: whole }], parts: undefined };
  }
  const known = claimed.map((part) => {
    const key = keyOf(part.text);
    const own = journal.before(key);
    // Whoever did the whole did its parts.
    const past = !wasSent(own) && wasSent(ofWhole) ? ofWhole : own;
    return { part, past, key: { key, of: whole } };
  });
  const of = (some: typeof known, past: JournalOutcome | undefined): EarlierOutcomes => ({
    past,
    keys: some.map(({ key }) => key),
    parts: some.map(({ part }) => part),
  });
  const open = known.filter(({ past }) => past !== 'done' && past !== 'accepted');
  if (open.length > 0)
    return of(open, open.some(({ past }) => past === 'unknown') ? 'unknown' : open[0]!.past);
  const accepted = known.filter(({ past }) => past === 'accepted');
  return accepted.length > 0 ? of(accepted, 'accepted') : of(known, 'done');
}

/** Whether a request may have done it. */
const wasSent = (outcome: JournalOutcome | undefined): boolean =>
  outcome === 'done' || outcome === 'accepted' || outcome === 'unknown';
