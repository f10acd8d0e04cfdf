// `context rename`: the settings, the token and the names of a context under another name.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ifPossible, unsentFailure } from '../../base/errors.ts';
import { ownProperty } from '../../base/json.ts';
import { fileNames } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { readLine } from '../../batch/journal/format.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { deleteToken, loadToken, storeToken } from '../../config/auth/token-store.ts';
import { changeConfig, type StoredContext } from '../../config/file.ts';
import { moveNames, readNames } from '../../config/names.ts';
import { SANDBOX } from '../../config/settings.ts';
import { readPart } from '../../fs/safe-read.ts';
import { contextNameOf, wrongName } from './context-name.ts';

/** Nothing is taken from the old name before the new one has it: what is cut short can be run again. */
export async function rename(call: LocalCall): Promise<void> {
  const [from, to] = [
    await contextNameOf(call),
    await contextNameOf(call, { at: 1, mayBeNew: true }),
  ];
  const { runtime, config } = call;
  if (from === SANDBOX) throw wrongName('"sandbox" is built in and cannot be renamed');
  if (Object.hasOwn(config.contexts ?? {}, to)) throw wrongName(`${quote(to)} exists already`);
  checkJournals(from, runtime);
  // Names that cannot be moved are found out before anything is.
  readNames(from, runtime);
  const stored = ownProperty(config.contexts, from)!;
  const tokenIn = await copyToken(from, to, stored, runtime);
  await changeConfig(runtime, (before) => {
    const all = Object.entries({ ...before.contexts }).map(
      ([name, context]) =>
        [name === from ? to : name, name === from ? { ...context, tokenIn } : context] as const,
    );
    const context = before.context === from ? to : before.context;
    return { ...before, context, contexts: Object.fromEntries(all) };
  });
  await moveNames(from, to, runtime);
  if (stored.tokenIn !== undefined) await deleteToken(from, stored.tokenIn, runtime);
  runtime.note(`Renamed context ${quote(from)} to ${quote(to)}.`);
}

/** Where the token is under the new name. */
async function copyToken(
  from: string,
  to: string,
  { tokenIn }: StoredContext,
  runtime: Runtime,
): Promise<StoredContext['tokenIn']> {
  if (tokenIn === undefined) return undefined;
  const entry = await loadToken(from, tokenIn, runtime);
  if (entry === undefined) return tokenIn;
  return (await storeToken(to, entry, tokenIn === 'file', runtime)).home;
}

/** A batch finds its journal by the context: under another name it would begin anew, and repeat what is done. */
function checkJournals(context: string, runtime: Runtime): void {
  const folder = join(runtime.stateDir(), fileNames.journals);
  const names = ifPossible(() => readdirSync(folder)) ?? [];
  const unfinished = names
    .filter((name) => name.endsWith('.journal'))
    .find((name) => contextOfJournal(join(folder, name)) === context);
  if (unfinished === undefined) return;
  throw unsentFailure('usage', {
    what: `context ${quote(context)} has an unfinished batch: ${join(folder, unfinished)}`,
    hint: 'run that batch again to finish it, or delete its journal',
  });
}

const HEADER_BYTES = 4096;

/** The context in the first line of a journal; `undefined` for what is none. */
function contextOfJournal(path: string): unknown {
  const text = ifPossible(() => readPart(path, HEADER_BYTES, 'start')) ?? '';
  const [line = ''] = text.split('\n');
  return (readLine(line, 0)?.record as { context?: unknown } | undefined)?.context;
}
