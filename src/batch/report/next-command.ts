// The command to type after a batch that failed: it continues with what is left, or shows what is uncertain. A command
// that would fail in the same way is not suggested.

import { existsSync } from 'node:fs';
import { isChange, polledId } from '../../api/operations/define-operation.ts';
import { type FailureFacts, isSignal } from '../../base/errors.ts';
import { commandLine, shellQuote, suggestCommand, withFlagValue } from '../../base/shell.ts';
import { inspection } from '../../client/advice.ts';
import type { BatchAdvice } from '../../client/call-context.ts';
import { remedies } from '../../client/causes.ts';
import { isHistoryOff } from '../../config/flags.ts';
import { resumeWords } from '../../wait/wait.ts';
import { CANARY_FAILED } from '../canary.ts';
import { type BatchSettings, isPiped, listWords, repeatable } from '../options.ts';
import { type EndedBatch, MAX_NAMED } from './summary.ts';

/** A possible step: the line to type, and its purpose if another line comes first. */
interface Step {
  readonly line?: string | undefined;
  readonly about?: string;
  /** Remarks that are always shown. */
  readonly notes?: readonly string[];
  /** True if it is shown as a hint, and is never the next command. */
  readonly isHintOnly?: boolean;
}

/** Returns the next command, and hints, one line each. */
export function nextCommandFor(ended: EndedBatch): Pick<FailureFacts, 'next' | 'hint'> {
  const { stopped, counts } = ended.summary;
  const { failed, unknown, accepted } = counts;
  // An accepted record was taken by the service, and has not ended yet.
  if (failed + unknown + accepted === 0 && stopped === undefined) return {};
  const isInterrupted = stopped !== undefined && isSignal(stopped.kind);
  // A rejected token would be rejected again: the user has to log in before resuming.
  const login = stopped?.kind === 'unauthorized' ? stopped.facts : undefined;
  const resume = resumeLine(ended);
  const resumeStep: Step = {
    line: mayResume(ended) ? resume : undefined,
    about: 'then resume',
    // No command of this program replaces a token in a variable.
    isHintOnly: login !== undefined && login.next === undefined,
  };
  const isResumable = resumeStep.line !== undefined;
  const advice =
    isInterrupted || login !== undefined ? undefined : failureAdvice(ended, isResumable);
  const canary = stopped?.facts.code === CANARY_FAILED ? stopped.facts.hint : undefined;
  // After a failed canary, unknown records come first: resumed with them, the canary would fail again.
  const isResumeFirst = stopped !== undefined && (canary === undefined || unknown === 0);
  const remarks = [login?.hint, canary].filter((note) => note !== undefined);
  const settleStep = unknownStep(ended);
  const steps: readonly Step[] = [
    { line: login?.next, about: 'log in', notes: remarks },
    ...(isResumeFirst ? [resumeStep, settleStep] : [settleStep, resumeStep]),
    { line: advice?.next, about: 'then', notes: advice?.hints ?? [] },
    waitStep(ended),
    {
      line: needsCorrection(ended) ? resume : undefined,
      about: 'when that is fixed',
      isHintOnly: true,
    },
  ];
  // The report after a signal has only the line that resumes.
  const next = isInterrupted
    ? resumeStep.line
    : steps.find(({ line, isHintOnly }) => line !== undefined && !isHintOnly)?.line;
  const shown = new Set([next]);
  const hints: string[] = [];
  for (const { line, about, notes = [] } of steps) {
    hints.push(...notes);
    if (line !== undefined && !shown.has(line)) hints.push(`${about}: ${line}`);
    shown.add(line);
  }
  hints.push(...aboutRecords(ended, next !== undefined && next === resume, next));
  return { next, hint: hints.length === 0 ? undefined : hints.join('\n') };
}

/** True if the line that resumes may do what is left; false if all of it would fail again. */
function mayResume(ended: EndedBatch): boolean {
  const { summary, batch, prepared } = ended;
  const { accepted, failed, unknown } = summary.counts;
  const needs = needsOf(ended);
  const hasNotStarted = summary.stopped !== undefined || summary.notStarted > 0;
  // Unknown records can be settled first, and pending ones are waited for.
  const isJournaled = unknown + accepted > 0 && batch.journal !== undefined;
  // With advice on each cause, the batch is repeated unchanged only if all failures are temporary; without it, if any
  // may succeed.
  const isAdvised = prepared.hooks.advise !== undefined;
  const mayHelp = isAdvised
    ? failed > 0 && needs.every((need) => need === 'nothing' || need === 'settling')
    : needs.some((need) => ['nothing', 'a look', 'login'].includes(need));
  return hasNotStarted || isJournaled || mayHelp;
}

/** True if all that is left needs a person first. */
const needsCorrection = (ended: EndedBatch): boolean =>
  ended.summary.counts.failed > 0 && needsOf(ended).every((need) => need === 'a correction');

const needsOf = ({ summary }: EndedBatch) =>
  summary.causes().map(({ cause }) => remedies[cause].needs);

function failureAdvice(ended: EndedBatch, isResumable: boolean): BatchAdvice | undefined {
  const { prepared, summary, callContext } = ended;
  if (summary.counts.failed === 0) return undefined;
  const causes = new Map(summary.causes().map(({ cause, count }) => [cause as string, count]));
  // Unknown outcomes have a step of their own.
  causes.delete('unknown');
  return prepared.hooks.advise?.afterBatch(
    {
      causes,
      temporary: summary.temporary,
      unanswered: summary.unanswered,
      accounts: summary.accounts(),
      records: recordWords(ended),
      // The line that resumes does temporary failures too.
      again: (flag, value) =>
        isResumable && value === 'temporary' ? undefined : againLine(ended, flag, value),
    },
    callContext,
  );
}

/** Returns how to see what happened: a command that shows the first uncertain records, or else words. */
function unknownStep(ended: EndedBatch): Step {
  const { batch, callContext, prepared, runtime, summary } = ended;
  const { operation } = prepared;
  const { journal } = batch;
  const { unknown } = summary.named;
  if (unknown.length === 0) return {};
  const exception = journal === undefined ? '' : ' without --retry-unknown';
  const note = `unknown outcomes are not retried${exception}`;
  if (operation.settle !== undefined && (journal !== undefined || !isHistoryOff(runtime))) {
    const where = journal === undefined ? '' : ` --journal ${shellQuote(journal)}`;
    const line = suggestCommand(`history settle${where}`, callContext);
    return { line, about: 'find out what became of them', notes: [note] };
  }
  const { next: line, hint } = inspection(operation, unknown, callContext);
  if (line === undefined) return { notes: hint === undefined ? [note] : [note, hint] };
  return { line, about: 'check', notes: [note + onlyFirst(summary.counts.unknown)] };
}

/** Returns the command that waits for accepted records; with a journal, resuming waits for them. */
function waitStep({ batch, callContext, prepared, summary }: EndedBatch): Step {
  const { accepted } = summary.counts;
  const { operation, flags } = prepared;
  if (accepted === 0 || batch.journal !== undefined || operation.wait === undefined) return {};
  const inputs = summary.named.accepted;
  // The failure of the only pending record has a line that names its targets.
  const pendingLine = accepted === 1 ? summary.pendingLine : undefined;
  const isTooMany = accepted > MAX_NAMED;
  const list = isPiped(batch.from) ? undefined : batch.from;
  // If all records were sent, the list names exactly those to wait for.
  const isWholeList = isTooMany && list !== undefined && summary.notStarted === 0;
  const ids = isWholeList
    ? [listWords(list, batch.column)]
    : [...new Set(inputs.map((input) => shellQuote(polledId(operation, input))))];
  const platforms = ((flags['platform'] ?? []) as readonly string[]).map(
    (platform) => ` --platform ${shellQuote(platform)}`,
  );
  const words = resumeWords(operation, ids, {}) + platforms.join('');
  // One line cannot name different targets for each post.
  const isBroader = pendingLine === undefined && platforms.length === 0 && summary.skipped.size > 0;
  return {
    line: pendingLine ?? suggestCommand(words, callContext),
    about: 'wait for what is still pending',
    notes: [
      isTooMany && !isWholeList && `what is still pending can be waited for${onlyFirst(accepted)}`,
      isBroader && WAITS_FOR_ALL,
    ].filter((note) => note !== false),
  };
}

const WAITS_FOR_ALL =
  'the command below waits for all targets of these posts, also for those that were skipped';

const onlyFirst = (count: number) =>
  count > MAX_NAMED ? ` (the command below names the first ${MAX_NAMED} of ${count})` : '';

/** Says where the remaining records are, or how to save them. */
function aboutRecords(
  ended: EndedBatch,
  isResumed: boolean,
  next: string | undefined,
): readonly string[] {
  const { summary, prepared, failuresFile, savedTo } = ended;
  const { journal, failuresTo, from } = ended.batch;
  const { left } = summary;
  const isUnsaved = failuresTo !== undefined && failuresFile.savedCount() === undefined;
  // A `local_io` failure says itself what could not be written.
  if (isUnsaved && summary.stopped?.kind !== 'local_io')
    return [`${shellQuote(failuresTo)} was not written`];
  if (journal !== undefined && isPiped(from) && isResumed)
    return ['run it again with the same records'];
  if (savedTo !== undefined && left > 0)
    return next?.includes(shellQuote(savedTo)) === true
      ? []
      : [`the remaining records are in ${shellQuote(savedTo)}, for --from`];
  if (journal !== undefined || failuresTo !== undefined || from === undefined) return [];
  if (summary.notStarted > 0 && isChange(prepared.operation))
    return ['rerun with --journal FILE to make the batch resumable'];
  return left > 0 ? ['rerun with --failures-to FILE to save the failed IDs'] : [];
}

/** Makes the command that does the rest, if a journal or a file has it. */
export function resumeLine(ended: EndedBatch): string | undefined {
  const { batch, prepared, summary, savedTo } = ended;
  // An unknown outcome is only sent again when the user says so, each time.
  const argv = prepared.argv.filter((word) => word !== '--retry-unknown');
  if (batch.journal !== undefined) return commandLine(repeatable(argv, batch.from));
  if (batch.from === undefined || summary.left === 0 || savedTo === undefined) return undefined;
  return commandLine(withFreshOutputs(fromFile(argv, savedTo), batch));
}

/**
 * Makes the command for the failed records with another value of a flag, and with a new journal, because other flags
 * make another job. `undefined` if the records came from a pipe and are in no file.
 */
export function againLine(ended: EndedBatch, flag: string, value: string): string | undefined {
  const { batch, prepared } = ended;
  const savedTo = batch.from === undefined ? undefined : ended.savedTo;
  if (isPiped(batch.from) && savedTo === undefined) return undefined;
  const argv = without(prepared.argv, flag).filter((word) => word !== '--retry-unknown');
  const listed = savedTo === undefined ? argv : fromFile(argv, savedTo);
  const words = withFreshOutputs(listed, batch);
  // After `--` the flag would be an argument.
  const end = words.indexOf('--');
  const at = end < 0 ? words.length : end;
  return commandLine([...words.slice(0, at), flag, value, ...words.slice(at)]);
}

/** Returns the failed records as words of another command. */
export function recordWords(ended: EndedBatch): string | undefined {
  const { operation } = ended.prepared;
  const { from, column } = ended.batch;
  const { failed } = ended.summary.named;
  if (ended.savedTo !== undefined) return `--from ${shellQuote(ended.savedTo)}`;
  // `named` has only the first records, so a full list may lack some.
  if (failed.length < MAX_NAMED)
    return [...new Set(failed.map((input) => shellQuote(polledId(operation, input))))].join(' ');
  return from === undefined || isPiped(from) ? undefined : listWords(from, column);
}

/** Replaces the list by another, whose records are inputs. */
const fromFile = (words: readonly string[], path: string) =>
  without(withFlagValue(words, '--from', path), '--column');

/** Names new files, so that the next run does not write over its list, or into the journal of another job. */
function withFreshOutputs(words: readonly string[], { failuresTo, journal }: BatchSettings) {
  let line = words;
  if (failuresTo !== undefined)
    line = withFlagValue(line, '--failures-to', freeNameAfter(failuresTo));
  if (journal !== undefined) line = withFlagValue(line, '--journal', freeNameAfter(journal));
  return line;
}

/** Returns `failed.2.ndjson` after `failed.ndjson`, and so on: the first name without a file. */
function freeNameAfter(path: string): string {
  const [, stem = '', number = '1', end = ''] = /^(.*?)(?:\.(\d+))?(\.[^./]*)?$/s.exec(path) ?? [];
  for (let n = Number(number) + 1; ; n++) {
    const name = `${stem}.${n}${end}`;
    if (!existsSync(name)) return name;
  }
}

/** Removes a flag that takes a value, wherever it is typed, with its values. */
const without = (words: readonly string[], flag: string): readonly string[] =>
  words.filter((word, i) => word !== flag && words[i - 1] !== flag && !word.startsWith(`${flag}=`));
