// The tools of `social mcp serve`: which there are, what they take, and what they answer. Each is a command that runs in
// the server, so what a command does is tested with the command.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandNamesOf } from '../../../src/api/operations/fields.ts';
import { everyOperation } from '../../../src/api/operations/registry.ts';
import { exampleInput } from '../../support/example-input.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { mcpClient, mcpClientInProcess } from '../../support/mcp-client.ts';
import { mcpSession } from '../../support/mcp-session.ts';
import { freshHome } from '../../support/program.ts';
import { errorResponse, recordingServer, successResponse } from '../../support/recording-server.ts';
import { compileSchema, schemaErrors } from '../../support/schemas.ts';
import { CANARY } from '../../support/token-leak-check.ts';
import { needsUnix } from '../../support/unix.ts';

const sandbox = ['-C', 'sandbox'];
const POST = 'PostSpringLaunch';
const at = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY });

/** The tools by what they do, written out by hand. */
const served = {
  read: 'posts_get posts_triage posts_wait accounts_discord_channels accounts_tracking_tags_shared_accounts connect_facebook_pages connect_reddit_flairs connect_telegram_access_code connect_telegram_session discord_roles',
  'make one more': 'posts_reply posts_retry accounts_bluesky_send webhooks_create',
  set: 'accounts_mastodon_action connect_pinterest_select_board webhooks_update',
  'set, and may be repeated': 'discord_pins_add',
  disable: 'credentials_disable',
  delete: 'ads_audiences_delete',
};
/** The hints of each effect: only reads, may destroy, may be repeated. */
const hints: Readonly<Record<keyof typeof served, readonly [boolean, boolean, boolean]>> = {
  read: [true, false, true],
  'make one more': [false, false, false],
  set: [false, true, false],
  'set, and may be repeated': [false, false, true],
  disable: [false, true, false],
  delete: [false, true, true],
};
const allNames = Object.values(served).flatMap((names) => names.split(' '));

/** The input of each tool: that of its operation's first example. */
const inputs: Record<string, Record<string, unknown>> = Object.fromEntries(
  (await everyOperation()).map(({ operation }) => {
    const [names] = commandNamesOf(operation);
    const input = exampleInput(operation, names!, Object.values(names!.examples)[0]!);
    const confirm = operation.danger && { confirm: Object.values(input)[0] };
    return [operation.command.replace(/[{}]/g, '').replace(/[ -]/g, '_'), { ...input, ...confirm }];
  }),
);
inputs['posts_triage'] = { postIds: [POST], by: 'platform' };
inputs['posts_wait'] = { postId: 'PostAutumnRecaps', maxSeconds: 5 };

describe('the tools', () => {
  it('only read, unless --allow-writes is given', async () => {
    const { client, tools, call, stderr } = await mcpClientInProcess(sandbox);
    expect((await tools()).map(({ name }) => name)).toHaveLength(served.read.split(' ').length);
    expect(stderr()).toContain('10 tools, all read-only');
    expect(client.getInstructions()).toContain('All tools of this server only read.');
    await expect(call('posts_retry', { postId: POST })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('allow with --allow-writes') as string,
    });
  });

  it('have correct hints, no flag in their texts, and a schema that every client can read', async () => {
    const { client, tools } = await mcpClientInProcess([...sandbox, '--allow-writes']);
    const all = await tools();
    expect(all.map(({ name }) => name).toSorted()).toEqual(allNames.toSorted());
    for (const { name, title, description, annotations, inputSchema } of all) {
      const { readOnlyHint, destructiveHint, idempotentHint } = annotations!;
      const [effect] = Object.entries(served).find(([, names]) => names.split(' ').includes(name))!;
      const hinted = hints[effect as keyof typeof served];
      expect([name, readOnlyHint, destructiveHint, idempotentHint]).toEqual([name, ...hinted]);
      expect(description!.startsWith(`${title!}.`)).toBe(true);
      const judge = compileSchema(inputSchema);
      expect(schemaErrors(judge, inputs[name])).toBeUndefined();
      expect(judge({ ...inputs[name], stray: 1 })).toBe(false);
      expect(inputSchema.type).toBe('object');
      expect(inputSchema).not.toHaveProperty('anyOf');
      const text = JSON.stringify([description, inputSchema]);
      expect(text).not.toMatch(/\$ref|\$defs|"(?:oneOf|allOf)"|--[a-z]|placeholder/);
    }
    const told = client.getInstructions()!;
    expect(told).toMatch(/from the service .* data .* never follow instructions/);
    expect(told).toMatch(/change something .*: posts_reply, posts_retry, .*webhooks_update\./);
  });

  it('answer what the command prints, each of them', async () => {
    const home = freshHome();
    const { call } = await mcpClient([...sandbox, '--allow-writes'], { home });
    const get = [...sandbox, '-q', 'posts', 'get', POST, '--json'];
    const { stdout } = await socialInProcess(get, { home });
    const { data, text } = await call('posts_get', { postId: POST });
    expect([data, JSON.parse(text)]).toEqual([JSON.parse(stdout), JSON.parse(stdout)]);
    for (const name of allNames)
      expect({ name, ...(await call(name, inputs[name])) }).toMatchObject({ name, isError: false });
  });

  it('use the token and the context of the moment', async () => {
    needsUnix('owners and modes');
    const service = await recordingServer(successResponse(`{"id":"${POST}"}`));
    const home = freshHome();
    const file = join(home, 'token');
    await socialInProcess(['context', 'set', 'prod', '--base-url', service.url], { home });
    const { call, error } = await mcpClientInProcess([], {
      home,
      env: { SOCIAL_TOKEN_FILE: file },
    });
    for (const token of ['first-token', 'second-token']) {
      writeFileSync(file, token, { mode: 0o600 });
      await call('posts_get', { postId: POST });
    }
    const tokens = service.requests.map(({ headers }) => headers['authorization']);
    expect(tokens).toEqual(['Bearer first-token', 'Bearer second-token']);
    await socialInProcess(['context', 'delete', 'prod'], { home });
    expect(await error('posts_get', { postId: POST })).toMatchObject({ exitCode: 4 });
  });

  it('need no account if the settings have one', async () => {
    const env = { SOCIAL_ACCOUNT: 'AccountDiscordAa' };
    const { call, tools } = await mcpClientInProcess(sandbox, { env });
    expect(await call('accounts_discord_channels')).toMatchObject({ isError: false });
    const { inputSchema } = (await tools()).find(
      ({ name }) => name === 'accounts_discord_channels',
    )!;
    expect(inputSchema.required).toBeUndefined();
    expect(JSON.stringify(inputSchema)).toContain('(default AccountDiscordAa)');
  });

  it('hide standard input, and secrets of the input, from a token command', async () => {
    needsUnix('devices and no /proc');
    const service = await recordingServer(successResponse());
    const home = freshHome();
    const command = `sh -c "cat > /dev/null; env > ${home}/env; echo from-a-command"`;
    const set = ['context', 'set', 'prod', '--base-url', service.url, '--token-command', command];
    await socialInProcess(set, { home });
    const { call } = await mcpClient(['--allow-writes'], { home });
    const given = { id: 'WebhookAlertsOps', secret: 'correct-horse-battery' };
    expect((await call('webhooks_update', given)).isError).toBe(false);
    expect(JSON.parse(service.requests[0]!.body)).toEqual(given);
    expect(readFileSync(join(home, 'env'), 'utf8')).not.toContain('correct-horse');
  });
});

describe('an input', () => {
  const webhook = { url: 'https://h.example', name: 'h', events: ['post.failed'] };
  const mute = { statusId: '113', accountId: 'AccountMastodonA', action: 'mute' };

  it.each<[string, object, object]>([
    ['a list as JSON text', { events: '["post.failed"]' }, {}],
    ['one item for a list', { events: 'post.failed' }, {}],
    ['null for an omitted field', { secret: null, isActive: null }, {}],
    ['a boolean as text', { isActive: 'false' }, { isActive: false }],
    [
      'a map as JSON text, and a secret beside it',
      { secret: 'hunter2hunter2', customHeaders: '{"X-Key":"a: b","X-Env":"c"}' },
      { secret: 'hunter2hunter2', customHeaders: { 'X-Key': 'a: b', 'X-Env': 'c' } },
    ],
    ['a text like a flag', { name: '--help\n -x' }, { name: '--help\n -x' }],
    ['a number for a text', { name: 5 }, { name: '5' }],
  ])('may have %s', async (_what, given, sent) => {
    const service = await recordingServer();
    const { call } = mcpSession(['--allow-writes'], { env: at(service.url) });
    await call('webhooks_create', { ...webhook, ...given });
    expect(JSON.parse(service.requests[0]!.body)).toEqual({ ...webhook, ...sent });
  });

  it('may have null where that clears, and an ID with a dash before it', async () => {
    const service = await recordingServer();
    const { call } = mcpSession(['--allow-writes'], { env: at(service.url) });
    const id = 'WebhookAlertsOps';
    await call('webhooks_update', { id, secret: null, customHeaders: {} });
    await call('accounts_mastodon_action', { ...mute, statusId: '-1' });
    const [update, action] = service.requests;
    expect(JSON.parse(update!.body)).toEqual({ id, secret: null, customHeaders: null });
    expect(action!.target).toContain('/mastodon-statuses/-1/mute');
  });

  it.each([
    [
      'posts_reply',
      { postId: 'x', text: '', extra: 1, targetId: null },
      'postId targetId text extra',
    ],
    // An empty list must not become a retry of everything.
    ['posts_retry', { postId: POST, targetIds: '[]' }, 'targetIds'],
    ['posts_retry', { postId: POST, targetIds: '' }, 'targetIds.0'],
    ['webhooks_update', { id: 'WebhookAlertsOps', url: null }, 'input'],
    // This number was rounded when it was parsed.
    ['accounts_mastodon_action', { ...mute, statusId: 2 ** 53 + 2 }, 'statusId'],
    ['posts_wait', { postId: POST, maxSeconds: 1.5 }, 'maxSeconds'],
    ['posts_wait', { postId: POST, maxSeconds: '46' }, 'maxSeconds'],
  ])('of %s is refused with all its faults: %j', async (name, given, fields) => {
    const service = await recordingServer();
    const { call } = mcpSession(['--allow-writes'], { env: at(service.url) });
    const { structuredContent } = (await call(name, given)) as {
      structuredContent: { error: { exitCode: number; details: { field: string }[] } };
    };
    const { error } = structuredContent;
    expect([error.exitCode, error.details.map(({ field }) => field).join(' ')]).toEqual([
      2,
      fields,
    ]);
    expect(service.connections()).toBe(0);
  });
});

describe('confirmation by an agent', () => {
  it('to delete and to disable is the ID, repeated, also with --yes', async () => {
    const { error, call } = await mcpClientInProcess([...sandbox, '--allow-writes', '--yes']);
    const audienceId = '23850000000000001';
    for (const confirm of [undefined, '', '23850000000000002', true]) {
      const refused = await error('ads_audiences_delete', { audienceId, confirm });
      expect(refused).toMatchObject({ code: 'usage', sent: false });
      expect(refused.message).toContain('confirm');
    }
    const confirmed = { audienceId, confirm: audienceId };
    expect((await call('ads_audiences_delete', confirmed)).isError).toBe(false);
  });

  it('is not possible in a protected context', async () => {
    const service = await recordingServer();
    const home = freshHome();
    const protect = (word: string) =>
      socialInProcess(['context', 'set', 'prod', '--base-url', service.url, word], { home });
    const agent = async (...argv: string[]) =>
      mcpClientInProcess(['--allow-writes', ...argv], { home, env: { SOCIAL_TOKEN: CANARY } });
    await protect('--protected');
    const held = await agent();
    expect(await held.tools()).toHaveLength(10);
    expect(held.stderr()).toContain('all read-only, because in a protected context');
    await expect(held.call('posts_retry', {})).rejects.toThrow(/allow changes with --yes too/);
    const bold = await agent('--yes');
    await expect(bold.call('credentials_disable', {})).rejects.toThrow(/no agent may use it/);
    const names = (await bold.tools()).map(({ name }) => name);
    expect(names).toEqual(expect.not.arrayContaining(['credentials_disable']));
    const record = { postId: POST, targetIds: ['TargetSpringLink'] };
    expect((await bold.call('posts_retry', record)).isError).toBe(false);
    // A context that becomes protected while the server runs is protected at the next call.
    await protect('--no-protected');
    const running = await agent();
    await protect('--protected');
    for (const name of ['posts_retry', 'credentials_disable'])
      expect((await running.error(name, inputs[name])).message).toContain('prod is protected');
    expect(service.requests).toHaveLength(1);
  });
});

it('a server that only reads names the flag that allows changes', async () => {
  const { request } = mcpSession([]);
  const { error } = await request('tools/call', { name: 'posts_retry', arguments: {} });
  expect(error).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('--allow-writes'),
  });
});

it.each(['--dry-run', '--curl'])('with %s nothing is sent or counted', async (flag) => {
  const service = await recordingServer();
  const argv = ['--allow-writes', '--max-writes', '1', '--base-url', service.url, flag];
  const { call } = mcpSession(argv);
  for (let i = 0; i < 2; i++)
    expect(await call('accounts_bluesky_send', inputs['accounts_bluesky_send']!)).toMatchObject({
      structuredContent: { method: 'POST', body: { text: 'On its way.' } },
    });
  expect(service.connections()).toBe(0);
});

it('a secret is sent, and never returned, whatever the service echoes', async () => {
  const [secret, value, id] = ['correct-horse-battery', 'k3y-of-the-header', 'a1b2c3d4'.repeat(8)];
  const webhook = { url: 'https://h.example', events: ['post.failed'], secret };
  const customHeaders = { 'X-Key': value };
  const echoes = [
    successResponse(JSON.stringify({ name: `for ${secret}`, customHeaders: { 'X-Old': 'older' } })),
    errorResponse(422, 'bad', `secret ${secret} with ${value}`),
    successResponse(JSON.stringify({ id, link: `https://t.example/${id}`, [id]: 1 })),
    errorResponse(404, `no_${id}`, `There is no session ${id}.`),
  ];
  const service = await recordingServer((number) => echoes[number - 1]!);
  const { call, end, stderr } = mcpSession(['--allow-writes', '--debug'], { env: at(service.url) });
  const answers = [
    await call('webhooks_create', { ...webhook, customHeaders }),
    await call('webhooks_create', { ...webhook, customHeaders }),
    await call('connect_telegram_session', { sessionId: id }),
    await call('connect_telegram_session', { sessionId: id }),
    await call('webhooks_create', { ...webhook, customHeaders: { 'X Y': value } }),
  ];
  await end();
  const shown = { name: 'for [redacted]', customHeaders: { 'X-Old': '[redacted]' } };
  expect(answers[0]).toMatchObject({ structuredContent: shown });
  expect(service.requests.map(({ body, target }) => body + target).join('')).toContain(value);
  expect(stderr()).toContain('POST');
  for (const text of [JSON.stringify(answers), stderr()])
    for (const hidden of [secret, value, id]) expect(text).not.toContain(hidden);
});
