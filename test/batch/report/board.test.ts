// The board of a batch: a line for each platform as far as its targets are known, and for the canary.

import { describe, expect, it } from 'vitest';
import type { BatchRecord } from '../../../src/batch/read/validate-records.ts';
import { clockTime } from '../../../src/base/durations.ts';
import { BatchBoard } from '../../../src/batch/report/board.ts';
import { makeColors } from '../../../src/output/color.ts';
import { targetPost, targets } from '../../support/posts.ts';

const record = (line: number): BatchRecord => ({
  line,
  input: { postId: `Post${line}` },
  key: 'k',
});

function makeBoard(env: Readonly<Record<string, string>> = { LANG: 'C.UTF-8' }) {
  const clock = { now: 0 };
  const opensAt = new Map<string, number>();
  const program = { node: 'v20.19.0', platform: 'linux', arch: 'x64', folder: '' };
  const look = { env, program, monotonic: () => clock.now, colors: makeColors(false), opensAt };
  return { board: new BatchBoard(look, []), clock, opensAt };
}
const limited = 'X answered 429 Too Many Requests; its window ends in 48 seconds.';
const failed = { verdict: 'failed', isRead: false, isChange: true } as const;

describe('the board', () => {
  it('counts the targets that a record is about, through its wait to its end', () => {
    const { board } = makeBoard();
    const [one, two] = [record(1), record(2)];
    const about = ['TargetOnMastodon'];
    const siblings = [targets.linkedin('published'), targets.mastodon('publishing')];
    board.see(one, targetPost(siblings), about);
    board.see(two, targetPost([targets.mastodon('failed', 'as before')]), about);
    expect(board.lines(79, 20)).toEqual(['mastodon ░░░░░░░░░░░░░░░░░░░░ 0/2  2 waiting']);
    board.see(one, targetPost([targets.mastodon('published')]), about, about);
    expect(board.lines(79, 20)).toEqual(['mastodon ██████████░░░░░░░░░░ 1/2  1 waiting']);
    const bad = targetPost([targets.mastodon('failed', 'No.')]);
    board.end(two, bad, { ...failed, about, bad: about });
    expect(board.lines(79, 20)).toEqual(['mastodon ██████████░░░░░░░░░░ 1/2  1 failed']);
  });

  it('says why a platform asks to wait, and until when', () => {
    const { board, clock, opensAt } = makeBoard();
    opensAt.set('mastodon', 48_000);
    const bad = ['TargetOnMastodon'];
    board.end(record(1), targetPost([targets.mastodon('failed', limited)]), { ...failed, bad });
    const line = 'mastodon ░░░░░░░░░░░░░░░░░░░░ 0/1  1 failed  429';
    expect(board.lines(79, 20)).toEqual([`${line}, opens in 0:48`]);
    expect(board.failing()).toEqual(['mastodon 0 of 1: HTTP 429, opens in 0:48']);
    clock.now = 48_000;
    expect(board.lines(79, 20)).toEqual([line]);
    // In a read the error may be old.
    const read = makeBoard().board;
    const data = targetPost([targets.mastodon('failed', limited)]);
    read.end(record(1), data, { verdict: 'ok', isRead: true, isChange: false });
    expect(read.lines(79, 20)).toEqual([line]);
  });

  it('keeps what is known of a record without a last response', () => {
    const { board } = makeBoard();
    const data = targetPost([targets.mastodon('failed', 'x'), targets.linkedin('failed', 'x')]);
    board.see(record(9), data);
    const [one, two] = [record(1), record(2)];
    board.see(one, data, ['TargetOnMastodon']);
    board.end(one, undefined, { ...failed, verdict: 'unknown' });
    board.see(two, data, ['TargetOnLinkedIn']);
    board.end(two, undefined, { ...failed, verdict: 'accepted' });
    const [first, second] = board.lines(79, 20);
    expect(first).toContain('0/2  1 unknown  1 waiting');
    expect(second).toContain('0/2  1 accepted  1 waiting');
  });

  it('has at most eight platforms, and fits the window', () => {
    const { board } = makeBoard({ LANG: 'C' });
    for (let i = 1; i <= 11; i++) {
      const target = { ...targets.mastodon('published'), id: `T${i}`, platform: `p\u001b${i}` };
      board.see(record(i), targetPost([target]), undefined, [`T${i}`]);
    }
    const lines = board.lines(79, 20);
    expect(lines).toHaveLength(9);
    expect(lines[0]).toMatch(/^p\\u\{1b\}1 #{20} 1\/1$/);
    expect(lines.at(-1)).toBe('and 3 more');
    expect(board.lines(79, 4).slice(2)).toEqual([
      'p\\u{1b}3 #################### 1/1',
      'and 8 more',
    ]);
  });

  it('shows the canary with a sign or a word for each of its ends', () => {
    const { board } = makeBoard();
    const { board: plain } = makeBoard({ LANG: 'C' });
    for (const [end, line] of [
      ['running', 'canary ◌ 14/20'],
      ['passed', 'canary ✓ 14/20'],
      ['failed', 'canary ✗ 14/20'],
      ['stopped', 'canary · 14/20 stopped'],
    ] as const) {
      plain.canary = board.canary = () => ({ all: 20, done: 14, end });
      expect(board.lines(79, 20)).toEqual([line]);
      expect(plain.lines(79, 20)).toEqual([`canary 14/20 ${end}`]);
    }
  });

  it.each([
    [47_001, '0:48'],
    [725_000, '12:05'],
    [3_723_000, '1:02:03'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(clockTime(ms)).toBe(text);
  });
});
