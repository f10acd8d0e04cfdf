// The progress of a single call on stderr, once it takes longer than a moment.

import type { Failure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { showProgress } from '../output/progress.ts';
import type { RetryObserver } from './retry.ts';

/** The progress of one call, reported by the code that makes it. */
export interface CallActivity extends RetryObserver {
  /** The call has ended, with or without a response. */
  end(): void;
}

const SECOND_MS = 1000;
const seconds = (ms: number): string => `${Math.ceil(ms / SECOND_MS)}s`;

/** Shows a call to `host`, with at most `attempts` attempts. */
export function showCall(
  host: string,
  attempts: number,
  settings: Settings,
  runtime: Runtime,
): CallActivity {
  const { monotonic } = runtime;
  const start = monotonic();
  let attempt = 1;
  /** The reason why the last attempt failed. */
  let why: string | undefined;
  let pausedUntil: number | undefined;
  const pausedMs = () => (pausedUntil === undefined ? 0 : Math.max(0, pausedUntil - monotonic()));
  // "sandbox…" would look like the start of its token, which is redacted.
  const name = host === 'sandbox' ? 'the embedded service' : host;
  const parts = () => {
    if (pausedUntil !== undefined) return [`${why}; next attempt in ${seconds(pausedMs())}`];
    const elapsedMs = Math.floor((monotonic() - start) / SECOND_MS) * SECOND_MS;
    const which = why === undefined ? '' : ` (attempt ${attempt} of ${attempts}: ${why})`;
    return [`Waiting for ${name}… ${seconds(elapsedMs)}${which}`];
  };
  const progress = showProgress({ parts, pausedMs, lastChange: () => start }, settings, runtime);
  return {
    failed(failure, tries) {
      attempt = tries + 1;
      why = reasonOf(failure);
    },
    pausing(ms) {
      pausedUntil = monotonic() + ms;
      progress.redraw();
    },
    resumed() {
      pausedUntil = undefined;
      progress.redraw();
    },
    end: () => progress.stop(),
  };
}

/** Returns the reason for a retry, without text of the service. */
function reasonOf({ kind, facts }: Failure): string {
  if (kind === 'rate_limited') return 'rate limited by the service';
  return facts.status === undefined ? facts.what : `HTTP ${facts.status}`;
}
