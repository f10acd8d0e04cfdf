// Opens a server on the loopback; it and its connections are closed when the test is over.

import type * as net from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts to listen, for HTTP, TLS and plain servers alike, and returns the port. */
export async function listenOnLoopback(
  server: net.Server,
  host: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<number> {
  const open = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as net.AddressInfo).port;
}
