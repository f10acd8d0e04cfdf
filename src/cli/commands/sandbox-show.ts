// `sandbox show` and `sandbox reset`: what the sandbox holds, and a fresh start.

import { toJson } from '../../json.ts';
import { type ListedKind, listedKinds } from '../../sandbox/listed-kinds.ts';
import { startNames } from '../../sandbox/seed/start-names.ts';
import { resetSandbox, surveySandbox } from '../../sandbox/server.ts';
import type { Survey } from '../../sandbox/survey.ts';
import type { World } from '../../world.ts';
import type { LeafCall } from '../leaf.ts';
import { oneOfFlag } from './one-of-flag.ts';

/** Starts the sandbox over, in the state that is named, and shows it. */
export async function reset(call: LeafCall): Promise<void> {
  const start = oneOfFlag(call, 'state', startNames) ?? 'demo';
  const { world, settings } = call;
  await resetSandbox({ ...placeIn(world), start });
  if (!settings.quiet) await world.stderr.write(`sandbox: started over as ${start}\n`);
  await print(call, await survey(call));
}

/** Shows what there is, or the ids of a kind. */
export async function show(call: LeafCall): Promise<void> {
  const kind = oneOfFlag(call, 'ids', listedKinds);
  const seen = await survey(call, kind);
  if (kind === undefined) return print(call, seen);
  const { form, world } = call;
  const asJson = form === 'json';
  const text = asJson
    ? [toJson(seen.ids)]
    : seen.ids.map((id) => (form === 'ndjson' ? toJson(id) : id));
  await world.stdout.write(text.map((line) => `${line}\n`).join(''));
}

async function survey({ world }: LeafCall, kind?: ListedKind) {
  return surveySandbox({ ...placeIn(world), note: noteTo(world) }, kind);
}

const placeIn = (world: World) => ({
  stateDir: world.stateDir(),
  deadHolders: world.deadHolders,
  now: world.now,
});

const noteTo =
  ({ stderr }: World) =>
  (line: string) =>
    void stderr.write(`${line}\n`);

async function print({ form, world, settings }: LeafCall, seen: Survey): Promise<void> {
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
      ? `${toJson({ state, createdAt, posts, samples }, form === 'json' && world.stdout.isTTY ? 2 : 0)}\n`
      : form === 'tsv'
        ? pairs.map((pair) => `${pair.join('\t')}\n`).join('')
        : settings.accessible
          ? pairs.map(([name, id]) => `${name}: ${id}\n`).join('')
          : `${await (await import('../../output/table.ts')).fieldList(pairs, world.stdout.columns ?? 80)}\n`;
  await world.stdout.write(text);
}
