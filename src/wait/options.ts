// The flags of a wait: whether to wait, how long, and how often to poll. They are apart from the wait because help loads
// them.

import type { Operation, Wait } from '../api/operations/define-operation.ts';
import type { WaitOptions } from '../client/session.ts';
import { duration } from '../config/flag-types.ts';
import { type FlagSpec, type RawFlags, wordsOfFlags } from '../config/flags.ts';
import type { CommandLine } from '../base/shell.ts';

/** Returns the flags for an operation that can be waited for. `posts wait` always waits and has no `--wait`. */
export function waitFlags({ wait }: Operation, always: boolean): readonly FlagSpec[] {
  if (wait === undefined) return [];
  const every = wait.everyMs === undefined ? '3s, growing to 15s' : '1s, also the shortest';
  // These flags need one of the two. A canary always waits for its calls.
  const requires = always ? [] : ['--wait', '--canary'];
  return [
    ...(always ? [] : [{ flags: '-w, --wait', description: wait.summary }]),
    {
      flags: '--wait-timeout <duration>',
      description: 'Maximum wait time (default 10m)',
      type: duration,
      requires,
    },
    {
      flags: '--interval <duration>',
      description: `Polling interval (default ${every})`,
      type: duration,
      requires,
    },
  ];
}

/** The flags that the line of the same wait repeats, beside those of every line. Consent is given anew each time. */
const repeated =
  'waitTimeout interval query quiet json output fields jq color noColor debug noInput'.split(' ');

/** Types the flags of a wait again, without the timeout if that has passed. */
export const retypedWait = (typed: RawFlags, isTimedOut: boolean): CommandLine =>
  wordsOfFlags(
    Object.fromEntries(
      Object.entries(typed).filter(
        ([key]) => repeated.includes(key) && !(isTimedOut && key === 'waitTimeout'),
      ),
    ),
  );

export const USUAL_TIMEOUT_MS = 600_000;

/** Reads the options of a wait from its flags, also if the command does not wait. */
export const waitOptionsOf = ({ interval, waitTimeout }: RawFlags, wait?: Wait): WaitOptions => ({
  intervalMs: Math.max((interval ?? wait?.everyMs ?? 3000) as number, wait?.everyMs ?? 0),
  timeoutMs: (waitTimeout ?? USUAL_TIMEOUT_MS) as number,
});
