// `history settle`: finds out, with reads alone, what became of changes whose outcome is unknown, and writes it down.

import { resolve } from 'node:path';
import { type Fault, usageFailure } from '../../base/errors.ts';
import { quote } from '../../base/sanitize.ts';
import { withUnknownRequests } from '../../batch/journal/job.ts';
import { parseBatchSettings } from '../../batch/options.ts';
import type { CommandContext } from '../../cli/command-context.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { baseUrlOf } from '../../client/open-service.ts';
import { SANDBOX } from '../../config/settings.ts';
import { withLongFileLock } from '../../fs/linked-file-lock.ts';
import { asFailure } from '../../output/error-report.ts';
import { entryNamed, historyPath, type HistoryEntry, readHistory } from '../../history/entries.ts';
import { isRunning, whoAndWhere } from '../../fs/lock-owner.ts';
import {
  type OpenJournal,
  operationFinder,
  type Question,
  questionAbout,
  questionOf,
  unasked,
} from './questions.ts';
import { settleQuestions } from './verdicts.ts';

export async function settle(call: LocalCall, { argv }: CommandContext): Promise<void> {
  const { runtime, operands, flags } = call;
  const { journal, ...rest } = flags;
  const { batch, faults } = parseBatchSettings(rest);
  const both = { field: '--journal', problem: 'cannot be combined with change IDs' };
  const all = journal !== undefined && operands.length > 0 ? [...faults, both] : faults;
  if (all.length > 0) throw usageFailure(all);
  await withLongFileLock(historyPath(runtime), runtime, async () => {
    const history = readHistory(runtime);
    const run: Run = (found) => settleQuestions({ call, argv, batch, history, ...found });
    if (typeof journal === 'string') await settleJournal(journal, call, history, run);
    else await settleEntries(call, history, run);
  });
}

/** What was found to settle; journals are held open. */
interface Found {
  readonly questions: Question[];
  readonly journals: OpenJournal[];
  readonly where?: string | undefined;
}

type Run = (found: Found) => Promise<void>;

/** The unknown requests of the journal of `--journal`. */
async function settleJournal(
  path: string,
  { runtime, settings }: LocalCall,
  history: readonly HistoryEntry[],
  run: Run,
): Promise<void> {
  await withUnknownRequests(path, runtime, async (open) => {
    const { origin, operation } = open.heading;
    const baseUrl = baseUrlOf(settings);
    if (origin !== baseUrl)
      throw usageFailure({
        field: '--journal',
        problem: `is a journal of ${origin}, not of ${baseUrl}`,
      });
    const known = await (await operationFinder())(operation, []);
    const questions = open.requests.map((request) => questionAbout(request, known, { operation }));
    const entries = history.filter((each) => each.journal === resolve(path) && isOpen(each));
    await run({ questions, journals: [{ ...open, path, entries }] });
  });
}

/** Whether it is still to be found out what became of it. */
const isOpen = ({ outcome, verdict = 'cannot tell' }: HistoryEntry): boolean =>
  outcome === 'unknown' && verdict === 'cannot tell';

/** The changes of the history that were named, or else all that are unknown at this service. */
async function settleEntries(
  call: LocalCall,
  history: readonly HistoryEntry[],
  run: Run,
): Promise<void> {
  const { runtime, operands } = call;
  const own = originIn(call);
  const chosen = operands.length > 0 ? named(operands, history) : history.filter(isOpen);
  const here = chosen.filter(({ origin }) => origin === own);
  const elsewhere = chosen.filter(({ origin }) => origin !== own);
  for (const line of elsewhereLines(elsewhere)) runtime.note(line);
  const find = await operationFinder();
  const journals = new Map<string, HistoryEntry[]>();
  const questions: Question[] = [];
  for (const entry of here) {
    const { journal, count } = entry;
    if (journal !== undefined) journals.set(journal, [...(journals.get(journal) ?? []), entry]);
    else if (count !== undefined) questions.push(unasked(entry, BATCH_WITHOUT_JOURNAL));
    else if (mayRun(entry, call))
      questions.push(unasked(entry, `it is running now, as process ${entry.pid}`));
    else questions.push(questionOf(entry, await find(entry.command, entry.ids)));
  }
  const where = elsewhere.length === 0 ? undefined : own;
  await withJournals([...journals], call, { questions, journals: [], where }, run);
}

/** A batch that kept no journal does not know which of its records were sent. */
const BATCH_WITHOUT_JOURNAL =
  'it was a batch without --journal: which of its records are unknown is not on record. See its results, or social posts triage --from with its list';

/** Whether a change without an end may still be under way: its process lives, on this machine. */
function mayRun({ exitCode, pid, host }: HistoryEntry, { runtime }: LocalCall): boolean {
  if (exitCode !== undefined || pid === undefined) return false;
  return host === whoAndWhere(runtime.env['SUDO_USER']).host && isRunning(pid);
}

/** Opens each journal under its lock, adds its questions, and runs. */
async function withJournals(
  left: readonly (readonly [path: string, entries: readonly HistoryEntry[]])[],
  call: LocalCall,
  found: Found,
  run: Run,
): Promise<void> {
  const [next, ...rest] = left;
  if (next === undefined) return run(found);
  const [path, entries] = next;
  const find = await operationFinder();
  let isOpened = false;
  try {
    await withUnknownRequests(path, call.runtime, async (open) => {
      isOpened = true;
      const { operation } = open.heading;
      const known = await find(operation, []);
      for (const request of open.requests) {
        const entry = entries.findLast(({ startedAt }) => Date.parse(startedAt) <= request.at);
        const about = { operation, entry: entry ?? entries[0]! };
        found.questions.push(questionAbout(request, known, about));
      }
      found.journals.push({ ...open, path, entries });
      await withJournals(rest, call, found, run);
    });
  } catch (error) {
    const failure = asFailure(error);
    if (isOpened || !['usage', 'local_io'].includes(failure.kind)) throw error;
    // A batch that runs now holds it, or it is gone: an auto journal is deleted when all its records are done.
    const why = `its journal cannot be read: ${failure.facts.what}`;
    found.questions.push(...entries.map((entry) => unasked(entry, why)));
    await withJournals(rest, call, found, run);
  }
}

/** The changes that begin with these ids. Throws `usage` for what is not there, or is known. */
function named(
  operands: readonly string[],
  history: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const faults: Fault[] = [];
  const found = operands.flatMap((id) => {
    const entry = entryNamed(id, history);
    if ('problem' in entry) faults.push(entry);
    else if (entry.outcome === 'unknown') return [entry];
    else {
      const problem = `has a known outcome (${entry.outcome}): ${quote(id)}`;
      faults.push({ field: 'change ID', problem });
    }
    return [];
  });
  if (faults.length > 0) throw usageFailure(faults, 'social history list');
  return [...new Set(found)];
}

/** Where the settings lead, as the history writes it. */
function originIn({ settings }: LocalCall): string {
  const baseUrl = baseUrlOf(settings);
  return settings.context === SANDBOX ? SANDBOX : new URL(baseUrl).origin;
}

/** `2 more at https://api.example.com: social -C prod history settle` */
function elsewhereLines(entries: readonly HistoryEntry[]): readonly string[] {
  const places = new Map<string, HistoryEntry[]>();
  for (const entry of entries) {
    const place = `${entry.origin} ${entry.context ?? ''}`;
    places.set(place, [...(places.get(place) ?? []), entry]);
  }
  return [...places.values()].map(([first, ...more]) => {
    const { origin, context } = first!;
    const how = context === null ? '' : `: social -C ${context} history settle`;
    return `${more.length + 1} more at ${origin}${how}`;
  });
}
