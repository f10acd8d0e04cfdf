// A table of the 64-bit hashes of records that stays small: a million take 14 MB. It does not withstand collisions made
// on purpose; the journal keeps SHA-256 beside it.

import type { Hash } from '../../base/hash.ts';

const FIRST_SLOTS = 1024;
const KEY_BYTES = 8;
/** The load at which the table grows by half. */
const MAX_LOAD = 0.8;
/** Reserves address space, not memory, for fifty million records. */
const MAX_SLOTS = 64 * 1024 * 1024;
/** Bit of a mark whose hash has not been moved to its new slot yet, while the table grows. */
const UNPLACED = 0x80;

export type HashTable = ReturnType<typeof hashTable>;

/**
 * An open-addressing table with linear probing: a hash and a small mark in nine bytes a slot, no object a record. It
 * grows in place: a copy would need its memory beside the old one until the next garbage collection.
 */
export function hashTable() {
  const keyBuffer = new ArrayBuffer(FIRST_SLOTS * KEY_BYTES, {
    maxByteLength: MAX_SLOTS * KEY_BYTES,
  });
  const markBuffer = new ArrayBuffer(FIRST_SLOTS, { maxByteLength: MAX_SLOTS });
  // Both arrays grow with their buffers.
  const keys = new Uint32Array(keyBuffer);
  const marks = new Uint8Array(markBuffer);
  let slots = FIRST_SLOTS;
  let size = 0;

  const homeOf = (low: number) => low % slots;
  const after = (slot: number) => (slot + 1 === slots ? 0 : slot + 1);
  const slotOf = ({ high, low }: Hash): number => {
    let slot = homeOf(low);
    while (marks[slot] !== 0 && (keys[slot * 2] !== high || keys[slot * 2 + 1] !== low))
      slot = after(slot);
    return slot;
  };
  const write = (slot: number, high: number, low: number, mark: number) => {
    keys[slot * 2] = high;
    keys[slot * 2 + 1] = low;
    marks[slot] = mark;
  };
  /** Moves the entry of a slot to its new slot; an entry that was there and has not been moved takes its old one. */
  const place = (slot: number) => {
    const mark = marks[slot]! & ~UNPLACED;
    const high = keys[slot * 2]!;
    const low = keys[slot * 2 + 1]!;
    let to = homeOf(low);
    while (marks[to] !== 0 && (marks[to]! & UNPLACED) === 0) to = after(to);
    const evicted = marks[to]!;
    if (to !== slot && evicted === 0) marks[slot] = 0;
    else if (to !== slot) write(slot, keys[to * 2]!, keys[to * 2 + 1]!, evicted);
    write(to, high, low, mark);
  };
  const grow = () => {
    slots = Math.ceil(slots * 1.5);
    keyBuffer.resize(slots * KEY_BYTES);
    markBuffer.resize(slots);
    for (let slot = 0; slot < slots; slot++) if (marks[slot] !== 0) marks[slot]! |= UNPLACED;
    for (let slot = 0; slot < slots; slot++) while ((marks[slot]! & UNPLACED) !== 0) place(slot);
  };

  return {
    /** All hashes with their marks, in no order. */
    *entries(): Generator<readonly [hash: Hash, mark: number]> {
      for (let slot = 0; slot < slots; slot++)
        if (marks[slot] !== 0)
          yield [{ high: keys[slot * 2]!, low: keys[slot * 2 + 1]! }, marks[slot]!];
    },
    get size() {
      return size;
    },
    /** The mark of a hash; 0 where it is not in the table. */
    get: (hash: Hash): number => marks[slotOf(hash)]!,
    /** Sets the mark of a hash, 1 to 127; gives the one before. Throws a `RangeError` past fifty million hashes. */
    set(hash: Hash, mark: number): number {
      if (size >= slots * MAX_LOAD) grow();
      const slot = slotOf(hash);
      const before = marks[slot]!;
      if (before === 0) size++;
      write(slot, hash.high, hash.low, mark);
      return before;
    },
  };
}
