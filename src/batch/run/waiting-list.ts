// The items of a batch that are waited for: those asleep in the order in which they are due, and all of them by age.
// Holds of each what a look needs, and nothing of what a look saw: there may be a hundred thousand.

import type { PollState } from '../../wait/poll.ts';
import type { WaitRequest } from '../../wait/wait-request.ts';
import type { BatchItem } from '../read/validate-records.ts';

export interface WaitingItem extends PollState, Pick<WaitRequest, 'input' | 'before' | 'wanted'> {
  readonly item: BatchItem;
  standing: Standing;
}

/** How an item stands; one object for all that stand alike. */
export interface Standing {
  /** As a clause: `0 of 2 targets finished`. */
  readonly text: string;
  /** The platform and the status of each part. */
  readonly parts: Parts;
  /** The items that stand so. */
  count: number;
}

type Parts = readonly (readonly [kind: string, status: string])[];

export type WaitingList = ReturnType<typeof createWaitingList>;

/** An empty list. */
export function createWaitingList() {
  /** A heap: each item is due no later than its two children. */
  const heap: WaitingItem[] = [];
  const all = new Set<WaitingItem>();
  const standings = new Map<string, Standing>();

  const put = (at: number, item: WaitingItem) => {
    let hole = at;
    for (let up = (hole - 1) >> 1; hole > 0 && heap[up]!.dueAt > item.dueAt; up = (hole - 1) >> 1) {
      heap[hole] = heap[up]!;
      hole = up;
    }
    heap[hole] = item;
  };
  /** Takes the item at an index; the last one fills the gap. */
  const remove = (at: number): WaitingItem => {
    const removed = heap[at]!;
    const last = heap.pop()!;
    if (removed === last) return removed;
    let hole = at;
    for (let child = 2 * hole + 1; child < heap.length; child = 2 * hole + 1) {
      if (child + 1 < heap.length && heap[child + 1]!.dueAt < heap[child]!.dueAt) child++;
      if (heap[child]!.dueAt >= last.dueAt) break;
      heap[hole] = heap[child]!;
      hole = child;
    }
    put(hole, last);
    return removed;
  };
  const leave = (standing: Standing) => {
    if (--standing.count === 0) standings.delete(keyOfStanding(standing.text, standing.parts));
  };
  return {
    /** All items, those that are looked at now included, the oldest first. */
    all: all as ReadonlySet<WaitingItem>,
    standings: () => standings.values(),
    asleep: () => heap.length,
    /** When the next item is due; `undefined` where none is asleep. */
    dueAt: () => heap[0]?.dueAt,
    /** The standing with this text and these parts, with one more item that stands so. */
    join(text: string, parts: Parts): Standing {
      const key = keyOfStanding(text, parts);
      const standing = standings.get(key) ?? { text, parts, count: 0 };
      if (standing.count++ === 0) standings.set(key, standing);
      return standing;
    },
    leave,
    /** Puts an item to sleep until it is due. */
    sleep(item: WaitingItem): void {
      all.add(item);
      heap.push(item);
      put(heap.length - 1, item);
    },
    /** Takes the item that is due first, or the one at this place of those asleep. */
    take: (at = 0): WaitingItem => remove(at),
    /** Takes all that are asleep and fit. */
    takeAll(fits: (item: WaitingItem) => boolean): readonly WaitingItem[] {
      const taken = heap.filter(fits);
      const rest = heap.filter((item) => !fits(item));
      heap.length = 0;
      for (const item of rest) {
        heap.push(item);
        put(heap.length - 1, item);
      }
      return taken;
    },
    /** Forgets an item that has ended. */
    end(item: WaitingItem): void {
      if (all.delete(item)) leave(item.standing);
    },
  };
}

const keyOfStanding = (text: string, parts: Parts) => `${text}\n${parts.join()}`;
