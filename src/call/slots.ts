// Things that come and go by the thousand, a few at a time. A Map or a Set would do, but for V8's way of growing one:
// the old table stays linked to the new one, so whatever was in it lives on until the next full collection. That took
// a batch 10 µs and 4 KB an item.

export interface Slots<T> {
  /** Things in it now. */
  readonly size: number;
  /** Puts a thing in; the number takes it out again. */
  put(thing: T): number;
  /** Takes out what was put in under a number. */
  take(slot: number): void;
  /** What is in it, in no order. Putting in and taking out meanwhile is allowed. */
  all(): readonly T[];
}

/** As many slots as were ever in use at once. */
export function createSlots<T>(): Slots<T> {
  const things: (T | undefined)[] = [];
  const free: number[] = [];
  return {
    get size() {
      return things.length - free.length;
    },
    put(thing) {
      const slot = free.pop() ?? things.length;
      things[slot] = thing;
      return slot;
    },
    take(slot) {
      if (things[slot] === undefined) return;
      things[slot] = undefined;
      free.push(slot);
    },
    all: () => things.filter((thing) => thing !== undefined),
  };
}
