// `history list | show | clear`: the local record of changes.

import { rmSync } from 'node:fs';
import * as z from 'zod/mini';
import { fieldMeta } from '../../api/schema/rules.ts';
import { usageFailure } from '../../base/errors.ts';
import { rotatedPath } from '../../fs/append-log.ts';
import { cannotDelete, withIoFailure } from '../../fs/io-errors.ts';
import { confirmDeletion } from '../../prompts/confirm.ts';
import {
  briefResultOf,
  causesInWords,
  entryNamed,
  historyPath,
  type HistoryEntry,
  outcomeOf,
  readHistory,
  resultOf,
  shownOutcomes,
} from '../../history/entries.ts';
import { isHistoryOff, isJsonForm } from '../../config/flags.ts';
import type { Invocation, CommandSpec } from '../../cli/command-spec.ts';
import { printValue } from '../../output/write-result.ts';
import { seenPath } from '../../history/seen-ids.ts';
import { hasNote, noteFlag, sinceFlag, startOf } from './since.ts';
import { formatDuration, withMoments } from '../../base/durations.ts';
import { SANDBOX } from '../../config/settings.ts';
import { int, oneOf } from '../../config/flag-types.ts';

const DEFAULT_LIMIT = 50;

const changeId = {
  name: 'change-id',
  id: 'change',
  description: 'Change ID from history list; its first characters are enough',
};

export const historyCommands: readonly CommandSpec[] = [
  {
    words: ['history', 'list'],
    summary: 'List changes, newest first',
    details:
      'For each change: time, command, IDs and outcome. Texts, tokens, secrets and headers are never recorded. SOCIAL_NO_HISTORY=1 turns the history off.',
    flags: [
      sinceFlag,
      noteFlag,
      { flags: '--op <words>', description: 'Only changes of this command, e.g. "posts retry"' },
      {
        flags: '--outcome <word>',
        description: 'Only changes with this outcome',
        values: shownOutcomes,
        // `ok` is the word of --json.
        type: oneOf([...shownOutcomes, 'ok']),
      },
      {
        flags: '--limit <n>',
        description: `Maximum number to show (default ${DEFAULT_LIMIT})`,
        type: int(1, 100_000),
      },
    ],
    examples: {
      'Show the changes of the last 24 hours': 'social history list --since 1d',
      'Show changes with an unknown outcome': 'social history list --outcome unknown',
    },
    run: list,
  },
  {
    words: ['history', 'show'],
    summary: 'Show one change; without an ID the last one',
    operands: [{ ...changeId, optional: true }],
    example: 'social history show mb1x7k2e9q4z',
    run: show,
  },
  {
    words: ['history', 'settle'],
    summary: 'Find out what became of unknown outcomes',
    effect: 'sets',
    details: [
      'Reads the posts of retries whose answer was lost, and compares each target with what it was before the retry. Nothing is changed at the service. The verdict is done, not done, failed (it was done, and a target failed again) or cannot tell. A batch that is run again sends what was not done or failed, and nothing else.',
      'Without IDs: all that is unknown at this service. Only a retry can be seen in the API. “Not done” and “failed” take at least a minute, and 15 after the answer of a gateway (502 and up) or while the post is publishing, by the clock of the service. A retry that was not preceded by a read can only be found done.',
      'Exit 0 when all could be read, whatever the verdicts; 11 when some could not; 13 when a line of the history cannot be read.',
    ].join('\n\n'),
    operands: [{ ...changeId, optional: true, many: true }],
    flags: [
      {
        flags: '--journal <file>',
        description: 'Settle the unknown outcomes of this journal of a batch',
      },
      {
        flags: '-w, --wait',
        description: 'Ask again until nothing more can be known, for at most 15 minutes',
      },
    ],
    examples: {
      'Settle what is unknown': 'social history settle',
      'Settle a batch; then the same batch sends what was not done or failed':
        'social history settle --journal tonight.journal',
    },
    run: async (call) => (await import('./settle.ts')).settle(call),
  },
  {
    words: ['history', 'report'],
    summary: 'Write an incident report, as a Markdown table',
    details:
      'For a post-mortem: what was asked for and what is out; why records failed in the last run; what was run when and by whom, with its result, exit code and next step; the totals, each record counted once by its last state; and a line of times. What a batch with --journal did is read from its journal; a change whose journal is gone says so. Only what this machine has on record: changes made elsewhere are not in it. Without --since and --note: the last 24 hours.',
    flags: [sinceFlag, noteFlag],
    examples: {
      'Write a report of an incident': 'social history report --note INC-123 > report.md',
      'Get the same as data': 'social history report --since 3h --json',
    },
    run: async (call) => (await import('./report.ts')).report(call),
  },
  {
    words: ['history', 'clear'],
    summary: 'Delete the history',
    effect: 'takes away',
    details:
      'Also deletes the IDs that completion offers. Asks for confirmation; without a terminal it needs --yes. Nothing changes at the service.',
    example: 'social history clear',
    run: clear,
  },
];

const columns = [
  'startedAt',
  'command',
  'ids',
  'outcome',
  'made',
  'id',
  'context',
  'exitCode',
  'verdict',
  'note',
] as const;

/** The columns of a table; `-o wide` shows them all. */
const tableColumns = ['startedAt', 'outcome', 'command', 'ids', 'made', 'id', 'note'] as const;

const time = z.string().register(fieldMeta, { look: 'clock', label: 'time' });
const whole = z.string().register(fieldMeta, { look: 'whole' });
const below = z.string().register(fieldMeta, { look: 'below' });
/** Fields without room stand below their row. The time and the command are wrapped, so that the others stay whole. */
const TABLE = z.object({
  rows: z.array(
    z.object({
      startedAt: time,
      command: z.string(),
      ids: whole,
      outcome: whole,
      made: z.string().register(fieldMeta, { look: 'below', label: 'created' }),
      id: z.string().register(fieldMeta, { look: 'whole', label: 'change' }),
      note: below,
    }),
  ),
});

/** The words of `history show` for names that have another one elsewhere. */
const ENTRY = z.object({
  startedAt: time,
  settledAt: z.string().register(fieldMeta, { look: 'clock' }),
  line: z.string().register(fieldMeta, { label: 'command' }),
  exitCode: z.string().register(fieldMeta, { label: 'exit' }),
  id: z.string().register(fieldMeta, { label: 'change' }),
  made: z.string().register(fieldMeta, { label: 'created' }),
  origin: z.string().register(fieldMeta, { label: 'base url' }),
});

interface ListFlags {
  readonly op?: string;
  readonly note?: string;
  readonly outcome?: ReturnType<typeof outcomeOf> | 'ok';
  readonly limit?: number;
}

async function list(call: Invocation): Promise<void> {
  const { runtime } = call;
  const { op: words, note, outcome, limit = DEFAULT_LIMIT } = call.flags as ListFlags;
  const wanted = outcome === 'ok' ? 'done' : outcome;
  const start = startOf(call) ?? 0;
  const { changes: all, damaged } = readHistory(runtime);
  const { withJournals } = await import('./verdict.ts');
  // The spaces keep `--op post` from matching `posts retry`.
  const entries = withJournals(all, runtime)
    .filter(({ command }) => words === undefined || ` ${command} `.includes(` ${words} `))
    .filter(hasNote(note))
    .filter((entry) => wanted === undefined || outcomeOf(entry) === wanted)
    .filter(({ startedAt }) => Date.parse(startedAt) >= start)
    .toReversed()
    .slice(0, limit);
  if (entries.length === 0) runtime.note(whyEmpty(call, all));
  for (const line of damaged)
    runtime.note(`warning: ${line} cannot be read: a change may be missing`);
  const { wide, accessible } = call.settings;
  const room = wide || accessible ? Infinity : (runtime.stdout.columns ?? 80);
  const isTable = call.form === 'table';
  if (isTable && entries.length === 0) return;
  const full = entries.map((entry) => shortened(entry, resultOf));
  const table =
    widthOf(full) > room ? entries.map((entry) => shortened(entry, briefResultOf)) : full;
  const shown = isTable ? table : entries.map((entry) => ({ ...entry, outcome: outcomeOf(entry) }));
  const names = isTable ? [...new Set([...tableColumns, ...(wide ? columns : [])])] : columns;
  await printValue(call, names, shown, isJsonForm(call.form) ? entries : shown, TABLE);
}

/** Explains why the list is empty. */
function whyEmpty({ runtime }: Invocation, all: readonly HistoryEntry[]): string {
  if (isHistoryOff(runtime)) return 'no changes recorded (SOCIAL_NO_HISTORY is set)';
  return all.length === 0 ? 'no changes recorded' : 'no recorded change matches';
}

/** The width of a time of another day, and of the gaps between columns. */
const TIME_AND_GAPS = 'YYYY-MM-DD hh:mm:ssZ'.length + 4 * 2;

/** Returns the width of a table in which nothing is wrapped. */
const widthOf = (rows: readonly ReturnType<typeof shortened>[]): number =>
  (['outcome', 'command', 'ids', 'id'] as const)
    .map((name) => Math.max(...rows.map((row) => row[name]?.length ?? 0)))
    .reduce((sum, width) => sum + width, TIME_AND_GAPS);

/** Shortens an entry for reading: its result, and its IDs to the first one and the number of the others. */
function shortened(entry: HistoryEntry, result: (entry: HistoryEntry) => string) {
  const { ids, made, count = 1 } = entry;
  const isCreated = ids.length === 0 && made !== undefined;
  // A single change is named by its resource.
  const named = isCreated ? made : ids[0];
  return {
    ...entry,
    outcome: result(entry),
    ids: count > 1 ? `${named} +${count - 1}` : named,
    made: isCreated ? undefined : made,
  };
}

async function show(call: Invocation): Promise<void> {
  const { runtime, operands } = call;
  const { withJournals } = await import('./verdict.ts');
  const changes = withJournals(readHistory(runtime).changes, runtime);
  const entry =
    operands[0] === undefined ? lastOf(changes, call) : entryNamed(operands[0], changes);
  if ('problem' in entry) throw usageFailure(entry, ['social', 'history', 'list']);
  // The states of each post are for programs: a batch has those of hundreds.
  const { counts, accepted: _accepted, seen: _seen, causes: _causes, ...plain } = entry;
  const isTable = call.form === 'table';
  const told = isTable ? await inOrder(entry, call) : {};
  const shown = { ...plain, ...counts, outcome: outcomeOf(entry), ...told };
  const row = isJsonForm(call.form) ? entry : shown;
  await printValue(call, Object.keys(isTable ? told : row), row, row, ENTRY);
}

function lastOf(changes: readonly HistoryEntry[], { runtime }: Invocation) {
  const last = changes.at(-1);
  if (last !== undefined)
    runtime.note(`the last change, ${last.id}; history list shows the others`);
  return last ?? { field: 'change ID', problem: 'is required: no change is on record' };
}

/** The facts of a change in the order in which a person asks for them. */
const asked =
  'startedAt outcome line took who context origin note ids made errors status requestId verdict why settledAt exitCode journal id';

async function inOrder(entry: HistoryEntry, { runtime, settings }: Invocation): Promise<object> {
  const { ms, origin, why, count } = entry;
  const { lineOf, whoOf } = await import('./report.ts');
  const { endOf } = await import('./verdict.ts');
  const facts: Readonly<Record<string, unknown>> = {
    ...entry,
    outcome: resultOf(entry),
    line: lineOf(entry),
    took: ms && (ms >= 1000 && ms < 60_000 ? `${(ms / 1000).toFixed(1)}s` : formatDuration(ms)),
    who: whoOf(entry),
    origin: origin === SANDBOX ? undefined : origin,
    ids: foldedIds(entry),
    errors: causesInWords(entry.causes).join('; ').replaceAll('.;', ';') || undefined,
    // The outcome of a batch has its verdicts.
    verdict: count === undefined ? entry.verdict : undefined,
    why: count === undefined && why ? withMoments(why, runtime.now(), settings.utc) : undefined,
    exitCode: endOf(entry),
  };
  const known = asked.split(' ').filter((name) => (facts[name] ?? null) !== null);
  return Object.fromEntries(known.map((name) => [name, facts[name]]));
}

/** More IDs than these are folded to the first two. */
const MOST_IDS = 5;

/** Formats `121 posts: PostA, PostB, and 119 more; --json has all`. */
function foldedIds({ ids, count = ids.length, command }: HistoryEntry): string | undefined {
  if (count <= MOST_IDS) return ids.join(', ') || undefined;
  const noun = command.startsWith('posts ') ? 'posts' : 'records';
  const rest = ids.length < count ? `the first ${ids.length}` : 'all';
  return `${count} ${noun}: ${ids.slice(0, 2).join(', ')}, and ${count - 2} more; --json has ${rest}`;
}

async function clear({ runtime, settings }: Invocation): Promise<void> {
  const deletion = {
    what: 'history clear',
    question: 'Delete the history of changes made from this machine?',
    next: ['social', 'history', 'clear', '--yes'],
    kept: 'the history was not deleted',
  };
  if (!settings.yes) await confirmDeletion(deletion, settings, runtime);
  for (const path of [historyPath(runtime), seenPath(runtime.stateDir())])
    for (const file of [path, rotatedPath(path)])
      withIoFailure(file, cannotDelete, () => rmSync(file, { force: true }));
  runtime.note('Deleted the history.');
}
