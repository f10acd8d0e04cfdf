// Lists and texts that never come, never end, or come slowly: a signal ends the wait at once, and nothing is sent
// before the last line has been judged.

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { pause } from './program.mjs';
import { postOf, success } from './servers.mjs';

/** Promised are 200 ms; a busy machine may add to that. */
const AFTER_SIGNAL_MS = 1000;

/** What holds a pipe open, and what it writes. */
const writers = {
  'nobody writes': () => () => undefined,
  'somebody holds it open': (path) => holding(path, () => undefined),
  'somebody writes slowly': (path, random) => {
    let timer;
    const stop = holding(path, (fd) => {
      timer = setInterval(() => put(fd, `${random.letters(16)}\n`), 20);
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  },
  'somebody writes for ever': (path, random) => {
    let timer;
    const stop = holding(path, (fd) => {
      timer = setInterval(() => {
        for (let i = 0; i < 200; i++) put(fd, `${random.letters(16)}\n`);
      }, 5);
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  },
  'somebody writes half a line': (path, random) =>
    holding(path, (fd) => put(fd, random.letters(9))),
};

/** Opens a pipe for reading and writing, which waits for nobody, and gives it to `work`. */
function holding(path, work) {
  const fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  work(fd);
  return () => fs.closeSync(fd);
}

/** Writes as much as there is room for. */
function put(fd, text) {
  try {
    fs.writeSync(fd, text);
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
  }
}

const ways = (random, pipe) =>
  random.pick([
    ['--from', ['posts', 'retry', '--from', pipe]],
    ['--from', ['posts', 'get', '--from', pipe, '--json']],
    ['--from with a journal', ['posts', 'retry', '--from', pipe, '--journal', 'journal']],
    ['--from with --journal auto', ['posts', 'retry', '--from', pipe, '--journal', 'auto']],
    [
      '--text-file',
      ['posts', 'reply', random.letters(16), '--target', 'TargetAdversaryA', '--text-file', pipe],
    ],
    ['--input', ['api', 'POST', '/v1/webhooks', '--input', pipe]],
    [
      '--secret-file',
      [
        'webhooks',
        'create',
        '--url',
        'https://h.example',
        '--event',
        'post.failed',
        '--secret-file',
        pipe,
      ],
    ],
    [
      'auth login',
      ['auth', 'login', '-C', 'prod', '--base-url', 'https://a.example', '--insecure-storage'],
      true,
    ],
  ]);

export async function round({ random, home, check, serve, begin, sound, after, slack }) {
  const server = await serve(({ id }, socket) => socket.write(success(postOf(id, 'published'))));
  const pipe = join(home, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const who = random.pick(Object.keys(writers));
  const stop = writers[who](pipe, random);
  after(stop);
  const [what, argv, onlyStdin] = ways(random, random.chance(0.35) ? '-' : pipe);
  const byStdin = onlyStdin === true || argv.includes('-');
  const run = begin(argv, {
    env: { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: 'adversary-fifos-token' },
    input: 'open',
  });
  // Standard input is a pipe of its own: nobody writes, or somebody does for ever.
  const feeding =
    byStdin && who.includes('writes')
      ? setInterval(() => run.child.stdin.write(`${random.letters(16)}\n`), 10)
      : undefined;
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const signal = random.pick(signals);
  let over = false;
  void run.ended.then(() => (over = true));
  await Promise.race([pause(400 + random.below(500)), run.ended]);
  if (!byStdin) run.child.stdin.end();
  const at = performance.now();
  const already = over;
  run.child.kill(signal);
  const name = `${what}, ${byStdin ? 'standard input' : 'a pipe'}, ${who}`;
  const ended = await Promise.race([run.ended, pause(6000 * slack, { ref: false })]);
  clearInterval(feeding);
  if (ended === undefined) {
    run.child.kill('SIGKILL');
    const killed = await run.ended;
    check(false, `a signal ends a wait for what never comes (${name})`, killed, signal);
    return;
  }
  sound(ended);
  const took = performance.now() - at;
  if (!already) {
    check(took < AFTER_SIGNAL_MS * slack, `a signal ends it at once (${name})`, ended, took);
    const code = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal];
    // What was refused just before the signal came says so.
    check(
      [code, 2].includes(ended.code),
      `the exit code is that of the signal (${name})`,
      ended,
      signal,
    );
  }
  check(
    server.total() === 0,
    `nothing is sent of what has not ended (${name})`,
    ended,
    server.total(),
  );
}
