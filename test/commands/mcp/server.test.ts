// `social mcp serve` as an agent meets it: a client that is not ours, the built program, real sockets.

import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exampleInput } from '../../support/example-input.ts';
import { everyOperation } from '../../../src/api/operations/registry.ts';
import { commandNamesOf } from '../../../src/api/operations/command-names.ts';
import { mcpClient, mcpClientInProcess } from '../../support/mcp-client.ts';
import { CANARY } from '../../support/token-leak-check.ts';
import { countingServer } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { bareEnv, freshHome, launcher, social } from '../../support/program.ts';
import { recordingServer, errorResponse, successResponse } from '../../support/recording-server.ts';
import { misbehavingServer, type MisbehavingServer } from '../../support/misbehaving-server.ts';
import { compileSchema, schemaErrors } from '../../support/schemas.ts';
import { loginTo } from '../../support/command-lines.ts';
import { needsUnix } from '../../support/unix.ts';

const sandbox = ['-C', 'sandbox'];
const POST = 'PostSpringLaunch';

/** Name, and whether it only reads, may destroy, may be repeated: written out by hand. */
const served: Readonly<Record<string, string>> = {
  posts_get: 'reads',
  posts_reply: 'once',
  posts_retry: 'once',
  posts_triage: 'reads',
  posts_wait: 'reads',
  accounts_bluesky_send: 'once',
  accounts_discord_channels: 'reads',
  accounts_mastodon_action: 'sets',
  accounts_shared_accounts: 'reads',
  connect_facebook_pages: 'reads',
  connect_pinterest_select_board: 'sets',
  connect_reddit_flairs: 'reads',
  connect_telegram_access_code: 'reads',
  connect_telegram_session: 'reads',
  discord_pins_add: 'repeats',
  discord_roles: 'reads',
  ads_audiences_delete: 'takes away, repeats',
  credentials_disable: 'takes away',
  webhooks_create: 'once',
  webhooks_update: 'sets',
};
const hints: Readonly<Record<string, readonly [read: boolean, destroys: boolean, same: boolean]>> =
  {
    reads: [true, false, true],
    once: [false, false, false],
    sets: [false, true, false],
    repeats: [false, false, true],
    'takes away': [false, true, false],
    'takes away, repeats': [false, true, true],
  };
const reading = Object.keys(served).filter((name) => served[name] === 'reads');

/** The input of an operation's first example, by the name of its tool. */
const inputs = Object.fromEntries(
  (await everyOperation()).map(({ area, name, operation }) => {
    const [spelling] = commandNamesOf(operation);
    const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [`${area}_${words}`, exampleInput(operation, spelling!, spelling!.examples[0]!)];
  }),
);
inputs['posts_triage'] = { postIds: [POST], by: 'platform' };
inputs['posts_wait'] = { postId: 'PostAutumnRecaps', maxSeconds: 5 };
const consent: Readonly<Record<string, object>> = {
  ads_audiences_delete: { confirm: '23850000000000001' },
  credentials_disable: { confirm: 'CredentialSystem' },
};

describe('the tools', () => {
  it('are those that read, unless writing was allowed', async () => {
    const { tools, call, stderr } = await mcpClient(sandbox);
    expect((await tools()).map(({ name }) => name).toSorted()).toEqual(reading.toSorted());
    expect(stderr()).toContain('10 tools, all read-only');
    await expect(call('posts_retry', { postId: POST })).rejects.toMatchObject({ code: -32602 });
  });

  it('are all twenty with --allow-writes, each with hints that are so and a schema that is one', async () => {
    const { tools } = await mcpClientInProcess([...sandbox, '--allow-writes']);
    const all = await tools();
    expect(all.map(({ name }) => name).toSorted()).toEqual(Object.keys(served).toSorted());
    for (const { name, title, description, annotations, inputSchema } of all) {
      const { readOnlyHint, destructiveHint, idempotentHint } = annotations!;
      expect([name, readOnlyHint, destructiveHint, idempotentHint]).toEqual([
        name,
        ...hints[served[name]!]!,
      ]);
      expect(title).toMatch(/^[A-Z].{5,}[^.]$/);
      expect(description!.startsWith(`${title!}.`)).toBe(true);
      const judge = compileSchema(inputSchema);
      expect(schemaErrors(judge, { ...inputs[name], ...consent[name] })).toBeUndefined();
      expect(judge({ ...inputs[name], ...consent[name], stray: 1 })).toBe(false);
      expect(JSON.stringify(inputSchema)).not.toMatch(/placeholder|"flag"|"prose"/);
    }
  });
});

describe('a call', () => {
  it('gives the data that the command gives, unchanged, for every tool', async () => {
    const home = freshHome();
    const { call } = await mcpClient([...sandbox, '--allow-writes'], { home });
    const shown = await socialInProcess([...sandbox, '-q', 'posts', 'get', POST, '--json'], {
      home,
    });
    const { data, text, notes } = await call('posts_get', { postId: POST });
    expect(notes).toEqual([]);
    expect(data).toEqual(JSON.parse(shown.stdout));
    expect(JSON.parse(text)).toEqual(data);
    for (const name of Object.keys(served)) {
      const answer = await call(name, { ...inputs[name], ...consent[name] });
      expect({ name, ...answer }).toMatchObject({ name, isError: false });
    }
  });

  it('sends the same request, with the same token, as the command', async () => {
    const service = await recordingServer(successResponse(`{"id":"${POST}"}`));
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    const { call } = await mcpClient(['--allow-writes'], { env });
    await call('posts_retry', { postId: POST, targetIds: ['TargetSpringLink'] });
    await socialInProcess(['posts', 'retry', POST, '--target', 'TargetSpringLink'], { env });
    const [ours, theirs] = service.requests;
    const plain = ({ method, target, body, headers }: typeof ours & object) => ({
      method,
      target,
      body,
      authorization: headers['authorization'],
      agent: headers['user-agent'],
    });
    expect(plain(ours!)).toEqual(plain(theirs!));
    expect(ours!.headers['authorization']).toBe(`Bearer ${CANARY}`);
  });

  it('has the ids of a request that failed', async () => {
    const headers = { 'x-request-id': 'req-7f3a' };
    const service = await recordingServer({ ...errorResponse(409), headers });
    const { call } = await mcpClientInProcess([], {
      env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY },
    });
    const { text, data } = await call('posts_get', { postId: POST });
    expect(text).toContain('request id: req-7f3a');
    const clientRequestId = service.requests[0]!.headers['x-request-id'];
    expect(data).toMatchObject({ error: { requestId: 'req-7f3a', clientRequestId } });
  });

  it('is judged here before anything is sent, with all faults at once', async () => {
    const service = await recordingServer();
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    const { error, call } = await mcpClientInProcess(['--allow-writes'], { env });
    const { text } = await call('posts_reply', { postId: 'x', text: '', extra: 1 });
    for (const words of [
      'postId must be exactly 16',
      'targetId is required',
      'text must be 1 to 300',
      'unknown field "extra"',
    ])
      expect(text).toContain(words);
    expect(await error('webhooks_update', { id: 'WebhookAlertsOps' })).toMatchObject({
      code: 'usage',
      message: 'input has nothing to change',
    });
    expect(service.connections()).toBe(0);
  });

  it('looks up token and context each time', async () => {
    needsUnix('owners and modes');
    const service = await recordingServer(successResponse(`{"id":"${POST}"}`));
    const home = freshHome();
    const file = join(home, 'token');
    const keep = (token: string) => {
      writeFileSync(file, `${token}\n`);
      chmodSync(file, 0o600);
    };
    keep('first-token');
    await socialInProcess(['context', 'set', 'prod', '--base-url', service.url], { home });
    const { call, error } = await mcpClient([], { home, env: { SOCIAL_TOKEN_FILE: file } });
    await call('posts_get', { postId: POST });
    keep('second-token');
    await call('posts_get', { postId: POST });
    expect(service.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer first-token',
      'Bearer second-token',
    ]);
    await socialInProcess(['context', 'delete', 'prod'], { home });
    expect(await error('posts_get', { postId: POST })).toMatchObject({ code: 'unauthorized' });
  });

  it('keeps standard input from a token command', async () => {
    needsUnix('devices and no /proc');
    const service = await recordingServer(successResponse(`{"id":"${POST}"}`));
    const home = freshHome();
    const set = ['context', 'set', 'prod', '--base-url', service.url];
    await socialInProcess(
      [...set, '--token-command', 'sh -c "cat > /dev/null; echo from-a-command"'],
      {
        home,
      },
    );
    const { call } = await mcpClient([], { home });
    const both = await Promise.all([POST, POST].map((postId) => call('posts_get', { postId })));
    expect(both.map(({ isError }) => isError)).toEqual([false, false]);
    expect(service.requests[1]!.headers['authorization']).toBe('Bearer from-a-command');
  });

  it('acts through the account of the context where none is named', async () => {
    const env = { SOCIAL_ACCOUNT: 'AccountDiscordAa' };
    const { call, tools } = await mcpClientInProcess(sandbox, { env });
    expect(await call('accounts_discord_channels')).toMatchObject({ isError: false });
    const { inputSchema } = (await tools()).find(
      ({ name }) => name === 'accounts_discord_channels',
    )!;
    expect(inputSchema.required).toEqual([]);
    expect(inputSchema.properties).toMatchObject({ accountId: { default: 'AccountDiscordAa' } });
  });

  it('sends nothing in a dry run', async () => {
    const service = await recordingServer();
    const argv = ['--allow-writes', '--max-writes', '1', '-n', '--base-url', service.url];
    const { call } = await mcpClientInProcess(argv);
    expect((await call('posts_triage', { postIds: [POST] })).data).toMatchObject({
      dryRun: true,
      requests: [{ method: 'GET', url: `${service.url}/v1/posts/${POST}` }],
    });
    // A change that is not sent does not count.
    expect((await call('posts_retry', { postId: POST })).isError).toBe(false);
    const { data } = await call('webhooks_create', {
      url: 'https://h.example',
      events: ['post.failed'],
      secret: 'hunter2hunter2',
    });
    expect(data).toMatchObject({
      dryRun: true,
      method: 'POST',
      url: `${service.url}/v1/webhooks`,
      body: { secret: '[redacted]' },
    });
    expect(service.connections()).toBe(0);
  });
});

/** An agent at a service, that may write and repeats a read once. */
const at = async (url: string, ...argv: readonly string[]) =>
  mcpClient(['--allow-writes', '--retries', '1', ...argv], {
    env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY },
  });

describe('a failure is an answer', () => {
  it('of the service: its code, its message, refused', async () => {
    const service = await recordingServer(
      errorResponse(404, 'post_not_found', 'There is no such post.'),
    );
    const { error, call } = await at(service.url);
    expect(await error('posts_get', { postId: POST })).toMatchObject({
      code: 'post_not_found',
      message: 'There is no such post.',
      outcome: 'refused',
      sent: true,
      exitCode: 5,
    });
    expect((await call('posts_get', { postId: POST })).text).toMatch(
      /^error: .*There is no such post/,
    );
  });

  it('of a change whose answer was lost: unknown, not repeated, and what inspects it', async () => {
    const lost = await misbehavingServer((socket) => socket.destroy());
    const { error } = await at(lost.url);
    expect(await error('posts_retry', { postId: POST })).toMatchObject({
      code: 'outcome_unknown',
      outcome: 'unknown',
      sent: true,
      next: expect.stringContaining(`posts get ${POST}`) as string,
      exitCode: 12,
    });
    expect(lost.requests('POST')).toBe(1);
  });

  it('of a read: repeated as often as a command repeats it', async () => {
    const lost = await misbehavingServer((socket) => socket.destroy());
    const { error } = await at(lost.url);
    expect(await error('posts_get', { postId: POST })).toMatchObject({
      outcome: 'none',
      exitCode: 9,
    });
    expect(lost.requests()).toBe(2);
  });

  it('of a token: nothing is sent to another origin, nor in the clear', async () => {
    const own = await recordingServer();
    const home = freshHome();
    const login = loginTo(own.url, '-C', 'prod', '--insecure-storage');
    await socialInProcess(login, { home, input: `${CANARY}\n` });
    const other = await recordingServer();
    const foreign = await mcpClientInProcess(['--base-url', other.url], { home });
    expect(await foreign.error('posts_get', { postId: POST })).toMatchObject({
      code: 'unauthorized',
      sent: false,
    });
    const clear = await mcpClientInProcess(['--base-url', 'http://api.example'], { home });
    expect(await clear.error('posts_get', { postId: POST })).toMatchObject({
      code: 'usage',
      sent: false,
    });
    expect(other.connections()).toBe(0);
  });
});

describe('consent', () => {
  it('to delete and to disable is the id once more', async () => {
    const { error, call } = await mcpClientInProcess([...sandbox, '--allow-writes']);
    const audienceId = '23850000000000001';
    for (const confirm of [undefined, '', 'yes', '23850000000000002', true])
      expect(await error('ads_audiences_delete', { audienceId, confirm })).toMatchObject({
        code: 'usage',
        sent: false,
        message: expect.stringContaining('confirm ') as string,
      });
    expect((await call('ads_audiences_delete', { audienceId, confirm: audienceId })).isError).toBe(
      false,
    );
    expect(await error('posts_get', { postId: POST, confirm: POST })).toMatchObject({
      code: 'usage',
    });
  });

  it('of a protected context is not an agent’s to give', async () => {
    const service = await recordingServer();
    const home = freshHome();
    await socialInProcess(['context', 'set', 'prod', '--base-url', service.url, '--protected'], {
      home,
    });
    const env = { SOCIAL_TOKEN: CANARY };
    const calm = await mcpClientInProcess(['--allow-writes'], { home, env });
    expect((await calm.tools()).map(({ name }) => name).toSorted()).toEqual(reading.toSorted());
    await expect(calm.call('posts_retry', { postId: POST })).rejects.toThrow('not found');
    const bold = await mcpClientInProcess(['--allow-writes', '--yes'], { home, env });
    const names = (await bold.tools()).map(({ name }) => name);
    expect(names).toHaveLength(18);
    expect(names).not.toContain('credentials_disable');
    const id = 'CredentialSystem';
    await expect(
      bold.call('credentials_disable', { credentialId: id, confirm: id }),
    ).rejects.toThrow('not found');
    expect(service.connections()).toBe(0);
    expect((await bold.call('posts_retry', { postId: POST })).isError).toBe(false);
    expect(service.requests).toHaveLength(1);
    // A context that becomes protected while the server runs is protected at the next call.
    await socialInProcess(['context', 'set', 'prod', '--no-protected'], { home });
    const running = await mcpClientInProcess(['--allow-writes'], { home, env });
    await socialInProcess(['context', 'set', 'prod', '--protected'], { home });
    expect(await running.error('posts_retry', { postId: POST })).toMatchObject({
      sent: false,
      message: expect.stringContaining('protected') as string,
    });
    expect(service.requests).toHaveLength(1);
  });
});

describe('a secret', () => {
  const secret = 'correct-horse-battery';
  const value = 'k3y-of-the-header';
  const webhook = {
    url: 'https://h.example',
    events: ['post.failed'],
    secret,
    customHeaders: { 'X-Key': value },
  };

  it('goes out, and comes back in nothing, echo it who may', async () => {
    const echo = JSON.stringify({
      id: 'WebhookAlertsOps',
      name: `for ${secret}`,
      customHeaders: { 'X-Key': value, 'X-Old': 'older-value' },
    });
    const service = await recordingServer((number) =>
      number === 1
        ? successResponse(echo)
        : errorResponse(422, 'bad', `secret ${secret} with ${value}`),
    );
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    const { client, call, stderr } = await mcpClient(['--allow-writes', '--debug'], { env });
    const done = await client.callTool({ name: 'webhooks_create', arguments: webhook });
    expect(done.structuredContent).toEqual({
      id: 'WebhookAlertsOps',
      name: 'for [redacted]',
      customHeaders: { 'X-Key': '[redacted]', 'X-Old': '[redacted]' },
    });
    const failed = await call('webhooks_create', webhook);
    const wrong = await call('webhooks_create', {
      ...webhook,
      secret: 'tiny',
      customHeaders: { 'X Y': value },
    });
    for (const text of [JSON.stringify(done), JSON.stringify([failed, wrong]), stderr()]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(value);
    }
    expect(JSON.parse(service.requests[0]!.body)).toMatchObject({
      secret,
      customHeaders: { 'X-Key': value },
    });
  });

  it('is the id of a pairing too: who asks for it gets it back in no text and no field', async () => {
    const id = 'a1b2c3d4'.repeat(8);
    const service = await recordingServer((number) =>
      number === 1
        ? successResponse(
            JSON.stringify({ id, status: 'pending', link: `https://t.example/${id}`, [id]: 1 }),
          )
        : errorResponse(404, `no_${id}`, `There is no session ${id}.`),
    );
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    const { client, stderr } = await mcpClientInProcess(['--debug'], { env });
    const ask = { name: 'connect_telegram_session', arguments: { sessionId: id } };
    const [done, failed] = [await client.callTool(ask), await client.callTool(ask)];
    expect(done).toMatchObject({ structuredContent: { id: '[redacted]', status: 'pending' } });
    expect(failed).toMatchObject({ isError: true, structuredContent: { error: { status: 404 } } });
    expect(service.requests.map(({ target }) => target.includes(id))).toEqual([true, true]);
    for (const text of [JSON.stringify(done), JSON.stringify(failed), stderr()])
      expect(text).not.toContain(id);
  });
});

const messages = (...all: readonly object[]) =>
  all.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join('');
const opening = messages(
  {
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
);
const getPost = (id: number) => ({
  id,
  method: 'tools/call',
  params: { name: 'posts_get', arguments: { postId: POST } },
});

const retryPost = (id: number, postId = POST) => ({
  id,
  method: 'tools/call',
  params: { name: 'posts_retry', arguments: { postId } },
});

const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

const someRequest = async ({ requests }: MisbehavingServer, most = 1): Promise<void> => {
  while (requests() < most) await soon();
};

/** Six letters for a number. */
const letters = (i: number) => `Abcde${String.fromCodePoint(65 + i)}`;

interface Line {
  readonly id?: number;
  readonly result?: {
    readonly content?: readonly { readonly text: string }[];
    readonly structuredContent?: object;
    readonly isError?: boolean;
  };
}
const parsed = (line: string) => JSON.parse(line) as Line;

/** A server whose streams a test writes and reads itself. */
function raw(url: string, ...argv: readonly string[]) {
  needsUnix('signals');
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY };
  const started = spawn(process.execPath, [launcher, 'mcp', 'serve', ...argv], {
    env: bareEnv(freshHome(), env),
    stdio: 'pipe',
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  started.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  started.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  const ended = new Promise((resolve) =>
    started.once('close', (code, signal) =>
      resolve(code ?? 128 + constants.signals[signal as 'SIGTERM']),
    ),
  );
  return { started, ended, said };
}

describe('the streams', () => {
  it('carry the protocol alone on stdout, and end with the input', async () => {
    const service = await recordingServer(
      successResponse('{"id":"PostSpringLaunch","metadata":{"n":1}}'),
    );
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    const input = `${opening}this is no message\n${messages(getPost(1), getPost(2))}`;
    const before = performance.now();
    const { exitCode, stdout } = await social(['mcp', 'serve', '--debug'], { env, input });
    expect(exitCode).toBe(0);
    // Nothing is under way any more: it does not wait for the ten seconds that a call might take.
    expect(performance.now() - before).toBeLessThan(9000);
    const lines = stdout.trimEnd().split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as { jsonrpc: '2.0'; id?: number }).id);
    expect(new Set(ids)).toEqual(new Set([0, 1, 2]));
  });

  it.each([
    ['SIGINT', 130, ''],
    ['SIGTERM', 143, 'mcp: stopped\n'],
  ] as const)(
    'end by %s, which a shell shows as %i, also in the middle of a read',
    async (signal, exitCode, last) => {
      const slow = await misbehavingServer(() => undefined);
      const { started, ended, said } = raw(slow.url);
      started.stdin.write(opening + messages(getPost(1)));
      await someRequest(slow);
      started.kill(signal);
      expect(await ended).toBe(exitCode);
      expect(said.stderr.split('ends it\n')[1]).toBe(last);
      const [, answer] = said.stdout.trimEnd().split('\n').map(parsed);
      expect(answer).toMatchObject({ id: 1, result: { isError: true } });
      expect(JSON.stringify(answer)).toContain('"outcome":"none"');
    },
  );

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'tell a person at %s, as they tell the agent, which changes have an unknown outcome',
    async (signal, exitCode) => {
      const slow = await misbehavingServer(() => undefined);
      const { started, ended, said } = raw(slow.url, '--allow-writes');
      started.stdin.write(opening + messages(retryPost(1)));
      await someRequest(slow);
      started.kill(signal);
      expect(await ended).toBe(exitCode);
      const [, answer] = said.stdout.trimEnd().split('\n').map(parsed);
      const { content, structuredContent } = answer!.result!;
      expect(structuredContent).toMatchObject({
        error: { outcome: 'unknown', sent: true, next: `social posts get ${POST}` },
      });
      expect(said.stderr.split('ends it\n')[1]).toBe(content![0]!.text);
      expect(said.stderr).not.toContain('nothing was sent');
    },
  );

  it('end with 12 after a change with an unknown outcome, though the client ended first', async () => {
    const lossy = await misbehavingServer((socket) => void socket.destroy());
    const { started, ended, said } = raw(lossy.url, '--allow-writes');
    started.stdin.write(opening + messages(retryPost(1)));
    await someRequest(lossy);
    while (!said.stdout.includes('"unknown"')) await new Promise((done) => setTimeout(done, 20));
    started.stdin.end();
    expect(await ended).toBe(12);
    expect(said.stderr).toContain(`social posts get ${POST}`);
    expect(lossy.requests()).toBe(1);
  });

  it('tell of each of several changes with an unknown outcome, and send none that was in line', async () => {
    needsUnix('signals');
    const slow = await misbehavingServer(() => undefined);
    const { started, ended, said } = raw(slow.url, '--allow-writes');
    const all = Array.from({ length: 20 }, (_, i) => retryPost(i + 1, `PostNumber${letters(i)}`));
    started.stdin.write(opening + messages(...all));
    await someRequest(slow, 16);
    started.kill('SIGTERM');
    expect(await ended).toBe(143);
    expect(slow.requests()).toBe(16);
    const answers = said.stdout.trimEnd().split('\n').slice(1);
    const outcomes = answers.map((line) => /"outcome":"(\w+)"/.exec(line)![1]);
    expect(outcomes.filter((each) => each === 'unknown')).toHaveLength(16);
    expect(outcomes.filter((each) => each === 'none')).toHaveLength(4);
    expect(said.stderr).toContain(
      'mcp: stopped; 16 changes were sent and have an unknown outcome\n',
    );
    for (const { params } of all.slice(0, 16))
      expect(said.stderr).toContain(`social posts get ${params.arguments.postId}\n`);
    expect(said.stderr).not.toContain(all[16]!.params.arguments.postId);
  });

  it('take sixteen of three hundred calls at once, and answer them all', async () => {
    const service = await countingServer((id) => ({
      after: 20,
      body: `{"ok":true,"data":{"id":"${id}"}}`,
    }));
    const input = opening + messages(...Array.from({ length: 300 }, (_, i) => getPost(i + 1)));
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    const { exitCode, stdout, stderr } = await social(['mcp', 'serve'], { env, input });
    expect(exitCode).toBe(0);
    // Not Node's warning of many listeners.
    expect(stderr).toMatch(/^mcp: serving [^\n]*\n$/);
    const answers = stdout.trimEnd().split('\n').map(parsed);
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(Array(301).keys()));
    expect(answers.filter(({ result }) => result?.isError === true)).toEqual([]);
    expect(service.total()).toBe(300);
    expect(service.maxInFlight()).toBe(16);
  });

  it('never send a change that its client cancelled while it was in line', async () => {
    const held = new Set<() => void>();
    const service = await countingServer((id, method) => ({
      body: `{"ok":true,"data":{"id":"${id}"}}`,
      ...(method === 'GET' ? { until: new Promise<void>((done) => held.add(done)) } : {}),
    }));
    const { started, ended, said } = raw(service.url, '--allow-writes');
    const reads = Array.from({ length: 16 }, (_, i) => getPost(i + 1));
    started.stdin.write(
      opening + messages(...reads, retryPost(17), retryPost(18, 'PostThatIsWanted')),
    );
    while (service.total() < 16) await soon();
    const cancel = { method: 'notifications/cancelled', params: { requestId: 17 } };
    // What comes after the cancellation is answered after it was taken in.
    started.stdin.write(messages(cancel, { id: 19, method: 'ping' }));
    while (!said.stdout.includes('"id":19')) await soon();
    for (const done of held) done();
    started.stdin.end();
    expect(await ended).toBe(0);
    expect(service.counts.get('POST PostThatIsWanted')).toBe(1);
    expect(service.counts.get(`POST ${POST}`)).toBeUndefined();
    expect(said.stdout).toContain('"id":18');
  });

  it.each([
    ['more than 10 MiB', Buffer.alloc(10 * 1024 * 1024 + 1, 'a')],
    ['text that is not UTF-8', Buffer.from([0xff])],
  ])('end with an error at a message of %s, of which nothing is sent', async (_what, bytes) => {
    const service = await recordingServer();
    const { started, ended, said } = raw(service.url, '--allow-writes');
    const [before, after] = messages(retryPost(1)).split(POST);
    started.stdin.on('error', () => undefined);
    started.stdin.write(opening);
    started.stdin.end(Buffer.concat([Buffer.from(before!), bytes, Buffer.from(after!)]));
    expect(await ended).toBe(13);
    expect(said.stderr).toContain(
      'error: mcp: a message of the client is longer than 10 MiB, or not UTF-8\n',
    );
    expect(service.connections()).toBe(0);
  });

  it('outlive a call that its client does not want any more', async () => {
    let answered = 0;
    const slow = await misbehavingServer((socket, number) => {
      if (number === 1) return;
      answered++;
      const body = `{"ok":true,"data":{"id":"${POST}"}}`;
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    const env = { SOCIAL_BASE_URL: slow.url, SOCIAL_TOKEN: CANARY };
    const { call } = await mcpClient([], { env });
    const giveUp = new AbortController();
    const first = call('posts_get', { postId: POST }, giveUp.signal);
    await someRequest(slow);
    giveUp.abort();
    await expect(first).rejects.toThrow(/abort/i);
    expect((await call('posts_get', { postId: POST })).isError).toBe(false);
    expect(answered).toBe(1);
  });
});

describe('what an agent changes', () => {
  it('is on record as the agent’s', async () => {
    const home = freshHome();
    const { call } = await mcpClientInProcess([...sandbox, '--allow-writes'], { home });
    await call('posts_get', { postId: POST });
    await call('posts_retry', { postId: POST });
    await call('accounts_mastodon_action', {
      accountId: 'AccountMastodonA',
      statusId: '113000000000000001',
      action: 'mute',
    });
    const { stdout } = await socialInProcess(['history', 'list', '--json'], { home });
    expect(JSON.parse(stdout)).toMatchObject([
      { command: 'accounts mastodon mute', by: 'agent', outcome: 'ok', context: 'sandbox' },
      { command: 'posts retry', ids: [POST], by: 'agent', outcome: 'accepted' },
    ]);
  });
});
