// The items of a batch that are waited for, in the order in which they are due. There may be a hundred thousand, so
// what a look needs of each is packed, and what a look saw is not kept.

import type { WaitOptions } from '../../wait/options.ts';
import { createDueQueue } from './due-queue.ts';
import {
  type AddedItem,
  createWaitingSlots,
  type Standing,
  type StandingParts,
  type WaitingItem,
} from './waiting-slots.ts';

export type WaitingList = ReturnType<typeof createWaitingList>;

/** An empty list. */
export function createWaitingList(waiting: WaitOptions) {
  const slots = createWaitingSlots(waiting);
  const queue = createDueQueue(slots.dueAt);
  const standings = new Map<string, Standing>();

  /** The standing with this text and these parts, with one more item that stands so. */
  const join = (text: string, parts: StandingParts): Standing => {
    const key = keyOfStanding(text, parts);
    const standing = standings.get(key) ?? { text, parts, count: 0 };
    if (standing.count++ === 0) standings.set(key, standing);
    return standing;
  };
  const leave = (standing: Standing) => {
    if (--standing.count === 0) standings.delete(keyOfStanding(standing.text, standing.parts));
  };
  return {
    /** How many items there are, those that are looked at now included. */
    count: slots.count,
    asleep: queue.size,
    standings: () => standings.values(),
    /** The items that have been waited for longest, with the time when their waits began. */
    oldest: (most: number) =>
      slots.oldest(most).map((slot) => ({
        input: slots.inputOf(slot),
        startedAt: slots.startedAt(slot),
      })),
    /** When the next item is due; `undefined` where none is asleep. */
    dueAt: queue.dueAt,
    /** Adds an item, asleep until it is due. */
    add({ text, parts, ...item }: AddedItem & Omit<Standing, 'count'>): void {
      queue.push(slots.add(item, join(text, parts)));
    },
    /** Puts an item to sleep again, with how it stands now. */
    sleepAgain(each: WaitingItem, text: string, parts: StandingParts): void {
      const before = each.standing;
      each.standing = join(text, parts);
      leave(before);
      slots.update(each);
      queue.push(each.slot);
    },
    /** Takes the item that is due first, or the one at this place of those asleep. */
    take: (at = 0): WaitingItem => slots.read(queue.remove(at)),
    /** Takes all that are asleep, or of them those that have been waited for since this time or longer. */
    *takeAll(since = Infinity): Generator<WaitingItem> {
      const all = queue.clear();
      const isTaken = (slot: number) => slots.startedAt(slot) <= since;
      for (const slot of all) if (!isTaken(slot)) queue.push(slot);
      for (const slot of all) if (isTaken(slot)) yield slots.read(slot);
    },
    /** Forgets an item that has ended. */
    end({ slot, standing }: WaitingItem): void {
      if (slots.drop(slot)) leave(standing);
    },
  };
}

const keyOfStanding = (text: string, parts: StandingParts) => `${text}\n${parts.join()}`;
