// Identifiers ("Conventions" in the API document). They are never trimmed, case-folded or converted.

import * as z from 'zod/mini';
import { DISCORD_ID, RESOURCE_ID, TELEGRAM_SESSION_ID } from './id-patterns.ts';
import { quote } from '../../base/sanitize.ts';
import {
  codePointName,
  codePoints,
  described,
  type FieldMeta,
  stringRule,
  textSchema,
  unsendable,
} from './rules.ts';

const MAX_SEGMENT_BYTES = 2048;
const LETTERS = 'must be exactly 16 letters a-z A-Z';
const SUBREDDIT_PREFIX = /^\/?r\//;

/** Returns the problem with a text as a resource ID. It does not quote the text, which may be a secret. */
export function resourceIdFault(value: string): string | undefined {
  if (RESOURCE_ID.test(value)) return undefined;
  if (/[\r\n]/.test(value)) return `${LETTERS}, but contains a line break`;
  const at = value.search(/[^a-zA-Z]/);
  if (at < 0) return `${LETTERS}, got ${value.length} character${value.length === 1 ? '' : 's'}`;
  return `${LETTERS}, but character ${codePoints(value.slice(0, at)) + 1} is ${strayName(value, at)}`;
}

/** Exactly 16 ASCII letters: `postId`, target `id`, `accountId`, `credentialId`, webhook `id`. */
export const ResourceId = stringRule(
  resourceIdFault,
  {
    pattern: RESOURCE_ID.source,
  },
  { placeholder: 'id', isId: true },
);

/** The connected account: `-a, --account`, by default from the environment or the context. */
export const accountId = described(ResourceId, 'Account ID (16 letters, see posts get)', {
  flag: 'account',
  fromContext: 'account',
});

/**
 * Makes the rule for an ID of certain characters, of which `stray` matches any other. The problem quotes only one
 * character, because the ID may be a secret.
 */
function idRule(rule: string, pattern: RegExp, stray: RegExp, meta: FieldMeta = {}) {
  const complaint = (value: string) => {
    if (pattern.test(value)) return undefined;
    const at = value.search(stray);
    const which = at < 0 ? '' : `, of which ${strayName(value, at)}`;
    return `must be ${rule}, got ${codePoints(value)} characters${which}`;
  };
  return stringRule(complaint, { pattern: pattern.source }, meta);
}

/**
 * 1 to 20 decimal digits: Discord's `channelId`, `messageId`, `guildId`. It is never a number: 20 digits exceed 2^53.
 */
export const DiscordId = idRule('1 to 20 digits 0-9', DISCORD_ID, /[^0-9]/, { isId: true });

/** 64 lowercase hexadecimal characters: a Telegram business pairing session. */
export const TelegramSessionId = idRule('64 characters 0-9 a-f', TELEGRAM_SESSION_ID, /[^0-9a-f]/);

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
      ? unsendable(value)
      : `must be the name alone: ${quote(value.slice(prefix.length))}, without ${quote(prefix)}`;
  },
  { minLength: 1, not: { pattern: SUBREDDIT_PREFIX.source } },
);

/** The list of resource IDs in a request, at least one. */
export const ResourceIds = z
  .array(ResourceId, { error: 'must be a list of IDs' })
  .check(z.minLength(1, { error: 'needs at least one id' }));

/** Names the character at an index. */
function strayName(value: string, at: number): string {
  const character = value.charAt(at);
  const isPlain = /^[\x20-\x7e]$/.test(character);
  return isPlain ? JSON.stringify(character) : `${codePointName(value, at)}, not an ASCII letter`;
}
