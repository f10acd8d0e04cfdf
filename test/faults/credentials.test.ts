// Tokens: the origins that get them, the files they may be read from, and the messages about them.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { CANARY, encodingsOf } from '../support/token-leak-check.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, root, shell, social } from '../support/program.ts';
import { recordingServer, errorResponse, successResponse } from '../support/recording-server.ts';
import { loginTo } from '../support/command-lines.ts';
import { needsUnix } from '../support/unix.ts';

const get = ['posts', 'get', 'PostSpringLaunch'];

/** A home in which a token is stored in the file, for a service of the test's. */
async function loggedIn(url: string) {
  const home = freshHome();
  const login = loginTo(url, '--insecure-storage');
  const outcome = await socialInProcess(login, { home, input: `${CANARY}\n` });
  expect(outcome).toMatchObject({ exitCode: 0, stdout: '' });
  return { home, folder: join(home, '.config/social'), outcome };
}

describe('a stored token', () => {
  it('is sent to the origin it was stored for, and to no other', async () => {
    const own = await recordingServer();
    const { home } = await loggedIn(own.url);
    expect((await socialInProcess(get, { home })).exitCode).toBe(0);
    expect(own.requests[0]?.headers['authorization']).toBe(`Bearer ${CANARY}`);
    const other = await recordingServer();
    const port = new URL(own.url).port;
    for (const url of [other.url, `https://127.0.0.1:${port}`, `http://localhost:${port}`]) {
      const outcome = await socialInProcess([...get, '--base-url', url], { home });
      expect(outcome).toMatchObject({ exitCode: 4, stdout: '' });
      expect(outcome.stderr).toContain(`the stored token belongs to ${own.url} and is not sent to`);
    }
    // The token is not sent to a new address of its context either.
    await socialInProcess(['context', 'set', 'default', '--base-url', other.url], { home });
    expect((await socialInProcess(get, { home })).exitCode).toBe(4);
    expect(own.connections() + other.connections()).toBe(1);
  });

  it('is deleted by logout, which does not claim to revoke it', async () => {
    const { home, folder } = await loggedIn('http://127.0.0.1:9');
    const { exitCode, stderr } = await social(['auth', 'logout', '-C', 'default'], { home });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('from this machine. It is still valid at the service.');
    for (const name of fs.readdirSync(folder))
      for (const form of encodingsOf(CANARY))
        expect(fs.readFileSync(join(folder, name), 'utf8')).not.toContain(form);
    expect((await socialInProcess(get, { home })).exitCode).toBe(4);
  });

  it('yields to the environment, and each refusal names the source', async () => {
    const service = await recordingServer(errorResponse(401));
    const { home } = await loggedIn(service.url);
    const other = 'another-T0ken-of-the-environment';
    const env = { SOCIAL_TOKEN: other };
    const refused = await socialInProcess(get, { home, env });
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('context default, source: SOCIAL_TOKEN');
    expect(service.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${other}`);
    const stored = await socialInProcess(get, { home });
    expect(stored.stderr).toContain('context default, source: file');
    const status = await socialInProcess(['auth', 'status', '--json'], { home, env });
    expect(status.exitCode).toBe(0);
    expect(status.stdout).toContain('"tokenSource":"SOCIAL_TOKEN"');
    expect(status.stdout).toContain(`"tokenLength":${other.length}`);
    expect(status.stdout).toContain('takes precedence over file');
    for (const text of [other, other.slice(-4), CANARY.slice(-4)])
      expect(status.stdout + status.stderr).not.toContain(text);
    expect((await socialInProcess(['auth', 'status'])).exitCode).toBe(4);
  });
});

it('a deceptive host is shown in its ASCII form', async () => {
  const env = { SOCIAL_BASE_URL: 'https://аpi.example.com', SOCIAL_TOKEN: CANARY };
  const { stdout } = await socialInProcess(['auth', 'status', '--json'], { env });
  expect(stdout).toContain('"baseUrl":"https://xn--pi-6kc.example.com"');
  const home = freshHome();
  const login = loginTo(env.SOCIAL_BASE_URL, '--insecure-storage');
  const { stderr } = await socialInProcess(login, { home, input: CANARY });
  expect(stderr).toContain('token stored, not checked: https://xn--pi-6kc.example.com');
});

it('echoed header values are masked for people, and complete in JSON', async () => {
  const data = '{"name":"hook","customHeaders":{"X-Team":"s3cret-value"}}';
  const { url } = await recordingServer(successResponse(data));
  const line = ['webhooks', 'update', 'WebhookAlertsOps', '--inactive'];
  const at = (...flags: string[]) =>
    socialInProcess([...line, ...flags], { env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY } });
  for (const form of ['table', 'tsv']) {
    const { exitCode, stdout } = await at('-o', form, '--fields', 'name,customHeaders');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('X-Team');
    expect(stdout).not.toContain('s3cret-value');
  }
  expect((await at('--json', '-q')).stdout).toBe(`${data}\n`);
});

it('no child process, and no diagnostic report of Node, has the token', async () => {
  const home = freshHome();
  const show = join(home, 'show.cjs');
  fs.writeFileSync(
    show,
    `process.report.writeReport(${JSON.stringify(join(home, 'report.json'))});
    process.on('exit', () => process.report.writeReport(${JSON.stringify(join(home, 'end.json'))}));`,
  );
  const service = await recordingServer();
  const env = {
    SOCIAL_BASE_URL: service.url,
    SOCIAL_TOKEN: CANARY,
    NODE_OPTIONS: `--require ${JSON.stringify(show)}`,
  };
  expect((await social(get, { home, env })).exitCode).toBe(0);
  expect(fs.readFileSync(join(home, 'end.json'), 'utf8')).not.toContain(CANARY);
  // A process of its own asks the keychain; each writes down the environment it got.
  const note = join(home, 'note.cjs');
  fs.writeFileSync(
    note,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(home)} + '/env-' + process.pid, JSON.stringify(process.env)));`,
  );
  const login = loginTo(service.url);
  const more = { SOCIAL_TOKEN: CANARY, NODE_OPTIONS: `--require ${JSON.stringify(note)}` };
  expect((await social(login, { home, env: more, input: 'another-token-of-mine' })).exitCode).toBe(
    0,
  );
  const left = fs.readdirSync(home).filter((name) => name.startsWith('env-'));
  expect(left.length).toBeGreaterThan(1);
  for (const name of left) {
    const text = fs.readFileSync(join(home, name), 'utf8');
    for (const secret of [CANARY, 'another-token-of-mine']) expect(text).not.toContain(secret);
  }
});

/** A service that answers every change with all that it was sent, as an error. */
const echo = () =>
  recordingServer((_number, { body, target, headers }) => ({
    status: 400,
    body: JSON.stringify({
      error: {
        code: 'echo',
        message: `${decodeURIComponent(target)} ${body} ${headers['authorization']!}`,
        details: { [body]: [body, { target }] },
      },
    }),
  }));

describe('a secret of a call', () => {
  const SIGNING = 's1gning-secret/of+mine';
  const HEADER = 'header-va1ue-of-mine';
  const secrets = [SIGNING, HEADER, CANARY].flatMap(encodingsOf);
  it.each([[[]], [['--json']], [['--debug']], [['--debug', '--json']]])(
    'is shown nowhere, though the service echoes it: %j',
    async (flags) => {
      const service = await echo();
      const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY, HOOK: SIGNING };
      const typed = 'webhooks create --url https://h.example --event post.failed --secret-env HOOK';
      const argv = [...typed.split(' '), '--header', `X-Team: ${HEADER}`, ...flags];
      const run = flags.length === 2 ? social : socialInProcess;
      const { exitCode, stdout, stderr } = await run(argv, { env });
      expect(exitCode).toBe(6);
      expect(stdout + stderr).toContain('[redacted]');
      for (const form of secrets) expect(stdout + stderr).not.toContain(form);
      expect(service.requests.map(({ body }) => body.includes(SIGNING))).toEqual([true]);
    },
  );

  it.each([
    ['access-code', 'TG-482913-of-mine', 'access-code', 'code'],
    ['session', 'ab12'.repeat(16), 'business/session', 'sessionId'],
  ])('may also be an id that grants access: telegram %s', async (command, id, at, name) => {
    const path = `/v1/connect/telegram/${at}`;
    const failing = await echo();
    const data = JSON.stringify({ [name]: id, status: 'pending' });
    const well = await recordingServer(successResponse(data));
    const home = freshHome();
    const run = (service: { readonly url: string }, ...argv: string[]) =>
      socialInProcess(argv, { home, env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY } });
    // The result that is about it shows it, and nothing else does.
    expect((await run(well, 'connect', 'telegram', command, id, '--json')).stdout).toContain(id);
    const loud = ['--debug', '--json'];
    const lines = [
      [failing, 6, 'connect', 'telegram', command, id, ...loud],
      [failing, 6, 'api', 'GET', `${path}/${id}`],
      [failing, 6, 'api', 'POST', `${path}/${id}/confirm`],
      [well, 0, 'api', 'GET', `${path}/${id}`, '--whole', ...loud],
      [well, 0, 'api', 'GET', `${path}/${id}`, '--include'],
      [well, 0, 'api', 'POST', path, '-f', `${name}=${id}`, ...loud],
      [well, 0, 'api', 'GET', `${path}/${id}`, '--curl'],
    ] as const;
    for (const [service, code, ...argv] of lines) {
      const outcome = await run(service, ...argv);
      expect(outcome).toMatchObject({ exitCode: code });
      expect(outcome.stdout + outcome.stderr).toContain('[redacted]');
      expect(outcome.stdout + outcome.stderr).not.toContain(id);
    }
    const kept = fs.readFileSync(join(home, '.local/state/social/history.ndjson'), 'utf8');
    expect(kept).not.toContain(id);
    expect(kept).toContain(`${path}/[redacted]`);
  });

  it('is masked before a long body or text is cut', async () => {
    const home = freshHome();
    const list = join(home, 'ids');
    fs.writeFileSync(list, 'PostSpringLaunch\nPostAutumnRecaps\n');
    const forms = encodingsOf(CANARY);
    // Across the cut: of a body under --debug, and of a text in the summary of a batch.
    const places = [1900, 1925, 1940, 130, 145, 150].map(
      (at, i) => [at, forms[Math.min(i * 3, forms.length - 1)]!] as const,
    );
    const runs = places.map(async ([at, form]) => {
      const text = `${'x'.repeat(at)}${form} ${'y'.repeat(600)}`.replace(/["\\]/g, String.raw`\$&`);
      const body = `{"error":{"code":"echo","message":"${text}"}}`;
      const { url } = await recordingServer({ status: 422, body });
      const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY };
      const line = at > 1000 ? [...get, '--debug'] : ['posts', 'get', '--from', list];
      const { stdout, stderr } = await socialInProcess(line, { home, env });
      expect(stderr).toMatch(/\[re.*…/);
      expect(stderr + stdout).not.toContain(form.slice(0, 6));
    });
    await Promise.all(runs);
  });
});

describe('the token in text of the service', () => {
  it.each([['doctor'], ['auth', 'status', '--check']])(
    'is masked in the output of a local command: %s %s',
    async (...argv) => {
      const forms = [CANARY, encodeURIComponent(CANARY)];
      for (const form of forms) {
        const { url } = await recordingServer({
          status: 302,
          body: '',
          headers: { location: `https://elsewhere.example/?t=${form}` },
        });
        const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY };
        for (const shape of ['tsv', 'json']) {
          const { stdout, stderr } = await socialInProcess([...argv, '-o', shape], { env });
          expect(stdout + stderr).toContain('elsewhere.example');
          expect(stdout + stderr).not.toContain(form);
        }
      }
    },
  );
});

const canTrace =
  spawnSync('strace', ['-f', '--seccomp-bpf', '-e', 'trace=connect', 'true']).status === 0;

it.runIf(canTrace)('the program contacts only the service', async () => {
  needsUnix('tracing, namespaces and limits');
  const home = freshHome();
  const service = await recordingServer();
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
  const outcome = await shell(
    `strace -f --seccomp-bpf -qq -e trace=connect,sendto,sendmsg -o "$HOME/calls" "${process.execPath}" "${join(root, 'bin/social.js')}" ${get.join(' ')}`,
    { home, env },
  );
  expect(outcome.exitCode).toBe(0);
  const calls = fs.readFileSync(join(home, 'calls'), 'utf8').split('\n');
  const outside = calls.filter((line) => /AF_INET/.test(line));
  expect(outside).toHaveLength(1);
  expect(outside[0]).toContain(`sin_port=htons(${new URL(service.url).port})`);
});
