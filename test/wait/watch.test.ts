// A wait where nothing can be drawn: each change is a line, and a long silence is broken.

import { describe, expect, it } from 'vitest';
import { lineProgress } from '../../src/wait/watch.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function watched(gapsMs?: readonly number[]) {
  const lines: string[] = [];
  const write = async (text: string) => void lines.push(text);
  const progress = lineProgress({ isTTY: false, columns: undefined, write }, gapsMs);
  const show = (changes: readonly string[]) =>
    progress.show({ headline: () => '1 of 2', body: '', changes });
  return { lines, progress, show };
}

describe('a wait in lines', () => {
  it('says how things stand after a silence, and again after longer ones', async () => {
    const { lines, progress, show } = watched([40, 80]);
    show(['mastodon failed']);
    show([]);
    await pause(300);
    expect(lines.slice(0, 3)).toEqual(['mastodon failed\n', '1 of 2\n', '1 of 2\n']);
    progress.stop();
    const told = lines.length;
    await pause(150);
    expect(lines).toHaveLength(told);
  });

  it('waits as long as is meant for each silence, and the last length from then on', async () => {
    const [twice, steady, usual] = [watched([10, 10, 60_000]), watched([60]), watched()];
    for (const { show } of [twice, steady, usual]) show([]);
    await pause(250);
    expect(twice.lines).toEqual(['1 of 2\n', '1 of 2\n']);
    expect(steady.lines.length).toBeGreaterThan(1);
    expect(steady.lines.length).toBeLessThan(6);
    expect(usual.lines).toEqual([]);
    for (const { progress } of [twice, steady, usual]) progress.stop();
  });

  it('begins to count again with each change, and not with a look that found none', async () => {
    const { lines, progress, show } = watched([150]);
    show([]);
    for (let n = 0; n < 4; n++) {
      await pause(60);
      show([`change ${n}`]);
    }
    expect(lines.filter((line) => line === '1 of 2\n')).toEqual([]);
    for (let n = 0; n < 5; n++) {
      await pause(60);
      show([]);
    }
    expect(lines).toContain('1 of 2\n');
    progress.stop();
  });
});
