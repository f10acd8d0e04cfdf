// What is left of a batch that was stopped: the records that nobody has taken up. Reads them on from where the batch
// ended, so that none of them has to be kept meanwhile.

export interface Remembering<Item> {
  /** The same groups, looked at as they pass. */
  readonly source: AsyncIterator<readonly Item[]>;
  /** One more item of the last group has been taken up; they are in order. */
  took(): void;
  /** The items that have not. Rejects as the source did, which cannot be read on then. */
  rest(): AsyncGenerator<Item>;
}

/** Follows a source that one reader takes items of. */
export function remembering<Item>(source: AsyncIterator<readonly Item[]>): Remembering<Item> {
  let group: readonly Item[] = [];
  let at = 0;
  let broken: { readonly error: unknown } | undefined;
  const next = async () => {
    try {
      const result = await source.next();
      [group, at] = [result.done === true ? [] : result.value, 0];
      return result;
    } catch (error) {
      broken = { error };
      throw error;
    }
  };
  return {
    source: { next },
    took: () => void at++,
    async *rest() {
      // A generator that threw says from then on that it has come to its end.
      if (broken !== undefined) throw broken.error;
      do yield* group.slice(at);
      while ((await next()).done !== true);
    },
  };
}
