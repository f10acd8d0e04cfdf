// Accounts by platform: the one that a command uses, where it says so, and that a wrong one is refused before sending.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { type RunOptions, testCli } from '../support/test-cli.ts';

const url = 'https://api.example.com';
const split = (line: string) => line.split(' ');

/** A home with the context prod, which has accounts on two platforms and a plain default. */
async function withAccounts() {
  const home = freshHome();
  const run = (line: string, env: Record<string, string> = {}) =>
    socialInProcess(split(line), { home, env });
  const accounts =
    '-a mastodon=AccountMastodonA -a bluesky=AccountBlueskyAa --account AccountPlainAaaa';
  const made = await run(`context set prod --base-url ${url} ${accounts}`);
  expect(made.exitCode).toBe(0);
  const config = () =>
    JSON.parse(readFileSync(join(home, '.config/social/config.json'), 'utf8')) as {
      contexts: Record<string, { account?: string; accounts?: Record<string, string> }>;
    };
  return { home, run, config };
}

const MASTODON = 'accounts mastodon mute 1';

describe('context set --account', () => {
  it('keeps one for each platform, replaces one, and removes one', async () => {
    const { run, config } = await withAccounts();
    await run('context set prod --account mastodon=AccountMastodonB,discord=AccountDiscordAa');
    await run('context set prod --account bluesky=');
    expect(config().contexts['prod']).toMatchObject({
      account: 'AccountPlainAaaa',
      accounts: { mastodon: 'AccountMastodonB', discord: 'AccountDiscordAa' },
    });
    await run('context set prod --account mastodon= -a discord= --no-account');
    expect(config().contexts['prod']).toEqual({ baseUrl: url });
  });

  it.each([
    ['mastodn=AccountMastodonA', 'has an unknown platform, "mastodn"', 'did you mean mastodon?'],
    ['mastodon=short', 'must be exactly 16 letters', 'error'],
    ['Account1MastodonA', 'must be exactly 16 letters a-z A-Z, but character 8 is "1"', 'error'],
    ['=AccountMastodonA', 'has an unknown platform, ""', 'platforms: twitter'],
  ])('rejects %s', async (given, problem, fix) => {
    const { run, config } = await withAccounts();
    const before = config();
    const { exitCode, stderr } = await run(`context set prod --account ${given}`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--account ${problem}`);
    expect(stderr).toContain(fix);
    expect(config()).toEqual(before);
  });
});

describe('the account of a command', () => {
  it.each([
    [MASTODON, {}, 'AccountMastodonA'],
    ['accounts bluesky send 3kconv --text hi', {}, 'AccountBlueskyAa'],
    ['accounts discord channels', {}, 'AccountPlainAaaa'],
    ['discord roles 1', {}, 'AccountPlainAaaa'],
    ['connect facebook pages', {}, 'AccountPlainAaaa'],
    [MASTODON, { SOCIAL_ACCOUNT: 'AccountFromEnvAa' }, 'AccountFromEnvAa'],
    [`${MASTODON} -a AccountFromFlagA`, { SOCIAL_ACCOUNT: 'AccountFromEnvAa' }, 'AccountFromFlagA'],
  ])('%s', async (line, env, account) => {
    const { run } = await withAccounts();
    expect((await run(`${line} -n`, env)).stdout).toContain(account);
  });

  it('is shown with its source by context show, auth status and --debug', async () => {
    const { run } = await withAccounts();
    const all =
      'mastodon: AccountMastodonA, bluesky: AccountBlueskyAa, else AccountPlainAaaa (the context’s account)';
    const show = async (env = {}) =>
      JSON.parse((await run('context show --json', env)).stdout) as Record<string, unknown>;
    expect(await show()).toMatchObject({
      account: 'AccountPlainAaaa',
      accounts: { mastodon: 'AccountMastodonA', bluesky: 'AccountBlueskyAa' },
      accountInUse: all,
    });
    const env = { SOCIAL_ACCOUNT: 'AccountFromEnvAa' };
    expect(await show(env)).toMatchObject({ accountInUse: 'AccountFromEnvAa (SOCIAL_ACCOUNT)' });
    const text = await run('context show');
    expect(text.stdout).toContain('mastodon=AccountMastodonA, bluesky=AccountBlueskyAa');
    const status = await run('auth status --json', { SOCIAL_TOKEN: 'tok-0123456789' });
    expect(JSON.parse(status.stdout)).toContainEqual(
      expect.objectContaining({ context: 'prod', account: all }),
    );
    expect((await run(`${MASTODON} -n --debug`)).stderr).toContain(
      'account: AccountMastodonA (the context’s account for mastodon)\n',
    );
    expect((await run('discord roles 1 -n --debug')).stderr).toContain(
      'account: AccountPlainAaaa (the context’s account)\n',
    );
  });

  it('is rejected when it is known to be on another platform, in a list by line number', async () => {
    const { run } = await withAccounts();
    const wrong = await run(`${MASTODON} -a AccountBlueskyAa -n`);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain(
      'error: --account AccountBlueskyAa is on bluesky; this needs an account on mastodon\n' +
        '  known on mastodon: AccountMastodonA\n',
    );
    const env = { SOCIAL_ACCOUNT: 'AccountBlueskyAa' };
    expect((await run(`${MASTODON} -n`, env)).stderr).toContain(
      'SOCIAL_ACCOUNT AccountBlueskyAa is on',
    );
    // An account of an unknown platform is left to the service to judge.
    expect((await run(`${MASTODON} -a AccountUnknownAa -n`)).exitCode).toBe(0);
    const { home } = await withAccounts();
    const list = await socialInProcess(split('accounts mastodon mute --from -'), {
      home,
      input: '{"statusId":"1"}\n{"statusId":"2","accountId":"AccountBlueskyAa"}\n',
    });
    expect(list.stderr).toContain('line 2: --account AccountBlueskyAa is on bluesky');
  });
});

describe('an account shown by an earlier command', () => {
  const terminal: RunOptions = {
    columns: 100,
    env: { NO_COLOR: '1', SOCIAL_TOKEN: 'tok-0123456789' },
  };
  const post = {
    id: 'PostSpringLaunch',
    targets: [{ id: 'TargetSpringMasu', platform: 'mastodon', accountId: 'AccountMastodonB' }],
  };

  it('is remembered: a call for another platform is rejected', async () => {
    const server = await recordingServer(() => successResponse(JSON.stringify(post)));
    const { social } = testCli();
    const run = (line: string) => social(split(line), terminal);
    await run(`context set prod --base-url ${server.url}`);
    expect(await run('posts get PostSpringLaunch')).toMatchObject({ exitCode: 0 });
    const wrong = await run('accounts bluesky send 3kconv --text hi -a AccountMastodonB');
    expect(wrong.stderr).toContain(
      'AccountMastodonB is on mastodon; this needs an account on bluesky',
    );
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});
