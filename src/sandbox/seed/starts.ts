// The states that a sandbox can start from, by name.

import type { Change } from '../kinds.ts';
import { seedBig } from './big.ts';
import { seedClean } from './clean.ts';
import { seedOutage } from './outage.ts';
import { seed } from './seed.ts';
import type { StartName } from './start-names.ts';

/** Everything in a sandbox that starts so at a time in milliseconds since 1970. */
export const starts: Readonly<Record<StartName, (now: number) => readonly Change[]>> = {
  demo: seed,
  outage: seedOutage,
  clean: seedClean,
  big: seedBig,
};
