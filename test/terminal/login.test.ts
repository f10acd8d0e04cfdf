// `auth login` asks the service once if it accepts the token, before anything is stored; every other command suggests
// a login after a refused token. The advice after a 401 for each
// source of a token is in config/auth/token.test.ts.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import {
  recordingServer,
  errorResponse,
  successResponse,
  toTokens,
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
  it('checks the token with two GETs, one without it, and stores it', async () => {
    const service = await recordingServer(toTokens(errorResponse(404)));
    const home = freshHome();
    const { exitCode, stderr } = await social(login(service.url), { home, input: TOKEN });
    expect(exitCode).toBe(0);
    expect(service.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'GET /v1/posts/NoSuchPostIsHere',
      'GET /v1/posts/NoSuchPostIsHere',
    ]);
    expect(service.requests.map(({ headers }) => headers['authorization'])).toEqual([
      `Bearer ${TOKEN}`,
      undefined,
    ]);
    expect(stored(home)).toContain(TOKEN);
    expect(stderr).toContain(`Logged in to ${service.url}, context "prod".\n`);
    expect(stderr).not.toContain('not checked');
  });

  it('in a pipe stores no rejected token: 4, and suggests --no-check', async () => {
    const service = await recordingServer(errorResponse(401, 'bad_token', `No: ${TOKEN}`));
    const home = freshHome();
    const line = login(service.url, '--use', '--protected');
    const { exitCode, stderr } = await socialInProcess(line, { home, input: TOKEN });
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`error: HTTP 401 from ${new URL(service.url).host}: `);
    expect(stderr).toContain('the token was not stored');
    expect(stderr).toContain('--no-check stores it without asking');
    expect(stderr).not.toContain(TOKEN);
    // The context was not created: only the whole line makes it as it was meant.
    const next = `--context prod --base-url ${service.url} --insecure-storage --use --protected`;
    expect(stderr).toContain(`try: social auth login ${next}\n`);
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
      const isService = /HTTP 4\d\d [a-z]|rejected the token/.test(stderr);
      const next = isService
        ? `social auth login --context prod --base-url ${service.url}`
        : `doctor --base-url ${service.url}`;
      expect(stderr).toContain(next);
      expect(stderr.includes('--no-check')).toBe(isService);
      expect(stderr).not.toContain('Logged in');
      expect(existsSync(join(home, '.config/social'))).toBe(false);
      expect(service.requests).toHaveLength(1);
    },
  );

  it.each([
    ['a 404 with a code', errorResponse(404, 'no_route'), 5, 'HTTP 404 no_route'],
    ['a post', successResponse(), 9, 'a post'],
  ])('stores nothing where %s comes without a token too', async (_what, answer, code, form) => {
    const service = await recordingServer(answer);
    const host = new URL(service.url).host;
    const home = freshHome();
    const words = `${host} answers the same without a token (${form}): it does not look at the token there`;
    const outcome = await social(login(service.url), { home, input: TOKEN });
    expect(outcome).toMatchObject({ exitCode: code, stdout: '' });
    expect(outcome.stderr).toContain(`error: ${words}\n`);
    expect(outcome.stderr).not.toContain('Logged in');
    expect(stored(home)).toBe('');
    // The other two judge alike.
    await socialInProcess(login(service.url, '--no-check'), { home, input: TOKEN });
    const status = await socialInProcess(['auth', 'status', '--check', '--json'], { home });
    expect(status.exitCode).toBe(code);
    expect(status.stdout).toContain(words);
    expect(status.stdout).not.toContain('accepted');
    const doctor = await socialInProcess(['doctor'], { home });
    expect(doctor.exitCode).toBe(status.stdout.includes('HTTP 404') ? 5 : 9);
    expect(doctor.stdout).toContain(`service\tfail\t${words}`);
    expect(service.requests.map(({ method }) => method)).toEqual(Array(6).fill('GET'));
  });

  it('says what it could not find out, when only the request without the token fails', async () => {
    for (const [status, code] of [
      [503, 9],
      [429, 7],
    ] as const) {
      const service = await recordingServer((_number, { headers }) =>
        errorResponse(headers['authorization'] === undefined ? status : 404),
      );
      const home = freshHome();
      const { exitCode, stderr } = await socialInProcess(login(service.url), {
        home,
        input: TOKEN,
      });
      expect(exitCode).toBe(code);
      expect(stderr).toContain('it is not proven that the service looks at the token: HTTP');
      expect(stored(home)).toBe('');
    }
  });

  it('names a base URL with the version in it, and what was meant', async () => {
    const [path, end, meant] = ['/api/V1', '/V1', '/api'];
    // Like a router, it responds before it checks the token.
    const service = await recordingServer((_number, { target, headers }) => {
      if (target !== `${meant}/v1/posts/NoSuchPostIsHere`) return errorResponse(404, 'no_route');
      return errorResponse(headers['authorization'] === undefined ? 401 : 404);
    });
    const home = freshHome();
    const hint = `the base URL ends in ${end}: the paths of the API already begin with /v1; did you mean ${service.url}${meant}`;
    const refused = await socialInProcess(login(`${service.url}${path}`), { home, input: TOKEN });
    expect(refused.exitCode).toBe(5);
    expect(refused.stderr).toContain(hint);
    expect(refused.stderr).toContain(
      `try: social auth login --context prod --base-url ${service.url}${meant} --insecure-storage\n`,
    );
    const kept = await socialInProcess(login(`${service.url}${path}`, '--no-check'), {
      home,
      input: TOKEN,
    });
    expect(kept.stderr).toContain(`warning: ${hint}\n`);
    const doctor = await socialInProcess(['doctor'], { home });
    expect(doctor.stdout).toMatch(/^context\twarn\t/m);
    expect(doctor.stdout).toContain(hint);
    const get = ['posts', 'get', 'PostSpringLaunch', '-C', 'prod'];
    expect((await socialInProcess(get, { home })).stderr).toContain(hint);
    const right = login(`${service.url}${meant}`);
    expect((await socialInProcess(right, { home, input: TOKEN })).exitCode).toBe(0);
  });

  it.each([120, 80, 50])('auth status --check shows its result at %i columns', async (cols) => {
    const service = await recordingServer(toTokens(errorResponse(404)));
    const home = freshHome();
    const name = 'production-of-the-whole-company';
    const words = ['auth', 'login', '-C', name, '--base-url', service.url, '--insecure-storage'];
    await socialInProcess(words, { home, input: TOKEN });
    const terminal = atTerminal(['auth', 'status', '--check'], { home, cols });
    const { exitCode, said } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(said.replace(/\s+/g, ' ')).toContain('accepted: the service answered');
  });

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
    ['a 404 of the API', errorResponse(404), 0, 'accepted: the service answered'] as const,
    ['a 404 without a code', { status: 404, body: '{"error":"gone"}' }, 5, 'HTTP 404'] as const,
    ['an HTML 404', { ...page, status: 404 }, 5, 'HTTP 404'] as const,
    ['a 400', errorResponse(400), 6, 'HTTP 400'] as const,
    ['a 429', errorResponse(429), 7, 'HTTP 429'] as const,
    ['a 503', errorResponse(503), 9, 'HTTP 503'] as const,
    ['an error with status 200', errorResponse(200), 6, ': No.'] as const,
    ['other JSON', { body: '{"hello":"world"}' }, 9, 'probably another service'] as const,
  ])('auth status --check agrees: %s', async (_what, answer, code, words) => {
    const service = await recordingServer(toTokens(answer));
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
    expect(service.requests.map(({ method }) => method)).toEqual(
      code === 0 ? ['GET', 'GET'] : ['GET'],
    );
  });

  it('auth status --check says nothing about a token when it is interrupted', async () => {
    const stop = new AbortController();
    const service = await recordingServer(() => {
      stop.abort(new Failure('interrupted', { what: 'cancelled' }));
      return errorResponse(401);
    });
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: TOKEN };
    const argv = ['auth', 'status', '--check'];
    const { exitCode, stdout } = await socialInProcess(argv, { env, signal: stop.signal });
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
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
