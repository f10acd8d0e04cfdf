// Repeats an attempt where that can help and cannot do the thing twice. Whether it may is decided where
// the failure is made (`retryable`); here is only how often, and how long to wait in between.

import { Failure } from '../errors.ts';

export interface Patience {
  /** Further attempts after the first. */
  readonly retries: number;
  /** Milliseconds for all attempts and the waits between them, by the monotonic clock. */
  readonly totalMs: number;
  monotonic(): number;
  random(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 20_000;
const MAX_ASKED_MS = 60_000;

/** Runs `attempt` until it succeeds, fails for good, or patience ends. The last failure is thrown. */
export async function retrying<T>(
  attempt: () => Promise<T>,
  patience: Patience,
  signal: AbortSignal,
): Promise<T> {
  const start = patience.monotonic();
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const wait = delayMs(error, tries, patience);
      const left = start + patience.totalMs - patience.monotonic();
      if (tries > patience.retries || wait === undefined || wait >= left) throw told(error, tries);
      await patience.sleep(wait, signal);
    }
  }
}

/** Full jitter over a growing span, never under what the service asked for; nothing when it must not be. */
function delayMs(failure: Failure, tries: number, { random }: Patience): number | undefined {
  const { retryable, retryAfterMs: asked = 0 } = failure.facts;
  if (retryable !== true || asked > MAX_ASKED_MS) return undefined;
  return asked + random() * Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);
}

function told(failure: Failure, tries: number): Failure {
  if (tries === 1) return failure;
  const { facts } = failure;
  return new Failure(failure.kind, {
    ...facts,
    why: [...(facts.why ?? []), `tried ${tries} times`],
  });
}
