// The same operation on several ids, one after the other; the results stream as they come. One failure does
// not stop the rest, but a token that is refused does.

import type { Input } from '../call/request.ts';
import { Failure, type FailureKind } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { toNdjson } from '../output/format.ts';
import { sanitizeLine } from '../output/sanitize.ts';
import { pick } from '../output/view.ts';
import type { World } from '../world.ts';
import { asFailure, errorObject } from './report.ts';
import type { Service } from './service.ts';
import type { Settings } from './settings.ts';
import { formOf, show } from './show.ts';

interface Job {
  readonly operation: Operation;
  readonly inputs: readonly Input[];
  readonly paths: readonly string[];
  readonly settings: Settings;
}

type Call<J> = (job: J, input: Input, service: Service, world: World) => Promise<unknown>;

/** Runs every input and shows each result. Throws a `Failure` at the end when not all went well. */
export async function each<J extends Job>(
  job: J,
  service: Service,
  call: Call<J>,
  world: World,
): Promise<void> {
  const failures: Failure[] = [];
  let started = 0;
  for (const [i, input] of job.inputs.entries()) {
    started++;
    const failure = await attempt(job, i + 1, input, service, call, world);
    if (failure !== undefined) failures.push(failure);
    if (failure?.kind === 'interrupted' || failure?.kind === 'terminated') throw failure;
    if (failure?.kind === 'unauthorized') break;
  }
  if (failures.length > 0) throw verdict(failures, job.inputs.length, started);
}

async function attempt<J extends Job>(
  job: J,
  line: number,
  input: Input,
  service: Service,
  call: Call<J>,
  world: World,
): Promise<Failure | undefined> {
  const form = formOf(job.settings, world.stdout);
  const asLines = form === 'json' || form === 'ndjson';
  try {
    const data = await call(job, input, service, world);
    if (!asLines) await show(job.operation, data, job.paths, job.settings, world);
    else
      await world.stdout.write(
        toNdjson([
          {
            line,
            input,
            ok: true,
            exitCode: 0,
            data: job.paths.length === 0 ? data : pick(data, job.paths),
          },
        ]),
      );
    return undefined;
  } catch (error) {
    const failure = asFailure(error);
    const report = { line, input, ok: false, exitCode: failure.exitCode, ...errorOf(failure) };
    if (asLines) await world.stdout.write(toNdjson([report]));
    else
      await world.stderr.write(
        `error: ${sanitizeLine(String(Object.values(input)[0]))}: ${sanitizeLine(failure.facts.what)}\n`,
      );
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
