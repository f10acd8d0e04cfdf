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
    const inAddress = lastPart(value);
    if (inAddress !== undefined)
      // A longer ID is the credential of a pairing.
      return inAddress.length <= 20 && pattern.test(inAddress)
        ? `must be the ID alone: ${quote(inAddress)}, if this address is that of its page`
        : `must be ${rule}, but is an address`;
    const at = value.search(stray);
    if (at < 0)
      return `must be ${rule}, got ${value.length} character${value.length === 1 ? '' : 's'}`;
    return `must be ${rule}, but character ${countCodePoints(value.slice(0, at)) + 1} is ${nameOf(value, at, kind)}`;
  };
}

/** Returns the last part of the path if the text is an address on the web. */
const lastPart = (text: string): string | undefined =>
  /^https?:\/\/[^/]+\/?(?:[^?#]*\/)?([^/?#]*)\/?(?:[?#].*)?$/i.exec(text)?.[1];

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
    const inAddress = lastPart(value);
    // Every server of Mastodon has its own ID for a status: that of another server may be another status.
    if (inAddress !== undefined)
      return /^\d+$/.test(inAddress)
        ? `must be the ID alone: ${quote(inAddress)}, if the account is on ${new URL(value).host}`
        : 'must be the ID alone, but is an address';
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

/** A subreddit as people paste it, from a page or its address. */
const PASTED_SUBREDDIT =
  /^(?:(?:https?:\/\/)?(?:\w+\.)?reddit\.com\/|\/)?r\/([^/?#]*)(?:[/?#].*)?$/i;

/** Returns the name of a subreddit, without what people paste with it. */
export const subredditName = (text: string): string => PASTED_SUBREDDIT.exec(text)?.[1] ?? text;

/** The name of a subreddit, also with `r/` before it or in its address; the name alone is sent. */
export const Subreddit = stringRule(
  (value) => (subredditName(value) === '' ? 'must not be empty' : unsendableReason(value)),
  { minLength: 1 },
);

/** A post on the website of Bluesky, by the DID of its author, or by a handle, which may change. */
const BLUESKY_PAGE = /^https:\/\/bsky\.app\/profile\/([^/?#]+)\/post\/(\w+)\/?$/;

/** Returns the URI of a post for the address of its page, if that has a DID; any other text as it is. */
export const blueskyUri = (text: string): string =>
  text.replace(BLUESKY_PAGE, (page: string, author: string, key: string) =>
    author.startsWith('did:') ? `at://${author}/app.bsky.feed.post/${key}` : page,
  );

/** The URI of a Bluesky post, also as the address of its page. */
export const BlueskyUri = stringRule(
  (value) => {
    if (value === '') return 'must not be empty';
    return BLUESKY_PAGE.test(blueskyUri(value))
      ? 'must be the URI of the post (at://did:…), but is the address of its page under a handle'
      : undefined;
  },
  { minLength: 1 },
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
