// The line of a wait: what it says, how a terminal draws it, and how often it is written elsewhere.

import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { waitOperation } from '../../src/commands/posts/wait.ts';
import { changeLines, lineProgress, liveProgress, standingLine } from '../../src/wait/watch.ts';

const post = (...statuses: readonly string[]) => ({
  id: 'PostOfATest',
  status: 'publishing',
  targets: statuses.map((status, i) => ({
    id: `Target${i}`,
    platform: 'linkedin',
    status,
    updatedAt: '2026-03-02T12:00:00.000Z',
  })),
});

describe('the lines of status changes', () => {
  it('have each status at first, and then the changed ones', () => {
    const changes = changeLines(waitOperation, false);
    expect(changes(post('publishing', 'failed'), 0)).toEqual([
      '+0s linkedin Target0 publishing',
      '+0s linkedin Target1 failed',
    ]);
    expect(changes(post('publishing', 'failed'), 1499)).toEqual([]);
    expect(changes(post('published', 'failed'), 1500)).toEqual([
      '+2s linkedin Target0 publishing → published',
    ]);
  });

  it('spell out the signs in accessible mode', () => {
    const changes = changeLines(waitOperation, true);
    changes(post('publishing'), 0);
    expect(changes(post('published'), 3000)).toEqual([
      '+3s linkedin Target0 publishing, now published',
    ]);
  });
});

it('the progress line omits the elapsed time when it would wrap', () => {
  const whole = 'so; timeout in 59s; 1s elapsed';
  expect(standingLine('so', 1000, 60_000)).toBe(whole);
  expect(standingLine('so', 1000, 60_000, whole.length + 3)).toBe(whole);
  expect(standingLine('so', 1000, 60_000, whole.length + 2)).toBe('so; timeout in 59s');
});

it('the progress line is printed now and then without a terminal, until the end', async () => {
  const lines: string[] = [];
  const write = async (text: string) => void lines.push(text);
  const stream = { isTTY: false, columns: undefined, write };
  const [often, usual] = [lineProgress(stream, 40), lineProgress(stream)];
  for (const each of [often, usual]) each.show(() => '1 of 2');
  expect(lines).toEqual([]);
  await pause(300);
  expect(lines.slice(0, 2)).toEqual(['1 of 2\n', '1 of 2\n']);
  for (const each of [often, usual]) each.stop();
  const count = lines.length;
  await pause(150);
  expect(lines).toHaveLength(count);
});

describe('the redrawn progress line', () => {
  // ora draws nothing in place there.
  beforeEach(() => void vi.stubEnv('CI', undefined));
  afterEach(() => void vi.unstubAllEnvs());

  function drawn(ascii: boolean) {
    const stream = Object.assign(new PassThrough(), {
      isTTY: true,
      columns: 80,
      cursorTo: () => true,
      clearLine: () => true,
      moveCursor: () => true,
    });
    let text = '';
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return { progress: liveProgress(stream, ascii), stream, text: () => text };
  }

  it('has a sign, and stays below other output', async () => {
    const { progress, stream, text } = drawn(false);
    progress.show(() => '0 of 1');
    stream.write('a change\n');
    progress.show(() => '1 of 1');
    progress.stop();
    await expect.poll(text).toMatch(/[◐◓◑◒] 0 of 1.*a change\n.*[◐◓◑◒] 0 of 1.*[◐◓◑◒] 1 of 1/s);
    expect(text()).not.toContain('\u001b[?25l');
  });

  it('has an ASCII sign on a simple terminal', async () => {
    const { progress, text } = drawn(true);
    progress.show(() => '0 of 1');
    progress.stop();
    await expect.poll(text).toMatch(/[|/\\-] 0 of 1/);
  });

  it('is redrawn once a second', async () => {
    const { progress, text } = drawn(true);
    let asked = 0;
    progress.show(() => `looked ${++asked}`);
    await expect.poll(text, { timeout: 2000 }).toContain('looked 2');
    progress.stop();
  });

  it('is not redrawn once it is stopped', async () => {
    const { progress } = drawn(true);
    let asked = 0;
    progress.show(() => `looked ${++asked}`);
    progress.stop();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(asked).toBe(1);
  });
});
