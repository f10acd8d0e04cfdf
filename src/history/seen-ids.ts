// Collects the ids of a call and of its answer for completion, each with a short description. Finds them by the names
// of the fields, which are the same everywhere in the API; no id of a pairing is among them.

import { idKindOf } from '../api/operations/fields.ts';
import { ownProperty } from '../base/json.ts';
import type { Runtime } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { appendLines, rotate } from '../fs/append-log.ts';
import {
  isIdOf,
  isIdKind,
  type IdKind,
  MAX_SEEN_BYTES,
  seenPath,
  type SeenLine,
} from './seen-file.ts';
import { checkWritableBy } from '../fs/permissions.ts';

export type SeenId = Pick<SeenLine, 'kind' | 'id' | 'word'> &
  Partial<Pick<SeenLine, 'platform' | 'status' | 'post'>>;

type IdFacts = Omit<SeenId, 'kind' | 'id'>;

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

/** The first ids of a call: those of the answer, which have descriptions, then those of the input. */
export function idsIn(path: string, input: Json, data: unknown): readonly SeenId[] {
  const [, , area = ''] = path.split('/');
  const found = new Map<string, SeenId>();
  const add = (kind: string | undefined, id: unknown, facts: IdFacts) => {
    if (kind === undefined || !isIdKind(kind) || typeof id !== 'string' || !isIdOf(kind, id))
      return;
    const key = `${kind} ${id}`;
    if (!found.has(key)) found.set(key, { kind, id, ...factsFor(kind, facts) });
  };
  const search = (value: unknown, kind: IdKind | undefined, depth: number, above = ''): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_IDS)) search(item, kind, depth, above);
      return;
    }
    const json = value as Json;
    const post = text(json, 'postId') || (kind === 'post' ? text(json, 'id') : above);
    const [platform, status] = [text(json, 'platform'), text(json, 'status')];
    if (Object.hasOwn(value, 'id'))
      add(kind, json['id'], { word: wordOf(json), platform, status, post });
    for (const [name, inner] of Object.entries(value))
      add(kindOf(name), inner, { word: name === 'accountId' ? platform : '', platform, post });
    for (const [name, inner] of Object.entries(value))
      search(inner, ownProperty(kinds, name), depth + 1, post);
  };
  search(data, ownProperty(kinds, area), 1);
  for (const [name, value] of Object.entries(input)) {
    const kind = name === 'id' ? ownProperty(kinds, area) : kindOf(name);
    const facts = { word: '', post: text(input, 'postId') };
    for (const id of Array.isArray(value) ? (value as unknown[]) : [value]) add(kind, id, facts);
  }
  return [...found.values()].slice(0, MAX_IDS);
}

/** What is kept of an ID of a kind; nothing of what is not known. */
function factsFor(kind: IdKind, { word, platform, status, post }: IdFacts): IdFacts {
  const hasStatus = kind === 'post' || kind === 'target';
  return {
    word,
    ...(kind === 'account' && platform ? { platform } : {}),
    ...(hasStatus && status ? { status } : {}),
    ...(kind === 'target' && post ? { post } : {}),
  };
}

/** The ID of a provider is none of the service. */
const kindOf = (name: string): string | undefined =>
  name.startsWith('provider') ? undefined : idKindOf(name);

function text(value: Json, name: string): string {
  const found = Object.hasOwn(value, name) ? value[name] : undefined;
  return typeof found === 'string' ? found : '';
}

/** `Spring launch, partial`; `linkedin, failed`. A long title is cut, never what stands behind it. */
function wordOf(value: Json): string {
  const names = ['title', 'name', 'displayName', 'label'].map((name) => text(value, name));
  const known = names.find((name) => name !== '') ?? '';
  const rest = [text(value, 'platform'), text(value, 'status')].filter(Boolean).join(', ');
  const room = MAX_WORD_LENGTH - (rest === '' ? 0 : rest.length + 2);
  return [short(known, Math.max(room, MIN_TITLE_LENGTH)), rest].filter(Boolean).join(', ');
}

const MAX_WORD_LENGTH = 40;
const MIN_TITLE_LENGTH = 10;

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
  { origin, path, input, data, platform: needed }: ShownCall,
  runtime: Runtime,
): Promise<void> {
  const accepted = (each: SeenId): SeenId =>
    needed !== undefined && each.id === input['accountId'] && each.kind === 'account'
      ? { platform: needed, ...each }
      : each;
  // Completion reads from the end: the first id of an answer is to be offered first.
  const found = idsIn(path, input, data).map(accepted).toReversed();
  const time = runtime.now().toString(36);
  const lines = found.map(({ kind, id, word, platform = '', status = '', post = '' }) => {
    const facts = [platform, status, post].map((each) => short(each, MAX_WORD_LENGTH));
    const cells = [origin, kind, id, short(word, MAX_WORD_LENGTH), time, ...facts];
    return `${cells.join('\t').trimEnd()}\n`;
  });
  if (lines.length === 0) return;
  const file = seenPath(runtime.stateDir());
  try {
    checkWritableBy(runtime.stateDir());
    if (appendLines(file, lines.join('')) > MAX_SEEN_BYTES) await rotate(file, MAX_SEEN_BYTES);
  } catch {
    // Nothing that the user asked for has failed.
  }
}

function short(word: string, most: number): string {
  const characters = Array.from(sanitizeLine(word));
  return characters.length > most
    ? `${characters.slice(0, most - 1).join('')}…`
    : characters.join('');
}
