// Flags as data: the shape of a flag, the names of flags, and the global flags, from which help, parsing and completion
// are made.

import { type Field, kebab } from '../api/operations/fields.ts';
import type { Runtime } from '../base/runtime.ts';
import { type CommandLine, flagWords } from '../base/shell.ts';
import type { FlagType } from './flag-types.ts';

/** Converts `text-file` to `textFile`. */
export const camelCase = (flag: string): string =>
  flag.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());

/** Returns `--target`; for a secret the flag of the file that it is read from. */
export const flagName = ({ flag, secret, kind }: Field): string =>
  secret && kind === 'text' ? `--${flag}-file` : `--${flag}`;

/** Returns `--all-events` for a list of an enumeration, which means all of its values. */
export const allFlag = ({ flag, kind, values }: Field): string | undefined =>
  kind === 'list' && values !== undefined ? `--all-${flag}s` : undefined;

/** Returns `--clear-secret`, `--clear-headers`: the flag that sets a field to `null`. */
export const clearFlag = ({ flag, kind }: Field): string =>
  `--clear-${flag}${kind === 'map' ? 's' : ''}`;

/** The description of a flag, from which the parser, help, completion and the reference are made. */
export interface FlagSpec {
  /** The flag in the syntax of commander: `-C, --context <name>`. */
  readonly flags: string;
  readonly description: string;
  /** The type that parses its text. Without it the text stays, and is validated elsewhere. */
  readonly type?: FlagType | undefined;
  /** The allowed words, if they are limited. */
  readonly values?: readonly string[] | undefined;
  readonly repeatable?: boolean;
  /** True if a second use is a fault. Otherwise it replaces the first. */
  readonly once?: boolean;
  /** True if the request depends on the state at the service: a dry run with this flag reads that. */
  readonly readsFirst?: true;
  /** Set if a batch with a journal is the same job with the flag and without it. */
  readonly isImpliedByJournal?: true;
  /** True if the command always needs it. */
  readonly required?: boolean;
  /** The flags with which it cannot be combined: `--protected` with `--no-protected`. */
  readonly conflicts?: readonly string[];
  /** The flags of which it needs one. */
  readonly requires?: readonly string[];
  /** True if `-` reads standard input. */
  readonly stdin?: true;
  /** True if its value, or the file it names, is a secret: the history does not store it. */
  readonly secret?: boolean;
  /** The kind of ID that it accepts, or `context` for a name. */
  readonly id?: string | undefined;
  /** The heading under which help lists it; without it, among the flags of the command. */
  readonly group?: string | undefined;
}

/** Values of flags by key. */
export type RawFlags = Readonly<Record<string, unknown>>;

/** Types flags again, in the order in which they were typed. */
export const wordsOfFlags = (typed: RawFlags): CommandLine =>
  Object.entries(typed).flatMap(([key, value]) =>
    value === true
      ? [`--${kebab(key)}`]
      : flagWords(`--${kebab(key)}`, ...[value as string].flat()),
  );

/** The words of `-o`. */
export const outputWords = ['table', 'wide', 'json', 'ndjson', 'tsv', 'csv'] as const;

export type OutputWord = (typeof outputWords)[number];

/** The form in which a result is written; `wide` is a table too. */
export type OutputForm = Exclude<OutputWord, 'wide'>;

/** True if an output form is JSON: one document, or one for each line. */
export const isJsonForm = (form: string | undefined): boolean =>
  form === 'json' || form === 'ndjson';

/** Reads the variable of a switch; `undefined` if it is unset or empty. */
export const readSwitch = (text: string | undefined): boolean | undefined =>
  text === undefined || text === '' ? undefined : !['0', 'false'].includes(text);

export const colorChoices = ['auto', 'always', 'never'] as const;

export type ColorChoice = (typeof colorChoices)[number];

/** The requested colour; the command line takes precedence over the environment. */
export interface ColorWish {
  readonly choice: ColorChoice;
  readonly typed: boolean;
}

/** Returns `--dry-run` for `-n, --dry-run`. */
export const longName = (flags: string): string => /--[\w-]+/.exec(flags)![0];

/** Returns the key of a flag's value: `--secret-file <file>` → `secretFile`. */
export const keyOfFlag = ({ flags }: Pick<FlagSpec, 'flags'>): string =>
  camelCase(longName(flags).slice(2));

interface SettableFlag extends FlagSpec {
  /** The environment variable that can set it. */
  readonly env?: string;
}

interface GlobalFlag extends SettableFlag {
  /** The key of its value. */
  readonly key: string;
  readonly group: 'Target' | 'Output' | 'Safety' | 'Connection';
}

/** The flag of every command that changes something. */
export const noteFlag: SettableFlag = {
  flags: '--note <text>',
  env: 'SOCIAL_NOTE',
  description: 'Note to store, e.g. an incident number',
};

const flagGroups: Readonly<Record<GlobalFlag['group'], readonly SettableFlag[]>> = {
  Target: [
    {
      flags: '-C, --context <name>',
      id: 'context',
      env: 'SOCIAL_CONTEXT',
      description: 'Use this context; sandbox is the embedded service',
    },
    {
      flags: '--base-url <url>',
      env: 'SOCIAL_BASE_URL',
      description: 'Base URL of the service',
    },
    {
      flags: '-a, --account <id>',
      id: 'account',
      env: 'SOCIAL_ACCOUNT',
      description: 'Account ID',
    },
  ],
  Output: [
    { flags: '--json', description: 'Print the service’s data as JSON (same as -o json)' },
    {
      flags: '-o, --output <format>',
      env: 'SOCIAL_OUTPUT',
      values: outputWords,
      description: 'Output format: table, wide (all columns), json, ndjson, tsv or csv',
    },
    {
      flags: '--fields <paths>',
      repeatable: true,
      description: 'Print only these fields, e.g. status,targets.id',
    },
    { flags: '--jq <expression>', description: 'Filter JSON output with a jq expression' },
    { flags: '--utc', description: 'Print exact UTC times instead of relative ones' },
    { flags: '-q, --quiet', description: 'Hide notes and warnings' },
    {
      flags: '--color <when>',
      values: colorChoices,
      description: 'Use colour: auto, always or never',
    },
    { flags: '--no-color', description: 'Same as --color never' },
    {
      flags: '--accessible',
      env: 'SOCIAL_ACCESSIBLE',
      description: 'Screen-reader mode: plain lines, no redrawing',
    },
  ],
  Safety: [
    { flags: '-n, --dry-run', description: 'Print the request without sending it' },
    { flags: '--curl', description: 'Print it as a curl command (token: $SOCIAL_TOKEN)' },
    { flags: '-y, --yes', description: 'Answer yes to the confirmation question' },
    {
      flags: '--confirm <id>',
      repeatable: true,
      description: 'Answer yes for this ID alone, also where --yes is not enough',
    },
    { flags: '--no-input', env: 'SOCIAL_NO_INPUT', description: 'Never prompt' },
  ],
  Connection: [
    {
      flags: '--timeout <duration>',
      env: 'SOCIAL_TIMEOUT',
      description: 'Timeout per attempt, e.g. 500ms, 30s, 5m (default 30s)',
    },
    {
      flags: '--retries <n>',
      description: 'Retries for safe requests (default 2)',
    },
    {
      flags: '--query <name=value>',
      repeatable: true,
      description: 'Add or override a query parameter',
    },
    {
      flags: '--cacert <file>',
      description: 'Trust only these certificate authorities (PEM file)',
    },
    {
      flags: '--debug',
      env: 'SOCIAL_DEBUG',
      description: 'Log HTTP traffic to stderr, secrets masked',
    },
  ],
};

export const globalFlags: readonly GlobalFlag[] = Object.entries(flagGroups).flatMap(
  ([group, flags]) =>
    flags.map((flag) => ({ ...flag, group: group as GlobalFlag['group'], key: keyOfFlag(flag) })),
);

/** All flags that make the settings. Some have an environment variable; `storedSettings` says which a file may set. */
export const settableFlags = [...globalFlags, { ...noteFlag, key: keyOfFlag(noteFlag) }];

/** Makes a command flag from a global flag that the command uses in a special way. */
export const globalFlag = (long: string, description: string): FlagSpec => ({
  ...globalFlags.find(({ flags }) => longName(flags) === long)!,
  description,
  group: undefined,
});

/** Returns the global flag of the setting that is a field's default. */
const globalFlagOf = ({ fromContext }: Field): GlobalFlag | undefined =>
  fromContext === undefined ? undefined : globalFlags.find(({ key }) => key === fromContext);

/** Returns `-a` for a field whose default is the account of the context; most fields have no short flag. */
export const shortFlagOf = (field: Field): string | undefined =>
  /^-\w\b/.exec(globalFlagOf(field)?.flags ?? '')?.[0];

/** Names the other ways to set a field, if there are any: `use -a, or set SOCIAL_ACCOUNT`. */
export function missingFix(field: Field): string | undefined {
  const { env } = globalFlagOf(field) ?? {};
  if (env !== undefined) return `use ${shortFlagOf(field)}, or set ${env}`;
  const other = field.prose ? `--${field.flag}-file` : allFlag(field);
  return other === undefined ? undefined : `or use ${other}`;
}

/** True if the user has turned off the history on this machine. */
export const isHistoryOff = ({ env }: Runtime): boolean =>
  readSwitch(env['SOCIAL_NO_HISTORY']) === true;
