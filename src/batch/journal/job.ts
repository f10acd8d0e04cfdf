// Which journal belongs to a batch, and its life: opened under a lock. A job is the operation, the service, the context
// and the flags; records have their own keys, so a list may change.

import { existsSync } from 'node:fs';
import { usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { baseUrlOf } from '../../client/open-service.ts';
import { keyOfFlag } from '../../config/flags.ts';
import { withLongFileLock } from '../../fs/lock.ts';
import { fingerprintOf } from './format.ts';
import {
  type Job,
  type Journal,
  makeJournal,
  openJournal,
  type UnknownRequest,
} from './journal.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import type { PreparedCall } from '../types.ts';

/** What the requests of a batch have in common, as a hash that gives no secret away. */
export function jobOf(prepared: PreparedCall): Job {
  const { operation, hooks, spelling, typed, settings, shared } = prepared;
  const baseUrl = baseUrlOf(settings);
  const context = settings.context ?? null;
  const command = spelling.words.join(' ');
  const own = (hooks.options ?? []).map((flag) => typed.flags[keyOfFlag(flag)] ?? null);
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

/** Runs `work` with the journal of this job, under its lock. Throws `Failure('local_io')`. */
export async function withJournal<T>(
  path: string,
  job: Job,
  runtime: Runtime,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  return withLongFileLock(path, runtime, async () => {
    makeJournal(path, job);
    return work(await openJournal(path, job, () => runtime.now()));
  });
}

/** A journal that is held open, of whatever job, with the requests that had no outcome when it was opened. */
export interface SettlingJournal {
  readonly journal: Journal;
  readonly heading: Journal['heading'];
  readonly requests: readonly UnknownRequest[];
}

/**
 * Runs `work` with the journal at `path`, under its lock, and closes it. What became of a request is written with
 * `journal.end`: of all that it was about, or of some of its targets. Throws `usage` where there is no journal, else
 * `Failure('local_io')`.
 */
export async function withUnknownRequests<T>(
  path: string,
  runtime: Runtime,
  work: (open: SettlingJournal) => Promise<T>,
): Promise<T> {
  if (!existsSync(path))
    throw usageFailure({ field: '--journal', problem: `cannot read ${quote(path)}: no such file` });
  return withLongFileLock(path, runtime, async () => {
    const journal = await openJournal(path, undefined, () => runtime.now());
    try {
      const { heading } = journal;
      return await work({ journal, heading, requests: journal.unknownRequests() });
    } finally {
      await journal.close();
    }
  });
}
