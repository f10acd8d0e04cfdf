// The states that a sandbox can start from. The same identifiers every time.

import type { StoredRecord } from '../store/tables.ts';
import { seedAccounts } from './accounts.ts';
import { seedDemoPosts, seedOutagePosts } from './posts.ts';

interface State {
  /** Said in help. */
  readonly description: string;
  /** Makes the contents at a time in milliseconds since 1970; their times count from the whole minute. */
  readonly contents: (now: number) => readonly StoredRecord[];
}

export const starts = {
  demo: { description: 'a post in each state; the default', contents: seedDemo },
  outage: {
    description:
      'the demo and 240 posts that failed in the last two hours, for eight different causes',
    contents: (now: number) => [...seedDemo(now), ...seedOutagePosts(toMinute(now))],
  },
} as const satisfies Readonly<Record<string, State>>;

export type StartName = keyof typeof starts;

export const startNames = Object.keys(starts) as readonly StartName[];

const toMinute = (now: number): number => now - (now % 60_000);

/** One coffee roaster. */
function seedDemo(now: number): readonly StoredRecord[] {
  const start = toMinute(now);
  return [...seedDemoPosts(start), ...seedAccounts(start)];
}
