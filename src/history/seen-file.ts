// The kinds of ids that completion offers, and what each looks like. Only ids that match become candidates: a shell
// must get no text that could be taken for more than an id. Small, because it is loaded at every TAB.

import { join } from 'node:path';
import { DISCORD_ID, RESOURCE_ID } from '../api/schema/id-patterns.ts';
import { fileNames } from '../base/paths.ts';

/**
 * Where they are: a line each, `origin kind id word time platform status post`, apart by tabs; the time in
 * milliseconds, to the base 36. What is full is put aside as `.1`.
 */
export const seenPath = (stateDir: string): string => join(stateDir, fileNames.seenIds);

/** Some two hundred ids; the shell waits while they are read. */
export const MAX_SEEN_BYTES = 16 * 1024;

/** Ids of other services, as far as they are one plain word to a shell. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

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

export type IdKind = keyof typeof patterns;

export const isIdKind = (word: string): word is IdKind => Object.hasOwn(patterns, word);

/** Whether a text is an id of this kind. */
export const isIdOf = (kind: IdKind, id: string): boolean => patterns[kind].test(id);

export interface SeenLine {
  readonly kind: IdKind;
  readonly id: string;
  /** A description: a title, a platform, a status. */
  readonly word: string;
  /** When it was shown, in milliseconds since 1970; 0 where an earlier version wrote the line. */
  readonly time: number;
  /** Of an account, where the answer said it. */
  readonly platform: string;
  /** Of a post or a target, where the answer said it. */
  readonly status: string;
  /** Of a target, the post that it belongs to. */
  readonly post: string;
}

/** The IDs of a service in the texts of the files, the newest first; an ID may be there several times. */
export function* seenLines(texts: readonly string[], origin: string): Generator<SeenLine> {
  const prefix = `${origin}\t`;
  for (const text of texts) {
    const lines = text.split('\n');
    for (let i = lines.length - 1; i >= 0; i--) {
      const line = lines[i]!;
      if (!line.startsWith(prefix)) continue;
      const [kind = '', id = '', word = '', time = '', ...more] = line
        .slice(prefix.length)
        .split('\t');
      const [platform = '', status = '', post = ''] = more;
      if (isIdKind(kind) && isIdOf(kind, id))
        yield { kind, id, word, time: parseInt(time, 36) || 0, platform, status, post };
    }
  }
}
