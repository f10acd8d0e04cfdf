// Asks before the same change is made again within ten minutes: recalling a command by mistake must not post twice. It
// asks only at a terminal, and only if the earlier change may have been applied.

import { unsentFailure } from '../base/errors.ts';
import { readPart } from '../fs/safe-read.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { relativeTime } from '../base/durations.ts';
import { createdAtOf } from '../sandbox/store/store.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { entriesIn, historyPath, type EntryStart, type HistoryEntry, resultOf } from './entries.ts';
import { wrapText } from '../output/wrap.ts';

const SOON_MS = 600_000;
/** The part of the history that the changes of ten minutes may fill. */
const TAIL_BYTES = 64 * 1024;

/** Resolves with true if the user was asked. Rejects with `declined` after a no. */
export async function confirmRepeat(
  start: EntryStart,
  settings: Settings,
  runtime: Runtime,
): Promise<boolean> {
  // A sandbox that was reset since has lost the earlier change.
  const since = start.origin === 'sandbox' ? createdAtOf(runtime.stateDir()) : 0;
  const entries = recent(runtime).filter(({ startedAt }) => Date.parse(startedAt) >= since);
  const before = sameChange(entries, start, runtime.now());
  if (before === undefined) return false;
  const { stderr } = runtime;
  await stderr.write(`${wrapText(describe(before, runtime.now()), stderr.columns ?? 80, '')}\n`);
  const ask = await runtime.ask(settings.accessible);
  if (!(await ask.confirm('Run it again?')))
    throw unsentFailure('declined', {
      what: 'not run again; nothing was sent',
    });
  return true;
}

/** Returns the last change of the same IDs, if it was the same change, is recent and may have been applied. */
function sameChange(
  entries: readonly HistoryEntry[],
  start: EntryStart,
  now: number,
): HistoryEntry | undefined {
  const ids = start.ids.join();
  const last = entries.findLast(
    (entry) => entry.origin === start.origin && entry.ids.join() === ids,
  );
  const same = last?.command === start.command && last.input === start.input;
  if (last?.verdict === 'not done') return undefined;
  if (last === undefined || !same || ['refused', 'unsent'].includes(last.outcome)) return undefined;
  return now - Date.parse(last.startedAt) <= SOON_MS ? last : undefined;
}

function describe(entry: HistoryEntry, now: number): string {
  const when = relativeTime(Date.parse(entry.startedAt) - now).replace(/^now$/, 'just now');
  // Its end is not recorded: it is still running, or it was killed.
  if (entry.exitCode === undefined && entry.verdict === undefined)
    return `Another process is running this now, or was killed after it started ${when}: it may have happened.`;
  const result = resultOf(entry);
  return `You ran this ${when}: ${sanitizeLine(inWords[result] ?? result)}.`;
}

const inWords: Readonly<Record<string, string>> = {
  ok: 'succeeded',
  accepted: 'accepted, result not known',
  unknown: 'outcome unknown: it may have happened',
};

/** Returns the last changes in the history; none if it cannot be read. */
function recent(runtime: Runtime): readonly HistoryEntry[] {
  try {
    return entriesIn(readPart(historyPath(runtime), TAIL_BYTES, 'end'));
  } catch {
    return [];
  }
}
