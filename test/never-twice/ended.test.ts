// A retry has ended only when a read proves it: a state that was seen up to its acceptance, and one that lags behind, prove nothing. A second
// request follows only what has surely failed again.

import { describe, expect, it } from 'vitest';
import { A, B, brief, linkedin, OLD, P, stageOf, stamp, twitter } from './service.ts';

const retry = ['posts', 'retry', P, '--failed'];
const ID = { postId: P };

describe('a service that touches updatedAt when it accepts a retry, and leaves it failed', () => {
  it.each([
    ['in its answer', true],
    ['after its answer', false],
  ])('%s: the target is still pending, and not sent again', async (_what, isShown) => {
    const { stage, sent, run } = await stageOf(twitter('failed', OLD, 'HTTP 503'));
    stage.onRetry = () => {
      const touched = [twitter('failed', stamp(), 'HTTP 503')];
      if (isShown) stage.shows = touched;
      else setImmediate(() => (stage.shows = touched));
    };
    expect((await run(...retry, ...brief)).exitCode).toBe(8);
    // The two lines that the wait offers.
    expect((await run('posts', 'wait', P, ...brief.slice(1), '--target', A)).exitCode).toBe(8);
    expect((await run(...retry)).exitCode).toBe(0);
    expect(sent).toEqual([[A]]);
  });

  it('with a journal, too, in each run until it has ended', async () => {
    const { stage, sent, batch } = await stageOf(twitter('failed', OLD, 'HTTP 503'));
    stage.onRetry = () => void (stage.shows = [twitter('failed', stamp(), 'HTTP 503')]);
    expect((await batch([P], ...brief)).exitCode).toBe(8);
    const again = await batch([P], ...brief, '--json');
    expect(again).toMatchObject({ exitCode: 8 });
    expect(again.stdout).toContain('"accepted":true');
    expect((await batch([P])).exitCode).toBe(0);
    stage.shows = [twitter('published', stamp())];
    expect((await batch([P], ...brief)).exitCode).toBe(0);
    expect(sent).toEqual([[A]]);
  });
});

it.each(['action_required', 'cancelled', 'unpublished'])(
  'a named target that was %s before is not ended by reading as before',
  async (status) => {
    const { sent, batch, run } = await stageOf(twitter(status));
    const record = { postId: P, targetIds: [A] };
    expect((await batch([record], ...brief)).exitCode).toBe(8);
    expect((await batch([record], ...brief)).exitCode).toBe(8);
    expect(sent).toEqual([[A]]);
    expect((await run('posts', 'retry', P, '--target', A, ...brief)).exitCode).toBe(8);
  },
);

it('a poll that is older than one before it ends nothing', async () => {
  const { stage, sent, batch } = await stageOf(twitter('failed'));
  stage.onRetry = () => void (stage.shows = [twitter('publishing', stamp())]);
  let polls = 0;
  stage.onRead = () => {
    if (sent.length > 0 && ++polls > 1) stage.shows = [twitter('failed', OLD)];
  };
  expect((await batch([P], ...brief)).exitCode).toBe(8);
  expect((await batch([P], ...brief)).exitCode).toBe(8);
  expect(sent).toEqual([[A]]);
});

it('a failure after the answer, with another error, ends the wait at once, and is sent again', async () => {
  const { stage, sent, batch } = await stageOf(twitter('failed', OLD, 'HTTP 503'));
  stage.onRetry = () => void setImmediate(() => (stage.shows = [twitter('failed', stamp(), 'X')]));
  const started = performance.now();
  expect((await batch([P], ...brief.slice(0, 3), '--wait-timeout', '20s')).exitCode).toBe(11);
  expect(performance.now() - started).toBeLessThan(5000);
  stage.onRetry = () => void (stage.shows = [twitter('published', stamp())]);
  expect((await batch([P], ...brief)).exitCode).toBe(0);
  expect(sent).toEqual([[A], [A]]);
});

describe('a retry of another process a moment ago', () => {
  it.each([
    ['a single call', (s: Awaited<ReturnType<typeof stageOf>>) => s.run(...retry, ...brief)],
    [
      'a batch of several IDs',
      (s: Awaited<ReturnType<typeof stageOf>>) =>
        s.run('posts', 'retry', '--failed', P, 'PostForTheTestsB', ...brief),
    ],
    ['a plain retry', (s: Awaited<ReturnType<typeof stageOf>>) => s.run('posts', 'retry', P)],
  ])(
    '%s: is not sent again by a single call, nor by a batch with a journal',
    async (_what, start) => {
      const scene = await stageOf(twitter('failed'));
      await start(scene);
      const count = scene.sent.length;
      expect((await scene.run(...retry)).stderr).toContain('retried by an earlier run');
      expect((await scene.batch([P])).exitCode).toBe(0);
      expect((await scene.batch([P], ...brief)).exitCode).toBe(8);
      expect(scene.sent).toHaveLength(count);
      // Another target of the post may be sent.
      scene.stage.shows = [twitter('failed'), linkedin('failed')];
      await scene.batch([P]);
      expect(scene.sent.at(-1)).toEqual([B]);
    },
  );
});

it('a read that lags behind does not undo that a target was published', async () => {
  const { stage, sent, batch } = await stageOf(twitter('failed'), linkedin('failed'));
  stage.onRetry = () =>
    void (stage.shows = [twitter('published', stamp()), linkedin('publishing', stamp())]);
  expect((await batch([P], ...brief)).exitCode).toBe(8);
  stage.shows = [twitter('failed', stamp(60_000)), linkedin('publishing', stamp())];
  await batch([P], ...brief);
  stage.shows = [twitter('failed', stamp(60_000)), linkedin('failed', stamp(60_000))];
  await batch([P], ...brief);
  expect(sent).toEqual([[A, B], [B]]);
});

it.each([
  [['failed', 'published'], []],
  [['published', 'failed'], []],
  [['failed', 'publishing'], []],
  [['failed', 'failed'], [[A]]],
] as const)('a target that the post lists twice, %j, is sent as %j', async (statuses, expected) => {
  const { sent, run, batch } = await stageOf(...statuses.map((status) => twitter(status)));
  await run(...retry);
  await batch([{ ...ID, targetIds: [A] }]);
  expect(sent).toEqual(expected);
});
