// The format of a journal: its lines, its keys, and reading back what an earlier run left. A last line that was never
// finished is cut off: what it announces has not been sent. Any other line that is not as it was written is refused.

import { createHash } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { unsentFailure } from '../../base/errors.ts';
import { ioFailure } from '../../fs/io-errors.ts';
import { cutFile } from '../../fs/safe-read.ts';
import { hashTable, type HashTable } from '../read/hash-table.ts';
import type { Hash } from '../../base/hash.ts';

/** 132 bits of a SHA-256, from which the record cannot be read back. */
const KEY_LENGTH = 22;

/** The key of a record, from its input as JSON text. */
export function keyOf(text: string): string {
  return fingerprintOf(text).slice(0, KEY_LENGTH);
}

/** The SHA-256 of a text, in base64url. */
export function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** The first 64 bits of a key. */
export function keyHash(key: string): Hash {
  const bytes = Buffer.from(key, 'base64url');
  return { high: bytes.readUInt32BE(0), low: bytes.readUInt32BE(4) };
}

/** The first line: which job the journal is of. */
export interface JournalHeader {
  readonly social: 'journal';
  readonly format: number;
  /** SHA-256 of all that shapes the requests, except the records. */
  readonly job: string;
  /** For messages and readers of the file; only the hash is compared. */
  readonly operation: string;
  readonly origin: string;
  readonly context: string | null;
}

/**
 * `do`: a request for this key is about to be sent. `end`: its outcome. `of`: the key of the whole that this is a part
 * of. `list`: hashes of keys that are to be done, see `packHashes`.
 */
export type JournalEntry =
  | ({ readonly do: string; readonly requestId?: string | undefined } & About)
  | ({ readonly end: string; readonly as: JournalOutcome; readonly exit: number } & About)
  | ({ readonly list: string } & Partial<JournalRun & Pick<About, 'at'>>);

/** What is stored of a run: the note, and who gave it where. It stands in a list of no keys. */
export interface JournalRun {
  readonly note: string;
  readonly user: string;
  readonly host: string;
}

interface About {
  readonly of?: string | undefined;
  readonly id?: string | undefined;
  /** The parts that the request names, or that are waited for after it, where the keys do not say it. */
  readonly parts?: readonly string[] | undefined;
  readonly at: number;
}

/** The newest format that this program reads. */
export const JOURNAL_FORMAT = 1;

/**
 * `accepted`: the change was answered, and its result was not waited for to the end. `unsent`: nothing was sent.
 * `failed`: the service refused or could not be reached, so nothing happened.
 */
export const outcomes = ['done', 'failed', 'unknown', 'accepted', 'unsent'] as const;
export type JournalOutcome = (typeof outcomes)[number];

const CHECK_LENGTH = 8;

/** A record as a line: the checksum that goes on from the line before, and JSON. A changed or missing line shows. */
export function formatLine(
  record: JournalHeader | JournalEntry,
  before: number,
): { text: string; check: number } {
  const json = JSON.stringify(record);
  const check = crc32(json, before);
  return { text: `${check.toString(16).padStart(CHECK_LENGTH, '0')} ${json}\n`, check };
}

/**
 * The record of a line without its end; `undefined` for a line that was not written after one with checksum `before`.
 */
export function readLine(
  line: string,
  before: number,
): { record: JournalHeader | JournalEntry; check: number } | undefined {
  const json = line.slice(CHECK_LENGTH + 1);
  const check = crc32(json, before);
  if (line[CHECK_LENGTH] !== ' ' || Number(`0x${line.slice(0, CHECK_LENGTH)}`) !== check)
    return undefined;
  try {
    return { record: JSON.parse(json) as JournalHeader | JournalEntry, check };
  } catch {
    return undefined;
  }
}

/** Whether a file that begins so may be a journal. Any other file is never cut or written to. */
export const startsJournal = (start: string): boolean =>
  /^[0-9a-f]{8} \{"social":"journal",/.test(start);

const HASH_BYTES = 8;
/** Keeps a line far below `CHUNK_BYTES`. */
const MAX_IN_LINE = 1000;

/** The hashes of the keys to do as base64 texts, a line each. */
export function* packHashes(hashes: Iterable<Hash>): Generator<string> {
  const bytes = Buffer.allocUnsafe(MAX_IN_LINE * HASH_BYTES);
  let end = 0;
  for (const { high, low } of hashes) {
    bytes.writeUInt32BE(high, end);
    end = bytes.writeUInt32BE(low, end + 4);
    if (end < bytes.length) continue;
    yield bytes.toString('base64');
    end = 0;
  }
  if (end > 0) yield bytes.toString('base64', 0, end);
}

function* unpackHashes(text: string): Generator<Hash> {
  const bytes = Buffer.from(text, 'base64');
  for (let at = 0; at + HASH_BYTES <= bytes.length; at += HASH_BYTES)
    yield { high: bytes.readUInt32BE(at), low: bytes.readUInt32BE(at + 4) };
}

/** What a request was about, where it is not all that its keys name. */
export interface SentParts {
  /** The parts that it named: no other was sent. `undefined` where it named none, and was about the whole. */
  readonly named: readonly string[] | undefined;
  /** The parts that are waited for after it. */
  readonly waited: readonly string[];
}

/** What the entries of a journal come to. */
interface Marks {
  /**
   * For each key 1 + the index of its outcome, unknown where its request was in flight at the end; or `LISTED_MARK`.
   */
  readonly marks: HashTable;
  /** The number of parts that are unknown, and that are accepted, by the key of the whole; 0 has no entry. */
  readonly openParts: Record<OpenOutcome, Map<string, number>>;
  /** The parts that have ended after the last request for their whole, by the key of that. */
  readonly laterParts: Map<string, Set<string>>;
  /** What the request of a key was about, where it has not ended and its keys do not say it. */
  readonly sentParts: Map<string, SentParts>;
}

/** What has been sent, and is not known to have ended. */
export type OpenOutcome = Extract<JournalOutcome, 'unknown' | 'accepted'>;

export const markOf = (outcome: JournalOutcome): number => 1 + outcomes.indexOf(outcome);
const UNKNOWN = markOf('unknown');
export const DONE_MARK = markOf('done');
/** The mark of a key that is to be done and has no outcome. */
export const LISTED_MARK = 1 + outcomes.length;
const CHUNK_BYTES = 256 * 1024;
const LF = 10;

/**
 * Reads an open journal, shows each entry to `see`, and cuts off an unfinished last line: `cut` bytes. The next line
 * goes on from the checksum `check`; an empty file has no `heading`. Throws `Failure('local_io')` that names a damaged
 * line.
 */
export function readJournalState(fd: number, path: string, see?: (entry: JournalEntry) => void) {
  const state: Marks = {
    marks: hashTable(),
    openParts: { unknown: new Map(), accepted: new Map() },
    laterParts: new Map(),
    sentParts: new Map(),
  };
  let heading: JournalHeader | undefined;
  let check = 0;
  let number = 0;

  const take = (line: string) => {
    number++;
    if (number === 1 && !startsJournal(line)) throw notJournal(path);
    const read = readLine(line, check);
    if (read === undefined) throw damaged(path, number);
    check = read.check;
    if (number > 1) {
      const entry = read.record as JournalEntry;
      see?.(entry);
      noteParts(entry, state);
      return mark(entry, state);
    }
    heading = read.record as JournalHeader;
    const { format } = heading;
    if (format > JOURNAL_FORMAT)
      throw ioFailure(
        `${path} was written by a newer version of social (format ${format}); it was not changed`,
      );
  };
  const rest = eachLine(fd, take);
  if (rest.length > 0) {
    if (number === 0 && !startsJournal(rest.toString('latin1'))) throw notJournal(path);
    cutFile(fd, path, fstatSync(fd).size - rest.length);
  }
  return { heading, ...state, check, cut: rest.length };
}

/** Gives each complete line to `take`; returns the bytes after the last of them. */
function eachLine(fd: number, take: (line: string) => void): Buffer {
  let rest: Buffer = Buffer.alloc(0);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; ;) {
    const count = readSync(fd, chunk, 0, chunk.length, at);
    if (count === 0) return rest;
    at += count;
    const block = Buffer.concat([rest, chunk.subarray(0, count)]);
    let from = 0;
    for (let end = block.indexOf(LF); end >= 0; end = block.indexOf(LF, from)) {
      take(block.toString('utf8', from, end));
      from = end + 1;
    }
    rest = Buffer.from(block.subarray(from));
  }
}

function mark(entry: JournalEntry, { marks, openParts, laterParts }: Marks): void {
  if ('list' in entry) {
    for (const hash of unpackHashes(entry.list))
      if (marks.get(hash) === 0) marks.set(hash, LISTED_MARK);
    return;
  }
  const isIntent = 'do' in entry;
  const [key, now] = isIntent ? [entry.do, UNKNOWN] : [entry.end, markOf(entry.as)];
  const before = marks.set(keyHash(key), now);
  const { of } = entry;
  if (of === undefined) {
    if (isIntent) laterParts.delete(key);
    return;
  }
  for (const outcome of ['unknown', 'accepted'] as const) {
    const counts = openParts[outcome];
    const more = Number(now === markOf(outcome)) - Number(before === markOf(outcome));
    const count = (counts.get(of) ?? 0) + more;
    if (count > 0) counts.set(of, count);
    else counts.delete(of);
  }
  const ofWhole = marks.get(keyHash(of));
  if (!isIntent && ofWhole !== 0 && ofWhole !== LISTED_MARK)
    laterParts.set(of, (laterParts.get(of) ?? new Set()).add(key));
}

/** Keeps the parts of what may still be waited for: an answer may show more of them than the request named. */
function noteParts(entry: JournalEntry, { sentParts }: Marks): void {
  if ('list' in entry) return;
  const { parts } = entry;
  if ('do' in entry) {
    sentParts.delete(entry.do);
    if (parts !== undefined) sentParts.set(entry.do, { named: parts, waited: parts });
  } else if (entry.as !== 'accepted' && entry.as !== 'unknown') sentParts.delete(entry.end);
  else if (parts !== undefined)
    sentParts.set(entry.end, { named: sentParts.get(entry.end)?.named, waited: parts });
}

const damaged = (path: string, line: number) =>
  unsentFailure('local_io', {
    what: `journal line ${line} is damaged in ${path}; what was done after it is unknown`,
    hint: 'check its items first: a new journal would send all of them again',
  });

const notJournal = (path: string) => ioFailure(`${path} is not a journal; it was not changed`);
