// Secrets where none belongs: typed as a word, or written into the settings by hand; and names that every object has.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, homeWith, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';

const SECRET = 'S3cret-token-of-m1ne';

describe('a token typed as a word', () => {
  it.each([
    `auth login ${SECRET}`,
    'auth login hunter',
    `auth token ${SECRET}`,
    `auth logn ${SECRET}`,
    `auth ${SECRET}`,
    SECRET,
    `config set tokn=${SECRET}`,
    `config set tokn=hunter 1`,
    `config set ${SECRET}`,
    `context set prod token=${SECRET}`,
    `context set prod ${SECRET}`,
    `context use ${SECRET}`,
    `webhooks create secret=${SECRET}`,
    `api GET /v1/x ${SECRET}`,
    `help ${SECRET}`,
    `completion ${SECRET}`,
  ])('is not shown in the error: %s', async (line) => {
    for (const flags of [[], ['--json']]) {
      const { exitCode, stdout, stderr } = await socialInProcess([...line.split(' '), ...flags]);
      expect(exitCode).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).not.toMatch(/S3cret|m1ne|hunter/);
      // A word that was looked for among others is only not shown.
      const isSought = /^(?:auth logn|context use|help|completion)/.test(line);
      expect(stderr.includes('your shell history has it')).toBe(!isSought);
    }
  });

  it('is distinguished from a plain word, which is shown', async () => {
    const { stderr } = await socialInProcess(['config', 'set', 'timeot', '5s']);
    expect(stderr).toContain('setting "timeot" is unknown');
    expect((await socialInProcess(['context', 'list', 'all'])).stderr).toContain(
      'social context list accepts no arguments, got 1: unexpected "all"',
    );
  });

  it('in a header is not in the suggested line', async () => {
    const prod = { baseUrl: 'http://127.0.0.1:9', protected: true };
    const { home } = homeWith({ context: 'prod', contexts: { prod } });
    const line = ['webhooks', 'update', 'WebhookAlertsOps', '--header', `X-Team: ${SECRET}`];
    const env = { SOCIAL_TOKEN: 'a-token' };
    const { exitCode, stderr } = await socialInProcess(line, { home, env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('try: social -C prod webhooks update WebhookAlertsOps --header');
    expect(stderr).not.toContain(SECRET);
  });
});

describe('a secret header of a webhook', () => {
  const create = 'webhooks create --url https://ops.example --event post.failed'.split(' ');
  const headers = { Authorization: `Bearer ${SECRET}`, 'X-Team': 'growth' };

  it('is rejected on the command line, and its value is not shown', async () => {
    const { url, requests } = await recordingServer(() => successResponse());
    const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token' };
    const line = [...create, '--header', `Authorization: Bearer ${SECRET}`];
    const { exitCode, stdout, stderr } = await socialInProcess(line, { env });
    expect({ exitCode, stdout, requests: requests.length }).toEqual({
      exitCode: 2,
      stdout: '',
      requests: 0,
    });
    expect(stderr).toContain('--header must not have the value of "Authorization"');
    expect(stderr).toContain('into a file for --header-file');
    expect(stderr).toContain('your shell history has it now');
    expect(stderr).not.toContain(SECRET);
  });

  it.each(['-', 'headers.txt'])('is read from %s, together with plain ones', async (file) => {
    const { url, requests } = await recordingServer(() => successResponse());
    const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token' };
    const home = freshHome();
    const text = `Authorization: Bearer ${SECRET}\r\n`;
    fs.writeFileSync(join(home, 'headers.txt'), text);
    const from = file === '-' ? '-' : join(home, file);
    const line = [...create, '--header', 'X-Team: growth', '--header-file', from];
    const run = file === '-' ? social : socialInProcess;
    const { exitCode, stderr } = await run(line, { home, env, input: text });
    expect({ exitCode, isShown: stderr.includes(SECRET) }).toEqual({ exitCode: 0, isShown: false });
    expect(JSON.parse(requests[0]!.body)).toMatchObject({ customHeaders: headers });
  });
});

describe('a password in a base URL', () => {
  it.each([
    `https://ops:${SECRET}@api.example.com`,
    `https://${SECRET}@api.example.com/v1`,
    `https://ops:${SECRET}/more@api.example.com`,
    `ops:${SECRET}@api.example.com`,
    `https://api.example.com/?token=${SECRET}`,
  ])('is never printed: %s', async (baseUrl) => {
    const { home, path } = homeWith({
      context: 'good',
      contexts: { good: { baseUrl: 'https://a.example' }, prod: { baseUrl } },
    });
    const env = { SOCIAL_TOKEN: 'another-t0ken' };
    const outcomes = await Promise.all(
      [
        ['-C', 'prod', 'posts', 'get', 'PostSpringLaunch', '--debug'],
        ['context', 'show', 'prod', '--json'],
        ['auth', 'status', '--json'],
        ['doctor'],
      ].map((argv) => socialInProcess(argv, { home, env })),
    );
    for (const { exitCode, stdout, stderr } of outcomes) {
      expect(exitCode).toBe(13);
      expect(stdout + stderr).toContain(
        `${path} is damaged: contexts.prod.baseUrl must be https://host[:port][/path]`,
      );
      expect(stdout + stderr).not.toContain(SECRET);
    }
  });

  it('or of a call is not in the line suggested for a typing mistake', async () => {
    const line = [
      'posts',
      '--base-url',
      `https://ops:${SECRET}@a.example`,
      'gett',
      'PostSpringLaunch',
    ];
    const { exitCode, stderr } = await socialInProcess(line);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('did you mean social posts get?');
    expect(stderr).not.toContain(SECRET);
  });
});

describe.each(['constructor', '__proto__'])('a name of an object prototype: %s', (name) => {
  it('is not a context and cannot name one', async () => {
    const { home, path } = homeWith({ contexts: { prod: { baseUrl: 'https://a.example' } } });
    const before = fs.readFileSync(path, 'utf8');
    const env = { SOCIAL_TOKEN: 'a-token-of-mine' };
    const lines = [
      ['-C', name, 'posts', 'get', 'PostSpringLaunch'],
      ['-C', name, 'api', 'GET', '/v1/x'],
      ['context', 'use', name],
      ['context', 'show', name],
      ['context', 'delete', name],
      ['context', 'set', name, '--base-url', 'https://b.example'],
      ['auth', 'login', '--context', name, '--base-url', 'https://b.example'],
      ['auth', 'logout', '-C', name],
    ];
    const outcomes = await Promise.all(
      lines.map((argv) => socialInProcess(argv, { home, env, input: 'a-token-of-mine' })),
    );
    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual(lines.map(() => 2));
    for (const i of [0, 2, 3, 4])
      expect(outcomes[i]!.stderr).toMatch(
        RegExp(`unknown context "${name}"|context "${name}" is unknown`),
      );
    expect(outcomes[5]!.stderr).toContain(
      `context name "${name}" is not allowed; choose another\n`,
    );
    expect(fs.readFileSync(path, 'utf8')).toBe(before);
  });

  it.each([
    `help ${name}`,
    `schema ${name}`,
    `completion ${name}`,
    `config set ${name} 1`,
    `posts get PostSpringLaunch --fields ${name}`,
    `webhooks create --url https://h.example --event ${name}`,
    `webhooks create --url https://h.example --all-events --secret-env ${name}`,
  ])('is an unknown word in %s', async (line) => {
    const { exitCode, stderr } = await socialInProcess(line.split(' '));
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2 });
    expect(stderr).not.toContain('[native code]');
  });
});
