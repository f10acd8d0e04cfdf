// `sandbox show` and `sandbox reset`: the contents of the sandbox, and a start from the beginning.

import { join } from 'node:path';
import type { Post } from '../../api/schema/post.ts';
import { usageFailure } from '../../base/errors.ts';
import { toJson } from '../../base/json.ts';
import { fileNames } from '../../base/paths.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { saveFile } from '../../fs/atomic-write.ts';
import type { ContentsSummary } from '../../sandbox/contents-summary.ts';
import { type ListedKind, listedKinds, type StartName, startNames } from '../../sandbox/options.ts';
import { outageFiles } from '../../sandbox/outage-files.ts';
import { resetSandbox, summarizeSandbox } from '../../sandbox/server.ts';
import { oneOfFlag, placeIn } from './serve.ts';

/** Resets the sandbox to the named state, and shows it. */
export async function resetSandboxState(call: LocalCall): Promise<void> {
  const start = (await oneOfFlag(call, 'state', startNames)) ?? 'demo';
  const { runtime } = call;
  const folder = exportFolder(call, start);
  const failed = await resetSandbox({ ...placeIn(runtime), start });
  runtime.note(`sandbox: reset to ${start}`);
  const files = folder === undefined ? [] : writeFiles(folder, failed);
  for (const path of files) runtime.note(`sandbox: wrote ${path}`);
  await print(call, { ...(await survey(call)), files });
}

/** Where the files of an outage go: the folder of --export, else one beside the sandbox's state. */
function exportFolder({ flags, runtime }: LocalCall, start: StartName): string | undefined {
  const folder = flags['export'];
  if (start === 'outage')
    return typeof folder === 'string' ? folder : join(runtime.stateDir(), fileNames.outage);
  if (folder === undefined) return undefined;
  const fix = 'add --state outage';
  throw usageFailure([{ field: '--export', problem: 'requires --state outage', fix }]);
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
  const seen = await survey(call, kind);
  if (kind === undefined) return print(call, seen);
  const { form, runtime } = call;
  const lines = seen.ids.map((id) => (form === 'ndjson' ? toJson(id) : id));
  const text = form === 'json' ? [toJson(seen.ids)] : lines;
  await runtime.stdout.write(text.map((line) => `${line}\n`).join(''));
}

async function survey({ runtime }: LocalCall, kind?: ListedKind) {
  const note = (line: string) => void runtime.stderr.write(`${line}\n`);
  return summarizeSandbox({ ...placeIn(runtime), note }, kind);
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
  const text =
    form === 'json' || form === 'ndjson'
      ? `${toJson({ state, createdAt, posts, samples, ...(files.length > 0 ? { files } : {}) }, form === 'json' && runtime.stdout.isTTY ? 2 : 0)}\n`
      : form === 'tsv'
        ? pairs.map((pair) => `${pair.join('\t')}\n`).join('')
        : settings.accessible
          ? pairs.map(([name, id]) => `${name}: ${id}\n`).join('')
          : `${await (await import('../../output/table.ts')).fieldList(pairs, runtime.stdout.columns ?? 80)}\n`;
  await runtime.stdout.write(text);
}
