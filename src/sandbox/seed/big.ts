// A year of an organization that posts much: 3000 posts beside the demo, every twelfth with a failed target that a
// retry mends. For lists, batches and scripts that must not care how much there is.

import type { Change } from '../kinds.ts';
import { entry } from './entry.ts';
import { inLetters } from './letters.ts';
import { clockFrom, failed, out, post } from './post.ts';
import { samples } from './samples.ts';
import { seed } from './seed.ts';

const POSTS = 3000;
const HOURS = 365 * 24;
const FAILED_EVERY = 12;

/** `now` in milliseconds since 1970. */
export function seedBig(now: number): readonly Change[] {
  const at = clockFrom(now - (now % 60_000));
  const posts = Array.from({ length: POSTS }, (_, i) => {
    const id = inLetters('PostBig', i);
    const [first, second] = [inLetters('TargetBigA', i), inLetters('TargetBigB', i)];
    const wentOut = at(-HOURS * ((POSTS - i) / POSTS));
    const isPartial = i % FAILED_EVERY === 0;
    const told = {
      id,
      status: isPartial ? ('partial' as const) : ('published' as const),
      title: `Post ${i + 1}`,
      content: 'One of very many.',
      createdAt: wentOut,
      updatedAt: wentOut,
      publishedAt: wentOut,
    };
    const targets = [
      isPartial
        ? failed(first, 'mastodon', samples.mastodonAccountId, 'mastodon.example answered 502.')
        : out(first, 'mastodon', samples.mastodonAccountId),
      out(second, 'bluesky', samples.blueskyAccountId),
    ];
    return entry('post', id, { post: post(at, told, targets) });
  });
  return [...seed(now), ...posts];
}
