// `sandbox show` and `sandbox reset`: the contents of the sandbox, and a start from the beginning.

import { join } from 'node:path';
import type { Post } from '../../api/schema/post.ts';
import { usageFailure } from '../../base/errors.ts';
import { fileNames } from '../../base/paths.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { isJsonForm } from '../../config/choices.ts';
import {
  makePrivateFolder,
  refuseForeignFile,
  saveFile,
  startReplacement,
} from '../../fs/atomic-write.ts';
import { toJsonText } from '../../output/format.ts';
import { printWords } from '../../output/write-result.ts';
import type { ContentsSummary } from '../../sandbox/contents-summary.ts';
import { listedKinds, type StartName, startNames } from '../../sandbox/options.ts';
import { resetSandbox, summarizeSandbox } from '../../sandbox/server.ts';
import { outageFiles } from './outage-files.ts';
import { oneOfFlag, placeIn } from './serve.ts';

/** Resets the sandbox to the named state, and shows it. */
export async function resetSandboxState(call: LocalCall): Promise<void> {
  const start = (await oneOfFlag(call, 'state', startNames)) ?? 'demo';
  const { runtime } = call;
  const folder = exportFolder(call, start);
  // Before the reset: a path that cannot be written must not cost the old state.
  if (folder !== undefined) checkFiles(folder, call.flags['export'] !== undefined);
  const failed = await resetSandbox({ ...placeIn(runtime), start });
  runtime.note(`sandbox: reset to ${start}`);
  const files = folder === undefined ? [] : writeFiles(folder, failed);
  for (const path of files) runtime.note(`sandbox: wrote ${path}`);
  await print(call, { ...(await summarizeSandbox(placeIn(runtime))), files });
}

/** Where the files of an outage go: the folder of --export, else one beside the sandbox's state. */
function exportFolder({ flags, runtime }: LocalCall, start: StartName): string | undefined {
  const folder = flags['export'];
  if (folder === '') throw usageFailure({ field: '--export', problem: 'needs a folder' });
  if (start === 'outage')
    return typeof folder === 'string' ? folder : join(runtime.stateDir(), fileNames.outage);
  if (folder === undefined) return undefined;
  const fix = 'add --state outage';
  throw usageFailure({ field: '--export', problem: 'requires --state outage', fix });
}

/** Throws where one of the files could not be written, or would replace one in a folder of the user's. */
function checkFiles(folder: string, isUsers: boolean): void {
  const paths = outageFiles([]).map(([name]) => join(folder, name));
  if (isUsers) for (const path of paths) refuseForeignFile(path);
  makePrivateFolder(folder);
  for (const path of paths) startReplacement(path).drop();
}

function writeFiles(folder: string, failed: readonly Post[]): readonly string[] {
  return outageFiles(failed).map(([name, content]) => {
    const path = join(folder, name);
    saveFile(path, content);
    return path;
  });
}

/** Shows a summary of the contents, or the ids of a kind. */
export async function showSandbox(call: LocalCall): Promise<void> {
  const kind = await oneOfFlag(call, 'ids', listedKinds);
  const seen = await summarizeSandbox(placeIn(call.runtime), kind);
  if (kind === undefined) return print(call, seen);
  return printWords(call, seen.ids);
}

async function print(
  { form, runtime, settings }: LocalCall,
  seen: ContentsSummary & { readonly files?: readonly string[] },
): Promise<void> {
  const { state, createdAt, posts, samples, files = [] } = seen;
  const count = Object.entries(posts).map(([status, number]) => `${number} ${status}`);
  const pairs: [string, string][] = [
    ['state', state],
    ['createdAt', createdAt],
    ['posts', count.join(', ')],
    ...Object.entries(samples),
  ];
  const { stdout } = runtime;
  if (isJsonForm(form)) {
    const data = { state, createdAt, posts, samples, ...(files.length > 0 ? { files } : {}) };
    return stdout.write(toJsonText(data, form === 'json' && stdout.isTTY));
  }
  if (form === 'tsv' || settings.accessible) {
    const between = form === 'tsv' ? '\t' : ': ';
    return stdout.write(pairs.map((pair) => `${pair.join(between)}\n`).join(''));
  }
  const { fieldList } = await import('../../output/table.ts');
  await stdout.write(`${await fieldList(pairs, stdout.columns ?? 80)}\n`);
}
