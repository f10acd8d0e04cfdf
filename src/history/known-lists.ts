// The lists of a webhook endpoint as an answer last showed them to this machine: the API can replace a list and cannot
// show one. Only what no later change from here can have altered counts.

import type { Runtime } from '../base/runtime.ts';
import { isHistoryOff } from '../config/flags.ts';
import { type HistoryEntry, readHistory } from './entries.ts';
import { type Located, originOfIds } from './known-ids.ts';

export type KnownLists = NonNullable<ReturnType<typeof lastKnownLists>>;

/**
 * The lists of an endpoint, and when the change was made whose answer showed them, as an ISO timestamp; `undefined`
 * where they are not known, or the history is off or cannot be read.
 */
export function lastKnownLists(id: string, at: Located, runtime: Runtime) {
  const origin = originOfIds(at);
  if (isHistoryOff(runtime) || origin === undefined) return undefined;
  let entries: readonly HistoryEntry[];
  try {
    entries = readHistory(runtime).changes;
  } catch {
    // The change itself does not need it.
    return undefined;
  }
  const last = entries.findLast((entry) => entry.origin === origin && mayConcern(id, entry));
  return last?.lists && { ...last.lists, at: last.startedAt };
}

/** Whether a change may have altered the lists of the endpoint. */
function mayConcern(id: string, { command, ids, count, made, outcome }: HistoryEntry): boolean {
  if (outcome === 'unsent' || outcome === 'refused') return false;
  if (command.startsWith('api ')) return ids.some((path) => /\/v1\/webhooks/i.test(path));
  // Of a batch only the first ids are on record.
  const isOfMany = count !== undefined && count > ids.length;
  return command.startsWith('webhooks ') && (isOfMany || made === id || ids.includes(id));
}
