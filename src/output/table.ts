// Tables fitted to a width: columns are dropped from the end first, or put below their rows, then cells wrap by display
// width. cli-table3 lays them out.

import Table from 'cli-table3';
import measure from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { GLUE } from './color.ts';

const GAP = 2;
const BETWEEN = ' '.repeat(GAP);
/** The minimum width of a text column, and the limit up to which a column is widened to keep a long word whole. */
const NARROWEST = 8;
const LONGEST_WORD = 24;
/** A column that can go below its row stands beside the others only if it has this much room. */
const LEAST_BESIDE = 40;
const WORD = /[^\s\u001b]+/g;
const COLOUR = /\u001b\[[\d;]*m/g;

interface ColumnFacts {
  /** The index of the column that is kept before the others, after the first; -1 for none. */
  readonly time?: number;
  /** The label of each column that may be printed below its row if there is no room. */
  readonly below?: readonly (string | undefined)[];
}

/** Lays out a heading and rows in at most `width` columns, without trailing spaces; `hidden` columns had no room. */
export function fitTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  { time = -1, below = [] }: ColumnFacts = {},
): { readonly text: string; readonly hidden: number } {
  const texts = head.map((label, i) => [label, ...rows.map((row) => row[i] ?? '')]);
  const natural = texts.map(widest);
  const least = texts.map((column, i) =>
    below[i] === undefined
      ? narrowest(column)
      : Math.max(narrowest(column), Math.min(natural[i]!, LEAST_BESIDE)),
  );
  const widths = fit(natural, least, width, inTurn(head.length, time, below));
  const columns = [...widths.keys()];
  const kept = columns.filter((i) => widths[i] !== undefined);
  const moved = columns.filter((i) => widths[i] === undefined && below[i] !== undefined);
  const hidden = columns.length - kept.length - moved.length;
  const linesOf = (cells: readonly string[]): readonly string[][] => {
    const broken = kept.map((i) => wrapped(cells[i] ?? '', widths[i]!));
    const height = Math.max(...broken.map(({ length }) => length));
    return Array.from({ length: height }, (_, n) => broken.map((lines) => lines[n] ?? ''));
  };
  const detailsOf = (row: readonly string[]): readonly string[] => {
    const filled = moved.filter((i) => !isEmpty(row[i]));
    if (filled.length === 0) return [];
    const fields = filled.map((i) => [below[i]!, row[i]!] as const);
    const list = fieldList(fields, width - GAP).split('\n');
    return list.map((line) => BETWEEN + line);
  };
  const blocks = [head, ...rows].map(linesOf);
  const drawn = aligned(blocks.flat());
  const whole: string[] = [];
  let next = 0;
  for (const [n, { length }] of blocks.entries()) {
    whole.push(...drawn.slice(next, next + length));
    next += length;
    if (n > 0) whole.push(...detailsOf(rows[n - 1]!));
  }
  return { text: whole.join('\n'), hidden };
}

const isEmpty = (cell = '-'): boolean => cell.replace(COLOUR, '') === '-';

/** Orders the columns for getting room: the first, then the time, and last those that can go below. */
function inTurn(
  count: number,
  time: number,
  below: readonly (string | undefined)[],
): readonly number[] {
  const rank = (i: number) => (i === 0 ? 0 : i === time ? 1 : below[i] === undefined ? 2 : 3);
  return Array.from({ length: count }, (_, i) => i).toSorted((a, b) => rank(a) - rank(b));
}

/** Aligns lines of cells, each column as wide as its widest cell. */
function aligned(lines: readonly (readonly string[])[]): readonly string[] {
  // Each line of a cell becomes a row of the table, because cli-table3 takes quadratic time for multi-line cells.
  const table = new Table({ chars: borderless, style });
  // cli-table3 measures with an old version of Unicode, so a cell with special characters is replaced by a placeholder
  // of its width.
  const cells = lines.flat().filter((cell) => !PLAIN.test(cell) && measure(cell) > 0);
  for (const line of lines)
    table.push(line.map((cell) => (PLAIN.test(cell) ? cell : STAND_IN.repeat(measure(cell)))));
  let next = 0;
  const drawn = table.toString().replace(STAND_INS, () => cells[next++]!);
  return trimLines(drawn).split('\n');
}

const PLAIN = /^[ -~]*$/;
const STAND_IN = '\ue000';
const STAND_INS = /\ue000+/g;

/** A field of a list of fields; `oneLine` cuts its value to one line. */
export type NamedField = readonly [name: string, value: string, oneLine?: boolean];

/** Lists fields with their values, one below the other, the values aligned and wrapped. */
export function fieldList(fields: readonly NamedField[], width: number): string {
  const names = fields.map(([name]) => name);
  const label = widest(names);
  const room = Math.max(NARROWEST, width - label - GAP);
  // A value that is one word (an ID, an address) stays whole, if necessary on a separate line, so that it can be
  // copied.
  const linesOf = ([name, whole, oneLine]: NamedField): readonly string[] => {
    const value = oneLine === true ? cutToLine(whole, room) : whole;
    if (!value.includes(' ') && measure(value) > room) return [name, `${BETWEEN}${value}`];
    const margins = [name + ' '.repeat(label - measure(name)), ' '.repeat(label)];
    const lines = wrapped(value, room);
    return lines.map((line, i) => `${margins[i === 0 ? 0 : 1]!}${BETWEEN}${line}`);
  };
  return trimLines(fields.flatMap(linesOf).join('\n'));
}

/** Cuts a text to one line. */
function cutToLine(text: string, limit: number): string {
  if (measure(text) <= limit) return text;
  const [first = ''] = wrapped(text, limit - 1);
  return `${first}…`;
}

/** Wraps a cell; a path that is too long breaks after a slash. */
function wrapped(text: string, limit: number): readonly string[] {
  if (limit === Infinity) return [text];
  const broken = text.replace(WORD, (word) =>
    word.includes('/') && measure(word) > limit ? folded(word, limit) : word,
  );
  return wrapAnsi(broken, limit, { hard: true, trim: true }).split('\n');
}

function folded(word: string, limit: number): string {
  const lines = [''];
  for (const part of word.match(/[^/]*\/?/g) ?? []) {
    const longer = lines.at(-1)! + part;
    if (measure(longer) <= limit) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.filter((line) => line !== '').join('\n');
}

/**
 * Computes widths that fit, `undefined` for a dropped column: columns get room in order, and one that cannot have its
 * minimum leaves the room to later ones. If the rest is still too wide, the widest columns shrink.
 */
function fit(
  natural: readonly number[],
  narrow: readonly number[],
  width: number,
  turns: readonly number[],
): readonly (number | undefined)[] {
  const kept: number[] = [];
  for (const i of turns) {
    const others = kept.map((column) => narrow[column]!);
    if (kept.length === 0 || total([...others, narrow[i]!]) <= width) kept.push(i);
  }
  const widths = kept.map((i) => natural[i]!);
  while (total(widths) > width) {
    const spare = widths.map((columnWidth, i) => columnWidth - narrow[kept[i]!]!);
    const most = Math.max(...spare);
    if (most <= 0) break;
    const at = spare.indexOf(most);
    widths[at] = widths[at]! - 1;
  }
  return natural.map((_width, i) => (kept.includes(i) ? widths[kept.indexOf(i)] : undefined));
}

const total = (widths: readonly number[]) =>
  widths.reduce((sum, columnWidth) => sum + columnWidth + GAP, -GAP);

/** Returns the minimum width of a column. IDs and addresses stay whole, so that they can be copied. */
function narrowest(texts: readonly string[]): number {
  const natural = widest(texts);
  const [, ...cells] = texts;
  if (!cells.some((text) => text.includes(' '))) return natural;
  const words = texts.flatMap((text) => text.split(' '));
  return Math.min(natural, Math.max(NARROWEST, Math.min(widest(words), LONGEST_WORD)));
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, measure(text)), 1);
}

const trimLines = (text: string): string => text.replace(/[ ]+$/gm, '').replaceAll(GLUE, ' ');

const sides = ['top', 'bottom', 'left', 'mid', 'right'];
const edges = sides.flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`]);
const borderless = { ...Object.fromEntries(edges.map((edge) => [edge, ''])), middle: BETWEEN };

// These options are needed because cli-table3 colours and pads by default, even into a pipe.
const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };
