// Tables fitted to a width: columns are dropped from the end first, then cells wrap by display width. cli-table3 sets
// plain cells out; it brings a string-width of its own that is years old, so wide ones are padded here.

import { isLine, isPlain, measuring, type Measure } from './display-width.ts';
import { GLUE } from './color.ts';

const GAP = 2;
const BETWEEN = ' '.repeat(GAP);
/** No column of text gets narrower than this, and none is held wider only to keep a longer word whole. */
const NARROWEST = 8;
const LONGEST_WORD = 24;
const WORD = /[^\s\u001b]+/g;

export interface FittedTable {
  readonly text: string;
  /** Columns for which there was no room. */
  readonly hidden: number;
}

/** Lays out a heading and rows in at most `width` columns; every line ends without trailing space. */
export async function fitTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): Promise<FittedTable> {
  const texts = head.map((label, i) => [label, ...rows.map((row) => row[i] ?? '')]);
  const measure = await measuring(texts.flat());
  const widths = fit(
    texts.map((column) => widest(column, measure)),
    texts.map((column) => narrowest(column, measure)),
    width,
  );
  const kept = widths.flatMap((limit, i) => (limit === undefined ? [] : [{ limit, i }]));
  const linesOf = async (cells: readonly string[]): Promise<readonly string[][]> => {
    const wrapping = kept.map(({ limit, i }) => wrapped(cells[i] ?? '', limit, measure));
    const columns = await Promise.all(wrapping);
    const height = Math.max(...columns.map(({ length }) => length));
    return Array.from({ length: height }, (_, n) => columns.map((lines) => lines[n] ?? ''));
  };
  const lines = await Promise.all([head, ...rows].map(linesOf));
  return { text: await aligned(lines.flat(), measure), hidden: widths.length - kept.length };
}

/** Lines of cells below each other, each column as wide as the widest of its cells. */
async function aligned(lines: readonly (readonly string[])[], measure: Measure): Promise<string> {
  if (lines.every((cells) => cells.every(isPlain))) {
    const { default: Table } = await import('cli-table3');
    // A line of the terminal is a row of the sheet: what it looks at again with each line of a cell grows with the square.
    const sheet = new Table({ chars: borderless, style });
    for (const cells of lines) sheet.push([...cells]);
    return trimLines(sheet.toString());
  }
  const widths = lines.map((cells) => cells.map(measure));
  const columns = widths.reduce(
    (most, line) => most.map((width, i) => Math.max(width, line[i]!)),
    widths[0] ?? [],
  );
  const padded = (cell: string, n: number, i: number) =>
    cell + ' '.repeat(columns[i]! - widths[n]![i]!);
  const rows = lines.map((cells, n) => cells.map((cell, i) => padded(cell, n, i)).join(BETWEEN));
  return trimLines(rows.join('\n'));
}

/** Field and value, one below the other, the values aligned and wrapped. */
export async function fieldList(
  pairs: readonly (readonly [label: string, value: string])[],
  width: number,
): Promise<string> {
  const measure = await measuring(pairs.flat());
  const names = pairs.map(([name]) => name);
  const label = widest(names, measure);
  const room = Math.max(NARROWEST, width - label - GAP);
  // A value that is one word (an id, an address) stays whole, if need be on a line of its own: what is cut in two
  // cannot be copied.
  const linesOf = async ([name, value]: readonly [string, string]): Promise<readonly string[]> => {
    if (!value.includes(' ') && measure(value) > room) return [name, `${BETWEEN}${value}`];
    const margins = [name + ' '.repeat(label - measure(name)), ' '.repeat(label)];
    const lines = await wrapped(value, room, measure);
    return lines.map((line, i) => `${margins[i === 0 ? 0 : 1]!}${BETWEEN}${line}`);
  };
  return trimLines((await Promise.all(pairs.map(linesOf))).flat().join('\n'));
}

/** The lines of a cell; a path that is too long for one ends it behind a slash. */
async function wrapped(text: string, limit: number, measure: Measure): Promise<readonly string[]> {
  if (isLine(text, limit)) return [text];
  const { default: wrapAnsi } = await import('wrap-ansi');
  const broken = text.replace(WORD, (word) =>
    word.includes('/') && measure(word) > limit ? folded(word, limit, measure) : word,
  );
  return wrapAnsi(broken, limit, { hard: true, trim: true }).split('\n');
}

function folded(word: string, limit: number, measure: Measure): string {
  const lines = [''];
  for (const part of word.match(/[^/]*\/?/g) ?? []) {
    const longer = lines.at(-1)! + part;
    if (measure(longer) <= limit) lines[lines.length - 1] = longer;
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
function narrowest(texts: readonly string[], measure: Measure): number {
  const natural = widest(texts, measure);
  const [, ...cells] = texts;
  if (!cells.some((text) => text.includes(' '))) return natural;
  const words = texts.flatMap((text) => text.split(' '));
  return Math.min(natural, Math.max(NARROWEST, Math.min(widest(words, measure), LONGEST_WORD)));
}

function widest(texts: readonly string[], measure: Measure): number {
  return texts.reduce((most, text) => Math.max(most, measure(text)), 1);
}

const trimLines = (text: string): string => text.replace(/[ ]+$/gm, '').replaceAll(GLUE, ' ');

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
  middle: BETWEEN,
};

// cli-table3 colours and pads unless told otherwise, also into a pipe.
const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };
