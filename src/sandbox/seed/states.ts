// The states that a sandbox can start from. Their identifiers are the same every time.

import type { StoredRecord } from '../store/tables.ts';
import { seedAccounts } from './accounts.ts';
import { seedDemoPosts, seedOutagePosts } from './posts.ts';

/** Makes the contents at a time in milliseconds since 1970; their times count from the whole minute. */
type Start = (now: number) => readonly StoredRecord[];

const toMinute = (now: number): number => now - (now % 60_000);

const demo: Start = (now) => [...seedDemoPosts(toMinute(now)), ...seedAccounts(toMinute(now))];

const outage: Start = (now) => [...demo(now), ...seedOutagePosts(toMinute(now))];

export const starts = { demo, outage };

export type StartName = keyof typeof starts;

export const startNames = Object.keys(starts) as readonly StartName[];
