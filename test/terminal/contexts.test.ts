// Tokens, contexts and settings as they are stored on a machine, and shown by their commands: no token is ever shown.
// What cannot be used is in config/auth/token.test.ts, changes of contexts in commands/context.test.ts.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as net from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { atTerminal } from '../support/terminal.ts';
import { testCli } from '../support/test-cli.ts';
import { needsUnix } from '../support/unix.ts';

const TOKEN = 'canary-T0ken-7d21';
const site = 'https://api.example.com';
const folderOf = (home: string) => join(home, '.config', 'social');
const configOf = (home: string) => join(folderOf(home), 'config.json');
const credentialsOf = (home: string) => join(folderOf(home), 'credentials.json');

interface Options {
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** Makes a home in which no output may show the token. `program` is the built one where a process is needed. */
function setup(
  home = freshHome(),
  program: typeof social | typeof socialInProcess = socialInProcess,
) {
  needsUnix('owners and modes');
  const run = async (line: string, options: Options = {}) => {
    const { exitCode, stdout, stderr } = await program(line.split(' '), { home, ...options });
    for (const text of [stdout, stderr]) expect(text).not.toContain(TOKEN);
    return { exitCode, stdout, stderr };
  };
  const login = (at: string, more = '') =>
    run(`auth login --no-check --base-url ${at}${more}`, { input: `${TOKEN}\n` });
  const write = (path: string, text: string, mode = 0o600) => {
    mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode });
    chmodSync(path, mode);
  };
  return { home, run, login, write };
}

const config = (home: string) =>
  JSON.parse(readFileSync(configOf(home), 'utf8')) as Record<string, unknown>;
const rowsOf = (stdout: string) => JSON.parse(stdout) as Record<string, unknown>[];

describe('auth login', () => {
  it('reads the token from a pipe, without its final newline, and says where it is stored', async () => {
    const { home, login } = setup(freshHome(), social);
    const { exitCode, stdout, stderr } = await login(site);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
    expect(stderr).toBe(
      `token stored, not checked: ${site}, context "default"\nno keychain available; token stored in ${credentialsOf(home)}\n`,
    );
    expect(JSON.parse(readFileSync(credentialsOf(home), 'utf8'))).toEqual({
      default: { token: TOKEN, origin: site },
    });
    expect(readFileSync(configOf(home), 'utf8')).not.toContain(TOKEN);
  });

  it('removes the word Bearer, and says so', async () => {
    const { home, run } = setup();
    const { stderr } = await run(`auth login --no-check --base-url ${site}`, {
      input: `Bearer ${TOKEN}\n`,
    });
    expect(stderr).toContain('note: removed the word Bearer');
    expect(readFileSync(credentialsOf(home), 'utf8')).toContain(`"${TOKEN}"`);
  });
});

describe('a stored token', () => {
  it('is printed to a pipe, and not to a terminal', async () => {
    const cli = testCli();
    const login = `auth login --no-check --base-url ${site}`.split(' ');
    await cli.social(login, { stdin: TOKEN });
    expect((await cli.social(['auth', 'token'])).stdout).toBe(`${TOKEN}\n`);
    const { exitCode, stdout, stderr } = await cli.social(['auth', 'token'], { columns: 80 });
    expect(exitCode).toBe(2);
    expect(stdout + stderr).not.toContain(TOKEN);
  });
});

describe('auth status', () => {
  it('shows which source is used, and why; never the token', async () => {
    const { home, login, run } = setup();
    await login(site);
    const row = async (env: Record<string, string> = {}) =>
      rowsOf((await run('auth status --json', { env })).stdout)[0]!;
    expect(await row()).toMatchObject({
      context: 'default',
      baseUrl: site,
      tokenSource: 'file',
      why: 'no other source',
    });
    expect(await row({ SOCIAL_TOKEN: '', SOCIAL_TOKEN_FILE: '' })).toMatchObject({
      tokenSource: 'file',
    });
    await run(`context set default --token-command ${join(home, 'manager')}`);
    expect(await row()).toMatchObject({
      tokenSource: 'token-command',
      why: 'takes precedence over file; not run',
    });
    expect(await row({ SOCIAL_TOKEN_FILE: 'f', SOCIAL_TOKEN: TOKEN })).toMatchObject({
      tokenSource: 'SOCIAL_TOKEN',
      why: 'takes precedence over SOCIAL_TOKEN_FILE, token-command, file',
      tokenLength: TOKEN.length,
    });
  });

  it('ends with 4 without a token, and still lists the rest', async () => {
    const { run } = setup();
    await run(`context set prod --base-url ${site}`);
    const { exitCode, stdout, stderr } = await run('auth status');
    expect(exitCode).toBe(4);
    expect(stdout).toContain(`prod\ttrue\t${site}\t-\tno token`);
    expect(stderr).toContain('try: social auth login -C prod\n');
    await run(`context set next --base-url ${site}`);
    for (const line of ['auth status -C next', 'auth token -C next'])
      expect((await run(line)).stderr).toContain('try: social auth login -C next\n');
  });
});

/** Starts a message bus that accepts every connection and never responds. */
async function silentBus(home: string) {
  const path = join(home, 'bus');
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket.on('error', () => undefined).resume());
  });
  await new Promise<void>((resolve) => server.listen(path, () => resolve()));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` };
}

it('a silent keychain is given up after 3 seconds: the file is used, or the error names it', async () => {
  const { home, run, write } = setup(freshHome(), social);
  const env = await silentBus(home);
  const start = performance.now();
  const login = await run(`auth login --no-check --base-url ${site}`, { input: TOKEN, env });
  expect(performance.now() - start).toBeLessThan(6000);
  expect(login.exitCode).toBe(0);
  expect(login.stderr).toContain(`no keychain available; token stored in ${credentialsOf(home)}`);
  const service = await recordingServer(successResponse());
  const contexts = { prod: { baseUrl: service.url, tokenIn: 'keychain' } };
  write(configOf(home), JSON.stringify({ context: 'prod', contexts }));
  const { exitCode, stderr } = await run('posts get PostForTheTestsA', { env });
  expect(exitCode).toBe(13);
  expect(stderr).toContain('cannot read the token of prod: the keychain did not respond within 3s');
  expect(service.connections()).toBe(0);
});

describe('context', () => {
  it('is shown, listed and deleted', async () => {
    const { home, run } = setup();
    await run(`context set prod --base-url ${site} --protected -a AccountOfOurOwnA`);
    await run('context set stage --base-url https://stage.example.com -o json');
    await run('context use stage');
    const list = rowsOf((await run('context list --json')).stdout);
    expect(list.map(({ context, current }) => [context, current])).toEqual([
      ['prod', false],
      ['stage', true],
      ['sandbox', false],
    ]);
    expect(JSON.parse((await run('context show prod --json')).stdout)).toMatchObject({
      context: 'prod',
      baseUrl: site,
      protected: true,
      account: 'AccountOfOurOwnA',
    });
    await run('context set prod --no-protected');
    expect(config(home)['contexts']).toMatchObject({ prod: { baseUrl: site, protected: false } });
    await run('context delete stage');
    expect(config(home)).not.toHaveProperty('context');
    expect(Object.keys(config(home)['contexts'] as object)).toEqual(['prod']);
  });

  it('gives its defaults to calls', async () => {
    const service = await recordingServer(successResponse('{"id":"x"}'));
    const { run } = setup();
    await run(`context set prod --base-url ${service.url} -a AccountOfOurOwnA -o json`);
    const { stdout } = await run('accounts discord channels', { env: { SOCIAL_TOKEN: TOKEN } });
    expect(stdout).toBe('{"id":"x"}\n');
    expect(service.requests[0]!.target).toBe('/v1/accounts/AccountOfOurOwnA/discord-channels');
  });

  it.each([
    ['context use nowhere', 'context "nowhere" is unknown'],
    ['context delete sandbox', '"sandbox" is built in'],
    ['context set a.b', 'must be 1 to 32 letters'],
    ['context set', 'context name is required'],
    ['-C nowhere posts get PostForTheTestsA', 'unknown context "nowhere"'],
  ])('%s ends with 2 and an explanation', async (line, why) => {
    const { exitCode, stderr } = await setup().run(line);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(why);
  });

  it('with a stored token is deleted only after a yes; without a terminal the line is suggested', async () => {
    const { home, login, run } = setup();
    await login(site, ' -C prod');
    const { exitCode, stderr } = await run('context delete prod');
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'error: confirmation required: context delete "prod", which has a stored token\n' +
        'try: social context delete prod --yes\n',
    );
    expect(readFileSync(credentialsOf(home), 'utf8')).toContain(TOKEN);
    const terminal = atTerminal(['context', 'delete', 'prod'], { home });
    await terminal.waitFor(
      'Delete context "prod" and its stored token, for https://api.example.com? (y/N)',
    );
    expect(readFileSync(credentialsOf(home), 'utf8')).toContain(TOKEN);
    terminal.type('y');
    terminal.press('enter');
    expect((await terminal.ended()).exitCode).toBe(0);
    expect(readFileSync(credentialsOf(home), 'utf8')).not.toContain(TOKEN);
  });
});

describe('config', () => {
  it('sets, shows and unsets a setting, with the source of each', async () => {
    const { home, run } = setup();
    await run('config set timeout 1m');
    await run('config set utc true');
    expect(config(home)).toEqual({ timeout: '1m', utc: true, format: 1 });
    const env = { SOCIAL_ACCOUNT: 'A' };
    const list = await run('config list --show-origin --json --color never', { env });
    const rows = rowsOf(list.stdout);
    const origins = Object.fromEntries(rows.map(({ setting, origin }) => [setting, origin]));
    expect(origins).toMatchObject({
      timeout: 'config',
      utc: 'config',
      retries: 'default',
      color: 'flag',
      account: 'environment',
    });
    expect(rows.find(({ setting }) => setting === 'timeout')!['value']).toBe('1m');
    expect((await run('config set timeout ')).stderr).toBe('Unset timeout.\n');
    expect((await run('config list')).stdout).toContain('timeout\t30s\n');
  });

  it.each([
    ['config set timeout 10', 'needs a whole number above 0 and a unit'],
    ['config set utc maybe', 'must be true or false'],
    ['config set colour red', 'setting "colour" is unknown'],
    ['config set', 'is required'],
  ])('%s ends with 2, and nothing is written', async (line, why) => {
    const { home, run } = setup();
    const { exitCode, stderr } = await run(line);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(why);
    expect(existsSync(join(home, '.config'))).toBe(false);
  });
});
