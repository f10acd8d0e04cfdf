// A server that breaks the rules of HTTP: it reads each request off the socket and then runs a handler, byte by byte.
// It counts the requests, so that a test can show that none was repeated.

import * as net from 'node:net';
import { listenOnLoopback } from './listen.ts';

export interface MisbehavingServer {
  readonly url: string;
  readonly port: number;
  /** Counts the requests whose head arrived whole, of one method if it is named. */
  requests(method?: string): number;
  connections(): number;
}

/** Handles a connection once a request is in; `number` counts the requests from 1, `path` has the query. */
export type SocketHandler = (socket: net.Socket, number: number, path: string) => void;

/** Starts the server on the loopback. `onConnect` runs before anything is read. */
export async function misbehavingServer(
  trick: SocketHandler,
  onConnect?: (socket: net.Socket) => void,
): Promise<MisbehavingServer> {
  const methods: string[] = [];
  let connections = 0;
  const serve = (socket: net.Socket) => {
    connections++;
    socket.on('error', () => undefined);
    if (onConnect !== undefined) {
      onConnect(socket);
      return;
    }
    let head = '';
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      const [method, path] = head.split(' ');
      methods.push(method!);
      head = '';
      trick(socket, methods.length, path!);
    });
  };
  const server = net.createServer(serve);
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: (method) => methods.filter((each) => method === undefined || each === method).length,
    connections: () => connections,
  };
}

/** Returns a whole response as bytes. */
export function rawResponse(
  status: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array = '',
): Buffer {
  const bytes = Buffer.from(body as string);
  const all = {
    'content-type': 'application/json',
    'content-length': `${bytes.length}`,
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${head.join('')}\r\n`), bytes]);
}

/**
 * Finds a port that is closed on both loopback addresses, and that no other test will open: systems assign ports from
 * 32,768 on.
 */
export async function closedPort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const taken = await Promise.all(['127.0.0.1', '::1'].map((host) => isListenedAt(port, host)));
    if (!taken.includes(true)) return port;
  }
}

const isListenedAt = (port: number, host: string) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
