// A proxy for tests: it handles each CONNECT as the test says, counts them, and keeps the bytes it got.

import * as net from 'node:net';
import * as tls from 'node:tls';
import { listenOnLoopback } from './listen.ts';

/** In the address of every proxy; none of its forms may be shown. */
export const PROXY_PASSWORD = 'pro%78y-pa55word';

/** Handles a connection once the head of its request is in. */
export type ConnectHandler = (socket: net.Socket) => void;

export interface TestProxy {
  /** With user and password. */
  readonly url: string;
  readonly host: string;
  /** The heads of the requests for a tunnel. */
  readonly heads: readonly string[];
  /** Resolves when the first of them is in. */
  readonly asked: Promise<void>;
}

const OPEN = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Answers with these bytes, one write each; the connection stays open. */
export const respondWith =
  (...writes: readonly string[]): ConnectHandler =>
  (socket) => {
    for (const text of writes) socket.write(text, 'latin1');
  };

/** Answers with these bytes and closes. */
export const closeWith =
  (text = ''): ConnectHandler =>
  (socket) => {
    socket.end(text, 'latin1');
  };

/** Opens a tunnel to a port of this machine, whatever host it is asked for. */
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

/** A proxy on the loopback; behind TLS where it is given a certificate; at the IPv6 number where that is asked for. */
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
