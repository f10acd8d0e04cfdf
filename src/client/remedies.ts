// The remedy for a failure, by its cause. A single call, a wait, a batch, a triage and the agent's tools use this
// table: whether a retry helps, what has to happen first, and the words for it.

import type { Cause } from './causes.ts';

interface Remedy {
  /** The condition under which the same request can succeed. */
  readonly needs: 'nothing' | 'login' | 'a look' | 'a reconnection' | 'a correction' | 'settling';
  /** The advice for one target. */
  readonly ofTarget?: string;
  /** The advice for many posts. */
  readonly ofPosts?: string;
  /** The condition for a retry: a clause after "until". */
  readonly until?: string;
}

export const remedies: Readonly<Record<Cause, Remedy>> = {
  token: { needs: 'login' },
  reconnect: {
    needs: 'a reconnection',
    ofTarget: 'check the account’s connection before you retry',
    until: 'the account is reconnected',
  },
  content: {
    needs: 'a correction',
    ofTarget: 'check the content before you retry',
    ofPosts: 'change the content; retrying it unchanged fails again',
    until: 'the content is changed',
  },
  request: {
    needs: 'a correction',
    ofPosts: 'the service refuses these again; check the IDs',
  },
  platform: {
    needs: 'a correction',
    ofTarget: 'the platform rejected it and may reject it again',
    ofPosts: 'the platform rejects it and may reject it again; check the account there',
  },
  temporary: { needs: 'nothing' },
  other: { needs: 'a look' },
  unknown: { needs: 'settling' },
};
