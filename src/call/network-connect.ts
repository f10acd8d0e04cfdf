// How sockets are opened, and how those that are still being opened are ended: undici forgets them until their
// own time is over, and a command that has ended would stay for them.

import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import makeConnector from 'undici/lib/core/connect.js';
import { createSlots } from './slots.ts';

export interface Connecting {
  readonly connect: buildConnector.connector;
  /** Ends what is being opened. */
  stop(): void;
}

/** undici's own connector, which keeps an eye on what it has begun. */
export function connecting(options: buildConnector.BuildOptions): Connecting {
  const begun = createSlots<Socket>();
  const connector = makeConnector(options) as (
    ...given: Parameters<buildConnector.connector>
  ) => Socket;
  return {
    connect(address, callback) {
      const socket = connector(address, callback);
      const slot = begun.put(socket);
      socket.once('close', () => begun.take(slot));
    },
    stop() {
      for (const socket of begun.all()) socket.destroy();
    },
  };
}
