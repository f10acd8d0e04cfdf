// The kinds of ids that completion offers, and what each looks like. Only ids that match become candidates: a shell must
// get no text that could be taken for more than an id. Small, because it is loaded at every TAB.

import { join } from 'node:path';
import { DISCORD_ID, RESOURCE_ID } from '../api/schema/id-patterns.ts';
import { fileNames } from '../base/paths.ts';

/** Where they are: a line each, `origin kind id word`, apart by tabs. What is full is put aside as `.1`. */
export const seenPath = (stateDir: string): string => join(stateDir, fileNames.seenIds);

/** Some three hundred ids; the shell waits while they are read. */
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
