// `auth login` asks the service once if it accepts the token, before anything is stored; every other command suggests
// a login after a refused token. The verdict for each response is in config/auth/token.test.ts, the advice after a 401
// for each source of a token too.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import {
  recordingServer,
  errorResponse,
  successResponse,
  type StubResponse,
} from '../support/recording-server.ts';
import { closedPort, misbehavingServer } from '../support/misbehaving-server.ts';
import { atTerminal } from '../support/terminal.ts';

const TOKEN = 'canary-token-of-the-login';
const stored = (home: string) => {
  const path = join(home, '.config/social/credentials.json');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};
const login = (url: string, ...more: string[]) =>
  ['auth', 'login', '-C', 'prod', '--base-url', url, '--insecure-storage'].concat(more);

describe('auth login', () => {
  it('checks the token with one GET, and stores it', async () => {
    const service = await recordingServer(errorResponse(404));
    const home = freshHome();
    const { exitCode, stderr } = await social(login(service.url), { home, input: TOKEN });
    expect(exitCode).toBe(0);
    expect(service.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /v1/posts/NoSuchPostIsHere',
    ]);
    expect(service.requests[0]!.headers['authorization']).toBe(`Bearer ${TOKEN}`);
    expect(stored(home)).toContain(TOKEN);
    expect(stderr).toContain(`Logged in to ${service.url}, context "prod".\n`);
    expect(stderr).not.toContain('not checked');
  });

  it('in a pipe stores no rejected token: 4, and suggests --no-check', async () => {
    const service = await recordingServer(errorResponse(401, 'bad_token', `No: ${TOKEN}`));
    const home = freshHome();
    const { exitCode, stderr } = await socialInProcess(login(service.url), { home, input: TOKEN });
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`error: HTTP 401 from ${new URL(service.url).host}: `);
    expect(stderr).toContain('the token was not stored');
    expect(stderr).toContain('--no-check stores it without asking');
    expect(stderr).not.toContain(TOKEN);
    // The context was not created: only a line with the address can succeed.
    expect(stderr).toContain(`try: social -C prod --base-url ${service.url} auth login\n`);
    expect(stored(home)).toBe('');
    expect(existsSync(join(home, '.config/social/config.json'))).toBe(false);
  });

  it.each([
    ['', 3, ''],
    ['y', 0, TOKEN],
  ])(
    'at a terminal reports the rejection and asks: answered %j ends with %i',
    async (key, code, kept) => {
      const service = await recordingServer(errorResponse(401));
      const home = freshHome();
      const terminal = atTerminal(login(service.url), { home, cols: 120 });
      await terminal.waitFor('? Token for');
      terminal.type(TOKEN);
      terminal.press('enter');
      const screen = await terminal.waitFor('Store it anyway? (y/N)');
      expect(screen).toContain('the service rejected the token');
      terminal.type(key);
      terminal.press('enter');
      const { exitCode, said } = await terminal.ended();
      expect(exitCode).toBe(code);
      expect(said).not.toContain(TOKEN);
      expect(said).not.toContain('Logged in');
      expect(said.includes('token stored, not checked')).toBe(kept !== '');
      expect(stored(home).includes(TOKEN)).toBe(kept !== '');
      // A refused login leaves no half of a context.
      expect(existsSync(join(home, '.config/social/config.json'))).toBe(kept !== '');
    },
  );

  const page = { headers: { 'content-type': 'text/html' }, body: '<title>Sign in</title>' };
  const refusals: readonly (readonly [string, StubResponse, number, string])[] = [
    ['an HTML page', page, 9, 'a page of a gateway, not of the service: "Sign in"'],
    ['a 403', errorResponse(403), 4, ': No.'],
  ];

  it.each(refusals)(
    'without a terminal stores nothing after %s, and reports the response',
    async (_what, answer, code, words) => {
      const service = await recordingServer(answer);
      const home = freshHome();
      const { exitCode, stderr } = await socialInProcess(login(service.url), {
        home,
        input: TOKEN,
      });
      expect(exitCode).toBe(code);
      expect(stderr).toContain(words);
      expect(stderr).toContain('the token was not stored');
      expect(stderr).toContain(`${service.url} auth login`);
      expect(stderr).not.toContain('Logged in');
      expect(existsSync(join(home, '.config/social'))).toBe(false);
      expect(service.requests).toHaveLength(1);
    },
  );

  it('stores nothing without a listener, or at a silent service', async () => {
    const stalled = await misbehavingServer(() => undefined);
    for (const url of [`http://127.0.0.1:${await closedPort()}`, stalled.url]) {
      const home = freshHome();
      const { exitCode, stderr } = await socialInProcess(login(url, '--timeout', '300ms'), {
        home,
        input: TOKEN,
      });
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 9 });
      expect(stderr).not.toContain('Logged in');
      expect(stderr).toContain('--no-check\n');
      expect(existsSync(join(home, '.config/social'))).toBe(false);
    }
  });

  it.each([
    ...refusals,
    ['a 401', errorResponse(401), 4, 'the service rejected the token'] as const,
    ['a 200', successResponse(), 0, 'probably accepted'] as const,
  ])('auth status --check agrees: %s', async (_what, answer, code, words) => {
    const service = await recordingServer(answer);
    const home = freshHome();
    await socialInProcess(login(service.url, '--no-check'), { home, input: TOKEN });
    const { exitCode, stdout, stderr } = await socialInProcess(['auth', 'status', '--check'], {
      home,
    });
    expect(exitCode).toBe(code);
    expect(stdout + stderr).toContain(words);
    expect(stdout.includes('accepted')).toBe(code === 0);
    expect(stderr.includes('try: social auth login -C prod\n')).toBe(
      words.endsWith('rejected the token'),
    );
    expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('auth status --check shows its result in the sandbox too', async () => {
    const line = ['auth', 'status', '--check', '-C', 'sandbox', '--json'];
    const { stdout } = await socialInProcess(line, { home: freshHome() });
    expect(JSON.parse(stdout)).toMatchObject([
      { context: 'sandbox', check: expect.stringContaining('accepted') },
    ]);
  });
});

const errorOf = (stderr: string) =>
  (JSON.parse(stderr.trim().split('\n').at(-1)!) as { error: { next: string; hint: string } })
    .error;

describe('after a 401', () => {
  it.each([
    ['a read', ['posts', 'get', 'PostSpringLaunch']],
    ['a read before a change', ['posts', 'retry', 'PostSpringLaunch', '--failed']],
    ['any request', ['api', 'GET', '/v1/queue']],
    ['several', ['posts', 'get', 'PostSpringLaunch', 'PostAutumnRecaps']],
  ])('%s: a login is suggested, in text and JSON', async (_what, argv) => {
    const service = await recordingServer(errorResponse(401));
    const home = freshHome();
    await socialInProcess(login(service.url, '--no-check'), { home, input: TOKEN });
    const { exitCode, stderr } = await socialInProcess(argv, { home });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('try: social auth login -C prod\n');
    const json = await socialInProcess([...argv, '--json'], { home });
    expect(errorOf(json.stderr)).toMatchObject({ next: 'social auth login -C prod' });
  });
});
