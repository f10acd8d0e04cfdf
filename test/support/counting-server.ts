// A service for tests that counts the requests for each post, and how many are in progress at once.

import * as http from 'node:http';
import { listenOnLoopback } from './listen.ts';

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds before the response. */
  readonly after?: number;
  /** The response is not sent before this is resolved. */
  readonly until?: Promise<unknown>;
  /** Called when the response is sent. */
  readonly onAnswer?: () => void;
  /** Cuts the connection instead of answering. */
  readonly cut?: boolean;
}

export interface CountingServer {
  readonly url: string;
  /** The number of requests for each post, by `METHOD id`. */
  readonly counts: ReadonlyMap<string, number>;
  /** The bodies by `METHOD id`, in the order in which they arrived. */
  readonly bodies: ReadonlyMap<string, readonly string[]>;
  /** The moments of all requests, in milliseconds. */
  readonly times: readonly number[];
  /** Returns the maximum number of requests in progress at once. */
  maxInFlight(): number;
  total(): number;
}

/** Returns the response with a post that has one target. */
export const post = (id: string, status = 'published', more: object = {}) =>
  JSON.stringify({
    ok: true,
    data: {
      id,
      status,
      targets: [
        {
          id: 'TargetSpringLink',
          platform: 'linkedin',
          status,
          updatedAt: '2026-03-02T12:00:00.000Z',
          ...more,
        },
      ],
    },
  });

export const refused = (code: string, message: string) =>
  JSON.stringify({ ok: false, error: { code, message, details: null } });

/** Starts the service. `reply` gets the ID, the method, and the number of times that this pair has come, from 1. */
export async function countingServer(
  reply: (id: string, method: string, time: number) => Reply = () => ({}),
): Promise<CountingServer> {
  const counts = new Map<string, number>();
  const bodies = new Map<string, readonly string[]>();
  const times: number[] = [];
  let [active, most, total] = [0, 0, 0];
  const server = http.createServer((request, response) => {
    const id = decodeURIComponent(request.url!.split('?')[0]!.split('/')[3] ?? '');
    const name = `${request.method!} ${id}`;
    const time = (counts.get(name) ?? 0) + 1;
    counts.set(name, time);
    times.push(performance.now());
    total++;
    most = Math.max(most, ++active);
    response.once('close', () => active--);
    const sent: string[] = [];
    request.on('data', (chunk: Buffer) => sent.push(chunk.toString()));
    request.on('end', () => bodies.set(name, [...(bodies.get(name) ?? []), sent.join('')]));
    const { status = 200, headers = {}, body, cut, ...held } = reply(id, request.method!, time);
    const answer = () => {
      if (cut === true) {
        request.socket.resetAndDestroy();
        return;
      }
      held.onAnswer?.();
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body ?? post(id));
    };
    setTimeout(() => void Promise.resolve(held.until).then(answer), held.after ?? 0);
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    bodies,
    times,
    maxInFlight: () => most,
    total: () => total,
  };
}

/**
 * Starts the service with failed posts, as a retry with a journal needs them: a retry that is answered publishes its post.
 * `reply` answers the retries alone.
 */
export function failedPostsServer(
  reply: (id: string, time: number) => Reply = () => ({}),
): Promise<CountingServer> {
  const published = new Set<string>();
  return countingServer((id, method, time) => {
    if (method !== 'POST') return { body: post(id, published.has(id) ? 'published' : 'failed') };
    const answer = reply(id, time);
    const isRefused = (answer.status ?? 200) >= 400;
    return isRefused ? answer : { ...answer, onAnswer: () => void published.add(id) };
  });
}

/** Returns the number of retries for each post that the service was asked for. */
export const retriesAt = ({ counts }: CountingServer): ReadonlyMap<string, number> =>
  new Map(
    [...counts].flatMap(([name, times]) =>
      name.startsWith('POST ') ? [[name.slice('POST '.length), times] as const] : [],
    ),
  );

/** Returns the ID of a post by its number. */
export function idOf(number: number): string {
  let [rest, text] = [number, ''];
  for (let i = 0; i < 10; i++) {
    text = String.fromCodePoint(97 + (rest % 26)) + text;
    rest = Math.floor(rest / 26);
  }
  return `Postal${text}`;
}

/** Returns a list of this many IDs, one on each line. */
export const idList = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, i) => `${idOf(from + i)}\n`).join('');
