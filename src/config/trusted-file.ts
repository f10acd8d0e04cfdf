// Reads and changes the JSON files in the folder for settings. Only files that this user or the superuser wrote are
// read. A damaged file is reported with its path and left unchanged.

import { join } from 'node:path';
import { type Failure, ifPossible, unsentFailure } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { fileNames } from '../base/paths.ts';
import type { Runtime } from '../base/runtime.ts';
import { decodeUtf8 } from '../base/utf8.ts';
import { saveFile } from '../fs/atomic-write.ts';
import { withFileLock } from '../fs/lock.ts';
import { checkFolder, checkWriteAsRoot } from '../fs/permissions.ts';
import { readIfPresent } from '../fs/safe-read.ts';
import { type ColorChoice, colorChoices } from './flags.ts';

const MAX_BYTES = 1024 * 1024;

/** The format of config.json that this version writes; a newer one is rejected rather than misread. */
export const CONFIG_FORMAT = 1;

/** Reads the text of the file if it may be trusted; `undefined` if there is none. */
export function readTrustedText(path: string, runtime: Runtime): string | undefined {
  // `readIfPresent` checks the folder that the file is really in, which differs if it is a link.
  checkFolder(runtime.configDir());
  const bytes = readIfPresent(path, MAX_BYTES, 'trusted');
  if (bytes === undefined) return undefined;
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw damagedFile(path, ': it is not valid UTF-8; the file was not changed');
}

/**
 * Changes a file under its lock; an unchanged value is not written. Throws `Failure('local_io')` and leaves the file
 * unchanged if any step fails.
 */
export async function changeFile<T>(
  path: string,
  runtime: Runtime,
  read: () => T,
  change: (before: T) => T,
): Promise<void> {
  checkWriteAsRoot(runtime.configDir());
  const save = () => {
    const before = read();
    const after = change(before);
    // JSON omits undefined values, such as a setting that was unset.
    if (JSON.stringify(after) !== JSON.stringify(before))
      saveFile(path, `${JSON.stringify(after, null, 2)}\n`);
  };
  await withFileLock(path, save, runtime);
}

/** Parses the JSON object in the text of config.json at `path`. */
export function parseConfigObject(text: string, path: string): Readonly<Record<string, unknown>> {
  const damaged = (line: number) => damagedFile(path, ` (line ${line}); the file was not changed`);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw damaged(lineOf(error, text));
  }
  if (!isObject(value)) throw damaged(1);
  const { format } = value;
  if (typeof format === 'number' && format > CONFIG_FORMAT)
    throw untrustedFile(
      `${path} was written by a newer version of social (format ${format})`,
      'update social',
    );
  return value;
}

/** Returns the line at which Node’s parser stopped; the last one if it does not say. */
function lineOf(error: unknown, text: string): number {
  const at = /position (\d+)/.exec((error as Error).message)?.[1];
  return text.slice(0, at === undefined ? text.length : Number(at)).split('\n').length;
}

/** Makes the failure for a file whose content is wrong; `problem` continues the sentence. */
export const damagedFile = (path: string, problem: string): Failure =>
  untrustedFile(`${path} is damaged${problem}`, repairHint(path));

const repairHint = (path: string) =>
  `repair it, or start again with: mv ${path} ${path}.damaged`;

export function untrustedFile(what: string, hint: string): Failure {
  return unsentFailure('local_io', { what, hint });
}

/**
 * Reads the colour from the settings; `undefined` if they set none or cannot be read. It does not load the rules of all
 * settings, which would take a third of the time in which a terminal shows the help.
 */
export const colorSetting = (runtime: Runtime): ColorChoice | undefined =>
  ifPossible(() => {
    const path = join(runtime.configDir(), fileNames.config);
    const text = readTrustedText(path, runtime) ?? '{}';
    const { color } = parseConfigObject(text, path);
    return colorChoices.find((choice) => choice === color);
  });
