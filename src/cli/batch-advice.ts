// What to type after a batch that did not end well: the line that goes on from there.

import type { Operation } from '../operations/operation.ts';
import type { BatchSettings } from './batch-settings.ts';
import type { Totals } from './batch-summary.ts';
import { shellQuote } from './dry-run.ts';

interface Ran {
  readonly batch: BatchSettings;
  readonly invocation: { readonly argv: readonly string[]; readonly operation: Operation };
}

/** The next command and a remark, as far as there is something to say. */
export function adviceFor(
  { batch, invocation }: Ran,
  { failed, unknown, stopped }: Totals,
): { readonly next?: string; readonly hint?: string } {
  const { journal, failuresTo, from } = batch;
  const { argv, operation } = invocation;
  if (failed + unknown === 0 && stopped === undefined) return {};
  const hints = [
    ...(unknown > 0 ? [aboutUnknown(operation, journal !== undefined)] : []),
    ...(journal !== undefined && from === '-' ? ['give it the same records again'] : []),
    ...(journal === undefined && failuresTo === undefined && from !== undefined && failed > 0
      ? ['--failures-to FILE keeps the failed records for another run']
      : []),
  ];
  const hint = hints.length === 0 ? {} : { hint: hints.join('; ') };
  // What has an unknown outcome is repeated only where somebody says so, each time.
  if (journal !== undefined)
    return { next: line(argv.filter((word) => word !== '--retry-unknown')), ...hint };
  if (failuresTo !== undefined && failed > 0 && from !== undefined)
    return { next: line(replaced(argv, '--from', failuresTo)), ...hint };
  return hint;
}

function aboutUnknown({ inspect }: Operation, journalled: boolean): string {
  const look =
    inspect === undefined
      ? 'an unknown outcome is not repeated'
      : `an unknown outcome is not repeated; see: ${inspect.replace(/\{(\w+)\}/g, '<$1>')}`;
  return journalled ? `${look}, or add --retry-unknown` : look;
}

const line = (words: readonly string[]) => ['social', ...words.map(shellQuote)].join(' ');

/** The same words with another value for a flag. */
function replaced(words: readonly string[], flag: string, value: string): readonly string[] {
  return words.map((word, i) => {
    if (words[i - 1] === flag) return value;
    return word.startsWith(`${flag}=`) ? `${flag}=${value}` : word;
  });
}
