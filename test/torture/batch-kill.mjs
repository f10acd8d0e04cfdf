// Kills a journalled batch of retries at random moments, resumes it, and asks the server how often each post was
// retried. `npm run torture:batch [kills] [seed]`; a short one runs in the tests. Ends with 1 when a post was retried
// twice or an item is not accounted for.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomFrom } from './random.mjs';
import { tally } from './tally.mjs';

const launcher = fileURLToPath(new URL('../../bin/social.js', import.meta.url));
const kills = Number(process.argv[2] ?? 500);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
console.log(`kills ${kills}, seed ${seed}`);
const { number: random } = randomFrom(seed);

const IDS = 150;
const idOf = (round, i) =>
  `Kill${Array.from({ length: 12 }, (_, at) => String.fromCodePoint(97 + (Math.floor((round * IDS + i) / 26 ** at) % 26))).join('')}`;

const counts = new Map();
const server = http.createServer((request, response) => {
  const id = request.url.split('/')[3];
  counts.set(id, (counts.get(id) ?? 0) + 1);
  request.resume();
  setTimeout(() => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, data: { id, status: 'publishing', targets: [] } }));
  }, random() * 6);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const folder = mkdtempSync(join(tmpdir(), 'social-kill-'));
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  SOCIAL_BASE_URL: `http://127.0.0.1:${server.address().port}`,
  SOCIAL_TOKEN: 'torture',
};

/** Runs the batch; kills it after so many milliseconds where a number is given. */
function run(ids, journal, killAfterMs) {
  const argv = ['posts', 'retry', '--from', ids, '--journal', journal, '--json', '-q'];
  const child = spawn(process.execPath, [launcher, ...argv], { env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
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
  writeFileSync(ids, Array.from({ length: IDS }, (_, i) => `${idOf(round, i)}\n`).join(''));
  let last;
  do {
    last = await run(ids, journal, figures.killed < kills ? 60 + random() * 240 : undefined);
    if (last.signal === 'SIGKILL') figures.killed++;
  } while (last.signal === 'SIGKILL');
  if (![0, 12].includes(last.code))
    faults.push(`round ${round}: exit ${last.code}: ${last.stderr}`);

  const all = Array.from({ length: IDS }, (_, i) => idOf(round, i));
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
  if (lost.length > 0) faults.push(`round ${round}: neither sent nor told: ${lost.join(' ')}`);
  if (known.done + known.unknown !== IDS || known.unknown !== unknown.size)
    faults.push(
      `round ${round}: ${JSON.stringify(known)} in the journal, ${unknown.size} told as unknown`,
    );
  figures.items += IDS;
  figures.done += known.done;
  figures.unknown += known.unknown;
  figures.unknownSent += [...unknown].filter((id) => counts.has(id)).length;
  figures.duplicates += twice.length;
  figures.lost += lost.length;
}
server.closeAllConnections();
server.close();
rmSync(folder, { recursive: true, force: true });
console.log(JSON.stringify(figures));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 || figures.duplicates > 0 ? 1 : 0;
