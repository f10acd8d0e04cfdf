// The command to type after a batch that failed: it continues with what is left, or shows what is uncertain. A command
// that would fail in the same way is only a hint.

import { isChange, polledId, type Input } from '../../api/operations/define-operation.ts';
import { clockTime } from '../../base/durations.ts';
import { type FailureFacts, isSignal } from '../../base/errors.ts';
import {
  type CommandLine,
  flagWords,
  isSameLine,
  labelledLine,
  shellLine,
  socialLine,
  withFlagValue,
} from '../../base/shell.ts';
import { inspection } from '../../client/advice.ts';
import type { TypedRecords } from '../../client/session.ts';
import { MAY_BE_PUBLISHED, remedies } from '../../client/remedies.ts';
import { isHistoryOff } from '../../config/flags.ts';
import { retypedWait } from '../../wait/options.ts';
import { HIDDEN_IDS, resumingCommand } from '../../wait/wait.ts';
import { isPiped, listFlags, repeatable } from '../options.ts';
import { acceptedIn, type BatchSummary, CANARY_FAILED, MAX_NAMED } from './summary.ts';
import type { EndedBatch } from '../session.ts';

/** A possible step: the command line to type. If it is not the first, it becomes a hint that begins with `about`. */
interface Step {
  readonly line?: CommandLine | undefined;
  readonly about?: string;
  /** Remarks that are always shown. */
  readonly notes?: readonly (string | undefined)[];
  /** True if it is shown as a hint, and is never the next command. */
  readonly isHintOnly?: boolean;
}

/** Returns the next command, and hints, one line each. */
export function nextCommandFor(ended: EndedBatch): Pick<FailureFacts, 'next' | 'hint'> {
  const { stopped, summary } = ended;
  const { failed, unknown, accepted } = summary.counts;
  if (failed + unknown + accepted === 0 && stopped === undefined) return {};
  const advice = adviceStep(ended);
  // Typed after a line that sends a part of the same file, it would send that part a second time.
  const resume = sendsSaved(advice, ended) ? {} : resumeStep(ended);
  // In the order in which they are to be done.
  const steps: readonly Step[] = [
    { line: stopped?.facts.next, about: 'first', notes: [stopped?.facts.hint] },
    unknownStep(ended),
    advice,
    resume,
    // With a journal, resuming waits for them.
    ended.batchOptions.journal === undefined ? waitStep(ended) : {},
    { notes: [keepRestHint(ended), waitFirst(ended)] },
  ];
  // After Ctrl-C, what counts is how to continue.
  const isInterrupted = stopped !== undefined && isSignal(stopped.kind);
  const first = isInterrupted
    ? resume
    : steps.find(({ line, isHintOnly }) => line !== undefined && isHintOnly !== true);
  const shown = [first?.line];
  const hints: string[] = [];
  for (const { line, about = 'then', notes = [] } of steps) {
    hints.push(...notes.filter((note) => note !== undefined));
    const isSaid =
      line !== undefined && hints.some((hint) => hint.endsWith(`: ${shellLine(line)}`));
    if (line !== undefined && !isSaid && !shown.some((other) => isSameLine(line, other)))
      hints.push(labelledLine(about, line));
    shown.push(line);
  }
  return { next: first?.line, hint: hints.length === 0 ? undefined : hints.join('\n') };
}

/** True if a step sends records of the file of --failures-to again. A journal or a read may follow in any order. */
const sendsSaved = (
  { line = [] }: Step,
  { savedTo = '', batchOptions: { journal }, operation }: EndedBatch,
): boolean =>
  isChange(operation) &&
  journal === undefined &&
  savedTo !== '' &&
  line.some((word) => typeof word === 'string' && word.replace(/^--from=/, '') === savedTo);

/** Returns how to find out the outcome of unknown records: a command, or else advice in words. */
function unknownStep(ended: EndedBatch): Step {
  const { operation, runtime, summary } = ended;
  const { journal } = ended.batchOptions;
  const { unknown } = summary.named;
  if (unknown.length === 0) return {};
  const exception = journal === undefined ? '' : ' without --retry-unknown';
  const note = `unknown outcomes are not retried${exception}`;
  const about = 'find out what became of them';
  if (operation.settle !== undefined && (journal !== undefined || !isHistoryOff(runtime))) {
    const flags = journal === undefined ? [] : flagWords('--journal', journal);
    const line = socialLine({ words: ['history', 'settle'], flags }, ended);
    return { line, about, notes: [note] };
  }
  const { next: line, hint } = inspection(operation, unknown, ended);
  return { line, about, notes: [note, line === undefined ? hint : undefined] };
}

/** Returns what the command advises on the failures of a batch that was not stopped. */
function adviceStep(ended: EndedBatch): Step {
  const { operation, hooks, summary, stopped } = ended;
  if (summary.counts.failed === 0 || stopped !== undefined) return {};
  const { temporary, unanswered } = summary;
  const causes = new Set<string>(summary.causes().map(({ cause }) => cause));
  // Unknown outcomes have a step of their own, and of skipped targets the reasons say what helps.
  causes.delete('unknown');
  if (summary.skipped.has(MAY_BE_PUBLISHED)) causes.delete('unsure');
  const advice = hooks.adviseAfterBatch?.(
    {
      causes,
      isWorthRetry: temporary > (isChange(operation) ? 0 : unanswered),
      accounts: summary.accounts(),
      list: failedList(ended),
      again: (cause) => againLine(ended, cause),
    },
    ended,
  );
  return { line: advice?.next, about: 'then', notes: [advice?.hint] };
}

/** Returns the line that resumes the batch; only a hint if nothing of what is left would succeed yet. */
function resumeStep(ended: EndedBatch): Step {
  const { stopped } = ended;
  const { counts, notStarted } = ended.summary;
  // No command of this program replaces a token in a variable.
  const needsToken = stopped?.kind === 'unauthorized' && stopped.facts.next === undefined;
  // With a journal, accepted records are waited for, and unknown ones may be settled by then.
  const isOpen = counts.unknown + counts.accepted > 0 && ended.batchOptions.journal !== undefined;
  const mayHelp = ended.summary.causes().some(({ cause }) => remedies[cause].mayRetry);
  const isUseful = stopped !== undefined || notStarted > 0 || isOpen || mayHelp;
  // Not even as a hint: it could publish all that failed a second time. Nor a read of what was refused or not found.
  if (!isUseful && (isUnsureAlone(ended.summary) || mayRepeat(ended))) return {};
  return { line: resumeLine(ended), about: 'then resume', isHintOnly: needsToken || !isUseful };
}

const isUnsureAlone = (summary: BatchSummary): boolean =>
  summary.counts.failed > 0 && summary.causes().every(({ cause }) => cause === 'unsure');

/** Returns the command that waits for accepted records. */
export function waitStep(ended: EndedBatch): Step {
  const { batchOptions, operation, flags, summary } = ended;
  const { from } = batchOptions;
  const accepted = acceptedIn(summary);
  if (accepted === 0 || operation.wait === undefined) return {};
  const about = isChange(operation) ? 'wait for what was accepted' : 'wait for the rest';
  // The failure of the only accepted record has a line that names its targets.
  if (accepted === 1 && summary.pendingLine !== undefined)
    return { line: summary.pendingLine, about };
  const isWholeList = summary.unwaited === summary.count && from !== undefined && !isPiped(from);
  const records = isWholeList
    ? { flags: listFlags(from, batchOptions) }
    : listOf(ended, summary.named.accepted, accepted);
  if (records === undefined) return {};
  const platforms = flagWords('--platform', ...((flags['platform'] ?? []) as readonly string[]));
  const waiting = resumingCommand(operation, records.ids ?? [], {});
  if (waiting === undefined) return { notes: [HIDDEN_IDS] };
  const again = retypedWait(ended.call.typedFlags, ended.stopped === undefined);
  const all = [...(records.flags ?? []), ...(waiting.flags ?? []), ...platforms, ...again];
  return { line: socialLine({ ...waiting, flags: all }, ended), about };
}

/** Says how the next batch could be continued, if this one has records left and stored them nowhere. */
function keepRestHint(ended: EndedBatch): string | undefined {
  const { batchOptions, call, summary } = ended;
  const { journal, failuresTo, from } = batchOptions;
  const isKept = from === undefined || (journal ?? failuresTo) !== undefined || mayRepeat(ended);
  // A journal does not continue with what may be published already.
  if (summary.left === 0 || isKept || isUnsureAlone(summary)) return undefined;
  const flag = isChange(call.operation) ? '--journal' : '--failures-to';
  return `next time, add ${flag} FILE to continue with what is left`;
}

/** Makes the command that does the rest, if a journal or a file has it, or if all may be done again. */
function resumeLine(ended: EndedBatch): CommandLine | undefined {
  const { batchOptions, call, summary, savedTo } = ended;
  const words = repeatedWords(call.argv, batchOptions.from);
  // A canary that tried nothing would try nothing again.
  const { ok, failed, unknown, accepted } = summary.counts;
  const isIdle =
    ended.stopped?.facts.code === CANARY_FAILED && ok + failed + unknown + accepted === 0;
  const argv = isIdle ? without(without(words, '--canary'), '--max-failure-rate') : words;
  if (batchOptions.journal !== undefined) return ['social', ...argv];
  if (summary.left === 0) return undefined;
  if (batchOptions.from !== undefined && savedTo !== undefined)
    return ['social', ...fromFile(argv, savedTo)];
  return mayRepeat(ended) ? ['social', ...argv] : undefined;
}

/** Says when the platforms take posts again that asked to wait in this run; the errors that a read shows may be old. */
function waitFirst({ operation, runtime, summary: { opensAt } }: EndedBatch): string | undefined {
  if (!isChange(operation)) return undefined;
  const leftOf = (at: number) => Math.ceil((at - runtime.monotonic()) / STEP_MS) * STEP_MS;
  const open = [...opensAt]
    .filter(([, at]) => leftOf(at) > 0)
    .map(([name, at]) => `${name} opens in ${clockTime(leftOf(at))}`);
  return open.length > 0 ? `wait first: ${open.join(', ')}` : undefined;
}
const STEP_MS = 10_000;

/** True for reads that are typed, or of a list that has a name: a repeat is harmless. */
const mayRepeat = ({ batchOptions: { from }, operation }: EndedBatch): boolean =>
  !isChange(operation) && !isPiped(from);

/**
 * Makes the command for the failed records of one cause. With a journal it is the one that resumes: another `--cause`
 * would be another job.
 */
function againLine(ended: EndedBatch, cause: string): CommandLine | undefined {
  const { batchOptions, call, savedTo } = ended;
  if (batchOptions.journal !== undefined) return resumeLine(ended);
  const argv = repeatedWords(call.argv, batchOptions.from);
  const isSaved = batchOptions.from !== undefined && savedTo !== undefined;
  const words = isSaved ? fromFile(argv, savedTo) : argv;
  return ['social', ...without(words, '--cause'), '--cause', cause];
}

/** Returns the failed records as IDs or flags of another command. */
const failedList = (ended: EndedBatch): TypedRecords | undefined =>
  ended.savedTo === undefined
    ? listOf(ended, ended.summary.named.failed, ended.summary.counts.failed)
    : { flags: flagWords('--from', ended.savedTo) };

/** Returns records as a part of a command: the IDs of a few, else the whole list; `undefined` if that has no name. */
function listOf(
  { call, batchOptions }: EndedBatch,
  inputs: readonly Input[],
  count: number,
): TypedRecords | undefined {
  if (count <= MAX_NAMED)
    return { ids: [...new Set(inputs.map((input) => polledId(call.operation, input)))] };
  if (batchOptions.from === undefined || isPiped(batchOptions.from)) return undefined;
  return { flags: listFlags(batchOptions.from, batchOptions) };
}

/** Returns the typed words without `--retry-unknown`, which the user has to add each time. */
const repeatedWords = (argv: readonly string[], from: string | undefined) =>
  repeatable(argv, from).filter((word) => word !== '--retry-unknown');

/** Replaces the list by a file of inputs, which cannot be an output at the same time. */
const fromFile = (words: readonly string[], path: string) =>
  without(without(withFlagValue(words, '--from', path), '--column'), '--failures-to');

/** Removes a flag that takes a value, wherever it is typed, with its values. */
const without = (words: readonly string[], flag: string): readonly string[] =>
  words.filter((word, i) => word !== flag && words[i - 1] !== flag && !word.startsWith(`${flag}=`));
