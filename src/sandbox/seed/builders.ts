// How a post of the seed is written: what the API always gives is filled in, what tells a story is said.

import type { Post, TargetSchema } from '../../api/schema/post.ts';
import { toTimestamp } from '../handlers/lookup.ts';
import { published } from '../handlers/posts.ts';
import type { StoredChange, StoredKind, StoredKinds } from '../store/tables.ts';
import { samples } from './samples.ts';

// A thing of the seed as the change that makes it, its value checked against its kind.

export const entry = <K extends StoredKind>(
  kind: K,
  id: string,
  value: StoredKinds[K],
): StoredChange => [kind, id, value] as unknown as StoredChange;

// Identifiers in series: sixteen letters, as the API wants them, counted in the last ones.

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** `prefix`, of at most 15 letters, and a number written in letters: ('PostOutage', 27) → `PostOutageaaaabb`. */
export function inLetters(prefix: string, n: number): string {
  const digits = n.toString(26).replace(/./g, (digit) => LETTERS[parseInt(digit, 26)]!);
  return prefix + digits.padStart(16 - prefix.length, 'a');
}

const HOUR_MS = 3_600_000;

/** A time, in hours from the start of the sandbox. */
export type At = (hours: number) => string;

type Told = Pick<Post, 'id' | 'status' | 'title' | 'content'> & Partial<Post>;
type ToldTarget = Omit<TargetSchema, 'postId' | 'createdAt' | 'updatedAt'>;

/** `start` is in milliseconds since 1970. */
export const clockFrom =
  (start: number): At =>
  (hours) =>
    toTimestamp(start + hours * HOUR_MS);

/** A whole post; times that are not told are two days and two hours before the start. */
export function post(at: At, told: Told, targets: readonly ToldTarget[]): Post {
  const times = { createdAt: at(-50), updatedAt: at(-2) };
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
    ...times,
    ...told,
  };
  const { createdAt, updatedAt } = whole;
  return {
    ...whole,
    targets: targets.map((target) => ({ ...target, postId: told.id, createdAt, updatedAt })),
  };
}

/** A target that is out. */
export function publishedTarget(
  id: string,
  platform: TargetSchema['platform'],
  accountId: string,
): ToldTarget {
  return { id, platform, accountId, status: 'published', ...published({ id, platform }) };
}

/** A target that went wrong. */
export function failedTarget(
  id: string,
  platform: TargetSchema['platform'],
  accountId: string,
  error: string,
): ToldTarget {
  return { id, platform, accountId, status: 'failed', error };
}

/** A target that waits in a state of its own. */
export function waitingTarget(
  status: TargetSchema['status'],
  id: string,
  platform: TargetSchema['platform'],
  accountId: string,
): ToldTarget {
  return { id, platform, accountId, status };
}
