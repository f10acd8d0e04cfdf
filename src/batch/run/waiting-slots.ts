// What a batch knows of each item that is waited for: columns of numbers, and the rest as text, all outside the heap.

import type { WaitOptions } from '../../wait/options.ts';
import type { PollState } from '../../wait/poll.ts';
import type { WaitRequest } from '../../wait/wait-request.ts';
import type { AwaitedItem } from './item.ts';
import { createPackedTexts } from './packed-texts.ts';

/** An item that is being looked at. */
export interface WaitingItem extends PollState, Omit<WaitRequest, 'first'> {
  readonly item: AwaitedItem;
  standing: Standing;
  /** Its place in the list. */
  readonly slot: number;
}

export type AddedItem = Omit<WaitingItem, 'standing' | 'slot' | 'waiting'>;

/** How an item stands; one object for all that stand alike. */
export interface Standing {
  /** As a clause: `0 of 2 targets finished`. */
  readonly text: string;
  /** The platform and the status of each part. */
  readonly parts: StandingParts;
  /** The items that stand so. */
  count: number;
}

export type StandingParts = readonly (readonly [kind: string, status: string])[];

/** Slots at first. */
const FEW = 1024;

/** The numbers in a larger array. */
function grown<Numbers extends Float64Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

/** No items yet; each has a slot until it is dropped. */
export function createWaitingSlots(waiting: WaitOptions) {
  const texts = createPackedTexts();
  let times = new Float64Array(TIMES * FEW);
  let counts = new Uint32Array(COUNTS * FEW);
  const standings: (Standing | undefined)[] = [];
  const free: number[] = [];
  const placeOf = (slot: number) => ({
    at: times[TIMES * slot + 2]!,
    length: counts[COUNTS * slot + 2]!,
  });
  const update = (slot: number, { startedAt, dueAt, intervalMs, failures }: PollState) => {
    times.set([startedAt, dueAt], TIMES * slot);
    counts.set([intervalMs, failures], COUNTS * slot);
  };
  const startedAt = (slot: number) => times[TIMES * slot]!;
  const unpacked = (slot: number) => unpack(texts.get(placeOf(slot)));
  return {
    count: () => standings.length - free.length,
    startedAt,
    dueAt: (slot: number) => times[TIMES * slot + 1]!,
    add(each: AddedItem, standing: Standing): number {
      const slot = free.pop() ?? standings.length;
      if (TIMES * slot === times.length) {
        times = grown(times, new Float64Array(2 * times.length));
        counts = grown(counts, new Uint32Array(2 * counts.length));
      }
      const { at, length } = texts.put(pack(each));
      times[TIMES * slot + 2] = at;
      counts[COUNTS * slot + 2] = length;
      update(slot, each);
      standings[slot] = standing;
      return slot;
    },
    update(each: WaitingItem): void {
      update(each.slot, each);
      standings[each.slot] = each.standing;
    },
    read(slot: number): WaitingItem {
      // No spread: on Node 20 an object with properties after one has a hidden class of its own.
      const { item, input, before, wanted } = unpacked(slot);
      return {
        item,
        input,
        before,
        wanted,
        waiting,
        startedAt: startedAt(slot),
        dueAt: times[TIMES * slot + 1]!,
        intervalMs: counts[COUNTS * slot]!,
        failures: counts[COUNTS * slot + 1]!,
        standing: standings[slot]!,
        slot,
      };
    },
    /** Whether it was there. */
    drop(slot: number): boolean {
      if (standings[slot] === undefined) return false;
      texts.drop(placeOf(slot));
      standings[slot] = undefined;
      free.push(slot);
      return true;
    },
    /** The slots that have been in use longest. */
    oldest: (most: number) => oldestOf(standings, startedAt, most),
    /** The input of an item, without the rest. */
    inputOf: (slot: number) => unpacked(slot).item.input,
  };
}

function oldestOf(
  used: readonly unknown[],
  startedAt: (slot: number) => number,
  most: number,
): readonly number[] {
  const first: number[] = [];
  for (let slot = 0; slot < used.length; slot++) {
    if (used[slot] === undefined) continue;
    if (first.length === most && startedAt(slot) >= startedAt(first.at(-1)!)) continue;
    first.splice(most - 1);
    first.push(slot);
    first.sort((a, b) => startedAt(a) - startedAt(b));
  }
  return first;
}

/**
 * Numbers of a slot: when its wait began, when it is due, where its text is; its interval, its failures, its length.
 */
const TIMES = 3;
const COUNTS = 3;

type Packed = readonly [
  line: number,
  input: AwaitedItem['input'],
  before: unknown,
  wanted: WaitingItem['wanted'] | null,
  /** What was sent, where that is not the item's input. */
  sent: WaitingItem['input'] | null | undefined,
  key: string,
  awaited: AwaitedItem['awaited'] | null,
  past: AwaitedItem['past'] | null,
  isOthersAlone: true | null | undefined,
];

/** An item as JSON, without names, and without what is absent at its end. */
function pack({ item, input, before, wanted }: AddedItem): string {
  const { line, key, awaited, past, isOthersAlone } = item;
  const sent = input === item.input ? undefined : input;
  const last = isOthersAlone === true ? true : undefined;
  const all: Packed = [line, item.input, before, wanted, sent, key, awaited, past, last];
  return JSON.stringify(all.slice(0, 1 + all.findLastIndex((each) => each != null)));
}

function unpack(json: string): Pick<WaitingItem, 'item' | 'input' | 'before' | 'wanted'> {
  const [line, input, before, wanted, sent, key, awaited, past, last] = JSON.parse(json) as Packed;
  const isOthersAlone = last === true;
  return {
    item: {
      line,
      input,
      key,
      awaited: awaited ?? undefined,
      past: past ?? undefined,
      isOthersAlone,
    },
    input: sent ?? input,
    before: before ?? undefined,
    wanted: wanted ?? undefined,
  };
}
