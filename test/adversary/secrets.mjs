// A token and a webhook secret that come back in every encoding, by every way out: searched for in every byte that was
// captured and in every file that was left behind.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './program.mjs';
import { bytesOf, postOf } from './servers.mjs';
import { encodingsOf, foundIn } from './encodings.mjs';

/** Text around a secret, so that it may lie across whatever is cut. */
const padding = (random) =>
  random.pick(['', 'x', 'é', 'x'.repeat(random.below(300)), 'word '.repeat(random.below(3000))]);

/** An answer that has the secrets in every place it has. */
function echo(random, secrets, id) {
  const said = () => {
    const text = random.pick(encodingsOf(random.pick(secrets), random));
    return `${padding(random)}${text}${padding(random)}`;
  };
  const plain = () =>
    random.pick(encodingsOf(random.pick(secrets), random)).replace(/[^\x20-\x7e]/g, '');
  const headers = {
    'x-echo': plain(),
    'x-request-id': plain(),
    location: `http://127.0.0.1:9/?${plain()}`,
  };
  const error = {
    code: said(),
    message: said(),
    details: random.pick([said(), [{ field: said(), message: said() }], { [said()]: said() }]),
  };
  const data = {
    ...postOf(id, 'failed'),
    content: said(),
    [said()]: said(),
    metadata: { [said()]: [said()] },
    name: said(),
    url: 'https://h.example',
  };
  const good = random.chance(0.5);
  const json = JSON.stringify(good ? { ok: true, data } : { ok: true, error });
  const body = random.pick([json, json, json.replaceAll('/', '\\/'), `<p>${said()}</p>`, said()]);
  const status = random.pick([200, 200, 200, 302, 400, 401, 403, 404, 422, 500, 502]);
  return bytesOf(good ? '200 OK' : `${status} ${plain().slice(0, 200)}`, headers, body);
}

const ways = (random, id) => {
  const form = random.pick([['--json'], ['-o', 'table'], ['-o', 'tsv'], []]);
  const debug = random.chance(0.5) ? ['--debug'] : [];
  const hook = [
    '--url',
    'https://h.example',
    '--event',
    'post.failed',
    '--secret-file',
    'secret.txt',
  ];
  const batch = ['--from', 'list.txt', '--journal', 'journal', '--failures-to', 'failures'];
  return random.pick([
    ['posts', 'get', id, ...form, ...debug],
    ['api', 'GET', `/v1/posts/${id}`, ...form, ...debug],
    ['api', 'GET', `/v1/posts/${id}`, '--whole', ...form, ...debug],
    ['api', 'POST', '/v1/webhooks', '--input', 'hook.json', ...form, ...debug],
    ['api', 'POST', '/v1/webhooks', '--input', 'hook.json', '--dry-run', ...debug],
    ['webhooks', 'create', ...hook, '--header', 'X-A: b', ...form, ...debug],
    ['webhooks', 'create', ...hook, '--curl'],
    ['webhooks', 'update', 'WebhookAlertsOps', '--secret-file', 'secret.txt', ...form, ...debug],
    ['posts', 'retry', ...batch, ...form, ...debug],
    ['posts', 'get', id, '--dry-run', ...debug],
    [
      'posts',
      'retry',
      id,
      '--wait',
      '--wait-timeout',
      '1s',
      '--interval',
      '200ms',
      ...form,
      ...debug,
    ],
    ['doctor', ...debug],
    ['auth', 'status', '--check', ...form, ...debug],
  ]);
};

export async function round(stage) {
  const { random, home, check, serve, run } = stage;
  const odd = 'ABCxyz019+/=~._-'.split('');
  const token = `tok${random.from(odd, random.between(20, 60))}end`;
  // A secret of a webhook is any text.
  const secret = `sec${random.from([...odd, '"', '\\', '<', '&', "'", 'é', ' ', '%'], random.between(14, 60))}end`;
  const id = random.letters(16);
  writeFileSync(join(home, 'secret.txt'), secret, { mode: 0o600 });
  const hook = {
    url: 'https://h.example',
    events: ['post.failed'],
    secret,
    customHeaders: { 'X-A': secret },
  };
  writeFileSync(join(home, 'hook.json'), JSON.stringify(hook), { mode: 0o600 });
  writeFileSync(join(home, 'list.txt'), `${id}\n${random.letters(16)}\n`);
  const argv = random.chance(0.15) ? undefined : ways(random, id);
  // Only what the call itself was given can be known to it.
  const given =
    argv === undefined || argv.some((word) => word === 'secret.txt' || word === 'hook.json');
  const hidden = given ? [token, secret] : [token];
  const server = await serve((request, socket) => {
    // A call of an agent knows its own secrets, not those of another.
    const known = argv === undefined && request.method === 'GET' ? [token] : hidden;
    socket.write(echo(random, known, request.id));
  });
  const env = { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: token };
  const ended =
    argv === undefined
      ? await asAgent(home, env, hook, id)
      : await run([...argv, '--retries', '0', '--timeout', '3s'], { env });
  for (const [name, one] of [
    ['token', token],
    ['webhook secret', secret],
  ]) {
    if (!hidden.includes(one)) continue;
    const place = argv?.slice(0, 2).join(' ') ?? 'mcp';
    const isData = argv !== undefined && showsData(argv, ended.code);
    const searched = isData ? ['stderr'] : ['stdout', 'stderr'];
    for (const stream of searched) {
      const form = foundIn(ended[stream], one);
      check(
        form === undefined,
        `no ${name} on ${stream} (${place}${argv?.includes('--debug') ? ' --debug' : ''})`,
        ended,
        form,
      );
    }
    for (const path of filesIn(home)) {
      if (/secret\.txt$|hook\.json$/.test(path)) continue;
      const form = foundIn(readFileSync(path, 'utf8'), one);
      check(
        form === undefined,
        `no ${name} in a file left behind (${path.slice(home.length)})`,
        ended,
        form,
      );
    }
  }
}

/**
 * Whether what stands on stdout is what the service answered, which is data of its own: done, or the last state where a
 * wait was over (8) or ended badly (10). An agent gets it masked all the same, and what never asks shows none of it.
 */
function showsData(argv, code) {
  if (argv.includes('--dry-run') || argv.includes('--curl') || argv[0] === 'auth') return false;
  return [0, 8, 10].includes(code) || argv.includes('--from');
}

const call = (number, name, given) => ({
  id: number,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** Asks for the same as an agent does. */
async function asAgent(home, env, hook, id) {
  const opening = {
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    },
  };
  const messages = [
    opening,
    { method: 'notifications/initialized' },
    call(1, 'posts_get', { postId: id }),
    call(2, 'webhooks_create', hook),
  ];
  const input = messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join('');
  return start(['mcp', 'serve', '--allow-writes', '--retries', '0', '--debug'], {
    home,
    env,
    input,
  }).ended;
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
