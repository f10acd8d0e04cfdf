// Proxies that close, drip, talk nonsense or want a password: no more connections than attempts, an end at the deadline
// and at a signal, and nothing of the call told to anybody.

import { certificate } from './servers.mjs';
import { pause } from './program.mjs';

const TOKEN = 'adversary-proxies-token';
const PASSWORD = 'proxy-pass+word/=';
/** What a busy machine may add. */
const SLACK_MS = 2500;
const AFTER_SIGNAL_MS = 1200;

/** What a proxy does with a CONNECT, by name. */
const tricks = (random) => ({
  'closes at once': (socket) => socket.destroy(),
  'closes with a FIN': (socket) => socket.end(),
  resets: (socket) => (socket.encrypted ? socket.destroy() : socket.resetAndDestroy()),
  'says nothing': () => undefined,
  'drips its head': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x'),
  'drips headers for ever': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'a: b\r\n'),
  'sends 1xx for ever': (socket) => drip(socket, '', 'HTTP/1.1 102 Processing\r\n\r\n'),
  'says 200 and nothing more': (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'),
  'says 200 and drips': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', '\x16'),
  'says 200 and closes': (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
  'says 200 and speaks HTTP': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
  'says 200 in pieces': (socket) => drip(socket, '', 'HTTP/1.1 200 OK\r\n\r\n', 1),
  'wants a password': (socket) =>
    socket.end('HTTP/1.1 407 No\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n'),
  'answers 502': (socket) => socket.end('HTTP/1.1 502 No\r\ncontent-length: 3\r\n\r\nno\n'),
  redirects: (socket) =>
    socket.end('HTTP/1.1 302 F\r\nlocation: https://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n'),
  'talks nonsense': (socket) =>
    socket.end(random.pick(['SSH-2.0\r\n\r\n', '\0\0\0', '{"ok":true}', '\x1b]0;x\x07\r\n\r\n'])),
  'has a head without end': (socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
});

function drip(socket, first, more, most = Infinity) {
  socket.write(first);
  let [sent, rest] = [0, more];
  const timer = setInterval(() => {
    if (most === 1 && sent >= more.length) return clearInterval(timer);
    rest = most === 1 ? more[sent] : more;
    sent++;
    socket.write(rest);
  }, 40);
  socket.on('close', () => clearInterval(timer));
}

export async function round(stage) {
  const { random, check, serve, begin, sound, slack } = stage;
  const all = tricks(random);
  const name = random.pick(Object.keys(all));
  const secure = random.chance(0.25);
  const trusted = !secure || random.chance(0.5);
  const seen = [];
  const proxy = await serve(
    (request, socket) => {
      seen.push(`${request.method} ${request.target} ${JSON.stringify(request.headers)}`);
      all[name](socket);
    },
    { secure },
  );
  const id = random.letters(16);
  const change = random.chance(0.5);
  const [retries, timeoutMs] = [random.below(3), random.between(400, 1200)];
  const argv = [
    'posts',
    change ? 'retry' : 'get',
    id,
    '--json',
    `--base-url=https://service.invalid:${random.between(1, 65535)}`,
    `--retries=${retries}`,
    `--timeout=${timeoutMs}ms`,
    ...(secure && trusted ? ['--cacert', certificate().path] : []),
  ];
  const scheme = secure ? 'https' : 'http';
  const address = `${scheme}://user:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}`;
  const off = random.chance(0.5) ? { NODE_TLS_REJECT_UNAUTHORIZED: '0' } : {};
  const run = begin(argv, { env: { SOCIAL_TOKEN: TOKEN, HTTPS_PROXY: address, ...off } });
  const signal = random.chance(0.35) ? random.pick(['SIGINT', 'SIGTERM', 'SIGHUP']) : undefined;
  const what = (text) => `${text} (${secure ? 'https proxy ' : ''}${name})`;
  if (signal !== undefined) {
    let over = false;
    void run.ended.then(() => (over = true));
    await Promise.race([pause(300 + random.below(600)), run.ended]);
    const killedAt = performance.now();
    run.child.kill(signal);
    const ended = await run.ended;
    const took = performance.now() - killedAt;
    if (!over) check(took < AFTER_SIGNAL_MS * slack, what('a signal ends it'), ended, took);
  }
  const ended = await run.ended;
  sound(ended);
  const limit = (retries + 1) * timeoutMs + SLACK_MS * slack;
  check(ended.ms < limit, what('ends at its deadline'), ended, limit);
  check(seen.length <= retries + 1, what('asks no more often than it may'), ended, seen.length);
  check(
    proxy.connections() <= retries + 1,
    what('connects no more often than it may'),
    ended,
    proxy.connections(),
  );
  const codes = signal === undefined ? [9, 2] : [9, 2, 129, 130, 143];
  check(codes.includes(ended.code), what('ends with 9, for nothing reached the service'), ended);
  if (secure && !trusted)
    check(seen.length === 0, what('says nothing to a proxy that it cannot trust'), ended, seen);
  const captured = `${ended.stdout}${ended.stderr}`;
  for (const secret of [
    TOKEN,
    PASSWORD,
    encodeURIComponent(PASSWORD),
    Buffer.from(`user:${PASSWORD}`).toString('base64'),
  ])
    check(!captured.includes(secret), what('shows no password and no token'), ended, secret);
  check(!seen.join().includes(TOKEN), what('tells the proxy no token'), ended, seen);
  if (random.chance(0.2)) await loopback(stage, address);
}

/** What is on this machine goes to no proxy. */
async function loopback({ serve, run, random, check }, address) {
  const { success, postOf } = await import('./servers.mjs');
  const server = await serve(({ id }, socket) => socket.write(success(postOf(id, 'published'))), {
    secure: true,
  });
  const argv = [
    'posts',
    'get',
    random.letters(16),
    '--json',
    '--cacert',
    certificate().path,
    '--retries',
    '0',
  ];
  const ended = await run(argv, {
    env: { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: TOKEN, HTTPS_PROXY: address },
  });
  check(ended.code === 0, 'https to this machine goes by no proxy', ended);
}
