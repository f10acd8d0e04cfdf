// A process that is stopped past its time-outs, as Ctrl-Z and a closed lid do: the time in which it did not run is
// nobody's, and an answer that waits in the socket counts.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastObject, pause, until } from './program.mjs';
import { bytesOf, postOf, success } from './servers.mjs';

const TIMEOUT_MS = 900;

/** Stops a process for longer than its time-out, and lets it go on. */
async function asleep(child, ms) {
  child.kill('SIGSTOP');
  await pause(ms);
  child.kill('SIGCONT');
}

async function single({ random, serve, begin, check, sound }) {
  const id = random.letters(16);
  const change = random.chance(0.6);
  const split = random.chance(0.5);
  const server = await serve((request, socket) => {
    const bytes = success(postOf(request.id, 'publishing'));
    // In one piece, or with its rest a little later: all of it comes while the process is stopped.
    const place = split ? random.below(bytes.length) : bytes.length;
    setTimeout(() => socket.write(bytes.subarray(0, place)), 150);
    if (split) setTimeout(() => socket.write(bytes.subarray(place)), 250);
  });
  const argv = [
    'posts',
    change ? 'retry' : 'get',
    id,
    '--json',
    '--timeout',
    `${TIMEOUT_MS}ms`,
    '--retries',
    '0',
  ];
  const run = begin(argv, {
    env: { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: 'adversary-stopped-token' },
  });
  await until(() => server.total() > 0);
  await asleep(run.child, TIMEOUT_MS + 300 + random.below(400));
  const ended = await run.ended;
  sound(ended);
  const what = change ? 'change' : 'read';
  check(
    ended.code === 0,
    `the answer to a ${what} that waited while the process was stopped is taken`,
    ended,
  );
  const times = server.times(change ? 'POST' : 'GET', id);
  check(times === 1, `a ${what} is sent once though the process was stopped`, ended, times);
}

async function batch({ random, home, serve, begin, check, sound }) {
  const ids = Array.from({ length: random.between(8, 30) }, () => random.letters(16));
  writeFileSync(join(home, 'list'), `${ids.join('\n')}\n`);
  const server = await serve(({ id }, socket) =>
    setTimeout(() => socket.write(success(postOf(id, 'publishing'))), 20 + random.below(60)),
  );
  const journal = random.chance(0.5) ? ['--journal', 'journal'] : [];
  const argv = [
    'posts',
    'retry',
    '--from',
    'list',
    '--json',
    '-q',
    '--timeout',
    `${TIMEOUT_MS}ms`,
    ...journal,
  ];
  const run = begin([...argv, '--concurrency', '4'], {
    env: { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: 'adversary-stopped-token' },
  });
  await until(() => server.total() > 2);
  await asleep(run.child, TIMEOUT_MS + 300 + random.below(400));
  const ended = await run.ended;
  sound(ended);
  check(ended.code === 0, 'a batch that was stopped ends well', ended);
  const wrong = ids.filter((id) => server.times('POST', id) !== 1);
  check(wrong.length === 0, 'a batch that was stopped sends each record once', ended, wrong);
}

async function waiting({ random, serve, begin, check, sound }) {
  const id = random.letters(16);
  const server = await serve(({ method }, socket) => {
    const looks = server.times('GET', id);
    const status =
      server.times('POST', id) === 0 ? 'failed' : looks > 4 ? 'published' : 'publishing';
    socket.write(success(postOf(id, method === 'POST' ? 'publishing' : status)));
  });
  const polls = ['--interval', '200ms', '--wait-timeout', '2s'];
  const run = begin(['posts', 'retry', id, '--wait', ...polls, '--json'], {
    env: { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: 'adversary-stopped-token' },
  });
  await until(() => server.times('POST', id) > 0);
  await asleep(run.child, 2200 + random.below(300));
  const ended = await run.ended;
  sound(ended);
  check([0, 8].includes(ended.code), 'a wait that was stopped ends in order', ended);
  check(server.times('POST', id) === 1, 'a wait that was stopped sends its change once', ended);
}

/** Stopped while it waits for what the service asked to wait for: it does not make up for lost attempts. */
async function limited({ random, serve, begin, check, sound }) {
  const id = random.letters(16);
  const server = await serve((request, socket) => {
    const error = { code: 'rate_limited', message: 'Too many.', details: null };
    const refusal = bytesOf(
      '429 Too Many',
      { 'retry-after': '1' },
      JSON.stringify({ ok: true, error }),
    );
    socket.write(request.time === 1 ? refusal : success(postOf(request.id, 'publishing')));
  });
  const run = begin(['posts', 'retry', id, '--json'], {
    env: { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: 'adversary-stopped-token' },
  });
  await until(() => server.total() > 0);
  await asleep(run.child, 1500);
  const ended = await run.ended;
  sound(ended);
  check(
    ended.code === 0 || lastObject(ended.stderr).error !== undefined,
    'a pause that was stopped ends in order',
    ended,
  );
  const times = server.times('POST', id);
  check(times <= 2, 'a pause that was stopped makes up for nothing', ended, times);
}

export const round = (stage) => stage.random.pick([single, single, batch, waiting, limited])(stage);
