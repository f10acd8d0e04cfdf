// An answer put together as it comes: at most 10 MiB of it, decoded as UTF-8 and as nothing else.

import { Failure } from '../errors.ts';
import type { HttpResponse } from '../http.ts';

/** How much of an answer has come. */
export interface Arrived {
  readonly bytes: number;
  /** The length that it says it has, as it says it; nothing where it does not. */
  readonly declared: string | undefined;
}

/** Headers as undici gives them: names in lower case, a list where one came twice. */
type Received = Readonly<Record<string, string | string[] | undefined>>;

const MAX_BODY_BYTES = 10 * 1024 * 1024;
const EMPTY = new Uint8Array();

/** Bytes to text. Throws on what is not UTF-8. */
export type Decode = (bytes: Uint8Array) => string;

/** Serves any number of answers; to make one costs more than to use it. */
export function strictDecoder(): Decode {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (bytes) => decoder.decode(bytes);
}

/** Collects one answer. */
export class Collector {
  readonly #decode: Decode;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #status: number | undefined;
  #headers: Readonly<Record<string, string>> = {};

  constructor(decode: Decode) {
    this.#decode = decode;
  }

  start(status: number, headers: Received): void {
    this.#status = status;
    this.#headers = flat(headers);
  }

  /** Takes a chunk; `false` when the answer has become too large. */
  add(chunk: Uint8Array): boolean {
    this.#size += chunk.length;
    if (this.#size > MAX_BODY_BYTES) {
      this.#chunks = [];
      return false;
    }
    this.#chunks.push(chunk);
    return true;
  }

  /** What has come so far; nothing before the headers are there. */
  arrived(): Arrived | undefined {
    if (this.#status === undefined) return undefined;
    return { bytes: this.#size, declared: this.#headers['content-length'] };
  }

  /** The whole answer. Throws a `Failure` for one that nobody can read. */
  finish(): HttpResponse {
    const headers = this.#headers;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity')
      throw unreadable(
        `the answer uses content-encoding ${JSON.stringify(encoding)}, which was not asked for`,
      );
    const [first = EMPTY] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    const body = decoded(this.#decode, bytes);
    if (body === undefined) throw unreadable('the answer is not UTF-8');
    return { status: this.#status!, headers, body };
  }
}

/** Nothing for what is not UTF-8. */
function decoded(decode: Decode, bytes: Uint8Array): string | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

function isFlat(headers: Received): headers is Record<string, string> {
  for (const name in headers) if (typeof headers[name] !== 'string') return false;
  return true;
}

/** Made anew only where a header came twice. */
function flat(headers: Received): Readonly<Record<string, string>> {
  if (isFlat(headers)) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

/** An answer came that says nothing. */
export function unreadable(what: string): Failure {
  return new Failure('no_answer', { what, sent: true, retryable: false });
}
