// A sandbox as empty as is useful: every account in order and somewhere to go, one post that is out, and no trouble.

import type { Change, StoredAccount } from '../kinds.ts';
import { samples } from './samples.ts';
import { seed } from './seed.ts';

/** What may hold trouble, or is there to be taken away. */
const leftOut: readonly Change[0][] = [
  'audience',
  'code',
  'conversation',
  'session',
  'status',
  'webhook',
];

/** `now` in milliseconds since 1970. */
export function seedClean(now: number): readonly Change[] {
  return seed(now).filter(([kind, id, value]) => {
    if (kind === 'post') return id === samples.publishedPostId;
    if (kind === 'account') return !(value as StoredAccount).needsReconnect;
    if (kind === 'pages') return id === samples.facebookAccountId;
    return !leftOut.includes(kind);
  });
}
