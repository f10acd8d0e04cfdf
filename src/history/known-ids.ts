// What is known on this machine of the IDs of a service: those that answers showed, and the names that were set. The
// one source of completion and prompts. Reads small files only, never blocks, and is small, because a TAB waits for it.

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

/** What an ID is wanted for. */
interface IdQuery {
  /** `post`, `account`, or `id` for every kind. */
  readonly kind: string;
  /** Of accounts: those that are known to be on another platform are left out. */
  readonly platform?: string | undefined;
  /** Of targets: those that are known to be of another post are left out. */
  readonly posts?: readonly string[];
  /** What was last seen in one of these statuses comes first. */
  readonly first?: readonly string[];
  /** Whether names are asked for: the newest post has one as well, `@last`. */
  readonly wantsLast?: boolean;
}

type Facts = Pick<SeenLine, 'word' | 'platform' | 'status' | 'post'>;

const UNKNOWN: Facts = { word: '', platform: '', status: '', post: '' };

/**
 * The IDs of a kind at a service, newest first, each with a description; before them the names that stand for one.
 * What is known to fit comes before what may fit.
 */
export function knownIds(query: IdQuery, where: Where): readonly Candidate[] {
  const { kind, platform, posts = [], first = [], wantsLast = false } = query;
  const seen = factsOf(kind, where);
  const [newest] = kind === 'post' && wantsLast ? seen.keys() : [];
  const all = [
    ...namesFor(kind, where).map(({ name, id, kind: own }) => [`${AT}${name}`, id, own] as const),
    ...(newest === undefined ? [] : [[`${AT}${LAST}`, newest, kind] as const]),
    ...[...seen.keys()].map((id) => [id, id, kind] as const),
  ];
  const platforms = kind === 'account' && platform !== undefined ? [platform] : [];
  const fitting = kind === 'target' ? posts : platforms;
  const offered = all.flatMap(([value, id, known]) => {
    const { word, status, ...facts } = seen.get(id) ?? UNKNOWN;
    const own = kind === 'account' ? facts.platform : facts.post;
    if (fitting.length > 0 && own !== '' && !fitting.includes(own)) return [];
    const isGuess = known === undefined || (fitting.length > 0 && own === '');
    const rank = Number(!first.includes(status)) * 2 + Number(isGuess);
    const text = value === id ? word : [id, value === `${AT}${LAST}` ? '' : word];
    return [{ rank, offer: [value, [text].flat().filter(Boolean).join(', ')] as const }];
  });
  return offered
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MAX_OFFERED)
    .map(({ offer }) => offer);
}

/** The IDs of a kind, newest first, with what was last said of each. A typed ID says nothing; an earlier answer may. */
function factsOf(kind: string, where: Where): ReadonlyMap<string, Facts> {
  const seen = new Map<string, Facts>();
  for (const { id, ...line } of idsSeen(where)) {
    if (kind !== ANY_ID && line.kind !== kind) continue;
    const newer = seen.get(id) ?? UNKNOWN;
    seen.set(id, {
      word: newer.word || line.word,
      platform: newer.platform || line.platform,
      status: newer.status || line.status,
      post: newer.post || line.post,
    });
  }
  return seen;
}

/**
 * The names that may stand for an ID of the kind: those of another kind, or whose ID does not fit, do not. A name that
 * was set before its ID was seen has no kind. What an answer has shown since decides; until then it may be of any kind
 * that has such IDs, because it was set to be used: without it, nobody would find it.
 */
function namesFor(kind: string, where: Where): readonly NamedId[] {
  const names = namesHere(where);
  const open = new Set(names.filter((name) => name.kind === undefined).map(({ id }) => id));
  const kinds = new Map<string, string>();
  if (open.size > 0)
    for (const line of idsSeen(where))
      if (open.has(line.id) && !kinds.has(line.id)) kinds.set(line.id, line.kind);
  return names
    .map((name) => ({ ...name, kind: name.kind ?? kinds.get(name.id) }))
    .filter(
      ({ id, kind: own = kind }) =>
        kind === ANY_ID || (isIdKind(kind) && isIdOf(kind, id) && own === kind),
    );
}

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
