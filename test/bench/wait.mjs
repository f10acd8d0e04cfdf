// What waiting costs: processor time of a `posts wait` that never sees its post settle, beyond that of its start.

import * as http from 'node:http';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const social = fileURLToPath(new URL('../../bin/social.js', import.meta.url));
const id = 'PostSpringLaunch';
const target = { id: 'TargetSpringLink', postId: id, platform: 'linkedin', status: 'publishing' };
const body = JSON.stringify({ ok: true, data: { id, status: 'publishing', targets: [target] } });

/** Processor seconds of a run, told by bash; the server is here, so the run must not block. */
async function cpuOf(argv, env) {
  const script = `TIMEFORMAT='%3U %3S'; { time "$@" >/dev/null 2>&3; } 3>/dev/null`;
  const child = spawn('bash', ['-c', script, 'bash', ...argv], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.on('data', (chunk) => (told += chunk));
  await new Promise((resolve) => child.on('close', resolve));
  const [user, system] = told.trim().split('\n').at(-1).split(' ').map(Number);
  return user + system;
}

/** Waits so many seconds, and once next to none, and tells the difference. */
export async function waitCost({ node, seconds }) {
  let looks = 0;
  const server = http.createServer((request, response) => {
    looks++;
    request.resume();
    response.setHeader('content-type', 'application/json').end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const home = mkdtempSync(join(tmpdir(), 'social-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SOCIAL_BASE_URL: `http://127.0.0.1:${server.address().port}`,
    SOCIAL_TOKEN: 'bench',
  };
  const wait = (limit) => [node, social, 'posts', 'wait', id, '--json', '--wait-timeout', limit];
  try {
    const start = await cpuOf(wait('100ms'), env);
    looks = 0;
    const whole = await cpuOf(wait(`${seconds}s`), env);
    const rows = [
      {
        wait: `${seconds} s`,
        looks,
        'CPU s': whole.toFixed(3),
        'of it the start': start.toFixed(3),
        'CPU s for 10 minutes': (start + ((whole - start) / seconds) * 600).toFixed(2),
      },
    ];
    return { title: 'waiting', rows };
  } finally {
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

const publisher = fileURLToPath(new URL('publishing-server.mjs', import.meta.url));
const bareWait = fileURLToPath(new URL('bare-wait.mjs', import.meta.url));

/** An ID of sixteen letters for a number. */
const idOf = (n) =>
  `Post${String(n)
    .replaceAll(/\d/g, (digit) => 'ABCDEFGHIJ'[digit])
    .padStart(12, 'a')}`;

/** The counts of the service. */
async function countsOf(url) {
  const [response] = await once(http.get(`${url}/counts`), 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return JSON.parse(text);
}

/** Starts the service whose posts publish for so long. */
async function publishing(settleMs) {
  const server = spawn(process.execPath, [publisher, String(settleMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(server.stdout, 'data');
  return { url: String(line).trim(), stop: () => server.kill() };
}

/** Retries so many posts with --wait, or by the bare loop, and tells what it took. */
async function waitForMany({ node, count, settleMs, bare = false }) {
  const service = await publishing(settleMs);
  const home = mkdtempSync(join(tmpdir(), 'social-bench-'));
  const list = join(home, 'ids');
  writeFileSync(list, Array.from({ length: count }, (_, n) => `${idOf(n)}\n`).join(''));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SOCIAL_BASE_URL: service.url,
    SOCIAL_TOKEN: 'bench',
  };
  const argv = bare
    ? [node, bareWait, list, service.url]
    : [node, social, 'posts', 'retry', '--from', list, '--wait', '--json', '-y'];
  try {
    const child = spawn('/usr/bin/time', ['-f', '%e %U %S %M', ...argv], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let told = '';
    child.stderr.on('data', (chunk) => (told += chunk));
    await once(child, 'close');
    const [wall, user, system, peak] = told.trim().split('\n').at(-1).split(' ').map(Number);
    const counts = await countsOf(service.url);
    // One read comes before each retry.
    return { wall, cpu: user + system, peak, polls: counts.GET / count - 1, twice: counts.twice };
  } finally {
    service.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Waiting for many: posts that settle after a minute, and a hundred thousand of them that wait at once. Takes
 * a quarter of an hour.
 */
export async function waitManyCost({ node, items }) {
  const minute = { node, settleMs: 60_000 };
  const single = await waitForMany({ ...minute, count: 1 });
  const many = await waitForMany({ ...minute, count: 600 });
  const bare = await waitForMany({ ...minute, count: 600, bare: true });
  // Long enough that the last is sent before the first has settled.
  const most = await waitForMany({ node, count: items, settleMs: Math.max(5000, items * 2.5) });
  const row = (posts, { wall, cpu, peak, polls, twice }, what = String(posts)) => ({
    posts: what,
    'wall s': wall.toFixed(1),
    'CPU ms a post': ((1000 * cpu) / posts).toFixed(2),
    'peak MiB': (peak / 1024).toFixed(0),
    'polls a post': polls.toFixed(2),
    'of a single wait': (polls / single.polls).toFixed(2),
    'sent twice': twice,
  });
  const rows = [row(1, single), row(600, many), row(600, bare, '600, bare loop')];
  return [
    { title: 'waiting for many: settled after 60 s, 8 at once', rows },
    { title: 'waiting for many: all of them wait at once', rows: [row(items, most)] },
  ];
}
