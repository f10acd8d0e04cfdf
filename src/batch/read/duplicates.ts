// Duplicates in a list. A record is about a whole (a post) or about parts of it (some of its targets), and each part is
// done once, in however many records and forms it is named. Keeps only a hash of each whole and each part.

import type { Operation, Input } from '../../api/operations/define-operation.ts';
import { keyOf, type JournalOutcome } from '../journal/format.ts';
import type { Journal, JournalKey } from '../journal/journal.ts';
import { hashTable } from './hash-table.ts';
import type { Hash } from '../../base/hash.ts';

export interface RecordPart {
  readonly id: string;
  /** The input that names this part alone, as JSON text. */
  readonly text: string;
}

export interface RecordSubject {
  /** The input that names the whole, as JSON text: the same for every record of one thing. */
  readonly whole: string;
  /** The parts that the record names, each once; none where it is about the whole. */
  readonly parts: readonly RecordPart[];
}

/** What an input of this operation is about. */
export function recordSubject({ parts: field }: Operation, input: Input): RecordSubject {
  const ids = field === undefined ? undefined : (input[field] as readonly string[] | undefined);
  if (field === undefined || ids === undefined) return { whole: JSON.stringify(input), parts: [] };
  const whole = Object.fromEntries(Object.entries(input).filter(([name]) => name !== field));
  const textOf = (id: string) => JSON.stringify({ ...input, [field]: [id] });
  const parts = [...new Set(ids)].map((id) => ({ id, text: textOf(id) }));
  return { whole: JSON.stringify(whole), parts };
}

/**
 * What of a record is to be done: all of it, these parts, nothing; `unlisted` where the first reading had not found it.
 */
type ClaimResult = 'all' | 'nothing' | 'unlisted' | readonly RecordPart[];

/** Bits of a mark: the reading that claimed it last, from 1. */
const READING = 0b11;
/** Bit of the mark of a whole: a record names parts of it. */
const HAS_PARTS = 0b100;
/** Bit of the mark of a part: a record names it, and a record of the whole includes it. */
const INCLUDED = 0b1000;

/** Records what a list names, by the hashes of the texts. */
export function createClaimLedger(hashOf: (text: string) => Hash) {
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
  const claimPart = (hash: Hash): boolean => {
    const mark = table.get(hash);
    if ((mark & READING) === reading) return false;
    table.set(hash, (mark & ~READING) | reading);
    return true;
  };

  return {
    /** Begins a reading of the list. Claims of an earlier reading do not count any more. */
    begin: () => void reading++,
    /** Claims what a record is about. What a later reading finds must have been in the first. */
    claim({ whole, parts }: RecordSubject): ClaimResult {
      const hash = hashOf(whole);
      if (parts.length === 0) return claimWhole(hash);
      const mark = table.get(hash);
      const hashes = parts.map(({ text }) => hashOf(text));
      if (reading > 1 && hashes.some((each) => table.get(each) === 0)) return 'unlisted';
      if ((mark & READING) !== 0) {
        if (reading === 1) for (const each of hashes) table.set(each, table.get(each) | INCLUDED);
        return 'nothing';
      }
      if (reading === 1) table.set(hash, mark | HAS_PARTS);
      const left = parts.filter((_part, i) => claimPart(hashes[i]!));
      return left.length === 0 ? 'nothing' : left;
    },
    /** Whether parts were claimed before a record of the whole, which includes them. */
    isOverclaimed: () => overclaimed,
    /** The hashes of the wholes and parts that the last reading claimed. */
    *claimed(): Generator<Hash> {
      for (const [hash, mark] of table.entries()) if ((mark & READING) === reading) yield hash;
    },
  };
}

export type KnownOutcomes = Pick<Journal, 'before' | 'hasPart' | 'hasEndedSince' | 'sentParts'>;

interface EarlierOutcomes {
  /** What an earlier run knows of the record. */
  readonly past: JournalOutcome | undefined;
  /** The journal's keys of what is left to do. */
  readonly keys: readonly JournalKey[];
  /** The parts that are left to do; `undefined` for a whole. */
  readonly parts: readonly RecordPart[] | undefined;
  /** The parts that were accepted and have not settled, beside what is left to do; `some` of a whole. */
  readonly underWay?: UnderWay | undefined;
}

/** Parts by their ids, or `some` where only their keys are known. */
export type UnderWay = readonly string[] | 'some';

/**
 * Looks up in the journal what was claimed of a record. A list that has changed since the earlier run may name the same
 * parts in other records, so wholes and parts are both looked up.
 */
export function earlierOutcomes(
  journal: KnownOutcomes,
  subject: RecordSubject,
  claimed: 'all' | readonly RecordPart[],
): EarlierOutcomes {
  const whole = keyOf(subject.whole);
  const ofWhole = journal.before(whole);
  if (claimed === 'all') {
    // The request for the whole would include a part that may have been done.
    const isOpen = !wasSent(ofWhole);
    return {
      past: isOpen && journal.hasPart(whole, 'unknown') ? 'unknown' : ofWhole,
      keys: [{ key: whole }],
      parts: undefined,
      underWay: isOpen && journal.hasPart(whole, 'accepted') ? 'some' : undefined,
    };
  }
  const isIn = (key: string, { id }: RecordPart) =>
    journal.sentParts(key)?.named?.includes(id) ?? true;
  const known = claimed.map((part) => {
    const key = keyOf(part.text);
    const own = journal.before(key);
    // A request for the whole included its parts, unless it named others or they have ended since.
    const isOfWhole =
      !wasSent(own) && wasSent(ofWhole) && isIn(whole, part) && !journal.hasEndedSince(whole, key);
    const past = isOfWhole ? ofWhole : own;
    return { part, past, key: { key, of: whole }, isSent: isOfWhole || isIn(key, part) };
  });
  const of = (some: typeof known, past: JournalOutcome | undefined): EarlierOutcomes => ({
    past,
    keys: some.map(({ key }) => key),
    parts: some.map(({ part }) => part),
  });
  const open = known.filter(({ past }) => past !== 'done' && past !== 'accepted');
  const accepted = known.filter(({ past }) => past === 'accepted');
  if (open.length > 0) {
    const past = open.some((each) => each.past === 'unknown') ? 'unknown' : open[0]!.past;
    const sent = accepted.filter(({ isSent }) => isSent).map(({ part }) => part.id);
    const left = known.filter(
      (each) => open.includes(each) || (each.past === 'accepted' && !each.isSent),
    );
    return { ...of(left, past), underWay: sent.length === 0 ? undefined : sent };
  }
  if (accepted.length === 0) return of(known, 'done');
  // Where all of them were left out of the request, they were not sent.
  return of(accepted, accepted.some(({ isSent }) => isSent) ? 'accepted' : undefined);
}

/** The journal's keys of some parts of what an input is about. */
export function keysOfParts(
  operation: Operation,
  input: Input,
  ids: readonly string[],
): readonly JournalKey[] {
  const { whole, parts } = recordSubject(operation, { ...input, [operation.parts!]: ids });
  return parts.map(({ text }) => ({ key: keyOf(text), of: keyOf(whole) }));
}

/** Whether a request for it was sent and not refused. */
const wasSent = (outcome: JournalOutcome | undefined): boolean =>
  outcome === 'done' || outcome === 'accepted' || outcome === 'unknown';
