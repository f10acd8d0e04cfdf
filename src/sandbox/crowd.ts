// Connections on which nobody has asked for anything yet, or not to the end of the request. There is room for many of
// them, and a new one always gets in: the one that has waited longest has to go.

import type * as http from 'node:http';
import type { Socket } from 'node:net';

const MOST_UNFINISHED = 500;

/** Keeps a server open to new clients, however many connections stand half open. */
export function keepRoom(server: http.Server): void {
  const unfinished = new Set<Socket>();
  const begin = (socket: Socket) => {
    unfinished.add(socket);
    const [longest] = unfinished;
    if (unfinished.size > MOST_UNFINISHED && longest !== undefined) {
      unfinished.delete(longest);
      longest.destroy();
    }
  };
  server.on('connection', (socket) => {
    begin(socket);
    socket.once('close', () => unfinished.delete(socket));
  });
  server.on('request', (incoming, response) => {
    const { socket } = incoming;
    incoming.once('end', () => unfinished.delete(socket));
    response.once('close', () => {
      if (!socket.destroyed) begin(socket);
    });
  });
}
