// What the HTTP clients have in common: how a request is given to one, and what it says of it. The words are undici's.

import type { AnyMethod } from '../../base/http.ts';

/** As undici's and Node's own. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Headers as they came: names in lower case, a list where one came twice. */
export type ReceivedHeaders = Readonly<Record<string, string | string[]>>;

/** A request as an HTTP client takes it. */
export interface OutgoingRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: AnyMethod;
  /** Names and values, one after the other. */
  readonly headers: string[];
  readonly body: string | Uint8Array | null;
}

/** Ends a request and its connection. */
export interface RequestController {
  abort(reason: Error): void;
}

/** What an HTTP client says of a request. */
export interface DispatchHandler {
  /** A connection stands, and the first byte is about to be written. */
  onRequestStart(controller: RequestController): void;
  onResponseStart(controller: RequestController, status: number, headers: ReceivedHeaders): void;
  onResponseData(controller: RequestController, chunk: Uint8Array): void;
  onResponseEnd(): void;
  /** Nothing follows it. Without a controller where there was no connection. */
  onResponseError(controller: RequestController | undefined, error: Error): void;
}

/** An HTTP client for one origin. */
export interface RequestDispatcher {
  dispatch(request: OutgoingRequest, handler: DispatchHandler): unknown;
}

/** Connections that serve one request after the other. */
export interface SharedConnections {
  to(origin: string): RequestDispatcher;
  /** Sends nothing new through it; what is under way may finish. */
  leave(origin: string, dispatcher: RequestDispatcher): void;
  /** Whether a request that begins now is the first on its connection. */
  isNewConnection(): boolean;
}
