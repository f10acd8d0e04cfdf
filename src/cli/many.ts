// The same operation on several ids, one after the other; the results stream as they come. One failure does
// not stop the rest, but a token that is refused does.

import type { Input } from '../call/request.ts';
import { Failure, type FailureKind } from '../errors.ts';
import { toNdjson } from '../output/format.ts';
import { sanitizeLine } from '../output/sanitize.ts';
import { pick } from '../output/view.ts';
import type { Calling } from './calling.ts';
import { asFailure, errorObject } from './report.ts';
import { formOf, show } from './show.ts';
import type { Ended } from './waiting.ts';

/** Runs every input and shows each result. Throws a `Failure` at the end when not all went well. */
export async function each(
  calling: Calling,
  inputs: readonly Input[],
  one: (input: Input) => Promise<Ended>,
): Promise<void> {
  const failures: Failure[] = [];
  let started = 0;
  for (const [i, input] of inputs.entries()) {
    started++;
    const failure = await attempt(calling, i + 1, input, one);
    if (failure !== undefined) failures.push(failure);
    if (failure?.kind === 'interrupted' || failure?.kind === 'terminated') throw failure;
    if (failure?.kind === 'unauthorized') break;
  }
  if (failures.length > 0) throw verdict(failures, inputs.length, started);
}

async function attempt(
  calling: Calling,
  line: number,
  input: Input,
  one: (input: Input) => Promise<Ended>,
): Promise<Failure | undefined> {
  const { paths, settings, world } = calling;
  const form = formOf(settings, world.stdout);
  const asLines = form === 'json' || form === 'ndjson';
  const picked = (data: unknown) => (paths.length === 0 ? data : pick(data, paths));
  try {
    const { data, failure } = await one(input);
    if (failure !== undefined) throw failure;
    if (asLines)
      await world.stdout.write(
        toNdjson([{ line, input, ok: true, exitCode: 0, data: picked(data) }]),
      );
    else await show(calling, data);
    return undefined;
  } catch (error) {
    const failure = asFailure(error);
    const report = { line, input, ok: false, exitCode: failure.exitCode, ...errorOf(failure) };
    const told = `error: ${sanitizeLine(`${String(Object.values(input)[0])}: ${failure.facts.what}`)}\n`;
    await (asLines ? world.stdout.write(toNdjson([report])) : world.stderr.write(told));
    return failure;
  }
}

const errorOf = (failure: Failure) => ({
  error: (errorObject(failure) as { error: object }).error,
});

/** How a batch as a whole ends: refused token, some failed, or nothing worse than unknown. */
function verdict(failures: readonly Failure[], total: number, started: number): Failure {
  const of = (kind: FailureKind) => failures.filter((failure) => failure.kind === kind).length;
  const unknown = of('outcome_unknown');
  const failed = failures.length - unknown;
  const kind =
    of('unauthorized') > 0 ? 'unauthorized' : failed > 0 ? 'batch_failed' : 'outcome_unknown';
  return new Failure(kind, {
    what: `ok ${started - failures.length}, failed ${failed}, unknown ${unknown}, not started ${total - started}`,
    sent: true,
    retryable: false,
  });
}
