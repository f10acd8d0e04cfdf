// A server of a test on the loopback: open until the test is over, and its connections with it.

import type * as net from 'node:net';
import { onTestFinished } from 'vitest';

/** Listens, for HTTP, TLS and plain servers alike, and gives the port. */
export async function listenOnLoopback(server: net.Server): Promise<number> {
  const open = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as net.AddressInfo).port;
}
