// The IDs of a service that answers showed on this machine: the one source of completion and prompts. Reads small files only, never blocks, and is small, because a TAB waits for it.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type SeenLine, seenLines, seenPath } from './seen-file.ts';

/** Where the files are. */
export interface IdPlaces {
  readonly configDir: () => string;
  readonly stateDir: () => string;
}

/** Where a call goes. */
export interface Located {
  readonly context?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** An ID to offer, and what it is. */
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
}

/** The IDs of a kind at a service, newest first, each with a description. */
export function knownIds(query: IdQuery, where: Where): readonly Candidate[] {
  const { kind, platform, posts = [] } = query;
  const platforms = kind === 'account' && platform !== undefined ? [platform] : [];
  const fitting = kind === 'target' ? posts : platforms;
  return [...factsOf(kind, where)]
    .filter(([, facts]) => {
      const owner = kind === 'account' ? facts.platform : facts.post;
      return fitting.length === 0 || owner === '' || fitting.includes(owner);
    })
    .slice(0, MAX_OFFERED)
    .map(([id, { word }]) => [id, word]);
}

type Facts = Pick<SeenLine, 'word' | 'platform' | 'post'>;

const UNKNOWN: Facts = { word: '', platform: '', post: '' };

/** The IDs of a kind, newest first, with what was last said of each. A typed ID says nothing; an earlier answer may. */
function factsOf(kind: string, where: Where): ReadonlyMap<string, Facts> {
  const seen = new Map<string, Facts>();
  for (const { id, ...line } of idsSeen(where)) {
    if (kind !== ANY_ID && line.kind !== kind) continue;
    const newer = seen.get(id) ?? UNKNOWN;
    seen.set(id, {
      word: newer.word || line.word,
      platform: newer.platform || line.platform,
      post: newer.post || line.post,
    });
  }
  return seen;
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
const originOfIds = ({ context, baseUrl }: Located): string | undefined =>
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
