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

/** The IDs of a question, which was asked. */
const idsOf = (offers: readonly Offer[] | undefined) => offers!.map(([value]) => value);

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

  const POST = 'PostPartialAaaaa';
  it.each([
    ['posts get', 'Post ID', 'PostScheduledAaa PostPartialAaaaa PostPublishedAaa PostOldFailedAaa'],
    [
      'posts reply --text Hi',
      'Post ID',
      'PostScheduledAaa PostPartialAaaaa PostPublishedAaa PostOldFailedAaa',
    ],
    // The targets are those of the post that was answered before.
    ['posts reply --text Hi', 'Target ID', ''],
    [`posts reply ${POST} --text Hi`, 'Target ID', 'TargetFailedAaaa TargetSentAaaaaa'],
    // Those of the platform, and those of unknown platform.
    ['accounts mastodon favourite 113', 'Account ID', 'AccountMastodonA AccountTypedAaaa'],
    ['accounts discord channels', 'Account ID', 'AccountDiscordAa AccountTypedAaaa'],
    ['discord pins add', 'Channel ID', '112233445566778899'],
    ['discord pins add', 'Message ID', '998877665544332211'],
    // Pairings are secret, and a text is free.
    ['connect telegram session', 'Session ID', ''],
    [`posts reply ${POST} --target TargetSentAaaaaa`, 'Text of the reply, 1 to 300 characters', ''],
  ])('%s: %s %s', async (line, question, ids) => {
    const { [question]: offers } = await (await machine()).offered(line);
    expect(idsOf(offers).join(' ')).toBe(ids);
  });

  it.each([
    ['target', `posts reply ${POST} --target`, undefined, 'TargetFailedAaaa TargetSentAaaaaa'],
    [
      'account',
      'accounts mastodon favourite 113 --account',
      'mastodon',
      'AccountMastodonA AccountTypedAaaa',
    ],
  ])('the %s that completion offers: %s', async (kind, line, platform, ids) => {
    const { completed } = await machine();
    expect(idsOf(completed(kind, line, platform)).join(' ')).toBe(ids);
  });
});
