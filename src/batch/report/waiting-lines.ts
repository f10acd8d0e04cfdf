// What a batch waits for, as lines below its bar: counts by status and platform, the newest failures, and what has been
// moving longest. Fitted to the window.

import stringWidth from 'fast-string-width';
import { idOf } from '../../api/operations/define-operation.ts';
import { formatTwoUnits } from '../../base/durations.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import type { WaitingList } from '../run/waiting-list.ts';
import type { Standing } from '../run/waiting-slots.ts';

/** What is waited for, for showing it. */
export type WaitedItems = Pick<WaitingList, 'count' | 'standings' | 'oldest'>;

export interface WaitingView {
  readonly waited: WaitedItems;
  /** The newest failures, the last one first. */
  readonly failures: readonly string[];
  /** The monotonic clock, in milliseconds. */
  readonly now: number;
  /** Masks secrets. */
  mask(text: string): string;
}

const MOST_STATUSES = 3;
const MOST_OLDEST = 3;
/** A line of the counts, and one of the longest. */
const FEWEST_LINES = 2;

/** At most `room` lines, each in less than `width` columns. */
export function waitingLines(
  { waited, failures, now, mask }: WaitingView,
  room: number,
  width: number,
): readonly string[] {
  if (room < FEWEST_LINES || waited.count() + failures.length === 0) return [];
  const oldest = waited
    .oldest(MOST_OLDEST)
    .map(
      ({ input, startedAt }) =>
        `${idOf(input)} ${formatTwoUnits(Math.floor((now - startedAt) / 1000))}`,
    );
  const longest = oldest.length === 0 ? [] : [`longest: ${oldest.join(', ')}`];
  const counts = statusLines(waited.standings()).slice(0, Math.min(MOST_STATUSES, room - 1));
  const failed = failures.map((line) => `failed: ${line}`);
  const lines = [...counts, ...longest, ...failed].slice(0, room);
  return lines.map((line) => fitted(mask(line), width));
}

/** `publishing: 40 linkedin, 12 mastodon`, the most frequent first. */
function statusLines(standings: Iterable<Standing>): readonly string[] {
  const statuses = new Map<string, Map<string, number>>();
  for (const { parts, count } of standings)
    for (const [kind, status] of parts) {
      const kinds = statuses.get(status) ?? new Map<string, number>();
      statuses.set(status, kinds.set(kind, (kinds.get(kind) ?? 0) + count));
    }
  return [...statuses]
    .toSorted(([, a], [, b]) => sumOf(b) - sumOf(a))
    .map(([status, kinds]) => {
      const most = [...kinds].toSorted(([, a], [, b]) => b - a);
      return `${status}: ${most.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
    });
}

const sumOf = (kinds: ReadonlyMap<string, number>) =>
  [...kinds.values()].reduce((sum, each) => sum + each, 0);

/** The line in less than `width` columns. What may be wider than its characters is not shown: it would wrap. */
function fitted(text: string, width: number): string {
  const line = sanitizeLine(text);
  const plain = stringWidth(line) === line.length ? line : line.replace(/[^ -~]/g, '?');
  if (plain.length < width) return plain;
  const start = plain.slice(0, Math.max(0, width - 4));
  // Names are not cut where there are several.
  const end = start.lastIndexOf(', ');
  return `${end < 0 ? start : start.slice(0, end + 2)}...`;
}
