// Tables fitted to a width: columns are dropped from the end first, then cells wrap by display width.
// cli-table3 only sets the text out: it is given cells that fit, for its own cutting loses wide characters.

import Table from 'cli-table3';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

const GAP = 2;
/** No column gets narrower than this, and none is held wider only to keep a longer word whole. */
const NARROWEST = 8;
const LONGEST_WORD = 40;

/** Lays out a heading and rows in at most `width` columns; every line ends without trailing space. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const columns = head.map((label, i) => [label, ...rows.map((row) => row[i] ?? '')]);
  const widths = fit(columns.map(widest), columns.map(longestWord), width);
  const line = (cells: readonly string[]) =>
    widths.map((limit, i) => wrapAnsi(cells[i] ?? '', limit, { hard: true, trim: true }));
  const sheet = new Table({ head: line(head), chars: borderless, style });
  sheet.push(...rows.map((row) => line(row)));
  return trimLines(sheet.toString());
}

/** Field and value, one below the other, the values aligned and wrapped. */
export function fieldList(
  pairs: readonly (readonly [label: string, value: string])[],
  width: number,
): string {
  const label = widest(pairs.map(([name]) => name));
  const room = Math.max(NARROWEST, width - label - GAP);
  const sheet = new Table({ chars: borderless, style });
  sheet.push(...pairs.map(([name, value]) => [name, wrapAnsi(value, room, { hard: true })]));
  return trimLines(sheet.toString());
}

/**
 * Widths that fit: drops columns from the end until the words of the rest stay whole, then shrinks the widest.
 * An id that is cut in two cannot be copied.
 */
function fit(
  natural: readonly number[],
  words: readonly number[],
  width: number,
): readonly number[] {
  let least = words.map((word, i) =>
    Math.min(natural[i]!, Math.max(NARROWEST, Math.min(word, LONGEST_WORD))),
  );
  while (least.length > 1 && total(least) > width) least = least.slice(0, -1);
  const widths = natural.slice(0, least.length);
  while (total(widths) > width) {
    const spare = widths.map((each, i) => each - least[i]!);
    const most = Math.max(...spare);
    if (most <= 0) return widths;
    const at = spare.indexOf(most);
    widths[at] = widths[at]! - 1;
  }
  return widths;
}

const total = (widths: readonly number[]) => widths.reduce((sum, each) => sum + each + GAP, -GAP);

function longestWord(texts: readonly string[]): number {
  return widest(texts.flatMap((text) => text.split(' ')));
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, stringWidth(text)), 1);
}

function trimLines(text: string): string {
  return text.replace(/[ ]+$/gm, '');
}

const borderless = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

// cli-table3 colours and pads unless told otherwise, also into a pipe.
const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };
