// `sandbox show` and `sandbox reset`: the contents of the sandbox, and a start from the beginning.

import { join } from 'node:path';
import type { Post } from '../../api/schema/post.ts';
import { usageFailure } from '../../base/errors.ts';
import { fileNames } from '../../base/paths.ts';
import type { Call } from '../../cli/command-spec.ts';
import { isJsonForm } from '../../config/choices.ts';
import {
  makePrivateFolder,
  refuseForeignFile,
  saveFile,
  startReplacement,
} from '../../fs/atomic-write.ts';
import { toJsonText } from '../../output/format.ts';
import { type ContentsSummary, resetSandbox, summarizeSandbox } from '../../sandbox/contents.ts';
import type { StartName } from '../../sandbox/options.ts';
import { outageFiles } from './outage-files.ts';
import { placeIn } from './serve.ts';

/** Resets the sandbox to the named state, and shows it. */
export async function resetSandboxState(call: Call): Promise<void> {
  const { runtime } = call;
  const { state: start = 'demo' } = call.flags as { readonly state?: StartName };
  const folder = exportFolder(call, start);
  // Before the reset: a path that cannot be written must not cost the old state.
  if (folder !== undefined) checkFiles(folder, call.flags['export'] !== undefined);
  const failed = await resetSandbox({ ...placeIn(runtime), start });
  runtime.note(`sandbox: reset to ${start}`);
  const files = folder === undefined ? [] : writeFiles(folder, failed);
  for (const path of files) runtime.note(`sandbox: wrote ${path}`);
  // With --quiet the state is shown only in a form that was asked for.
  if (call.settings.quiet && call.settings.output === undefined) return;
  await print(call, { ...(await summarizeSandbox(placeIn(runtime))), files });
}

/** Where the files of an outage go: the folder of --export, else one beside the sandbox's state. */
function exportFolder({ flags, runtime }: Call, start: StartName): string | undefined {
  const folder = flags['export'];
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

/** Shows a summary of the contents. */
export const showSandbox = async (call: Call): Promise<void> =>
  print(call, await summarizeSandbox(placeIn(call.runtime)));

async function print(
  { form, runtime, settings }: Call,
  summary: ContentsSummary & { readonly files?: readonly string[] },
): Promise<void> {
  const { files = [], ...data } = summary;
  const { state, createdAt, posts, replies, samples } = data;
  const count = Object.entries(posts).map(([status, number]) => `${number} ${status}`);
  const pairs: [string, string][] = [
    ['state', state],
    ['createdAt', createdAt],
    ['posts', count.join(', ')],
    ['replies', String(replies)],
    ...Object.entries(samples),
  ];
  const { stdout } = runtime;
  if (isJsonForm(form)) {
    const all = files.length > 0 ? { ...data, files } : data;
    return stdout.write(toJsonText(all, form === 'json' && stdout.isTTY));
  }
  if (form === 'tsv' || settings.accessible) {
    const between = form === 'tsv' ? '\t' : ': ';
    return stdout.write(pairs.map((pair) => `${pair.join(between)}\n`).join(''));
  }
  const { fieldList } = await import('../../output/table.ts');
  await stdout.write(`${fieldList(pairs, stdout.columns ?? 80)}\n`);
}
