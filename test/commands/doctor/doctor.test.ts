// `social doctor` on machines in every state: what it finds is so, its commands mend it, it asks the service as a login
// does, says what it did not ask, and tells nothing of a token.

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding as Found } from '../../../src/commands/doctor/doctor.ts';
import { loginTo } from '../../support/command-lines.ts';
import { freshHome, launcher, noCompileCache, shell, social } from '../../support/program.ts';
import {
  errorResponse,
  recordingServer,
  type StubResponse,
  successResponse,
  toTokens,
} from '../../support/recording-server.ts';
import { testCli, type RunOptions } from '../../support/test-cli.ts';
import { CANARY } from '../../support/token-leak-check.ts';
import { needsUnix } from '../../support/unix.ts';

/** A finding as it is printed. */
type Finding = Omit<Found, 'fix'> & { readonly fix?: string };

/** The error of a command as JSON. */
interface Report {
  readonly error?: { readonly next: string | null };
}

type Env = Readonly<Record<string, string>>;

/** A machine of the test's own: its commands run in this process, and as the built program where a shell needs it. */
function setup() {
  const { social: run, folder } = testCli();
  const examine = async (env: Env = {}, ...more: readonly string[]) => {
    const outcome = await run(['doctor', '--json', ...more], {
      env: { HOME: folder, ...env },
      inRealTime: true,
    });
    const findings = JSON.parse(outcome.stdout) as readonly Finding[];
    const failing = findings.filter(({ status }) => status === 'fail');
    expect(outcome.exitCode !== 0).toBe(failing.length > 0);
    expect(outcome.stderr === '').toBe(failing.length === 0);
    const report = outcome.stderr === '' ? {} : (JSON.parse(outcome.stderr) as Report);
    const fixes = failing.map(({ fix }) => fix);
    expect(report.error?.next ?? undefined).toBe(fixes.find((fix) => fix?.startsWith('social ')));
    return findings;
  };
  /** Does as a finding says, in a shell. */
  const mend = (fix: string) => {
    const env = {
      SOCIAL_CONFIG_DIR: join(folder, 'config'),
      SOCIAL_STATE_DIR: join(folder, 'state'),
    };
    return shell(fix, { home: folder, env });
  };
  return { run, folder, examine, mend };
}

/** One on which nothing is wrong: a token in the file, a service that takes it, some state. */
async function setupSound(answer: StubResponse = errorResponse(404)) {
  const sound = setup();
  const service = await recordingServer(toTokens(answer));
  const login = loginTo(service.url, '-C', 'prod', '--insecure-storage');
  await sound.run(login, { stdin: `${CANARY}\n` });
  await sound.run(['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch']);
  return { ...sound, service };
}

const ill = (findings: readonly Finding[]) => findings.filter(({ status }) => status !== 'ok');
const one = (findings: readonly Finding[], name: string) =>
  findings.find(({ check }) => check === name);

it('a fresh machine: six checks, no failure, no file is created, and skipped checks are listed', async () => {
  const home = freshHome();
  const outcome = await social(['doctor', '--json'], { home, env: noCompileCache });
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  const findings = JSON.parse(outcome.stdout) as readonly Finding[];
  expect(findings.map(({ check }) => check)).toEqual(
    'program settings context token keychain service'.split(' '),
  );
  expect(ill(findings)).toEqual([
    {
      check: 'context',
      status: 'warn',
      what: 'no service is configured; -C sandbox needs none',
      fix: 'social auth login --base-url https://…',
    },
    { check: 'token', status: 'skip', what: 'not checked: no service is configured' },
    { check: 'service', status: 'skip', what: 'not asked: no service is configured' },
  ]);
  expect(fs.readdirSync(home)).toEqual([]);
});

describe('a working setup', () => {
  it('passes every check: the service was called with the token and without it', async () => {
    const { examine, service } = await setupSound();
    const findings = await examine();
    expect(ill(findings)).toEqual([]);
    expect(one(findings, 'context')!.what).toBe(`${service.url}, context prod`);
    expect(one(findings, 'token')!.what).toBe('from file: no other source');
    expect(one(findings, 'service')!.what).toContain('probably accepted');
    expect(
      service.requests.map(({ method, headers }) => [method, headers['authorization']]),
    ).toEqual([
      ['GET', `Bearer ${CANARY}`],
      ['GET', undefined],
    ]);
    expect(JSON.stringify(findings)).not.toMatch(new RegExp(`\\b${CANARY.length}\\b`));
  });

  it('with --offline skips the service, and says so', async () => {
    const { examine, service } = await setupSound();
    expect(ill(await examine({}, '--offline'))).toEqual([
      { check: 'service', status: 'skip', what: 'not asked: --offline' },
    ]);
    expect(service.connections()).toBe(0);
  });

  it('is shown to people with signs and words', async () => {
    const { run, folder } = await setupSound();
    const scene = { env: { HOME: folder } };
    const { exitCode, stdout } = await run(['doctor', '-o', 'table', '--offline'], scene);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^token {5}✓ ok {4}from file: no other source$/m);
    expect(stdout).toMatch(/^service {3}· skip {2}not asked: --offline$/m);
    expect(stdout).not.toContain('\u001b');
  });
});

describe('a service that does not accept the token fails the check', () => {
  it.each<readonly [string, StubResponse, string, string | undefined]>([
    [
      'a token that is refused',
      errorResponse(401),
      'the service rejected the token',
      'social auth login -C prod',
    ],
    ['another service', { body: '{"hello":"world"}' }, 'probably another service', undefined],
    ['trouble', errorResponse(503), 'HTTP 503', undefined],
  ])('%s', async (_name, answer, words, fix) => {
    const { examine } = await setupSound(answer);
    const found = one(await examine(), 'service')!;
    expect(found).toMatchObject({
      status: 'fail',
      what: expect.stringContaining(words) as string,
    });
    expect(found.fix).toBe(fix);
  });

  it.each<readonly [string, Env, readonly string[], string]>([
    ['certificates', {}, ['--cacert', 'missing.pem'], 'cannot read CA file missing.pem: ENOENT'],
    ['a proxy', { HTTPS_PROXY: 'foo://x' }, [], 'HTTPS_PROXY is not a valid http(s) proxy URL'],
  ])('is not reached with %s that cannot be used', async (_name, env, more, what) => {
    const { examine } = setup();
    const address = { SOCIAL_BASE_URL: 'https://service.invalid', SOCIAL_TOKEN: CANARY };
    const found = await examine({ ...address, ...env }, ...more);
    expect(one(found, 'service')).toMatchObject({ status: 'fail', what });
  });

  it.each<readonly [number, StubResponse, Env]>([
    [4, errorResponse(401), {}],
    [4, {}, { SOCIAL_BASE_URL: 'https://other.example' }],
    [9, errorResponse(503), {}],
    [9, { body: '<html>Log in</html>' }, {}],
    [13, {}, { SOCIAL_TIMEOUT: 'soon' }],
    [13, {}, { SOCIAL_TOKEN_FILE: '/no/such/file' }],
  ])('ends with the exit code of the fault: %s', async (code, answer, env) => {
    const { run, folder } = await setupSound(answer);
    const scene = { env: { HOME: folder, ...env }, inRealTime: true };
    const { exitCode, stderr } = await run(['doctor', '--json'], scene);
    expect(exitCode).toBe(code);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'checks_failed', exitCode: code } });
  });

  it('receives no token when there is none, or when it belongs elsewhere', async () => {
    const service = await recordingServer();
    const env = { SOCIAL_BASE_URL: service.url };
    const none = await setup().examine(env);
    expect(one(none, 'token')).toMatchObject({
      status: 'fail',
      fix: `social auth login --base-url ${service.url}`,
    });
    expect(one(none, 'service')!.what).toBe('not asked: no token can be sent');
    const foreign = await (await setupSound()).examine(env);
    expect(one(foreign, 'token')).toMatchObject({
      status: 'fail',
      what: expect.stringContaining(`is not sent to ${service.url}`) as string,
      // A login to prod would move the context to the other address.
      fix: `social auth login -C <name> --base-url ${service.url}`,
    });
    expect(one(foreign, 'service')!.what).toBe('not asked: no token can be sent');
    expect(service.connections()).toBe(0);
  });
});

/** Ways to spoil a sound machine, and the check that finds it. */
const ailments: readonly (readonly [string, (home: string) => void])[] = [
  ['a folder that others may write into', (home) => fs.chmodSync(join(home, 'config'), 0o777)],
  ['settings that others may read', (home) => fs.chmodSync(configOf(home), 0o644)],
  [
    'tokens that others may read',
    (home) => fs.chmodSync(join(home, 'config/credentials.json'), 0o644),
  ],
  ['state that others may read', (home) => fs.chmodSync(join(home, 'state'), 0o755)],
  [
    'an invalid setting',
    (home) => {
      const before = JSON.parse(fs.readFileSync(configOf(home), 'utf8')) as object;
      fs.writeFileSync(configOf(home), JSON.stringify({ ...before, retries: 'many' }));
    },
  ],
];
const configOf = (home: string) => join(home, 'config/config.json');

describe('a fault is found, and the suggested command fixes it', () => {
  it.each(ailments)('%s', async (_name, spoil) => {
    needsUnix('owners and modes');
    const { folder, examine, mend } = await setupSound();
    spoil(folder);
    const found = one(ill(await examine()), 'settings')!;
    expect(found).toMatchObject({ status: 'fail' });
    const { exitCode, stderr } = await mend(found.fix!);
    expect({ found, exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(one(ill(await examine()), 'settings')).toBeUndefined();
  });

  it('settings that cannot be read leave the rest unchecked, without a command', async () => {
    const { folder, examine } = await setupSound();
    fs.writeFileSync(configOf(folder), '{bad');
    const [damaged, ...rest] = ill(await examine());
    expect(damaged!.check).toBe('settings');
    const what = 'not checked: the settings cannot be read';
    expect(rest).toEqual(
      ['context', 'token', 'keychain', 'service'].map((check) => ({ check, status: 'skip', what })),
    );
  });

  it.each<readonly [string, string, check: string, words: string, fix: string | undefined]>([
    ['SOCIAL_TIMEOUT', '10', 'settings', 'needs a whole number', 'unset SOCIAL_TIMEOUT'],
    ['SOCIAL_CONTEXT', 'nowhere', 'settings', 'unknown context', 'unset SOCIAL_CONTEXT'],
    ['SOCIAL_TOKEN', 'a b', 'token', 'position 2', undefined],
    ['SOCIAL_TOKEN_FILE', '/no/such/file', 'token', 'does not exist', undefined],
    ['SOCIAL_BASE_URL', 'http://api.example', 'context', 'a token over http', undefined],
  ])('%s=%s', async (name, value, check, words, fix) => {
    const findings = await (await setupSound()).examine({ [name]: value });
    const found = one(ill(findings), check);
    expect(found?.what).toContain(words);
    expect(found?.fix).toBe(fix);
  });
});

const canTrace = spawnSync('strace', ['-f', '-e', 'trace=connect', 'true']).status === 0;

it.runIf(canTrace)('with --offline no host is contacted, and no token command is run', async () => {
  needsUnix('tracing, namespaces and limits');
  const { run, folder, mend } = await setupSound();
  const touched = join(folder, 'touched');
  const set = ['context', 'set', 'cmd', '--base-url', 'https://127.0.0.1:9'];
  await run([...set, '--token-command', `touch ${touched}`]);
  const trace = `strace -f -qq -e trace=socket,connect -o "$HOME/calls"`;
  for (const context of ['prod', 'cmd', 'sandbox']) {
    const doctor = `"${process.execPath}" "${launcher}" doctor --offline -C ${context}`;
    expect((await mend(`${trace} ${doctor}`)).stdout).toContain('token');
    expect(fs.readFileSync(join(folder, 'calls'), 'utf8')).not.toContain('AF_INET');
  }
  expect(fs.existsSync(touched)).toBe(false);
});

it('the keychain is asked for the tokens that it holds, and for nothing else', async () => {
  const { social: run, folder } = testCli();
  const entries = new Map<string, string>();
  const keychain = {
    read: async (name: string) => entries.get(name),
    write: async (name: string, secret: string) => void entries.set(name, secret),
    remove: async (name: string) => void entries.delete(name),
  };
  const look = async (scene: RunOptions) => {
    const { stdout } = await testCli(folder).social(['doctor', '--json', '--offline'], scene);
    return one(JSON.parse(stdout) as Finding[], 'keychain');
  };
  expect((await look({ keychain }))!.what).toBe('not needed: no context has its token there');
  await run(loginTo('https://a.example', '-C', 'prod'), { keychain, stdin: `${CANARY}\n` });
  expect((await look({ keychain }))!.what).toBe('stores the token of prod');
  entries.clear();
  const fix = 'social auth login -C prod';
  expect(await look({ keychain })).toMatchObject({ status: 'fail', fix });
  expect(await look({})).toMatchObject({
    status: 'fail',
    what: expect.stringContaining('social auth login --insecure-storage') as string,
  });
});

it('a token command that is not installed or fails is found by running it', async () => {
  const { url } = await recordingServer(successResponse());
  const home = freshHome();
  const look = async (line: string) => {
    const set = ['context', 'set', 'prod', '--base-url', url, '--token-command', line];
    await social(set, { home });
    return JSON.parse((await social(['doctor', '--json'], { home })).stdout) as Finding[];
  };
  const absent = await look('no-such-program-here show');
  expect(one(absent, 'service')).toMatchObject({
    status: 'fail',
    what: expect.stringContaining('no-such-program-here') as string,
  });
  const failing = await look('sh -c "exit 3"');
  expect(one(failing, 'token')).toMatchObject({
    status: 'ok',
    what: 'from token-command: no other source; not run',
  });
  expect(one(failing, 'service')).toMatchObject({
    status: 'fail',
    what: expect.stringContaining('exited with 3') as string,
  });
});

it.each([['--timeout', '10'], ['--network'], ['--report']])(
  'a wrong flag is a usage error, not a finding: %s',
  async (...flags) => {
    const outcome = await testCli().social(['doctor', ...flags]);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
  },
);
