// What a call is to run with: flag, else environment, else context, else default. Collects every fault
// instead of stopping at the first. Holds the token but never shows it.

import type { Fault } from '../errors.ts';
import { outputForms, type OutputForm } from '../output/format.ts';
import { quote } from '../output/sanitize.ts';
import type { ColorChoice } from '../output/tone.ts';
import { durationRule, parseDuration } from './duration.ts';
import { globalFlags, longName } from './globals.ts';

/** Flag values as commander collected them, by key. */
export type RawFlags = Readonly<Record<string, unknown>>;

export interface Settings {
  readonly context: string | undefined;
  readonly baseUrl: string | undefined;
  readonly account: string | undefined;
  /** Absent when neither a flag nor the environment chose: then a terminal gets a table and a pipe TSV. */
  readonly output: OutputForm | undefined;
  readonly fields: readonly string[];
  readonly utc: boolean;
  readonly quiet: boolean;
  readonly color: ColorChoice;
  readonly dryRun: boolean;
  readonly curl: boolean;
  readonly yes: boolean;
  readonly confirm: readonly string[];
  readonly noInput: boolean;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly debug: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Resolves the flags that every command takes; faults name the flag or the variable that is wrong. */
export function resolveSettings(
  raw: RawFlags,
  env: Env,
): { settings: Settings; faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const value = (key: string): { text: string; from: string } | undefined => {
    const flag = globalFlags.find((each) => each.key === key)!;
    if (typeof raw[key] === 'string') return { text: raw[key], from: longName(flag.flags) };
    const text = flag.env === undefined ? undefined : env[flag.env];
    return text === undefined || text === '' ? undefined : { text, from: flag.env! };
  };
  const read = <T>(
    key: string,
    parse: (text: string) => T | string,
    fallback: T,
    secret = false,
  ): T => {
    const given = value(key);
    if (given === undefined) return fallback;
    const parsed = parse(given.text);
    if (typeof parsed !== 'string' || parsed === given.text) return parsed as T;
    const seen = secret ? '' : `, got ${quote(given.text)}`;
    faults.push({ field: given.from, problem: `${parsed}${seen}` });
    return fallback;
  };
  const on = (key: string): boolean => {
    if (raw[key] === true) return true;
    const variable = globalFlags.find((each) => each.key === key)?.env;
    return variable !== undefined && !['', '0', 'false', undefined].includes(env[variable]);
  };
  const list = (key: string): readonly string[] => (raw[key] as string[] | undefined) ?? [];

  const output = read<OutputForm | undefined>('output', oneOf(outputForms), undefined);
  if (raw['json'] === true && raw['output'] !== undefined && output !== 'json') {
    faults.push({
      field: '--json',
      problem: `contradicts -o ${String(output)}; choose one`,
    });
  }
  return {
    settings: {
      context: value('context')?.text,
      baseUrl: read<string | undefined>('baseUrl', parseBaseUrl, undefined, true)?.replace(
        /\/+$/,
        '',
      ),
      account: value('account')?.text,
      output: raw['json'] === true ? 'json' : output,
      fields: list('fields')
        .flatMap((each) => each.split(','))
        .map((each) => each.trim())
        .filter(Boolean),
      utc: on('utc'),
      quiet: on('quiet'),
      color: read<ColorChoice>('color', oneOf(['auto', 'always', 'never']), 'auto'),
      dryRun: on('dryRun') || on('curl'),
      curl: on('curl'),
      yes: on('yes'),
      confirm: list('confirm'),
      noInput: on('noInput'),
      timeoutMs: read('timeout', (text) => parseDuration(text) ?? durationRule, 30_000),
      retries: read('retries', wholeNumber(0, 10), 2),
      query: list('query').flatMap((each) => queryPair(each, faults)),
      debug: on('debug'),
    },
    faults,
  };
}

/** A base URL must be http(s) with a host and nothing but a path after it. The value may hold a password: not shown. */
function parseBaseUrl(text: string): string {
  const rule = 'must be https://host[:port][/path]';
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return rule;
  const { username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '') return `${rule}, without a user name or password`;
  return search !== '' || hash !== '' ? `${rule}, without a query or fragment` : text;
}

/** Reads a whole number in decimal digits, nothing else; gives the rule where it is none. */
export function wholeNumber(min: number, max: number): (text: string) => number | string {
  return (text) => {
    const number = Number(text);
    const fits = /^\d{1,9}$/.test(text) && number >= min && number <= max;
    return fits ? number : `must be a whole number from ${min} to ${max}`;
  };
}

function oneOf<T extends string>(values: readonly T[]): (text: string) => T | string {
  return (text) => values.find((each) => each === text) ?? `must be one of: ${values.join(', ')}`;
}

function queryPair(text: string, faults: Fault[]): readonly (readonly [string, string])[] {
  const at = text.indexOf('=');
  if (at > 0) return [[text.slice(0, at), text.slice(at + 1)]];
  faults.push({ field: '--query', problem: `must be name=value, got ${quote(text)}` });
  return [];
}
