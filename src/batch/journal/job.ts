// Which journal a batch keeps, and what makes it that batch's: operation, origin, context, and everything that was
// given for all records. The records themselves are known by their own keys, so a list may grow.

import { closeSync, constants, linkSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileNames } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { locationOf } from '../../client/open-service.ts';
import { camelCase, longName } from '../../config/flags.ts';
import { makePrivateFolder } from '../../fs/atomic-write.ts';
import { type FileLockOptions, withFileLock } from '../../fs/file-lock.ts';
import { cannotWrite, codeOf } from '../../fs/io-errors.ts';
import { openRegular } from '../../fs/safe-read.ts';
import type { ValidRecords } from '../read/validate-records.ts';
import { fingerprintOf } from './format.ts';
import { type Job, type Journal, openJournal } from './journal.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import type { PreparedCall } from '../types.ts';

export const AUTO = 'auto';
/** Time to take a lock over from a process that died, also in the middle of taking one over. */
const LOCK_MS = 800;

/** The file of `--journal`. `auto` is a name that the same command has again, whatever its records are by then. */
export function journalPath(given: string, job: Job, runtime: Runtime): string {
  if (given !== AUTO) return given;
  const name = `${job.operation.replaceAll(' ', '-')}-${job.job.slice(0, 16)}.journal`;
  return join(runtime.stateDir(), fileNames.journals, name);
}

/** What the requests of a batch have in common. No secret can be read back from it. */
export function jobOf(prepared: PreparedCall): Job {
  const { operation, hooks, spelling, typed, settings, shared } = prepared;
  const { baseUrl } = locationOf(settings);
  const context = settings.context ?? null;
  const command = spelling.words.join(' ');
  const own = (hooks.options ?? []).map(
    ({ flags }) => typed.flags[camelCase(longName(flags).slice(2))] ?? null,
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
  runtime: Runtime,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  begin(path, path === journalPath(AUTO, job, runtime));
  const open = async () => work(await openJournal(path, job, () => runtime.now()));
  return withFileLock(path, open, journalLockTimeout(runtime));
}

/** How to lock a file for as long as a batch takes: nobody waits for the end of another one. */
export const journalLockTimeout = ({ signal, deadHolders }: Runtime): FileLockOptions => ({
  waitMs: LOCK_MS,
  signal,
  deadHolders,
  isLong: true,
});

/** Where a finished journal of `auto` waits for the end of its process. */
const finishedPath = (path: string): string => `${path}.done`;

/**
 * Brings back a finished journal whose process never came to say so, for it was killed: whoever runs the line again must
 * not do all of it twice. Never over a journal that another process has made meanwhile.
 */
function bringBack(path: string): void {
  try {
    linkSync(finishedPath(path), path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'EEXIST') return;
    // A file system without links.
    renameSync(finishedPath(path), path);
    return;
  }
  rmSync(finishedPath(path), { force: true });
}

/** Makes the file where there is none: what is locked is the file, not its name. */
function begin(path: string, isAuto: boolean): void {
  try {
    makePrivateFolder(dirname(path));
    if (isAuto) bringBack(path);
    closeSync(openRegular(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND));
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/**
 * Lets the journal of `auto` keep which records there are, and says so where it is one of an earlier run that was
 * given others. What both have is not done again.
 */
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
  note(`resuming an unfinished run with a changed list (${changes.join(', ')}): ${path}`);
}

/**
 * Removes the journal of `auto` when all that it was ever given is done; says so where it is not. It goes with the
 * process: one that is killed before it could say that all is done must not have it done again.
 */
export function deleteList(journal: Journal, path: string, runtime: Runtime): void {
  const left = journal.left();
  if (left === 0) {
    renameSync(path, finishedPath(path));
    runtime.onExit(() => rmSync(finishedPath(path), { force: true }));
  } else runtime.note(`journal kept: ${left} records of an earlier list are not done: ${path}`);
}
