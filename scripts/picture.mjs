// Makes the pictures of the README: types the lines of each scene into a real terminal, and draws its screen as SVG.
// npm run pictures

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const root = fileURLToPath(new URL('..', import.meta.url));
const PROMPT = '$ ';

const JOB =
  'posts retry --from triage/temporary.ndjson --canary 20 --max-failure-rate 50% --rate 40/s --journal night.journal --wait';

/** `until` is a text of the screen at which the picture is taken while the last line runs; otherwise it has ended. */
const scenes = [
  {
    file: 'docs/terminal.svg',
    title:
      'social at a terminal: a post that failed on two platforms, and the retry of one of them',
    lines: [
      'social -C sandbox posts get PostSpringLaunch',
      'social -C sandbox posts retry PostSpringLaunch --target TargetSpringLink --wait',
    ],
  },
  {
    file: 'docs/board.svg',
    title:
      'social at a terminal: the board of a batch, a bar for each platform, while 121 posts are retried',
    before: [
      'social sandbox reset --state outage --export . -q',
      'social -C sandbox posts triage --from failed-posts.csv --column post_id --save triage -q',
    ],
    lines: [`social -C sandbox ${JOB}`],
    until: /done +[4-7]\d/,
  },
];

const COLORS = ['', 'r', 'g', 'y', 'b', 'm', 'c', ''];
const CELL = 8.4;
const LINE = 20;
const LEFT = 18;
const TOP = 66;

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function classOf(cell) {
  const color = cell.isFgPalette() ? (COLORS[cell.getFgColor() % 8] ?? '') : '';
  return [color, cell.isBold() && 'bold', cell.isDim() && 'dim'].filter(Boolean).join(' ');
}

/** Returns the words of a line with their first column, their width in columns, and their class. */
function wordsOf(line) {
  const words = [];
  let open;
  for (let x = 0; x < line.length; x++) {
    const cell = line.getCell(x);
    const text = cell.getChars();
    if (cell.getWidth() === 0) continue;
    if (text === '' || text === ' ') {
      open = undefined;
      continue;
    }
    const look = classOf(cell);
    // A wide character is drawn alone, because fonts differ in its width.
    if (open === undefined || open.look !== look || cell.getWidth() > 1)
      words.push((open = { x, text: '', width: 0, look }));
    open.text += text;
    open.width += cell.getWidth();
    if (cell.getWidth() > 1) open = undefined;
  }
  return words;
}

function draw(title, buffer, columns) {
  const lines = Array.from({ length: buffer.length }, (_, y) => wordsOf(buffer.getLine(y)));
  while (lines.at(-1)?.length === 0) lines.pop();
  const width = Math.round(LEFT * 2 + columns * CELL);
  const height = TOP + lines.length * LINE;
  const texts = lines.map((words, y) =>
    words
      .map(({ x, text, width: cells, look }) => {
        const at = `x="${round(LEFT + x * CELL)}" y="${TOP + y * LINE}" textLength="${round(cells * CELL)}"`;
        return `<text ${at}${look && ` class="${look}"`}>${escaped(text)}</text>`;
      })
      .join(''),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d7dae0; }
.bold { font-weight: bold; fill: #fff; } .dim { fill: #8b93a1; }
.r { fill: #ff7b72; } .g { fill: #56d364; } .y { fill: #e3b341; } .b { fill: #79c0ff; } .m { fill: #d2a8ff; } .c { fill: #76e3ea; }
</style>
<rect width="100%" height="100%" rx="10" fill="#161b22"/>
<circle cx="24" cy="22" r="6" fill="#ff5f56"/><circle cx="44" cy="22" r="6" fill="#ffbd2e"/><circle cx="64" cy="22" r="6" fill="#27c93f"/>
${texts.filter(Boolean).join('\n')}
</svg>
`;
}

const round = (number) => Math.round(number * 10) / 10;

async function play({ file, title, before = [], lines, until }) {
  const home = mkdtempSync(join(tmpdir(), 'social-picture-'));
  symlinkSync(join(root, 'bin/social.js'), join(home, 'social'));
  const [cols, rows] = [92, 60];
  const screen = new xterm.Terminal({ cols, rows, allowProposedApi: true });
  const env = {
    PATH: `${home}:${process.env['PATH']}`,
    HOME: home,
    HISTFILE: '',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    PS1: `\\[\\e[1;32m\\]$\\[\\e[0m\\] `,
  };
  const shell = spawn('bash', ['--norc', '--noprofile'], { cols, rows, cwd: home, env });
  shell.onData((data) => screen.write(data));
  const buffer = screen.buffer.active;
  const textOf = (y) => buffer.getLine(y)?.translateToString(true) ?? '';
  const atPrompt = () =>
    buffer.cursorX === PROMPT.length &&
    textOf(buffer.baseY + buffer.cursorY).trimEnd() === PROMPT.trim();
  const shown = () => Array.from({ length: buffer.length }, (_, y) => textOf(y)).join('\n');
  const waitFor = async (isReached) => {
    for (let tries = 0; !isReached(); tries++) {
      if (tries > 600) throw new Error(`no end of ${file}:\n${shown().trimEnd()}`);
      await sleep(50);
    }
  };
  try {
    await waitFor(atPrompt);
    for (const line of [...before, ...lines]) {
      if (line === lines[0]) screen.clear();
      shell.write(`${line}\r`);
      await waitFor(() => !atPrompt());
      if (line === lines.at(-1) && until !== undefined) await waitFor(() => until.test(shown()));
      else await waitFor(atPrompt);
    }
    // The last prompt is not part of the picture.
    if (until === undefined) await new Promise((resolve) => screen.write('\r\u001b[2K', resolve));
    writeFileSync(join(root, file), draw(title, buffer, cols));
    console.log(file);
  } finally {
    shell.write('\u0003\u0003');
    await waitFor(atPrompt);
    shell.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

for (const scene of scenes) await play(scene);
