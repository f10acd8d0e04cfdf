// The flags of waiting: whether, how long, how often, for which end.

import type { Fault } from '../base/errors.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import { quote } from '../base/sanitize.ts';
import { Status } from '../api/schema/post.ts';
import { durationRule, parseDuration } from '../base/durations.ts';
import { DURATION, type PlainFlag } from '../config/flags.ts';
import type { RawFlags } from '../config/choices.ts';

export interface WaitOptions {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** The statuses that are a good end. */
  readonly goals: readonly string[];
}

const INTERVAL_MS = 3000;
const TIMEOUT_MS = 600_000;

/** A wait that nobody said more about. */
export const defaultWaitOptions: WaitOptions = {
  intervalMs: INTERVAL_MS,
  timeoutMs: TIMEOUT_MS,
  goals: ['published'],
};

/** `session` or `access code`: what the command calls the pairing that it waits for. */
export const pairingName = ({ command }: Operation): string =>
  command.split(' ').at(-1)!.replace('-', ' ');

/** The flags, for an operation that can be waited for. `posts wait` waits anyway and needs no `--wait`. */
export function waitFlags({ wait }: Operation, always: boolean): readonly PlainFlag[] {
  if (wait === undefined) return [];
  const whether = {
    flags: '--wait',
    description:
      wait.kind === 'targets'
        ? 'Stay until the targets have settled'
        : 'Stay until it is paired or over',
  };
  const goal = {
    flags: '--for <status>',
    description: 'Status that is a good end too, besides published; repeatable',
    repeatable: true,
    values: Status.options,
  } as const;
  return [
    ...(always ? [] : [whether]),
    ...(wait.kind === 'targets' ? [goal] : []),
    { flags: '--wait-timeout <duration>', description: 'Longest wait (10m)', bounds: DURATION },
    {
      flags: '--interval <duration>',
      description: 'Time between looks at first; grows to 15s (3s)',
      bounds: DURATION,
    },
  ];
}

/** Reads the flags. Without `--wait` there is nothing to read, and the others are faults. */
export function parseWaitOptions(
  { wait }: Operation,
  flags: RawFlags,
): { waiting: WaitOptions | undefined; faults: readonly Fault[] } {
  if (wait === undefined) return { waiting: undefined, faults: [] };
  const faults: Fault[] = [];
  const duration = (key: string, name: string, usual: number): number => {
    const text = flags[key];
    if (typeof text !== 'string') return usual;
    const ms = parseDuration(text);
    if (ms === undefined)
      faults.push({ field: name, problem: `${durationRule}, got ${quote(text)}` });
    return ms ?? usual;
  };
  const typed = ((flags['for'] as readonly string[] | undefined) ?? []).flatMap((each) =>
    each.split(','),
  );
  for (const goal of typed.filter(
    (each) => !(Status.options as readonly string[]).includes(each),
  )) {
    faults.push({
      field: '--for',
      problem: `must be one of: ${Status.options.join(', ')}; got ${quote(goal)}`,
      among: { typed: goal, choices: Status.options },
    });
  }
  const goals = [...new Set([...defaultWaitOptions.goals, ...typed])];
  const waiting = {
    intervalMs: duration('interval', '--interval', INTERVAL_MS),
    timeoutMs: duration('waitTimeout', '--wait-timeout', TIMEOUT_MS),
    goals,
  };
  if (flags['wait'] === true) return { waiting, faults };
  for (const [key, name] of [
    ['for', '--for'],
    ['interval', '--interval'],
    ['waitTimeout', '--wait-timeout'],
  ] as const) {
    if (flags[key] !== undefined) faults.push({ field: name, problem: 'goes with --wait' });
  }
  return { waiting: undefined, faults };
}
