// The service over the network: undici's dispatcher with one small handler. Follows no redirect,
// decompresses nothing, and knows whether a byte of the request may have left.

import type { Dispatcher } from 'undici';
// By path: the package as a whole brings fetch, WebSocket and caches, and costs three times as much to load.
import Agent from 'undici/lib/dispatcher/agent.js';
import { Failure } from '../errors.ts';
import type { HttpRequest, HttpResponse, Send } from '../http.ts';
import { lookupHere } from './loopback.ts';
import { connecting } from './network-connect.ts';
import { networkFailure } from './network-failure.ts';

export interface NetworkOptions {
  /** Milliseconds for one attempt, from the first packet to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Requests that may be under way at once. */
  readonly connections?: number;
  /** Certificate authorities, PEM, instead of Node's own. */
  readonly ca?: readonly string[];
  readonly proxy?: Proxy;
  /** Refuses a name that leads away from this machine. */
  readonly loopbackOnly?: boolean;
}

/** A proxy in between: its host, for messages, and how connections go through it. */
export interface Proxy {
  readonly host: string;
  dispatcher(options: Agent.Options, tls: object): Dispatcher;
}

export interface Network {
  readonly send: Send;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Opens nothing yet: connections are made when the first request leaves. */
export function network(given: NetworkOptions): Network {
  const { timeoutMs, connections = 1, ca, proxy, loopbackOnly = false } = given;
  const tls = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca: [...ca] }) };
  const { connect, stop } = connecting({
    timeout: CONNECT_MS,
    autoSelectFamily: true,
    ...(loopbackOnly ? { lookup: lookupHere } : {}),
    ...tls,
  });
  const options = {
    connections,
    pipelining: 1,
    connect,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Time is kept in one place, below: undici's own limits restart with every byte that drips in.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatcher = proxy?.dispatcher(options, tls) ?? new Agent(options);
  return {
    send: (request, signal) =>
      exchange(dispatcher, request, { timeoutMs, proxyHost: proxy?.host }, signal),
    close: () => {
      stop();
      return dispatcher.destroy();
    },
  };
}

/** One request, one answer. Rejects with a `Failure` that says whether the request had been sent. */
function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { timeoutMs, proxyHost }: { readonly timeoutMs: number; readonly proxyHost: string | undefined },
  signal: AbortSignal,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const answer = collector();
    let sent = false;
    let ended = false;
    let giveUp: (() => void) | undefined;

    const end = (settle: () => void) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      settle();
      giveUp?.();
    };
    const fail = (error: unknown) => end(() => reject(asError(error)));
    const onAbort = () => fail(interrupted(signal.reason, sent));
    const timer = setTimeout(() => fail(tooLate(timeoutMs, sent)), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) return onAbort();

    dispatcher.dispatch(toDispatch(request), {
      // undici calls this when a connection stands and the first byte is about to be written.
      onRequestStart(controller) {
        if (ended) return controller.abort(new Error('given up'));
        sent = true;
        giveUp = () => controller.abort(new Error('given up'));
      },
      onResponseStart(_controller, status, headers) {
        answer.start(status, headers);
      },
      onResponseData(_controller, chunk) {
        if (!answer.add(chunk)) fail(unreadable('the answer is larger than 10 MiB'));
      },
      onResponseEnd() {
        giveUp = undefined;
        end(() => settleWith(answer.finish, resolve, reject));
      },
      onResponseError(_controller, error) {
        fail(networkFailure(error, { sent, url: request.url, proxyHost }));
      },
    });
  });
}

function toDispatch(request: HttpRequest): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(request.url);
  return {
    origin,
    path: pathname + search,
    method: request.method,
    headers: request.headers,
    body: request.body ?? null,
    // A change never rides on a connection that may have gone stale.
    reset: request.method !== 'GET',
  };
}

function settleWith<T>(
  make: () => T,
  resolve: (value: T) => void,
  reject: (error: Error) => void,
): void {
  try {
    resolve(make());
  } catch (error) {
    reject(asError(error));
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error('aborted'));

type Received = Record<string, string | string[] | undefined>;

/** Puts an answer together as it comes, up to 10 MiB. */
function collector() {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let status = 0;
  let headers: Record<string, string> = {};
  return {
    start(code: number, received: Received): void {
      status = code;
      headers = flatten(received);
    },
    /** Takes a chunk; `false` when the answer has become too large. */
    add(chunk: Uint8Array): boolean {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      return size <= MAX_BODY_BYTES;
    },
    finish: (): HttpResponse => ({ status, headers, body: decode(headers, chunks) }),
  };
}

function tooLate(timeoutMs: number, sent: boolean): Failure {
  const what = `no ${sent ? 'answer' : 'connection'} within ${timeoutMs / 1000} s`;
  return new Failure('no_answer', { what, sent, retryable: !sent, timedOut: true });
}

function interrupted(reason: unknown, sent: boolean): unknown {
  if (!(reason instanceof Failure)) return reason;
  return new Failure(reason.kind, { ...reason.facts, sent });
}

function unreadable(what: string): Failure {
  return new Failure('no_answer', { what, sent: true, retryable: false });
}

function decode(headers: Record<string, string>, chunks: readonly Uint8Array[]): string {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw unreadable(
      `the answer uses content-encoding ${JSON.stringify(encoding)}, which was not asked for`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw unreadable('the answer is not UTF-8');
  }
}

function flatten(headers: Received): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
