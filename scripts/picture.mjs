// Draws docs/terminal.svg: the program at a pseudo-terminal, on a fresh sandbox, each word at the cell where the
// terminal shows it. With --print the picture goes to standard output instead. npm run picture

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const root = fileURLToPath(new URL('..', import.meta.url));
const COLUMNS = 92;
const ROWS = 60;

/** The commands of the picture, in order. */
const commands = [
  'social -C sandbox posts get PostSpringLaunch',
  'social -C sandbox posts retry PostSpringLaunch --target TargetSpringLink --wait',
];

/** Runs the commands at one terminal, and resolves with it. */
async function perform() {
  const screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const home = mkdtempSync(join(tmpdir(), 'social-picture-'));
  const write = (text) => new Promise((resolve) => screen.write(text, resolve));
  try {
    for (const line of commands) {
      await write(`\u001b[1;32m$\u001b[0m \u001b[1m${line}\u001b[0m\r\n`);
      await play(line, home, write);
      if (line !== commands.at(-1)) await write('\r\n');
    }
    return screen;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Runs one command at a pseudo-terminal; its output goes to the screen. */
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

/** A row as words: cells side by side that look alike, without the blanks between them. */
function wordsOf(row) {
  const words = [];
  for (let x = 0; x < COLUMNS; x++) {
    const cell = row.getCell(x);
    const text = cell.getChars().trim();
    if (text === '') continue;
    const style = styleOf(cell);
    const last = words.at(-1);
    // A wide character is a word of its own: fonts disagree on its width.
    const joins = last?.style === style && last.x + last.text.length === x && cell.getWidth() === 1;
    if (joins) last.text += text;
    else words.push({ x, text, style, cells: cell.getWidth() });
    if (joins) last.cells += 1;
  }
  return words;
}

const colours = ['k', 'r', 'g', 'y', 'b', 'm', 'c', 'w'];

/** The classes of a cell in the style sheet of the picture. */
function styleOf(cell) {
  const colour = cell.isFgPalette() ? colours[cell.getFgColor() % 8] : '';
  return [colour, cell.isBold() ? 'bold' : '', cell.isDim() ? 'dim' : ''].filter(Boolean).join(' ');
}

const [CELL, LINE, SIZE, MARGIN, TOP] = [8.4, 20, 14, 18, 52];
const escape = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const number = (value) => String(Number(value.toFixed(1)));

/** A word at its place. No blank is drawn: renderers collapse blanks, or give them another width. */
function drawWord({ x, text, style, cells }, y) {
  const place = `x="${number(MARGIN + x * CELL)}" y="${y}" textLength="${number(cells * CELL)}"`;
  return `<text ${place}${style === '' ? '' : ` class="${style}"`}>${escape(text)}</text>`;
}

/** The screen as a picture, one line of the file a row. */
function draw(screen) {
  const { active } = screen.buffer;
  const rows = Array.from({ length: active.length }, (_, y) => wordsOf(active.getLine(y)));
  while (rows.at(-1)?.length === 0) rows.pop();
  const width = Math.ceil(2 * MARGIN + COLUMNS * CELL);
  const height = TOP + rows.length * LINE + MARGIN - 6;
  const lines = rows.map((words, y) =>
    words.map((word) => drawWord(word, TOP + (y + 0.7) * LINE)).join(''),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">social at a terminal: a post that failed on two platforms, and the retry of one of them</title>
<style>
text { font: ${SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d7dae0; }
.bold { font-weight: bold; fill: #fff; } .dim { fill: #8b93a1; }
.r { fill: #ff7b72; } .g { fill: #56d364; } .y { fill: #e3b341; } .b { fill: #79c0ff; } .m { fill: #d2a8ff; } .c { fill: #76e3ea; }
</style>
<rect width="100%" height="100%" rx="10" fill="#161b22"/>
<circle cx="24" cy="22" r="6" fill="#ff5f56"/><circle cx="44" cy="22" r="6" fill="#ffbd2e"/><circle cx="64" cy="22" r="6" fill="#27c93f"/>
${lines.filter((line) => line !== '').join('\n')}
</svg>
`;
}

const picture = draw(await perform());
if (process.argv.includes('--print')) process.stdout.write(picture);
else writeFileSync(join(root, 'docs/terminal.svg'), picture);
