// The service over the network: undici's dispatcher with one small handler. Follows no redirect,
// decompresses nothing, and knows whether a byte of the request may have left.

import type { Dispatcher } from 'undici';
// By path: the package as a whole brings fetch, WebSocket and caches, and costs three times as much to load.
import Agent from 'undici/lib/dispatcher/agent.js';
import { afterSending, Failure } from '../errors.ts';
import type { HttpRequest, HttpResponse, Send } from '../http.ts';
import { lookupHere } from './loopback.ts';
import { collector, unreadable, type Arrived } from './network-answer.ts';
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
  // A change never rides on a connection that a read has left open and that may have gone stale.
  const dispatchers = new Map<'reads' | 'changes', Dispatcher>();
  const dispatcherFor = ({ method }: HttpRequest): Dispatcher => {
    const name = method === 'GET' ? 'reads' : 'changes';
    const made = dispatchers.get(name) ?? proxy?.dispatcher(options, tls) ?? new Agent(options);
    dispatchers.set(name, made);
    return made;
  };
  return {
    send: (request, signal) =>
      exchange(dispatcherFor(request), request, { timeoutMs, proxyHost: proxy?.host }, signal),
    close: async () => {
      stop();
      await Promise.all([...dispatchers.values()].map((each) => each.destroy()));
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
    const onAbort = () => fail(sent ? afterSending(signal.reason) : signal.reason);
    const timer = setTimeout(() => fail(tooLate(timeoutMs, sent, answer.arrived())), timeoutMs);
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
        // Early hints and their like are no answer yet.
        if (status >= 200) answer.start(status, headers);
      },
      onResponseData(_controller, chunk) {
        if (!answer.add(chunk)) fail(unreadable('the answer is larger than 10 MiB'));
      },
      onResponseEnd() {
        giveUp = undefined;
        end(() => settleWith(answer.finish, resolve, reject));
      },
      onResponseError(_controller, error) {
        const arrived = answer.arrived();
        fail(networkFailure(error, { sent, url: request.url, proxyHost, arrived }));
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
    // The connection of a change ends with it.
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

function tooLate(timeoutMs: number, sent: boolean, arrived: Arrived | undefined): Failure {
  const missing = sent ? 'no answer' : 'no connection';
  const what = `${arrived === undefined ? missing : 'the answer did not finish'} within ${timeoutMs / 1000} s`;
  return new Failure('no_answer', { what, sent, retryable: !sent, timedOut: true });
}
