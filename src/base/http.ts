// HTTP requests and responses as plain values, and the service as a function. Nothing here does I/O.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Those of the operations, and the one that asks for headers alone. */
export type AnyMethod = Method | 'HEAD';

/** A request as it would leave: `url` is absolute and encoded, `body` is JSON text or absent. */
export interface HttpRequest {
  readonly method: AnyMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A body that need not be text, instead of the other. */
  readonly bytes?: Uint8Array;
  /** The id of the call, the same for all its attempts: sent as `x-request-id`. */
  readonly id?: string | undefined;
  /** Whether it may use a connection that another request has used. */
  readonly sharesConnection?: boolean;
}

/** An answer: header names are lower-case, `body` is decoded text. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The service. Resolves with any answer at all, whatever its status; rejects with a `Failure`
 * when there is none, and says there whether a byte of the request may have left.
 */
export type Send = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** Headers from one connection to the next, and those that are made anew with each request. */
export const connectionHeaders: readonly string[] =
  'accept-encoding connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  );
