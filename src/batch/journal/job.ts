// Which journal belongs to a batch, and its life: opened under a lock, restored after a kill, deleted when all is done.
// A job is the operation, the service, the context and the flags; records have their own keys, so a list may change.

import { closeSync, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileNames } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { baseUrlOf } from '../../client/open-service.ts';
import { keyOfFlag } from '../../config/flags.ts';
import { makePrivateFolder } from '../../fs/atomic-write.ts';
import { withLongFileLock } from '../../fs/linked-file-lock.ts';
import { cannotWrite, codeOf } from '../../fs/io-errors.ts';
import type { ValidRecords } from '../read/validate-records.ts';
import { AUTO } from '../options.ts';
import { fingerprintOf } from './format.ts';
import { type Job, type Journal, openJournal, openJournalFile } from './journal.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import type { PreparedCall } from '../types.ts';

/** The file of `--journal`. With `auto`, the same command has the same file again, whatever its records are by then. */
export function journalPath(given: string, job: Job, runtime: Runtime): string {
  if (given !== AUTO) return given;
  const name = `${job.operation.replaceAll(' ', '-')}-${job.job.slice(0, 16)}.journal`;
  return join(runtime.stateDir(), fileNames.journals, name);
}

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

/** Runs `work` with the journal, under its lock. Throws `Failure('local_io')`. */
export async function withJournal<T>(
  path: string,
  job: Job,
  runtime: Runtime,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  prepareFile(path, path === journalPath(AUTO, job, runtime));
  return withLongFileLock(path, runtime, async () =>
    work(await openJournal(path, job, () => runtime.now())),
  );
}

/** The name of a finished journal of `auto` until its process ends. */
const finishedPath = (path: string): string => `${path}.done`;

/**
 * Restores a finished journal whose process was killed before it ended: running the command again must send nothing
 * twice. Never replaces a journal that another process has made meanwhile.
 */
function restore(path: string): void {
  try {
    linkSync(finishedPath(path), path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'EEXIST') return;
    // A file system without links.
    return renameSync(finishedPath(path), path);
  }
  rmSync(finishedPath(path), { force: true });
}

/** Creates the file where it is missing: the lock is of the file, not of its name. */
function prepareFile(path: string, isAuto: boolean): void {
  try {
    makePrivateFolder(dirname(path));
    if (isAuto) restore(path);
    closeSync(openJournalFile(path));
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Lists the records in the journal of `auto`, and notes where an earlier run was given others. */
export async function storeList(
  journal: Journal,
  records: Pick<ValidRecords, 'hashes'>,
  path: string,
  { note }: Runtime,
): Promise<void> {
  const change = await journal.list(records.hashes());
  if (change === undefined || change.added + change.removed === 0) return;
  const changes = [
    ...(change.added > 0 ? [`${change.added} added`] : []),
    ...(change.removed > 0 ? [`${change.removed} removed`] : []),
  ];
  note(`resuming an unfinished batch with a changed list (${changes.join(', ')}): ${path}`);
}

/**
 * Deletes the journal of `auto` when all records it ever listed are done, and notes where they are not. It is only
 * renamed until the process ends: after a kill before that, the next run restores it and sends nothing again.
 */
export function deleteList(journal: Journal, path: string, runtime: Runtime): void {
  const left = journal.left();
  if (left === 0) {
    // After a kill inside `restore` both names are of one file, and a rename would do nothing.
    rmSync(finishedPath(path), { force: true });
    renameSync(path, finishedPath(path));
    runtime.onExit(() => rmSync(finishedPath(path), { force: true }));
  } else
    runtime.note(
      `the journal was not deleted: ${left} items of an earlier list are not done: ${path}`,
    );
}
