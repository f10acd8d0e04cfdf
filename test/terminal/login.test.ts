// `auth login` asks the service once whether it takes the token, before anything is stored; and what a refused token
// leads to in every other command.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idList } from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import { recordingServer, errorResponse, successResponse } from '../support/recording-server.ts';
import { closedPort } from '../support/misbehaving-server.ts';
import { atTerminal } from '../support/terminal.ts';

const TOKEN = 'canary-token-of-the-login';
const stored = (home: string) => {
  const path = join(home, '.config/social/credentials.json');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};
const login = (url: string, ...more: string[]) =>
  ['auth', 'login', '-C', 'prod', '--base-url', url, '--insecure-storage'].concat(more);

describe('auth login', () => {
  it('asks with one GET that carries the token, and stores what is taken', async () => {
    const service = await recordingServer(errorResponse(404));
    const home = freshHome();
    const { exitCode, stderr } = await social(login(service.url), { home, input: TOKEN });
    expect(exitCode).toBe(0);
    expect(service.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /v1/posts/NoSuchPostIsHere',
    ]);
    expect(service.requests[0]!.headers['authorization']).toBe(`Bearer ${TOKEN}`);
    expect(stored(home)).toContain(TOKEN);
    expect(stderr).not.toContain('not checked');
  });

  it('in a pipe stores nothing that is refused: 4, and names --no-check', async () => {
    const service = await recordingServer(errorResponse(401, 'bad_token', `No: ${TOKEN}`));
    const home = freshHome();
    const { exitCode, stderr } = await social(login(service.url), { home, input: TOKEN });
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`error: HTTP 401 from ${new URL(service.url).host}: `);
    expect(stderr).toContain('it was not stored');
    expect(stderr).toContain('--no-check stores it unchecked');
    expect(stderr).not.toContain(TOKEN);
    // The context was not created: only a line with the address can succeed.
    expect(stderr).toContain(`try: social -C prod --base-url ${service.url} auth login\n`);
    expect(stored(home)).toBe('');
    expect(existsSync(join(home, '.config/social/config.json'))).toBe(false);
  });

  it('with --no-check asks nobody', async () => {
    const service = await recordingServer(errorResponse(401));
    const home = freshHome();
    const { exitCode } = await socialInProcess(login(service.url, '--no-check'), {
      home,
      input: TOKEN,
    });
    expect({ exitCode, connections: service.connections() }).toEqual({
      exitCode: 0,
      connections: 0,
    });
    expect(stored(home)).toContain(TOKEN);
  });

  it.each([
    ['n', 3, ''],
    ['', 3, ''],
    ['y', 0, TOKEN],
  ])('at a terminal says so and asks: answered %j ends with %i', async (key, code, kept) => {
    const service = await recordingServer(errorResponse(401));
    const home = freshHome();
    const terminal = atTerminal(login(service.url), { home, cols: 120 });
    await terminal.waitFor('? Token for');
    terminal.type(TOKEN);
    terminal.press('enter');
    const screen = await terminal.waitFor('Store it anyway? (y/N)');
    expect(screen).toContain('the service rejected this token');
    terminal.type(key);
    terminal.press('enter');
    const { exitCode, said } = await terminal.ended();
    expect(exitCode).toBe(code);
    expect(said).not.toContain(TOKEN);
    expect(stored(home).includes(TOKEN)).toBe(kept !== '');
  });

  it.each([
    ['is in trouble', 503],
    ['limits the token', 403],
    ['answers', 200],
  ])('stores it where the service %s', async (_what, status) => {
    const service = await recordingServer(
      status === 200 ? successResponse() : errorResponse(status),
    );
    const home = freshHome();
    const { exitCode, stderr } = await socialInProcess(login(service.url), { home, input: TOKEN });
    expect(exitCode).toBe(0);
    expect(stored(home)).toContain(TOKEN);
    expect(stderr.includes('warning: the token was not checked')).toBe(status === 503);
    expect(service.requests).toHaveLength(1);
  });

  it('stores it unchecked, with a word, where nobody answers', async () => {
    const home = freshHome();
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { exitCode, stderr } = await socialInProcess(login(url), { home, input: TOKEN });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('warning: the token was not checked: ');
    expect(stored(home)).toContain(TOKEN);
  });
});

const errorOf = (stderr: string) =>
  (JSON.parse(stderr.trim().split('\n').at(-1)!) as { error: { next: string; hint: string } })
    .error;

describe('after a 401', () => {
  it.each([
    ['a read', ['posts', 'get', 'PostSpringLaunch']],
    ['a change', ['posts', 'retry', 'PostSpringLaunch']],
    ['a look before a change', ['posts', 'retry', 'PostSpringLaunch', '--failed']],
    ['any request', ['api', 'GET', '/v1/queue']],
    ['several', ['posts', 'get', 'PostSpringLaunch', 'PostAutumnRecaps']],
  ])('%s leads to a login, in words and in JSON', async (_what, argv) => {
    const service = await recordingServer(errorResponse(401));
    const home = freshHome();
    await socialInProcess(login(service.url, '--no-check'), { home, input: TOKEN });
    const { exitCode, stderr } = await socialInProcess(argv, { home });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('try: social auth login -C prod\n');
    const json = await social([...argv, '--json'], { home });
    expect(errorOf(json.stderr)).toMatchObject({ next: 'social auth login -C prod' });
  });

  it('a batch with a journal leads there first, and then to the line that goes on', async () => {
    const service = await recordingServer(errorResponse(401));
    const home = freshHome();
    await socialInProcess(login(service.url, '--no-check'), { home, input: TOKEN });
    writeFileSync(join(home, 'list'), idList(3));
    const argv = ['posts', 'retry', '--from', join(home, 'list'), '--journal', join(home, 'log')];
    const { exitCode, stderr } = await socialInProcess(argv, { home });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('try: social auth login -C prod\n');
    expect(stderr).toContain(`then resume: social ${argv.join(' ')}`);
  });

  it.each([
    ['SOCIAL_TOKEN', (home: string) => ({ SOCIAL_TOKEN: 'other', HOME: home })],
    [
      'SOCIAL_TOKEN_FILE',
      (home: string) => {
        writeFileSync(join(home, 'token'), 'other', { mode: 0o600 });
        return { SOCIAL_TOKEN_FILE: join(home, 'token') };
      },
    ],
  ])('of a token from %s says that it takes precedence', async (source, envOf) => {
    const service = await recordingServer(errorResponse(401));
    const home = freshHome();
    await socialInProcess(login(service.url, '--no-check'), { home, input: TOKEN });
    const { stderr } = await socialInProcess(['posts', 'get', 'PostSpringLaunch'], {
      home,
      env: envOf(home),
    });
    expect(stderr).toContain('try: social auth login -C prod\n');
    expect(stderr).toContain(
      `${source} takes precedence over a stored token: correct or remove it`,
    );
  });

  it('elsewhere than the context says leads to no login that would move the context', async () => {
    const service = await recordingServer(errorResponse(401));
    const home = freshHome();
    await socialInProcess(login('https://a.example', '--no-check'), { home, input: TOKEN });
    const argv = ['posts', 'get', 'PostSpringLaunch', '--base-url', service.url];
    const { exitCode, stderr } = await socialInProcess(argv, {
      home,
      env: { SOCIAL_TOKEN: 'other' },
    });
    expect(exitCode).toBe(4);
    expect(stderr).not.toContain('auth login');
    expect(stderr).toContain(`set SOCIAL_TOKEN to a token of ${service.url}`);
  });

  it('without a context leads to a login at that address', async () => {
    const service = await recordingServer(errorResponse(401));
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'other' };
    const { stderr } = await socialInProcess(['posts', 'get', 'PostSpringLaunch'], { env });
    expect(stderr).toContain(`try: social auth login --base-url ${service.url}\n`);
  });
});
