// The flags of waiting: whether, how long, how often.

import type { Fault } from '../base/errors.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import { durationRule, parseDuration } from '../base/durations.ts';
import { camelCase, type PlainFlag } from '../config/flags.ts';
import { readFlag } from '../config/read-flag.ts';
import type { RawFlags } from '../config/choices.ts';

export interface WaitOptions {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

const INTERVAL_MS = 3000;
const TIMEOUT_MS = 600_000;

/** A wait without any of its flags. */
export const defaultWaitOptions: WaitOptions = {
  intervalMs: INTERVAL_MS,
  timeoutMs: TIMEOUT_MS,
};

/** The flags, for an operation that can be waited for. `posts wait` waits anyway and needs no `--wait`. */
export function waitFlags({ wait }: Operation, always: boolean): readonly PlainFlag[] {
  if (wait === undefined) return [];
  return [
    ...(always ? [] : [{ flags: '-w, --wait', description: wait.summary }]),
    {
      flags: '--wait-timeout <duration>',
      description: 'Maximum wait time (default 10m)',
    },
    {
      flags: '--interval <duration>',
      description: 'Initial polling interval (default 3s, up to 15s)',
    },
  ];
}

/** Reads the flags. Without `--wait` or `--canary` there is nothing to read, and the others are faults. */
export function parseWaitOptions(
  operation: Operation,
  flags: RawFlags,
): {
  waiting: WaitOptions | undefined;
  canaryWaiting: WaitOptions | undefined;
  faults: readonly Fault[];
} {
  const none = { waiting: undefined, canaryWaiting: undefined };
  if (operation.wait === undefined) return { ...none, faults: [] };
  const faults: Fault[] = [];
  const duration = (name: string) =>
    readFlag(flags, name, (text) => parseDuration(text) ?? durationRule, faults);
  const waiting = {
    intervalMs: duration('--interval') ?? INTERVAL_MS,
    timeoutMs: duration('--wait-timeout') ?? TIMEOUT_MS,
  };
  const isWaited = flags['wait'] === true;
  // The canary is waited for anyway.
  const canaryWaiting = flags['canary'] === undefined ? undefined : waiting;
  if (isWaited || canaryWaiting !== undefined)
    return { waiting: isWaited ? waiting : undefined, canaryWaiting, faults };
  const needless = ['--interval', '--wait-timeout'].filter(
    (flag) => flags[camelCase(flag.slice(2))] !== undefined,
  );
  faults.push(...needless.map((field) => ({ field, problem: 'requires --wait' })));
  return { ...none, faults };
}
