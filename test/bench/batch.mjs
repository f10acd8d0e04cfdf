// How fast a batch is, beside a bare loop of undici's `request` and `curl --parallel` in the same run, interleaved;
// what a journal costs; how much memory a million records take. Prints tables, asserts nothing.
//   npm run bench:batch [-- --items 30000 --rounds 5 --million]

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '30000' },
    rounds: { type: 'string', default: '5' },
    million: { type: 'boolean', default: false },
  },
});
const [items, rounds] = [Number(values.items), Number(values.rounds)];
const CONNECTIONS = '32';
const folder = mkdtempSync(join(tmpdir(), 'social-bench-'));
const server = spawn(process.execPath, [here('post-server.mjs')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const origin = await new Promise((resolve) =>
  server.stdout.once('data', (chunk) => resolve(chunk.toString().trim())),
);
// NODE_EXTRA_CA_CERTS costs every start dozens of milliseconds, so it stays away.
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  SOCIAL_BASE_URL: origin,
  SOCIAL_TOKEN: 'bench',
};

const idOf = (number) =>
  `Bench${Array.from({ length: 11 }, (_, at) => String.fromCodePoint(97 + (Math.floor(number / 26 ** at) % 26))).join('')}`;
const listOf = (count) => Array.from({ length: count }, (_, i) => `${idOf(i)}\n`).join('');
const file = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** Runs a command under time(1): seconds, CPU seconds, peak KiB. */
function measure(argv, { stdin = '/dev/null' } = {}) {
  const log = join(folder, 'time');
  const input = openSync(stdin, 'r');
  const timed = ['-f', '%e %U %S %M', '-o', log, ...argv];
  const { status } = spawnSync('/usr/bin/time', timed, { env, stdio: [input, 'ignore', 'ignore'] });
  closeSync(input);
  const [wall, user, system, peak] = spawnSync('tail', ['-n1', log], { encoding: 'utf8' })
    .stdout.trim()
    .split(' ')
    .map(Number);
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
  return { wall, cpu: user + system, peak };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const social = (...words) => [
  process.execPath,
  here('../../bin/social.js'),
  ...words,
  '--json',
  '-q',
];

/** Measures each candidate once a round, one after the other, and gives medians. */
function compare(candidates, count) {
  const seen = candidates.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, { argv, before }] of candidates.entries()) {
      before?.();
      seen[i].push(measure(argv));
    }
  return candidates.map(({ name }, i) => ({
    name,
    perSecond: Math.round(count / median(seen[i].map(({ wall }) => wall))),
    cpuMicros: Math.round((median(seen[i].map(({ cpu }) => cpu)) / count) * 1e6),
    peakMiB: Math.round(median(seen[i].map(({ peak }) => peak)) / 1024),
  }));
}

function print(title, rows) {
  console.log(`\n${title}`);
  console.log(`${''.padEnd(30)} items/s   of first  µs CPU/item  peak MiB`);
  for (const { name, perSecond, cpuMicros, peakMiB } of rows)
    console.log(
      `${name.padEnd(30)} ${String(perSecond).padStart(7)}  ${(perSecond / rows[0].perSecond).toFixed(2).padStart(8)}  ${String(cpuMicros).padStart(11)}  ${String(peakMiB).padStart(8)}`,
    );
}

const ids = file('ids.txt', listOf(items));
const urls = file(
  'urls.txt',
  Array.from(
    { length: items },
    (_, i) => `url = "${origin}/v1/posts/${idOf(i)}"\noutput = /dev/null\n`,
  ).join(''),
);
print(
  `posts get, ${items} items, ${CONNECTIONS} at once, median of ${rounds}`,
  compare(
    [
      {
        name: 'undici request, bare loop',
        argv: [process.execPath, here('bare.mjs'), ids, origin, CONNECTIONS],
      },
      {
        name: 'curl --parallel',
        argv: ['curl', '-s', '-Z', '--parallel-max', CONNECTIONS, '-K', urls],
      },
      {
        name: 'social posts get --from',
        argv: social('posts', 'get', '--from', ids, '--concurrency', CONNECTIONS),
      },
    ],
    items,
  ),
);

const some = Math.min(items, 5000);
const few = file('few.txt', listOf(some));
const journal = join(folder, 'journal');
const retry = (...more) =>
  social('posts', 'retry', '--from', few, '--concurrency', CONNECTIONS, ...more);
print(
  `posts retry, ${some} items, without and with a journal`,
  compare(
    [
      { name: 'without', argv: retry() },
      {
        name: '--journal',
        argv: retry('--journal', journal),
        before: () => rmSync(journal, { force: true }),
      },
    ],
    some,
  ),
);

if (values.million) {
  const list = file('million.txt', listOf(1_000_000));
  const { wall, cpu, peak } = measure(
    social('posts', 'get', '--from', '-', '--concurrency', CONNECTIONS),
    { stdin: list },
  );
  console.log(
    `\na million lines through --from -: ${Math.round(wall)} s, ${Math.round(1e6 / wall)} items/s, ${cpu.toFixed(1)} µs CPU/item, peak ${Math.round(peak / 1024)} MiB`,
  );
}
server.kill();
rmSync(folder, { recursive: true, force: true });
