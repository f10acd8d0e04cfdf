// The nineteenth operation: the code of CONTRIBUTING.md, added to a copy of src/, compiles, builds and is used. What
// generic code knows of single operations shows here: it would have to be changed too. The copy also has the addresses
// that its publisher sets in package.json.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpClient } from '../support/mcp-client.ts';
import { root, social } from '../support/program.ts';
import { CANARY } from '../support/token-leak-check.ts';

const CODE = 'wintergreen7';
const ACCOUNT = 'AccountDiscordAa';
const WORDS = ['accounts', 'discord', 'invite'];
const place = mkdtempSync(join(tmpdir(), 'social-nineteenth-'));
const program = join(place, 'bin/social.js');

const addresses = {
  homepage: 'https://docs.example/social',
  bugs: { url: 'https://bugs.example/social' },
};

/** The blocks of code in the section, each with the file that the words before it name last. */
function blocks(): readonly (readonly [file: string, code: string])[] {
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const [, section = ''] = page.split('## The nineteenth operation');
  const found = section.split(/^## /m)[0]!.matchAll(/`(src\/[^`]+\.ts)`[^]*?```ts\n([^]*?)```/g);
  return Array.from(found, ([, file, code]) => [file!, code!] as const);
}

/** A method goes into the object of its area; everything else to the end of the file. */
function added(source: string, code: string): string {
  if (!code.startsWith(' ')) return `${source}\n${code}`;
  return source.replace(/^(export const accounts: .* = \{\n)/m, (start) => start + code);
}

const run = (script: string, ...args: readonly string[]) =>
  execa(process.execPath, [script, ...args], { cwd: place, reject: false });

let printed = '';

beforeAll(async () => {
  for (const part of ['src', 'bin', 'scripts', 'package.json', 'SKILL.md'])
    cpSync(join(root, part), join(place, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  for (const [file, code] of blocks()) {
    const path = join(place, file);
    writeFileSync(path, added(readFileSync(path, 'utf8'), code));
  }
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
  writeFileSync(join(place, 'package.json'), JSON.stringify({ ...manifest, ...addresses }));
  const config = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as object;
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ ...config, include: ['src'] }));
  const done = await Promise.all([
    run(join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'),
    run('scripts/build.mjs'),
  ]);
  const failed = done.filter(({ exitCode }) => exitCode !== 0);
  if (failed.length > 0)
    throw new Error(failed.map(({ stdout, stderr }) => stdout + stderr).join());
  printed = done.map(({ stdout, stderr }) => stdout + stderr).join('');
  const { stdout } = await execa(process.execPath, [program, '__tree'], built);
  writeFileSync(join(place, 'dist/completion.json'), stdout);
}, 120_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** The program that was built with the operation, with one code cache for all its runs: its build has filled none. */
const built = { program, env: { XDG_CACHE_HOME: join(place, 'cache') } };

const invite = (...more: readonly string[]) => social([...WORDS, ...more], built);

describe('the operation of CONTRIBUTING.md', () => {
  it('is added in the three kinds of file alone', () => {
    expect(blocks().map(([file]) => file)).toEqual([
      'src/api/schema/account.ts',
      'src/api/operations/accounts.ts',
      'src/sandbox/handlers/accounts.ts',
    ]);
  });

  it('compiles and builds without a word', () => expect(printed).toBe(''));

  it('is a command with help, and is completed', async () => {
    const { stdout, exitCode } = await invite('--help');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('social accounts discord invite <invite-code> -a <id> [flags]');
    expect(stdout).toMatch(/-a, --account <id> +Account ID/);
    expect(stdout).toMatch(/--wait +Wait until paired or expired/);
    const typed = ['__complete', 'social accounts discord '];
    expect((await social(typed, built)).stdout).toMatch(/^invite\b/m);
  });

  it('validates its input before anything is sent', async () => {
    const { stderr, exitCode } = await invite('..', '-C', 'sandbox');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--account is required; use -a, or set SOCIAL_ACCOUNT');
    expect(stderr).toContain('invite code cannot be ".."');
  });

  it('is called with the account of the environment, and shown with its labels and tones', async () => {
    const setting = { program, env: { ...built.env, SOCIAL_ACCOUNT: ACCOUNT } };
    const { stdout, exitCode } = await social(
      [...WORDS, CODE, '-C', 'sandbox', '-o', 'table'],
      setting,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^status: +◌ pending$/m);
    expect(stdout).toMatch(/^questions: +2$/m);
    expect(stdout).toMatch(/^expires: +in 10 minutes$/m);
    expect(stdout).toMatch(/^invite code: +wintergreen7$/m);
  });

  it('is waited for', async () => {
    const waiting = [
      '-a',
      ACCOUNT,
      '-C',
      'sandbox',
      '-o',
      'table',
      '--wait',
      '--interval',
      '300ms',
    ];
    const { stdout, stderr, exitCode } = await invite(CODE, ...waiting);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^status: +✓ connected$/m);
    expect(stderr).toMatch(/^\+\d+s pairing pending → connected$/m);
    const late = await invite('unanswered', ...waiting, '--wait-timeout', '100ms');
    expect(late.exitCode).toBe(8);
    expect(late.stderr).toContain(
      'try: social -C sandbox accounts discord invite <invite-code> --wait\n',
    );
  });

  it('never shows its credential but in the result', async () => {
    const called = ['-a', ACCOUNT, '-C', 'sandbox', '--json'];
    const debugged = await invite(CODE, ...called, '--debug');
    expect(debugged.stderr).toContain(`/v1/accounts/${ACCOUNT}/discord-invites/[redacted]`);
    expect(debugged.stderr).not.toContain(CODE);
    expect(JSON.parse(debugged.stdout)).toMatchObject({
      inviteCode: CODE,
      guildId: expect.stringMatching(/^\d+$/) as unknown,
    });
    const path = `/v1/accounts/${ACCOUNT}/discord-invites/${CODE}`;
    const other = await social(['api', 'GET', path, '-C', 'sandbox'], built);
    expect(JSON.parse(other.stdout)).toMatchObject({ inviteCode: '[redacted]', status: 'pending' });
  });

  it('shows its request in a dry run', async () => {
    const { stdout, exitCode } = await invite(CODE, '-a', ACCOUNT, '--dry-run');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`/v1/accounts/${ACCOUNT}/discord-invites/${CODE}`);
  });

  it('is in JSON Schema, without the words of the command line', async () => {
    const own = await social(['schema', ...WORDS], built);
    expect(JSON.parse(own.stdout)).toMatchObject({
      input: { required: ['inviteCode', 'accountId'] },
    });
    expect(own.stdout).not.toMatch(/"(?:tones|look|fromContext)":/);
  });

  it('is a tool of the agent', async () => {
    const { tools, call } = await mcpClient(['-C', 'sandbox'], built);
    const name = 'accounts_discord_invite';
    expect((await tools()).map((tool) => tool.name)).toContain(name);
    const { isError, data } = await call(name, { inviteCode: CODE, accountId: ACCOUNT });
    expect({ isError, data }).toMatchObject({ isError: false, data: { status: 'pending' } });
  });
});

describe('the addresses of package.json', () => {
  /** Throws inside of the program where it opens a connection. */
  const throwing = () => {
    const path = join(place, 'throwing.cjs');
    writeFileSync(
      path,
      `require('node:net').Socket.prototype.connect = function () {
        process.nextTick(() => { throw new Error('boom'); });
        return this;
      };`,
    );
    return { NODE_OPTIONS: `--require ${JSON.stringify(path)}` };
  };
  const get = ['posts', 'get', 'PostSpringLaunch', '--base-url', 'http://127.0.0.1:9'];
  const env = { ...built.env, SOCIAL_TOKEN: CANARY };

  it('stand in an internal error and in help', async () => {
    const failed = await social(get, { program, env: { ...env, ...throwing() } });
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(
      `error: internal error; please report it: ${addresses.bugs.url}\n`,
    );
    const { stdout } = await social(['help', 'flags'], built);
    for (const address of [addresses.homepage, addresses.bugs.url])
      expect(stdout).toContain(address);
    expect((await social(['posts', 'retry', '--help'], built)).stdout).toContain(
      addresses.homepage,
    );
  });

  it('are named nowhere as long as they are not set', async () => {
    const failed = await social(get, { env: { ...env, ...throwing() } });
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/^error: internal error$/m);
    const pages = [['help', 'flags'], ['posts', 'retry', '--help'], ['--help']];
    for (const page of pages) {
      const { stdout, exitCode } = await social(page);
      expect(exitCode).toBe(0);
      expect(stdout).not.toMatch(/^(?:Docs|Bugs)|https?:\/\/(?!\S*(?:example|127\.0\.0\.1))/m);
    }
  });
});
