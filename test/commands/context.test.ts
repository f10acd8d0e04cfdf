// Contexts as they are made, changed and deleted: what is said, what asks first, what can be removed again.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { atTerminal } from '../support/terminal.ts';

const run = (home: string, line: string) => socialInProcess(line.split(' '), { home });
const stored = (home: string) =>
  JSON.parse(readFileSync(join(home, '.config/social/config.json'), 'utf8')) as {
    context?: string;
    contexts: Record<string, unknown>;
  };

/** A home with the contexts `first`, which is in use, and `prod`, which is protected. */
async function twoContexts() {
  const home = freshHome();
  const made = [
    await run(home, 'context set first --base-url https://a.example.com'),
    await run(home, 'context set prod --base-url https://b.example.com --protected'),
  ];
  return { home, made };
}

describe('context set', () => {
  it('says whether it created or updated a context, and that it switched to the first one', async () => {
    const { home, made } = await twoContexts();
    expect(made.map(({ stderr }) => stderr)).toEqual([
      'Created context "first". Switched to context "first".\n',
      'Created context "prod".\n',
    ]);
    expect((await run(home, 'context set prod -o json')).stderr).toBe('Updated context "prod".\n');
    expect((await run(home, 'context use prod')).stderr).toBe('Switched to context "prod".\n');
    expect(stored(home).context).toBe('prod');
  });

  it('warns that the paths of the API begin with the end of a base URL', async () => {
    const warning =
      'warning: the base URL ends in /v1: the paths of the API already begin with /v1; did you mean https://a.example.com/api\n';
    for (const quiet of ['', ' -q']) {
      const home = freshHome();
      const line = `context set a --base-url https://a.example.com/api/v1${quiet}`;
      const { exitCode, stderr } = await run(home, line);
      expect(exitCode).toBe(0);
      expect(stderr).toContain(warning);
      expect((await run(home, 'context set a -o json')).stderr).not.toContain('warning');
    }
    const other = await run(freshHome(), 'context set a --base-url https://v1.example.com/v2');
    expect(other.stderr).not.toContain('warning');
  });

  it('refuses an address to which no call sends a token', async () => {
    const { exitCode, stderr } = await run(
      freshHome(),
      'context set a --base-url http://a.example',
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--base-url must be https://host[:port][/path], or http:// to this');
  });

  it.each([
    ['account', '--account AccountMastodonA', '--no-account'],
    ['output', '-o json', '--no-output'],
    ['tokenCommand', '--token-command true', '--no-token-command'],
  ])('unsets %s, and nothing else', async (key, given, flag) => {
    const { home } = await twoContexts();
    const before = stored(home).contexts['prod'];
    await run(home, `context set prod ${given}`);
    expect(stored(home).contexts['prod']).toHaveProperty(key);
    expect((await run(home, `context set prod ${flag}`)).exitCode).toBe(0);
    expect(stored(home).contexts['prod']).toEqual(before);
  });

  it.each([
    ['--account AccountMastodonA --no-account', '--account', '--no-account'],
    ['-o tsv --no-output', '--output', '--no-output'],
    ['--token-command true --no-token-command', '--token-command', '--no-token-command'],
    ['--protected --no-protected', '--protected', '--no-protected'],
  ])('rejects %s: they contradict each other', async (typed, flag, opposite) => {
    const { home } = await twoContexts();
    const before = stored(home);
    const { exitCode, stderr } = await run(home, `context set prod ${typed}`);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `error: ${flag} cannot be combined with ${opposite}\ntry: social context set --help\n`,
    });
    expect(stored(home)).toEqual(before);
    const json = await run(home, 'context set prod --json --no-output');
    expect(json.stderr).toContain('--json cannot be combined with --no-output');
  });

  it('removes the default account when it sets one for a platform', async () => {
    const { home } = await twoContexts();
    await run(home, 'context set prod --account AccountMastodonA');
    await run(home, 'context set prod --account mastodon=AccountMastodonA --no-account');
    expect(stored(home).contexts['prod']).toMatchObject({
      accounts: { mastodon: 'AccountMastodonA' },
    });
    expect(stored(home).contexts['prod']).not.toHaveProperty('account');
  });
});

describe('the sandbox as current context', () => {
  const get = ['posts', 'get', 'PostAutumnRecaps', '--json', '-q'];

  it('yields to a base URL of a flag or a variable, unless it is named on the line', async () => {
    const service = await recordingServer(successResponse('{"id":"PostAutumnRecaps"}'));
    const home = freshHome();
    await run(home, 'context use sandbox');
    const at = (url: string, ...words: string[]) =>
      socialInProcess([...words, ...get], {
        home,
        env: { SOCIAL_TOKEN: 'of-mine', SOCIAL_BASE_URL: url },
      });
    expect((await at('', '-q')).stdout).toContain('"title"');
    expect((await at(service.url)).stdout).toBe('{"id":"PostAutumnRecaps"}\n');
    expect((await at('', '--base-url', service.url)).stdout).toBe('{"id":"PostAutumnRecaps"}\n');
    expect(service.requests).toHaveLength(2);
    expect((await at(service.url, '-C', 'sandbox')).stdout).toContain('"title"');
    const env = { SOCIAL_CONTEXT: 'sandbox', SOCIAL_BASE_URL: service.url };
    expect((await social(get, { home, env })).stdout).toContain('"title"');
    const both = await socialInProcess([...get, '--base-url', service.url], { home, env });
    expect(both).toMatchObject({ exitCode: 2, stdout: '' });
    expect(service.requests).toHaveLength(2);
  });
});

describe('context current', () => {
  it('prints only the name with -q', async () => {
    const { home } = await twoContexts();
    expect(await run(home, 'context current')).toMatchObject({ stdout: 'first\n', stderr: '' });
    expect((await run(home, 'context current -C prod -q')).stdout).toBe('prod\n');
    expect((await run(home, 'context current --json')).stdout).toBe('"first"\n');
  });

  it('fails with 2 if there is no current context, silently with -q', async () => {
    const home = freshHome();
    const { exitCode, stderr } = await run(home, 'context current');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: there is no current context\ntry: social context list\n',
    });
    const quiet = await run(home, 'context current -q');
    expect(quiet).toMatchObject({ exitCode: 2, stdout: '', stderr: '' });
  });
});

describe('auth login --use --protected', () => {
  it('switches to the context and protects it', async () => {
    const { home } = await twoContexts();
    const words = 'auth login -C new --base-url https://c.example.com --no-check';
    const { exitCode, stderr } = await social(
      [...words.split(' '), '--insecure-storage', '--use', '--protected'],
      { home, input: 'tok-0123456789\n' },
    );
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Switched to context "new".\n');
    expect(stderr).not.toContain('The current context is still');
    expect(stored(home)).toMatchObject({
      context: 'new',
      contexts: { new: { protected: true, baseUrl: 'https://c.example.com' } },
    });
  });
});

describe('context delete', () => {
  it('of a protected context requires confirmation, and without a terminal suggests the command for it', async () => {
    const { home } = await twoContexts();
    const refused = await social(['context', 'delete', 'prod'], { home });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toBe(
      'error: confirmation required: context delete "prod", a protected context\n' +
        'try: social context delete prod --yes\n',
    );
    expect(stored(home).contexts).toHaveProperty('prod');
    const wrong = await run(home, 'context delete prod --confirm first');
    expect(wrong.exitCode).toBe(2);
    const done = await run(home, 'context delete prod --confirm prod');
    expect([done.exitCode, done.stderr]).toEqual([0, 'Deleted context "prod".\n']);
    expect(stored(home).contexts).not.toHaveProperty('prod');
  });

  it('of a protected context asks at a terminal, and keeps it after a no', async () => {
    const { home } = await twoContexts();
    const screen = atTerminal(['context', 'delete', 'prod'], { home });
    await screen.waitFor('Delete the protected context "prod", for https://b.example.com?');
    screen.type('n');
    screen.press('enter');
    expect((await screen.ended()).exitCode).toBe(3);
    expect(stored(home).contexts).toHaveProperty('prod');
  });
});

it.each([
  ['', 'log in with: social -C prod auth login --base-url https://…'],
  [' --token-command true', 'set it with: social context set prod --base-url https://…'],
])('an unset base URL is an error with the command that sets it%s', async (flags, fix) => {
  const home = freshHome();
  await run(home, `context set prod --protected${flags}`);
  const { exitCode, stderr } = await run(home, 'posts get PostSpringLaunch');
  expect(exitCode).toBe(4);
  expect(stderr).toContain(`error: no service is configured in context prod\n  ${fix}\n`);
});
