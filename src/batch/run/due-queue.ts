// Slots in the order in which they are due: a heap in an array of numbers.

const FEW = 1024;

/** An empty queue; `dueAt` gives when a slot is due, which does not change while it is in the queue. */
export function createDueQueue(dueAt: (slot: number) => number) {
  /** Each is due no later than its two children. */
  let heap = new Uint32Array(FEW);
  let size = 0;

  const put = (at: number, slot: number) => {
    let hole = at;
    for (
      let up = (hole - 1) >> 1;
      hole > 0 && dueAt(heap[up]!) > dueAt(slot);
      up = (hole - 1) >> 1
    ) {
      heap[hole] = heap[up]!;
      hole = up;
    }
    heap[hole] = slot;
  };
  return {
    size: () => size,
    /** When the first one is due; `undefined` where there is none. */
    dueAt: () => (size === 0 ? undefined : dueAt(heap[0]!)),
    push(slot: number): void {
      if (size === heap.length) {
        const larger = new Uint32Array(2 * size);
        larger.set(heap);
        heap = larger;
      }
      put(size++, slot);
    },
    /** Removes the slot at an index, 0 for the one that is due first; the last one fills the gap. */
    remove(at: number): number {
      const removed = heap[at]!;
      const last = heap[--size]!;
      if (at === size) return removed;
      let hole = at;
      for (let child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
        if (child + 1 < size && dueAt(heap[child + 1]!) < dueAt(heap[child]!)) child++;
        if (dueAt(heap[child]!) >= dueAt(last)) break;
        heap[hole] = heap[child]!;
        hole = child;
      }
      put(hole, last);
      return removed;
    },
    /** Removes all. */
    clear(): Uint32Array {
      const all = heap.slice(0, size);
      size = 0;
      return all;
    },
  };
}
