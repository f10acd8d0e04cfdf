// The format of a journal: its lines, and reading them back. A last line that was never finished is cut off: what it
// announces has not been sent. Any other line that is not as it was written is refused.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { unsentFailure } from '../../base/errors.ts';
import { ioFailure } from '../../fs/io-errors.ts';
import { cutFile } from '../../fs/safe-read.ts';

/** The SHA-256 of a text, in base64url. */
export function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** How a key begins that is no id. */
export const HASHED = 'sha256:';

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
 * `send`: a request about this key is about to leave. `end`: its outcome. Both are about the targets that they name, or
 * without these about all that the key stands for.
 */
export type JournalEntry = SendEntry | EndEntry | { readonly run: JournalRun; readonly at: number };

export interface SendEntry {
  readonly send: string;
  /** The id of the record, where the key is a hash and the id no credential. */
  readonly id?: string | undefined;
  readonly targets?: readonly string[] | undefined;
  readonly requestId?: string | undefined;
  readonly at: number;
}

interface EndEntry {
  readonly end: string;
  readonly targets?: readonly string[] | undefined;
  readonly as: JournalOutcome;
  readonly exit: number;
  /** The HTTP status of an answer that left the outcome unknown. */
  readonly status?: number | undefined;
  readonly at: number;
}

/** What is stored of a run: the note, and who gave it where. */
export interface JournalRun {
  readonly note: string;
  readonly user: string;
  readonly host: string;
}

/** The format that this program reads and writes. */
export const JOURNAL_FORMAT = 2;

/**
 * `accepted`: the change was answered, and its result was not waited for to the end. `unsent`: nothing was sent.
 * `failed`: the service refused or could not be reached, so nothing happened, or what happened has failed again.
 */
export type JournalOutcome = 'done' | 'failed' | 'unknown' | 'accepted' | 'unsent';

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

const LF = 10;

/**
 * Reads an open journal, shows each entry to `see`, and cuts off an unfinished last line: `cut` bytes. The next line
 * goes on from the checksum `check`. Throws `Failure('local_io')` that names a damaged line, or says why the file is no
 * journal that this program can go on with.
 */
export function readJournal(fd: number, path: string, see: (entry: JournalEntry) => void) {
  let heading: JournalHeader | undefined;
  let check = 0;
  let number = 0;
  const bytes = readFileSync(fd);
  let size = 0;
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, size)) {
    const line = bytes.toString('utf8', size, end);
    size = end + 1;
    number++;
    if (number === 1 && !startsJournal(line)) throw notJournal(path);
    const read = readLine(line, check);
    if (read === undefined) throw damaged(path, number);
    check = read.check;
    if (number > 1) see(read.record as JournalEntry);
    else heading = headingOf(read.record as JournalHeader, path);
  }
  const cut = bytes.length - size;
  if (heading === undefined) throw cut === 0 ? empty(path) : notJournal(path);
  if (cut > 0) cutFile(fd, path, size);
  return { heading, check, size, cut };
}

function headingOf(heading: JournalHeader, path: string): JournalHeader {
  if (heading.format === JOURNAL_FORMAT) return heading;
  throw otherFormat(path, heading.format);
}

const damaged = (path: string, line: number) =>
  unsentFailure('local_io', {
    what: `journal line ${line} is damaged in ${path}; what was done after it is unknown`,
    hint: 'check its items first: a new journal would send all of them again',
  });

const notJournal = (path: string) => ioFailure(`${path} is not a journal; it was not changed`);

const empty = (path: string) =>
  unsentFailure('local_io', {
    what: `${path} is empty: it is not a journal`,
    hint: 'a journal is made by the batch itself; if no batch has used this file, delete it',
  });

const otherFormat = (path: string, format: number) =>
  format > JOURNAL_FORMAT
    ? ioFailure(
        `${path} was written by a newer version of social (format ${format}); it was not changed`,
      )
    : unsentFailure('local_io', {
        what: `${path} was written by an older version of social (format ${format}); it was not changed`,
        hint: 'finish the batch with that version, or check its items first: a new journal would send all of them again',
      });
