// What the engine is told for the length of a batch. All settings hold for the whole process, and none changes what a
// batch does; figures are of one item, by test/bench/batch.mjs.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { tiersEagerly } from '../call/tiers.ts';

export interface Engine {
  /** To be told of each record that is read and of each item that has ended. */
  tick(): void;
  /** To be told when the service is open and all that is used for each item is loaded. */
  opened(): void;
  /** Takes back what can be taken back. */
  restore(): void;
}

/** Two halves of 4 MiB. */
const NURSERY_BYTES = 2 * 4 * 1024 * 1024;
const ITEMS_BETWEEN_LOOKS = 500;

/**
 * - The nursery stops growing at 4 MiB: what an item makes dies young, so more room saves little time and comes on top
 *   of everything else, up to 32 MiB. At V8's first size of 1 MiB it is emptied so often that a read takes 15 µs more.
 * - Errors are made without their stacks unless these are to be seen: undici makes one for each connection that it
 *   ends, and every change has a connection of its own. 50 µs of 370 a change.
 * - Node 20 leaves undici's parser as it is: to optimise it takes 30 MiB for a moment, which was the peak of every
 *   batch, and saves nothing that can be measured. It is put back with the two flags that it turns off by itself.
 *
 * V8 takes compiled files only under the flags that they were made with. What is loaded late is compiled anew, so what
 * is big is loaded before; and the flags are put back, for compiled files may be saved when the process ends.
 */
export function tuneEngine({ debug }: { readonly debug: boolean }): Engine {
  const { stackTraceLimit } = Error;
  if (!debug) Error.stackTraceLimit = 0;
  let items = 0;
  let limited = false;
  let plain = false;
  return {
    tick() {
      if (limited || ++items % ITEMS_BETWEEN_LOOKS !== 0) return;
      const nursery = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
      limited = nursery === undefined || nursery.space_size >= NURSERY_BYTES;
      if (limited) setFlagsFromString('--semi-space-growth-factor=1');
    },
    opened() {
      plain = tiersEagerly;
      if (plain) setFlagsFromString('--liftoff-only');
    },
    restore() {
      Error.stackTraceLimit = stackTraceLimit;
      if (limited) setFlagsFromString('--semi-space-growth-factor=2');
      if (plain) setFlagsFromString('--no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering');
    },
  };
}
