// One line of a journal: a checksum that goes on from the line before, and a record as JSON. A line that was changed,
// left out or moved shows at that place. Holds ids and hashes, never a text or a secret.

import { crc32 } from 'node:zlib';

/** What a journal is about; the first line. */
export interface Heading {
  readonly social: 'journal';
  readonly format: number;
  /** SHA-256 over everything that shapes the requests but the records. */
  readonly job: string;
  /** For whoever reads the file; the fingerprint is what counts. */
  readonly operation: string;
  readonly origin: string;
  readonly context: string | null;
}

/**
 * `do`: a request for this key is about to leave. `end`: what came of it. `of`: the key of the whole of which this is a
 * part. `list`: hashes of keys that are to be done, see `packed`.
 */
export type Entry =
  | ({ readonly do: string } & About)
  | ({ readonly end: string; readonly as: Outcome; readonly exit: number } & About)
  | { readonly list: string };

interface About {
  readonly of?: string | undefined;
  readonly id?: string | undefined;
  readonly at: number;
}

/** The newest format; files of a newer one are for a newer program. */
export const FORMAT = 1;

/**
 * `accepted`: the change was answered, what it set going had not settled. `unsent`: nothing left after all.
 * `failed`: the service refused or could not be reached, so nothing happened.
 */
export const outcomes = ['done', 'failed', 'unknown', 'accepted', 'unsent'] as const;
export type Outcome = (typeof outcomes)[number];

const CHECK_LENGTH = 8;

/** A record as a line, and the checksum that the next line goes on from. */
export function lineFor(record: Heading | Entry, before: number): { text: string; check: number } {
  const json = JSON.stringify(record);
  const check = crc32(json, before);
  return { text: `${check.toString(16).padStart(CHECK_LENGTH, '0')} ${json}\n`, check };
}

/** The record of a line without its end; `undefined` where the line is not what was written after `before`. */
export function readLine(
  line: string,
  before: number,
): { record: Heading | Entry; check: number } | undefined {
  const json = line.slice(CHECK_LENGTH + 1);
  const check = crc32(json, before);
  if (line[CHECK_LENGTH] !== ' ' || Number(`0x${line.slice(0, CHECK_LENGTH)}`) !== check)
    return undefined;
  try {
    return { record: JSON.parse(json) as Heading | Entry, check };
  } catch {
    return undefined;
  }
}

/** Whether a file that starts so may be a journal. Nothing else is ever cut or written to. */
export function startsJournal(start: string): boolean {
  return /^[0-9a-f]{8} \{"social":"journal",/.test(start);
}
