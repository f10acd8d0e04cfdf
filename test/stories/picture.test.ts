// docs/terminal.svg shows what the tool prints now: it is drawn again, at a real pseudo-terminal, and compared.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/program.ts';

/** The drawing with its text, but for how many seconds ago something was. */
const drawn = (svg: string) => svg.replaceAll(/\d+\u00a0seconds?\u00a0ago/g, 'just now');

/** Each row of the picture as text. */
const rowsOf = (svg: string) =>
  [...svg.matchAll(/<text .*?<\/text>/g)].map(([row]) =>
    row.replaceAll(/<[^>]+>/g, '').replaceAll('\u00a0', ' '),
  );

it('the picture of the README is what the tool prints', () => {
  const kept = readFileSync(join(root, 'docs/terminal.svg'), 'utf8');
  const now = execFileSync(process.execPath, ['scripts/picture.mjs', '--print'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(rowsOf(drawn(now))).toEqual(rowsOf(drawn(kept)));
  expect(drawn(now).replaceAll(/ textLength="[\d.]+"/g, '')).toBe(
    drawn(kept).replaceAll(/ textLength="[\d.]+"/g, ''),
  );
  expect(rowsOf(kept).length).toBeGreaterThan(20);
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('](docs/terminal.svg)');
}, 60_000);
