// The question before a repeat: at a terminal, the same change within ten minutes is only made again after a yes.

import { relativeTime } from '../base/durations.ts';
import { ifPossible, unsentFailure } from '../base/errors.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { Client } from '../client/open-client.ts';
import { wrapText } from '../output/wrap.ts';
import { openPrompts } from '../prompts/confirm.ts';
import { type EntryStart, type HistoryEntry, outcomeOf, readHistory, resultOf } from './entries.ts';

/** A repeat within this time is asked about: recalling a command by mistake must not post twice. */
const SOON_MS = 600_000;

/**
 * Asks before the same change is made again, if the earlier one may have been applied. A change that names only what is
 * left to do repeats nothing, unless the earlier one has an unknown outcome. Resolves with true if the user was asked.
 * Rejects with `declined` after a no.
 */
export async function confirmRepeat(
  start: EntryStart,
  { settings, runtime, service }: Pick<Client, 'settings' | 'runtime' | 'service'>,
  isForWhatIsLeft = false,
): Promise<boolean> {
  const history = ifPossible(() => readHistory(runtime).changes) ?? [];
  // A sandbox that was reset since knows nothing of the change.
  const known = history.filter(({ startedAt }) => startedAt >= (service.resetAt ?? ''));
  const before = sameChange(known, start, runtime.now());
  if (before === undefined || (isForWhatIsLeft && !isUnknown(before))) return false;
  const { stderr } = runtime;
  await stderr.write(`${wrapText(describe(before, runtime.now()), stderr.columns)}\n`);
  const ask = await openPrompts(settings, runtime);
  if (await ask.confirm('Run it again?')) return true;
  throw unsentFailure('declined', { what: 'not run again', nothingWas: 'sent' });
}

/** Returns the last change that was the same, if its outcome is still unknown; the history may be unreadable. */
export function unknownBefore(
  start: EntryStart,
  runtime: Client['runtime'],
): HistoryEntry | undefined {
  const history = ifPossible(() => readHistory(runtime).changes) ?? [];
  const isSame = ({ id, origin, ids, command, input }: HistoryEntry) =>
    id !== start.id &&
    origin === start.origin &&
    command === start.command &&
    ids.join() === start.ids.join() &&
    input === start.input;
  const last = history.findLast((entry) => isSame(entry) && entry.outcome !== 'refused');
  return last !== undefined && isUnknown(last) ? last : undefined;
}

const isUnknown = ({ outcome, verdict = 'cannot tell' }: HistoryEntry): boolean =>
  outcome === 'unknown' && verdict === 'cannot tell';

/** Returns the last change of the same IDs, if it was the same change, is recent and may have been applied. */
function sameChange(
  entries: readonly HistoryEntry[],
  { origin, ids, command, input }: EntryStart,
  now: number,
): HistoryEntry | undefined {
  const last = entries.findLast(
    (entry) => entry.origin === origin && entry.ids.join() === ids.join(),
  );
  const isSame = last?.command === command && last.input === input;
  if (!isSame || ['refused', 'unsent'].includes(last.outcome) || last.verdict === 'not done')
    return undefined;
  return now - Date.parse(last.startedAt) <= SOON_MS ? last : undefined;
}

function describe(entry: HistoryEntry, now: number): string {
  const when = relativeTime(Date.parse(entry.startedAt) - now).replace(/^now$/, 'just now');
  // Its end is not recorded: it is still running, or it was killed.
  if (entry.exitCode === undefined && entry.verdict === undefined)
    return `Another process is running this now, or was killed after it started ${when}: it may have happened.`;
  const isSettled = outcomeOf(entry) === 'settled';
  const result = isSettled ? resultOf(entry) : (entry.result ?? entry.outcome);
  return `You ran this ${when}: ${sanitizeLine(inWords[result] ?? result)}.`;
}

const inWords: Readonly<Record<string, string>> = {
  ok: 'succeeded',
  accepted: 'accepted, result not known',
  unknown: 'outcome unknown: it may have happened',
};
