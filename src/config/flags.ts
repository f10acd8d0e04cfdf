// Flags as data: the shape of a flag, the names of flags, and the global flags, from which help, parsing and completion
// are made. Also the flags that a suggested command needs to reach the same service.

import type { Field } from '../api/operations/fields.ts';
import type { Runtime } from '../base/runtime.ts';
import { shellQuote } from '../base/shell.ts';
import { colorChoices, outputForms, type RawFlags, switchedOn } from './choices.ts';
import type { FlagType } from './flag-types.ts';

/** Where a call goes, as its command line had it. */
interface SuggestedFrom {
  readonly settings: { readonly context?: string | undefined };
  readonly flags: RawFlags;
}

/** A command line for the user to type, at the same service as this call: `social -C prod posts get …`. */
export function suggestCommand(words: string, { settings, flags }: SuggestedFrom): string {
  const { baseUrl, cacert } = flags;
  return ['social', ...serviceFlags(settings.context, baseUrl, cacert), words].join(' ');
}

/** The flags that name a service: `-C prod --base-url https://… --cacert ca.pem`, those that are given. */
export const serviceFlags = (context: unknown, baseUrl: unknown, cacert: unknown) =>
  [
    ['-C', context],
    ['--base-url', baseUrl],
    ['--cacert', cacert],
  ].flatMap(([flag, value]) => (typeof value === 'string' ? [flag, shellQuote(value)] : []));

/** `text-file` → `textFile`. */
export const camelCase = (flag: string): string =>
  flag.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());

/** `--target`; for a secret the flag that reads it. */
export const flagName = ({ flag, secret, kind }: Field): string =>
  secret && kind === 'text' ? `--${flag}-file` : `--${flag}`;

/** `--all-events` of a list whose items are known. */
export const allFlag = ({ flag, kind, values }: Field): string | undefined =>
  kind === 'list' && values !== undefined ? `--all-${flag}s` : undefined;

/** `--clear-secret`, `--clear-headers`. */
export const clearFlag = ({ flag, kind }: Field): string =>
  `clear-${flag}${kind === 'map' ? 's' : ''}`;

/** One description of a flag: the parser, help, completion and the reference take it. */
export interface FlagSpec {
  /** As commander reads it: `-C, --context <name>`. */
  readonly flags: string;
  readonly description: string;
  /** How its text is read; without it as it is, and judged elsewhere. */
  readonly type?: FlagType | undefined;
  /** The words that it takes, where it takes only some. */
  readonly values?: readonly string[] | undefined;
  readonly repeatable?: boolean;
  /** Whether a second value is a fault, and does not replace the first. */
  readonly once?: boolean;
  /** Whether the command always needs it. */
  readonly required?: boolean;
  /** The flags that it cannot be combined with: `--protected` of `--no-protected`. */
  readonly conflicts?: readonly string[];
  /** The flags of which it needs one. */
  readonly requires?: readonly string[];
  /** Whether `-` reads standard input. */
  readonly stdin?: true;
  /** Whether its value, or what it names, is a secret: the history does not store it. */
  readonly secret?: boolean;
  /** What it takes an ID of. */
  readonly id?: string | undefined;
  /** The title under which it is listed; without one among the flags of the command. */
  readonly group?: string | undefined;
}

/** `--dry-run` of `-n, --dry-run`. */
export const longName = (flags: string): string => /--[\w-]+/.exec(flags)![0];

/** The key under which the value of a flag arrives: `--secret-file <file>` → `secretFile`. */
export const keyOfFlag = ({ flags }: Pick<FlagSpec, 'flags'>): string =>
  camelCase(longName(flags).slice(2));

interface SettableFlag extends FlagSpec {
  /** The environment variable that can set it. */
  readonly env?: string;
}

interface GlobalFlag extends SettableFlag {
  /** The key under which the value arrives. */
  readonly key: string;
  readonly group: 'Target' | 'Output' | 'Safety' | 'Connection';
}

/** The most characters of `--note`. */
export const MAX_NOTE = 200;

/** The flag of every command that changes something. */
export const noteFlag: FlagSpec = {
  flags: '--note <text>',
  description: 'Note to store, e.g. an incident number',
};

/** The limits of `--retries`. */
export const RETRIES = { minimum: 0, maximum: 10 } as const;

const flagGroups: Readonly<Record<GlobalFlag['group'], readonly SettableFlag[]>> = {
  Target: [
    {
      flags: '-C, --context <name>',
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
      env: 'SOCIAL_ACCOUNT',
      description: 'Account ID',
    },
  ],
  Output: [
    { flags: '--json', description: 'Print the service’s data as JSON (same as -o json)' },
    {
      flags: '-o, --output <format>',
      env: 'SOCIAL_OUTPUT',
      values: outputForms,
      description: 'Output format: table, wide (all columns), json, ndjson or tsv',
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
      description: 'Confirm deleting or disabling this ID',
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

/** A global flag among the flags of a command that has a use of its own for it. */
export const globalFlag = (long: string, description: string): FlagSpec => ({
  ...globalFlags.find(({ flags }) => longName(flags) === long)!,
  description,
  group: undefined,
});

/** The global flag of the setting that a field is filled in from. */
const globalFlagOf = ({ fromContext }: Field): GlobalFlag | undefined =>
  fromContext === undefined ? undefined : globalFlags.find(({ key }) => key === fromContext);

/** `-a` for a field that is filled in from the account of the context; most fields have no short flag. */
export const shortFlagOf = (field: Field): string | undefined =>
  /^-\w\b/.exec(globalFlagOf(field)?.flags ?? '')?.[0];

/** Names the other ways to give a field its value, where there are any: `use -a, or set SOCIAL_ACCOUNT`. */
export function missingFix(field: Field): string | undefined {
  const { env } = globalFlagOf(field) ?? {};
  if (env !== undefined) return `use ${shortFlagOf(field)}, or set ${env}`;
  const other = field.prose ? `--${field.flag}-file` : allFlag(field);
  return other === undefined ? undefined : `or use ${other}`;
}

/** Whether the user wants no history of changes on this machine. */
export const isHistoryOff = ({ env }: Runtime): boolean =>
  switchedOn(env['SOCIAL_NO_HISTORY']) === true;
