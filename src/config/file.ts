// The settings that are kept: contexts and defaults. Read here, strictly and without writing anything;
// written in `settings-store`. A file that does not make sense is named and left in place.

import { join } from 'node:path';
import type Conf from 'conf';
import * as z from 'zod/mini';
import { issuesOf } from '../api/schema/compile-validator.ts';
import { Failure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { urlWithoutUserInfo } from '../base/secret-words.ts';
import { saveFile } from '../fs/atomic-write.ts';
import { withFileLock } from '../fs/file-lock.ts';
import { readTrusted } from '../fs/trust.ts';
import { checkFolder, checkWritableBy } from '../fs/private-files.ts';
import { outputForms } from './choices.ts';
import { decodeUtf8 } from '../base/utf8.ts';

/** The layout that this version writes; a newer one is refused rather than misread. */
const CONFIG_FORMAT = 1;
const MAX_BYTES = 1024 * 1024;

const Output = z.enum(outputForms);

/** The rule of a context's name, as a message says it. */
export const CONTEXT_NAME_RULE = 'must be 1 to 32 letters, digits, - and _';

/** What every object has is no name: a look for it would find something that nobody stored. */
export const ContextName = z.string().check(
  z.regex(/^[A-Za-z0-9_-]{1,32}$/),
  z.refine((name) => !(name in Object.prototype), { error: 'cannot be that name' }),
);

const StoredContext = z.looseObject({
  baseUrl: z.optional(z.string()),
  account: z.optional(z.string()),
  output: z.optional(Output),
  protected: z.optional(z.boolean()),
  /** A program and its arguments; its first line of output is the token. */
  tokenCommand: z.optional(z.array(z.string()).check(z.minLength(1))),
  /** Where `auth login` put the token. */
  tokenIn: z.optional(z.enum(['keychain', 'file'])),
});

const Config = z.looseObject({
  format: z.optional(z.int()),
  /** The context in use. */
  context: z.optional(z.string()),
  contexts: z.optional(z.record(ContextName, StoredContext)),
  output: z.optional(Output),
  account: z.optional(z.string()),
  color: z.optional(z.enum(['auto', 'always', 'never'])),
  timeout: z.optional(z.string()),
  retries: z.optional(z.string()),
  utc: z.optional(z.boolean()),
  accessible: z.optional(z.boolean()),
});

export type StoredContext = z.output<typeof StoredContext>;
export type Config = z.output<typeof Config>;

/** Where the settings are kept. */
export const configPath = (runtime: Runtime): string => join(runtime.configDir(), 'config.json');

/** The settings on disk; empty when there are none. Throws `Failure('local_io')` when they cannot be trusted. */
export function readConfig(runtime: Runtime): Config {
  const config = readStored(runtime);
  if (config.contexts === undefined) return config;
  // A password that somebody has written into an address is refused when it is used, and shown nowhere.
  const contexts = Object.entries(config.contexts).map(([name, context]) => {
    const { baseUrl } = context;
    return [
      name,
      baseUrl === undefined ? context : { ...context, baseUrl: urlWithoutUserInfo(baseUrl) },
    ];
  });
  return { ...config, contexts: Object.fromEntries(contexts) as Config['contexts'] };
}

/** The same as they stand there. */
function readStored(runtime: Runtime): Config {
  const text = trustedText(runtime);
  return text === undefined ? {} : parseConfig(text, configPath(runtime));
}

/** What the file holds, where it may be believed and is text; nothing where there is none. */
function trustedText(runtime: Runtime): string | undefined {
  const path = configPath(runtime);
  checkFolder(runtime.configDir());
  const bytes = readTrusted(path, MAX_BYTES);
  if (bytes === undefined) return undefined;
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw distrust(`${path} is damaged: it is not valid UTF-8; it was left in place`, mend(path));
}

/** Settings from text; `path` is for the message. */
function parseConfig(text: string, path: string): Config {
  const value = parseObject(text, path);
  if (typeof value['format'] === 'number' && value['format'] > CONFIG_FORMAT) {
    throw distrust(
      `${path} was written by a newer social (format ${value['format']})`,
      'update social',
    );
  }
  const [issue] = issuesOf(Config, value);
  if (issue !== undefined)
    throw distrust(`${path} is damaged: ${issue.path.join('.')} ${issue.message}`, mend(path));
  const config = value as Config;
  const { contexts = {} } = config;
  // The schema passes over this name, and a look for it would find something that is no context.
  if (Object.hasOwn(contexts, '__proto__'))
    throw distrust(`${path} is damaged: contexts.__proto__ cannot be that name`, mend(path));
  if ('token' in value || Object.values(contexts).some((context) => 'token' in context)) {
    throw distrust(
      `${path} holds a token; settings are no place for one`,
      'take it out, and run: social auth login',
    );
  }
  return config;
}

function parseObject(text: string, path: string): Record<string, unknown> {
  const damaged = (line: number) =>
    distrust(`${path} is damaged (line ${line}); it was left in place`, mend(path));
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw damaged(lineOf(error, text));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw damaged(1);
  return value as Record<string, unknown>;
}

/** The line that Node's parser stopped at; the last one where it does not say. */
function lineOf(error: unknown, text: string): number {
  const at = /position (\d+)/.exec((error as Error).message)?.[1];
  return text.slice(0, at === undefined ? text.length : Number(at)).split('\n').length;
}

const mend = (path: string) => `mend it, or start over with: mv ${path} ${path}.damaged`;

function distrust(what: string, hint: string): Failure {
  return new Failure('local_io', { what, hint, sent: false, retryable: false });
}

// Changes to the settings, one process at a time. conf knows where the file is and reads it. It never writes: it takes a
// cut file for a written one on a full disk, and loses the changes of a second writer. Whether the file may be believed
// is asked before it reads, and what is kept is saved here.

/**
 * Reads the settings under a lock, lets `change` make new ones of them, and saves those; unknown keys stay.
 * Throws `Failure('local_io')` and leaves the file as it was when any step fails.
 */
export async function changeConfig(
  runtime: Runtime,
  change: (config: Config) => Config,
): Promise<void> {
  checkWritableBy(runtime.configDir());
  const { default: Store } = await import('conf');
  const save = () => {
    trustedText(runtime);
    const { path, store } = openConf(Store, runtime);
    const after = { ...change(store), format: CONFIG_FORMAT };
    // JSON leaves out what is undefined: a setting that was taken away.
    saveFile(path, `${JSON.stringify(after, null, 2)}\n`);
  };
  await withFileLock(configPath(runtime), save, runtime);
}

/** The settings as conf reads them. Without defaults, migrations or a change to `store`, conf has nothing to write. */
function openConf(Store: typeof Conf, runtime: Runtime): Conf<Config> {
  return new Store<Config>({
    projectName: 'social',
    projectSuffix: '',
    cwd: runtime.configDir(),
    configName: 'config',
    accessPropertiesByDotNotation: false,
    deserialize: (text) => parseConfig(text, configPath(runtime)),
  });
}
