#!/usr/bin/env node
// Prints what a reader has to carry: lines of code, without blank lines, comments and imports, because a sentence that
// says why is no weight. Ends with 1 where the whole, the number of files or the tests are above their budget in
// weight.json; the other figures are only printed.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const budgets = JSON.parse(readFileSync(new URL('weight.json', import.meta.url), 'utf8'));

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const below = (folder) => tracked.filter((path) => path.startsWith(`${folder}/`));
const isCode = (path) => /\.(?:ts|mts|mjs|cjs|js)$/.test(path);

/** Counts the lines of code of a file. */
function weightOf(path) {
  let [count, inComment, inImport] = [0, false, false];
  for (const raw of readFileSync(path, 'utf8').split('\n')) {
    const line = raw.trim();
    if (inComment) inComment = !line.includes('*/');
    else if (line.startsWith('/*')) inComment = !line.includes('*/');
    else if (inImport || /^import\b(?!\()/.test(line)) inImport = !line.endsWith(';');
    else if (line !== '' && !line.startsWith('//')) count++;
  }
  return count;
}
const sum = (paths, count) => paths.reduce((total, path) => total + count(path), 0);
const wordsOf = (path) => readFileSync(path, 'utf8').split(/\s+/).filter(Boolean).length;

const sources = below('src').filter(isCode);
const rooms = new Map();
for (const path of sources) {
  const [, room] = path.split('/');
  const name = room.endsWith('.ts') ? 'src' : `src/${room}`;
  rooms.set(name, (rooms.get(name) ?? 0) + weightOf(path));
}
// The reference of the commands is generated, and `social skill` prints SKILL.md: neither is a page of the repository.
const isPage = (path) =>
  /^(?:docs\/)?[\w-]+\.md$/.test(path) && !['docs/commands.md', 'SKILL.md'].includes(path);

const figures = [
  ...rooms,
  ['lines of source', sum(sources, weightOf)],
  ['files of source', sources.length],
  ['lines of test', sum(below('test').filter(isCode), weightOf)],
  ['words of pages', sum(tracked.filter(isPage), wordsOf)],
];
for (const [name, now] of figures) {
  const budget = budgets[name];
  const isOver = budget !== undefined && now > budget;
  if (isOver) process.exitCode = 1;
  const beside = budget === undefined ? '' : ` of ${budget}${isOver ? '  over its budget' : ''}`;
  process.stdout.write(`${name.padEnd(20)}${String(now).padStart(8)}${beside}\n`);
}
