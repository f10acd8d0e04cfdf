// A 64-bit hash of a text: two lanes of MurmurHash3, the same on every machine. It is not meant to withstand built
// collisions; the journal stores SHA-256 beside it.

/** A hash in two halves: a BigInt would cost an allocation each. */
export interface Hash {
  readonly high: number;
  readonly low: number;
}

/** The hash of a text. Each lane has its own constants. */
export function hashOf(text: string): Hash {
  let a = 0x9747b28c;
  let b = 0x3c6ef372;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = stepped(a ^ mixed(unit, 0xcc9e2d51, 0x1b873593, 15));
    b = stepped(b ^ mixed(unit, 0x239b961b, 0xab0e9789, 17));
  }
  return { high: finish(a ^ text.length), low: finish(b + text.length + a) };
}

const mixed = (unit: number, c1: number, c2: number, turn: number): number =>
  Math.imul(turned(Math.imul(unit, c1), turn), c2);

const stepped = (state: number): number => (Math.imul(turned(state, 13), 5) + 0xe6546b64) | 0;

const turned = (bits: number, by: number) => (bits << by) | (bits >>> (32 - by));

function finish(state: number): number {
  let bits = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
