// One request over undici's dispatcher and its answer, by one small handler. Follows no redirect, decompresses
// nothing, and knows whether a byte of the request may have left.

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { afterSending, Failure } from '../errors.ts';
import type { AnyMethod, HttpRequest, HttpResponse } from '../http.ts';
import type { CutUp } from './cut-up.ts';
import { Collector, unreadable, type Arrived, type Decode } from './network-answer.ts';
import { networkFailure } from './network-failure.ts';
import type { Guard, Guarded } from './under-way.ts';

/** A way to the service: a pool of connections, or what leads through a proxy. */
export type Way = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/** How a network makes its requests. */
export interface Wire {
  wayFor(method: AnyMethod, origin: string): Way;
  readonly cutUp: CutUp;
  readonly guard: Guard;
  readonly decode: Decode;
  readonly timeoutMs: number;
  readonly proxyHost: string | undefined;
}

interface Settle {
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One request, one answer, told by undici how it goes. Settles once; rejects with a `Failure` that says whether the
 * request had been sent. A class: as closures, the same took a batch 2 µs an item to make and to clear away.
 */
export class Exchange implements Dispatcher.DispatchHandler, Guarded {
  readonly #wire: Wire;
  readonly #request: HttpRequest;
  readonly #settle: Settle;
  readonly #answer: Collector;
  #sent = false;
  #ended = false;
  #controller: Dispatcher.DispatchController | undefined;
  #letGo: (() => void) | undefined;

  constructor(wire: Wire, request: HttpRequest, settle: Settle) {
    this.#wire = wire;
    this.#request = request;
    this.#settle = settle;
    this.#answer = new Collector(wire.decode);
  }

  begin(signal: AbortSignal): void {
    const { url, method, headers, body = null } = this.#request;
    const { origin, path } = this.#wire.cutUp(url);
    if (signal.aborted) return this.#settle.reject(asError(signal.reason));
    this.#letGo = this.#wire.guard.begin(this, signal);
    // The connection of a change ends with it.
    const dispatch = { origin, path, method, headers, body, reset: method !== 'GET' };
    this.#wire.wayFor(method, origin).dispatch(dispatch, this);
  }

  expire(): void {
    this.#fail(tooLate(this.#wire.timeoutMs, this.#sent, this.#answer.arrived()));
  }

  cancel(reason: unknown): void {
    this.#fail(this.#sent ? afterSending(reason) : reason);
  }

  /** undici calls this when a connection stands and the first byte is about to be written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#ended) return controller.abort(new Error('given up'));
    this.#sent = true;
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Early hints and their like are no answer yet.
    if (status >= 200) this.#answer.start(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#answer.add(chunk)) this.#fail(unreadable('the answer is larger than 10 MiB'));
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    try {
      this.#settle.resolve(this.#answer.finish());
    } catch (error) {
      this.#settle.reject(asError(error));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const facts = {
      sent: this.#sent,
      url: this.#request.url,
      proxyHost: this.#wire.proxyHost,
      arrived: this.#answer.arrived(),
    };
    this.#fail(networkFailure(error, facts));
  }

  #fail(error: unknown): void {
    if (!this.#end()) return;
    this.#settle.reject(asError(error));
    this.#controller?.abort(new Error('given up'));
  }

  /** Whether it was still to be ended. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#letGo?.();
    return true;
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error('aborted'));

function tooLate(timeoutMs: number, sent: boolean, arrived: Arrived | undefined): Failure {
  const missing = sent ? 'no answer' : 'no connection';
  const what = `${arrived === undefined ? missing : 'the answer did not finish'} within ${timeoutMs / 1000} s`;
  return new Failure('no_answer', { what, sent, retryable: !sent, timedOut: true });
}
