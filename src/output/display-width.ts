// How many columns a text takes on a terminal, and whether it has to be wrapped at all. string-width and wrap-ansi know
// all texts, and to load them costs 25 ms, as much as a bare node takes to start: plain text goes without them.

const COLOUR = /\x1b\[[\d;]*m/g;
/** Latin, Greek and Cyrillic letters, punctuation and the signs of this program: a column each, alone and in a row. */
const PLAIN =
  /^[ -~\xa0-\xac\xae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f–—‘’“”…→←↑↓■□●○◌✓✗·]*$/;

export type Measure = (text: string) => number;

/** What tells how many columns each of these texts, or of their parts, takes; colours take none. */
export async function measuring(texts: readonly string[]): Promise<Measure> {
  if (texts.every(isPlain)) return (text) => withoutColour(text).length;
  return (await import('string-width')).default;
}

/** Tells whether a text takes a column for each of its characters, colours left out. */
export const isPlain = (text: string): boolean => PLAIN.test(withoutColour(text));

/** Tells whether a text is one line of so many columns as it stands: plain, with nothing to wrap, trim or compose. */
export function isLine(text: string, columns: number): boolean {
  const bare = withoutColour(text);
  return PLAIN.test(bare) && bare.length <= columns && bare === bare.trim().normalize();
}

export const withoutColour = (text: string): string =>
  text.includes('\u001b') ? text.replace(COLOUR, '') : text;
