// A table of the 64-bit hashes of records that stays small: a million take 14 MB. It does not withstand collisions made
// on purpose; the journal keeps SHA-256 beside it.

import type { Hash } from '../../base/hash.ts';

const FIRST_SLOTS = 1024;
/** The load at which the table grows by half. */
const MAX_LOAD = 0.8;
/** Reserves address space, not memory, for fifty million records. */
const MAX_SLOTS = 64 * 1024 * 1024;
/** Bit of a mark whose hash has not been moved to its new slot yet, while the table grows. */
const UNPLACED = 0x80;

export interface HashTable {
  readonly size: number;
  /** All hashes with their marks, in no order. */
  entries(): IterableIterator<readonly [hash: Hash, mark: number]>;
  /** The mark of a hash; 0 where it is not in the table. */
  get(hash: Hash): number;
  /** Sets the mark of a hash, 1 to 127; gives the one before. Throws a `RangeError` past fifty million hashes. */
  set(hash: Hash, mark: number): number;
}

/**
 * An open-addressing table with linear probing: a hash and a small mark in nine bytes a slot, no object a record. It grows
 * in place: a copy would need its memory beside the old one until the next garbage collection.
 */
export function hashTable(): HashTable {
  const keys = growing(Uint32Array, FIRST_SLOTS * 2, MAX_SLOTS * 2);
  const marks = growing(Uint8Array, FIRST_SLOTS, MAX_SLOTS);
  let slots = FIRST_SLOTS;
  let size = 0;

  const homeOf = (low: number) => low % slots;
  const after = (slot: number) => (slot + 1 === slots ? 0 : slot + 1);
  const slotOf = ({ high, low }: Hash): number => {
    let slot = homeOf(low);
    while (marks.at[slot] !== 0 && (keys.at[slot * 2] !== high || keys.at[slot * 2 + 1] !== low))
      slot = after(slot);
    return slot;
  };
  const write = (slot: number, high: number, low: number, mark: number) => {
    keys.at[slot * 2] = high;
    keys.at[slot * 2 + 1] = low;
    marks.at[slot] = mark;
  };
  /** Moves the entry of a slot to its new slot; an entry that was there and has not been moved takes its old one. */
  const place = (slot: number) => {
    const mark = marks.at[slot]! & ~UNPLACED;
    const high = keys.at[slot * 2]!;
    const low = keys.at[slot * 2 + 1]!;
    let to = homeOf(low);
    while (marks.at[to] !== 0 && (marks.at[to]! & UNPLACED) === 0) to = after(to);
    const evicted = marks.at[to]!;
    if (to !== slot && evicted === 0) marks.at[slot] = 0;
    else if (to !== slot) write(slot, keys.at[to * 2]!, keys.at[to * 2 + 1]!, evicted);
    write(to, high, low, mark);
  };
  const grow = () => {
    slots = Math.ceil(slots * 1.5);
    keys.resize(slots * 2);
    marks.resize(slots);
    for (let slot = 0; slot < slots; slot++) if (marks.at[slot] !== 0) marks.at[slot]! |= UNPLACED;
    for (let slot = 0; slot < slots; slot++) while ((marks.at[slot]! & UNPLACED) !== 0) place(slot);
  };

  return {
    *entries() {
      for (let slot = 0; slot < slots; slot++)
        if (marks.at[slot] !== 0)
          yield [{ high: keys.at[slot * 2]!, low: keys.at[slot * 2 + 1]! }, marks.at[slot]!];
    },
    get size() {
      return size;
    },
    get: (hash) => marks.at[slotOf(hash)]!,
    set(hash, mark) {
      if (size >= slots * MAX_LOAD) grow();
      const slot = slotOf(hash);
      const before = marks.at[slot]!;
      if (before === 0) size++;
      write(slot, hash.high, hash.low, mark);
      return before;
    },
  };
}

/** An array of numbers that grows in place, up to `most` elements. */
function growing(
  kind: Uint32ArrayConstructor | Uint8ArrayConstructor,
  first: number,
  most: number,
): { readonly at: Uint32Array | Uint8Array; resize(length: number): void } {
  const width = kind.BYTES_PER_ELEMENT;
  const buffer = new ArrayBuffer(first * width, { maxByteLength: most * width });
  return { at: new kind(buffer), resize: (length) => buffer.resize(length * width) };
}
