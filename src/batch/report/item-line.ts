// One item of a batch as one line on a terminal: its ID, and the first fields of its result.

import stringWidth from 'fast-string-width';
import { stripControls } from '../../base/sanitize.ts';
import { cellFor, type CellContext } from '../../output/cell.ts';
import type { Tone } from '../../api/schema/status-tones.ts';
import { GLUE } from '../../output/color.ts';
import type { TableView } from '../../output/columns.ts';

const MAX_CELLS = 4;
const CELLS_OF_A_ROW = 2;
const MAX_ROWS = 12;

/** The words for the signs in accessible mode. */
const words: Readonly<Record<Tone, string>> = {
  good: 'done',
  bad: 'failed',
  moving: 'in progress',
  still: 'unchanged',
};

/**
 * Formats `✗ PostSpringLaunch linkedin ✓ published, mastodon ✗ failed`, with as many fields as fit into `width`; in
 * accessible mode `PostSpringLaunch failed: linkedin published, mastodon failed`.
 */
export function itemLine(
  { id, view, status }: { readonly id: string; readonly view: TableView; readonly status: Tone },
  width: number,
  reading: CellContext,
): string {
  const { tone, lines: isSpoken = false } = reading;
  const cells = (row: readonly unknown[], most: number) =>
    row
      .slice(0, most)
      .map((value, i) => cellFor(view.columns[i]!, value, reading).replaceAll(GLUE, ' '))
      .filter((text) => text !== id);
  const parts = view.list
    ? view.rows.slice(0, MAX_ROWS).map((row) => cells(row, CELLS_OF_A_ROW).join(' '))
    : cells(view.rows[0] ?? [], MAX_CELLS);
  const more = view.rows.length - MAX_ROWS;
  const sign = status === 'still' ? tone.signs.still : tone[status](tone.signs[status]);
  let line = isSpoken ? `${id} ${words[status]}` : `${sign} ${id}`;
  let used = stringWidth(line);
  for (const [i, part] of [...parts, ...(more > 0 ? [`${more} more`] : [])].entries()) {
    const gap = view.list && i > 0 ? ', ' : isSpoken ? (i > 0 ? ', ' : ': ') : '  ';
    used += gap.length + stringWidth(part);
    // The line is cut between fields, because a field cut in the middle misleads.
    if (used > width - 1) return tone.plain(stripControls(`${line} …\n`));
    line += gap + part;
  }
  return tone.plain(stripControls(`${line}\n`));
}
