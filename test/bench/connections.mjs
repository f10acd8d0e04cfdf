// What shared connections cost and spare. As a program of its own: how many of 10,000 changes have an unknown outcome at
// services that close each connection after 100 responses, with and without saying so. For the benchmark: 200 posts at a
// service 50 ms away over TLS, behind a forwarder that holds every packet back for half of that, beside a bare pool of
// undici.
//   npm run build && node test/bench/connections.mjs lost
//   npm run bench -- far

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here, idOf, median } from './measure.mjs';

const social = here('../../bin/social.js');
const RESPONSES = 100;

const target = {
  id: 'TargetNumberAaaa',
  platform: 'mastodon',
  status: 'failed',
  error: 'HTTP 502',
};
const post = (id) =>
  JSON.stringify({
    ok: true,
    data: { id, status: 'failed', targets: [target], createdAt: '2026-03-02T12:00:00.000Z' },
  });

/** Serves posts; ends each connection after so many responses, and says so before or does not. */
async function serve(pair, closing) {
  const counts = new WeakMap();
  const answer = (incoming, response) => {
    const { socket } = incoming;
    const count = (counts.get(socket) ?? 0) + 1;
    counts.set(socket, count);
    const isLast = closing !== undefined && count === RESPONSES;
    if (isLast && closing === 'said') response.setHeader('connection', 'close');
    incoming.resume();
    response.setHeader('content-type', 'application/json');
    response.end(post(incoming.url.split('/')[3]), () => isLast && socket.end());
  };
  const server = pair ? https.createServer(pair, answer) : http.createServer(answer);
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `${pair ? 'https' : 'http'}://127.0.0.1:${server.address().port}` };
}

/** Runs the program, and gives its result lines and seconds. */
async function run(argv, { url, input, folder, node = process.execPath }) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SOCIAL_BASE_URL: url,
    SOCIAL_TOKEN: 'bench-token-bench',
  };
  const start = performance.now();
  const child = spawn(node, [social, ...argv], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const [code] = await once(child, 'close');
  return {
    code,
    lines: out.trim().split('\n'),
    errors,
    seconds: (performance.now() - start) / 1000,
  };
}

async function lost(folder) {
  const count = 10_000;
  const list = Array.from({ length: count }, (_, i) => `${idOf(i)}\n`).join('');
  for (const closing of ['said', 'unsaid']) {
    const { server, url } = await serve(undefined, closing);
    for (const concurrency of ['8', '16']) {
      const argv = `posts retry --from - --concurrency ${concurrency} --json -q --yes`.split(' ');
      const { lines, seconds } = await run(argv, { url, input: list, folder });
      const outcomes = lines.map((line) => JSON.parse(line).error?.outcome ?? 'ok');
      const unknown = outcomes.filter((outcome) => outcome === 'unknown').length;
      const good = outcomes.filter((outcome) => outcome === 'ok').length;
      console.log(
        `closing ${closing} after ${RESPONSES}, ${concurrency} at once: ${good} done, ${unknown} of ${count} unknown (${((unknown / count) * 100).toFixed(2)} %), ${seconds.toFixed(1)} s`,
      );
    }
    server.close();
    server.closeAllConnections();
  }
}

const WAY_MS = 25;

/** Forwards connections to a port: what comes, goes on later, and each connection begins a round trip later. */
async function holdBack(port) {
  const forward = (from, to) => {
    from.on('data', (chunk) => setTimeout(() => to.destroyed || to.write(chunk), WAY_MS));
    from.on('end', () => setTimeout(() => to.end(), WAY_MS));
    from.on('error', () => to.destroy());
  };
  const server = net.createServer((socket) => {
    socket.pause().setNoDelay(true);
    setTimeout(() => {
      const there = net.connect(port, '127.0.0.1').setNoDelay(true);
      forward(socket, there);
      forward(there, socket);
      socket.resume();
    }, 2 * WAY_MS);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

async function far(folder, { node, rounds }) {
  spawnSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=bench -addext subjectAltName=IP:127.0.0.1'.split(
      ' ',
    ),
    { cwd: folder },
  );
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)));
  const { server, url: near } = await serve({ key, cert });
  const forwarder = await holdBack(new URL(near).port);
  const url = `https://127.0.0.1:${forwarder.address().port}`;
  const ids = Array.from({ length: 200 }, (_, i) => idOf(i));
  const list = ids.join('\n');
  writeFileSync(join(folder, 'ids'), list);
  const flags = ['--cacert', join(folder, 'cert.pem'), '--json', '-q'];
  const where = { url, folder, node };
  const batch = (words) =>
    run([...words, '--from', '-', '--concurrency', '8', '--yes', ...flags], {
      ...where,
      input: list,
    });
  const seconds = async (work) => {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1000;
  };
  // The bare pool as a process of its own, as the program is one.
  const bareRun = (method) =>
    seconds(async () => {
      const argv = [
        here('bare.mjs'),
        join(folder, 'ids'),
        url,
        '8',
        method,
        join(folder, 'cert.pem'),
      ];
      const child = spawn(node, argv, { stdio: 'inherit' });
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`the bare pool ended with ${code}`);
    });
  const timed = async (promise) => {
    const { code, errors, seconds: took } = await promise;
    if (code !== 0) throw new Error(`ended with ${code}: ${errors}`);
    return took;
  };
  const ratios = { retries: [], reads: [], failed: [] };
  for (let round = 0; round < rounds; round++) {
    ratios.retries.push((await timed(batch(['posts', 'retry']))) / (await bareRun('POST')));
    ratios.reads.push((await timed(batch(['posts', 'get']))) / (await bareRun('GET')));
    const get = await timed(run(['posts', 'get', ids[0], ...flags], where));
    ratios.failed.push(
      (await timed(run(['posts', 'retry', ids[0], '--failed', ...flags], where))) / get,
    );
  }
  forwarder.close();
  server.close();
  server.closeAllConnections();
  const row = (what, of, seen) => ({ what, of, ratio: median(seen).toFixed(2) });
  return [
    row('200 retries', 'a bare pool', ratios.retries),
    row('200 reads', 'a bare pool', ratios.reads),
    row('posts retry --failed', 'one posts get', ratios.failed),
  ];
}

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'social-connections-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Measures how long calls and batches take at a service 50 ms away. */
export async function distanceCosts({ node, rounds }) {
  const rows = await inFolder((folder) => far(folder, { node, rounds }));
  return [{ title: `time at a service 50 ms away over TLS, median of ${rounds}`, rows }];
}

if (process.argv[1] === here('connections.mjs')) await inFolder(lost);
