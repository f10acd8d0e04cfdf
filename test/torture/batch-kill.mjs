// Kills a journalled batch of retries at random moments, resumes it, and asks the service how often each post was
// retried. The first part of `npm run torture:batch`, or by itself:
//
//   node test/torture/batch-kill.mjs [--kills 60] [--seed 1] [--binary bin/social.js]
//
// A short one runs in the tests. Ends with 1 when a post was retried twice or a record is not accounted for.

import { writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { join } from 'node:path';
import { countsIn, idOf, optionsOf, programIn, responseOf } from './kit.mjs';
import { randomFrom } from './random.mjs';

const options = optionsOf({
  kills: { type: 'string', default: '60' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  binary: { type: 'string' },
});
const [kills, seed] = [Number(options.kills), Number(options.seed)];
console.log(`kills ${kills}, seed ${seed}`);
const random = randomFrom(seed);

const IDS = 150;

/** How often each post was retried; its one target is published by the first retry. */
const counts = new Map();
let onRetry = () => {};
const postOf = (id) => {
  const status = counts.has(id) ? 'published' : 'failed';
  const target = { id: id.replace('Kill', 'Part'), platform: 'mastodon', status, updatedAt: 0 };
  return responseOf(id, status, [{ ...target, ...(status === 'failed' ? { error: '503' } : {}) }]);
};
const server = http.createServer((request, response) => {
  const id = request.url.split('/')[3];
  if (request.method === 'POST') {
    counts.set(id, (counts.get(id) ?? 0) + 1);
    onRetry();
  }
  request.resume();
  setTimeout(() => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(postOf(id));
  }, random.number() * 6);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;
const { folder, start, ended, remove } = programIn(url, options.binary);

/** Runs the batch, and kills it at one of its requests or before them. */
async function killed(argv) {
  const child = start(argv);
  let left = random.between(0, IDS / 2);
  const kill = () => setTimeout(() => child.kill('SIGKILL'), random.number() * 8);
  const timer = left === 0 ? setTimeout(kill, random.between(60, 300)) : undefined;
  onRetry = () => {
    if (--left === 0) kill();
  };
  const said = await ended(child);
  clearTimeout(timer);
  onRetry = () => {};
  return said;
}

const figures = {
  killed: 0,
  rounds: 0,
  items: 0,
  done: 0,
  unknown: 0,
  unknownSent: 0,
  duplicates: 0,
  lost: 0,
};
const faults = [];
while (figures.killed < kills) {
  const round = figures.rounds++;
  const [ids, journal] = [join(folder, `ids-${round}.txt`), join(folder, `journal-${round}`)];
  const all = Array.from({ length: IDS }, (_, i) => idOf('Kill', round * IDS + i));
  writeFileSync(ids, all.map((id) => `${id}\n`).join(''));
  const argv = ['posts', 'retry', '--from', ids, '--journal', journal, '--json'];
  let last;
  do {
    last = await (figures.killed < kills ? killed(argv) : ended(start(argv)));
    if (last.signal === 'SIGKILL') figures.killed++;
  } while (last.signal === 'SIGKILL');
  if (![0, 12].includes(last.code))
    faults.push(`round ${round}: exit ${last.code}: ${last.stderr}`);

  const twice = all.filter((id) => (counts.get(id) ?? 0) > 1);
  const unknown = new Set(
    last.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ exitCode }) => exitCode === 12)
      .map(({ input }) => input.postId),
  );
  const lost = all.filter((id) => !counts.has(id) && !unknown.has(id));
  const shown = countsIn(last) ?? {};
  const done = (shown.ok ?? 0) + (shown.before ?? 0) + (shown.skipped ?? 0);
  if (twice.length > 0) faults.push(`round ${round}: retried twice: ${twice.join(' ')}`);
  if (lost.length > 0) faults.push(`round ${round}: neither sent nor reported: ${lost.join(' ')}`);
  if (done + unknown.size !== IDS || (shown.unknown ?? 0) !== unknown.size)
    faults.push(`round ${round}: ${JSON.stringify(shown)}, ${unknown.size} reported as unknown`);
  figures.items += IDS;
  figures.done += done;
  figures.unknown += unknown.size;
  figures.unknownSent += [...unknown].filter((id) => counts.has(id)).length;
  figures.duplicates += twice.length;
  figures.lost += lost.length;
}
server.closeAllConnections();
server.close();
remove();
console.log(JSON.stringify(figures));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 || figures.duplicates > 0 ? 1 : 0;
