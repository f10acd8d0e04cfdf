// How many columns a text takes, for the texts that most tables hold. string-width knows all texts, and what it knows
// of emoji costs some 35 ms to set up, more than a bare node takes to start (npm run bench -- start). The build puts this in
// front of it, for the packages that measure text as well.

const COLOUR = /\x1b\[[\d;]*m/g;
/** Latin, Greek and Cyrillic letters, punctuation and the signs of this program: a column each, alone and in a row. */
const PLAIN =
  /^[ -~\xa0-\xac\xae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f–—‘’“”…→←↑↓■□●○◌✓✗·]*$/;

/** The columns that a text takes on a terminal, colours left out; nothing where that takes more to know. */
export function quickWidth(text: string): number | undefined {
  const bare = text.includes('\u001b') ? text.replace(COLOUR, '') : text;
  return PLAIN.test(bare) ? bare.length : undefined;
}
