// Reads `--chaos 'latency=200ms±100ms,429=5%,reset=1%'`: a list of parts, each a name and how much of it.
// Every part that is wrong is told, with the rule and a way to write it. `+-` stands for `±`.

import type { Fault } from '../../base/errors.ts';
import { quote } from '../../base/sanitize.ts';
import type { ChaosFault, ChaosPlan } from '../../sandbox/chaos.ts';
import { closestWord } from '../../base/closest.ts';
import { parseDuration } from '../../base/durations.ts';

/** How it looks, for what went wrong. */
const EXAMPLE = 'latency=200ms±100ms,429=5%,lost=1%';

const NAMES = ['latency', '429', '503', 'reset', 'lost'];
const DURATION = /^(\d+(?:ms|s|m|h))(?:(?:±|\+-)(\d+)(ms|s|m|h)?)?$/;

type Reading<T> = { readonly value: T } | { readonly problem: string; readonly fix: string };

/** The plan, or everything that is wrong with it. */
export function readChaos(text: string): ChaosPlan | readonly Fault[] {
  const parts = text.split(',').map((part) => part.trim());
  const faults: Fault[] = [];
  const seen = new Set<string>();
  let latency: ChaosPlan['latency'];
  const planned: [ChaosFault, number][] = [];
  for (const part of parts) {
    const reading = readPart(part, seen);
    if ('problem' in reading) {
      const { problem, fix } = reading;
      faults.push({ field: part === '' ? '--chaos' : `--chaos ${quote(part)}`, problem, fix });
    } else if ('latency' in reading.value) latency = reading.value.latency;
    else planned.push(reading.value.fault);
  }
  const sum = planned.reduce((all, [, percent]) => all + percent, 0);
  if (sum > 100)
    faults.push({
      field: '--chaos',
      problem: `makes faults for ${Number(sum.toFixed(3))}% of the requests, more than all of them`,
      fix: 'lower the percentages to 100% together',
    });
  if (faults.length > 0) return faults;
  return { faults: planned, ...(latency === undefined ? {} : { latency }) };
}

type Part =
  | { readonly latency: NonNullable<ChaosPlan['latency']> }
  | { readonly fault: [ChaosFault, number] };

function readPart(part: string, seen: Set<string>): Reading<Part> {
  if (part === '')
    return {
      problem: 'has an empty part; parts are name=amount with commas between them',
      fix: `e.g. ${EXAMPLE}`,
    };
  const at = part.indexOf('=');
  const [name, amount] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
  const fault = name === 'latency' ? undefined : faultNamed(name);
  if (fault !== undefined && typeof fault === 'object') return fault;
  if (seen.has(name)) return { problem: `names ${name} a second time`, fix: 'keep one of them' };
  seen.add(name);
  if (fault === undefined) return readLatency(amount);
  const percent = /^\d{1,3}(?:\.\d{1,3})?%$/.test(amount) ? Number(amount.slice(0, -1)) : 0;
  if (percent > 0 && percent <= 100) return { value: { fault: [fault, percent] } };
  return {
    problem: 'needs a percentage above 0% and up to 100%, with up to three decimals',
    fix: `e.g. ${name}=${suggested(amount)}%`,
  };
}

/** The number that was most likely meant: 5 for `5`, `0.05` and for `5 %`. */
function suggested(amount: string): number {
  const number = Number(/^\d+(?:\.\d{1,3})?/.exec(amount)?.[0] ?? Number.NaN);
  if (!(number > 0 && number <= 100)) return 5;
  return number < 1 && !amount.includes('%') ? Number((number * 100).toFixed(3)) : number;
}

function faultNamed(name: string): ChaosFault | { problem: string; fix: string } {
  if (name === 'reset' || name === 'lost') return name;
  if (/^[45]\d\d$/.test(name)) return Number(name);
  const isNumber = /^\d+$/.test(name);
  const near = isNumber ? undefined : closestWord(name, NAMES);
  return {
    problem: isNumber
      ? 'must be a status from 400 to 599'
      : `names no fault; there are latency, a status from 400 to 599, reset and lost`,
    fix: near === undefined ? `e.g. ${EXAMPLE}` : `did you mean ${near}?`,
  };
}

function readLatency(amount: string): Reading<Part> {
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
  if (spreadMs !== undefined && spreadMs <= ms) return { value: { latency: { ms, spreadMs } } };
  return {
    problem: 'has a spread that is wider than the duration itself',
    fix: `at most latency=${mean}±${mean}`,
  };
}
