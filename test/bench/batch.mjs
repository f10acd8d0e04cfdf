// The speed of a batch, beside a bare loop of undici's `request`, `curl --parallel` and `xargs curl` in the same run,
// interleaved; in the form that a pipe gets, as JSON, and with a journal.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here, idOf, isInstalled, median, peakMiB, startServer } from './measure.mjs';

const CONNECTIONS = '16';
/** The journal syncs once a change, so fewer of them say as much. */
const MOST_CHANGES = 5000;
/** One process of curl for each item takes long enough without more. */
const MOST_PROCESSES = 1500;
/** A list of the largest size that operators have, and as many posts as an outage leaves to wait for. */
const MANY = 100_000;
const WAITS = 5000;

/** Runs a command under time(1): seconds, CPU seconds, peak KiB. */
function measure(argv, env) {
  const log = join(env.HOME, 'time');
  const start = performance.now();
  const { status, error } = spawnSync('/usr/bin/time', ['-f', '%U %S %M', '-o', log, ...argv], {
    env,
    stdio: 'ignore',
  });
  // The clock here: time(1) shows 0 for less than 10 ms.
  const wall = (performance.now() - start) / 1000;
  if (error)
    throw new Error('the batch is measured with GNU time: /usr/bin/time', { cause: error });
  const [user, system, peak] = spawnSync('tail', ['-n1', log], { encoding: 'utf8' })
    .stdout.trim()
    .split(' ')
    .map(Number);
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
  return { wall, cpu: user + system, peak };
}

/** Measures each candidate once a round, one after the other; the ratios are of the same round. */
function compare(candidates, { count, rounds, env }) {
  const seen = candidates.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, { argv, before }] of candidates.entries()) {
      before?.();
      seen[i].push(measure(argv, env));
    }
  return candidates.map(({ name }, i) => ({
    what: name,
    'items/s': Math.round(count / median(seen[i].map(({ wall }) => wall))),
    'of the first': median(seen[i].map(({ wall }, round) => seen[0][round].wall / wall)).toFixed(2),
    'µs CPU an item': Math.round((median(seen[i].map(({ cpu }) => cpu)) / count) * 1e6),
    'peak MiB': Math.round(median(seen[i].map(({ peak }) => peak)) / 1024),
  }));
}

/** Starts a service, and runs the measurements with what they share. */
async function atService(node, work) {
  const folder = mkdtempSync(join(tmpdir(), 'social-bench-'));
  const { origin, stop } = await startServer(folder);
  // NODE_EXTRA_CA_CERTS makes every start dozens of milliseconds slower, so it is not set.
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SOCIAL_BASE_URL: origin,
    SOCIAL_TOKEN: 'bench',
  };
  /** Writes a file with a line for each item. */
  const file = (name, count, lineOf) => {
    writeFileSync(join(folder, name), Array.from({ length: count }, (_, i) => lineOf(i)).join(''));
    return join(folder, name);
  };
  /** Writes a list of IDs. */
  const list = (name, count, start) => file(name, count, (i) => `${idOf(i, start)}\n`);
  const social = (...words) =>
    [node, here('../../bin/social.js'), 'posts', ...words].concat(
      '--concurrency',
      CONNECTIONS,
      '-q',
    );
  try {
    return await work({ folder, origin, env, file, list, social });
  } finally {
    stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures reads and changes, a table each. */
export const batchCosts = ({ node, items, rounds }) =>
  atService(node, ({ folder, origin, env, file, list, social }) => {
    const bareLoop = (ids) => ({
      name: 'undici, bare loop',
      argv: [node, here('bare.mjs'), ids, origin, CONNECTIONS],
    });
    const get = (ids, ...flags) => ({
      name: ['social posts get', ...flags].join(' '),
      argv: social('get', '--from', ids, ...flags),
    });
    const published = list('ids.txt', items);
    const failed = list('failed.txt', items, 'Wrong');
    const urlOf = (i) => `url = "${origin}/v1/posts/${idOf(i)}"\noutput = /dev/null\n`;
    const curl = ['curl', '-s', '-Z', '--parallel-max', CONNECTIONS, '-K'];
    const reads = [
      bareLoop(published),
      ...(isInstalled('curl')
        ? [{ name: 'curl --parallel', argv: [...curl, file('urls.txt', items, urlOf)] }]
        : []),
      get(published),
      get(published, '--json'),
    ];
    const changed = Math.min(items, MOST_CHANGES);
    const few = list('few.txt', changed);
    const journal = join(folder, 'journal');
    const changes = [
      { name: 'without', argv: social('retry', '--from', few) },
      {
        name: '--journal',
        argv: social('retry', '--from', few, '--journal', journal),
        before: () => rmSync(journal, { force: true }),
      },
    ];
    const least = Math.min(items, MOST_PROCESSES);
    const some = list('some.txt', least);
    const line = `xargs -P${CONNECTIONS} -I{} curl -s -o /dev/null ${origin}/v1/posts/{} < ${some}`;
    const asTyped = [
      get(some, '--json'),
      ...(isInstalled('curl') ? [{ name: 'xargs curl', argv: ['sh', '-c', line] }] : []),
    ];
    return [
      {
        title: `posts get, ${least} items, beside a process for each`,
        rows: compare(asTyped, { count: least, rounds, env }),
      },
      {
        title: `posts get, ${items} items, ${CONNECTIONS} at once, median of ${rounds}`,
        rows: compare(reads, { count: items, rounds, env }),
      },
      {
        title: 'the same, posts with failed targets',
        rows: compare([bareLoop(failed), get(failed, '--json')], { count: items, rounds, env }),
      },
      {
        title: `posts retry, ${changed} items, without and with a journal`,
        rows: compare(changes, { count: changed, rounds, env }),
      },
    ];
  });

/** Measures the memory of a very long list, and of many posts that are waited for at once. */
export const memoryCosts = ({ node }) =>
  atService(node, ({ env, list, social }) => {
    const read = social('get', '--from', list('many.txt', MANY), '--json');
    const wait = social('retry', '--from', list('waits.txt', WAITS, 'Later'), '--wait', '--json');
    const peakOf = (what, argv) => ({ what, 'peak MiB': peakMiB(argv, env)?.toFixed(0) });
    const rows = [peakOf(`${MANY} reads`, read), peakOf(`${WAITS} waits at once`, wait)];
    return [{ title: 'memory', rows }];
  });
