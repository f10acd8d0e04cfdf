// HTTP requests and responses as plain values, and the service as a function. Nothing here does I/O.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The methods of the operations, and HEAD, which `social api` also accepts. */
export type AnyMethod = Method | 'HEAD';

/** A request that is ready to send: `url` is absolute and encoded, `body` is JSON text or absent. */
export interface HttpRequest {
  readonly method: AnyMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A body that need not be text, used instead of `body`. */
  readonly bytes?: Uint8Array;
  /** The ID of the call, the same for all its attempts, sent as `x-request-id`. */
  readonly id?: string | undefined;
  /** True if the request may use a connection that another request has used. */
  readonly sharesConnection?: boolean;
}

/** A response: header names are lower-case, `body` is decoded text. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Calls the service. Resolves with any response, whatever its status; rejects with a `Failure` if there is none, which
 * also says whether a byte of the request may have been sent.
 */
export type Send = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** Headers that concern one connection only, and headers that are set by the HTTP client for each request. */
export const connectionHeaders: readonly string[] =
  'accept-encoding connection content-length expect host keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  );
