// Parses `--chaos 'latency=200ms±100ms,429=5%,reset=1%'`: parts of a name and an amount. Each invalid part is a fault,
// with the rule and an example. `+-` stands for `±`.

import type { Fault } from '../../base/errors.ts';
import { quote } from '../../base/sanitize.ts';
import type { ChaosFault, ChaosPlan } from '../../sandbox/chaos.ts';
import { didYouMean } from '../../base/closest.ts';
import { parseDuration } from '../../base/durations.ts';

const EXAMPLE = 'latency=200ms±100ms,429=5%,lost=1%';

const NAMES = ['latency', '429', '503', 'reset', 'lost'];
const DURATION = /^(\d+(?:ms|s|m|h))(?:(?:±|\+-)(\d+)(ms|s|m|h)?)?$/;

type Wrong = Pick<Fault, 'problem' | 'fix'>;
type Part =
  | { readonly latency: NonNullable<ChaosPlan['latency']> }
  | { readonly fault: [ChaosFault, number] };

/** The plan, less what cannot be read of it, which is added to the faults. */
export function readChaos(text: string, faults: Fault[]): ChaosPlan {
  const seen = new Set<string>();
  let latency: ChaosPlan['latency'];
  const planned: [ChaosFault, number][] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    const read = readPart(part, seen);
    if ('problem' in read)
      faults.push({ field: part === '' ? '--chaos' : `--chaos ${quote(part)}`, ...read });
    else if ('latency' in read) latency = read.latency;
    else planned.push(read.fault);
  }
  const sum = planned.reduce((all, [, percent]) => all + percent, 0);
  if (sum > 100)
    faults.push({
      field: '--chaos',
      problem: `injects faults into ${Number(sum.toFixed(3))}% of the requests, more than 100%`,
      fix: 'lower the percentages to at most 100% in total',
    });
  return { faults: planned, ...(latency === undefined ? {} : { latency }) };
}

function readPart(part: string, seen: Set<string>): Part | Wrong {
  if (part === '')
    return {
      problem: 'has an empty part; parts are name=amount with commas between them',
      fix: `e.g. ${EXAMPLE}`,
    };
  const at = part.indexOf('=');
  const [name, amount] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
  const fault = name === 'latency' ? undefined : faultNamed(name);
  if (fault !== undefined && typeof fault === 'object') return fault;
  if (seen.has(name)) return { problem: `names ${name} twice`, fix: 'specify it once' };
  seen.add(name);
  if (fault === undefined) return readLatency(amount);
  const percent = /^\d{1,3}(?:\.\d{1,3})?%$/.test(amount) ? Number(amount.slice(0, -1)) : 0;
  if (percent > 0 && percent <= 100) return { fault: [fault, percent] };
  return {
    problem: 'needs a percentage above 0% and up to 100%, with up to three decimals',
    fix: `e.g. ${name}=${suggested(amount)}%`,
  };
}

/** The percentage that was most likely meant: 5 for `5`, `0.05` and `5 %`. */
function suggested(amount: string): number {
  const number = Number(/^\d+(?:\.\d{1,3})?/.exec(amount)?.[0] ?? Number.NaN);
  if (!(number > 0 && number <= 100)) return 5;
  return number < 1 && !amount.includes('%') ? Number((number * 100).toFixed(3)) : number;
}

function faultNamed(name: string): ChaosFault | Wrong {
  if (name === 'reset' || name === 'lost') return name;
  if (/^[45]\d\d$/.test(name)) return Number(name);
  const isNumber = /^\d+$/.test(name);
  const meant = isNumber ? undefined : didYouMean(name, NAMES);
  return {
    problem: isNumber
      ? 'must be a status from 400 to 599'
      : `unknown fault (expected: latency, a status from 400 to 599, reset or lost)`,
    fix: meant?.fix ?? `e.g. ${EXAMPLE}`,
  };
}

function readLatency(amount: string): Part | Wrong {
  const [, mean = '', spread, unit] = DURATION.exec(amount) ?? [];
  const ms = parseDuration(mean);
  if (ms === undefined)
    return {
      problem: 'needs a duration up to 24h, alone or with a spread',
      fix: 'e.g. latency=200ms or latency=200ms±100ms',
    };
  // A bare spread has the unit of the duration before it.
  const spreadMs =
    spread === undefined || Number(spread) === 0
      ? 0
      : parseDuration(`${Number(spread)}${unit ?? /[a-z]+$/.exec(mean)![0]}`);
  if (spreadMs !== undefined && spreadMs <= ms) return { latency: { ms, spreadMs } };
  return {
    problem: 'has a spread that is wider than the duration itself',
    fix: `at most latency=${mean}±${mean}`,
  };
}
