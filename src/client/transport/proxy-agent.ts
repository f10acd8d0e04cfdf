// Connections through a proxy. Each asks the proxy once for a tunnel to the service (CONNECT) and speaks TLS inside it,
// so the proxy learns the host and nothing else. undici's own agent repeats the question without end when a proxy
// closes, leaves the check of a proxy's certificate to the environment, and cannot be stopped while it waits.

import { isIPv6, type Socket } from 'node:net';
import {
  addressOf,
  createOpen,
  type ServerAddress,
  type ConnectOptions,
  type Open,
} from './connector.ts';
import { ProxyFault } from './network-errors.ts';
import type { Proxy } from './open-transport.ts';

/** The longest answer that is read. */
const MAX_HEAD_BYTES = 16 * 1024;
const HTTP = 'HTTP/1.';

/** Opens connections through `proxy`. They fail with a `ProxyFault` for what the proxy is to blame for. */
function createOpenThrough(proxy: URL, options: ConnectOptions): Open {
  // Each has its own memory of TLS sessions.
  const [toProxy, toService] = [createOpen(options), createOpen(options)];
  return async (address, keep) => {
    const socket = await toProxy(addressOf(proxy), keep).catch((error: Error) => {
      throw new ProxyFault({ problem: 'unreachable' }, error);
    });
    await tunnel(socket, requestFor(proxy, address));
    return toService(address, keep, socket);
  };
}

function requestFor(proxy: URL, { hostname, port }: ServerAddress): string {
  const target = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port || 443}`;
  const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, 'Proxy-Connection: keep-alive'];
  const [user, password] = [proxy.username, proxy.password].map(decodeURIComponent);
  if (user !== '' || password !== '') {
    const basic = Buffer.from(`${user}:${password}`).toString('base64');
    lines.push(`Proxy-Authorization: Basic ${basic}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Asks for a tunnel; resolves when it stands. Of the answer nothing is kept but its status. */
const tunnel = (socket: Socket, request: string) =>
  new Promise<void>((resolve, reject) => {
    let head = '';
    const read = () => {
      for (let chunk = take(socket); chunk !== null; chunk = take(socket)) {
        head += chunk.toString('latin1');
        const answer = answerIn(head);
        if (answer === undefined) continue;
        settle();
        if (answer === 'open') resolve();
        else reject(answer);
      }
    };
    const closed = () => lost();
    const lost = (cause?: Error) => {
      settle();
      reject(new ProxyFault({ problem: 'silent' }, cause));
    };
    const settle = () => {
      socket.off('readable', read).off('error', lost).off('end', closed).off('close', closed);
    };
    socket.on('readable', read).on('error', lost).on('end', closed).on('close', closed);
    socket.write(request);
  });

const take = (socket: Socket) => socket.read() as Buffer | null;

/** What a proxy has answered; nothing while the answer is not complete. */
function answerIn(text: string): 'open' | ProxyFault | undefined {
  if (!HTTP.startsWith(text.slice(0, HTTP.length))) return new ProxyFault({ problem: 'not HTTP' });
  if (text.length > MAX_HEAD_BYTES) return new ProxyFault({ problem: 'too large' });
  const head = /[^]*?\r?\n\r?\n/.exec(text)?.[0];
  if (head === undefined) return undefined;
  const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d)[ \r\n]/.exec(head)?.[1]);
  if (Number.isNaN(status)) return new ProxyFault({ problem: 'not HTTP' });
  const rest = text.slice(head.length);
  // Early hints and their like are no answer yet.
  if (status < 200 && status !== 101) return answerIn(rest);
  if (status >= 300 || status === 101) return new ProxyFault({ status });
  // The service does not speak first: whatever comes now is the proxy's.
  return rest === '' ? 'open' : new ProxyFault({ problem: 'talkative' });
}

/** The proxy at an http or https address. Loaded only where one is set. */
export function createProxy(url: string): Proxy {
  const address = new URL(url);
  return {
    host: address.host,
    opening: (options) => createOpenThrough(address, options),
  };
}
