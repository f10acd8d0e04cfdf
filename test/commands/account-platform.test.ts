// Accounts by platform: the one that a command uses, and where it says so.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome } from '../support/program.ts';

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
    ['AccountPlainAaaa,AccountOtherAaaa', 'names two accounts for all platforms', 'error'],
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

  it('is shown with its source by context show and auth status', async () => {
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
    expect(text.stdout).toContain('mastodon: AccountMastodonA, bluesky: AccountBlueskyAa');
    const status = await run('auth status --json', { SOCIAL_TOKEN: 'tok-0123456789' });
    expect(JSON.parse(status.stdout)).toContainEqual(
      expect.objectContaining({ context: 'prod', account: all }),
    );
  });
});
