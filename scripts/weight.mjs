#!/usr/bin/env node
// Prints what a reader has to carry, beside its budget in weight.json, and ends with 1 where a figure is above that.
// `--lower` sets each budget that is not used up to what was reached: budgets only fall. Whoever needs more edits the
// file, and says why in docs/decisions.md.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('weight.json', import.meta.url);
const budgets = JSON.parse(readFileSync(FILE, 'utf8'));

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const below = (...folders) =>
  tracked.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
const linesOf = (path) => readFileSync(path, 'utf8').split('\n').length - 1;
const wordsOf = (path) => readFileSync(path, 'utf8').split(/\s+/).filter(Boolean).length;
const sum = (paths, count) => paths.reduce((total, path) => total + count(path), 0);

const sources = below('src').filter((path) => path.endsWith('.ts'));
// The reference of the commands is generated, and `social skill` prints SKILL.md: neither is a page of the repository.
const isPage = (path) =>
  /^(?:docs\/)?[\w-]+\.md$/.test(path) && !['docs/commands.md', 'SKILL.md'].includes(path);
const pages = tracked.filter(isPage);

const figures = {};
for (const path of sources) {
  const [, room] = path.split('/');
  const name = room.endsWith('.ts') ? 'src' : `src/${room}`;
  figures[name] = (figures[name] ?? 0) + linesOf(path);
}
figures['lines of source'] = sum(sources, linesOf);
figures['files of source'] = sources.length;
figures['lines of test'] = sum(below('test'), linesOf);
// README.md has a figure of its own.
figures['pages'] = pages.filter((path) => path !== 'README.md').length;
figures['words of pages'] = sum(pages, wordsOf);
figures['lines of README.md'] = linesOf('README.md');
figures['files of scripts, tools and packaging'] = below('scripts', 'tools', 'packaging').length;
figures['npm scripts'] = Object.keys(
  JSON.parse(readFileSync('package.json', 'utf8')).scripts,
).length;

for (const [name, now] of Object.entries(figures)) {
  const budget = budgets[name] ?? 0;
  const isOver = now > budget;
  if (isOver) process.exitCode = 1;
  const end = isOver ? '  over its budget' : '';
  process.stdout.write(`${name.padEnd(38)}${String(now).padStart(8)} of ${budget}${end}\n`);
  if (!isOver) budgets[name] = now;
}
const ratio = (figures['lines of test'] / figures['lines of source']).toFixed(2);
process.stdout.write(`${'lines of test a line of source'.padEnd(38)}${ratio.padStart(8)}\n`);
if (process.argv.includes('--lower')) writeFileSync(FILE, `${JSON.stringify(budgets, null, 2)}\n`);
