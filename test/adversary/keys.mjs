// Hostile keys and values in what the service, a settings file or a caller says: no output carries them to a terminal,
// and JSON gives them back unchanged.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostileText, hostileValue } from './hostile.mjs';
import { dangerIn } from './judge.mjs';
import { launcher, bareEnv } from './program.mjs';
import { bytesOf, postOf } from './servers.mjs';

const TOKEN = 'adversary-keys-token';
const FORMS = [['-o', 'table'], ['-o', 'tsv'], ['--json'], ['-o', 'ndjson'], []];

/** A post in which all that may hold a text holds a hostile one. */
function hostilePost(random, id) {
  const text = () => hostileText(random);
  const post = postOf(id, random.pick(['failed', text()]));
  const target = {
    ...post.targets[0],
    platform: text(),
    status: random.pick(['failed', text()]),
    error: text(),
  };
  const extra = Object.fromEntries(Array.from({ length: 4 }, () => [text(), hostileValue(random)]));
  const metadata = { [text()]: hostileValue(random) };
  const texts = {
    content: text(),
    createdBy: text(),
    updatedAt: text(),
    tags: [text()],
    nativeUrl: text(),
  };
  return { ...post, ...texts, metadata, targets: [target, { ...target, ...extra }], ...extra };
}

/** An answer that succeeds or refuses, hostile in everything; header values as far as HTTP can carry them. */
function hostileAnswer(random, id) {
  const headers = {
    'x-request-id': '\u009b31m\u0085\u00e9',
    'retry-after': random.pick([undefined, '\u009bx', '0x7']),
    'content-type': random.pick(['application/json', 'text/\u009bx']),
    location: 'http://127.0.0.1:9/\u009b2J',
  };
  if (random.chance(0.6)) {
    const body = JSON.stringify({ ok: true, data: hostilePost(random, id) });
    return bytesOf('200 \u009bOK', headers, body);
  }
  const text = () => hostileText(random);
  const details = random.pick([
    [{ field: text(), message: text() }],
    { [text()]: [text()], [text()]: hostileValue(random) },
    text(),
    [text()],
  ]);
  const error = {
    code: text(),
    message: random.pick([text(), 'x'.repeat(5000) + text()]),
    details,
  };
  const status = random.pick([302, 400, 401, 403, 404, 409, 422, 500]);
  return bytesOf(`${status} \u009bNo`, headers, JSON.stringify({ ok: true, error }));
}

/** Ways to make the program say what it was told. */
const ways = (random, id) => {
  const form = () => random.pick(FORMS);
  const debug = random.chance(0.3) ? ['--debug'] : [];
  return random.pick([
    ['posts', 'get', id, ...form(), ...debug],
    ['posts', 'get', id, '--from', 'list.txt', ...form(), ...debug].filter((word) => word !== id),
    ['api', 'GET', `/v1/posts/${id}`, ...form(), ...debug],
    ['api', 'GET', `/v1/posts/${id}`, '--whole', ...form()],
    ['api', 'POST', `/v1/posts/${id}/retry`, '-F', 'a=1', ...form(), ...debug],
    ['posts', 'retry', id, '--failed', ...form(), ...debug],
    ['posts', 'retry', id, '--wait', '--wait-timeout', '1s', '--interval', '200ms', ...form()],
    ['posts', 'wait', id, '--wait-timeout', '1s', '--interval', '200ms', ...form()],
    ['accounts', 'discord', 'channels', '-a', 'AccountDiscordAa', ...form(), ...debug],
    ['connect', 'telegram', 'session', 'a'.repeat(64), ...form()],
    ['webhooks', 'create', '--url', 'https://h.example', '--event', 'post.failed', ...form()],
    [
      'posts',
      'get',
      id,
      '--fields',
      `${random.pick(['metadata', 'targets.error', hostileText(random)])}`,
      ...form(),
    ],
    ['posts', 'get', id, '--jq', '.. | strings', ...debug],
    ['doctor', ...form()],
    // What a caller types, or pastes.
    ['posts', 'get', hostileText(random).replaceAll('\0', ''), ...form()],
    [hostileText(random).replaceAll('\0', ''), hostileText(random).replaceAll('\0', '')],
    ['-C', hostileText(random).replaceAll('\0', ''), 'posts', 'get', id],
    ['posts', 'retry', id, `--${hostileText(random).replaceAll('\0', '')}`],
  ]);
};

/** Settings written by hand, hostile in names and values. */
function hostileSettings(random, home) {
  const folder = join(home, '.config', 'social');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = random.pick(['prod', hostileText(random)]);
  const context = {
    baseUrl: random.pick(['https://a.example', hostileText(random)]),
    account: hostileText(random),
  };
  const more = random.chance(0.3) ? { [hostileText(random)]: hostileValue(random) } : {};
  const text = JSON.stringify({ contexts: { [name]: context }, context: name, ...more });
  writeFileSync(join(folder, 'config.json'), random.chance(0.2) ? text.slice(0, -3) : text, {
    mode: 0o600,
  });
  return random.pick([
    ['context', 'list'],
    ['context', 'show'],
    ['config', 'list'],
    ['doctor'],
    ['auth', 'status'],
  ]);
}

export async function round(stage) {
  const { random, home, serve, check, run } = stage;
  const id = random.letters(16);
  const sent = new Map();
  const server = await serve((request, socket) => {
    const bytes = sent.get(request.target) ?? hostileAnswer(random, request.id);
    sent.set(request.target, bytes);
    socket.write(bytes);
  });
  writeFileSync(join(home, 'list.txt'), `${id}\n${random.letters(16)}\n`);
  const env = {
    SOCIAL_BASE_URL: server.url,
    SOCIAL_TOKEN: TOKEN,
    SOCIAL_ACCOUNT: 'AccountDiscordAa',
  };
  const argv = ways(random, id);
  const asked = await run([...argv, '--retries', '0', '--timeout', '3s'], { env });
  const got = await run(['posts', 'get', id, '--json', '--retries', '0'], { env });
  if (got.code === 0) {
    const bytes = sent.get(`/v1/posts/${id}`).toString('utf8');
    const { data } = JSON.parse(bytes.slice(bytes.indexOf('\r\n\r\n') + 4));
    // jq itself refuses half a character before another escape.
    const isWhole = !/\\ud[89a-f]/.test(JSON.stringify(data));
    if (argv.includes('--jq') && (isWhole || asked.code === 0))
      check(
        linesOf([asked.stdout.slice(0, -1)]) === linesOf(textsIn(data)),
        '--jq gives each text',
        asked,
      );
    check(
      JSON.stringify(JSON.parse(got.stdout)) === JSON.stringify(data),
      'JSON gives back what was sent',
      got,
    );
  }
  if (random.chance(0.3)) await run(hostileSettings(random, home), {});
  if (random.chance(0.4)) await atTerminal(stage, argv, env);
}

/** Every text of a value, as UTF-8 can carry it. */
function textsIn(value) {
  if (typeof value === 'string') return [value.toWellFormed()];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The lines of some texts, in an order that does not hang on the order of the texts. */
const linesOf = (texts) => JSON.stringify(texts.flatMap((text) => text.split('\n')).toSorted());

/** The same at a terminal, where the program draws with sequences of its own. */
async function atTerminal({ home, check, after }, argv, env) {
  const { spawn } = await import('@lydell/node-pty');
  const columns = 100;
  const terminal = spawn(
    process.execPath,
    [launcher, ...argv, '--no-input', '--retries', '0', '--timeout', '3s'],
    {
      cols: columns,
      rows: 30,
      cwd: home,
      env: { ...bareEnv(home, env), TERM: 'xterm-256color' },
      encoding: null,
    },
  );
  after(() => terminal.kill('SIGKILL'));
  const chunks = [];
  terminal.onData((chunk) => chunks.push(Buffer.from(chunk)));
  const code = await new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  const bytes = Buffer.concat(chunks);
  const danger = dangerIn(bytes, true);
  const run = {
    argv: ['(at a terminal)', ...argv],
    code,
    ms: 0,
    stdout: bytes.toString('utf8'),
    stderr: '',
  };
  check(danger === undefined, 'shows no control character at a terminal', run, danger);
}
