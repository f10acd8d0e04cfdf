// A batch at a terminal shows its results above its progress line, stops in two steps, and restores the terminal.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingServer, idList, idOf, refused } from '../support/counting-server.ts';
import { freshHome } from '../support/program.ts';
import { atTerminal, interruptTwice, serviceAt } from '../support/terminal.ts';

/** Starts a batch at a terminal over a list of posts. */
function batch(url: string, count: number, argv: readonly string[], cols: number) {
  const home = freshHome();
  const ids = join(home, 'ids');
  writeFileSync(ids, idList(count));
  return atTerminal([...argv, '--from', ids, '--concurrency', '2'], {
    home,
    cols,
    env: serviceAt(url),
  });
}

describe('a batch at a terminal', () => {
  it('fits its progress line into the window, also after a resize', async () => {
    const service = await countingServer(() => ({ after: 60_000 }));
    const terminal = batch(service.url, 60, ['posts', 'get'], 80);
    await terminal.waitFor(/^░{20} 0\/60\ndone 0 {2}failed 0 {2}unknown 0 {2}left 60 {5}0:0\d/m);
    terminal.resize(28, 30);
    await terminal.waitFor(/^0 of 60 done(?:; 0\/s)?$/m);
    await interruptTwice(terminal);
    expect((await terminal.ended()).exitCode).toBe(130);
  });

  it('shows each item once: a row with its sign, or a line wrapped at spaces', async () => {
    const home = freshHome();
    const ids = join(home, 'ids');
    writeFileSync(ids, 'PostSpringLaunch\nPostNowhereToSee\n');
    const argv = ['-C', 'sandbox', 'posts', 'retry', '--from', ids, '--failed', '--wait'];
    const { exitCode, text } = await atTerminal(argv, { home, cols: 50 }).ended();
    expect(exitCode).toBe(11);
    expect(text.match(/PostSpringLaunch/g)).toHaveLength(1);
    expect(text).toMatch(/^✗ PostSpringLaunch /m);
    expect(text).toMatch(/^✗ PostNowhereToSee {2}HTTP 404/m);
    const lines = text.split('\n').filter((line) => !line.startsWith('try:'));
    expect(lines.filter((line) => line.length > 50)).toEqual([]);
  });

  it('is shown by platform, with each error once, and leaves its board on the screen', async () => {
    const home = freshHome();
    const ids = join(home, 'ids');
    writeFileSync(ids, 'PostSpringLaunch\nPostNowhereToSee\nPostNowhereToBee\n');
    const argv = ['-C', 'sandbox', 'posts', 'retry', '--from', ids, '--failed', '--wait'];
    const { exitCode, text } = await atTerminal(argv, { home, cols: 80 }).ended();
    expect(exitCode).toBe(11);
    expect(text.match(/^✗ request: .*There is no post …/gm)).toHaveLength(1);
    expect(text).toMatch(/^linkedin [█░]{20} \d\/1/m);
    expect(text).toMatch(/^mastodon [█░]{20} \d\/1/m);
    expect(text.match(/^done \d {2}failed \d {2}unknown 0 /gm)).toHaveLength(1);
    expect(text).not.toMatch(/^[✓✗] Post/m);
  });

  it('in accessible mode describes in words how each item ended, and redraws nothing', async () => {
    const service = await countingServer((id) =>
      id === idOf(1) ? { status: 422, body: refused('invalid_media', 'No.') } : {},
    );
    const terminal = batch(service.url, 2, ['posts', 'get', '--accessible'], 80);
    const { said, text } = await terminal.ended();
    expect(text).toContain(`${idOf(0)} done: linkedin published\n`);
    expect(said).not.toMatch(/[✓✗]|\u001b\[\d*[A-K]/);
    expect(text).toContain('error: 1 of 2 read, 1 failed: 1 content\n');
  });

  it('keeps its progress line below the results', async () => {
    let isSeen = () => {};
    const seen = new Promise<void>((resolve) => (isSeen = resolve));
    const service = await countingServer((id) => (id < idOf(9) ? {} : { until: seen }));
    const terminal = batch(service.url, 60, ['posts', 'get'], 50);
    const screen = await terminal.waitFor(/✓ Post\w+ .*\n\S \d+ of 60 done; [\d.]+\/s/);
    isSeen();
    for (const line of screen.split('\n').filter((each) => /^✓|of 60 done/.test(each)))
      expect(line.length).toBeLessThan(50);
    const { exitCode, text } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(text).toContain(`✓ ${idOf(59)}`);
    expect(text).toMatch(/\n60 of 60 read$/);
    expect(text).not.toContain('of 60 done');
  });

  it('shows after Ctrl-C what it waits for, and clears that line', async () => {
    const service = await countingServer((id) => ({ after: id < idOf(2) ? 300 : 30_000 }));
    const terminal = batch(service.url, 60, ['posts', 'get'], 50);
    await terminal.waitFor(/2 of 60 done/);
    await interruptTwice(terminal, /stopping: waiting up to 10s for 2 requests;\s+Ctrl-C/);
    const { exitCode, text, cooked, cursor } = await terminal.ended();
    expect({ exitCode, cooked, cursor }).toEqual({ exitCode: 130, cooked: true, cursor: true });
    expect(text).not.toContain('of 60 done');
    expect(text).toMatch(/stopped: 2 of 60 read, 58 not started/);
  });
});
