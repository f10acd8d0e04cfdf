// Builders for seed data: changes, serial IDs, times, and posts and targets with their common fields.

import type { Post, TargetSchema } from '../../api/schema/post.ts';
import { toTimestamp } from '../handlers/lookup.ts';
import { published } from '../handlers/posts.ts';
import type { StoredChange, StoredKind, StoredKinds } from '../store/tables.ts';
import { samples } from './samples.ts';

/** Makes the change that stores a value, checked against its kind. */
export const entry = <K extends StoredKind>(
  kind: K,
  id: string,
  value: StoredKinds[K],
): StoredChange => [kind, id, value] as unknown as StoredChange;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Makes an ID of sixteen letters from a prefix of at most 15 and a number: ('PostOutage', 27) → `PostOutageaaaabb`. */
export function inLetters(prefix: string, n: number): string {
  const digits = n.toString(26).replace(/./g, (digit) => LETTERS[parseInt(digit, 26)]!);
  return prefix + digits.padStart(16 - prefix.length, 'a');
}

const HOUR_MS = 3_600_000;

/** Returns a time, given in hours from the start of the sandbox. */
export type At = (hours: number) => string;

type ToldTarget = Omit<TargetSchema, 'postId' | 'createdAt' | 'updatedAt'>;
type SeedPost = Pick<Post, 'id' | 'status' | 'title' | 'content'> &
  Partial<Omit<Post, 'targets'>> & { readonly targets: readonly ToldTarget[] };

/** `start` is in milliseconds since 1970. */
export const clockFrom =
  (start: number): At =>
  (hours) =>
    toTimestamp(start + hours * HOUR_MS);

/** Makes a whole post, by default created 50 hours and updated 2 hours before the start. */
export function post(at: At, { targets, ...fields }: SeedPost): Post {
  const whole = {
    organizationId: 'org_riverbank',
    createdBy: 'user_mira',
    profileId: samples.profileId,
    mediaItems: [],
    tags: [],
    hashtags: [],
    mentions: [],
    metadata: {},
    crosspostingEnabled: false,
    createdAt: at(-50),
    updatedAt: at(-2),
    ...fields,
  };
  const { createdAt, updatedAt } = whole;
  return {
    ...whole,
    targets: targets.map((target) => ({ ...target, postId: fields.id, createdAt, updatedAt })),
  };
}

type Placed = [id: string, platform: TargetSchema['platform'], accountId: string];

export const waitingTarget = (
  status: TargetSchema['status'],
  ...[id, platform, accountId]: Placed
): ToldTarget => ({ id, platform, accountId, status });

export const publishedTarget = (...[id, platform, accountId]: Placed): ToldTarget => ({
  ...waitingTarget('published', id, platform, accountId),
  ...published({ id, platform }),
});

export const failedTarget = (...[id, platform, accountId, error]: [...Placed, error: string]) => ({
  ...waitingTarget('failed', id, platform, accountId),
  error,
});
