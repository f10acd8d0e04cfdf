// Texts that are put aside, in large blocks outside the heap: a text there costs its bytes alone, and the garbage
// collector does not look at it.

const BLOCK_BYTES = 256 * 1024;

interface Block {
  readonly bytes: Buffer;
  /** Texts in it that are still wanted. */
  live: number;
}

/** Where a text is. */
interface TextPlace {
  /** The number of its block times `BLOCK_BYTES`, and its offset there. */
  readonly at: number;
  readonly length: number;
}

/** No texts yet. A block goes when none of its texts is wanted. */
export function createPackedTexts() {
  const blocks = new Map<number, Block>();
  let [last, used] = [-1, BLOCK_BYTES];
  const blockOf = (at: number) => Math.floor(at / BLOCK_BYTES);
  return {
    put(text: string): TextPlace {
      const length = Buffer.byteLength(text);
      if (used + length > BLOCK_BYTES) {
        if (blocks.get(last)?.live === 0) blocks.delete(last);
        // Not of the pool that Node shares among small buffers; a long text has a block of its own.
        const bytes = Buffer.allocUnsafeSlow(Math.max(length, BLOCK_BYTES));
        [last, used] = [last + 1, 0];
        blocks.set(last, { bytes, live: 0 });
      }
      const block = blocks.get(last)!;
      block.bytes.write(text, used);
      block.live++;
      const at = last * BLOCK_BYTES + used;
      used += length;
      return { at, length };
    },
    get({ at, length }: TextPlace): string {
      const start = at % BLOCK_BYTES;
      return blocks.get(blockOf(at))!.bytes.toString('utf8', start, start + length);
    },
    drop({ at }: TextPlace): void {
      const number = blockOf(at);
      const block = blocks.get(number)!;
      if (--block.live === 0 && number !== last) blocks.delete(number);
    },
  };
}
