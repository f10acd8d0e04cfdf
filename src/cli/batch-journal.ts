// Which journal a batch keeps, and what makes it that batch's: operation, origin, context, and everything that was
// given for all records. The records themselves are known by their own keys, so a list may grow.

import { join } from 'node:path';
import { openJournal, type Job, type Journal } from '../call/journal.ts';
import { fingerprintOf } from '../call/journal-key.ts';
import type { Input } from '../call/request.ts';
import { createLock } from '../files/lock.ts';
import type { World } from '../world.ts';
import type { Records } from './batch-records.ts';
import { camel } from './flag-names.ts';
import { extraOf } from './extras/table.ts';
import { longName } from './globals.ts';
import type { Invocation, Prepared } from './prepare.ts';
import { placeOf } from './service.ts';

const AUTO = 'auto';
/** Time to take a lock over from a process that died, also in the middle of taking one over. */
const LOCK_MS = 800;

/** The file of `--journal`. `auto` is a name that the same command on the same records has again. */
export function journalPath(given: string, job: Job, records: Records, world: World): string {
  if (given !== AUTO) return given;
  const name = fingerprintOf(`${job.job} ${records.digest}`).slice(0, 16);
  return join(
    world.stateDir(),
    'journals',
    `${job.operation.replaceAll(' ', '-')}-${name}.journal`,
  );
}

/** What the requests of a batch have in common. No secret can be read back from it. */
export function jobOf(
  { operation, spelling, typed }: Invocation,
  { settings, shared }: Pick<Prepared, 'settings' | 'shared'>,
): Job {
  const { baseUrl } = placeOf(settings);
  const context = settings.context ?? null;
  const command = spelling.words.join(' ');
  const own = (extraOf(operation.command).options ?? []).map(
    ({ flags }) => typed.flags[camel(longName(flags).slice(2))] ?? null,
  );
  const parts = [command, operation.path, baseUrl, context, sorted(shared), own, settings.query];
  return {
    job: fingerprintOf(JSON.stringify(parts)),
    operation: command,
    origin: baseUrl,
    context,
  };
}

const sorted = (input: Input) =>
  Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));

/** Runs `work` with the journal, which no other process has meanwhile. Throws `Failure('local_io')`. */
export async function withJournal<T>(
  path: string,
  job: Job,
  world: World,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  const lock = createLock(`${path}.lock`, { waitMs: LOCK_MS });
  try {
    return await lock.run(async () => work(await openJournal(path, job, () => world.now())));
  } finally {
    lock.close();
  }
}
