// Identifiers ("Conventions" in the API document). They are never trimmed, case-folded or converted.

import * as z from 'zod/mini';
import { DISCORD_ID, RESOURCE_ID, TELEGRAM_SESSION_ID } from './id-patterns.ts';
import { quote } from '../../base/sanitize.ts';
import {
  codePointName,
  countCodePoints,
  described,
  stringRule,
  textSchema,
  unsendableReason,
} from './rules.ts';

const MAX_SEGMENT_BYTES = 2048;
const SUBREDDIT_PREFIX = /^\/?r\//;

/**
 * Makes the function that returns the problem with an ID of certain characters; `stray` matches any other character,
 * and `kind` is the word for the valid ones. The problem quotes one character only, because the text may be a secret.
 */
function idProblem(
  rule: string,
  pattern: RegExp,
  stray: RegExp,
  kind: 'letter' | 'character' = 'character',
) {
  return (value: string): string | undefined => {
    if (pattern.test(value)) return undefined;
    if (/[\r\n]/.test(value)) return `must be ${rule}, but contains a line break`;
    const at = value.search(stray);
    if (at < 0)
      return `must be ${rule}, got ${value.length} character${value.length === 1 ? '' : 's'}`;
    return `must be ${rule}, but character ${countCodePoints(value.slice(0, at)) + 1} is ${nameOf(value, at, kind)}`;
  };
}

/** Returns the problem with a text as a resource ID. */
export const resourceIdProblem = idProblem(
  'exactly 16 letters a-z A-Z',
  RESOURCE_ID,
  /[^a-zA-Z]/,
  'letter',
);

export const ResourceId = stringRule(
  resourceIdProblem,
  { pattern: RESOURCE_ID.source },
  { placeholder: 'id', isId: true },
);

/** The connected account: `-a, --account`, by default from the environment or the context. */
export const accountId = described(ResourceId, 'Account ID (16 letters, see posts get)', {
  flag: 'account',
  fromContext: 'account',
});

/** It stays a text: a number of 20 digits exceeds 2^53. */
export const DiscordId = stringRule(
  idProblem('1 to 20 digits 0-9', DISCORD_ID, /[^0-9]/),
  { pattern: DISCORD_ID.source },
  { isId: true },
);

export const TelegramSessionId = stringRule(
  idProblem('64 characters 0-9 a-f', TELEGRAM_SESSION_ID, /[^0-9a-f]/),
  { pattern: TELEGRAM_SESSION_ID.source },
);

/**
 * An ID of another service, in any form (`conversationId`, `statusId`, `tagId`, `audienceId`, `code`). It is sent as
 * one path segment, so text that cannot be a segment is rejected.
 */
export const ForeignId = stringRule(
  (value) => {
    if (value === '') return 'must not be empty';
    if (value === '.' || value === '..')
      return `cannot be ${JSON.stringify(value)}: a URL path cannot carry it`;
    if (!value.isWellFormed()) return 'is not valid text (unpaired surrogate)';
    const bytes = encodeURIComponent(value).length;
    if (bytes > MAX_SEGMENT_BYTES)
      return `is too long (limit ${MAX_SEGMENT_BYTES} bytes encoded, got ${bytes})`;
    return undefined;
  },
  { minLength: 1, not: { enum: ['.', '..'] } },
  { isId: true },
);

/** A profile: 1 to 255 characters (Post `profileId`). */
export const ProfileId = textSchema(1, 255, { isId: true });

/** The name of a subreddit; people paste it with `r/` from its address. */
export const Subreddit = stringRule(
  (value) => {
    if (value === '') return 'must not be empty';
    const [prefix] = SUBREDDIT_PREFIX.exec(value) ?? [];
    return prefix === undefined
      ? unsendableReason(value)
      : `must be the name alone: ${quote(value.slice(prefix.length))}, without ${quote(prefix)}`;
  },
  { minLength: 1, not: { pattern: SUBREDDIT_PREFIX.source } },
);

/** The list of resource IDs in a request, at least one. */
export const ResourceIds = z
  .array(ResourceId, { error: 'must be a list of IDs' })
  .check(z.minLength(1, { error: 'needs at least one id' }));

/** Names the character at an index. One that only looks like a valid one is named by its code point. */
function nameOf(value: string, at: number, kind: string): string {
  const character = value.charAt(at);
  const isPlain = /^[\x20-\x7e]$/.test(character);
  return isPlain ? JSON.stringify(character) : `${codePointName(value, at)}, not an ASCII ${kind}`;
}
