// How fast a batch is, beside a bare loop of undici's `request` and `curl --parallel` in the same run, interleaved;
// in the form that a pipe gets and as JSON; what a journal costs.

import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInstalled, median } from './measure.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CONNECTIONS = '16';
/** A change has a connection of its own, so fewer of them say as much. */
const MOST_CHANGES = 5000;

const idOf = (number) =>
  `Bench${Array.from({ length: 11 }, (_, at) => String.fromCodePoint(97 + (Math.floor(number / 26 ** at) % 26))).join('')}`;
const listOf = (count) => Array.from({ length: count }, (_, i) => `${idOf(i)}\n`).join('');

/** Runs a command under time(1): seconds, CPU seconds, peak KiB. */
function measure(argv, { folder, env, stdin = '/dev/null' }) {
  const log = join(folder, 'time');
  const input = openSync(stdin, 'r');
  const timed = ['-f', '%U %S %M', '-o', log, ...argv];
  const start = performance.now();
  const { status, error } = spawnSync('/usr/bin/time', timed, {
    env,
    stdio: [input, 'ignore', 'ignore'],
  });
  // By our own clock: for time(1) what takes less than 10 ms takes none.
  const wall = (performance.now() - start) / 1000;
  closeSync(input);
  if (error)
    throw new Error('the batch is measured with GNU time: /usr/bin/time', { cause: error });
  const [user, system, peak] = spawnSync('tail', ['-n1', log], { encoding: 'utf8' })
    .stdout.trim()
    .split(' ')
    .map(Number);
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
  return { wall, cpu: user + system, peak };
}

const rowOf = (what, count, runs, ratios) => ({
  what,
  'items/s': Math.round(count / median(runs.map(({ wall }) => wall))),
  'of the first': median(ratios).toFixed(2),
  'µs CPU an item': Math.round((median(runs.map(({ cpu }) => cpu)) / count) * 1e6),
  'peak MiB': Math.round(median(runs.map(({ peak }) => peak)) / 1024),
});

/** Measures each candidate once a round, one after the other; the ratios are of the same round. */
function compare(candidates, { count, rounds, stage }) {
  const seen = candidates.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, { argv, before }] of candidates.entries()) {
      before?.();
      seen[i].push(measure(argv, stage));
    }
  return candidates.map(({ name }, i) =>
    rowOf(
      name,
      count,
      seen[i],
      seen[i].map(({ wall }, round) => seen[0][round].wall / wall),
    ),
  );
}

/** Reads of a post with all that it has, or of the smallest: what an answer says is read and judged, by us alone. */
function reads({ social, file, origin, node, items, rounds, stage }, { post, path }) {
  const ids = file('ids.txt', listOf(items));
  const baseUrl = `${origin}${path}`;
  const curl = () => {
    const urls = file(
      'urls.txt',
      Array.from(
        { length: items },
        (_, i) => `url = "${baseUrl}/v1/posts/${idOf(i)}"\noutput = /dev/null\n`,
      ).join(''),
    );
    return {
      name: 'curl --parallel',
      argv: ['curl', '-s', '-Z', '--parallel-max', CONNECTIONS, '-K', urls],
    };
  };
  const candidates = [
    {
      name: 'undici request, bare loop',
      argv: [node, here('bare.mjs'), ids, baseUrl, CONNECTIONS],
    },
    ...(isInstalled('curl') ? [curl()] : []),
    // As in a pipe, and as JSON.
    ...[[], ['--json']].map((form) => ({
      name: ['social posts get --from', ...form].join(' '),
      argv: social(
        'posts',
        'get',
        '--from',
        ids,
        '--concurrency',
        CONNECTIONS,
        '--base-url',
        baseUrl,
        ...form,
      ),
    })),
  ];
  return {
    title: `posts get, ${items} items, ${post}, ${CONNECTIONS} at once, median of ${rounds}`,
    rows: compare(candidates, { count: items, rounds, stage }),
  };
}

function changes({ social, file, items, rounds, stage }) {
  const count = Math.min(items, MOST_CHANGES);
  const ids = file('few.txt', listOf(count));
  const journal = join(stage.folder, 'journal');
  const retry = (...more) =>
    social('posts', 'retry', '--from', ids, '--concurrency', CONNECTIONS, ...more);
  const candidates = [
    { name: 'without', argv: retry() },
    {
      name: '--journal',
      argv: retry('--journal', journal),
      before: () => rmSync(journal, { force: true }),
    },
  ];
  return {
    title: `posts retry, ${count} items, without and with a journal`,
    rows: compare(candidates, { count, rounds, stage }),
  };
}

/** All of it, a table each. */
export async function batchCosts({ node, items, rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'social-bench-'));
  const server = spawn(process.execPath, [here('post-server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
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
    const file = (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const social = (...words) => [node, here('../../bin/social.js'), ...words, '-q'];
    const given = { social, file, origin, node, items, rounds, stage: { folder, env } };
    const [whole, brief] = [
      { post: 'a post of 2.5 kB with every field', path: '' },
      { post: 'a post of 0.3 kB', path: '/brief' },
    ];
    return [reads(given, whole), reads(given, brief), changes(given)];
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
