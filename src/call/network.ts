// The service over the network: undici's dispatcher with one small handler. Follows no redirect,
// decompresses nothing, and knows whether a byte of the request may have left.

import type { Dispatcher } from 'undici';
// By path: the package as a whole brings fetch, WebSocket and caches, and costs three times as much to load.
import Agent from 'undici/lib/dispatcher/agent.js';
import { afterSending, Failure } from '../errors.ts';
import type { HttpRequest, HttpResponse, Send } from '../http.ts';
import { lookupHere } from './loopback.ts';
import {
  collector,
  strictDecoder,
  unreadable,
  type Arrived,
  type Decode,
} from './network-answer.ts';
import { connecting } from './network-connect.ts';
import { networkFailure } from './network-failure.ts';
import { guard, type Guard } from './under-way.ts';

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
  // A change never rides on a connection that may have gone stale: not on one that a read has left either.
  const lanes: Partial<Record<'read' | 'change', Dispatcher>> = {};
  const wire: Wire = {
    dispatcherFor: (method) =>
      (lanes[method === 'GET' ? 'read' : 'change'] ??=
        proxy?.dispatcher(options, tls) ?? new Agent(options)),
    guard: guard(timeoutMs),
    decode: strictDecoder(),
    timeoutMs,
    proxyHost: proxy?.host,
  };
  return {
    send: (request, signal) => exchange(wire, request, signal),
    close: async () => {
      stop();
      await Promise.all(Object.values(lanes).map((lane) => lane.destroy()));
    },
  };
}

/** How this network makes its requests. */
interface Wire {
  dispatcherFor(method: HttpRequest['method']): Dispatcher;
  readonly guard: Guard;
  readonly decode: Decode;
  readonly timeoutMs: number;
  readonly proxyHost: string | undefined;
}

/** One request, one answer. Rejects with a `Failure` that says whether the request had been sent. */
function exchange(wire: Wire, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const dispatch = toDispatch(request);
    const answer = collector(wire.decode);
    let sent = false;
    let ended = false;
    let controller: Dispatcher.DispatchController | undefined;

    /** Whether it was still to be ended. */
    const end = (): boolean => {
      if (ended) return false;
      ended = true;
      letGo();
      return true;
    };
    const fail = (error: unknown) => {
      if (!end()) return;
      reject(asError(error));
      controller?.abort(new Error('given up'));
    };
    if (signal.aborted) return reject(asError(signal.reason));
    const letGo = wire.guard.begin(
      {
        expire: () => fail(tooLate(wire.timeoutMs, sent, answer.arrived())),
        cancel: (reason) => fail(sent ? afterSending(reason) : reason),
      },
      signal,
    );

    wire.dispatcherFor(request.method).dispatch(dispatch, {
      // undici calls this when a connection stands and the first byte is about to be written.
      onRequestStart(own) {
        if (ended) return own.abort(new Error('given up'));
        sent = true;
        controller = own;
      },
      onResponseStart(_controller, status, headers) {
        // Early hints and their like are no answer yet.
        if (status >= 200) answer.start(status, headers);
      },
      onResponseData(_controller, chunk) {
        if (!answer.add(chunk)) fail(unreadable('the answer is larger than 10 MiB'));
      },
      onResponseEnd() {
        if (!end()) return;
        try {
          resolve(answer.finish());
        } catch (error) {
          reject(asError(error));
        }
      },
      onResponseError(_controller, error) {
        const { proxyHost } = wire;
        fail(
          networkFailure(error, { sent, url: request.url, proxyHost, arrived: answer.arrived() }),
        );
      },
    });
  });
}

/** An address that a URL parser gives back as it is. */
const PLAIN_URL = /^https?:\/\/[a-z0-9.-]+(?::\d+)?(?:\/[\w-]+)+$/;

function toDispatch({ url, method, headers, body }: HttpRequest): Dispatcher.DispatchOptions {
  const { origin, path } = PLAIN_URL.test(url) ? cutUp(url) : parsed(url);
  return {
    origin,
    path,
    method,
    headers,
    body: body ?? null,
    // The connection of a change ends with it.
    reset: method !== 'GET',
  };
}

function cutUp(url: string): Place {
  const at = url.indexOf('/', 'https://'.length);
  return { origin: url.slice(0, at), path: url.slice(at) };
}

function parsed(url: string): Place {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

interface Place {
  readonly origin: string;
  readonly path: string;
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error('aborted'));

function tooLate(timeoutMs: number, sent: boolean, arrived: Arrived | undefined): Failure {
  const missing = sent ? 'no answer' : 'no connection';
  const what = `${arrived === undefined ? missing : 'the answer did not finish'} within ${timeoutMs / 1000} s`;
  return new Failure('no_answer', { what, sent, retryable: !sent, timedOut: true });
}
