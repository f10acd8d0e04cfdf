// Small faults in the rules of what may be sent, each of which no other test has noticed.

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgeRetry } from '../../src/api/operations/settle.ts';
import { seenIn } from '../../src/api/operations/part-states.ts';
import { targetPost } from '../support/posts.ts';
import { A, B, linkedin, lost, OLD, P, stageOf, stamp, twitter, whole } from './service.ts';

const named = { postId: P, targetIds: [A] };

it('a target that is listed twice, once as before and once anew, has failed again', () => {
  const date = Date.parse(OLD);
  const seen = seenIn(targetPost([twitter('failed', OLD, 'HTTP 503')]), date);
  const now = targetPost([
    twitter('failed', OLD, 'HTTP 503'),
    twitter('failed', '2026-03-02T09:00:30.000Z', 'Too long.'),
  ]);
  const change = { parts: [A], seen, date, gatewayAnswered: false };
  const read = { date: date + 120_000, isCached: false };
  expect(judgeRetry(now, read, change).verdict).toBe('failed');
});

it('at a service without a clock, an accepted target that reads as before is not sent again', async () => {
  const { stage, sent, batch, env } = await stageOf(twitter('failed'));
  // The history knows it too: here the journal alone does.
  Object.assign(env, { SOCIAL_NO_HISTORY: '1' });
  stage.aheadMs = undefined;
  await batch([P]);
  await batch([P]);
  await batch([named]);
  expect(sent).toEqual([[A]]);
});

it('a record that names a published target finishes nothing else of its post', async () => {
  const { stage, sent, batch } = await stageOf(twitter('published'), linkedin('failed'));
  await batch([named]);
  await batch([named]);
  stage.onRetry = () => void (stage.shows = [twitter('published'), linkedin('published', stamp())]);
  await batch([P]);
  expect(sent).toEqual([[B]]);
});

it.each([[[]], [['--journal']]])(
  'no file names a target that failed in words that say it may be published (%j)',
  async (journal) => {
    const { stage, sent, at, run } = await stageOf(twitter('failed'), linkedin('failed'));
    const failed = [
      twitter('failed', stamp(), 'Accepted by X, but no id was returned.'),
      linkedin('failed', stamp(), 'The text is too long.'),
    ];
    // A failure that only the answer shows is believed half a minute later.
    stage.onRetry = () => void setImmediate(() => (stage.shows = failed));
    writeFileSync(at('list'), `${P}\n`);
    const files = ['--failures-to', at('left'), ...journal, ...journal.map(() => at('journal'))];
    await run('posts', 'retry', '--from', at('list'), '--failed', ...files, ...whole);
    expect(sent).toEqual([[A, B]]);
    expect(readFileSync(at('left'), 'utf8')).toContain(`{"postId":"${P}","targetIds":["${B}"]}\n`);
  },
);

it.each([
  ['Accepted by X, but no id was returned.', 'cannot tell'],
  ['This is a duplicate of another post.', 'cannot tell'],
  ['The text is too long.', 'failed'],
])('a lost retry whose target failed with %j since: %s', async (error, verdict) => {
  const { stage, run } = await stageOf(twitter('failed'));
  stage.onRetry = () => lost;
  await run('posts', 'retry', P, '--failed');
  stage.shows = [twitter('failed', stamp(), error)];
  stage.aheadMs = 120_000;
  const { stdout } = await run('history', 'settle', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ items: [{ verdict }] });
});

it('a named target that needs a person is sent, unless its platform has it', async () => {
  const { stage, sent, batch } = await stageOf();
  const posted = { ...twitter('action_required'), platformPostId: '1893' };
  stage.shows = [posted, linkedin('action_required')];
  await batch([named]);
  await batch([{ postId: P, targetIds: [A, B] }]);
  expect(sent).toEqual([[B]]);
});

describe('the history of an accepted retry', () => {
  const retry = ['posts', 'retry', P, '--failed'];

  it('holds for half a minute by the service, and each one starts anew', async () => {
    const { stage, sent, run } = await stageOf(twitter('failed'));
    await run(...retry);
    stage.aheadMs = 20_000;
    await run(...retry);
    expect(sent).toHaveLength(1);
    stage.aheadMs = 40_000;
    await run(...retry);
    expect(sent).toHaveLength(2);
    stage.aheadMs = 60_000;
    await run(...retry);
    expect(sent).toHaveLength(2);
  });

  it('is about the post of its own service', async () => {
    const [here, there] = [await stageOf(twitter('failed')), await stageOf(twitter('failed'))];
    await here.run(...retry);
    here.env.SOCIAL_BASE_URL = there.env.SOCIAL_BASE_URL;
    await here.run(...retry);
    expect([here.sent, there.sent]).toEqual([[[A]], [[A]]]);
  });
});
