// How sockets are opened, and how those that are still being opened are ended: undici forgets them until their
// own time is over, and a command that has ended would stay for them.

import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { buildConnector } from 'undici';
import makeConnector from 'undici/lib/core/connect.js';
import { directReading } from './network-reading.ts';
import { createSlots } from './slots.ts';
import { tiersEagerly } from './tiers.ts';

export interface Connecting {
  readonly connect: buildConnector.connector;
  /** Ends what is being opened. */
  stop(): void;
}

/** undici's own connector, which keeps an eye on what it has begun. */
export function connecting(options: buildConnector.BuildOptions): Connecting {
  const begun = createSlots<Socket>();
  const reading = directReading();
  const connector = makeConnector({ ...options, onread: reading.onread }) as (
    ...given: Parameters<buildConnector.connector>
  ) => Socket;
  return {
    connect(address, callback) {
      const socket = reading.open(() =>
        connector(address, (...outcome) => calmly(() => callback(...outcome))),
      );
      const slot = begun.put(socket);
      socket.once('close', () => begun.take(slot));
    },
    stop() {
      for (const socket of begun.all()) socket.destroy();
    },
  };
}

/**
 * Does what makes undici set up its parser. Node 20, the one without a compile cache, spends some 30 ms and 35 MiB on
 * optimising it after the first answer; newer ones wait until it is used enough, and so does this. The flag is put
 * back, for V8 takes compiled files only under the flags that they were made with.
 */
function calmly(setUp: () => void): void {
  if (!tiersEagerly) return setUp();
  setFlagsFromString('--wasm-tiering-budget=13000000');
  setUp();
  setFlagsFromString('--wasm-tiering-budget=1800000');
}
