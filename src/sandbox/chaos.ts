// Chaos mode: decides which request gets which injected fault; `serve.ts` injects it. The fault depends on the seed,
// the request and its number of repetitions, not on the clock or on parallel requests: the same run fails in the same
// way.

import { createHash } from 'node:crypto';
import type { ArrivedRequest } from './router.ts';
import { type HttpError, httpError } from '../server/http-server.ts';

/** The maximum of --seed. */
export const MAX_SEED = 999_999_999;

/**
 * A number is an error status from 400 to 599, and nothing is done. `reset`: the connection is reset before anything is
 * done. `lost`: the request is done, and the connection ends without a response.
 */
export type ChaosFault = number | 'reset' | 'lost';

export interface ChaosPlan {
  /** The delay of a request before anything is done: uniformly between `ms - spreadMs` and `ms + spreadMs`. */
  readonly latency?: { readonly ms: number; readonly spreadMs: number } | undefined;
  /** Each fault with its percentage of all requests, at most 100 in total. */
  readonly faults: readonly (readonly [fault: ChaosFault, percent: number])[];
}

/** Makes the function that decides faults: the `n`-th equal request gets the same fault for the same seed. */
export function createChaos({ latency, faults }: ChaosPlan, seed: number) {
  const counts = new Map<string, number>();
  return ({ method, url, body = '' }: ArrivedRequest) => {
    const same = digest(`${method} ${url}\n${body}`).toString('base64');
    const before = counts.get(same) ?? 0;
    counts.set(same, before + 1);
    const random = digest(`${seed} ${before} ${same}`);
    // The delay and the fault are drawn from different bytes, so neither depends on the other.
    const delayMs = delayOf(latency, fractionAt(random, 0));
    return { delayMs, fault: faultAt(faults, fractionAt(random, 8)) };
  };
}

/** Makes the error for an injected status. 429 and 503 get the shortest Retry-After, one second. */
export function injectedError(status: number): HttpError {
  const message = `The sandbox injected status ${status}.`;
  const more = status === 429 || status === 503 ? { headers: { 'retry-after': '1' } } : {};
  return httpError(status, 'injected_fault', message, more);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Reads a number in [0, 1) from six bytes. */
const fractionAt = (bytes: Buffer, at: number): number => bytes.readUIntBE(at, 6) / 2 ** 48;

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
