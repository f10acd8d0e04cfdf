// The cost of starts, batches, memory and distance, beside a bare node and, where they are installed, tools of the same
// kind. Runs are interleaved, the figures are medians, the ratios are taken round by round. Prints tables, asserts
// nothing.
//   npm run bench [-- start batch memory far] [--rounds 21] [--node <path>]… [--items 30000]

import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { batchCosts, memoryCosts } from './batch.mjs';
import { distanceCosts } from './connections.mjs';
import { startCosts } from './start.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    node: { type: 'string', multiple: true, default: [process.execPath] },
    items: { type: 'string', default: '30000' },
  },
});
const roundsOr = (usual) => Number(values.rounds ?? usual);

const sections = {
  start: (node) => startCosts({ node, rounds: roundsOr(21) }),
  // A round of the batch takes as long as many starts.
  batch: (node) => batchCosts({ node, rounds: roundsOr(5), items: Number(values.items) }),
  memory: (node) => memoryCosts({ node }),
  far: (node) => distanceCosts({ node, rounds: roundsOr(5) }),
};
const unknown = positionals.filter((name) => !(name in sections));
if (unknown.length > 0) throw new Error(`no such section: ${unknown.join(', ')}`);

function print(title, rows) {
  const names = Object.keys(rows[0]);
  const lines = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '-')))];
  const widths = names.map((_name, i) => Math.max(...lines.map((line) => line[i].length)));
  console.log(`\n${title}`);
  for (const line of lines)
    console.log(
      line
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join('  '),
    );
}

const model = cpus()[0]?.model ?? 'unknown';
for (const node of values.node) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  console.log(
    `\n${process.platform} ${process.arch}, ${cpus().length} cores, ${model}, Node ${version}`,
  );
  for (const [name, measure] of Object.entries(sections))
    if (positionals.length === 0 || positionals.includes(name))
      for (const { title, rows } of await measure(node)) print(title, rows);
}
