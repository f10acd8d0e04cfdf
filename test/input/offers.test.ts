// The IDs that a prompt offers: those seen here that fit, as completion offers them for the line.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Offer, TextQuestion } from '../../src/base/runtime.ts';
import { candidates } from '../../src/commands/completion/complete.ts';
import { testCli } from '../support/test-cli.ts';

const env = { SOCIAL_CONTEXT: 'sandbox' };

/** IDs seen, the oldest first: kind, ID, word, owner. */
const seen = [
  ['post', 'PostOldFailedAaa', 'Lost, failed'],
  ['post', 'PostPublishedAaa', 'Fine, published'],
  ['post', 'PostPartialAaaaa', 'Half, partial'],
  ['post', 'PostScheduledAaa', 'Later, scheduled'],
  ['target', 'TargetSentAaaaaa', 'mastodon, published', 'PostPartialAaaaa'],
  ['target', 'TargetFailedAaaa', 'linkedin, failed', 'PostPartialAaaaa'],
  ['target', 'TargetOfOtherAaa', 'twitter, published', 'PostPublishedAaa'],
  ['account', 'AccountTypedAaaa', ''],
  ['account', 'AccountMastodonA', 'mastodon', 'mastodon'],
  ['account', 'AccountDiscordAa', 'discord', 'discord'],
  ['status', '113000000000000001', ''],
  ['channel', '112233445566778899', 'launch-room'],
  ['message', '998877665544332211', ''],
] as const;

/** A machine that has seen these IDs; gives what each prompt of a line offers, by its message. */
async function machine() {
  const { social, folder } = testCli();
  const stateDir = join(folder, 'state');
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const lines = seen.map((cells) => ['sandbox', ...cells].join('\t'));
  writeFileSync(join(stateDir, 'seen.tsv'), `${lines.join('\n')}\n`, { mode: 0o600 });
  const offered = async (line: string): Promise<Readonly<Record<string, readonly Offer[]>>> => {
    const asked: Record<string, readonly Offer[]> = {};
    const text = async ({ message, offers = [], validate }: TextQuestion) => {
      asked[message] = offers;
      const [first] = offers.find(([value]) => validate(value) === undefined) ?? ['Hello'];
      return first;
    };
    await social([...line.split(' '), '--dry-run'], { env, columns: 120, ask: { text } });
    return asked;
  };
  const completed = (kind: string, words: string, platform?: string) =>
    candidates(kind, {
      env,
      configDir: () => join(folder, 'config'),
      stateDir: () => stateDir,
      words: words.split(' '),
      platform,
    });
  return { social, offered, completed };
}

const idsOf = (offers: readonly Offer[] = []) => offers.map(([value]) => value);

describe('a prompt offers', () => {
  it('for a post the IDs, newest first, with title and status', async () => {
    const { offered, completed } = await machine();
    const { 'Post ID': posts = [] } = await offered('posts get');
    expect(posts).toEqual([
      ['PostScheduledAaa', 'Later, scheduled'],
      ['PostPartialAaaaa', 'Half, partial'],
      ['PostPublishedAaa', 'Fine, published'],
      ['PostOldFailedAaa', 'Lost, failed'],
    ]);
    expect(completed('post', 'posts get')).toEqual(posts);
  });

  it('for a reply only targets of the post', async () => {
    const { offered, completed } = await machine();
    const post = 'PostPartialAaaaa';
    const { 'Target ID': targets = [] } = await offered(`posts reply ${post} --text Hi`);
    expect(idsOf(targets)).toEqual(['TargetFailedAaaa', 'TargetSentAaaaaa']);
    expect(completed('target', `posts reply ${post} --target`)).toEqual(targets);
  });

  it('for a reply the targets of the post answered before', async () => {
    const { offered } = await machine();
    const asked = await offered('posts reply --text Hi');
    expect(idsOf(asked['Post ID'])[0]).toBe('PostScheduledAaa');
    expect(asked['Target ID']).toEqual([]);
  });

  it('accounts of the platform, and those of unknown platform', async () => {
    const { offered, completed } = await machine();
    const { 'Account ID': accounts } = await offered('accounts mastodon favourite 113');
    expect(idsOf(accounts)).toEqual(['AccountMastodonA', 'AccountTypedAaaa']);
    const line = 'accounts mastodon favourite 113 --account';
    expect(completed('account', line, 'mastodon')).toEqual(accounts);
    const { 'Account ID': own } = await offered('accounts discord channels');
    expect(idsOf(own)).toEqual(['AccountDiscordAa', 'AccountTypedAaaa']);
  });

  it('channels, messages and statuses from earlier responses', async () => {
    const { offered } = await machine();
    const asked = await offered('discord pins add');
    expect(asked['Channel ID']).toEqual([['112233445566778899', 'launch-room']]);
    expect(idsOf(asked['Message ID'])).toEqual(['998877665544332211']);
  });

  it('no pairings, and nothing for a text', async () => {
    const { offered } = await machine();
    expect(await offered('connect telegram session')).toEqual({
      'Session ID': [],
    });
    expect(
      (await offered('posts reply PostPartialAaaaa --target TargetSentAaaaaa'))[
        'Text of the reply, 1 to 300 characters'
      ],
    ).toEqual([]);
  });
});

it('channels after they were listed', async () => {
  const { social } = testCli();
  const account = ['-a', 'AccountDiscordAa'];
  await social(['accounts', 'discord', 'channels', ...account], { env, columns: 120 });
  const asked: Record<string, readonly string[]> = {};
  const text = async ({ message, offers }: TextQuestion) => {
    asked[message] = idsOf(offers);
    return '112233445566778899';
  };
  const line = ['discord', 'pins', 'add', '--dry-run', ...account];
  await social(line, { env, columns: 120, ask: { text } });
  expect(asked['Channel ID']).toContain('112233445566778899');
  expect(asked['Message ID']).toEqual([]);
});

it('the failed posts of a triage for a retry, by their titles', async () => {
  const { social } = testCli();
  const posts = ['PostAutumnRecaps', 'PostSpringLaunch', 'PostSummerPromos'];
  await social(['posts', 'triage', ...posts], { env, columns: 120 });
  let offers: readonly Offer[] = [];
  const text = async (question: TextQuestion) => {
    offers = question.offers ?? [];
    return offers[0]?.[0] ?? 'PostWithoutOffer';
  };
  const line = ['posts', 'retry', '--dry-run', '--json'];
  const { stdout } = await social(line, { env, columns: 120, ask: { text } });
  expect(offers).toContainEqual(['PostSpringLaunch', 'Spring launch 🌱 春の新作, partial']);
  expect(idsOf(offers)).not.toContain('PostAutumnRecaps');
  expect(stdout).toContain(`/v1/posts/${offers[0]?.[0]}/retry`);
});
