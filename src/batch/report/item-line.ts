// One item of a long list as one line: what it is, and the most telling values of what came of it.

import stringWidth from 'string-width';
import { stripControls } from '../../base/sanitize.ts';
import { cellFor, type CellContext } from '../../output/cell.ts';
import type { Tone } from '../../api/schema/tones.ts';
import { GLUE } from '../../output/color.ts';
import type { TableView } from '../../output/columns.ts';

// One item of a long list as one line: what it is, and the most telling values of what came of it.

const MOST_CELLS = 4;

const CELLS_OF_A_ROW = 2;

const MOST_ROWS = 12;

/**
 * `✗ PostSpringLaunch  linkedin ✓ published, mastodon ✗ failed`, with as many values as fit into `width`; the sign is
 * that of `mood`.
 */
export function itemLine(
  { id, view, mood }: { readonly id: string; readonly view: TableView; readonly mood: Tone },
  width: number,
  reading: CellContext,
): string {
  const { tone } = reading;
  const cells = (row: readonly unknown[], most: number) =>
    row
      .slice(0, most)
      .map((value, i) => cellFor(view.columns[i]!, value, reading).replaceAll(GLUE, ' '))
      .filter((text) => text !== id);
  const parts = view.list
    ? view.rows.slice(0, MOST_ROWS).map((row) => cells(row, CELLS_OF_A_ROW).join(' '))
    : cells(view.rows[0] ?? [], MOST_CELLS);
  const more = view.rows.length - MOST_ROWS;
  const sign = mood === 'still' ? tone.signs.still : tone[mood](tone.signs[mood]);
  let line = `${sign} ${id}`;
  let used = stringWidth(line);
  for (const [i, part] of [...parts, ...(more > 0 ? [`${more} more`] : [])].entries()) {
    const gap = view.list && i > 0 ? ', ' : '  ';
    used += gap.length + stringWidth(part);
    // A line that is cut between values can be read; one that is cut in a value misleads.
    if (used > width - 1) return tone.plain(stripControls(`${line} …\n`));
    line += gap + part;
  }
  return tone.plain(stripControls(`${line}\n`));
}
