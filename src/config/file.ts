// config.json, the contexts and defaults of a user: read strictly and without writing anything, changed under a lock.
// An invalid file is reported with its path and left unchanged.

import { join } from 'node:path';
import type Conf from 'conf';
import * as z from 'zod/mini';
import { issuesOf } from '../api/schema/rules.ts';
import { ownProperty } from '../base/json.ts';
import { fileNames } from '../base/paths.ts';
import { quote, quoteUnlessSecret } from '../base/sanitize.ts';
import type { Runtime } from '../base/runtime.ts';
import { urlWithoutUserInfo } from '../base/url.ts';
import { colorChoices, outputWords } from './flags.ts';
import {
  changeFile,
  CONFIG_FORMAT,
  damagedFile,
  untrustedFile,
  parseConfigObject,
  readTrustedText,
} from './trusted-file.ts';

const CONTEXT_NAME = /^[A-Za-z0-9_-]{1,32}$/;

/** These names are rejected, because a lookup would find the inherited property. */
const isInherited = (name: string): boolean => name in Object.prototype;

/** Returns the problem with a context's name. */
export function contextNameFault(name: string): string | undefined {
  if (!CONTEXT_NAME.test(name))
    return `must be 1 to 32 letters, digits, - and _, got ${quoteUnlessSecret(name)}`;
  return isInherited(name) ? `${quote(name)} is not allowed; choose another` : undefined;
}

const storedContextSchema = z.looseObject({
  baseUrl: z.optional(z.string()),
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
  contexts: z.optional(
    z.record(
      z.string().check(
        z.regex(CONTEXT_NAME),
        z.refine((name) => !isInherited(name), { error: 'is not allowed as a name' }),
      ),
      storedContextSchema,
    ),
  ),
  output: z.optional(z.enum(outputWords)),
  account: z.optional(z.string()),
  color: z.optional(z.enum(colorChoices)),
  timeout: z.optional(z.string()),
  retries: z.optional(z.string()),
  utc: z.optional(z.boolean()),
  accessible: z.optional(z.boolean()),
});

export type StoredContext = z.output<typeof storedContextSchema>;
export type Config = z.output<typeof configSchema>;

export const configPath = (runtime: Runtime): string => join(runtime.configDir(), fileNames.config);

/** Reads the settings; empty if there are none. Throws `Failure('local_io')` if they cannot be trusted. */
export function readConfig(runtime: Runtime): Config {
  const text = readTrustedText(configPath(runtime), runtime);
  const config = text === undefined ? {} : parseConfig(text, configPath(runtime));
  if (config.contexts === undefined) return config;
  // A password in a base URL is masked, so that nothing shows it. The URL is still rejected when it is used.
  const contexts = Object.entries(config.contexts).map(([name, context]) => {
    const { baseUrl } = context;
    return [
      name,
      baseUrl === undefined ? context : { ...context, baseUrl: urlWithoutUserInfo(baseUrl) },
    ];
  });
  return { ...config, contexts: Object.fromEntries(contexts) as Config['contexts'] };
}

/** Parses settings; `path` is for the message. */
function parseConfig(text: string, path: string): Config {
  const value = parseConfigObject(text, path);
  const [issue] = issuesOf(configSchema, value);
  if (issue !== undefined) throw damagedFile(path, `: ${issue.path.join('.')} ${issue.message}`);
  const config = value as Config;
  const { contexts = {} } = config;
  // A record of zod skips this name without an issue.
  if (Object.hasOwn(contexts, '__proto__'))
    throw damagedFile(path, ': contexts.__proto__ is not allowed as a name');
  if ('token' in value || Object.values(contexts).some((context) => 'token' in context)) {
    throw untrustedFile(
      `${path} contains a token; tokens must not be in the settings`,
      'remove it, then run: social auth login',
    );
  }
  return config;
}

/**
 * Changes the settings as `changeFile` does; unknown keys stay. conf finds the path and reads; it does not save,
 * because its save mistakes a file that a full disk cut short for a complete one, and loses the changes of a second
 * process.
 */
export async function changeConfig(
  runtime: Runtime,
  change: (config: Config) => Config,
): Promise<void> {
  const { default: Store } = await import('conf');
  const read = () => {
    // conf reads any file, so its trust is checked first.
    readTrustedText(configPath(runtime), runtime);
    return openConf(Store, runtime).store;
  };
  const path = configPath(runtime);
  await changeFile(path, runtime, read, (config) => ({ ...change(config), format: CONFIG_FORMAT }));
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

/** Without defaults, migrations or a change to `store`, conf reads once and writes nothing. */
function openConf(Store: typeof Conf, runtime: Runtime): Conf<Config> {
  return new Store<Config>({
    projectName: 'social',
    projectSuffix: '',
    cwd: runtime.configDir(),
    configName: fileNames.config,
    fileExtension: '',
    accessPropertiesByDotNotation: false,
    deserialize: (text) => parseConfig(text, configPath(runtime)),
  });
}
