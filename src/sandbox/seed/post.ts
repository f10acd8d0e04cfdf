// How a post of the seed is written: what the API always gives is filled in, what tells a story is said.

import type { Post, Target } from '../../schema/post.ts';
import { published } from '../behaviour/publication.ts';
import { stamp } from '../stamp.ts';
import { samples } from './samples.ts';

const HOUR_MS = 3_600_000;

/** A time, in hours from the start of the sandbox. */
export type At = (hours: number) => string;

type Told = Pick<Post, 'id' | 'status' | 'title' | 'content'> & Partial<Post>;
type ToldTarget = Omit<Target, 'postId' | 'createdAt' | 'updatedAt'>;

/** `start` is in milliseconds since 1970. */
export const clockFrom =
  (start: number): At =>
  (hours) =>
    stamp(start + hours * HOUR_MS);

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
export function out(id: string, platform: Target['platform'], accountId: string): ToldTarget {
  return { id, platform, accountId, status: 'published', ...published({ id, platform }) };
}

/** A target that went wrong. */
export function failed(
  id: string,
  platform: Target['platform'],
  accountId: string,
  error: string,
): ToldTarget {
  return { id, platform, accountId, status: 'failed', error };
}

/** A target that waits in a state of its own. */
export function waiting(
  status: Target['status'],
  id: string,
  platform: Target['platform'],
  accountId: string,
): ToldTarget {
  return { id, platform, accountId, status };
}
