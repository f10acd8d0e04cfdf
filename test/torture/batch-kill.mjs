// Kills a journalled batch of retries at random moments, resumes it, and asks the server how often each post was
// retried. `npm run torture:batch [kills] [seed]`; a short one runs in the tests. Ends with 1 when a post was retried
// twice or an item is not accounted for.

import { writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { join } from 'node:path';
import { idOf, programIn, responseOf, tally } from './kit.mjs';
import { randomFrom } from './random.mjs';

const kills = Number(process.argv[2] ?? 500);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
console.log(`kills ${kills}, seed ${seed}`);
const { number: random } = randomFrom(seed);

const IDS = 150;
const BEGUN_AT = Date.now() - 3_600_000;

/** The retries of each post. One that was retried is publishing from then on. */
const counts = new Map();
const server = http.createServer((request, response) => {
  const id = request.url.split('/')[3];
  const isRetry = request.method === 'POST';
  if (isRetry) counts.set(id, (counts.get(id) ?? 0) + 1);
  request.resume();
  setTimeout(() => {
    const status = counts.has(id) ? 'publishing' : 'failed';
    const target = { id: `Of${id.slice(2)}`, platform: 'mastodon', status, updatedAt: BEGUN_AT };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(responseOf(id, status, [target]));
  }, random() * 6);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { folder, run, remove } = programIn(`http://127.0.0.1:${server.address().port}`);

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
  const argv = ['posts', 'retry', '--from', ids, '--journal', journal, '--json', '-q'];
  let last;
  do {
    last = await run(argv, figures.killed < kills ? 60 + random() * 240 : undefined);
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
  const known = tally(journal);
  if (twice.length > 0) faults.push(`round ${round}: retried twice: ${twice.join(' ')}`);
  if (lost.length > 0) faults.push(`round ${round}: neither sent nor reported: ${lost.join(' ')}`);
  if (known.accepted + known.unknown !== IDS || known.unknown !== unknown.size)
    faults.push(
      `round ${round}: ${JSON.stringify(known)} in the journal, ${unknown.size} reported as unknown`,
    );
  figures.items += IDS;
  figures.done += known.accepted;
  figures.unknown += known.unknown;
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
