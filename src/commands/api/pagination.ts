// The flags of `api --paginate`: declared as data, and parsed with all their faults.

import type { Fault } from '../../base/errors.ts';
import { shellQuote } from '../../base/shell.ts';
import { parseBatchSettings, type Rate } from '../../batch/options.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import type { PlainFlag } from '../../config/flags.ts';
import { numberFlag } from '../../config/read-flag.ts';
import { prepareFilter } from '../../output/jq-filter.ts';
import type { Jq } from '../../output/jq.ts';

/** Pages without `--max-pages`. */
const MOST_PAGES = 1000;
const pageBounds = { minimum: 1, maximum: 100_000 } as const;

export const pageFlags: readonly PlainFlag[] = [
  { flags: '--paginate', description: 'Read all pages of a list; prints one item per line (GET)' },
  {
    flags: '--next <expression>',
    description: 'With --paginate: jq expression for the next page (URL, path, ?query or cursor)',
  },
  {
    flags: '--max-pages <n>',
    description: `With --paginate: stop after n pages (default ${MOST_PAGES})`,
  },
  {
    flags: '--rate <n/s>',
    description: 'With --paginate: limit request rate, e.g. 10/s or 90/m',
  },
];

export interface Pagination {
  readonly form: 'ndjson' | 'tsv';
  readonly maxPages: number;
  /** Whether the user has set it. */
  readonly isBounded: boolean;
  readonly rate: Rate | undefined;
  /** What finds the next page in a body. */
  readonly next: Jq | undefined;
  /** The flags, as a shell reads them. */
  readonly rest: readonly string[];
}

/** How the flags want a list read; nothing where they do not. Adds what is wrong with them to the faults. */
export async function parsePagination(
  { flags, settings, runtime }: LocalCall,
  method: string | undefined,
  faults: Fault[],
): Promise<Pagination | undefined> {
  const { next: expression, maxPages, rate } = flags as Record<string, string | undefined>;
  const given = { '--next': expression, '--max-pages': maxPages, '--rate': rate };
  if (flags['paginate'] !== true) {
    for (const [field, value] of Object.entries(given))
      if (value !== undefined) faults.push({ field, problem: 'requires --paginate' });
    return undefined;
  }
  const refuse = (problem: string, is: boolean) => {
    if (is) faults.push({ field: '--paginate', problem });
  };
  const most = numberFlag(flags, '--max-pages', pageBounds, faults) ?? MOST_PAGES;
  const { batch, faults: wrongRate } = parseBatchSettings({ rate });
  const hasColumns = settings.output === 'tsv' && settings.fields.length > 0;
  const isJson = [undefined, 'json', 'ndjson'].includes(settings.output);
  const isTyped = flags['output'] !== undefined;
  refuse('requires the method GET', method !== undefined && method.toUpperCase() !== 'GET');
  for (const flag of ['whole', 'include'])
    refuse(`cannot be combined with --${flag}: it prints items`, flags[flag] === true);
  refuse(
    'prints a line per item: use --json, or -o tsv with --fields',
    isTyped && !isJson && !hasColumns,
  );
  // Its results are read here, not shown.
  const stdout = { ...runtime.stdout, isTTY: false };
  const jq = await prepareFilter({ jq: expression }, { ...runtime, stdout });
  const rest = Object.entries(given).flatMap(([flag, value]) =>
    value === undefined ? [] : [`${flag} ${shellQuote(value)}`],
  );
  faults.push(...wrongRate, ...jq.faults.map((fault) => ({ ...fault, field: '--next' })));
  return {
    form: hasColumns ? 'tsv' : 'ndjson',
    maxPages: most,
    isBounded: maxPages !== undefined,
    rate: batch.rate,
    next: jq.filter,
    rest,
  };
}
