// Identifiers in series: sixteen letters, as the API wants them, counted in the last ones.

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** `prefix`, of at most 15 letters, and a number written in letters: ('PostOutage', 27) → `PostOutageaaaabb`. */
export function inLetters(prefix: string, n: number): string {
  const digits = n.toString(26).replace(/./g, (digit) => LETTERS[parseInt(digit, 26)]!);
  return prefix + digits.padStart(16 - prefix.length, 'a');
}
