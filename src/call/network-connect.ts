// How sockets are opened, and how all of them are ended: undici forgets those that are still being opened until their
// own time is over, and a command that has ended would stay for them.

import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import makeConnector from 'undici/lib/core/connect.js';
import { createSlots } from './slots.ts';

export type ConnectOptions = buildConnector.BuildOptions & { readonly timeout: number };

export interface Connecting {
  readonly connect: buildConnector.connector;
  /** Ends every socket, also those that are being opened, and opens no other. */
  stop(): void;
}

/** undici's own connector, which keeps an eye on what it has begun. */
export function connecting(options: ConnectOptions): Connecting {
  const begun = createSlots<Socket>();
  let isStopped = false;
  // Its types do not say that it returns the socket.
  const open = makeConnector(options) as (...given: Parameters<buildConnector.connector>) => Socket;
  return {
    connect(address, callback) {
      if (isStopped) return callback(new Error('closed'), null);
      const socket = open(address, callback);
      const slot = begun.put(socket);
      socket.once('close', () => begun.take(slot));
    },
    stop() {
      isStopped = true;
      for (const socket of begun.all()) socket.destroy();
    },
  };
}

/** The same, telling whether a connection has just been made: a request that begins now is the first on it. */
export function watched(connect: buildConnector.connector): {
  readonly connect: buildConnector.connector;
  isNew(): boolean;
} {
  let isNew = false;
  return {
    connect: (address, callback) =>
      connect(address, (...outcome) => {
        isNew = true;
        callback(...outcome);
        isNew = false;
      }),
    isNew: () => isNew,
  };
}
