// What is known on this machine of the IDs of a service: those that answers showed, and the names that were set. The one
// source of completion and prompts. Reads small files only, never blocks, and is small, because a TAB waits for it.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import {
  AT,
  LAST,
  type Located,
  type NamedId,
  namesIn,
  namesPath,
  placeOfNames,
} from '../config/name-file.ts';
import { isIdKind, isIdOf, type SeenLine, seenLines, seenPath } from './seen-file.ts';

/** Where the files are. */
export interface IdPlaces {
  readonly configDir: () => string;
  readonly stateDir: () => string;
}

/** An ID or a name to offer, and what it is. */
export type Candidate = readonly [value: string, word: string];

/** Ids of the sandbox are stored under this name: its address changes. */
export const SANDBOX_IDS = 'sandbox';
/** Stands for every kind of ID. */
const ANY_ID = 'id';

const MAX_BYTES = 1024 * 1024;
const MAX_OFFERED = 60;

type Where = IdPlaces & Located;

/**
 * The IDs of a kind at a service, newest first, each with a description; before them the names that stand for one.
 * The newest post has an ID as well: `@last` is offered where one asks for names.
 */
export function knownIds(kind: string, where: Where, wantsLast = false): readonly Candidate[] {
  const seen = new Map<string, string>();
  for (const { id, word, ...line } of idsSeen(where)) {
    if (seen.size === MAX_OFFERED) break;
    // A typed id has no description; the same id from an earlier answer may have one.
    if ((kind === ANY_ID || line.kind === kind) && !seen.get(id)) seen.set(id, word);
  }
  const [newest] = kind === 'post' && wantsLast ? seen : [];
  const last: readonly Candidate[] = newest === undefined ? [] : [[`${AT}${LAST}`, newest[0]]];
  const names = namesFor(kind, where).map(({ name, id }): Candidate => [
    `${AT}${name}`,
    [id, seen.get(id)].filter(Boolean).join(', '),
  ]);
  return [...names, ...last, ...seen];
}

/** The names that may stand for an ID of the kind: those of another kind, or whose ID does not fit, do not. */
const namesFor = (kind: string, where: Where): readonly NamedId[] =>
  namesHere(where).filter(
    ({ id, kind: own = kind }) =>
      kind === ANY_ID || (isIdKind(kind) && isIdOf(kind, id) && own === kind),
  );

/** The names of a call. None where their file is damaged. */
export function namesHere(where: Where): readonly NamedId[] {
  const place = placeOfNames(where);
  const text = place === undefined ? '' : textOf(namesPath(where.configDir()));
  try {
    return place === undefined || text === '' ? [] : namesIn(JSON.parse(text), place);
  } catch {
    return [];
  }
}

/** Every ID that answers of the service showed here, the newest first; the same ID may come several times. */
export function idsSeen(where: Where): Iterable<SeenLine> {
  const origin = originOfIds(where);
  if (origin === undefined) return [];
  const path = seenPath(where.stateDir());
  return seenLines([textOf(path), textOf(`${path}.1`)], origin);
}

/** The platform of an account, where an answer of the service has shown it here. */
export function platformOf(account: string, where: Where): string | undefined {
  for (const { kind, id, platform } of idsSeen(where))
    if (kind === 'account' && id === account && platform !== '') return platform;
  return undefined;
}

/** What the IDs of a service are kept under. */
export const originOfIds = ({ context, baseUrl }: Located): string | undefined =>
  context === SANDBOX_IDS ? SANDBOX_IDS : baseUrl && new URL(baseUrl).origin;

/** The text of a small regular file, else an empty text. A pipe must not block the shell. */
export function textOf(path: string): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const status = fstatSync(fd);
    if (!status.isFile() || status.size > MAX_BYTES) return '';
    const bytes = Buffer.allocUnsafe(status.size);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, status.size, 0));
  } finally {
    closeSync(fd);
  }
}
