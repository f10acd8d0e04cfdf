// Connections through a proxy. Each asks the proxy once for a tunnel to the service (CONNECT) and speaks TLS inside it,
// so the proxy learns the host and nothing else. undici's own agent repeats the question without end when a proxy
// closes, leaves the check of a proxy's certificate to the environment, and cannot be stopped while it waits.

import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { setRunningTimeout } from '../../base/running-clock.ts';
import { CONNECT_TIMEOUT, ProxyFault } from './network-errors.ts';
import { createOpen, type ConnectOptions, type Open } from './connector.ts';
import type { Connector, Proxy } from './pool.ts';
import { createFreeList } from './timeouts.ts';

/** The longest answer that is read. */
const MAX_HEAD_BYTES = 16 * 1024;
const HTTP = 'HTTP/1.';

/** Watches over a socket from its beginning. */
type Keep = (socket: Socket) => void;

/** How the two connections are opened that lie in each other. Each has its own memory of TLS sessions. */
interface Steps {
  readonly proxy: URL;
  readonly toProxy: Open;
  readonly toService: Open;
}

/** Opens connections through `proxy`, each within `timeout` milliseconds for all its steps. */
function createProxyConnector(proxy: URL, { timeout, ...options }: ConnectOptions): Connector {
  const make = () => createOpen({ ...options, timeout: 0 });
  const steps = { proxy, toProxy: make(), toService: make() };
  const begun = createFreeList<Socket>();
  const limits = createFreeList<() => void>();
  let isStopped = false;
  return {
    connect(address, callback) {
      const made: Socket[] = [];
      const keep: Keep = (socket) => {
        made.unshift(socket);
        const slot = begun.put(socket);
        socket.once('close', () => begun.take(slot));
        if (isStopped) socket.destroy();
      };
      // The outermost one first: its error is the one that is reported.
      const endAll = (error?: Error) => made.forEach((socket) => socket.destroy(error));
      const limit = setRunningTimeout(timeout, () => endAll(tooLate()));
      const slot = limits.put(limit);
      const over = () => {
        limit();
        limits.take(slot);
      };
      const run = async () => {
        let socket: Socket;
        try {
          socket = await open(steps, address, keep).finally(over);
        } catch (error) {
          endAll();
          return callback(error as Error, null);
        }
        return callback(null, socket);
      };
      void run();
    },
    stop() {
      isStopped = true;
      for (const cancel of limits.all()) cancel();
      for (const socket of begun.all()) socket.destroy();
    },
  };
}

/** A connection to the service. Rejects with a `ProxyFault` for what the proxy is to blame for. */
async function open(
  { proxy, toProxy, toService }: Steps,
  address: buildConnector.Options,
  keep: Keep,
): Promise<Socket> {
  const { protocol, host, hostname, port } = proxy;
  const there = { protocol, host, hostname: hostname.replaceAll(/[[\]]/g, ''), port };
  const socket = await opened(toProxy, there, keep).catch((error: Error) => {
    throw new ProxyFault({ problem: 'unreachable' }, error);
  });
  await tunnel(socket, requestFor(proxy, address));
  return opened(toService, { ...address, httpSocket: socket }, keep);
}

/** One step: undici's own connector as a promise. */
const opened = (step: Open, address: buildConnector.Options, keep: Keep) =>
  new Promise<Socket>((resolve, reject) => {
    keep(
      step(address, (error, socket) => {
        if (error === null) resolve(socket);
        else reject(error);
      }),
    );
  });

function requestFor(proxy: URL, { host = '', port }: buildConnector.Options): string {
  const target = port === '' ? `${host}:443` : host;
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

const tooLate = () => Object.assign(new Error('connect timeout'), { code: CONNECT_TIMEOUT });

/** The proxy at an http or https address. Loaded only where one is set. */
export function createProxy(url: string): Proxy {
  const address = new URL(url);
  return {
    host: address.host,
    connecting: (options) => createProxyConnector(address, options),
  };
}
