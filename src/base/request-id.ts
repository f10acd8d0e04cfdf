// The IDs by which a request is found in the logs of a service: the one that this program sends with each call, and the
// one that the service returns in a header.

import { Failure, type FailureFacts } from './errors.ts';

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
  return requestId === undefined ? error : new Failure(error.kind, { ...error.facts, requestId });
}

/**
 * A UUID of version 4. It names a request and protects nothing, so `Math.random` will do: loading node:crypto for
 * randomUUID costs a `get` on Node 26 a fifth of a bare node.
 */
export const newRequestId = (): string =>
  `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[Math.floor(Math.random() * 4)]!}${hex(3)}-${hex(12)}`;

const hex = (digits: number): string =>
  Math.floor(Math.random() * 16 ** digits)
    .toString(16)
    .padStart(digits, '0');
