// Histories of four runs with one journal: other lists and records each time, whole posts and targets in every mix,
// kills, waits and canaries, at a service that publishes whatever it is asked to, as often as it is asked.
// The second part of `npm run torture:batch`, or `node test/torture/histories.mjs [histories] [first seed] [at once]`.
// Ends with 1 when a target was published twice, or when a run ended as it should not.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { join } from 'node:path';
import { eachSeed, pause, programIn, responseOf } from './kit.mjs';
import { randomFrom } from './random.mjs';

const RUNS = 4;
/** Success, refused by the service, still pending, no response, failed, some failed, unknown. */
const EXIT_CODES = [0, 6, 8, 9, 10, 11, 12];

/** Publishes each target as often as it is asked to, and counts; some targets fail again first. */
async function publishingService(random) {
  const posts = new Map();
  for (let i = random.between(1, 4); i > 0; i--) {
    const targets = Array.from({ length: random.between(1, 4) }, () => ({
      id: `Target${random.letters(10)}`,
      platform: random.pick(['mastodon', 'linkedin', 'twitter']),
      status: 'failed',
      updatedAt: Date.now() - 3_600_000,
      failures: random.chance(0.5) ? 0 : random.between(1, 3),
      jobs: [],
      published: 0,
    }));
    const id = `Post${random.letters(12)}`;
    posts.set(id, { id, targets });
  }
  const settle = (target) => {
    const now = Date.now();
    for (const { at, isGood } of target.jobs.filter((job) => job.at <= now)) {
      if (isGood) target.published++;
      target.status = isGood ? 'published' : 'failed';
      target.updatedAt = at;
    }
    target.jobs = target.jobs.filter((job) => job.at > now);
    if (target.jobs.length > 0) target.status = 'publishing';
  };
  const ask = (target) => {
    const isGood = target.failures <= 0;
    target.failures--;
    target.jobs.push({ at: Date.now() + random.between(10, 400), isGood });
    target.status = 'publishing';
    target.updatedAt = Date.now();
  };
  const bodyOf = ({ id, targets }) => {
    const shown = targets.map(({ id: targetId, platform, status, updatedAt }) => ({
      id: targetId,
      platform,
      status,
      updatedAt,
      ...(status === 'failed' ? { error: 'HTTP 503' } : {}),
    }));
    return responseOf(id, 'failed', shown);
  };
  const send = (response, status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  };
  const refuse = (response, status) =>
    send(response, status, '{"ok":false,"error":{"code":"no","message":"No."}}');
  /** Responds, refuses, or does what is asked and loses the response. */
  const handle = (post, body, { method, socket }, response) => {
    post.targets.forEach(settle);
    if (method === 'POST') {
      if (random.chance(0.05)) return refuse(response, 422);
      const { targetIds } = JSON.parse(body || '{}');
      for (const target of post.targets) if (targetIds?.includes(target.id) ?? true) ask(target);
      if (random.chance(0.03)) return refuse(response, 502);
    }
    if (random.chance(method === 'POST' ? 0.1 : 0.03)) return void socket.destroy();
    return send(response, 200, bodyOf(post));
  };
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('error', () => {}).on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const answer = () => handle(posts.get(request.url.split('/')[3]), body, request, response);
      setTimeout(answer, random.between(0, 30));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const settleAll = () => [...posts.values()].forEach(({ targets }) => targets.forEach(settle));
  return { posts, server, settleAll, url: `http://127.0.0.1:${server.address().port}` };
}

/** Returns a list without overlaps: for each post the whole, some targets, or several records of some targets. */
function listOf(posts, random) {
  const records = random.shuffled([...posts.values()]).flatMap(({ id: postId, targets }) => {
    if (random.chance(0.15)) return [];
    if (random.chance(0.35)) return [random.chance(0.5) ? postId : JSON.stringify({ postId })];
    const ids = random.shuffled(targets.map(({ id }) => id));
    const parts = Array.from({ length: random.between(1, 3) }, () => []);
    for (const id of ids) if (random.chance(0.85)) random.pick(parts).push(id);
    return parts
      .filter(({ length }) => length > 0)
      .map((targetIds) => JSON.stringify({ postId, targetIds }));
  });
  const again = records.filter(() => random.chance(0.1));
  return random.shuffled([...records, ...again]);
}

/** Runs one history, and resolves to its figures and faults. */
async function historyOf(seed) {
  const random = randomFrom(seed);
  const service = await publishingService(random);
  const { folder, run: start, remove } = programIn(service.url);
  const said = [];
  const figures = { runs: 0, kills: 0, published: 0 };
  const wrong = [];
  const run = async (argv, killAfterMs) => {
    figures.runs++;
    const { code, signal, stderr } = await start(argv, killAfterMs);
    if (signal === 'SIGKILL' && killAfterMs !== undefined) figures.kills++;
    const isMeant = signal === 'SIGKILL' ? killAfterMs !== undefined : EXIT_CODES.includes(code);
    said.push(`$ social ${argv.join(' ')}\n${stderr}-> ${signal ?? code}`);
    if (!isMeant) wrong.push(`seed ${seed}: a run ended with ${signal ?? code}`);
  };
  try {
    const failed = random.chance(0.25) ? ['--failed'] : [];
    let list = listOf(service.posts, random);
    for (let i = 0; i < RUNS; i++) {
      // The program suggests to run the same list again.
      if (list.length === 0 || random.chance(0.6)) list = listOf(service.posts, random);
      said.push(list.join('\n'));
      writeFileSync(join(folder, 'list'), `${list.join('\n')}\n`);
      const timeout = random.pick(['200ms', '1s', '5s']);
      const argv = ['posts', 'retry', '--from', 'list', '--allow-empty', '--journal', 'journal'];
      argv.push('--json', '-q', ...failed);
      const waits = random.chance(0.6);
      const isCanary = random.chance(0.3);
      if (waits) argv.push('--wait');
      if (isCanary) argv.push('--canary', String(random.between(1, 3)));
      if (isCanary) argv.push('--max-failure-rate', random.pick(['10%', '100%']));
      if (waits || isCanary) argv.push('--interval', '50ms', '--wait-timeout', timeout);
      await run(argv, random.chance(0.4) ? random.between(150, 900) : undefined);
      if (random.chance(0.5)) await pause(random.between(0, 400));
    }
    await pause(450);
    service.settleAll();
    const targets = [...service.posts.values()].flatMap((post) => post.targets);
    for (const { id, published } of targets) {
      figures.published += Math.min(1, published);
      if (published > 1) wrong.push(`seed ${seed}: ${id} was published ${published} times`);
    }
    if (wrong.length > 0) wrong.push(...said, readFileSync(join(folder, 'journal'), 'utf8'));
  } catch (error) {
    wrong.push(`seed ${seed}: ${error.stack}`);
  } finally {
    service.server.closeAllConnections();
    service.server.close();
    remove();
  }
  return { figures, wrong };
}

await eachSeed(historyOf, {
  rounds: Number(process.argv[2] ?? 1000),
  first: Number(process.argv[3] ?? Date.now() % 1_000_000),
  atOnce: Number(process.argv[4] ?? 2),
});
