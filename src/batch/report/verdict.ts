// What to type after a batch that did not end well: the line that goes on from there.

import { existsSync } from 'node:fs';
import {
  isChange,
  polledId,
  type Operation,
  type Input,
} from '../../api/operations/define-operation.ts';
import { type Failure, isSignal } from '../../base/errors.ts';
import { suggestCommand } from '../../config/flags.ts';
import { asFailure } from '../../output/error-report.ts';
import { toNdjson } from '../../output/format.ts';
import { AUTO, deleteList } from '../journal/job.ts';
import type { BatchSettings } from '../options.ts';
import type { BatchItem } from '../read/validate-records.ts';
import type { ItemResult } from '../run/scheduler.ts';
import type { BatchProgress } from './progress.ts';
import type { BatchResults } from './results.ts';
import { notStarted, summaryLine, type BatchTotals, verdictOf } from './summary.ts';
import { shellQuote } from '../../base/shell.ts';
import type { BatchRun } from '../types.ts';
import type { CallContext } from '../../client/call-context.ts';
import type { Cancellation } from '../run/cancellation.ts';

interface Ran {
  readonly batch: BatchSettings;
  readonly prepared: { readonly argv: readonly string[]; readonly operation: Operation };
  readonly callContext: Pick<CallContext, 'settings' | 'flags'>;
}

interface Advice {
  readonly next?: string;
  readonly hint?: string;
}

/** The first records with an unknown outcome, and of those that were accepted and not waited for to the end. */
export interface UncertainItems {
  readonly unknown: readonly Input[];
  readonly accepted: readonly Input[];
}

/** Records that the line which looks at them names. */
export const MAX_INSPECTED = 3;

/** The next command and a remark, as far as there is something to say. */
function adviceFor(ran: Ran, totals: BatchTotals, unsure: UncertainItems): Advice {
  const { stopped } = totals;
  if (totals.failed + totals.unknown === 0 && stopped === undefined) return {};
  const resume = resumeLine(ran, totals);
  const look = inspection(ran, unsure.unknown);
  // The line that goes on comes first; a signal's report has no other.
  const looksNext =
    resume === undefined && look.command !== undefined && !(stopped && isSignal(stopped.kind));
  // A token that was refused is refused again: the line that goes on comes after another one.
  const login = stopped?.kind === 'unauthorized' ? stopped.facts : undefined;
  const next = login?.next ?? (looksNext ? look.command : resume);
  const hints = [
    ...(login?.hint === undefined ? [] : [login.hint]),
    ...(login?.next === undefined || resume === undefined ? [] : [`then resume with: ${resume}`]),
    ...aboutUnknown(ran, totals, looksNext ? undefined : look.command, look.advice),
    ...aboutAccepted(ran, totals, unsure.accepted),
    ...aboutRecords(ran, totals),
  ];
  return {
    ...(next === undefined ? {} : { next }),
    ...(hints.length === 0 ? {} : { hint: hints.join('; ') }),
  };
}

/** The line that does what is left, where something knows what that is. */
function resumeLine({ batch, prepared }: Ran, totals: BatchTotals): string | undefined {
  const { journal, failuresTo, from } = batch;
  const { argv } = prepared;
  // What has an unknown outcome is repeated only where somebody says so, each time.
  if (journal !== undefined) return line(argv.filter((word) => word !== '--retry-unknown'));
  const left = totals.failed + notStarted(totals);
  if (failuresTo === undefined || from === undefined || left === 0) return undefined;
  const { kind, facts } = totals.stopped ?? {};
  const isWritten = (kind !== 'local_io' || facts?.code === 'closed_pipe') && totals.isRestKept;
  if (!isWritten) return undefined;
  // What is left then goes to another file again: a list is never replaced while it is read.
  const next = replaced(argv, '--from', failuresTo);
  return line(replaced(next, '--failures-to', freeNameAfter(failuresTo)));
}

/** `failed.2.ndjson` after `failed.ndjson`, and so on: the first of which there is no file. */
function freeNameAfter(path: string): string {
  const [, stem = '', number = '1', end = ''] = /^(.*?)(?:\.(\d+))?(\.[^./]*)?$/s.exec(path) ?? [];
  for (let n = Number(number) + 1; ; n++) {
    const name = `${stem}.${n}${end}`;
    if (!existsSync(name)) return name;
  }
}

/** How to find out what happened: a command that looks at the first records, or else words. */
function inspection(
  { callContext, prepared }: Ran,
  unknown: readonly Input[],
): { readonly command?: string; readonly advice?: string } {
  const { inspect } = prepared.operation;
  if (inspect === undefined || unknown.length === 0) return {};
  if (!inspect.startsWith('social ')) return { advice: inspect };
  const words = inspect.slice('social '.length).replace(/\{(\w+)\}/g, (_all, name: string) => {
    const values = new Set(unknown.map((input) => shellQuote(String(input[name]))));
    return [...values].join(' ');
  });
  return { command: suggestCommand(words, callContext) };
}

function aboutUnknown(
  { batch }: Ran,
  { unknown }: BatchTotals,
  command: string | undefined,
  advice: string | undefined,
): readonly string[] {
  if (unknown === 0) return [];
  const some = unknown > MAX_INSPECTED ? ` the first ${MAX_INSPECTED}` : '';
  const below = some === '' ? [] : [`the next line looks at${some}`];
  return [
    `an unknown outcome is not repeated${batch.journal === undefined ? '' : ' without --retry-unknown'}`,
    ...(advice === undefined ? [] : [inPassing(advice)]),
    ...(advice !== undefined ? [] : command === undefined ? below : [`see${some}: ${command}`]),
  ];
}

/** What was accepted goes on without anybody who waits for it; a journal's line waits on. */
function aboutAccepted(
  { batch, callContext, prepared }: Ran,
  { accepted }: BatchTotals,
  inputs: readonly Input[],
): readonly string[] {
  if (accepted === 0 || batch.journal !== undefined) return [];
  const { operation } = prepared;
  if (operation.wait?.resume === undefined) return [];
  const some = accepted > MAX_INSPECTED ? ` the first ${MAX_INSPECTED} of` : '';
  const ids = [...new Set(inputs.map((input) => shellQuote(polledId(operation, input))))];
  const words = operation.wait.resume(ids, { goals: [] });
  return [`wait for${some} what was accepted: ${suggestCommand(words, callContext)}`];
}

/** A sentence as a part of another. */
const inPassing = (sentence: string) =>
  sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');

function aboutRecords({ batch, prepared }: Ran, totals: BatchTotals): readonly string[] {
  const { journal, failuresTo, from } = batch;
  if (failuresTo !== undefined && !totals.isRestKept && totals.stopped?.kind !== 'local_io')
    return [`${shellQuote(failuresTo)} was not written: there was no time for it`];
  if (journal !== undefined) return from === '-' ? ['give it the same records again'] : [];
  if (from === undefined)
    return failuresTo !== undefined && totals.failed + notStarted(totals) > 0
      ? [`what is left is in ${shellQuote(failuresTo)}, for --from`]
      : [];
  if (failuresTo !== undefined) return [];
  if (notStarted(totals) > 0 && isChange(prepared.operation))
    return ['with --journal FILE the same line goes on where it stopped'];
  return totals.failed > 0 ? ['--failures-to FILE keeps the failed records for another run'] : [];
}

const line = (words: readonly string[]) => ['social', ...words.map(shellQuote)].join(' ');

/** The same words with another value for a flag. */
function replaced(words: readonly string[], flag: string, value: string): readonly string[] {
  return words.map((word, i) => {
    if (words[i - 1] === flag) return value;
    return word.startsWith(`${flag}=`) ? `${flag}=${value}` : word;
  });
}

// The end of a batch: what failed and what was not started is put where another run finds it, all is written out, and
// the batch ends as its records did.

/** Keeps what was taken up and then not even started. */
export async function recordUnstarted(
  run: BatchRun,
  item: BatchItem,
  working: Promise<ItemResult>,
): Promise<ItemResult> {
  const ending = await working;
  if (ending.verdict === 'unstarted' && mayBeSent(run, item)) writeFailures(run, item);
  return ending;
}

/** Another run has no journal to tell it what may have happened already: such records are left out. */
const mayBeSent = ({ batch }: BatchRun, { past }: BatchItem) =>
  past !== 'accepted' && (past !== 'unknown' || batch.retryUnknown);

/** Keeps a record in the form that `--from` reads, less what the command's own words give. */
export function writeFailures({ failures, prepared }: BatchRun, { input }: BatchItem): void {
  if (failures === undefined) return;
  const { given } = prepared.spelling;
  const own = Object.entries(input).filter(([name]) => given[name] === undefined);
  failures.add(toNdjson([Object.fromEntries(own)]));
}

interface Ended {
  readonly results: BatchResults;
  readonly progress: BatchProgress;
  readonly cancel: Cancellation;
  readonly stopped: Failure | undefined;
  /** What nobody has taken up, where it was stopped. */
  readonly rest: () => AsyncIterable<BatchItem>;
}

/** Writes what is left to write; where that fails, it is why the batch stopped. */
export async function closeBatch(
  run: BatchRun,
  { results, progress, cancel, stopped, rest }: Ended,
): Promise<Pick<BatchTotals, 'stopped' | 'isRestKept'>> {
  const { journal, failures, callContext } = run;
  let why = stopped;
  let isRestKept = false;
  const keepAll = async () => {
    // With a journal they are read to be counted: some of them an earlier run has done.
    if (stopped !== undefined && (failures !== undefined || journal !== undefined))
      for await (const item of rest()) if (mayBeSent(run, item)) writeFailures(run, item);
    failures?.finish();
    isRestKept = true;
  };
  const steps = [() => results.end(), () => journal?.close(), keepAll];
  for (const step of steps) {
    try {
      await cancel.inTime(step());
    } catch (error) {
      why = why === undefined || why.kind === 'batch_failed' ? asFailure(error) : why;
    }
  }
  progress.stop();
  const isRead = !isChange(callContext.operation);
  // Who closes the pipe of a read has seen enough.
  const isEnough = why?.facts.code === 'closed_pipe' && isRead;
  return { stopped: isEnough ? undefined : why, isRestKept };
}

export function throwVerdict(
  run: BatchRun,
  totals: BatchTotals,
  counts: Parameters<typeof verdictOf>[1],
  unsure: UncertainItems,
): void {
  const { batch, journal, path, runtime } = run;
  const { note } = runtime;
  const failure = verdictOf(totals, counts, adviceFor(run, totals, unsure));
  if (failure !== undefined) throw failure;
  const isAll = totals.before === totals.count;
  if (isAll && path !== undefined) note(`nothing to do (${totals.count} done)`);
  else if (batch.from !== undefined || path !== undefined) note(summaryLine(totals));
  // A job that is over needs no record of it; the same list may be a new job tomorrow.
  if (journal !== undefined && path !== undefined && batch.journal === AUTO)
    deleteList(journal, path, runtime);
}
