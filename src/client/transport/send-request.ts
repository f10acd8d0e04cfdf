// One request and its answer, whichever HTTP client carries them. Follows no redirect, decompresses nothing, and knows
// whether a byte of the request may have left.

import { afterSending, Failure, ofResponse } from '../../base/errors.ts';
import type { HttpRequest, HttpResponse } from '../../base/http.ts';
import { identified } from '../../base/request-id.ts';
import type { UrlSplitter } from '../../base/url.ts';
import { decodeUtf8, withoutBom } from '../../base/utf8.ts';
import type {
  DispatchHandler,
  ReceivedHeaders,
  RequestController,
  RequestDispatcher,
  SharedConnections,
} from './dispatch.ts';
import { isContinue, isLoss, networkFailure, type ReceivedBytes } from './network-errors.ts';
import type { InFlight, InFlightRequest } from './timeouts.ts';

const MAX_BODY_BYTES = 10 * 1024 * 1024;
const EMPTY = new Uint8Array();

/** Collects one answer: at most 10 MiB, decoded as UTF-8. */
class BodyCollector {
  #chunks: Uint8Array[] = [];
  #size = 0;
  #status: number | undefined;
  #headers: Readonly<Record<string, string>> = {};

  start(status: number, headers: ReceivedHeaders): void {
    this.#status = status;
    this.#headers = flat(headers);
  }

  /** Takes a chunk; `false` when the answer has become too large. */
  add(chunk: Uint8Array): boolean {
    this.#size += chunk.length;
    if (this.#size > MAX_BODY_BYTES) {
      this.#chunks = [];
      return false;
    }
    this.#chunks.push(chunk);
    return true;
  }

  /** What has come so far; nothing before the headers are there. */
  arrived(): ReceivedBytes | undefined {
    if (this.#status === undefined) return undefined;
    return { bytes: this.#size, declared: this.#headers['content-length'] };
  }

  /** The same error with the id that the service gave the request, where it came with the headers. */
  identify(error: unknown): unknown {
    return identified(error, this.#headers);
  }

  /** The whole answer. Throws a `Failure` where it cannot be read. */
  finish(): HttpResponse {
    const headers = this.#headers;
    const encoding = headers['content-encoding'] ?? '';
    if (!/^(identity)?$/i.test(encoding))
      throw unreadableAnswer(
        `uses content-encoding ${JSON.stringify(encoding)}, which was not asked for`,
      );
    const [first = EMPTY] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    const body = decodeUtf8(bytes);
    if (body === undefined) throw unreadableAnswer('is not UTF-8');
    return { status: this.#status!, headers, body: withoutBom(body) };
  }
}

function isFlat(headers: ReceivedHeaders): headers is Record<string, string> {
  for (const name in headers) if (typeof headers[name] !== 'string') return false;
  return true;
}

/** Made anew only where a header came twice. */
function flat(headers: ReceivedHeaders): Readonly<Record<string, string>> {
  if (isFlat(headers)) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}

const unreadableAnswer = (problem: string): Failure =>
  new Failure('no_answer', {
    ...ofResponse(problem),
    sent: true,
    retryable: false,
    mostRetries: 1,
  });

/** How a network makes its requests. */
export interface ExchangeOptions {
  /** For requests that have a connection of their own. */
  readonly single: RequestDispatcher;
  readonly splitUrl: UrlSplitter;
  /** Names and values as a list, with the id at its end where there is one. */
  headersWithId(headers: HttpRequest['headers'], id: string | undefined): string[];
  readonly inFlight: InFlight;
  readonly timeoutMs: number;
  /** The most of it in which a connection is opened. */
  readonly connectMs: number;
  readonly proxyHost: string | undefined;
}

interface Settle {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Whether a request may use a connection that others use too. A change never does, as that may have gone stale, nor a
 * read that may take another's answer for its own.
 */
export const mayShare = ({ method, repeats }: HttpRequest): boolean =>
  method === 'GET' && repeats !== undefined;

/**
 * One request and its answer. Settles once; rejects with a `Failure` that says whether the request had been sent. A
 * class: as closures, the same took a batch 2 µs an item to make and to clear away.
 */
export class RequestExchange implements DispatchHandler, InFlightRequest {
  readonly #wire: ExchangeOptions;
  readonly #request: HttpRequest;
  readonly #settle: Settle;
  #answer = new BodyCollector();
  /** Set where other requests may use its connection, before or after it. */
  #shared: SharedConnections | undefined;
  /** Whether its connection has served another request. */
  #follows = false;
  #dispatcher: RequestDispatcher | undefined;
  #sent = false;
  #ended = false;
  #controller: RequestController | undefined;
  #untrack: (() => void) | undefined;

  constructor(
    wire: ExchangeOptions,
    request: HttpRequest,
    settle: Settle,
    shared: SharedConnections | undefined,
  ) {
    this.#wire = wire;
    this.#request = request;
    this.#settle = settle;
    this.#shared = mayShare(request) ? shared : undefined;
  }

  begin(signal: AbortSignal): void {
    if (signal.aborted) return this.#settle.reject(asError(signal.reason));
    this.#untrack = this.#wire.inFlight.begin(this, signal, this.#wire.timeoutMs);
    this.#dispatch();
  }

  #dispatch(): void {
    const { url, method, headers, bytes, body = bytes ?? null, id } = this.#request;
    const { origin, path } = this.#wire.splitUrl(url);
    this.#dispatcher = this.#shared?.to(origin) ?? this.#wire.single;
    this.#dispatcher.dispatch(
      {
        origin,
        path,
        method,
        headers: this.#wire.headersWithId(headers, id),
        body,
      },
      this,
    );
  }

  expire(): void {
    const after = `after ${this.#wire.timeoutMs / 1000}s`;
    const facts = { sent: this.#sent, retryable: !this.#sent, timedOut: true };
    if (!this.#sent) {
      const { host } = new URL(this.#request.url);
      const brief = `no connection ${after}`;
      const what = `no connection to ${host} ${after}`;
      return this.#fail(new Failure('no_answer', { what, brief, ...facts }));
    }
    const lead = this.#answer.arrived() === undefined ? 'no response' : 'incomplete response';
    this.#fail(new Failure('no_answer', { what: `${lead} ${after}`, lead, ...facts }));
  }

  cancel(reason: unknown): void {
    this.#fail(this.#sent ? afterSending(reason) : reason);
  }

  onRequestStart(controller: RequestController): void {
    if (this.#ended) return controller.abort(new Error('given up'));
    this.#sent = true;
    this.#follows = this.#shared?.isNewConnection() === false;
    this.#controller = controller;
  }

  onResponseStart(controller: RequestController, status: number, headers: ReceivedHeaders): void {
    // Early hints and their like are no answer yet. No other protocol was asked for.
    if (status >= 200) this.#answer.start(status, headers);
    else if (status < 100 || status === 101)
      this.onResponseError(controller, new Error('bad upgrade'));
  }

  onResponseData(_controller: RequestController, chunk: Uint8Array): void {
    if (!this.#answer.add(chunk)) this.#fail(unreadableAnswer('is larger than 10 MiB'));
  }

  onResponseEnd(): void {
    let answer: HttpResponse;
    try {
      answer = this.#answer.finish();
    } catch (error) {
      return this.#fail(error);
    }
    if (this.#shared !== undefined && !isOwn(answer, this.#request))
      return this.#doubt(answer, this.#shared);
    this.#end();
    this.#settle.resolve(answer);
  }

  /**
   * Nothing shows that this is the answer to this request. Its connection is given up; and where another request was
   * on it before, whose second answer this may be, the question is asked again on a connection of its own.
   */
  #doubt(answer: HttpResponse, shared: SharedConnections): void {
    const [dispatcher, { origin }] = [this.#dispatcher!, this.#wire.splitUrl(this.#request.url)];
    // Not while undici is still reading what came.
    queueMicrotask(() => {
      shared.leave(origin, dispatcher);
      if (this.#ended) return;
      if (this.#follows && !asksForRest(answer)) return this.#sendAgain();
      this.#end();
      this.#settle.resolve(answer);
    });
  }

  /** Sends a read once more, on a connection of its own. */
  #sendAgain(): void {
    this.#shared = undefined;
    this.#follows = false;
    this.#controller = undefined;
    this.#answer = new BodyCollector();
    this.#dispatch();
  }

  onResponseError(_controller: RequestController | undefined, error: Error): void {
    const arrived = this.#answer.arrived();
    // A service may close a kept connection at any moment: that is no failed attempt.
    if (this.#follows && arrived === undefined && isLoss(error)) return this.#sendAgain();
    // undici ends the connection at a `100 Continue`; Node's client passes it over, as RFC 9110 15.2 asks.
    if (this.#shared !== undefined && isContinue(error)) return this.#sendAgain();
    const facts = {
      sent: this.#sent,
      isConnected: this.#controller !== undefined,
      url: this.#request.url,
      connectMs: this.#wire.connectMs,
      proxyHost: this.#wire.proxyHost,
      arrived,
    };
    this.#fail(networkFailure(error, facts));
  }

  #fail(error: unknown): void {
    if (!this.#end()) return;
    this.#settle.reject(asError(this.#answer.identify(error)));
    this.#controller?.abort(new Error('given up'));
  }

  /** Whether it was still to be ended. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#untrack?.();
    return true;
  }
}

/** Whether an answer names what was asked for. */
const isOwn = ({ body }: HttpResponse, { repeats = [] }: HttpRequest): boolean =>
  repeats.every((id) => body.includes(id));

/** A busy or broken service is not asked again at once; a read is repeated after that anyway. */
const asksForRest = ({ status }: HttpResponse): boolean => status === 429 || status >= 500;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error('aborted'));
