// `sandbox show` and `sandbox reset`: the contents of the sandbox, and a start from the beginning.

import { toJson } from '../../base/json.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import type { ContentsSummary } from '../../sandbox/contents-summary.ts';
import { type ListedKind, listedKinds, startNames } from '../../sandbox/options.ts';
import { resetSandbox, summarizeSandbox } from '../../sandbox/server.ts';
import { oneOfFlag, placeIn } from './serve.ts';

/** Resets the sandbox to the named state, and shows it. */
export async function resetSandboxState(call: LocalCall): Promise<void> {
  const start = (await oneOfFlag(call, 'state', startNames)) ?? 'demo';
  const { runtime } = call;
  await resetSandbox({ ...placeIn(runtime), start });
  runtime.note(`sandbox: reset to ${start}`);
  await print(call, await survey(call));
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

async function print({ form, runtime, settings }: LocalCall, seen: ContentsSummary): Promise<void> {
  const { state, createdAt, posts, samples } = seen;
  const count = Object.entries(posts).map(([status, number]) => `${number} ${status}`);
  const pairs: [string, string][] = [
    ['state', state],
    ['createdAt', createdAt],
    ['posts', count.join(', ')],
    ...Object.entries(samples),
  ];
  const text =
    form === 'json' || form === 'ndjson'
      ? `${toJson({ state, createdAt, posts, samples }, form === 'json' && runtime.stdout.isTTY ? 2 : 0)}\n`
      : form === 'tsv'
        ? pairs.map((pair) => `${pair.join('\t')}\n`).join('')
        : settings.accessible
          ? pairs.map(([name, id]) => `${name}: ${id}\n`).join('')
          : `${await (await import('../../output/table.ts')).fieldList(pairs, runtime.stdout.columns ?? 80)}\n`;
  await runtime.stdout.write(text);
}
