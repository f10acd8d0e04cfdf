// Tells on stderr how far a batch is: a line drawn in place on a terminal, a line every ten seconds elsewhere.

import { barLine, standingLine } from '../output/bar.ts';
import type { World } from '../world.ts';
import type { Settings } from './settings.ts';

export interface BatchProgress {
  /** One more item has ended. */
  done(failed: boolean): void;
  /** Takes the drawn line away, because something else is about to be written. */
  clear(): void;
  stop(): void;
}

const DRAW_MS = 200;
const LINE_MS = 10_000;
const ERASE = '\r\u001b[2K';

/** Starts telling; says nothing where the user asked for quiet. */
export async function batchProgress(
  total: number,
  { quiet, accessible }: Settings,
  { stderr, env, monotonic }: World,
): Promise<BatchProgress> {
  const start = monotonic();
  let [ended, failed, drawn] = [0, 0, false];
  const standing = () => ({ total, done: ended, failed, elapsedMs: monotonic() - start });
  const done = (isFailed: boolean) => {
    ended++;
    if (isFailed) failed++;
  };
  if (quiet) return { done, clear: () => undefined, stop: () => undefined };

  const { columns } = stderr;
  const draws =
    stderr.isTTY && columns !== undefined && env['TERM'] !== 'dumb' && !env['CI'] && !accessible;
  const { isUnicode } = await import('../output/locale.ts');
  const draw = () => {
    drawn = true;
    void stderr.write(ERASE + barLine(standing(), columns ?? 80, isUnicode(env)));
  };
  const tell = () => void stderr.write(`${standingLine(standing())}\n`);
  const timer = setInterval(draws ? draw : tell, draws ? DRAW_MS : LINE_MS);
  timer.unref();
  const clear = () => {
    if (drawn) void stderr.write(ERASE);
    drawn = false;
  };
  return {
    done,
    clear,
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
}
