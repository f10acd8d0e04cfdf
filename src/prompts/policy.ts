// Decides whether prompts are possible, and shows the notice that the accessible mode is on: once per machine,
// remembered by an empty file.

import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileNames } from '../base/paths.ts';
import type { Prompts, Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { checkWritableBy, makePrivateFolder } from '../fs/permissions.ts';

/** Prints the notice if the mode is on and this machine has not shown it yet; never with JSON output. */
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

/** True if the notice is shown for the first time, and each time if that cannot be remembered. */
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

/** Returns the prompts if they are possible. */
export async function promptsFor(
  settings: Pick<Settings, 'noInput' | 'accessible'>,
  runtime: Runtime,
): Promise<Prompts | undefined> {
  return mayPrompt(settings, runtime) ? runtime.ask(settings.accessible) : undefined;
}

/** True if a prompt is possible: both sides are terminals, and `--no-input` is not set. */
export function mayPrompt(
  { noInput }: Pick<Settings, 'noInput'>,
  { stdin, stderr }: Runtime,
): boolean {
  return !noInput && stdin.isTTY && stderr.isTTY;
}
