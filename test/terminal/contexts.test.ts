// Contexts, settings and tokens as they are kept on a machine: who wins, where a token may go, what happens to a file
// that cannot be trusted, and that no token is ever shown.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as net from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, shell, social } from '../support/program.ts';
import { recordingServer, errorResponse, successResponse } from '../support/recording-server.ts';
import { atTerminal } from '../support/terminal.ts';
import { needsUnix } from '../support/unix.ts';

const TOKEN = 'canary-T0ken-7d21';
const site = 'https://api.example.com';
const get = ['posts', 'get', 'PostForTheTestsA', '--json', '-q'];
const folderOf = (home: string) => join(home, '.config', 'social');
const configOf = (home: string) => join(folderOf(home), 'config.json');
const credentialsOf = (home: string) => join(folderOf(home), 'credentials.json');
const isRoot = process.getuid?.() === 0;

interface Options {
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** A home of its own; nothing that is printed may show the token. Asks `program` where it needs a process. */
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
  it('takes the token from a pipe, less one line break, and says where it is kept', async () => {
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

  it('asks for the address and the token on a terminal', async () => {
    const home = freshHome();
    const terminal = atTerminal(['auth', 'login', '-C', 'prod', '--no-check'], { home });
    await terminal.waitFor('? Base URL of the service');
    terminal.type('http://api.example.com');
    terminal.press('enter');
    await terminal.waitFor('> must be https://');
    terminal.press('ctrl-u');
    // A pasted address with a space and without a scheme.
    terminal.type(' api.example.com ');
    terminal.press('enter');
    await terminal.waitFor('? Token for api.example.com');
    terminal.type(` ${TOKEN} `);
    terminal.press('enter');
    const { exitCode, said } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(said).not.toContain(TOKEN);
    expect(said).toContain('token stored, not checked: https://api.example.com, context "prod"');
    expect(readFileSync(credentialsOf(home), 'utf8')).toContain(`"${TOKEN}"`);
    expect(config(home)).toMatchObject({ context: 'prod', contexts: { prod: { baseUrl: site } } });
  });

  it('stores it although SOCIAL_TOKEN is set, and warns that this one counts', async () => {
    const { home, run } = setup();
    const { exitCode, stderr } = await run(`auth login --no-check --base-url ${site}`, {
      input: TOKEN,
      env: { SOCIAL_TOKEN: 'another' },
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      'warning: SOCIAL_TOKEN is set and takes precedence over the stored token',
    );
    expect(readFileSync(credentialsOf(home), 'utf8')).toContain(TOKEN);
  });

  it('takes the word Bearer off, and says so', async () => {
    const { home, run } = setup();
    const { stderr } = await run(`auth login --no-check --base-url ${site}`, {
      input: `Bearer ${TOKEN}\n`,
    });
    expect(stderr).toContain('note: removed the word Bearer');
    expect(readFileSync(credentialsOf(home), 'utf8')).toContain(`"${TOKEN}"`);
  });

  it.each([
    ['nothing', ''],
    ['blanks', '  \n'],
    ['a blank within', 'two words'],
    ['a line break within', 'two\nlines'],
    ['what is not ASCII', 'tökén'],
    ['a NUL', 'a\0b'],
  ])('refuses %s, and stores nothing', async (_what, input) => {
    const { home, run } = setup();
    const { exitCode, stderr } = await run(`auth login --no-check --base-url ${site}`, { input });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: token (?:is empty|contains a character that cannot be sent)/);
    expect(existsSync(join(home, '.config'))).toBe(false);
  });

  it.each([
    ['http://api.example.com', /not sending a token over http to api\.example\.com/],
    ['https://user:pw@api.example.com', /without a user name or password/],
    ['ftp://api.example.com', /--base-url must be https/],
  ])('refuses %s', async (address, why) => {
    const { exitCode, stderr } = await setup().login(address);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(why);
    expect(stderr).not.toContain('pw');
  });
});

describe('a stored token', () => {
  it('goes to its own origin', async () => {
    const service = await recordingServer(successResponse());
    const { login, run } = setup();
    await login(service.url);
    expect((await run(get.join(' '))).exitCode).toBe(0);
    expect(service.requests[0]!.headers['authorization']).toBe(`Bearer ${TOKEN}`);
  });

  it.each([
    ['another port of the same host', (url: string) => url],
    ['another name of the same host', (url: string) => url.replace('127.0.0.1', 'localhost')],
  ])('is not sent to %s', async (_what, spell) => {
    const [own, other] = [
      await recordingServer(successResponse()),
      await recordingServer(successResponse()),
    ];
    const { login, run } = setup();
    await login(own.url);
    const { exitCode, stderr } = await run(
      `${get.slice(0, 3).join(' ')} --base-url ${spell(other.url)}`,
    );
    expect(exitCode).toBe(4);
    expect(stderr).toContain(
      `the stored token belongs to ${own.url} and is not sent to ${spell(other.url)}`,
    );
    expect(other.connections()).toBe(0);
  });

  it('is not sent where the context was pointed elsewhere since', async () => {
    const [own, other] = [
      await recordingServer(successResponse()),
      await recordingServer(successResponse()),
    ];
    const { login, run } = setup();
    await login(own.url);
    await run(`context set default --base-url ${other.url}`);
    expect((await run(get.slice(0, 3).join(' '))).exitCode).toBe(4);
    expect(other.connections()).toBe(0);
  });

  it('that is refused is named by its source, and stays', async () => {
    const service = await recordingServer(errorResponse(401));
    const { home, login, run } = setup();
    await login(service.url);
    const { exitCode, stderr } = await run(get.slice(0, 3).join(' '));
    expect(exitCode).toBe(4);
    expect(stderr).toContain('the service rejected the token (context default, source: file)');
    expect(readFileSync(credentialsOf(home), 'utf8')).toContain(TOKEN);
  });

  it('is gone after logout, and it is said that it stays valid', async () => {
    const { home, login, run } = setup();
    await login(site);
    const { exitCode, stderr } = await run('auth logout');
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      'Deleted the stored token of context "default" from this machine. It is still valid at the service.',
    );
    expect(readFileSync(credentialsOf(home), 'utf8')).not.toContain(TOKEN);
    expect((await run('auth status')).exitCode).toBe(4);
    expect((await run(get.join(' '))).exitCode).toBe(4);
  });

  it('is printed into a pipe, and not on a terminal', async () => {
    const { home, login } = setup();
    await login(site);
    expect((await social(['auth', 'token'], { home })).stdout).toBe(`${TOKEN}\n`);
    const { exitCode, said } = await atTerminal(['auth', 'token'], { home }).ended();
    expect(exitCode).toBe(2);
    expect(said).not.toContain(TOKEN);
  });
});

describe('auth status', () => {
  it('says which of three sources won, and why; never the token', async () => {
    needsUnix('Unix shell');
    const { home, login, run } = setup();
    await login(site);
    const command = join(home, 'manager');
    writeFileSync(command, `#!/bin/sh\necho ${TOKEN}\n`, { mode: 0o755 });
    const row = async (env: Record<string, string> = {}) =>
      rowsOf((await run('auth status --json', { env })).stdout)[0]!;
    expect(await row()).toMatchObject({
      context: 'default',
      origin: site,
      source: 'file',
      why: 'no other source',
    });
    await run(`context set default --token-command ${command}`);
    expect(await row()).toMatchObject({
      source: 'token-command',
      why: 'takes precedence over file; not run',
    });
    const path = join(home, 'token');
    writeFileSync(path, TOKEN, { mode: 0o600 });
    const env = { SOCIAL_TOKEN_FILE: path };
    expect(await row(env)).toMatchObject({
      source: 'SOCIAL_TOKEN_FILE',
      why: 'takes precedence over token-command, file',
    });
    expect(await row({ ...env, SOCIAL_TOKEN: TOKEN })).toMatchObject({
      source: 'SOCIAL_TOKEN',
      why: 'takes precedence over SOCIAL_TOKEN_FILE, token-command, file',
      tokenLength: TOKEN.length,
    });
  });

  it('ends with 4 where there is no token, and still lists what there is', async () => {
    const { run } = setup();
    await run(`context set prod --base-url ${site}`);
    const { exitCode, stdout, stderr } = await run('auth status');
    expect(exitCode).toBe(4);
    expect(stdout).toContain(`prod\ttrue\t${site}\t-\tno token`);
    expect(stderr).toContain('try: social auth login -C prod\n');
    await run(`context set next --base-url ${site}`);
    const next = await run('auth status -C next');
    expect(next.stderr).toContain('try: social auth login -C next\n');
    const token = await run(`auth token -C next`);
    expect(token.stderr).toContain('try: social auth login -C next\n');
  });

  it.each([
    [200, 0, /^probably accepted: the service answered a test request$/],
    [404, 0, /^probably accepted: the service answered a test request$/],
    [401, 4, /^HTTP 401 from \S+: the service rejected the token$/],
    [403, 4, /^HTTP 403 from \S+: the token lacks permission to read posts$/],
    [500, 9, /^HTTP 500 nope from \S+: No\.$/],
  ])(
    '--check with an answer of %i ends with %i and says what it can tell',
    async (status, code, told) => {
      const service = await recordingServer(
        status === 200 ? successResponse() : errorResponse(status),
      );
      const { login, run } = setup();
      await login(service.url);
      const { stdout, stderr, exitCode } = await run('auth status --check --json');
      expect(rowsOf(stdout)[0]!['check']).toMatch(told);
      expect(exitCode).toBe(code);
      expect(stderr.includes('"next":"social auth login -C default"')).toBe(status === 401);
      expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
    },
  );

  it('is a table on a terminal', async () => {
    const { home, login } = setup();
    await login(site);
    const { exitCode, text } = await atTerminal(['auth', 'status'], { home }).ended();
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^CONTEXT +CURRENT +ORIGIN +SOURCE +WHY\ndefault +yes +https:/);
  });
});

/** A message bus that takes every connection and never says a word. */
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

describe('a keychain that is silent', () => {
  it('is given up after 3 seconds: the file is used, that is said, and the program ends', async () => {
    const { home, run } = setup(freshHome(), social);
    const env = await silentBus(home);
    const start = performance.now();
    const { exitCode, stderr } = await run(`auth login --no-check --base-url ${site}`, {
      input: TOKEN,
      env,
    });
    expect(performance.now() - start).toBeLessThan(6000);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`no keychain available; token stored in ${credentialsOf(home)}`);
  });

  it('is not asked with --insecure-storage', async () => {
    const { home, run } = setup(freshHome(), social);
    const env = await silentBus(home);
    const { stderr } = await run(`auth login --no-check --base-url ${site} --insecure-storage`, {
      input: TOKEN,
      env,
    });
    expect(stderr).toMatch(/^token stored in .*credentials\.json$/m);
  });

  it('that holds the token is named, and nothing is sent', async () => {
    const service = await recordingServer(successResponse());
    const { home, run, write } = setup(freshHome(), social);
    const env = await silentBus(home);
    const contexts = { prod: { baseUrl: service.url, tokenIn: 'keychain' } };
    write(configOf(home), JSON.stringify({ context: 'prod', contexts }));
    const { exitCode, stderr } = await run(get.slice(0, 3).join(' '), { env });
    expect(exitCode).toBe(13);
    expect(stderr).toContain(
      'cannot read the token of prod: the keychain did not respond within 3 s',
    );
    expect(service.connections()).toBe(0);
  });
});

/** A context whose token comes from a script. */
async function managed(script: string) {
  needsUnix('Unix shell');
  const service = await recordingServer(successResponse());
  const made = setup();
  const path = join(made.home, 'manager');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await made.run(`context set prod --base-url ${service.url} --token-command ${path}`);
  return { ...made, service };
}

describe('a token command', () => {
  it('gives the token in its one line', async () => {
    const { run, service } = await managed(`echo ${TOKEN}`);
    expect((await run(get.join(' '))).exitCode).toBe(0);
    expect(service.requests[0]!.headers['authorization']).toBe(`Bearer ${TOKEN}`);
  });

  it.each([
    ['fails', `echo ${TOKEN}; exit 3`, 'exited with 3'],
    ['prints two lines', `echo ${TOKEN}; echo more`, 'printed more than one line'],
    ['prints nothing', 'true', 'printed nothing'],
  ])('that %s is named, and nothing is sent', async (_what, script, why) => {
    const { run, service } = await managed(script);
    const { exitCode, stderr } = await run(get.slice(0, 3).join(' '));
    expect(exitCode).toBe(13);
    expect(stderr).toContain(why);
    expect(service.connections()).toBe(0);
  });

  it('gets no token of ours, and no shell', async () => {
    const { home, run } = await managed(`env > "$HOME/seen"; echo ${TOKEN}`);
    await run(`context set prod --token-command ${join(home, 'manager')};touch`);
    const { exitCode } = await run(get.join(' '));
    expect(exitCode).toBe(13);
    await run(`context set prod --token-command ${join(home, 'manager')}`);
    await run(get.join(' '));
    expect(readFileSync(join(home, 'seen'), 'utf8')).not.toContain('SOCIAL_TOKEN');
  });

  it('is not run where SOCIAL_TOKEN is set', async () => {
    const { home, run } = await managed('touch "$HOME/ran"; echo x');
    const { exitCode } = await run(get.join(' '), { env: { SOCIAL_TOKEN: TOKEN } });
    expect(exitCode).toBe(0);
    expect(readdirSync(home)).not.toContain('ran');
  });
});

describe('SOCIAL_TOKEN_FILE', () => {
  it.each([
    ['readable by others', 0o644, TOKEN, /mode 0644/],
    ['with two lines', 0o600, 'a\nb', /cannot be sent \(position 2\)/],
  ])('%s is refused', async (_what, mode, text, why) => {
    needsUnix('owners and modes');
    const { home, run } = setup();
    const path = join(home, 'token');
    writeFileSync(path, text);
    chmodSync(path, mode);
    const { exitCode, stderr } = await run(`${get.slice(0, 3).join(' ')} --base-url ${site}`, {
      env: { SOCIAL_TOKEN_FILE: path },
    });
    expect(exitCode).toBe(13);
    expect(stderr).toMatch(why);
  });
});

describe('context', () => {
  it('is set, shown, listed, used and deleted', async () => {
    const { home, run } = setup(freshHome(), social);
    expect(
      (await run(`context set prod --base-url ${site} --protected -a AccountOfOurOwnA`)).exitCode,
    ).toBe(0);
    await run('context set stage --base-url https://stage.example.com -o json');
    expect(config(home)).toMatchObject({
      context: 'prod',
      contexts: {
        prod: { baseUrl: site, protected: true, account: 'AccountOfOurOwnA' },
        stage: { baseUrl: 'https://stage.example.com', output: 'json' },
      },
    });
    await run('context use stage');
    const list = rowsOf((await run('context list --json')).stdout);
    expect(list.map(({ name, current }) => [name, current])).toEqual([
      ['prod', false],
      ['stage', true],
      ['sandbox', false],
    ]);
    expect(JSON.parse((await run('context show prod --json')).stdout)).toMatchObject({
      name: 'prod',
      baseUrl: site,
      protected: true,
    });
    await run('context set prod --no-protected');
    expect(JSON.parse((await run('context show prod --json')).stdout)).toMatchObject({
      protected: false,
      baseUrl: site,
    });
    await run('context delete stage');
    expect(config(home)).not.toHaveProperty('context');
    expect(Object.keys(config(home)['contexts'] as object)).toEqual(['prod']);
  });

  it('shows one as fields on a terminal', async () => {
    const { home, run } = setup();
    await run(`context set prod --base-url ${site}`);
    const { text } = await atTerminal(['context', 'show'], { home }).ended();
    expect(text).toMatch(/^name: +prod\ncurrent: +yes\nbase url: +https:/);
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
    ['context use nowhere', 'unknown context "nowhere"'],
    ['context set sandbox --protected', '"sandbox" is built in'],
    ['context delete sandbox', '"sandbox" is built in'],
    ['context set a.b', 'must be 1 to 32 letters'],
    ['context set', 'context name is required'],
    ['-C nowhere posts get PostForTheTestsA', 'context "nowhere" does not exist'],
  ])('%s ends with 2 and says why', async (line, why) => {
    const { exitCode, stderr } = await setup().run(line);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(why);
  });

  it('deleted takes its stored token along', async () => {
    const { home, login, run } = setup();
    await login(site, ' -C prod');
    await run('context delete prod --yes');
    expect(readFileSync(credentialsOf(home), 'utf8')).not.toContain(TOKEN);
  });

  it('with a stored token is deleted only after a yes; off a terminal that is a line to run', async () => {
    const { home, login, run } = setup();
    await login(site, ' -C prod');
    const { exitCode, stderr } = await run('context delete prod');
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'error: confirmation required: context delete "prod", which has a stored token\n' +
        'try: social context delete prod --yes\n',
    );
    for (const [key, code] of [
      ['n', 3],
      ['y', 0],
    ] as const) {
      expect(readFileSync(credentialsOf(home), 'utf8')).toContain(TOKEN);
      const terminal = atTerminal(['context', 'delete', 'prod'], { home });
      await terminal.waitFor('Delete context "prod" and its stored token? (y/N)');
      terminal.type(key);
      terminal.press('enter');
      expect((await terminal.ended()).exitCode).toBe(code);
    }
    expect(readFileSync(credentialsOf(home), 'utf8')).not.toContain(TOKEN);
  });
});

describe('config', () => {
  it('keeps, shows and forgets a setting, and says where each comes from', async () => {
    const { home, run } = setup();
    await run('config set timeout 1m');
    await run('config set utc true');
    expect(config(home)).toEqual({ timeout: '1m', utc: true, format: 1 });
    const rows = rowsOf(
      (
        await run('config list --show-origin --json --color never', {
          env: { SOCIAL_ACCOUNT: 'A' },
        })
      ).stdout,
    );
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
    ['config set retries 99', 'must be a whole number from 0 to 10'],
    ['config set utc maybe', 'must be true or false'],
    ['config set output xml', 'must be one of'],
    ['config set colour red', 'unknown setting "colour"'],
    ['config set', 'is required'],
  ])('%s ends with 2, and nothing is written', async (line, why) => {
    const { home, run } = setup();
    const { exitCode, stderr } = await run(line);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(why);
    expect(existsSync(join(home, '.config'))).toBe(false);
  });
});

describe('the settings file', () => {
  it('is not made by what only reads', async () => {
    const { home, run } = setup();
    for (const line of ['context list', 'config list', '--help'])
      expect((await run(line)).exitCode).toBe(0);
    expect(existsSync(join(home, '.config'))).toBe(false);
  });

  it('and the credentials are private, whatever the umask', async () => {
    needsUnix('owners and modes');
    const home = freshHome();
    const script = `umask 000; echo ${TOKEN} | social auth login --no-check --base-url ${site} --insecure-storage`;
    expect((await shell(script, { home })).exitCode).toBe(0);
    expect(statSync(folderOf(home)).mode & 0o777).toBe(0o700);
    for (const path of [configOf(home), credentialsOf(home)])
      expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['cut', '{"contexts": {"prod": {"baseUrl": "https', /is damaged \(line 1\)/],
    ['empty', '', /is damaged/],
    ['full of NULs', '\0\0\0\0', /is damaged/],
    ['a list', '[]', /is damaged/],
    ['a text', '"x"', /is damaged/],
    ['null', 'null', /is damaged/],
    ['of a wrong type', '{"contexts":{"prod":{"protected":"yes"}}}', /contexts\.prod\.protected/],
    ['newer', '{"format":3}', /was written by a newer version of social \(format 3\)/],
    ['the home of a token', `{"token":"${TOKEN}"}`, /contains a token/],
    [
      'the home of a context’s token',
      `{"contexts":{"a":{"token":"${TOKEN}"}}}`,
      /contains a token/,
    ],
  ])('that is %s is named and left in place: exit 13', async (_what, text, why) => {
    const { home, run, write } = setup();
    write(configOf(home), text);
    for (const line of ['context list', 'config set utc true', get.slice(0, 3).join(' ')]) {
      const { exitCode, stdout, stderr } = await run(line);
      expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: '' });
      expect(stderr).toContain(configOf(home));
      expect(stderr).toMatch(why);
    }
    expect(readFileSync(configOf(home), 'utf8')).toBe(text);
  });

  it('is read with a byte order mark and CRLF, and keeps keys that nobody knows', async () => {
    const { home, run, write } = setup();
    write(configOf(home), '\ufeff{\r\n"retries": "1", "future": {"a": 1}\r\n}\r\n');
    expect((await run('config list')).stdout).toContain('retries\t1\n');
    await run('config set utc true');
    expect(config(home)).toEqual({ retries: '1', future: { a: 1 }, utc: true, format: 1 });
  });

  it('behind a link is replaced, and the link kept', async () => {
    const { home, run, write } = setup();
    const target = join(home, 'dotfiles.json');
    write(target, '{"retries":"1"}');
    symlinkSync(target, configOf(home));
    expect((await run('config set utc true')).exitCode).toBe(0);
    expect(lstatSync(configOf(home)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({ retries: '1', utc: true });
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
  ])('that is %s is refused', async (_what, make) => {
    const { home, run } = setup();
    mkdirSync(folderOf(home), { recursive: true, mode: 0o700 });
    make(configOf(home));
    const { exitCode, stderr } = await run('context list');
    expect(exitCode).toBe(13);
    expect(stderr).toContain('not a regular file');
  });

  it('in a folder that others may write to is refused', async () => {
    needsUnix('owners and modes');
    const { home, run, write } = setup();
    write(configOf(home), '{}');
    chmodSync(folderOf(home), 0o777);
    expect((await run('context list')).exitCode).toBe(13);
  });

  it('can be in SOCIAL_CONFIG_DIR or XDG_CONFIG_HOME, with blanks and umlauts; a relative one does not count', async () => {
    const { home, run } = setup();
    const own = join(home, 'Mira Möller');
    await run('config set utc true', { env: { SOCIAL_CONFIG_DIR: own } });
    expect(readdirSync(own)).toContain('config.json');
    await run('config set utc true', { env: { XDG_CONFIG_HOME: join(home, 'xdg') } });
    expect(readdirSync(join(home, 'xdg', 'social'))).toContain('config.json');
    await run('config set utc true', { env: { XDG_CONFIG_HOME: 'relative' } });
    expect(existsSync(configOf(home))).toBe(true);
  });
});

describe('the credentials file', () => {
  it.each([[0o640], [0o604], [0o644]])('of mode %o is refused', async (mode) => {
    needsUnix('owners and modes');
    const service = await recordingServer(successResponse());
    const { home, login, run } = setup();
    await login(service.url);
    chmodSync(credentialsOf(home), mode);
    const { exitCode, stderr } = await run(get.slice(0, 3).join(' '));
    expect(exitCode).toBe(13);
    expect(stderr).toContain(`mode 0${mode.toString(8)}`);
    expect(stderr).toContain('chmod 600');
    expect(service.connections()).toBe(0);
  });

  it('that is damaged is named, not quoted, and left in place', async () => {
    const { home, login, run } = setup();
    await login(site);
    writeFileSync(credentialsOf(home), `{"default": {"token": "${TOKEN}`);
    const { exitCode, stderr } = await run(get.slice(0, 3).join(' '));
    expect(exitCode).toBe(13);
    expect(stderr).toContain(`${credentialsOf(home)} is damaged`);
    expect(readFileSync(credentialsOf(home), 'utf8')).toContain(TOKEN);
  });
});

describe('a home', () => {
  it('that is not there does for reading, and is named for writing', async () => {
    needsUnix('devices and no /proc');
    const { run } = setup('/nonexistent');
    expect((await run('context list')).exitCode).toBe(0);
    const env = { SOCIAL_CONFIG_DIR: '/proc/nowhere' };
    const { exitCode, stderr } = await run('config set utc true', { env });
    expect(exitCode).toBe(13);
    expect(stderr).toContain('/proc/nowhere');
  });

  it('that is not set does for reading', async () => {
    const { exitCode } = await shell('unset HOME; social context list');
    expect(exitCode).toBe(0);
  });

  it.skipIf(isRoot)('that is read-only does for reading, and is named for writing', async () => {
    needsUnix('owners and modes');
    const { home, run } = setup();
    chmodSync(home, 0o500);
    onTestFinished(() => chmodSync(home, 0o700));
    expect((await run('context list')).exitCode).toBe(0);
    const { exitCode, stderr } = await run('config set utc true');
    expect(exitCode).toBe(13);
    expect(stderr).toContain('permission denied');
  });

  it('loses no file that others put there', async () => {
    const { home, login, write } = setup();
    write(join(folderOf(home), 'notes.txt'), 'mine');
    expect((await login(site)).exitCode).toBe(0);
    expect(readFileSync(join(folderOf(home), 'notes.txt'), 'utf8')).toBe('mine');
    rmSync(folderOf(home), { recursive: true });
  });
});
