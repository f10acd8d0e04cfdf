// The settings of a call: flag, else environment, else context, else config, else default. Collects every fault instead
// of stopping at the first.

import type { Fault } from '../base/fault.ts';
import { ownProperty } from '../base/json.ts';
import { quote } from '../base/sanitize.ts';
import type { Runtime } from '../base/runtime.ts';
import { withoutEndSlashes } from '../base/url.ts';
import { type Config, type StoredContext, storedSettings } from './file.ts';
import {
  type ColorChoice,
  colorChoices,
  type ColorWish,
  isJsonForm,
  longName,
  outputWords,
  type OutputWord,
  type RawFlags,
  readSwitch,
  settableFlags,
} from './flags.ts';
import {
  duration,
  type FlagType,
  folderFaults,
  int,
  note,
  oneOf,
  readValue,
  serviceUrl,
} from './flag-types.ts';

/** The source of a setting. */
type SettingOrigin = 'flag' | 'environment' | 'context' | 'config' | 'default';

type Env = Readonly<Record<string, string | undefined>>;

/** The context of the embedded sandbox, which needs no configuration. */
export const SANDBOX = 'sandbox';

interface FoundSetting {
  readonly text: string;
  readonly origin: SettingOrigin;
  /** The flag, the variable or the setting, as the user wrote it. */
  readonly field: string;
}

interface Sources {
  readonly raw: RawFlags;
  readonly env: Env;
  readonly stored: StoredContext | undefined;
  readonly config: Config;
}

/** Finds the value of a setting, with its source: the first of flag, environment, context and config. */
export function findSetting(
  key: string,
  { raw, env, stored, config }: Sources,
): FoundSetting | undefined {
  const { flags, env: variable = '' } = settableFlags.find((flag) => flag.key === key)!;
  return (
    textFrom('flag', longName(flags), switchText(raw[key])) ??
    textFrom('environment', variable, env[variable] || undefined) ??
    (storedSettings.context.includes(key)
      ? textFrom('context', `the context’s ${key}`, stored?.[key])
      : undefined) ??
    (storedSettings.config.includes(key)
      ? textFrom('config', `config ${key}`, switchText(config[key]))
      : undefined)
  );
}

const textFrom = (origin: SettingOrigin, field: string, text: unknown): FoundSetting | undefined =>
  typeof text === 'string' ? { text, origin, field } : undefined;

/** Makes a switch a text, as in the environment; on the command line and in config.json it is a boolean. */
const switchText = (value: unknown) => (typeof value === 'boolean' ? String(value) : value);

/** JSON is YAML too. */
const SAME_OUTPUT = { yaml: 'json', yml: 'json' } as const;

export type Resolved = Readonly<ReturnType<typeof resolveSettings>>;
export type Settings = Readonly<Resolved['settings']>;

/** Resolves the flags that every command accepts; faults name the invalid flag or variable. */
export function resolveSettings(raw: RawFlags, env: Env, config: Config = {}) {
  const faults: Fault[] = [...folderFaults(env)];
  const context = contextOf(raw, env, config);
  const name = context?.text;
  const isSandbox = name === SANDBOX;
  const stored = isSandbox ? undefined : ownProperty(config.contexts, name ?? '');
  const find = (key: string) => findSetting(key, { raw, env, stored, config });
  const read = <T>(key: string, type: FlagType<T>, fallback: T): T => {
    const found = find(key);
    if (found === undefined) return fallback;
    return readValue(type, found.text, found.field, faults) ?? fallback;
  };
  const on = (key: string): boolean => readSwitch(find(key)?.text) === true;
  const list = (key: string): readonly string[] => (raw[key] as string[] | undefined) ?? [];
  const jq = find('jq')?.text;
  const outputWord = read<OutputWord | undefined>(
    'output',
    oneOf(outputWords, SAME_OUTPUT),
    undefined,
  );
  // --json, and --jq, which reads JSON, take precedence over a form in the environment or the settings.
  const output =
    raw['json'] === true || (jq !== undefined && outputWord !== 'ndjson') ? 'json' : outputWord;
  faults.push(...contradictions(raw, outputWord, context));
  const baseUrl = read<string | undefined>('baseUrl', serviceUrl, undefined);
  return {
    settings: {
      /** The context in use, and the source of its name. */
      context: name,
      contextOrigin: context?.origin,
      /** The context in config.json; `undefined` for the sandbox, or without a context. */
      stored,
      baseUrl: baseUrl && withoutEndSlashes(baseUrl),
      /** The account for every platform without one of its own; see `accountFor`. */
      account: find('account'),
      /** `undefined` if it was not set: a terminal then gets a table, and a pipe TSV. */
      output: output === 'wide' ? 'table' : output,
      /** Tables with all their columns, however wide. */
      wide: output === 'wide',
      fields: fieldPaths(list('fields'), faults),
      jq,
      utc: on('utc'),
      quiet: on('quiet'),
      /** Line prompts, no redrawing, tables as lists of fields. */
      accessible: on('accessible') || (env['ACCESSIBLE'] ?? '') !== '',
      color: colorOf(raw, read<ColorChoice>('color', oneOf(colorChoices), 'auto')),
      dryRun: on('dryRun') || on('curl'),
      curl: on('curl'),
      yes: on('yes'),
      confirm: list('confirm'),
      noInput: on('noInput'),
      timeoutMs: read('timeout', duration, 30_000),
      retries: read('retries', int(0, 10), 2),
      cacert: find('cacert')?.text,
      query: list('query').flatMap((pair) => queryPair(pair, faults)),
      debug: on('debug'),
      /** The note that is stored with each change. */
      note: read<string | undefined>('note', note, undefined),
    },
    faults: faults as readonly Fault[],
    /** The fault of a context that does not exist. Commands that create a context ignore it. */
    unknownContext: stored === undefined ? unknownContext(context, config) : undefined,
  };
}

/** Finds the context in use. A base URL takes precedence over the sandbox if only config.json selects that. */
function contextOf(raw: RawFlags, env: Env, config: Config): FoundSetting | undefined {
  const found = findSetting('context', { raw, env, stored: undefined, config });
  if (found?.text !== SANDBOX || found.origin !== 'config') return found;
  const baseUrl = findSetting('baseUrl', { raw, env, stored: undefined, config: {} });
  return baseUrl === undefined ? found : undefined;
}

/** Applies the settings to the runtime: no notes with `--quiet`. */
export const withSettings = (runtime: Runtime, { quiet }: Settings): Runtime =>
  quiet ? { ...runtime, note: () => undefined } : runtime;

const colorOf = (raw: RawFlags, choice: ColorChoice): ColorWish =>
  raw['noColor'] === true
    ? { choice: 'never', typed: true }
    : { choice, typed: raw['color'] !== undefined };

function contradictions(
  raw: RawFlags,
  outputWord: OutputWord | undefined,
  context: FoundSetting | undefined,
): readonly Fault[] {
  // A flag takes precedence over a form in the environment or the settings, so only a typed form is a fault.
  const typedForm = raw['output'] === undefined ? undefined : outputWord;
  const json = raw['json'] === true;
  const jq = raw['jq'] !== undefined;
  const sandbox = context?.origin === 'environment' ? `${context.field}=${SANDBOX}` : '-C sandbox';
  const pairs: readonly (readonly [boolean, string, string])[] = [
    [json && typedForm !== undefined && typedForm !== 'json', '--json', `-o ${String(typedForm)}`],
    [jq && typedForm !== undefined && !isJsonForm(typedForm), '--jq', `-o ${String(typedForm)}`],
    [jq && raw['curl'] === true, '--jq', '--curl'],
    [context?.text === SANDBOX && raw['baseUrl'] !== undefined, '--base-url', sandbox],
  ];
  return pairs
    .filter(([both]) => both)
    .map(([, field, other]) => ({ field, problem: `cannot be combined with ${other}` }));
}

function unknownContext(
  context: FoundSetting | undefined,
  { contexts = {} }: Config,
): Fault | undefined {
  if (context === undefined || context.text === SANDBOX) return undefined;
  const { field, text } = context;
  const names = [SANDBOX, ...Object.keys(contexts)];
  const among = { typed: text, choices: names, listing: ['social', 'context', 'list'] };
  const problem = `names an unknown context ${quote(text)}`;
  return { field, problem, fix: `contexts: ${names.join(', ')}`, among };
}

/**
 * Returns the fields of all `--fields`. An empty list, such as an unset variable, is a fault, because it would print
 * every field.
 */
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

interface CallAccount {
  readonly id: string;
  /** Its flag, variable or setting, for messages. */
  readonly field: string;
}

/**
 * Returns the account of a call: the flag, else the variable, else the context’s account for the platform, else the
 * default account of the context or of all contexts.
 */
export function accountFor(
  { account, stored }: Settings,
  platform: string | undefined,
): CallAccount | undefined {
  const ofPlatform = platform === undefined ? undefined : ownProperty(stored?.accounts, platform);
  if (ofPlatform !== undefined && !overridesContext(account))
    return { id: ofPlatform, field: `the context’s account for ${platform!}` };
  return account && { id: account.text, field: account.field };
}

/** Lists the accounts that commands would use, with their sources: `AccountMastodonA (SOCIAL_ACCOUNT)`. */
export function accountsInUse(settings: Settings): string | undefined {
  const { account, stored } = settings;
  const platforms = overridesContext(account) ? [] : Object.keys(stored?.accounts ?? {});
  const accounts = platforms.map(
    (platform) => `${platform}: ${accountFor(settings, platform)!.id}`,
  );
  const usual = accountFor(settings, undefined);
  if (usual !== undefined)
    accounts.push(`${accounts.length === 0 ? '' : 'else '}${usual.id} (${usual.field})`);
  return accounts.join(', ') || undefined;
}

/** True if an account takes precedence over those of the context, also over the one for the platform. */
const overridesContext = (account: FoundSetting | undefined): boolean =>
  account?.origin === 'flag' || account?.origin === 'environment';
