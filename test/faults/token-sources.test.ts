// Tokens from a program or a file: the origins that get them, the files that are accepted, and the steps when one
// expires during a command.

import { spawnSync } from 'node:child_process';
import { savedLines } from '../support/saved-list.ts';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mcpClientInProcess } from '../support/mcp-client.ts';
import { CANARY } from '../support/token-leak-check.ts';
import { idList, idOf, post, refused } from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, homeWith, root, shell, social } from '../support/program.ts';
import { recordingServer } from '../support/recording-server.ts';
import { needsUnix } from '../support/unix.ts';

/**
 * A program that prints tokens, a line of the list each time it is run, the last one for ever; and a note of each run.
 */
function manager(home: string, ...tokens: readonly string[]) {
  needsUnix('Unix shell');
  const [path, list, runs] = ['manager', 'tokens', 'runs'].map((name) => join(home, name));
  fs.writeFileSync(list!, `${tokens.join('\n')}\n`);
  const next = `n=$(wc -l < "${runs}"); max=$(wc -l < "${list}"); [ $n -gt $max ] && n=$max`;
  const script = `#!/bin/sh\necho run >> "${runs}"\n${next}\nsed -n "$n"p "${list}"\n`;
  fs.writeFileSync(path!, script, { mode: 0o700 });
  const count = () =>
    fs.existsSync(runs!) ? fs.readFileSync(runs!, 'utf8').split('\n').length - 1 : 0;
  return { path: path!, runs: count };
}

const id = 'PostSpringLaunch';

describe('the token of a token command or a token file', () => {
  /** Every way of a token to a service. */
  const lines: readonly (readonly string[])[] = [
    ['posts', 'get', id],
    ['posts', 'retry', id],
    ['posts', 'get', '--from', '-'],
    ['posts', 'wait', id],
    ['api', 'GET', '/v1/x'],
    ['auth', 'status', '--check'],
    ['auth', 'token'],
  ];
  interface Place {
    readonly home: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly flags?: readonly string[];
  }
  const refusedFor = async ({ home, env = {}, flags = [] }: Place, message: string) => {
    for (const line of lines)
      expect(
        await socialInProcess([...line, ...flags], { home, env, input: `${id}\n` }),
      ).toMatchObject({
        exitCode: 4,
        stderr: expect.stringContaining(message) as string,
      });
    const doctor = await socialInProcess(['doctor', '--json', ...flags], {
      home,
      env,
    });
    expect(doctor.stdout).toContain(message);
    const { error } = await mcpClientInProcess(flags, { home, env });
    expect(await error('posts_get', { postId: id })).toMatchObject({ exitCode: 4, sent: false });
  };

  it.each<[string, (url: string) => Omit<Place, 'home'>]>([
    ['a flag', (url) => ({ flags: ['--base-url', url] })],
    ['the environment', (url) => ({ env: { SOCIAL_BASE_URL: url } })],
  ])(
    'is sent to the origin of its context, and to none that %s names',
    async (_what, elsewhere) => {
      const own = await recordingServer({ body: post(id) });
      const other = await recordingServer();
      const { home } = homeWith({ context: 'prod', contexts: { prod: { baseUrl: own.url } } });
      const { path, runs } = manager(home, CANARY);
      const command = ['context', 'set', 'prod', '--token-command', path];
      expect((await socialInProcess(command, { home })).exitCode).toBe(0);
      const message = (what: string) =>
        `the token ${what} belongs to ${own.url} and is not sent to`;

      await refusedFor({ home, ...elsewhere(other.url) }, message('command'));
      expect(runs()).toBe(0);
      expect((await social(['posts', 'get', id], { home })).exitCode).toBe(0);

      const file = join(home, 'token');
      fs.writeFileSync(file, `${CANARY}\n`, { mode: 0o600 });
      const { env = {}, flags = [] } = elsewhere(other.url);
      await refusedFor({ home, flags, env: { ...env, SOCIAL_TOKEN_FILE: file } }, message('file'));
      const withFile = { home, env: { SOCIAL_TOKEN_FILE: file } };
      expect((await socialInProcess(['posts', 'get', id], withFile)).exitCode).toBe(0);
      expect(own.requests.map(({ headers }) => headers['authorization'])).toEqual(
        [1, 2].map(() => `Bearer ${CANARY}`),
      );
      expect(other.requests).toEqual([]);
    },
  );

  it('of a command in a context without an address is sent nowhere', async () => {
    const other = await recordingServer();
    const context = { tokenCommand: ['echo', CANARY] };
    const { home } = homeWith({ context: 'prod', contexts: { prod: context } });
    const place = { home, env: { SOCIAL_BASE_URL: other.url } };
    await refusedFor(place, 'the token command belongs to no valid base URL and is not sent to');
    expect(other.requests).toEqual([]);
  });

  it('of a file belongs to the address that the environment names with it', async () => {
    const own = await recordingServer({ body: post(id) });
    const other = await recordingServer({ body: post(id) });
    const home = freshHome();
    const file = join(home, 'token');
    fs.writeFileSync(file, CANARY, { mode: 0o600 });
    const env = { SOCIAL_TOKEN_FILE: file, SOCIAL_BASE_URL: own.url };
    expect((await socialInProcess(['posts', 'get', id], { home, env })).exitCode).toBe(0);
    await refusedFor({ home, env, flags: ['--base-url', other.url] }, 'the token file belongs to');
    // Without an address in the environment, the typed one is the only address.
    const typed = ['posts', 'get', id, '--base-url', other.url];
    const alone = await socialInProcess(typed, { home, env: { SOCIAL_TOKEN_FILE: file } });
    expect(alone.exitCode).toBe(0);
    expect(own.requests.length).toBe(1);
  });
});

it.each(['SOCIAL_TOKEN', 'SOCIAL_TOKEN_FILE', 'token-command'])(
  'takes precedence over a stored token, and auth login says so: %s',
  async (source) => {
    const prod = { baseUrl: 'https://own.example' };
    const isCommand = source === 'token-command';
    const stored = isCommand ? { ...prod, tokenCommand: ['echo', 'another'] } : prod;
    const { home } = homeWith({ context: 'prod', contexts: { prod: stored } });
    const env: Record<string, string> = isCommand ? {} : { [source]: join(home, 'token') };
    const argv = ['auth', 'login', '--no-check', '--insecure-storage'];
    const { exitCode, stderr } = await socialInProcess(argv, { home, env, input: CANARY });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      `warning: ${source} is set and takes precedence over the stored token\n`,
    );
  },
);

const batch = async (url: string, tokens: readonly string[], ...more: string[]) => {
  const { home } = homeWith({ context: 'prod', contexts: { prod: { baseUrl: url } } });
  const { path, runs } = manager(home, ...tokens);
  await socialInProcess(['context', 'set', 'prod', '--token-command', path], { home });
  const argv = ['posts', 'retry', '--from', '-', '--concurrency', '4', '--json', ...more];
  const setting = { home, input: idList(40) };
  const run = (program: typeof social | typeof socialInProcess = socialInProcess) =>
    program(argv, setting);
  return { home, run, runs };
};
const changed = (service: Awaited<ReturnType<typeof recordingServer>>) => service.requests.length;

describe('an invalid token', () => {
  it.each([
    ['with a space', 'an inner-space', 'contains a character that cannot be sent (position 3)'],
    ['of several lines', 'two\nlines', 'has more than one line'],
    ['in quotation marks', '"inner-space"', 'begins or ends with a quotation mark'],
    ['behind its variable', 'export SOCIAL_TOKEN=two', 'is a line that sets a variable'],
    ['in JSON', '{"access_token":"two"}', 'is JSON'],
    ['that no shell expanded', '${inner-space}', 'is the name of a variable, not its value'],
    ['with a byte order mark', '\ufefftwo', 'begins with a byte order mark'],
    ['that is empty', ' \n', 'is empty'],
    ['that is too long', 'x'.repeat(8193), 'is longer than 8192 bytes'],
  ])('%s is rejected from a file, the environment and a login', async (_what, token, why) => {
    const service = await recordingServer();
    const home = freshHome();
    const file = join(home, 'token');
    fs.writeFileSync(file, token, { mode: 0o600 });
    const url = { SOCIAL_BASE_URL: service.url };
    const login = ['auth', 'login', '--base-url', service.url];
    const [fromFile, fromEnv, fromLogin] = await Promise.all([
      socialInProcess(['posts', 'get', id], { home, env: { ...url, SOCIAL_TOKEN_FILE: file } }),
      socialInProcess(['posts', 'get', id], { home, env: { ...url, SOCIAL_TOKEN: token } }),
      socialInProcess(login, { home, input: token }),
    ]);
    expect([fromFile.exitCode, fromEnv.exitCode, fromLogin.exitCode]).toEqual([13, 2, 2]);
    expect(fromFile.stderr).toContain(`error: the token in ${file} ${why}\n`);
    expect(fromEnv.stderr).toContain(`error: SOCIAL_TOKEN ${why}\n`);
    expect(fromLogin.stderr).toContain(`error: token ${why}\n`);
    expect(fs.readdirSync(home)).toEqual(['token']);
    for (const part of ['inner-space', 'two', 'x'.repeat(99)])
      expect(fromFile.stderr + fromEnv.stderr + fromLogin.stderr).not.toContain(part);
    expect(service.connections()).toBe(0);
  });
});

const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

describe.runIf(canMount)('a secret that is mounted read-only', () => {
  /** Runs a line of a shell with the secret mounted as Kubernetes does: links to a folder that is replaced. */
  const mounted = async (mode: string, owner: string, line: readonly string[]) => {
    needsUnix('tracing, namespaces and limits');
    const service = await recordingServer({ body: post(id) });
    const home = freshHome();
    const at = join(home, 'secret');
    fs.mkdirSync(at);
    const script = `mount -t tmpfs none ${at} && cd ${at} && mkdir ..2024_01 && echo ${CANARY} > ..2024_01/token &&
      ln -s ..2024_01 ..data && ln -s ..data/token token && chown ${owner} ..2024_01/token && chmod ${mode} ..2024_01/token &&
      mount -o remount,ro ${at} && SOCIAL_BASE_URL=${service.url} SOCIAL_TOKEN_FILE=${at}/token exec "${process.execPath}" "${join(root, 'bin/social.js')}" ${line.join(' ')}`;
    const outcome = await shell(`unshare -m sh -c '${script}'`, { home });
    const { exitCode, stderr } = outcome;
    return { exitCode, stderr, at, requests: service.requests.length };
  };

  it.each([
    ['0644', '0', 'mode 0644; '],
    ['0444', '1234', 'it belongs to another user (1234, mode 0444); '],
  ])('with mode %s of user %s is refused, and chmod is not suggested', async (mode, owner, why) => {
    const { exitCode, stderr, at, requests } = await mounted(mode, owner, ['posts', 'get', id]);
    expect({ exitCode, requests }).toEqual({ exitCode: 13, requests: 0 });
    expect(stderr).toContain(`refusing to read ${at}/token: ${why}`);
    expect(stderr).toContain('mount it with mode 0400 (in Kubernetes defaultMode: 0400');
    expect(stderr).not.toContain('chmod');
  });
});

describe('a token that expires during a batch', () => {
  const [OLD, NEW, THIRD] = [
    'the-token-of-the-first-hour',
    'the-token-of-the-second-hour',
    'the-token-of-the-third-hour',
  ];

  /** A service of failed posts, whose retries take the old token so many times, and then another. */
  const expiring = (takes: number, takesNew: number, takesThird = 0) => {
    const left = new Map([
      [`Bearer ${OLD}`, takes],
      [`Bearer ${NEW}`, takesNew],
      [`Bearer ${THIRD}`, takesThird],
    ]);
    return recordingServer((_number, { method, target, headers }) => {
      if (method === 'GET') return { body: post(target.split('/')[3]!, 'failed') };
      const token = headers['authorization']!;
      const times = left.get(token) ?? 0;
      left.set(token, times - 1);
      const own = target.split('/')[3]!;
      return times > 0
        ? { body: post(own) }
        : { status: 401, body: refused('expired', `The token ${token} is over.`) };
    });
  };
  it('is renewed once, and the batch continues with the new one', async () => {
    const service = await expiring(13, 1000);
    const { run, runs } = await batch(service.url, [OLD, NEW]);
    const { exitCode, stdout, stderr } = await run(social);
    expect(stderr).toContain('40 of 40 accepted');
    expect(exitCode).toBe(0);
    expect(runs()).toBe(2);
    expect(stdout.trimEnd().split('\n')).toHaveLength(40);
    // Each change succeeded once, and no request was sent a third time.
    const done = service.requests.filter(({ headers }) => headers['authorization']!.includes(NEW));
    expect(done).toHaveLength(40 - 13);
    expect(changed(service)).toBeLessThanOrEqual(40 + 4);
  });

  it.each([
    ['the same token', [OLD], 2],
    ['another that is refused as well', [OLD, NEW, 'a-third-one-that-nobody-wants'], 2],
    ['none', [OLD, ''], 2],
  ])(
    'stops the batch with 4 when the command gives %s; refused records were not started',
    async (_what, tokens, asked) => {
      const service = await expiring(13, 0);
      const file = join(freshHome(), 'left');
      const { home, run, runs } = await batch(
        service.url,
        tokens,
        '--failures-to',
        file,
        '--journal',
        join(dirname(file), 'journal'),
      );
      const { exitCode, stdout, stderr } = await run();
      expect(exitCode).toBe(4);
      expect(runs()).toBe(asked);
      const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as {
        error: { details: object };
      };
      expect(error.details).toMatchObject({ ok: 13, failed: 0, unknown: 0, notStarted: 27 });
      expect(error).toMatchObject({ sent: true, status: null });
      expect(stdout.trimEnd().split('\n')).toHaveLength(13);
      expect(savedLines(file)).toHaveLength(27);
      for (const text of [OLD, NEW]) expect(stdout + stderr).not.toContain(text);
      // The journal sends the rest, and nothing twice.
      const before = changed(service);
      fs.writeFileSync(join(home, 'tokens'), `${THIRD}\n`);
      expect((await run()).exitCode).toBe(4);
      const again = service.requests.slice(before).filter(({ method }) => method === 'POST');
      expect(again).not.toEqual([]);
      const doneBefore = stdout.match(/Postal\w+/g)!;
      for (const { target } of again) expect(doneBefore).not.toContain(target.split('/')[3]);
    },
  );

  it('is read again from its file', async () => {
    const home = freshHome();
    const file = join(home, 'token');
    fs.writeFileSync(file, OLD, { mode: 0o600 });
    const service = await recordingServer((_number, { headers, target }) => {
      if (headers['authorization'] === `Bearer ${NEW}`)
        return { body: post(target.split('/')[3]!) };
      fs.writeFileSync(file, NEW);
      return { status: 401, body: refused('expired', 'Over.') };
    });
    const env = { SOCIAL_TOKEN_FILE: file, SOCIAL_BASE_URL: service.url };
    const line = ['posts', 'retry', idOf(1), '--debug'];
    const { exitCode, stdout, stderr } = await socialInProcess(line, { home, env });
    expect(exitCode).toBe(0);
    expect(service.requests).toHaveLength(2);
    // Both requests are shown, and neither token.
    const statuses = stderr.match(/^(?:> POST|> authorization: .*|< HTTP \d+)/gm);
    const shown = ['> POST', '> authorization: Bearer [redacted]'];
    expect(statuses).toEqual([...shown, '< HTTP 401', ...shown, '< HTTP 200']);
    for (const text of [OLD, NEW]) expect(stdout + stderr).not.toContain(text);
    const set = { SOCIAL_TOKEN: OLD, SOCIAL_BASE_URL: service.url };
    expect((await socialInProcess(['posts', 'retry', idOf(1)], { home, env: set })).exitCode).toBe(
      4,
    );
    expect(service.requests).toHaveLength(3);
  });
});
