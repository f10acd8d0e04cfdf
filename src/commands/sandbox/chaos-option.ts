// Parses `--chaos 'latency=200ms±100ms,429=5%,reset=1%'`: parts of a name and an amount. `+-` stands for `±`.

import { parseDuration } from '../../base/durations.ts';
import { quote } from '../../base/sanitize.ts';
import { type FlagType, InvalidValue } from '../../config/flag-types.ts';
import type { ChaosFault, ChaosPlan } from '../../sandbox/chaos.ts';

/** A plan with the text that it was read from, without spaces. */
export interface TypedPlan extends ChaosPlan {
  readonly text: string;
}

export const chaosPlan: FlagType<TypedPlan> = {
  parse(text) {
    const plan = readChaos(text);
    if (plan === undefined) throw new InvalidValue(`${quote(text)} ${rule}`, { fix: example });
    return { ...plan, text: text.replaceAll(/\s/g, '') };
  },
};

const rule =
  'must be comma-separated parts, each once: latency=<duration>[±<duration>], <status 400-599>=<n>%, reset=<n>%, lost=<n>%; at most 100% in total';
const example = 'e.g. latency=200ms±100ms,429=5%,lost=1%';

const DURATION = '\\d+(?:ms|s|m|h)';
const PART = new RegExp(
  `^(?:latency=(${DURATION})(?:(?:±|\\+-)(${DURATION}))?|([45]\\d\\d|reset|lost)=(\\d{1,3}(?:\\.\\d{1,3})?)%)$`,
);

/** Parses the plan; `undefined` for a text that breaks the rule. */
export function readChaos(text: string): ChaosPlan | undefined {
  const parts = text.split(',').map((part) => PART.exec(part.trim()));
  const names = parts.map((part) => part?.[3] ?? 'latency');
  if (new Set(names).size < names.length) return undefined;
  let latency: ChaosPlan['latency'];
  const faults: [ChaosFault, number][] = [];
  for (const part of parts) {
    if (part === null) return undefined;
    const [, duration, spread = '0ms', name, percent] = part;
    if (duration !== undefined) {
      const [ms, spreadMs] = [parseDuration(duration), parseSpread(spread)];
      if (ms === undefined || spreadMs === undefined || spreadMs > ms) return undefined;
      latency = { ms, spreadMs };
    } else {
      if (Number(percent) === 0) return undefined;
      faults.push([name === 'reset' || name === 'lost' ? name : Number(name), Number(percent)]);
    }
  }
  const total = faults.reduce((sum, [, percent]) => sum + percent, 0);
  return total > 100 ? undefined : { faults, latency };
}

/** A spread may be zero, a duration may not. */
const parseSpread = (text: string): number | undefined =>
  Number.parseInt(text, 10) === 0 ? 0 : parseDuration(text);
