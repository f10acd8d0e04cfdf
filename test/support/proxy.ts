// A proxy for tests: it handles each CONNECT as the test says, and records its head.

import * as net from 'node:net';
import * as tls from 'node:tls';
import { listenOnLoopback } from './listen.ts';

/** The password in the address of every proxy, which may not be shown in any form. */
export const PROXY_PASSWORD = 'pro%78y-pa55word';

/** Handles a connection once the head of its request is in. */
export type ConnectHandler = (socket: net.Socket) => void;

export interface TestProxy {
  /** The address with user and password. */
  readonly url: string;
  readonly host: string;
  /** The heads of the requests for a tunnel. */
  readonly heads: readonly string[];
  /** Resolves when the first head has arrived. */
  readonly asked: Promise<void>;
}

const OPEN = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Responds with these texts, one write each; the connection stays open. */
export const respondWith =
  (...writes: readonly string[]): ConnectHandler =>
  (socket) => {
    for (const text of writes) socket.write(text, 'latin1');
  };

/** Responds with this text, and closes the connection. */
export const closeWith =
  (text = ''): ConnectHandler =>
  (socket) => {
    socket.end(text, 'latin1');
  };

/** Opens a tunnel to a port of this machine, for any host that is requested. */
export const tunnelTo =
  (port: number, answer = OPEN): ConnectHandler =>
  (socket) => {
    const there = net.connect(port, '127.0.0.1', () => {
      socket.write(answer);
      socket.pipe(there).pipe(socket);
    });
    there.on('error', () => socket.destroy());
    socket.on('close', () => there.destroy());
  };

/** Starts a proxy on the loopback: behind TLS if it gets a certificate, and on IPv6 if `number` says so. */
export async function proxyServer(
  deed: ConnectHandler,
  pair?: { readonly key: Buffer; readonly cert: Buffer },
  number: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<TestProxy> {
  const heads: string[] = [];
  let isAsked: () => void;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const serve = (socket: net.Socket) => {
    socket.on('error', () => undefined);
    let head = '';
    const read = (chunk: Buffer) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', read);
      heads.push(head);
      isAsked();
      deed(socket);
    };
    socket.on('data', read);
  };
  const server = pair === undefined ? net.createServer(serve) : tls.createServer(pair, serve);
  server.on('tlsClientError', () => undefined);
  const port = await listenOnLoopback(server, number);
  const scheme = pair === undefined ? 'http' : 'https';
  const host = `${number === '::1' ? '[::1]' : number}:${port}`;
  return { url: `${scheme}://user:${PROXY_PASSWORD}@${host}`, host, heads, asked };
}
