// A refusal as a duplicate, after the same change of another run with an unknown outcome: it may have been made then.

import { expect, it } from 'vitest';
import { A, duplicate, invalid, lost, P, stageOf, twitter } from './service.ts';

const reply = ['posts', 'reply', P, '--target', A, '--text', 'Thank you!'];
const message = 'accounts bluesky send convo-1 -a AccountBlueskyAa --text Hi'.split(' ');

it.each([
  ['a reply', reply],
  ['a message', message],
])('of %s stays unknown, and the advice is to look', async (_what, argv) => {
  const { stage, run } = await stageOf(twitter('published'));
  stage.onChange = () => lost;
  expect((await run(...argv)).exitCode).toBe(12);
  stage.onChange = () => duplicate;
  const { exitCode, stderr } = await run(...argv);
  expect(exitCode).toBe(12);
  expect(stderr).toContain('with an unknown outcome: the refusal may mean that it was made then');
  expect(stderr).toMatch(/Check|Look/);
  expect(stderr).not.toMatch(/change the (content|text)/);
  // The first is still the one to settle.
  expect(
    (await run('history', 'list', '--json')).stdout.match(/"outcome": ?"unknown"/g),
  ).toHaveLength(1);
});

it('of a retry that was named stays unknown', async () => {
  const { stage, run } = await stageOf(twitter('failed'));
  stage.onRetry = () => lost;
  const retry = ['posts', 'retry', P, '--target', A];
  expect((await run(...retry)).exitCode).toBe(12);
  stage.onRetry = () => duplicate;
  expect((await run(...retry)).exitCode).toBe(12);
});

it.each([
  ['another refusal', reply, invalid],
  ['another text', [...reply.slice(0, -1), 'Another'], duplicate],
])('%s is a plain refusal', async (_what, argv, answer) => {
  const { stage, run } = await stageOf(twitter('published'));
  stage.onChange = () => lost;
  await run(...reply);
  stage.onChange = () => answer;
  expect((await run(...argv)).exitCode).toBe(6);
});
