// One request and its response, with either HTTP client: its time limit, its size, its text, and whether a byte of the
// request may have been sent. Follows no redirect and decompresses nothing.

import { afterSending, Failure, ofResponse } from '../../base/errors.ts';
import { type HttpRequest, type HttpResponse, identified } from '../../base/http.ts';
import { startTimeout } from '../../base/abort.ts';
import { decodeUtf8, withoutBom } from '../../base/utf8.ts';
import type { HttpClient, ReceivedHeaders, ResponseHandler } from './contract.ts';
import { isContinue, isLoss, networkFailure } from './errors.ts';

const MAX_BODY_BYTES = 10 * 1024 * 1024;

export interface ExchangeOptions {
  /** Milliseconds from the first packet to the last byte of the response. */
  readonly timeoutMs: number;
  /** The part of that time in which a connection is opened. */
  readonly connectMs: number;
  readonly proxyHost: string | undefined;
}

/** Sends a request. Rejects with a `Failure` that says whether the request was sent. */
export function sendThrough(
  client: HttpClient,
  request: HttpRequest,
  signal: AbortSignal,
  options: ExchangeOptions,
  fallback?: HttpClient,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(asError(signal.reason));
    new Exchange(request, options, resolve, reject, fallback).begin(client, signal);
  });
}

class Exchange implements ResponseHandler {
  readonly #request: HttpRequest;
  readonly #url: URL;
  readonly #options: ExchangeOptions;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: Error) => void;
  /** The client for a second try, if a kept connection closes before a response. */
  #fallback: HttpClient | undefined;
  #abort: (() => void) | undefined;
  #isReused = false;
  #end = () => {};
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
    reject: (error: Error) => void,
    fallback: HttpClient | undefined,
  ) {
    this.#request = request;
    this.#url = new URL(request.url);
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#fallback = fallback;
  }

  begin(client: HttpClient, signal: AbortSignal): void {
    const { timeoutMs } = this.#options;
    const cancelLimit = startTimeout(timeoutMs, () => this.#fail(this.#tooLate()));
    const onAbort = () => {
      const reason: unknown = signal.reason;
      this.#fail(this.#sent ? afterSending(reason) : reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#end = () => {
      this.#isEnded = true;
      cancelLimit();
      signal.removeEventListener('abort', onAbort);
    };
    this.#send(client);
  }

  #send(client: HttpClient): void {
    const { method, headers, bytes, body = bytes ?? null } = this.#request;
    const list = Object.entries(headers).flat();
    client.send({ url: this.#url, method, headers: list, body }, this);
  }

  onStart(abort: () => void, isReused: boolean): void {
    if (this.#isEnded) return abort();
    this.#isReused = isReused;
    this.#sent = true;
    this.#abort = abort;
  }

  onHead(status: number, headers: ReceivedHeaders): void {
    // Early hints and other interim responses are ignored. No other protocol was requested.
    if (status < 100 || status === 101) this.onError(new Error('bad upgrade'));
    if (status < 200) return;
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
    if (!/^(identity)?$/i.test(encoding))
      return this.#fail(
        unreadable(`uses content-encoding ${JSON.stringify(encoding)}, which was not asked for`),
      );
    const body = decodeUtf8(Buffer.concat(this.#chunks));
    if (body === undefined) return this.#fail(unreadable('is not UTF-8'));
    this.#end();
    this.#resolve({ status: this.#status!, headers: this.#headers, body: withoutBom(body) });
  }

  onError(error: Error): void {
    if (this.#isEnded) return;
    const arrived =
      this.#status === undefined
        ? undefined
        : { bytes: this.#size, declared: this.#headers['content-length'] };
    const isConnected = this.#abort !== undefined;
    if (arrived === undefined && isConnected && this.#mayStartAgain(error)) {
      const fallback = this.#fallback!;
      this.#abort = this.#fallback = undefined;
      return this.#send(fallback);
    }
    const { connectMs, proxyHost } = this.#options;
    const facts = { sent: this.#sent, isConnected, url: this.#url, connectMs, proxyHost, arrived };
    this.#fail(networkFailure(error, facts));
  }

  /**
   * True if the request may start again: a service may close a kept connection at any moment, which is not a failed
   * attempt of a read.
   */
  #mayStartAgain(error: Error): boolean {
    const isStale = this.#isReused && isLoss(error);
    return this.#fallback !== undefined && (isStale || isContinue(error));
  }

  #tooLate(): Failure {
    const after = `after ${this.#options.timeoutMs / 1000}s`;
    const facts = { sent: this.#sent, retryable: !this.#sent, timedOut: true };
    if (!this.#sent)
      return new Failure('no_answer', {
        what: `no connection to ${this.#url.host} ${after}`,
        ...facts,
      });
    const lead = this.#status === undefined ? 'no response' : 'incomplete response';
    return new Failure('no_answer', { what: `${lead} ${after}`, lead, ...facts });
  }

  #fail(error: unknown): void {
    if (this.#isEnded) return;
    this.#end();
    this.#reject(asError(identified(error, this.#headers)));
    this.#abort?.();
  }
}

const unreadable = (problem: string): Failure =>
  new Failure('no_answer', {
    ...ofResponse(problem),
    sent: true,
    retryable: false,
    mostRetries: 1,
  });

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error('aborted'));
