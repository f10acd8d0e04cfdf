// An answer while it comes: put together as bytes up to a limit, and read as text once it is whole. Decompresses nothing.

import { Failure } from '../errors.ts';
import type { HttpResponse } from '../http.ts';

const MAX_BODY_BYTES = 10 * 1024 * 1024;

type Received = Readonly<Record<string, string | string[] | undefined>>;

/** How much of an answer has come. */
export interface Arrived {
  readonly bytes: number;
  /** The length that it says it has, as it says it; nothing where it does not. */
  readonly declared: string | undefined;
}

export interface Collector {
  start(status: number, headers: Received): void;
  /** Takes a chunk; `false` when the answer has become too large. */
  add(chunk: Uint8Array): boolean;
  /** What has come so far; nothing before the headers are there. */
  arrived(): Arrived | undefined;
  /** The whole answer. Throws a `Failure` for one that is no plain UTF-8. */
  finish(): HttpResponse;
}

export function collector(): Collector {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let status: number | undefined;
  let headers: Readonly<Record<string, string>> = {};
  return {
    start(code, received) {
      status = code;
      headers = flatten(received);
    },
    add(chunk) {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      return bytes <= MAX_BODY_BYTES;
    },
    arrived: () =>
      status === undefined ? undefined : { bytes, declared: headers['content-length'] },
    finish: () => ({ status: status!, headers, body: decode(headers, chunks) }),
  };
}

/** The failure of an answer that came and cannot be read. */
export function unreadable(what: string): Failure {
  return new Failure('no_answer', { what, sent: true, retryable: false });
}

function decode(headers: Readonly<Record<string, string>>, chunks: readonly Uint8Array[]): string {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw unreadable(
      `the answer uses content-encoding ${JSON.stringify(encoding)}, which was not asked for`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw unreadable('the answer is not UTF-8');
  }
}

function flatten(headers: Received): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
