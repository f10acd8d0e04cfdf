// What everything costs, beside a bare node and, where they are installed, beside tools of the same kind. Runs are
// interleaved, the figures are medians, the ratios are taken round by round. Prints tables, asserts nothing.
//   npm run bench [-- start wait size batch] [--rounds 21] [--node <path>] [--wait 60] [--million] [--json]

import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startCosts } from './start.mjs';
import { packedSize } from './size.mjs';
import { waitCost } from './wait.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '21' },
    node: { type: 'string', default: process.execPath },
    wait: { type: 'string', default: '60' },
    million: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

/** The batch has a program of its own, which prints its own tables. */
function batch() {
  const flags = [values.million && '--million', values.json && '--json'].filter(Boolean);
  const { stdout } = spawnSync(process.execPath, [here('batch.mjs'), ...flags], {
    encoding: 'utf8',
    stdio: ['ignore', values.json ? 'pipe' : 'inherit', 'inherit'],
  });
  return values.json ? JSON.parse(stdout) : undefined;
}

const sections = {
  start: () => startCosts({ node: values.node, rounds: Number(values.rounds) }),
  wait: () => waitCost({ node: values.node, seconds: Number(values.wait) }),
  size: () => packedSize(),
  batch,
};

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

const version = spawnSync(values.node, ['--version'], { encoding: 'utf8' }).stdout.trim();
const machine = `${process.platform} ${process.arch}, ${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${version}`;
const unknown = positionals.filter((name) => !(name in sections));
if (unknown.length > 0) throw new Error(`no such section: ${unknown.join(', ')}`);

if (!values.json) console.log(machine);
const results = { machine };
for (const [name, measure] of Object.entries(sections)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const measured = await measure();
  results[name] = measured;
  if (!values.json && measured !== undefined) print(measured.title, measured.rows);
}
if (values.json) console.log(JSON.stringify(results, undefined, 2));
