// Makes one exchange, a request and its response, with Node's HTTP client or undici's. The client opens a connection,
// writes the request and reports the response; the exchange limits the time and the size, decodes the text, and notes
// whether a byte of the request may have been sent. It follows no redirect and decompresses nothing.

import type { Socket } from 'node:net';
import { onAbort, startTimeout } from '../../base/abort.ts';
import { afterSending, Failure, headed, ofResponse } from '../../base/errors.ts';
import { type HttpRequest, type HttpResponse, identified } from '../../base/http.ts';
import { decodeUtf8, withoutBom } from '../../base/utf8.ts';
import { isContinue, isLoss, networkFailure, unexpectedUpgrade } from './errors.ts';

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Opens a connection to the host of a URL, with TLS for https. Rejects after a time limit. */
export type Connect = (url: URL) => Promise<Socket>;

export interface HttpClient {
  /** Sends the request of an exchange, and tells the exchange what comes. */
  send(exchange: Exchange): void;
}

/** Header names in lower case; a repeated header is a list or joined by commas. */
export type ReceivedHeaders = Readonly<Record<string, string | string[]>>;

export interface ExchangeOptions {
  /** Milliseconds from the first packet to the last byte of the response. */
  readonly timeoutMs: number;
  /** The part of that time in which a connection is opened. */
  readonly connectMs: number;
  readonly proxyHost: string | undefined;
  readonly authorityHint?: string | undefined;
  /** Set for reads: the client that sends one again if a kept connection closes before a response. */
  readonly fallback?: HttpClient | undefined;
}

/** Sends a request. Rejects with a `Failure` that says whether the request was sent. */
export function sendThrough(
  client: HttpClient,
  request: HttpRequest,
  signal: AbortSignal,
  options: ExchangeOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    new Exchange(request, options, resolve, reject).begin(client, signal);
  });
}

/** One request and its response. The client that sends the request calls the methods that begin with `on`. */
export class Exchange {
  readonly request: HttpRequest;
  readonly url: URL;
  readonly #options: ExchangeOptions;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: unknown) => void;
  #fallback: HttpClient | undefined;
  /** Closes the connection; `undefined` until one is open. */
  #abort: (() => void) | undefined;
  #isReused = false;
  #hasInterim = false;
  /** Stop the timer and the wait for the signal. */
  #stops: readonly (() => void)[] = [];
  #isEnded = false;
  #sent = false;
  #status: number | undefined;
  #headers: Readonly<Record<string, string>> = {};
  #chunks: Uint8Array[] = [];
  #size = 0;

  constructor(
    request: HttpRequest,
    options: ExchangeOptions,
    resolve: (response: HttpResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.request = request;
    this.url = new URL(request.url);
    this.#options = options;
    this.#fallback = options.fallback;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(client: HttpClient, signal: AbortSignal): void {
    const { timeoutMs } = this.#options;
    this.#stops = [
      startTimeout(timeoutMs, () => this.#fail(this.#timeoutFailure())),
      onAbort(signal, () => this.#fail(this.#sent ? afterSending(signal.reason) : signal.reason)),
    ];
    client.send(this);
  }

  /** The connection is open, and the first byte is about to be written; `abort` closes the connection too. */
  onStart(abort: () => void, isReused: boolean): void {
    if (this.#isEnded) return abort();
    this.#isReused = isReused;
    this.#sent = true;
    this.#abort = abort;
  }

  /** May be called with the status of an interim response first. */
  onHead(status: number, headers: ReceivedHeaders): void {
    // Early hints and other interim responses are ignored. No other protocol was requested.
    if (status < 100 || status === 101) this.onError(unexpectedUpgrade());
    if (status < 200) {
      this.#hasInterim = true;
      return;
    }
    this.#status = status;
    this.#headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    );
  }

  onData(chunk: Uint8Array): void {
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    if (this.#size <= MAX_BODY_BYTES) return;
    this.#chunks = [];
    this.#fail(unreadable('is larger than 10 MiB'));
  }

  onEnd(): void {
    if (this.#isEnded) return;
    const encoding = this.#headers['content-encoding'] ?? '';
    const isEncoded = !/^(identity)?$/i.test(encoding);
    // The status of an error says what it means, also if its text cannot be read. Old gateways write Latin-1.
    const isError = this.#status! >= 400;
    if (isEncoded && !isError)
      return this.#fail(
        unreadable(`uses content-encoding ${JSON.stringify(encoding)}, which was not asked for`),
      );
    const bytes = Buffer.concat(isEncoded ? [] : this.#chunks);
    const body = decodeUtf8(bytes) ?? (isError ? bytes.toString('latin1') : undefined);
    if (body === undefined) return this.#fail(unreadable('is not UTF-8'));
    this.#end();
    this.#resolve({ status: this.#status!, headers: this.#headers, body: withoutBom(body) });
  }

  onError(error: Error): void {
    if (this.#isEnded) return;
    const { url } = this;
    const hasHead = this.#status !== undefined;
    // A service may close a kept connection at any moment, and undici fails at an unrequested `100 Continue`. Neither
    // counts as a failed attempt: a read is sent again at once.
    const fallback = this.#fallback;
    const mayStartAgain = !hasHead && ((this.#isReused && isLoss(error)) || isContinue(error));
    if (mayStartAgain && fallback !== undefined) {
      // `#sent` stays true, because the service may have read the first try.
      this.#abort = this.#fallback = undefined;
      return fallback.send(this);
    }
    const declared = this.#headers['content-length'];
    const bytes = `${this.#size} ${declared === undefined ? '' : `of ${declared} `}bytes`;
    const arrived = hasHead ? bytes : undefined;
    const hasSpoken = this.#isReused || this.#hasInterim || hasHead;
    const facts = { sent: this.#sent, hasSpoken, url, arrived };
    this.#fail(networkFailure(error, { ...facts, ...this.#options }));
  }

  #timeoutFailure(): Failure {
    const after = `after ${this.#options.timeoutMs / 1000}s`;
    const lead = this.#status === undefined ? 'no response' : 'incomplete response';
    const what = this.#sent
      ? headed(lead, ` ${after}`)
      : { what: `no connection to ${this.url.host} ${after}` };
    const facts = { sent: this.#sent, retryable: !this.#sent, timedOut: true };
    return new Failure('no_answer', { ...what, ...facts });
  }

  // A method, because V8 puts a function that is written in an assignment to a property (`this.#end = () => …`) among its
  // old objects: the exchange and its response would then stay until the next full collection.
  #end(): void {
    this.#isEnded = true;
    for (const stop of this.#stops) stop();
  }

  #fail(error: unknown): void {
    if (this.#isEnded) return;
    this.#end();
    this.#reject(identified(error, this.#headers));
    // The error that this causes is ignored, because the exchange has ended.
    this.#abort?.();
  }
}

const unreadable = (problem: string): Failure =>
  new Failure('no_answer', { ...ofResponse(problem), sent: true, retryable: false });
