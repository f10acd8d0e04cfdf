// Chaos mode: decides which request gets which injected fault; `serve.ts` carries it out. The fault follows
// from the seed, the request and how often it came before, not from the clock or from parallel requests: the same run
// fails the same way.

import { createHash } from 'node:crypto';
import type { ArrivedRequest } from './router.ts';
import { type HttpError, httpError } from './responses.ts';

/**
 * A status from 400 to 599 instead of the answer, and nothing is done; `reset`: the connection is reset before
 * anything is done; `lost`: all is done, and the connection ends without an answer.
 */
export type ChaosFault = number | 'reset' | 'lost';

export interface ChaosPlan {
  /** How long a request waits before anything is done: evenly between `ms - spreadMs` and `ms + spreadMs`. */
  readonly latency?: { readonly ms: number; readonly spreadMs: number };
  /** Each fault with its share of all requests, in percent; together at most 100. */
  readonly faults: readonly (readonly [fault: ChaosFault, percent: number])[];
}

/** The fault of one request. */
export interface InjectedFault {
  readonly delayMs: number;
  readonly fault: ChaosFault | undefined;
}

/** The faults of requests; the `n`-th equal request gets the same fault under the same seed. */
export function createChaos(
  { latency, faults }: ChaosPlan,
  seed: number,
): (request: ArrivedRequest) => InjectedFault {
  const seen = new Map<string, number>();
  return ({ method, url, body = '' }) => {
    const same = digest(`${method} ${url}\n${body}`).toString('base64');
    const before = seen.get(same) ?? 0;
    seen.set(same, before + 1);
    const drawn = digest(`${seed} ${before} ${same}`);
    return { delayMs: delayOf(latency, share(drawn, 0)), fault: faultAt(faults, share(drawn, 8)) };
  };
}

/** A plan in the syntax of `--chaos`, ASCII only: `latency=200ms+-100ms,429=5%`. */
export function describeChaosPlan({ latency, faults }: ChaosPlan): string {
  const { ms = 0, spreadMs = 0 } = latency ?? {};
  const spread = spreadMs === 0 ? '' : `+-${spreadMs}ms`;
  return [
    ...(latency === undefined ? [] : [`latency=${ms}ms${spread}`]),
    ...faults.map(([fault, percent]) => `${fault}=${percent}%`),
  ].join(',');
}

/** The response for an injected status. Of 429 and 503 with the shortest Retry-After, a second. */
export function injectFault(status: number): HttpError {
  const message = `The sandbox injected status ${status}.`;
  const more = status === 429 || status === 503 ? { headers: { 'retry-after': '1' } } : {};
  return httpError(status, 'injected_fault', message, more);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A number in [0, 1), from six bytes. */
const share = (bytes: Buffer, at: number): number => bytes.readUIntBE(at, 6) / 2 ** 48;

function delayOf(latency: ChaosPlan['latency'], drawn: number): number {
  if (latency === undefined) return 0;
  return Math.round(latency.ms + (2 * drawn - 1) * latency.spreadMs);
}

function faultAt(faults: ChaosPlan['faults'], drawn: number): ChaosFault | undefined {
  let below = 0;
  return faults.find(([, percent]) => {
    below += percent;
    return drawn * 100 < below;
  })?.[0];
}
