// The settings of a call: flag, else environment, else context, else config, else default. Collects every fault
// instead of stopping at the first.

import type { Fault } from '../base/errors.ts';
import { quote, sanitizeLine } from '../base/sanitize.ts';
import type { Runtime } from '../base/runtime.ts';
import { baseUrlFault, withoutEndSlashes } from '../base/url.ts';
import type { Config, StoredContext } from './file.ts';
import { globalFlags, longName, MAX_NOTE, RETRIES } from './flags.ts';
import { duration, type FlagType, int, InvalidValue, oneOf, readValue } from './flag-types.ts';
import { ownProperty } from '../base/json.ts';
import {
  type RawFlags,
  colorChoices,
  isJsonForm,
  outputForms,
  type OutputWord,
  type ColorChoice,
  type ColorWish,
  switchedOn,
} from './choices.ts';

/** Where a setting came from. */
export type SettingOrigin = 'flag' | 'environment' | 'context' | 'config' | 'default';

type Env = Readonly<Record<string, string | undefined>>;

/** The context of the embedded service, which needs no configuration. */
export const SANDBOX = 'sandbox';

interface Given {
  readonly text: string;
  readonly from: SettingOrigin;
  /** The flag, the variable or the setting, as the user wrote it. */
  readonly field: string;
}

interface Sources {
  readonly raw: RawFlags;
  readonly env: Env;
  readonly stored: StoredContext | undefined;
  readonly config: Config;
}

/** The value of a setting, with its source: the first of flag, environment, context and config. */
export function findSetting(key: string, { raw, env, stored, config }: Sources): Given | undefined {
  const { flags, env: variable = '' } = globalFlags.find((flag) => flag.key === key)!;
  return (
    textFrom('flag', longName(flags), raw[key]) ??
    textFrom('environment', variable, env[variable] || undefined) ??
    textFrom('context', `the context’s ${key}`, stored?.[key]) ??
    textFrom('config', `config ${key}`, config[key])
  );
}

const textFrom = (from: SettingOrigin, field: string, text: unknown): Given | undefined =>
  typeof text === 'string' ? { text, from, field } : undefined;

/** Where the value of a switch comes from. */
export function switchOrigin(key: string, { raw, env, config }: Sources): SettingOrigin {
  if (raw[key] === true) return 'flag';
  if (variableOf(key, env) !== undefined) return 'environment';
  return config[key] === undefined ? 'default' : 'config';
}

/** The environment variable of a switch, where it is set. */
function variableOf(key: string, env: Env): string | undefined {
  const name = globalFlags.find((flag) => flag.key === key)?.env;
  return (name !== undefined && env[name]) || undefined;
}

/** Functions that read a setting by its key, from any source; an invalid value becomes a fault. */
function reader({ faults, ...sources }: Sources & { readonly faults: Fault[] }) {
  const { raw, env, config } = sources;
  const value = (key: string) => findSetting(key, sources);
  const read = <T>(key: string, type: FlagType<T>, fallback: T): T => {
    const given = value(key);
    return given === undefined
      ? fallback
      : (readValue(type, given.text, given.field, faults) ?? fallback);
  };
  const on = (key: string): boolean => {
    if (raw[key] === true) return true;
    const text = variableOf(key, env);
    return switchedOn(text) ?? config[key] === true;
  };
  const list = (key: string): readonly string[] => (raw[key] as string[] | undefined) ?? [];
  return { value, read, on, list };
}

export type Resolved = Readonly<ReturnType<typeof resolveSettings>>;
export type Settings = Readonly<Resolved['settings']>;

/** Resolves the flags that every command takes; faults name the flag or the variable that is wrong. */
export function resolveSettings(raw: RawFlags, env: Env, config: Config = {}) {
  const faults: Fault[] = [];
  const context = contextOf(raw, env, config);
  const name = context?.text;
  const isSandbox = name === SANDBOX;
  const stored = isSandbox ? undefined : ownProperty(config.contexts, name ?? '');
  const { value, read, on, list } = reader({ raw, env, stored, config, faults });
  const jq = value('jq')?.text;
  const word = read<OutputWord | undefined>('output', oneOf(outputForms), undefined);
  // A flag precedes a form from the environment or the settings.
  const output = raw['json'] === true || (jq !== undefined && word !== 'ndjson') ? 'json' : word;
  faults.push(...contradictions(raw, word, isSandbox));
  const baseUrl = read<string | undefined>('baseUrl', baseUrlType, undefined);
  return {
    settings: {
      /** The context in use, and where its name came from. */
      context: name,
      contextFrom: context?.from,
      /** The context in config.json; undefined for the sandbox, or without a context. */
      stored,
      baseUrl: baseUrl && withoutEndSlashes(baseUrl),
      account: value('account')?.text,
      /** The flag, variable or context that gave the account; for messages. */
      accountFrom: value('account')?.field,
      accountOrigin: value('account')?.from,
      /** Undefined unless it was set: then a terminal gets a table and a pipe TSV. */
      output: output === 'wide' ? 'table' : output,
      /** Tables with all their columns, however wide. */
      wide: output === 'wide',
      fields: fieldPaths(list('fields'), faults),
      jq,
      utc: on('utc'),
      quiet: on('quiet'),
      /** Line prompts, no redrawing, tables as `Header: value`. */
      accessible: on('accessible') || (env['ACCESSIBLE'] ?? '') !== '',
      color: colorOf(raw, read<ColorChoice>('color', oneOf(colorChoices), 'auto')),
      dryRun: on('dryRun') || on('curl'),
      curl: on('curl'),
      yes: on('yes'),
      confirm: list('confirm'),
      noInput: on('noInput'),
      timeoutMs: read('timeout', duration, 30_000),
      retries: read('retries', int(RETRIES.minimum, RETRIES.maximum), 2),
      cacert: value('cacert')?.text,
      query: list('query').flatMap((pair) => queryPair(pair, faults)),
      debug: on('debug'),
      /** What is stored with each change. */
      note: noteFrom(raw, env, faults),
    },
    faults: faults as readonly Fault[],
    /** Set when the named context does not exist: a fault except for commands that create one. */
    unknownContext: stored === undefined ? unknownContext(context, config) : undefined,
  };
}

/** The context in use. A base URL takes the place of a sandbox that is only the current context, as of any base URL. */
function contextOf(raw: RawFlags, env: Env, config: Config): Given | undefined {
  const given = findSetting('context', { raw, env, stored: undefined, config });
  if (given?.text !== SANDBOX || given.from !== 'config') return given;
  const hasBaseUrl = raw['baseUrl'] !== undefined || variableOf('baseUrl', env) !== undefined;
  return hasBaseUrl ? undefined : given;
}

/** The runtime as the settings want it: without notes under `--quiet`. */
export const withSettings = (runtime: Runtime, { quiet }: Settings): Runtime =>
  quiet ? { ...runtime, note: () => undefined } : runtime;

const colorOf = (raw: RawFlags, choice: ColorChoice): ColorWish =>
  raw['noColor'] === true
    ? { choice: 'never', typed: true }
    : { choice, typed: raw['color'] !== undefined };

/** It may hold a password: a fault does not show it. */
const baseUrlType: FlagType<string> = {
  parse(text) {
    const fault = baseUrlFault(text);
    if (fault !== undefined) throw new InvalidValue(fault);
    return text;
  },
};

function contradictions(
  raw: RawFlags,
  output: OutputWord | undefined,
  isSandbox: boolean,
): readonly Fault[] {
  const form = raw['output'] === undefined ? undefined : output;
  const json = raw['json'] === true;
  const jq = raw['jq'] !== undefined;
  const pairs: readonly (readonly [boolean, string, string])[] = [
    [json && form !== undefined && form !== 'json', '--json', `-o ${String(form)}`],
    [jq && form !== undefined && !isJsonForm(form), '--jq', `-o ${String(form)}`],
    [jq && raw['curl'] === true, '--jq', '--curl'],
    [isSandbox && raw['baseUrl'] !== undefined, '--base-url', '-C sandbox'],
  ];
  return pairs
    .filter(([both]) => both)
    .map(([, field, other]) => ({ field, problem: `cannot be combined with ${other}` }));
}

function unknownContext(given: Given | undefined, { contexts = {} }: Config): Fault | undefined {
  if (given === undefined || given.text === SANDBOX) return undefined;
  const { field, text } = given;
  const names = [SANDBOX, ...Object.keys(contexts)];
  return {
    field: 'context',
    problem: `${quote(text)} does not exist${field === '--context' ? '' : ` (${field})`}`,
    fix: `contexts: ${names.join(', ')}`,
    among: { typed: text, choices: names },
  };
}

/** The note of `--note`, else of `SOCIAL_NOTE`, without spaces around it. */
function noteFrom(raw: RawFlags, env: Env, faults: Fault[]): string | undefined {
  const field = raw['note'] === undefined ? 'SOCIAL_NOTE' : '--note';
  const given = raw['note'] ?? (env['SOCIAL_NOTE'] || undefined);
  if (typeof given !== 'string') return undefined;
  const text = given.trim();
  const { length } = Array.from(text);
  if (length >= 1 && length <= MAX_NOTE && sanitizeLine(text) === text) return text;
  const problem = `must be one line of 1 to ${MAX_NOTE} characters without control characters`;
  faults.push({
    field,
    problem: `${problem}, got ${length > MAX_NOTE ? `${length} characters` : quote(given)}`,
  });
  return undefined;
}

/** The fields of all `--fields`. None at all, as of a variable that is not set, would print every field. */
function fieldPaths(lists: readonly string[], faults: Fault[]): readonly string[] {
  const paths = lists
    .flatMap((list) => list.split(','))
    .map((path) => path.trim())
    .filter(Boolean);
  if (lists.length > 0 && paths.length === 0)
    faults.push({ field: '--fields', problem: 'must name a field, e.g. status,targets.id' });
  return paths;
}

function queryPair(text: string, faults: Fault[]): readonly (readonly [string, string])[] {
  const at = text.indexOf('=');
  if (at > 0) return [[text.slice(0, at), text.slice(at + 1)]];
  const fix = 'it adds a query parameter; to filter the result use --jq';
  faults.push({ field: '--query', problem: 'must be name=value', fix });
  return [];
}
