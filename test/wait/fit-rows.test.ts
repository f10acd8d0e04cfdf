// A table that has to fit a screen: what comes first, and what is counted. And how a view is drawn in place.

import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TableView } from '../../src/output/columns.ts';
import { fitRows, liveProgress } from '../../src/wait/live-view.ts';

const columns = [
  { path: 'id', label: 'id' },
  { path: 'status', label: 'status' },
];
const view = (...statuses: readonly string[]): TableView => ({
  header: [],
  columns,
  rows: statuses.map((status, i) => [`T${i + 1}`, status]),
  list: true,
});
/** A line for the labels, and a line a row. */
const layOut = async ({ rows }: TableView) =>
  ['HEAD', ...rows.map((row) => row.join(' '))].join('\n');

describe('a table', () => {
  const many = view('published', 'failed', 'published', 'publishing', 'cancelled');

  it('that fits is as it came', async () => {
    // Not in the order in which a table that is cut would have them.
    const whole = 'HEAD\nT1 published\nT2 failed\nT3 published\nT4 publishing\nT5 cancelled';
    expect(await fitRows(many, 6, layOut)).toBe(whole);
    expect(await fitRows(many, 100, layOut)).toBe(whole);
  });

  it('that does not fit shows what failed and moves, and counts the rest', async () => {
    expect(await fitRows(many, 5, layOut)).toBe(
      'HEAD\nT2 failed\nT4 publishing\nT5 cancelled\n… 2 more: 2 published',
    );
    expect(await fitRows(many, 4, layOut)).toBe(
      'HEAD\nT2 failed\nT4 publishing\n… 3 more: 1 cancelled, 2 published',
    );
    expect(await fitRows(many, 3, layOut)).toBe(
      'HEAD\nT2 failed\n… 4 more: 1 publishing, 1 cancelled, 2 published',
    );
  });

  it('shows one row at least', async () => {
    for (const room of [1, 2])
      expect(await fitRows(many, room, layOut)).toBe(
        'HEAD\nT2 failed\n… 4 more: 1 publishing, 1 cancelled, 2 published',
      );
    expect(await fitRows(view('failed'), 1, layOut)).toBe('HEAD\nT1 failed');
  });

  it('without a status is shown whole', async () => {
    const bare = { ...view('a', 'b'), columns: [columns[0]!, { path: 'x', label: 'x' }] };
    expect(await fitRows(bare, 1, layOut)).toBe('HEAD\nT1 a\nT2 b');
  });

  it('may have its status first', async () => {
    const first = { ...view(), columns: [columns[1]!], rows: [['good'], ['failed']] };
    expect(await fitRows(first, 2, layOut)).toBe('HEAD\nfailed\n… 1 more: 1 good');
  });

  it('shows nothing raw of a status', async () => {
    expect(await fitRows(view('failed', 'o\u001bdd'), 2, layOut)).toContain(
      '… 1 more: 1 o\\u{1b}dd',
    );
  });

  it('is laid out again in a few steps, however long it is', async () => {
    let times = 0;
    const long = view(...Array<string>(500).fill('published'));
    const text = await fitRows(long, 20, async (given) => {
      times++;
      return layOut(given);
    });
    expect(text.split('\n').length).toBeLessThanOrEqual(20);
    expect(text.split('\n').length).toBeGreaterThan(15);
    expect(times).toBeLessThan(6);
  });
});

describe('a view that is drawn in place', () => {
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
    return { progress: liveProgress(stream, ascii), text: () => text };
  }
  const shown = (headline: string, body = '') => ({ headline: () => headline, body, changes: [] });

  it('has its sign, its headline and its table', async () => {
    const { progress, text } = drawn(false);
    progress.show(shown('0 of 1', 'TABLE'));
    progress.show(shown('1 of 1'));
    progress.stop();
    await expect.poll(text).toMatch(/[◐◓◑◒] 0 of 1\n\n+TABLE\n/);
    expect(text()).toMatch(/[◐◓◑◒] 1 of 1/);
    expect(text()).not.toMatch(/1 of 1\n\n/);
    expect(text()).not.toContain('\u001b[?25l');
  });

  it('has a sign of ASCII where no other can be shown', async () => {
    const { progress, text } = drawn(true);
    progress.show(shown('0 of 1'));
    progress.stop();
    await expect.poll(text).toMatch(/[|/\\-] 0 of 1/);
  });

  it('is drawn once a second', async () => {
    const { progress, text } = drawn(true);
    let asked = 0;
    progress.show({ headline: () => `looked ${++asked}`, body: '', changes: [] });
    await expect.poll(text, { timeout: 2000 }).toContain('looked 2');
    progress.stop();
  });

  it('is drawn no more once it is stopped', async () => {
    const { progress } = drawn(true);
    let asked = 0;
    progress.show({ headline: () => `looked ${++asked}`, body: '', changes: [] });
    progress.stop();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(asked).toBe(1);
  });
});
