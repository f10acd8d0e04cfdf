// HTTP requests and responses as plain values, the service as a function, and the IDs by which a request is found in the
// logs of a service. Nothing here does I/O.

import { Failure, type FailureFacts } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The methods of the operations, and HEAD, which `social api` also accepts. */
export type AnyMethod = Method | 'HEAD';

/** A request that is ready to send: `url` is absolute and encoded, `body` is JSON text or absent. */
export interface HttpRequest {
  readonly method: AnyMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** A body that need not be text, used instead of `body`. */
  readonly bytes?: Uint8Array;
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

/** The header of the ID that this program sends: one for each call, the same for all its attempts. */
export const REQUEST_ID = 'x-request-id';

/** Headers in which services return a request ID, the most common first. */
const ID_HEADERS = [REQUEST_ID, 'request-id', 'x-correlation-id', 'x-amzn-requestid'];

/** Returns the request IDs of a failure, for another failure that follows from it. */
export function idsOf(failure: Failure | undefined): Partial<FailureFacts> {
  const { requestId, clientRequestId } = failure?.facts ?? {};
  return { requestId, clientRequestId };
}

/** Adds the request ID from the response headers to a failure that has none. */
export function identified(error: unknown, headers: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof Failure) || error.facts.requestId !== undefined) return error;
  const requestId = ID_HEADERS.map((name) => headers[name]).find(Boolean);
  return requestId === undefined ? error : error.with({ requestId });
}
