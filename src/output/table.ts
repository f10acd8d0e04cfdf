// Tables fitted to a width: columns are dropped from the end first, then cells wrap by display width.
// cli-table3 only sets the text out: it is given cells that fit, for its own cutting loses wide characters.

import Table from 'cli-table3';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { GLUE } from './color.ts';

const GAP = 2;
/** No column of text gets narrower than this, and none is held wider only to keep a longer word whole. */
const NARROWEST = 8;
const LONGEST_WORD = 24;
const WORD = /[^\s\u001b]+/g;

/** Lays out a heading and rows in at most `width` columns; every line ends without trailing space. */
export function fitTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): { readonly text: string; /** Columns for which there was no room. */ readonly hidden: number } {
  const texts = head.map((label, i) => [label, ...rows.map((row) => row[i] ?? '')]);
  const widths = fit(texts.map(widest), texts.map(narrowest), width);
  // A line of the terminal is a row of the sheet: what it looks at again with each line of a cell grows with the square.
  const linesOf = (cells: readonly string[]): string[][] => {
    const columns = widths.flatMap((limit, i) =>
      limit === undefined ? [] : [wrapped(cells[i] ?? '', limit)],
    );
    const height = Math.max(...columns.map(({ length }) => length));
    return Array.from({ length: height }, (_, n) => columns.map((lines) => lines[n] ?? ''));
  };
  const sheet = new Table({ chars: borderless, style });
  for (const row of [head, ...rows]) sheet.push(...linesOf(row));
  const hidden = widths.filter((limit) => limit === undefined).length;
  return { text: trimLines(sheet.toString()), hidden };
}

/** Field and value, one below the other, the values aligned and wrapped. */
export function fieldList(
  pairs: readonly (readonly [label: string, value: string])[],
  width: number,
): string {
  const label = widest(pairs.map(([name]) => name));
  const room = Math.max(NARROWEST, width - label - GAP);
  const blank = ' '.repeat(GAP);
  // A value that is one word (an id, an address) stays whole, if need be on a line of its own: what is cut in two
  // cannot be copied.
  const linesOf = ([name, value]: readonly [string, string]): readonly string[] => {
    if (!value.includes(' ') && stringWidth(value) > room) return [name, `${blank}${value}`];
    const margins = [name + ' '.repeat(label - stringWidth(name)), ' '.repeat(label)];
    return wrapped(value, room).map((line, i) => `${margins[i === 0 ? 0 : 1]!}${blank}${line}`);
  };
  return trimLines(pairs.flatMap(linesOf).join('\n'));
}

/** The lines of a cell; a path that is too long for one ends it behind a slash. */
function wrapped(text: string, limit: number): readonly string[] {
  const broken = text.replace(WORD, (word) =>
    word.includes('/') && stringWidth(word) > limit ? folded(word, limit) : word,
  );
  return wrapAnsi(broken, limit, { hard: true, trim: true }).split('\n');
}

function folded(word: string, limit: number): string {
  const lines = [''];
  for (const part of word.match(/[^/]*\/?/g) ?? []) {
    const longer = lines.at(-1)! + part;
    if (stringWidth(longer) <= limit) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.filter((line) => line !== '').join('\n');
}

/**
 * Widths that fit, `undefined` for a column that is dropped: the first columns come first, one that cannot be had at
 * its narrowest makes room for those after it. What is then still too wide shrinks, the widest first.
 */
function fit(
  natural: readonly number[],
  narrow: readonly number[],
  width: number,
): readonly (number | undefined)[] {
  const kept: number[] = [];
  for (const i of narrow.keys()) {
    const others = kept.map((each) => narrow[each]!);
    if (kept.length === 0 || total([...others, narrow[i]!]) <= width) kept.push(i);
  }
  const widths = kept.map((i) => natural[i]!);
  while (total(widths) > width) {
    const spare = widths.map((each, i) => each - narrow[kept[i]!]!);
    const most = Math.max(...spare);
    if (most <= 0) break;
    const at = spare.indexOf(most);
    widths[at] = widths[at]! - 1;
  }
  return natural.map((_width, i) => (kept.includes(i) ? widths[kept.indexOf(i)] : undefined));
}

const total = (widths: readonly number[]) => widths.reduce((sum, each) => sum + each + GAP, -GAP);

/** How narrow a column may get. One that holds ids or addresses keeps them whole: what is cut in two cannot be copied. */
function narrowest(texts: readonly string[]): number {
  const natural = widest(texts);
  const [, ...cells] = texts;
  if (!cells.some((text) => text.includes(' '))) return natural;
  const word = widest(texts.flatMap((text) => text.split(' ')));
  return Math.min(natural, Math.max(NARROWEST, Math.min(word, LONGEST_WORD)));
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, stringWidth(text)), 1);
}

function trimLines(text: string): string {
  return text.replace(/[ ]+$/gm, '').replaceAll(GLUE, ' ');
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
