// The IDs of a service that calls and their answers showed on this machine: the one source of completion and prompts.
// A file holds a line each, `origin kind id word owner`, apart by tabs; what is full is put aside as `.1`. Reading is
// small and never blocks, because a TAB waits for it. No ID of a pairing is among them.

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { DISCORD_ID, idKindOf, RESOURCE_ID } from '../api/schema/id-patterns.ts';
import { ownProperty } from '../base/json.ts';
import { fileNames } from '../base/paths.ts';
import type { Runtime } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';

export const seenPath = (stateDir: string): string => join(stateDir, fileNames.seenIds);

/** Some two hundred ids; the shell waits while they are read. */
export const MAX_SEEN_BYTES = 16 * 1024;

/** Ids of other services, as far as they are one plain word to a shell. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** The kinds of ids, and what each looks like: a shell must get no text that could be taken for more than an id. */
const patterns = {
  account: RESOURCE_ID,
  credential: RESOURCE_ID,
  post: RESOURCE_ID,
  target: RESOURCE_ID,
  webhook: RESOURCE_ID,
  channel: DISCORD_ID,
  guild: DISCORD_ID,
  message: DISCORD_ID,
  audience: PLAIN,
  board: PLAIN,
  conversation: PLAIN,
  profile: PLAIN,
  status: PLAIN,
  tag: PLAIN,
} as const satisfies Record<string, RegExp>;

type IdKind = keyof typeof patterns;

/** Whether a text is an id of this kind. */
export const isIdOf = (kind: string | undefined, id: unknown): boolean =>
  typeof id === 'string' && ownProperty(patterns, kind ?? '')?.test(id) === true;

/** An id and what was said of it. */
interface SeenId {
  readonly kind: IdKind;
  readonly id: string;
  /** A description: a title, a platform, a status. */
  readonly word: string;
  /** The platform of an account, the post of a target; empty where that is not known. */
  readonly owner: string;
}

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

type Where = IdPlaces & Located;

/** An ID to offer, and what it is. */
export type Candidate = readonly [value: string, word: string];

/** Ids of the sandbox are stored under this name: its address changes. */
const SANDBOX_IDS = 'sandbox';
/** Stands for every kind of ID. */
const ANY_ID = 'id';

const MAX_READ_BYTES = 1024 * 1024;
const MAX_OFFERED = 60;

/** What an ID is wanted for. */
interface IdQuery {
  /** `post`, `account`, or `id` for every kind. */
  readonly kind: string;
  /** Of accounts: those that are known to be on another platform are left out. */
  readonly platform?: string | undefined;
  /** Of targets: those that are known to be of another post are left out. */
  readonly posts?: readonly string[];
}

/** The IDs of a kind at a service, newest first, each with what was last said of it. */
export function knownIds(query: IdQuery, where: Where): readonly Candidate[] {
  const { kind, platform, posts = [] } = query;
  const platforms = kind === 'account' && platform !== undefined ? [platform] : [];
  const owners = kind === 'target' ? posts : platforms;
  const found = new Map<string, Pick<SeenId, 'word' | 'owner'>>();
  for (const line of idsSeen(where)) {
    if (kind !== ANY_ID && line.kind !== kind) continue;
    // A typed ID says nothing; an earlier answer may.
    const { word = '', owner = '' } = found.get(line.id) ?? {};
    found.set(line.id, { word: word || line.word, owner: owner || line.owner });
  }
  return [...found]
    .filter(([, { owner }]) => owners.length === 0 || owner === '' || owners.includes(owner))
    .slice(0, MAX_OFFERED)
    .map(([id, { word }]) => [id, word]);
}

/** Every ID that answers of the service showed here, the newest first; the same ID may come several times. */
export function idsSeen({ context, baseUrl, stateDir }: Where): readonly SeenId[] {
  const origin = context === SANDBOX_IDS ? context : baseUrl && new URL(baseUrl).origin;
  if (origin === undefined) return [];
  const path = seenPath(stateDir());
  const lines = `${textOf(`${path}.1`)}${textOf(path)}`.split('\n').toReversed();
  return lines
    .map((line) => line.split('\t'))
    .filter(([from, kind, id]) => from === origin && isIdOf(kind, id))
    .map(([, kind, id, word = '', owner = '']) => ({
      kind: kind as IdKind,
      id: id!,
      word,
      owner,
    }));
}

/** The platform of an account, where an answer of the service has shown it here. */
export const platformOf = (account: string, where: Where): string | undefined =>
  idsSeen(where).find(({ kind, id, owner }) => kind === 'account' && id === account && owner !== '')
    ?.owner;

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
    if (!status.isFile() || status.size > MAX_READ_BYTES) return '';
    const bytes = Buffer.allocUnsafe(status.size);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, status.size, 0));
  } finally {
    closeSync(fd);
  }
}

interface ShownCall {
  readonly origin: string;
  readonly path: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly data: unknown;
  /** The platform that the account of the input is on: the service has accepted it. */
  readonly platform?: string | undefined;
}

/** Stores the ids of a call after its result was shown. Where that fails, completion offers less. */
export async function rememberIds(
  { origin, path, input, data, platform = '' }: ShownCall,
  runtime: Runtime,
): Promise<void> {
  // Completion reads from the end: the first id of an answer is to be offered first.
  const lines = idsIn(path, input, data)
    .toReversed()
    .map(({ kind, id, word, owner }) => {
      const known = kind === 'account' && id === input['accountId'] ? owner || platform : owner;
      const cells = [origin, kind, id, short(word, MAX_WORD_LENGTH), short(known, MAX_WORD_LENGTH)];
      return `${cells.join('\t').trimEnd()}\n`;
    });
  if (lines.length === 0) return;
  const file = seenPath(runtime.stateDir());
  // Loaded late: a TAB only reads.
  const { appendLines, rotate } = await import('../fs/append-log.ts');
  const { checkWritableBy } = await import('../fs/permissions.ts');
  try {
    checkWritableBy(runtime.stateDir());
    if (appendLines(file, lines.join('')) > MAX_SEEN_BYTES) await rotate(file, MAX_SEEN_BYTES);
  } catch {
    // Nothing that the user asked for has failed.
  }
}

type Json = Readonly<Record<string, unknown>>;

/** A post and its targets, or a guild's first channels. */
const MAX_IDS = 12;
const MAX_DEPTH = 3;

/** The kind of the objects in a field whose own field is just `id`. */
const kinds: Readonly<Record<string, IdKind>> = {
  accounts: 'account',
  channels: 'channel',
  credential: 'credential',
  posts: 'post',
  status: 'status',
  targets: 'target',
  webhooks: 'webhook',
};

/**
 * The first ids of a call: those of the answer, which have descriptions, then those of the input. They are found by the
 * names of the fields, which are the same everywhere in the API.
 */
export function idsIn(path: string, input: Json, data: unknown): readonly SeenId[] {
  const [, , area = ''] = path.split('/');
  const found = new Map<string, SeenId>();
  const add = (kind: string | undefined, id: unknown, { word, platform, post }: IdFacts) => {
    if (!isIdOf(kind, id)) return;
    const key = `${kind} ${id as string}`;
    if (found.has(key)) return;
    const owner = kind === 'account' ? platform : kind === 'target' ? post : '';
    found.set(key, { kind: kind as IdKind, id: id as string, word, owner });
  };
  const search = (value: unknown, kind: IdKind | undefined, depth: number, above = ''): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_IDS)) search(item, kind, depth, above);
      return;
    }
    const json = value as Json;
    const post = text(json, 'postId') || (kind === 'post' ? text(json, 'id') : above);
    const platform = text(json, 'platform');
    if (Object.hasOwn(value, 'id')) add(kind, json['id'], { word: wordOf(json), platform, post });
    for (const [name, inner] of Object.entries(value))
      add(kindOf(name), inner, { word: name === 'accountId' ? platform : '', platform, post });
    for (const [name, inner] of Object.entries(value))
      search(inner, ownProperty(kinds, name), depth + 1, post);
  };
  search(data, ownProperty(kinds, area), 1);
  for (const [name, value] of Object.entries(input)) {
    const kind = name === 'id' ? ownProperty(kinds, area) : kindOf(name);
    const facts = { word: '', platform: '', post: text(input, 'postId') };
    for (const id of Array.isArray(value) ? (value as unknown[]) : [value]) add(kind, id, facts);
  }
  return [...found.values()].slice(0, MAX_IDS);
}

interface IdFacts {
  readonly word: string;
  readonly platform: string;
  readonly post: string;
}

/** The ID of a provider is none of the service. */
const kindOf = (name: string): string | undefined =>
  name.startsWith('provider') ? undefined : idKindOf(name);

function text(value: Json, name: string): string {
  const found = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === 'string' ? found : '';
}

const MAX_WORD_LENGTH = 40;
const MIN_TITLE_LENGTH = 10;

/** `Spring launch, partial`; `linkedin, failed`. A long title is cut, never what stands behind it. */
function wordOf(value: Json): string {
  const names = ['title', 'name', 'displayName', 'label'].map((name) => text(value, name));
  const known = names.find((name) => name !== '') ?? '';
  const rest = [text(value, 'platform'), text(value, 'status')].filter(Boolean).join(', ');
  const room = MAX_WORD_LENGTH - (rest === '' ? 0 : rest.length + 2);
  return [short(known, Math.max(room, MIN_TITLE_LENGTH)), rest].filter(Boolean).join(', ');
}

function short(word: string, most: number): string {
  const characters = Array.from(sanitizeLine(word));
  return characters.length > most
    ? `${characters.slice(0, most - 1).join('')}…`
    : characters.join('');
}
