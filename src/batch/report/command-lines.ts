// The command line of a batch with other files and flags: to resume it, to repeat a part of it, to name its records.

import { existsSync } from 'node:fs';
import { polledId } from '../../api/operations/define-operation.ts';
import { isStdinPath } from '../../base/paths.ts';
import { commandLine, shellQuote, withFlagValue } from '../../base/shell.ts';
import { type EndedBatch, MAX_NAMED, notStarted } from './summary.ts';

/**
 * The file that a batch writes. The next run writes another one, so that its list is not replaced by what is left of
 * it.
 */
const FAILURES = '--failures-to';
const JOURNAL = '--journal';

/** True if a list has no lasting name: standard input, or what a shell makes of `<(…)`. */
export const isPiped = (from: string | undefined): boolean =>
  from !== undefined && (isStdinPath(from) || /^\/(?:dev|proc\/self)\/fd\//.test(from));

/**
 * Returns the words of a line that can be typed again: a list without a lasting name is then read from standard input.
 */
export const repeatable = (argv: readonly string[], from: string | undefined): readonly string[] =>
  isPiped(from) ? withFlagValue(argv, '--from', '-') : argv;

/** True if `--failures-to` has all records that are left, and there are any. */
export function isRestSaved({ batch, totals }: EndedBatch): boolean {
  const { stopped, isRestWritten, isRestEmpty = false } = totals;
  if (isRestEmpty) return false;
  const isWritten = stopped?.kind !== 'local_io' || stopped.facts.code === 'closed_pipe';
  return batch.failuresTo !== undefined && isWritten && isRestWritten;
}

/** Makes the command that does the rest, if a journal or a file has it. */
export function resumeLine(ended: EndedBatch): string | undefined {
  const { batch, prepared, totals } = ended;
  // An unknown outcome is only sent again when the user says so, each time.
  const argv = prepared.argv.filter((word) => word !== '--retry-unknown');
  if (batch.journal !== undefined) return commandLine(repeatable(argv, batch.from));
  const left = totals.failed + notStarted(totals);
  if (batch.from === undefined || left === 0 || !isRestSaved(ended)) return undefined;
  return commandLine(withFreshOutputs(fromFile(argv, batch.failuresTo!)));
}

/**
 * Makes the command for the failed records with another value of a flag, and with a new journal, because other flags
 * make another job. `undefined` if the records came from a pipe and are in no file.
 */
export function againLine(ended: EndedBatch, flag: string, value: string): string | undefined {
  const { batch, prepared } = ended;
  const isSaved = isRestSaved(ended) && batch.from !== undefined;
  if (isPiped(batch.from) && !isSaved) return undefined;
  const argv = without(prepared.argv, flag).filter((word) => word !== '--retry-unknown');
  const listed = isSaved ? fromFile(argv, batch.failuresTo!) : argv;
  const words = withFreshOutputs(listed, [JOURNAL]);
  const end = words.indexOf('--');
  const at = end < 0 ? words.length : end;
  return commandLine([...words.slice(0, at), flag, value, ...words.slice(at)]);
}

/** Returns the failed records as words of another command. */
export function recordWords(ended: EndedBatch): string | undefined {
  const { operation } = ended.prepared;
  const { from, column, failuresTo } = ended.batch;
  const { failed } = ended.summary.named;
  if (isRestSaved(ended)) return `--from ${shellQuote(failuresTo!)}`;
  if (failed.length < MAX_NAMED)
    return [...new Set(failed.map((input) => shellQuote(polledId(operation, input))))].join(' ');
  return from === undefined || isPiped(from) ? undefined : listWords(from, column);
}

/** Returns a list as words of another command. */
export const listWords = (from: string, column: string | undefined): string =>
  `--from ${shellQuote(from)}${column === undefined ? '' : ` --column ${shellQuote(column)}`}`;

/** Replaces the list by another, whose records are inputs. */
const fromFile = (words: readonly string[], path: string) =>
  without(withFlagValue(words, '--from', path), '--column');

function withFreshOutputs(words: readonly string[], more: readonly string[] = []) {
  return [FAILURES, ...more].reduce((line, flag) => {
    const path = valueOf(line, flag);
    return path === undefined ? line : withFlagValue(line, flag, freeNameAfter(path));
  }, words);
}

/** Returns `failed.2.ndjson` after `failed.ndjson`, and so on: the first name without a file. */
function freeNameAfter(path: string): string {
  const [, stem = '', number = '1', end = ''] = /^(.*?)(?:\.(\d+))?(\.[^./]*)?$/s.exec(path) ?? [];
  for (let n = Number(number) + 1; ; n++) {
    const name = `${stem}.${n}${end}`;
    if (!existsSync(name)) return name;
  }
}

/** Returns the value of a flag on a line, as `--flag value` or `--flag=value`. */
function valueOf(words: readonly string[], flag: string): string | undefined {
  const joined = words.find((word) => word.startsWith(`${flag}=`));
  return (
    joined?.slice(flag.length + 1) ??
    (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined)
  );
}

/** Removes a flag and its values. */
const without = (words: readonly string[], flag: string): readonly string[] =>
  words.filter((word, i) => word !== flag && words[i - 1] !== flag && !word.startsWith(`${flag}=`));
