// Draws docs/terminal.svg: the program in a pseudo-terminal on a fresh sandbox, cell by cell. With --print the picture goes
// to standard output instead. npm run picture

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const root = fileURLToPath(new URL('..', import.meta.url));
const COLUMNS = 92;
const ROWS = 60;

/** The command lines, in order. */
const lines = [
  'social -C sandbox posts get PostSpringLaunch',
  'social -C sandbox posts retry PostSpringLaunch --target TargetSpringLink --wait',
];

/** Runs the lines in one terminal, and returns it. */
async function perform() {
  const screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const home = mkdtempSync(join(tmpdir(), 'social-picture-'));
  const write = (text) => new Promise((resolve) => screen.write(text, resolve));
  try {
    for (const line of lines) {
      await write(`\u001b[1;32m$\u001b[0m \u001b[1m${line}\u001b[0m\r\n`);
      await play(line, home, write);
      if (line !== lines.at(-1)) await write('\r\n');
    }
    return screen;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Runs one line in a pseudo-terminal; its output goes to the screen. */
async function play(line, home, write) {
  const [, ...words] = line.split(' ');
  const pty = spawn(process.execPath, [join(root, 'bin/social.js'), ...words], {
    cols: COLUMNS,
    rows: ROWS,
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
  });
  let drawn = Promise.resolve();
  pty.onData((text) => (drawn = drawn.then(() => write(text))));
  const { exitCode } = await new Promise((resolve) => pty.onExit(resolve));
  // The last output may arrive after the exit.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await drawn;
  if (exitCode !== 0) throw new Error(`${line} ended with ${exitCode}`);
}

/** A row as runs of cells with the same style, without trailing blanks. */
function runsOf(row) {
  const runs = [];
  for (let x = 0; x < COLUMNS; x++) {
    const cell = row.getCell(x);
    if (cell.getWidth() === 0) continue;
    const text = cell.getChars() || ' ';
    const style = styleOf(cell);
    const last = runs.at(-1);
    // A wide character is its own run: fonts differ in its width.
    const joins = last?.style === style && cell.getWidth() === 1 && last.cells === last.length;
    if (joins)
      Object.assign(last, {
        text: last.text + text,
        cells: last.cells + 1,
        length: last.length + 1,
      });
    else runs.push({ x, text, style, cells: cell.getWidth(), length: 1 });
  }
  while (runs.at(-1)?.text.trim() === '') runs.pop();
  const last = runs.at(-1);
  if (last === undefined) return [];
  const text = last.text.trimEnd();
  return [
    ...runs.slice(0, -1),
    { ...last, text, cells: last.cells - (last.text.length - text.length) },
  ];
}

const colours = ['k', 'r', 'g', 'y', 'b', 'm', 'c', 'w'];

/** The classes of a cell in the style sheet of the picture. */
function styleOf(cell) {
  const colour = cell.isFgPalette() ? colours[cell.getFgColor() % 8] : '';
  return [colour, cell.isBold() ? 'bold' : '', cell.isDim() ? 'dim' : ''].filter(Boolean).join(' ');
}

const [CELL, LINE, SIZE, MARGIN, TOP] = [8.4, 20, 14, 18, 52];
/** With non-breaking blanks, which no viewer collapses. */
const escape = (text) =>
  text
    .replaceAll(' ', '\u00a0')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
const number = (value) => String(Number(value.toFixed(1)));

function drawRun({ x, text, style, cells }) {
  const place = `x="${number(MARGIN + x * CELL)}" textLength="${number(cells * CELL)}"`;
  return `<tspan ${place}${style === '' ? '' : ` class="${style}"`}>${escape(text)}</tspan>`;
}

/** The screen as SVG, one `text` for each row. */
function draw(screen) {
  const { active } = screen.buffer;
  const rows = Array.from({ length: active.length }, (_, y) => runsOf(active.getLine(y)));
  while (rows.at(-1)?.length === 0) rows.pop();
  const width = Math.ceil(2 * MARGIN + COLUMNS * CELL);
  const height = TOP + rows.length * LINE + MARGIN - 6;
  const texts = rows.map(
    (runs, y) => `<text y="${TOP + (y + 0.7) * LINE}">${runs.map(drawRun).join('')}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">social at a terminal: a post that failed on two platforms, and the retry of one of them</title>
<style>
text { font: ${SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d7dae0; white-space: pre; }
.bold { font-weight: bold; fill: #fff; } .dim { fill: #8b93a1; }
.r { fill: #ff7b72; } .g { fill: #56d364; } .y { fill: #e3b341; } .b { fill: #79c0ff; } .m { fill: #d2a8ff; } .c { fill: #76e3ea; }
</style>
<rect width="100%" height="100%" rx="10" fill="#161b22"/>
<circle cx="24" cy="22" r="6" fill="#ff5f56"/><circle cx="44" cy="22" r="6" fill="#ffbd2e"/><circle cx="64" cy="22" r="6" fill="#27c93f"/>
${texts.join('\n')}
</svg>
`;
}

const picture = draw(await perform());
if (process.argv.includes('--print')) process.stdout.write(picture);
else writeFileSync(join(root, 'docs/terminal.svg'), picture);
