// The IDs that calls and their responses showed on this machine: completion and prompts offer no others. The file has
// a line for each, `origin kind id description owner`, separated by tabs; a full file is renamed to `.1`. Reading is
// small and never blocks, because a TAB waits for it. IDs of pairings are never stored.

import { join } from 'node:path';
import { DISCORD_ID, idKindOf, RESOURCE_ID } from '../api/schema/id-patterns.ts';
import { ifPossible } from '../base/errors.ts';
import { isObject, ownProperty } from '../base/json.ts';
import { fileNames } from '../base/paths.ts';
import type { Runtime } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { SANDBOX } from '../config/settings.ts';
import { checkWriteAsRoot } from '../fs/permissions.ts';
import { readPart } from '../fs/safe-read.ts';

export const seenPath = (stateDir: string): string => join(stateDir, fileNames.seenIds);

/** Enough for two hundred IDs; the shell waits while they are read. */
export const MAX_SEEN_BYTES = 16 * 1024;

/** IDs of other services, if they are one plain word to a shell. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** The kinds of ID by their pattern: the shell must receive no text that is more than an ID. */
const kindsByPattern: readonly (readonly [RegExp, kinds: readonly (string | undefined)[]])[] = [
  [RESOURCE_ID, ['account', 'credential', 'post', 'target', 'webhook']],
  [DISCORD_ID, ['channel', 'guild', 'message']],
  [PLAIN, ['audience', 'board', 'conversation', 'profile', 'status', 'tag']],
];

/** True if a text is an ID of this kind. */
export const isIdOf = (kind: string | undefined, id: unknown): boolean =>
  typeof id === 'string' &&
  kindsByPattern.some(([pattern, kinds]) => kinds.includes(kind) && pattern.test(id));

/** An ID with what the last response said of it. */
interface SeenId {
  readonly kind: string;
  readonly id: string;
  /** A title, a platform, a status. */
  readonly description: string;
  /** The platform of an account, or the post of a target; empty if it is unknown. */
  readonly owner: string;
}

/** The service of a call, and the folder of the file. */
interface Where {
  readonly context?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly stateDir: () => string;
}

/** An ID to offer, with its description. */
export type Candidate = readonly [value: string, description: string];

/** The maximum number of candidates: one screen. */
export const MAX_OFFERED = 60;

/** The kind of ID to look up, such as `post`, and the filters. */
interface IdQuery {
  readonly kind: string;
  /** For accounts: those known to be on another platform are omitted. */
  readonly platform?: string | undefined;
  /** For targets: those known to belong to another post are omitted. */
  readonly posts: readonly string[];
}

/** Returns the IDs of a kind that completion and prompts offer, newest first, with their latest descriptions. */
export function idsToOffer({ kind, platform, posts }: IdQuery, where: Where): readonly Candidate[] {
  const platforms = kind === 'account' && platform !== undefined ? [platform] : [];
  const owners = kind === 'target' ? posts : platforms;
  return [...seenIds(kind, where).values()]
    .filter(({ owner }) => owners.length === 0 || owner === '' || owners.includes(owner))
    .slice(0, MAX_OFFERED)
    .map(({ id, description }) => [id, description]);
}

/** Returns the IDs of a kind that calls to a service showed here, newest first, each with what was said of it last. */
function seenIds(kind: string, { context, baseUrl, stateDir }: Where): ReadonlyMap<string, SeenId> {
  const found = new Map<string, SeenId>();
  // IDs of the sandbox are stored under its name, as it has no address.
  const origin = context === SANDBOX ? SANDBOX : baseUrl && new URL(baseUrl).origin;
  if (origin === undefined) return found;
  const path = seenPath(stateDir());
  for (const line of `${textOf(`${path}.1`)}${textOf(path)}`.split('\n').toReversed()) {
    const [from, kindOfId, id = '', description = '', owner = ''] = line.split('\t');
    if (from === origin && kindOfId === kind && isIdOf(kind, id))
      found.set(id, merged(found.get(id), { kind, id, description, owner }));
  }
  return found;
}

/** Adds an older mention of an ID to a newer one: a typed ID has no description, an earlier response may have one. */
const merged = (newer: SeenId | undefined, older: SeenId): SeenId => ({
  ...older,
  description: newer?.description || older.description,
  owner: newer?.owner || older.owner,
});

/** Enough for the history too, which completion reads and which is larger than the file of IDs. */
const MAX_READ_BYTES = 1024 * 1024;

/** Reads the end of a regular file; empty if it cannot be read. A pipe must not block the shell. */
export const textOf = (path: string): string =>
  ifPossible(() => readPart(path, MAX_READ_BYTES, 'end')) ?? '';

type Json = Readonly<Record<string, unknown>>;

interface ShownCall {
  readonly origin: string;
  readonly path: string;
  readonly input: Json;
  readonly data: unknown;
  /** The platform of the account in the input, which the service has accepted. */
  readonly platform?: string | undefined;
}

/** Stores the IDs of a call after its result was shown. If that fails, completion only offers less. */
export async function rememberIds(
  { origin, path, input, data, platform }: ShownCall,
  runtime: Runtime,
): Promise<void> {
  // Completion reads from the end, so the first ID of a response is written last.
  const lines = idsIn(path, { platform, ...input }, data)
    .toReversed()
    .map(({ kind, id, description, owner }) => {
      const texts = [description, owner].map((cell) => short(cell, MAX_CELL_LENGTH));
      return `${[origin, kind, id, ...texts].join('\t').trimEnd()}\n`;
    });
  if (lines.length === 0) return;
  const file = seenPath(runtime.stateDir());
  // A TAB only reads, and does not load this.
  const { appendLines, rotate } = await import('../fs/append-log.ts');
  try {
    checkWriteAsRoot(runtime.stateDir());
    appendLines(file, lines.join(''));
    await rotate(file, MAX_SEEN_BYTES);
  } catch {
    // The failure is ignored: the call itself has succeeded.
  }
}

/** Forgets the IDs of the sandbox, whose reset has other states, and no IDs of posts that were made since. */
export async function forgetSandboxIds(runtime: Runtime): Promise<void> {
  const { saveFile } = await import('../fs/atomic-write.ts');
  const file = seenPath(runtime.stateDir());
  for (const path of [file, `${file}.1`]) {
    const stored = textOf(path);
    const kept = stored.replaceAll(new RegExp(`^${SANDBOX}\t.*\n`, 'gm'), '');
    // As when an ID is stored, a failure only changes what is offered.
    if (kept !== stored) ifPossible(() => saveFile(path, kept));
  }
}

/** Enough for a post and its targets, or the first channels of a guild. */
const MAX_IDS = 12;
const MAX_DEPTH = 3;

/** The kind of ID that objects have as their `id`, by the field or the path that they are in. */
const kindsOfObjects: Readonly<Record<string, string>> = {
  accounts: 'account',
  channels: 'channel',
  credential: 'credential',
  posts: 'post',
  status: 'status',
  targets: 'target',
  webhooks: 'webhook',
};

/**
 * Finds the first IDs of a call: those of the response, which have descriptions, then those of the input. They are
 * found by the names of fields, which are the same everywhere in the API.
 */
export function idsIn(path: string, input: Json, data: unknown): readonly SeenId[] {
  const [, , area = ''] = path.split('/');
  const kind = ownProperty(kindsOfObjects, area);
  const found = new Map<string, SeenId>();
  for (const seen of [...idsOfObject(data, kind, 1, ''), ...idsOfObject(input, kind, 1, '')]) {
    const key = `${seen.kind} ${seen.id}`;
    found.set(key, merged(found.get(key), seen));
  }
  return [...found.values()].slice(0, MAX_IDS);
}

/** Yields the IDs of an object or a list, then those of the objects in it. `postAround` is the post that contains it. */
function* idsOfObject(
  value: unknown,
  kind: string | undefined,
  depth: number,
  postAround: string,
): Generator<SeenId> {
  if (Array.isArray(value))
    for (const item of value.slice(0, MAX_IDS)) yield* idsOfObject(item, kind, depth, postAround);
  if (!isObject(value) || depth > MAX_DEPTH) return;
  const post = text(value, 'postId') || (kind === 'post' ? text(value, 'id') : postAround);
  const platform = text(value, 'platform');
  // `id` goes first, wherever the object has it.
  for (const [name, inner] of Object.entries<unknown>({ id: undefined, ...value })) {
    const kindOfId = name === 'id' ? kind : kindOf(name);
    const description = name === 'id' ? describe(value) : name === 'accountId' ? platform : '';
    const owner = kindOfId === 'account' ? platform : kindOfId === 'target' ? post : '';
    for (const id of [inner].flat())
      if (isIdOf(kindOfId, id)) yield { kind: kindOfId!, id: id as string, description, owner };
  }
  for (const [name, inner] of Object.entries(value))
    yield* idsOfObject(inner, ownProperty(kindsOfObjects, name), depth + 1, post);
}

/** Provider IDs are not IDs of the service. */
const kindOf = (name: string): string | undefined =>
  name.startsWith('provider') ? undefined : idKindOf(name);

function text(value: Json, name: string): string {
  const found = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === 'string' ? found : '';
}

const MAX_CELL_LENGTH = 40;
/** A long title leaves room for the platform and the status after it. */
const MAX_TITLE_LENGTH = 24;

/** Formats a description: `Spring launch, partial`; `linkedin, failed`. */
function describe(value: Json): string {
  const titles = ['title', 'name', 'displayName', 'label'].map((name) => text(value, name));
  const title = short(titles.find((found) => found !== '') ?? '', MAX_TITLE_LENGTH);
  return [title, text(value, 'platform'), text(value, 'status')].filter(Boolean).join(', ');
}

function short(long: string, most: number): string {
  const characters = Array.from(sanitizeLine(long));
  return characters.length > most
    ? `${characters.slice(0, most - 1).join('')}…`
    : characters.join('');
}
