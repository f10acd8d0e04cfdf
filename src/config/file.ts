// config.json, the contexts and defaults of a user: read strictly and without writing anything, changed under a lock.
// Like all files in the folder for settings, it is read only if this user or the superuser wrote it. A damaged file is
// reported with its path and left unchanged.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from 'conf';
import * as z from 'zod/mini';
import { issuesOf } from '../api/schema/issues.ts';
import { type Failure, unsentFailure } from '../base/errors.ts';
import { isObject, ownProperty } from '../base/json.ts';
import { fileNames } from '../base/paths.ts';
import { quote, quoteUnlessSecret } from '../base/sanitize.ts';
import type { Runtime } from '../base/runtime.ts';
import { baseUrlFault } from '../base/url.ts';
import { decodeUtf8, withoutBom } from '../base/utf8.ts';
import { cutShort, replaceFile, saveFile } from '../fs/atomic-write.ts';
import { withFileLock } from '../fs/lock.ts';
import { checkFolder, checkWriteAsRoot } from '../fs/permissions.ts';
import { readIfPresent } from '../fs/safe-read.ts';
import { colorChoices, outputWords } from './flags.ts';

const MAX_BYTES = 1024 * 1024;

/** The format of config.json that this version writes; a newer one is rejected rather than misread. */
const CONFIG_FORMAT = 1;

const CONTEXT_NAME = /^[A-Za-z0-9_-]{1,32}$/;

/** Returns the problem with a context's name. */
export function contextNameFault(name: string): string | undefined {
  if (!CONTEXT_NAME.test(name))
    return `must be 1 to 32 letters, digits, - and _, got ${quoteUnlessSecret(name)}`;
  // Every object has these names.
  return name in Object.prototype ? `${quote(name)} is not allowed; choose another` : undefined;
}

const storedContextSchema = z.looseObject({
  /** The message never quotes the URL, because it may contain a password. */
  baseUrl: z.optional(
    z.string().check(
      z.refine((url) => baseUrlFault(url) === undefined, {
        error: ({ input }) => baseUrlFault(String(input)),
      }),
    ),
  ),
  /** The account for platforms without an entry in `accounts`. */
  account: z.optional(z.string()),
  accounts: z.optional(z.record(z.string(), z.string())),
  output: z.optional(z.enum(outputWords)),
  protected: z.optional(z.boolean()),
  /** A program and its arguments; the first line of its output is the token. */
  tokenCommand: z.optional(z.array(z.string()).check(z.minLength(1))),
  /** The place where `auth login` stored the token. */
  tokenIn: z.optional(z.enum(['keychain', 'file'])),
});

const configSchema = z.looseObject({
  format: z.optional(z.int()),
  context: z.optional(z.string()),
  contexts: z.optional(z.record(z.string().check(z.regex(CONTEXT_NAME)), storedContextSchema)),
  output: z.optional(z.enum(outputWords)),
  account: z.optional(z.string()),
  color: z.optional(z.enum(colorChoices)),
  timeout: z.optional(z.string()),
  retries: z.optional(z.string()),
  utc: z.optional(z.boolean()),
  accessible: z.optional(z.boolean()),
});

/** The settings that the file may have, in every context or in one: a consent written into it would answer for ever. */
export const storedSettings = {
  config: Object.keys(configSchema.shape),
  context: Object.keys(storedContextSchema.shape),
};

export type StoredContext = z.output<typeof storedContextSchema>;
export type Config = z.output<typeof configSchema>;

export const configPath = (runtime: Runtime): string => join(runtime.configDir(), fileNames.config);

/** Reads the settings; empty if there are none. Throws `Failure('local_io')` if they cannot be trusted. */
export function readConfig(runtime: Runtime): Config {
  const path = configPath(runtime);
  const text = readTrustedText(path, runtime);
  return text === undefined ? {} : parseConfig(text, path);
}

/** Reads the text of a file for settings if it may be trusted; `undefined` if there is none. */
export function readTrustedText(path: string, runtime: Runtime): string | undefined {
  // `readIfPresent` checks the folder that the file is really in, which differs if it is a link.
  checkFolder(runtime.configDir());
  const bytes = readIfPresent(path, MAX_BYTES, 'trusted');
  if (bytes === undefined) return undefined;
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw damagedFile(path, ': it is not valid UTF-8');
}

/** Parses settings; `path` is for the message. */
function parseConfig(text: string, path: string): Config {
  let value: unknown;
  try {
    value = JSON.parse(withoutBom(text));
  } catch (error) {
    throw damagedFile(path, ` (line ${lineOf(error, text)})`);
  }
  if (!isObject(value)) throw damagedFile(path, ' (line 1)');
  const { format } = value;
  if (typeof format === 'number' && format > CONFIG_FORMAT)
    throw unsentFailure('local_io', {
      what: `${path} was written by a newer version of social (format ${format})`,
      hint: 'update social',
    });
  const [issue] = issuesOf(configSchema, value);
  if (issue !== undefined) throw damagedFile(path, `: ${issue.path.join('.')} ${issue.message}`);
  const config = value as Config;
  if ('token' in value || Object.values(config.contexts ?? {}).some((each) => 'token' in each)) {
    throw unsentFailure('local_io', {
      what: `${path} contains a token; tokens must not be in the settings`,
      hint: 'remove it, then run: social auth login',
    });
  }
  return config;
}

/** Returns the line at which Node’s parser stopped; the last one if it does not say. */
function lineOf(error: unknown, text: string): number {
  const at = /position (\d+)/.exec((error as Error).message)?.[1];
  return text.slice(0, at === undefined ? text.length : Number(at)).split('\n').length;
}

/** Makes the failure for a file whose content is wrong; `problem` continues the sentence. */
const damagedFile = (path: string, problem: string): Failure =>
  unsentFailure('local_io', {
    what: `${path} is damaged${problem}; the file was not changed`,
    hint: 'repair it, or move it away and start again',
    next: ['mv', '-n', path, `${path}.damaged`],
  });

/**
 * Changes a file under its lock; an unchanged value is not written. Throws `Failure('local_io')` and leaves the file
 * unchanged if any step fails.
 */
export async function changeFile<T>(
  path: string,
  runtime: Runtime,
  read: () => T,
  change: (before: T) => T,
  save: (after: T) => void = (after) => saveFile(path, textOf(after)),
): Promise<void> {
  checkWriteAsRoot(runtime.configDir());
  const changeIt = () => {
    const before = read();
    const after = change(before);
    if (textOf(after) !== textOf(before)) save(after);
  };
  await withFileLock(path, changeIt, runtime);
}

/** JSON omits undefined values, such as a setting that was unset. */
const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Changes the settings as `changeFile` does; unknown keys stay. conf validates and writes them beside the file that
 * they replace: it does not notice that a full disk cut its file short, and no reader may meet that one.
 */
export async function changeConfig(
  runtime: Runtime,
  change: (config: Config) => Config,
): Promise<void> {
  const { default: Conf } = await import('conf');
  const { toJsonSchema } = await import('../api/operations/json-schema.ts');
  const schema = toJsonSchema(configSchema)['properties'] as Schema<Config>;
  const path = configPath(runtime);
  const save = (config: Config) =>
    replaceFile(path, (temporary) => {
      mkdirSync(temporary, 0o700);
      const conf = new Conf<Config>({
        cwd: temporary,
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        schema,
        // zod made the schema; to check it too would take 40 ms.
        ajvOptions: { validateSchema: false },
        serialize: textOf,
      });
      conf.store = config;
      if (readFileSync(conf.path, 'utf8') !== textOf(config)) throw cutShort();
      return conf.path;
    });
  const changed = (config: Config) => ({ ...change(config), format: CONFIG_FORMAT });
  await changeFile(path, runtime, () => readConfig(runtime), changed, save);
}

/** Returns the settings with changes to one context, which may be new. */
export const withContext = (
  config: Config,
  name: string,
  changes: Partial<StoredContext>,
): Config => ({
  ...config,
  contexts: { ...config.contexts, [name]: { ...ownProperty(config.contexts, name), ...changes } },
});
