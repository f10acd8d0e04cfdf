// What to type after a batch that did not end well: the command that resumes it, and how to look at what is uncertain.

import { existsSync } from 'node:fs';
import { isChange, polledId, type Input } from '../../api/operations/define-operation.ts';
import { type FailureFacts, isSignal } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell.ts';
import { suggestCommand } from '../../config/flags.ts';
import { CANARY_FAILED } from '../run/canary.ts';
import type { BatchRun } from '../types.ts';
import { type BatchTotals, MAX_UNCERTAIN, notStarted, type UncertainItems } from './summary.ts';

/** The next command and a hint, as far as there is something to say. */
export function nextCommandFor(
  run: BatchRun,
  totals: BatchTotals,
  uncertain: UncertainItems,
): Pick<FailureFacts, 'next' | 'hint'> {
  const { stopped } = totals;
  if (totals.failed + totals.unknown === 0 && stopped === undefined) return {};
  const resume = resumeLine(run, totals);
  const look = inspection(run, uncertain.unknown);
  // The command that resumes comes first; a signal's report has no other.
  const looksNext =
    resume === undefined && look.command !== undefined && !(stopped && isSignal(stopped.kind));
  // A refused token is refused again: the user has to log in before resuming.
  const login = stopped?.kind === 'unauthorized' ? stopped.facts : undefined;
  const next = login?.next ?? (looksNext ? look.command : resume);
  const hints = [
    ...(login?.hint === undefined ? [] : [login.hint]),
    ...(stopped?.facts.code === CANARY_FAILED ? [stopped.facts.hint!] : []),
    ...(login?.next === undefined || resume === undefined ? [] : [`then resume: ${resume}`]),
    ...aboutUnknown(run, totals, looksNext ? undefined : look.command, look.advice),
    ...aboutAccepted(run, totals, uncertain.accepted),
    ...aboutRecords(run, totals),
  ];
  return {
    ...(next === undefined ? {} : { next }),
    ...(hints.length === 0 ? {} : { hint: hints.join('; ') }),
  };
}

/** The command that does what is left, where a journal or a file knows what that is. */
function resumeLine({ batch, prepared }: BatchRun, totals: BatchTotals): string | undefined {
  const { journal, failuresTo, from } = batch;
  const { argv } = prepared;
  // An unknown outcome is only sent again when the user says so, each time.
  if (journal !== undefined) return commandLine(argv.filter((word) => word !== '--retry-unknown'));
  const left = totals.failed + notStarted(totals);
  if (failuresTo === undefined || from === undefined || left === 0) return undefined;
  const { kind, facts } = totals.stopped ?? {};
  const isWritten = (kind !== 'local_io' || facts?.code === 'closed_pipe') && totals.isRestWritten;
  if (!isWritten) return undefined;
  // The next run writes to another file: a list is never replaced while it is read.
  const next = replaced(argv, '--from', failuresTo);
  return commandLine(replaced(next, '--failures-to', freeNameAfter(failuresTo)));
}

/** `failed.2.ndjson` after `failed.ndjson`, and so on: the first of which there is no file. */
function freeNameAfter(path: string): string {
  const [, stem = '', number = '1', end = ''] = /^(.*?)(?:\.(\d+))?(\.[^./]*)?$/s.exec(path) ?? [];
  for (let n = Number(number) + 1; ; n++) {
    const name = `${stem}.${n}${end}`;
    if (!existsSync(name)) return name;
  }
}

/** How to find out what happened: a command that shows the first uncertain records, or else words. */
function inspection(
  { callContext, prepared }: BatchRun,
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
  { batch }: BatchRun,
  { unknown }: BatchTotals,
  command: string | undefined,
  advice: string | undefined,
): readonly string[] {
  if (unknown === 0) return [];
  const some = unknown > MAX_UNCERTAIN ? ` the first ${MAX_UNCERTAIN}` : '';
  const below = some === '' ? [] : [`check${some} with the next command`];
  return [
    `unknown outcomes are not retried${batch.journal === undefined ? '' : ' without --retry-unknown'}`,
    ...(advice === undefined ? [] : [inPassing(advice)]),
    ...(advice !== undefined ? [] : command === undefined ? below : [`check${some}: ${command}`]),
  ];
}

/** What was accepted goes on at the service; with a journal, resuming waits for it. */
function aboutAccepted(
  { batch, callContext, prepared }: BatchRun,
  totals: BatchTotals,
  inputs: readonly Input[],
): readonly string[] {
  const { accepted } = totals;
  if (accepted === 0 || batch.journal !== undefined) return [];
  const { operation } = prepared;
  if (operation.wait?.resume === undefined) return [];
  const some = accepted > MAX_UNCERTAIN ? ` the first ${MAX_UNCERTAIN} of` : '';
  const typed = [...new Set(inputs.map((input) => shellQuote(polledId(operation, input))))];
  const list = batch.from === undefined || batch.from === '-' ? undefined : batch.from;
  // Where all were sent, the list is that of what is waited for.
  const isAll = some !== '' && list !== undefined && notStarted(totals) === 0;
  const ids = isAll ? [listWords(list, batch.column)] : typed;
  const words = operation.wait.resume(ids, { goals: [] });
  return [
    `wait for${isAll ? '' : some} the accepted retries: ${suggestCommand(words, callContext)}`,
  ];
}

const listWords = (from: string, column: string | undefined) =>
  `--from ${shellQuote(from)}${column === undefined ? '' : ` --column ${shellQuote(column)}`}`;

/** A sentence as part of another. */
const inPassing = (sentence: string) =>
  sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');

function aboutRecords({ batch, prepared }: BatchRun, totals: BatchTotals): readonly string[] {
  const { journal, failuresTo, from } = batch;
  if (failuresTo !== undefined && !totals.isRestWritten && totals.stopped?.kind !== 'local_io')
    return [`${shellQuote(failuresTo)} was not written: no time left`];
  if (journal !== undefined) return from === '-' ? ['run it again with the same records'] : [];
  if (from === undefined)
    return failuresTo !== undefined && totals.failed + notStarted(totals) > 0
      ? [`the remaining records are in ${shellQuote(failuresTo)}, for --from`]
      : [];
  if (failuresTo !== undefined) return [];
  if (notStarted(totals) > 0 && isChange(prepared.operation))
    return ['rerun with --journal FILE to make the batch resumable'];
  return totals.failed > 0 ? ['rerun with --failures-to FILE to save the failed IDs'] : [];
}

const commandLine = (words: readonly string[]) => ['social', ...words.map(shellQuote)].join(' ');

/** The words of a command with another value for a flag. */
function replaced(words: readonly string[], flag: string, value: string): readonly string[] {
  return words.map((word, i) => {
    if (words[i - 1] === flag) return value;
    return word.startsWith(`${flag}=`) ? `${flag}=${value}` : word;
  });
}
