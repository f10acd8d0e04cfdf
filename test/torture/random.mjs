// Repeatable chance: every random choice of a round comes from its seed.

/** Small and repeatable: mulberry32. */
export function randomFrom(seed) {
  let state = seed | 0;
  const number = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  // The first numbers of near seeds are alike.
  for (let i = 0; i < 4; i++) number();
  /** A whole number from 0, less than `n`. */
  const below = (n) => Math.floor(number() * n);
  const between = (least, most) => least + below(most - least + 1);
  const pick = (list) => list[below(list.length)];
  const chance = (part) => number() < part;
  const from = (alphabet, length) => Array.from({ length }, () => pick(alphabet)).join('');
  const letters = (length) =>
    from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split(''), length);
  const shuffled = (list) => {
    const copy = [...list];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = below(i + 1);
      [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
  };
  /** Another source, for what happens in an order that the clock decides. */
  const fork = () => randomFrom(below(2 ** 31));
  return { number, below, between, pick, chance, from, letters, shuffled, fork };
}
