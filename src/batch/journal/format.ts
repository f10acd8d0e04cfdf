// The format of a journal: its lines, and how they are read. A crash may leave an unfinished last line, which is cut
// off: nothing was sent for an unfinished intent, and a request without an outcome counts as unknown. Any other line
// that differs from what was written is rejected.

import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Seen } from '../../api/operations/part-states.ts';
import { unsentFailure } from '../../base/errors.ts';
import { sha256 } from '../../base/hash.ts';
import { ioFailure } from '../../fs/io-errors.ts';
import { cutFile } from '../../fs/safe-read.ts';

/** Returns the SHA-256 of a text, in base64url. */
export const fingerprintOf = (text: string): string => sha256(text, 'base64url');

/** The start of a key that is not an ID: a key names a record of the batch, by its ID or by a hash of its input. */
export const HASHED = 'sha256:';

/** The first line, which identifies the job of the journal. */
export interface JournalHeader {
  readonly social: 'journal';
  readonly format: number;
  /** The SHA-256 of everything that shapes the requests, except the records. */
  readonly job: string;
  /** The other fields are for messages and readers of the file; only the hash is compared. */
  readonly operation: string;
  readonly origin: string;
  readonly context: string | null;
}

/**
 * `sent`: a request for these parts of a key is about to be sent. `ended`: the state in which it is now, for the parts
 * that the line names. `done`: these parts are published, by any change; without parts all that the key stands for is.
 * `run`: a run begins.
 */
export type JournalEntry = IntentEntry | EndedEntry | DoneEntry | RunEntry;

/** A resource without parts has one, with an empty name. */
export interface IntentEntry {
  readonly sent: string;
  /** The ID of the record, if the key is a hash and the ID is not a credential, as that of a Telegram pairing is. */
  readonly id?: string | undefined;
  readonly parts: readonly string[];
  /** The `x-request-id` that was sent, not an ID of the service. */
  readonly requestId: string;
  /** The states that were read before, dated for now by the service's clock. */
  readonly seen?: Seen | undefined;
  readonly at: number;
}

export interface EndedEntry {
  /** The ID of the request. */
  readonly ended: string;
  readonly parts: readonly string[];
  readonly as: RequestEnd;
  /** The states in the response that accepted it. */
  readonly seen?: Seen | undefined;
  /** The service's clock when its outcome became unknown. */
  readonly date?: number | undefined;
  /** The HTTP status of a response that left the outcome unknown. */
  readonly status?: number | undefined;
  /** Set if `history settle` has found it out. */
  readonly settled?: true | undefined;
  readonly at: number;
}

/**
 * `refused`: nothing was changed. `accepted`: the service has taken the change, and its result is still open. `unknown`:
 * it may have been made; so it is from the intent on. `done` and `failed`: its result. `not done`: it was unknown, and a
 * later read has shown that it was not made. After `refused`, `failed` and `not done` the part may be sent again.
 */
export type RequestEnd = 'refused' | 'accepted' | 'unknown' | 'done' | 'failed' | 'not done';

interface DoneEntry {
  readonly done: string;
  readonly parts?: readonly string[] | undefined;
  /** The states of all parts in the read that showed it. */
  readonly seen?: Seen | undefined;
  readonly at: number;
}

interface RunEntry {
  readonly run: JournalRun;
  readonly at: number;
}

/** Facts of a run: its entry in the history, its note, user and machine. */
export interface JournalRun {
  readonly entry?: string | undefined;
  readonly note?: string | undefined;
  readonly user: string;
  readonly host: string;
}

/** The format that this program reads and writes. */
export const JOURNAL_FORMAT = 3;

const CHECK_LENGTH = 8;

/**
 * Formats an entry as a line: the checksum that continues from the previous line, and JSON. A changed or missing line
 * is detected.
 */
export function formatLine(
  entry: JournalHeader | JournalEntry,
  checkBefore: number,
): { text: string; check: number } {
  const json = JSON.stringify(entry);
  const check = crc32(json, checkBefore);
  return { text: `${check.toString(16).padStart(CHECK_LENGTH, '0')} ${json}\n`, check };
}

/** Reads the entry of a line without its newline; `undefined` if it does not follow a line with this checksum. */
export function readLine(
  line: string,
  checkBefore: number,
): { entry: JournalHeader | JournalEntry; check: number } | undefined {
  const json = line.slice(CHECK_LENGTH + 1);
  const check = crc32(json, checkBefore);
  if (line[CHECK_LENGTH] !== ' ' || Number(`0x${line.slice(0, CHECK_LENGTH)}`) !== check)
    return undefined;
  try {
    return { entry: JSON.parse(json) as JournalHeader | JournalEntry, check };
  } catch {
    return undefined;
  }
}

/** True if a file with this start may be a journal. Other files are never cut or written to. */
export const startsJournal = (start: string): boolean =>
  /^[0-9a-f]{8} \{"social":"journal",/.test(start);

const LF = 10;

/**
 * Reads an open journal, passes each entry to `onEntry`, and cuts off an unfinished last line of `cut` bytes, unless
 * `cuts` is false. The next
 * line continues from the checksum `check`. Throws `Failure('local_io')` that names a damaged line, or says why this
 * program cannot use the file.
 */
export function readJournal(
  fd: number,
  path: string,
  onEntry: (entry: JournalEntry) => void,
  { cuts = true }: { readonly cuts?: boolean } = {},
) {
  let header: JournalHeader | undefined;
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
    if (number === 1) {
      header = read.entry as JournalHeader;
      if (header.format !== JOURNAL_FORMAT) throw otherFormat(path, header.format);
    } else onEntry(read.entry as JournalEntry);
  }
  const cut = bytes.length - size;
  if (header === undefined) throw notJournal(path);
  if (cut > 0 && cuts) cutFile(fd, path, size);
  return { header, check, size, cut };
}

const damaged = (path: string, line: number) =>
  unsentFailure('local_io', {
    what: `journal line ${line} is damaged in ${path}; what was done after it is unknown`,
    hint: 'check its items first: a new journal would send all of them again',
  });

const notJournal = (path: string) => ioFailure(`${path} is not a journal; it was not changed`);

const otherFormat = (path: string, format: number) =>
  unsentFailure('local_io', {
    what: `${path} was written by another version of social (format ${format}); it was not changed`,
    hint: 'finish the batch with that version, or check its items first: a new journal would send all of them again',
  });
