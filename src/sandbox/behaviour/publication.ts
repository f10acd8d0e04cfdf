// How a publication goes on with the clock: targets under way settle when their time has come,
// and the post's status follows its targets. Pure: nothing is written, a post is only seen later.

import type { Post, Target } from '../../schema/post.ts';
import type { StoredPost } from '../kinds.ts';
import { mintKey, mintNumber } from '../mint.ts';
import { stamp } from '../stamp.ts';

/** A post as it is at `now`: what is under way and due has settled. */
export function seenAt(stored: StoredPost, now: number): StoredPost {
  const underway = Object.entries(stored.underway ?? {});
  const due = underway.filter(([, attempt]) => attempt.settlesAt <= now);
  if (due.length === 0) return stored;
  const attempts = new Map(due);
  const targets = stored.post.targets.map((target) => {
    const attempt = attempts.get(target.id);
    return attempt === undefined ? target : settled(target, attempt.settlesAt, attempt.failure);
  });
  const last = Math.max(...due.map(([, attempt]) => attempt.settlesAt));
  return {
    ...stored,
    post: withTargets(stored.post, targets, last),
    underway: Object.fromEntries(underway.filter(([id]) => !attempts.has(id))),
  };
}

/** The post with these targets, the status that follows from them, and `at` as the time of its last change. */
export function withTargets(post: Post, targets: Target[], at: number): Post {
  const status = statusOf(targets) ?? post.status;
  const isOut = targets.some((target) => target.status === 'published');
  const publishedAt = post.publishedAt ?? (isOut ? stamp(at) : undefined);
  return {
    ...post,
    status,
    targets,
    updatedAt: stamp(at),
    ...(publishedAt === undefined ? {} : { publishedAt }),
  };
}

/** What the targets make of their post; undefined where they leave it as it is. */
function statusOf(targets: readonly Target[]): Post['status'] | undefined {
  const has = (status: Target['status']) => targets.some((target) => target.status === status);
  if (has('publishing')) return 'publishing';
  if (has('action_required')) return 'action_required';
  if (has('failed')) return has('published') ? 'partial' : 'failed';
  return targets.length > 0 && targets.every((target) => target.status === 'published')
    ? 'published'
    : undefined;
}

function settled(
  { error: _gone, ...target }: Target,
  at: number,
  failure: string | undefined,
): Target {
  const updatedAt = stamp(at);
  if (failure !== undefined) return { ...target, status: 'failed', updatedAt, error: failure };
  return { ...target, ...published(target), status: 'published', updatedAt };
}

/** Where a target is to be seen once it is out. All addresses are reserved names that lead nowhere. */
export function published(target: Pick<Target, 'id' | 'platform'>): {
  platformPostId: string;
  nativeUrl: string;
} {
  const { id, platform } = target;
  if (platform !== 'bluesky') {
    const number = mintNumber(id);
    return {
      platformPostId: number,
      nativeUrl: `https://${platform}.example/@riverbank/${number}`,
    };
  }
  const key = mintKey(id);
  return {
    platformPostId: `at://${RIVERBANK_DID}/app.bsky.feed.post/${key}`,
    nativeUrl: `https://bluesky.example/profile/riverbank.example/post/${key}`,
  };
}

/** The Bluesky identity of the organization that the sandbox is about. */
export const RIVERBANK_DID = 'did:plc:riverbank2coffee5roasters';
