// The interface of the two HTTP clients: Node's for a single call, undici's for the requests of a batch that may share
// a connection. A client opens a connection, writes one request and reports the response; `exchange.ts` has the time
// limits, sizes and messages.

import type { Socket } from 'node:net';
import type { AnyMethod } from '../../base/http.ts';

/** The usual limit of both clients. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Header names in lower case; a repeated header is a list or joined by commas. */
export type ReceivedHeaders = Readonly<Record<string, string | string[]>>;

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: AnyMethod;
  /** Alternating names and values, without `host` and `content-length`. */
  readonly headers: string[];
  readonly body: string | Uint8Array | null;
}

/** Receives the events of one request from the client that sends it. */
export interface ResponseHandler {
  /** The connection is open, and the first byte is about to be written; `abort` closes the connection too. */
  onStart(abort: () => void, isReused: boolean): void;
  /** May be called with the status of an interim response first. */
  onHead(status: number, headers: ReceivedHeaders): void;
  onData(chunk: Uint8Array): void;
  onEnd(): void;
  onError(error: Error): void;
}

export interface HttpClient {
  send(request: OutgoingRequest, handler: ResponseHandler): void;
}

/** Opens a connection to the host of a URL, with TLS for https. Rejects after a time limit. */
export type Connect = (url: URL) => Promise<Socket>;
