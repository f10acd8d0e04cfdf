// What a fresh sandbox holds: the small world of one coffee roaster, the same identifiers every time.

import type { Change } from '../kinds.ts';
import { seedAccounts } from './accounts.ts';
import { seedPlaces } from './places.ts';
import { seedPosts } from './posts.ts';
import { seedTalk } from './talk.ts';

const MINUTE_MS = 60_000;

/** Everything in a sandbox that starts at `now`, milliseconds since 1970; times are told from the whole minute. */
export function seed(now: number): readonly Change[] {
  const start = now - (now % MINUTE_MS);
  return [...seedPosts(start), ...seedAccounts(start), ...seedPlaces(), ...seedTalk(start)];
}
