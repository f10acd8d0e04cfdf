// The night of an outage, over and over with other seeds: triage, a canary, retries with a journal and --wait, unknown
// outcomes settled, at a service that is slow, limits the rate, loses answers and dies in the middle, with a program
// that is killed. `npm run torture:night [nights] [first seed] [jobs]`, or with `--nights 200 --seed 1 --jobs 6` and
// `--binary bin/social.js` of another build; a night takes two minutes. Ends with 1 when a post was published twice,
// when a record is not accounted for, or when a verdict is wrong.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { join } from 'node:path';
import { countsIn, eachSeed, idOf, optionsOf, pause, programIn, responseOf } from './kit.mjs';
import { randomFrom } from './random.mjs';

const options = optionsOf({
  nights: { type: 'string', default: '200' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  jobs: { type: 'string', default: '6' },
  binary: { type: 'string' },
});

const POSTS = 40;
const PLATFORMS = ['mastodon', 'linkedin', 'twitter', 'facebook'];
/** The causes and errors of failed targets; a retry publishes the temporary ones. */
const CAUSES = [
  ['temporary', '503 Service Unavailable'],
  ['temporary', '429 Too Many Requests'],
  ['temporary', 'connection timed out'],
  ['reconnect', 'the access token was revoked'],
  ['content', 'the text is too long: 341 characters, the limit is 300'],
];
/** `not done` may be said only when a queued retry would have begun, and after a kill its request would have left. */
const SETTLE_AFTER_MS = 95_000;

/** Starts the worst of services: it publishes every post that it is asked to retry, also published ones, and counts. */
function nightService(random) {
  const posts = new Map();
  for (let i = 0; i < POSTS; i++) {
    const [cause, error] = CAUSES[random.between(0, CAUSES.length - 1)];
    const id = idOf('Night', i);
    const at = Date.now() - 3_600_000;
    posts.set(id, {
      id,
      cause,
      error,
      target: { id: idOf('Target', i), platform: PLATFORMS[i % PLATFORMS.length] },
      status: 'failed',
      updatedAt: at,
      /** The numbers of retries that were processed, and of times that the post was published. */
      processed: 0,
      published: 0,
      settlesAt: undefined,
    });
  }
  const settle = (post) => {
    if (post.settlesAt === undefined || post.settlesAt > Date.now()) return;
    post.updatedAt = post.settlesAt;
    post.settlesAt = undefined;
    const fails = post.cause !== 'temporary';
    post.status = fails ? 'failed' : 'published';
    if (!fails) post.published++;
  };
  const bodyOf = ({ id, target, status, error, updatedAt }) => {
    const failed = status === 'failed' ? { error } : {};
    const published = { platformPostId: '1', nativeUrl: 'https://x.example/1' };
    const more = status === 'published' ? published : failed;
    return responseOf(id, status, [{ ...target, status, updatedAt, ...more }]);
  };
  /** Answers, or cuts the connection off. */
  const handle = async (request, response) => {
    const post = posts.get(request.url.split('/')[3]);
    request.resume();
    await once(request, 'end');
    await pause(random.between(0, 40));
    if (random.chance(0.05)) {
      response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' });
      response.end('{"ok":false,"error":{"code":"rate_limited","message":"slow down"}}');
      return;
    }
    if (post === undefined || random.chance(0.04)) {
      request.socket.destroy();
      return;
    }
    settle(post);
    if (request.method === 'POST') {
      post.processed++;
      post.status = 'publishing';
      post.updatedAt = Date.now();
      post.settlesAt = Date.now() + random.between(100, 1500);
      // The response is lost, although the retry was processed.
      if (random.chance(0.12)) {
        request.socket.destroy();
        return;
      }
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(bodyOf(post));
  };
  const sockets = new Set();
  let server;
  const open = (port) =>
    new Promise((resolve) => {
      server = http.createServer((request, response) => void handle(request, response));
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => sockets.delete(socket));
      });
      server.listen(port, '127.0.0.1', () => resolve(server.address().port));
    });
  const close = () =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(resolve);
    });
  return { posts, open, close, settleAll: () => posts.forEach(settle) };
}

/** Runs one night, and resolves to its figures and faults. */
async function night(seed) {
  const random = randomFrom(seed);
  const service = nightService(random);
  const port = await service.open(0);
  const { folder, run: start, remove } = programIn(`http://127.0.0.1:${port}`, options.binary);
  const faults = [];
  const figures = { runs: 0, kills: 0, deaths: 0, unknown: 0, settled: 0, undecided: 0 };
  const check = (holds, what, seen) => {
    if (!holds) faults.push(`seed ${seed}: ${what}${seen === undefined ? '' : `\n${seen}`}`);
  };
  const run = async (argv, killAfterMs) => {
    figures.runs++;
    const ended = await start(argv, killAfterMs);
    if (ended.signal === 'SIGKILL') figures.kills++;
    return ended;
  };
  /** Runs again until it ends by itself, with one of the codes. */
  const until = async (argv, codes, times) => {
    for (let i = 0; i < times; i++) {
      const ended = await run(argv);
      if (codes.includes(ended.code)) return ended;
    }
    return run(argv);
  };
  try {
    const list = ['failed_at,post_id', ...[...service.posts.keys()].map((id) => `then,${id}`)];
    writeFileSync(join(folder, 'failed.csv'), `${list.join('\n')}\n`);
    const from = ['--from', 'failed.csv', '--column', 'post_id'];
    const triage = await until(['posts', 'triage', ...from, '--save', 'triage', '--json'], [0], 5);
    check(triage.code === 0, 'the triage reads every post', triage.stderr);
    const temporary = [...service.posts].filter(([, { cause }]) => cause === 'temporary');
    const group = JSON.parse(triage.stdout).groups.find(({ cause }) => cause === 'temporary');
    check(group?.records.length === temporary.length, 'the triage finds what is temporary');

    const journal = ['--journal', 'night.journal', '--interval', '200ms', '--json'];
    const retry = ['posts', 'retry', '--from', 'triage/temporary.ndjson', '--wait', ...journal];
    // During the retries the service is down for a while, and the program is killed.
    const dies = (async () => {
      await pause(random.between(300, 2500));
      await service.close();
      figures.deaths++;
      await pause(random.between(200, 1500));
      await service.open(port);
    })();
    for (let kills = random.between(1, 3); kills > 0; kills--)
      await run(
        [...retry, '--canary', '4', '--max-failure-rate', '50%'],
        random.between(200, 2500),
      );
    await dies;
    let last = await until(retry, [0, 12], 6);
    figures.unknown = countsIn(last)?.unknown ?? 0;
    if (figures.unknown > 0) {
      await pause(SETTLE_AFTER_MS);
      const settle = ['history', 'settle', '--journal', 'night.journal', '--json'];
      const before = new Map([...service.posts].map(([id, { processed }]) => [id, processed]));
      const settled = await until(settle, [0], 5);
      const { items = [] } = JSON.parse(settled.stdout || '{}');
      figures.settled = items.length;
      for (const { id, verdict } of items) {
        const processed = before.get(id) ?? -1;
        if (verdict === 'done') check(processed > 0, `${id} is said to be done and was not`);
        if (verdict === 'not done') check(processed === 0, `${id} is said to be not done and was`);
        if (verdict === 'cannot tell') figures.undecided++;
      }
      last = await until(retry, [0, 12], 6);
    }
    await pause(1600);
    service.settleAll();
    for (const [id, { published, cause }] of service.posts) {
      check(published <= 1, `${id} was published ${published} times`);
      if (cause !== 'temporary') check(published === 0, `${id} is ${cause} and was published`);
    }
    const { ok = 0, before = 0, skipped = 0, unknown = 0 } = countsIn(last) ?? {};
    const done = ok + before + skipped;
    const out = temporary.filter(([, { published }]) => published === 1).length;
    const { length } = temporary;
    check(
      done + unknown === length,
      `${length - done - unknown} records are neither done nor unknown`,
    );
    check(done <= out, `${done} are said to be done, ${out} were published`);
    check(out + unknown >= length, `${length - out} were not published, ${unknown} are unknown`);
  } catch (error) {
    check(false, 'the night ended with an error', error.stack);
  } finally {
    await service.close();
    remove();
  }
  const kinds = faults.length > 0 ? ['night'] : [];
  return { figures, faults: kinds, told: faults.join('\n') };
}

await eachSeed(night, {
  rounds: Number(options.nights),
  first: Number(options.seed),
  atOnce: Number(options.jobs),
});
