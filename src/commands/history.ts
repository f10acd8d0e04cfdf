// `history list | show | path | clear`: the changes that were made from this machine, as they were written down here.

import { rmSync } from 'node:fs';
import type { Command } from 'commander';
import { Failure, usageFailure, type Fault } from '../base/errors.ts';
import { rotatedPath } from '../fs/append-log.ts';
import { cannotDelete } from '../fs/io-errors.ts';
import { quote } from '../base/sanitize.ts';
import { mayPrompt } from '../prompts/policy.ts';
import { closestWord } from '../base/closest.ts';
import { ageRule, parseAge } from '../base/durations.ts';
import { makeGroup } from '../cli/command-group.ts';
import { historyPath, readHistory, type HistoryEntry } from '../history/entries.ts';
import { isHistoryOff } from '../config/flags.ts';
import { addLocalCommand, type LocalCall } from '../cli/local-command.ts';
import { printLine, printRows } from '../output/write-result.ts';
import { seenPath } from '../history/seen-file.ts';
import { wholeNumber } from '../config/settings.ts';
import type { CommandContext } from '../cli/command-context.ts';

const LIMIT = 50;

export function add(program: Command, commandContext: CommandContext): void {
  const group = makeGroup(program, 'history', 'The changes that were made from this machine');
  addLocalCommand(group, listWords, commandContext, list);
  addLocalCommand(group, showWords, commandContext, show);
  addLocalCommand(group, pathWords, commandContext, (call) =>
    printLine(call, historyPath(call.runtime)),
  );
  addLocalCommand(group, clearWords, commandContext, clear);
}

const listWords = {
  word: 'list',
  summary: 'List the last changes, the newest first',
  details:
    'Each change: when, the command, the ids it was done to, and how it ended. Never a text, a token, a secret or a header. SOCIAL_NO_HISTORY=1 keeps no record.',
  options: [
    { flags: '--since <age>', description: 'Only changes of this time, e.g. 30m, 12h, 7d' },
    { flags: '--op <words>', description: 'Only changes of this command, e.g. "posts retry"' },
    { flags: '--limit <n>', description: `At most so many (${LIMIT})` },
  ],
  examples: [
    ['What was changed today', 'social history list --since 1d'],
    ['What may have happened', `social history list --jq '.[] | select(.outcome == "unknown")'`],
  ],
} as const;

const showWords = {
  word: 'show',
  summary: 'Show all that is known of a change',
  operands: ['change-id'],
  example: 'social history show mb1x7k2e9q4z',
} as const;

const pathWords = {
  word: 'path',
  summary: 'Show where the record is kept',
  config: 'none',
  example: 'social history path',
} as const;

const clearWords = {
  word: 'clear',
  summary: 'Delete the record',
  details:
    'The ids that completion offers go with it. Asks first; off a terminal it needs --yes. Nothing changes at the service.',
  example: 'social history clear',
} as const;

const columns = ['startedAt', 'command', 'ids', 'outcome', 'id', 'context', 'exitCode'] as const;

async function list(call: LocalCall): Promise<void> {
  const { runtime, flags } = call;
  const faults: Fault[] = [];
  const text = (key: string) => flags[key] as string | undefined;
  const since = text('since') === undefined ? Infinity : parseAge(text('since')!);
  if (since === undefined)
    faults.push({ field: '--since', problem: `${ageRule}, got ${quote(text('since')!)}` });
  const limit = wholeNumber(1, 100_000)(text('limit') ?? String(LIMIT));
  if (typeof limit === 'string')
    faults.push({ field: '--limit', problem: `${limit}, got ${quote(text('limit')!)}` });
  if (faults.length > 0 || since === undefined || typeof limit === 'string')
    throw usageFailure(faults);
  const words = text('op');
  const all = readHistory(runtime);
  const entries = all
    .filter(({ command }) => words === undefined || `${command} `.startsWith(`${words} `))
    .filter(({ startedAt }) => runtime.now() - Date.parse(startedAt) <= since)
    .toReversed()
    .slice(0, limit);
  if (entries.length === 0) runtime.note(nothing(call, all, words));
  await printRows(call, columns, call.form === 'table' ? entries.map(told) : entries);
}

/** Why there is nothing to list: none is kept, or none is like that. */
function nothing(
  { runtime }: LocalCall,
  all: readonly HistoryEntry[],
  op: string | undefined,
): string {
  if (isHistoryOff(runtime))
    return 'no change on record; SOCIAL_NO_HISTORY is set, so none is kept';
  if (all.length === 0) return 'no change on record';
  const commands = [...new Set(all.map(({ command }) => command))];
  const near = op === undefined || commands.includes(op) ? undefined : closestWord(op, commands);
  const fix = near === undefined ? '' : `; did you mean --op ${quote(near)}?`;
  return `no change on record is like that${fix}`;
}

/** A person is told that there are more than the ids shown. */
const told = (entry: HistoryEntry) => ({
  ...entry,
  ...(entry.count === undefined ? {} : { ids: [...entry.ids, ...more(entry)] }),
});

const more = ({ ids, count = 0 }: HistoryEntry): readonly string[] =>
  count > ids.length ? [`… ${count - ids.length} more`] : [];

async function show(call: LocalCall): Promise<void> {
  const { runtime, operands } = call;
  const [id] = operands;
  if (id === undefined) throw usageFailure([{ field: 'change id', problem: 'is required' }]);
  const found = readHistory(runtime).filter((entry) => entry.id.startsWith(id));
  const [entry] = found.filter((each) => each.id === id || found.length === 1);
  if (entry === undefined) {
    const problem = found.length > 1 ? 'begins several ids' : 'is not on record';
    throw usageFailure(
      [{ field: 'change id', problem: `${problem}: ${quote(id)}` }],
      'social history list',
    );
  }
  const { counts, ...plain } = entry;
  const row = call.form === 'json' || call.form === 'ndjson' ? entry : { ...plain, ...counts };
  await printRows(call, shownOf(row), [row], row);
}

const ORDER = [...columns, 'by', 'origin', 'count', 'ms', 'status', 'made', 'journal', 'input'];

const shownOf = (row: object): readonly string[] => {
  const names = Object.keys(row);
  return [
    ...ORDER.filter((name) => names.includes(name)),
    ...names.filter((name) => !ORDER.includes(name)),
  ];
};

async function clear({ runtime, settings }: LocalCall): Promise<void> {
  const path = historyPath(runtime);
  if (!settings.yes) {
    if (!mayPrompt(settings, runtime))
      throw usageFailure(
        [
          {
            field: 'history clear',
            problem: 'deletes the record and asks first',
            fix: 'give --yes',
          },
        ],
        'social history clear --yes',
      );
    const ask = await runtime.ask(settings.accessible);
    if (!(await ask.confirm('Delete the record of changes made from this machine?')))
      throw new Failure('declined', { what: 'not confirmed; the record stays', sent: false });
  }
  const seen = seenPath(runtime.stateDir());
  for (const each of [path, rotatedPath(path), seen, rotatedPath(seen)]) remove(each);
  runtime.note('the record of changes is deleted');
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw cannotDelete(path, error);
  }
}
