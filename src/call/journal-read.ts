// Reads what an earlier run left in a journal. Cuts a last line that was never finished: what it announces has not
// been sent. Refuses everything else that is not as it was written.

import { fstatSync, ftruncateSync, readSync } from 'node:fs';
import { Failure } from '../errors.ts';
import { failure } from '../files/trouble.ts';
import { hashTable, type HashTable } from './hashes.ts';
import { keyHash } from './journal-key.ts';
import {
  FORMAT,
  outcomes,
  readLine,
  startsJournal,
  type Entry,
  type Heading,
} from './journal-line.ts';
import { unpacked } from './journal-list.ts';

export interface Past {
  /** Nothing for a file that is empty. */
  readonly heading: Heading | undefined;
  /** For each key 1 + the index of its outcome; `UNKNOWN` where it was under way when the run ended; or `LISTED`. */
  readonly marks: HashTable;
  /** How many parts of a whole have an unknown outcome, by the key of the whole; none has no entry. */
  readonly unknownParts: ReadonlyMap<string, number>;
  /** The checksum that the next line goes on from. */
  readonly check: number;
  /** Bytes of an unfinished last line that were cut off. */
  readonly cut: number;
}

const UNKNOWN = 1 + outcomes.indexOf('unknown');
export const DONE = 1 + outcomes.indexOf('done');
/** The mark of a key that is to be done, and of which nothing else is known. */
export const LISTED = 1 + outcomes.length;
const CHUNK_BYTES = 256 * 1024;
const LF = 10;

/** Reads an open journal from its start. Throws `Failure('local_io')` that names the damaged line. */
export function readPast(fd: number, path: string): Past {
  const marks = hashTable();
  const unknownParts = new Map<string, number>();
  let heading: Heading | undefined;
  let check = 0;
  let number = 0;

  const take = (line: string) => {
    number++;
    if (number === 1 && !startsJournal(line)) throw notJournal(path);
    const read = readLine(line, check);
    if (read === undefined) throw damaged(path, number);
    check = read.check;
    if (number > 1) return mark(read.record as Entry, marks, unknownParts);
    heading = read.record as Heading;
    if (heading.format > FORMAT) throw tooNew(path, heading.format);
  };
  const rest = eachLine(fd, take);
  if (rest.length > 0) {
    if (number === 0 && !startsJournal(rest.toString('latin1'))) throw notJournal(path);
    ftruncateSync(fd, fstatSync(fd).size - rest.length);
  }
  return { heading, marks, unknownParts, check, cut: rest.length };
}

/** Gives every finished line to `take`; returns the bytes after the last of them. */
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

function mark(entry: Entry, marks: HashTable, unknownParts: Map<string, number>): void {
  if ('list' in entry) {
    for (const hash of unpacked(entry.list)) if (marks.get(hash) === 0) marks.set(hash, LISTED);
    return;
  }
  const [key, now] =
    'do' in entry ? [entry.do, UNKNOWN] : [entry.end, 1 + outcomes.indexOf(entry.as)];
  const before = marks.set(keyHash(key), now);
  if (entry.of === undefined) return;
  const more = Number(now === UNKNOWN) - Number(before === UNKNOWN);
  const count = (unknownParts.get(entry.of) ?? 0) + more;
  if (count > 0) unknownParts.set(entry.of, count);
  else unknownParts.delete(entry.of);
}

const damaged = (path: string, line: number) =>
  new Failure('local_io', {
    what: `journal line ${line} is damaged in ${path}; what was done after it cannot be known from here`,
    hint: 'look at what it names first: with a new journal all of it would be sent again',
    retryable: false,
    sent: false,
  });

const tooNew = (path: string, format: number) =>
  failure(`${path} was written by a newer social (format ${format}); it was left alone`);

const notJournal = (path: string) => failure(`${path} is not a journal; it was left alone`);
