// The server of `social mcp serve`: its streams, its end, parallel calls, the limit of changes, and calls whose answer
// does not reach the client.

import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../../support/in-process.ts';
import { initializeParams, mcpSession, type RpcMessage } from '../../support/mcp-session.ts';
import { closedPort, misbehavingServer } from '../../support/misbehaving-server.ts';
import { targetPost, targets } from '../../support/posts.ts';
import { freshHome, social } from '../../support/program.ts';
import { recordingServer, successResponse } from '../../support/recording-server.ts';
import { startProcess, waitUntil } from '../../support/signalled-process.ts';
import { CANARY } from '../../support/token-leak-check.ts';
import { needsUnix } from '../../support/unix.ts';

const POST = 'PostSpringLaunch';
const targetId = 'TargetSpringLink';
const reply = { postId: POST, targetId, text: 'Thank you!' };
const at = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY });

const respond = (socket: Socket, data: object, status = '200 OK') => {
  const body = JSON.stringify(status === '200 OK' ? { ok: true, data } : { error: data });
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
};
const cancelled = (requestId: number) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
const errorOf = ({ result }: RpcMessage) =>
  (result!['structuredContent'] as { error?: Record<string, unknown> }).error;

describe('a change whose answer did not reach the agent', () => {
  it('is not sent again by the same call, before its end and after it', async () => {
    const held: Socket[] = [];
    const service = await misbehavingServer((socket) => void held.push(socket));
    const home = freshHome();
    const env = at(service.url);
    const { request, write } = mcpSession(['--allow-writes'], { home, env });
    const send = (given: object) =>
      request('tools/call', { name: 'posts_reply', arguments: given });
    const again = async () => {
      for (const given of [reply, { text: reply.text, targetId, postId: POST, rootUri: null }])
        expect(errorOf(await send(given))).toMatchObject({
          outcome: 'unknown',
          exitCode: 12,
          hint: 'Check the comments on the platform: the API cannot list them.',
        });
    };
    void send(reply);
    await waitUntil(() => held.length > 0);
    // A client may give up without a word.
    await again();
    write(cancelled(1));
    await again();
    respond(held[0]!, { commentUri: 'u' });
    const history = () => socialInProcess(['history', 'list', '--json'], { home });
    while (!(await history()).stdout.includes('"outcome":"ok"'))
      await new Promise((done) => setTimeout(done, 20));
    await again();
    // Another change is sent.
    const other = send({ ...reply, text: 'Another.' });
    await waitUntil(() => held.length > 1);
    respond(held[1]!, { commentUri: 'v' });
    expect((await other).result).not.toHaveProperty('isError');
    expect(service.requests()).toBe(2);
  });

  it('with an unknown outcome is not sent again either', async () => {
    const service = await misbehavingServer((socket) => void socket.destroy());
    const { request } = mcpSession(['--allow-writes'], { env: at(service.url) });
    for (let time = 0; time < 2; time++) {
      const answer = await request('tools/call', { name: 'posts_reply', arguments: reply });
      expect(errorOf(answer)).toMatchObject({ outcome: 'unknown' });
    }
    expect(service.requests()).toBe(1);
  });

  it('is sent by the same call if it was refused, or not yet sent', async () => {
    const service = await recordingServer((number) =>
      number === 1
        ? { status: 429, headers: { 'retry-after': '60' }, body: '{"error":{"code":"slow"}}' }
        : successResponse('{"commentUri":"u"}'),
    );
    const env = at(service.url);
    const { request, write, call, messages } = mcpSession(['--allow-writes'], { env });
    const first = { name: 'posts_reply', arguments: reply, _meta: { progressToken: 1 } };
    void request('tools/call', first);
    await waitUntil(() => JSON.stringify(messages).includes('rate limited by the service'));
    write(cancelled(1));
    // A call after the cancellation is answered after that was processed.
    await call('posts_get', { postId: POST });
    expect(await call('posts_reply', reply)).not.toHaveProperty('isError');
    expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
  });
});

it('a client that cancels a wait stops it', async () => {
  const moving = targetPost([targets.mastodon('publishing')]);
  const service = await recordingServer(successResponse(JSON.stringify(moving)));
  const { request, write, call, messages } = mcpSession([], {
    env: at(service.url),
    longestSleepMs: 100,
  });
  void request('tools/call', { name: 'posts_wait', arguments: { postId: moving.id } });
  await waitUntil(() => service.requests.length > 1);
  write(cancelled(1));
  // A request after the cancellation is answered after the cancellation was processed.
  await call('posts_get', { postId: moving.id });
  const before = service.requests.length;
  await new Promise((done) => setTimeout(done, 300));
  expect(service.requests.length).toBe(before);
  expect(messages.filter(({ id }) => id === 1)).toEqual([]);
});

describe('the limit of changes', () => {
  it('counts sent changes with any outcome, and holds for parallel calls', async () => {
    const service = await misbehavingServer((socket, number) => {
      if (number === 1) socket.destroy();
      else if (number === 2) respond(socket, { code: 'refused_there' }, '422 No');
      else respond(socket, {});
    });
    const argv = ['--allow-writes', '--max-writes', '3'];
    const { request } = mcpSession(argv, { env: at(service.url) });
    const codeOf = async (text: string) => {
      const given = { name: 'posts_reply', arguments: { ...reply, text } };
      return errorOf(await request('tools/call', given))?.['code'] ?? 'done';
    };
    expect(await codeOf('')).toBe('usage');
    expect(await codeOf('lost')).toBe('outcome_unknown');
    const codes = await Promise.all(['b', 'c', 'd', 'e', 'f'].map(codeOf));
    expect(new Set(codes)).toEqual(new Set(['done', 'refused_there', 'write_limit']));
    expect(codes.filter((code) => code === 'write_limit')).toHaveLength(3);
    expect(service.requests('POST')).toBe(3);
  });

  it('does not count a change of which nothing was sent', async () => {
    const env = at(`http://127.0.0.1:${await closedPort()}`);
    const { call } = mcpSession(['--allow-writes', '--max-writes', '1', '--retries', '0'], { env });
    for (let i = 0; i < 2; i++)
      expect(await call('posts_reply', reply)).toMatchObject({
        structuredContent: { error: { kind: 'no_answer', sent: false } },
      });
  });
});

const message = (fields: object) => JSON.stringify({ jsonrpc: '2.0', ...fields });
const opening = [
  message({ id: 0, method: 'initialize', params: initializeParams('2025-06-18') }),
  message({ method: 'notifications/initialized' }),
];
const toolCall = (id: number, name: string, given: object) =>
  message({ id, method: 'tools/call', params: { name, arguments: given } });
const lines = (...all: readonly string[]) => all.map((line) => `${line}\n`).join('');

describe('the streams', () => {
  it('carry only the protocol, each answer to its call, of which 16 run at once', async () => {
    const held: (() => void)[] = [];
    let most = 0;
    const service = await misbehavingServer((socket, _number, path) => {
      held.push(() => respond(socket, { id: path.split('/')[3] }));
      most = Math.max(most, held.length);
      // Another call would arrive in the meantime.
      if (held.length === 16) setTimeout(() => held.splice(0).forEach((answer) => answer()), 100);
    });
    const idOf = (i: number) =>
      `Post${i}`.replace(/\d/g, (digit) => 'abcdefghij'[+digit]!).padEnd(16, 'x');
    const calls = Array.from({ length: 64 }, (_, i) =>
      toolCall(i + 1, 'posts_get', { postId: idOf(i + 1) }),
    );
    const input = lines(...opening, 'this is no message', '[]', '{"id":7}', ...calls);
    const { exitCode, stdout, stderr } = await social(['mcp', 'serve'], {
      env: at(service.url),
      input,
    });
    expect(exitCode).toBe(0);
    // Node's warning of many listeners does not appear, and what the SDK says of two lines is cut.
    expect(stderr).toMatch(/^mcp: serving [^\n]*\n(?:mcp: [^\n]{1,200}\n){2}$/);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RpcMessage);
    expect(answers.filter(({ id }) => id === null)).toMatchObject([
      { error: { code: -32_700 } },
      { error: { code: -32_600 } },
      { error: { code: -32_600 } },
    ]);
    expect(answers).toHaveLength(68);
    for (const { id, result } of answers.filter((answer) => answer.id))
      expect(result!['structuredContent']).toEqual({ id: idOf(Number(id)) });
    expect(most).toBe(16);
  });

  it.each([
    ['SIGINT', 'posts_get', { postId: POST }, 'none'],
    ['SIGTERM', 'posts_retry', { postId: POST, targetIds: [targetId] }, 'unknown'],
  ] as const)('end by %s also during %s, with its answer', async (signal, tool, given, outcome) => {
    needsUnix('signals');
    const slow = await misbehavingServer(() => undefined);
    const { child, ended } = startProcess(['mcp', 'serve', '--allow-writes'], {
      env: at(slow.url),
    });
    child.stdin!.write(lines(...opening, toolCall(1, tool, given)));
    await waitUntil(() => slow.requests() > 0);
    child.kill(signal);
    const { by, stdout, stderr } = await ended;
    expect(by).toBe(signal);
    expect(stdout).toContain(`"outcome":"${outcome}"`);
    expect(stderr.includes(`try: social posts get ${POST}`)).toBe(outcome === 'unknown');
    expect(stderr).not.toContain('nothing was sent');
  });

  it('end with 12 after a change with an unknown outcome, recorded as an agent’s', async () => {
    const lossy = await misbehavingServer((socket) => void socket.destroy());
    const home = freshHome();
    const { write, end, stderr } = mcpSession(['--allow-writes'], { home, env: at(lossy.url) });
    opening.forEach(write);
    write(toolCall(1, 'posts_reply', reply));
    expect(await end()).toBe(12);
    expect(stderr()).toContain('Check the comments on the platform');
    const { stdout } = await socialInProcess(['history', 'list', '--json'], { home });
    const entry = { command: 'posts reply', by: 'agent', outcome: 'unknown' };
    expect(JSON.parse(stdout)).toMatchObject([entry]);
  });

  it('end with an error at a message of more than 10 MiB, and send nothing of it', async () => {
    const service = await recordingServer();
    const { write, end, stderr } = mcpSession(['--allow-writes'], { env: at(service.url) });
    opening.forEach(write);
    write(toolCall(1, 'posts_reply', { ...reply, text: 'a'.repeat(10 * 1024 * 1024 + 1) }));
    expect(await end()).toBe(13);
    expect(stderr()).toContain('mcp: the client sent more than 10 MiB');
    expect(service.connections()).toBe(0);
  });
});
