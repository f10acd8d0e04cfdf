// Whether a prompt is possible, and the notice that the accessible mode is on: once a machine, kept by an empty file.

import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileNames } from '../base/paths.ts';
import type { Prompts, Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { makePrivateFolder } from '../fs/atomic-write.ts';
import { checkWritableBy } from '../fs/permissions.ts';

/** Writes the line on stderr where the mode is on and this machine has not seen it yet; never beside JSON. */
export async function announceAccessible(
  { accessible, quiet, output }: Pick<Settings, 'accessible' | 'quiet' | 'output'>,
  runtime: Runtime,
): Promise<void> {
  if (!accessible || quiet || output === 'json' || output === 'ndjson') return;
  if (!isFirst(runtime.stateDir())) return;
  await runtime.stderr.write(
    'accessible mode is on: plain lines, numbered questions, no redrawing\n',
  );
}

/** Tells whether the notice is shown for the first time. Where that cannot be kept, it is shown each time. */
function isFirst(folder: string): boolean {
  try {
    checkWritableBy(folder);
    makePrivateFolder(folder);
    closeSync(openSync(join(folder, fileNames.accessibleNotice), 'wx', 0o600));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}

/** The prompts, where a question can be asked. */
export async function promptsFor(
  settings: Pick<Settings, 'noInput' | 'accessible'>,
  runtime: Runtime,
): Promise<Prompts | undefined> {
  return mayPrompt(settings, runtime) ? runtime.ask(settings.accessible) : undefined;
}

/** Whether a question can be asked: a terminal on both sides, and no `--no-input`. */
export function mayPrompt(
  { noInput }: Pick<Settings, 'noInput'>,
  { stdin, stderr }: Runtime,
): boolean {
  return !noInput && stdin.isTTY && stderr.isTTY;
}
