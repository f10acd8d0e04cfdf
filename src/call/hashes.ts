// Sixty-four bit hashes of records, and a table of them that stays small: a million take 18 MB at most.
// Nothing here is meant to withstand somebody who builds collisions; the journal keeps SHA-256 beside it.

/** A hash in two halves: BigInt would cost an allocation for each. */
export interface Hash {
  readonly high: number;
  readonly low: number;
}

const FIRST_SLOTS = 1024;
/** Slots in use before the table doubles. */
const FILLED = 0.7;

/** The hash of a text: two lanes of MurmurHash3 with constants of their own. The same on every machine. */
export function hashOf(text: string): Hash {
  let [a, b] = [0x9747b28c, 0x3c6ef372];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = step(a, unit, 0xcc9e2d51, 0x1b873593, 15);
    b = step(b, unit, 0x239b961b, 0xab0e9789, 17);
  }
  return { high: finish(a ^ text.length), low: finish(b + text.length + a) };
}

function step(state: number, unit: number, c1: number, c2: number, turn: number): number {
  const mixed = Math.imul(turned(Math.imul(unit, c1), turn), c2);
  return (Math.imul(turned(state ^ mixed, 13), 5) + 0xe6546b64) | 0;
}

const turned = (bits: number, by: number) => (bits << by) | (bits >>> (32 - by));

function finish(state: number): number {
  let bits = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

export interface HashTable {
  readonly size: number;
  /** The mark of a hash; 0 where it is not in the table. */
  get(hash: Hash): number;
  /** Sets the mark of a hash, 1 to 255. */
  set(hash: Hash, mark: number): void;
}

/** An open-addressing table of hashes with a small mark each: nine bytes a slot, and no object a record. */
export function hashTable(): HashTable {
  let keys = new Uint32Array(FIRST_SLOTS * 2);
  let marks = new Uint8Array(FIRST_SLOTS);
  let size = 0;

  const slotOf = ({ high, low }: Hash): number => {
    const last = marks.length - 1;
    let slot = low & last;
    while (marks[slot] !== 0 && (keys[slot * 2] !== high || keys[slot * 2 + 1] !== low))
      slot = (slot + 1) & last;
    return slot;
  };
  const put = (hash: Hash, mark: number) => {
    const slot = slotOf(hash);
    if (marks[slot] === 0) size++;
    [keys[slot * 2], keys[slot * 2 + 1], marks[slot]] = [hash.high, hash.low, mark];
  };
  const grow = () => {
    const [oldKeys, oldMarks] = [keys, marks];
    keys = new Uint32Array(oldKeys.length * 2);
    marks = new Uint8Array(oldMarks.length * 2);
    size = 0;
    for (let slot = 0; slot < oldMarks.length; slot++) {
      const mark = oldMarks[slot]!;
      if (mark !== 0) put({ high: oldKeys[slot * 2]!, low: oldKeys[slot * 2 + 1]! }, mark);
    }
  };

  return {
    get size() {
      return size;
    },
    get: (hash) => marks[slotOf(hash)]!,
    set(hash, mark) {
      if (size >= marks.length * FILLED) grow();
      put(hash, mark);
    },
  };
}
