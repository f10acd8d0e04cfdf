// `sandbox show` and `sandbox reset`: what the sandbox holds, and a fresh start.

import { toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import type { ContentsSummary } from '../../sandbox/contents-summary.ts';
import { type ListedKind, listedKinds, startNames } from '../../sandbox/options.ts';
import { resetSandbox, summarizeSandbox } from '../../sandbox/server.ts';
import { oneOfFlag } from './serve.ts';

/** Starts the sandbox over, in the state that is named, and shows it. */
export async function resetSandboxState(call: LocalCall): Promise<void> {
  const start = oneOfFlag(call, 'state', startNames) ?? 'demo';
  const { runtime, settings } = call;
  await resetSandbox({ ...placeIn(runtime), start });
  if (!settings.quiet) await runtime.stderr.write(`sandbox: started over as ${start}\n`);
  await print(call, await survey(call));
}

/** Shows what there is, or the ids of a kind. */
export async function showSandbox(call: LocalCall): Promise<void> {
  const kind = oneOfFlag(call, 'ids', listedKinds);
  const seen = await survey(call, kind);
  if (kind === undefined) return print(call, seen);
  const { form, runtime } = call;
  const asJson = form === 'json';
  const text = asJson
    ? [toJson(seen.ids)]
    : seen.ids.map((id) => (form === 'ndjson' ? toJson(id) : id));
  await runtime.stdout.write(text.map((line) => `${line}\n`).join(''));
}

async function survey({ runtime }: LocalCall, kind?: ListedKind) {
  return summarizeSandbox({ ...placeIn(runtime), note: noteTo(runtime) }, kind);
}

const placeIn = (runtime: Runtime) => ({
  stateDir: runtime.stateDir(),
  deadHolders: runtime.deadHolders,
  now: runtime.now,
});

const noteTo =
  ({ stderr }: Runtime) =>
  (line: string) =>
    void stderr.write(`${line}\n`);

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
