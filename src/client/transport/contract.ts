// What the two HTTP clients have in common: Node's for a single call, undici's for the requests of a batch that may share
// a connection. A client opens a connection, writes one request and reports what comes back; time limits, sizes and words are
// those of `exchange.ts`.

import type { Socket } from 'node:net';
import type { AnyMethod } from '../../base/http.ts';

/** The usual limit of both clients. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Header names in lower case; a header that came twice is a list or joined by commas. */
export type ReceivedHeaders = Readonly<Record<string, string | string[]>>;

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: AnyMethod;
  /** Names and values in turns, without `host` and `content-length`. */
  readonly headers: string[];
  readonly body: string | Uint8Array | null;
}

/** Is told of one request by the client that sends it. */
export interface ResponseHandler {
  /** A connection stands, and the first byte is about to be written; `abort` ends the connection too. */
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

/** Opens a connection to the host of a URL, with TLS where it is https. Rejects after a time limit. */
export type Connect = (url: URL) => Promise<Socket>;
