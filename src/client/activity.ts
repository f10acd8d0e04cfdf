// What a call is waiting for, on stderr, once it takes longer than a moment: a line drawn in place on a terminal, a
// few lines elsewhere. A call that is answered at once shows nothing and loads nothing.

import type { Failure } from '../base/errors.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { Progress, Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import type { RetryObserver } from './retry.ts';

/** The progress of one call, reported by the code that makes it. */
export interface CallActivity extends RetryObserver {
  /** There is an answer, or there will be none. Takes away what was drawn. */
  end(): void;
}

export type Activity = ReturnType<typeof createActivity>;

/** Nothing is drawn before: with the start of the program some 300 ms after Enter. */
const FIRST_SIGN_MS = 200;
/** Where lines are written: a line after so much silence, and one for a pause of at least this. */
const SILENCE_MS = [10_000, 30_000, 60_000];
const LONG_PAUSE_MS = 5000;
const SECOND_MS = 1000;

const silent: CallActivity = {
  failed: () => undefined,
  pausing: () => undefined,
  resumed: () => undefined,
  end: () => undefined,
};

/** Shows what calls wait for; nothing where the user asked for quiet. `--debug` has lines of its own beside it. */
export function createActivity(
  runtime: Runtime,
  { quiet, accessible, debug }: Pick<Settings, 'quiet' | 'accessible' | 'debug'>,
) {
  let suspended = 0;
  return {
    /** A call to `host` begins, with `attempts` attempts at most. */
    begin(host: string, attempts: number): CallActivity {
      if (quiet || suspended > 0) return silent;
      return watchCall(stateOf(host, attempts, runtime), { accessible, debug }, runtime);
    },
    /** Shows nothing while another view is drawn, until the returned function is called. */
    suspend() {
      suspended++;
      return () => void suspended--;
    },
  };
}

function stateOf(host: string, attempts: number, { monotonic }: Runtime) {
  const start = monotonic();
  return {
    attempt: 1,
    /** Why the attempt before it failed. */
    why: undefined as string | undefined,
    /** Until when the next attempt is put off, by the monotonic clock. */
    pausedUntil: undefined as number | undefined,
    /** `Waiting for api.example.com… 3s` or `HTTP 503; next attempt in 2s`. */
    headline(): string {
      const { attempt, why, pausedUntil } = this;
      if (pausedUntil !== undefined)
        return `${why}; next attempt in ${seconds(Math.max(0, pausedUntil - monotonic()))}`;
      const which = why === undefined ? '' : ` (attempt ${attempt} of ${attempts}: ${why})`;
      const elapsedMs = Math.floor((monotonic() - start) / SECOND_MS) * SECOND_MS;
      // "sandbox…" would look like the beginning of its token, which is redacted.
      const name = host === 'sandbox' ? 'the embedded service' : host;
      return `Waiting for ${name}… ${seconds(elapsedMs)}${which}`;
    },
  };
}

const seconds = (ms: number): string => `${Math.ceil(ms / SECOND_MS)}s`;

/** Why there is a further attempt; no text of the service. */
function reasonOf({ kind, facts }: Failure): string {
  if (kind === 'rate_limited') return 'rate limited by the service';
  return facts.status === undefined ? facts.what : `HTTP ${facts.status}`;
}

/** Shows one call: `lines` where nothing can be drawn in place, `live` once something is. */
function watchCall(
  state: ReturnType<typeof stateOf>,
  { accessible, debug }: Pick<Settings, 'accessible' | 'debug'>,
  runtime: Runtime,
): CallActivity {
  const line = () => sanitizeLine(state.headline());
  let mode: 'early' | 'live' | 'lines' | 'ended' = accessible || debug ? 'lines' : 'early';
  let progress: Progress | undefined;

  const say = () => void runtime.stderr.write(`${line()}\n`);
  const sayPause = (ms: number) => {
    if (debug || ms >= LONG_PAUSE_MS) say();
  };
  const open = async () => {
    progress = await runtime.liveProgress().catch(() => undefined);
    if (mode === 'ended') return;
    mode = progress === undefined ? 'lines' : 'live';
    progress?.show(line);
    if (mode === 'lines' && state.pausedUntil !== undefined)
      sayPause(state.pausedUntil - runtime.monotonic());
  };
  const timers = [
    ...(mode === 'early' ? [setTimeout(() => void open(), FIRST_SIGN_MS)] : []),
    ...SILENCE_MS.map((ms) =>
      setTimeout(() => {
        if (mode === 'lines' && state.pausedUntil === undefined) say();
      }, ms),
    ),
  ];
  // A view does not keep the program from ending.
  for (const timer of timers) timer.unref();

  return {
    failed(failure, attempt) {
      state.attempt = attempt + 1;
      state.why = reasonOf(failure);
    },
    pausing(ms) {
      state.pausedUntil = runtime.monotonic() + ms;
      if (mode === 'lines') sayPause(ms);
      else progress?.show(line);
    },
    resumed() {
      state.pausedUntil = undefined;
      progress?.show(line);
    },
    end() {
      mode = 'ended';
      for (const timer of timers) clearTimeout(timer);
      progress?.stop();
    },
  };
}
