// The incident report: what it says of a night, and that nothing that came from outside is Markdown in it.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  countingServer,
  idList,
  idOf,
  post as postOf,
  refused,
} from '../support/counting-server.ts';
import { social as program } from '../support/program.ts';
import { serviceAt } from '../support/terminal.ts';
import { testCli } from '../support/test-cli.ts';

async function night() {
  const service = await countingServer((id, method, time) => {
    if (method !== 'POST') return { body: postOf(id, 'failed') };
    if (id === idOf(1)) return { status: 422, body: refused('invalid_media', 'Video too long.') };
    return { cut: id === idOf(2) && time === 1 };
  });
  const { social, clock, folder } = testCli();
  const env = { ...serviceAt(service.url), SUDO_USER: 'a|nna*' };
  fs.writeFileSync(join(folder, 'ids'), idList(4));
  const run = (...argv: string[]) => social(argv, { env });
  const batch = ['posts', 'retry', '--from', join(folder, 'ids'), '--journal', join(folder, 'j`x')];
  await run(...batch, '--note', '<b>INC-1</b> *now* | \\');
  clock.now += 3_600_000;
  const reply = ['posts', 'reply', idOf(0), '--target', 'TargetSpringMast', '--text', 'Hi.'];
  await run(...reply, '--note', 'INC-2');
  clock.now += 60_000;
  const rows = async (...argv: string[]) => {
    const { stdout } = await run('history', 'report', '--json', ...argv);
    return JSON.parse(stdout) as {
      totals: Record<string, number>;
      changes: { id: string; note: string; next: string | null }[];
    };
  };
  return { run, rows, batch, folder };
}

/** Splits a row at its bars, also where a parser takes a backslash before a bar for an ordinary character. */
const cellsOf = (row: string) => row.slice(2, -2).split(/ ?\| ?/);

describe('history report', () => {
  it('is a table of who ran what, when and with which result, and totals', async () => {
    const { run } = await night();
    const { stdout, exitCode } = await run('history', 'report', '--note', 'INC-1');
    expect(exitCode).toBe(0);
    const row = stdout.split('\n').find((line) => line.startsWith('| 2026-'))!;
    expect(cellsOf(row)).toEqual([
      '2026-03-02 12:00:00',
      expect.stringMatching(/^`a`&#124;`nna\* as \S+` on \S+$/),
      expect.stringMatching(/^``social posts retry .*j`x' --note '<b>.* ``&#124;` \\'`$/),
      'unknown: 1, 1 failed, 2 accepted (note: `<b>INC-1</b> *now* `&#124;` \\`)',
      '11',
      expect.stringMatching(/^`social history settle \w+`$/),
    ]);
    // The journal shows two as published, which the run did not wait for.
    expect(stdout).toMatch(
      /^2 of 4 published; 1 failed, 1 unknown\n\nNot done at the last attempt:\n\n- `1 × invalid_media: Video too long\.`\n[^|]*\n\| Time/,
    );
    expect(stdout).toContain('\n\nTotal: 2 done, 1 failed, 1 unknown\n\n');
    expect(stdout).toMatch(/\n12:00:00 posts retry of 4 · 12:00:0\d 2 of 4 published\n$/);
    expect(stdout).not.toContain('Hi.');
  });

  it('is limited by --since, as age or date, and is available as JSON', async () => {
    const { run, rows } = await night();
    for (const since of ['30m', '2026-03-02T12:30Z', '2026-03-02T14:30+02:00'])
      expect((await rows('--since', since)).changes.map(({ note }) => note)).toEqual(['INC-2']);
    expect((await rows('--since', '2026-03-02')).totals).toEqual({
      done: 3,
      failed: 1,
      unknown: 1,
    });
    const both = (await run('history', 'report')).stdout;
    expect(both).toMatch(
      /^`<b>INC-1.*: posts retry: 2 of 4 .*\n`INC-2`: posts reply: 1 of 1 done\n/,
    );
    const nothing = await run('history', 'report', '--note', 'INC-3');
    expect(nothing.stdout).toBe('No change with a note that has `INC-3` is on record.\n');
  });

  it.each([
    ['yesterday', '1', '25:00', '0h', '2026-03-02T10', '2026-03-02 10:00', '2026-03-02Z'],
    ['2026-02-31T10:00Z', '2026-13-01', '2026-02-29', '2026-03-01T24:00', '2026-03-01T10:60Z'],
    ['2026-03-01T10:00+25:00', '2026-03-01T10:00-01:99', '2026-03-01T10:00+0100'],
  ])('refuses a --since that is no age, date or time: %s …', async (...texts) => {
    const { social } = testCli();
    for (const text of texts) {
      const wrong = await social(['history', 'report', '--since', text]);
      expect(wrong).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringMatching(/--since needs an age .* an existing date or time/),
      });
      expect(wrong.stderr).toContain(`got "${text}"`);
    }
  });

  it('refuses a --since in the future', async () => {
    const { social } = testCli();
    for (const text of ['2026-03-02T12:00:01Z', '2026-03-02T12:30-00:30', '2026-03-04']) {
      const { exitCode, stdout, stderr } = await social(['history', 'list', '--since', text]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/^error: --since must not be in the future, got 2026-03-0\dT/);
    }
    expect((await social(['history', 'list', '--since', '2026-03-02T12:00Z'])).exitCode).toBe(0);
  });

  it('tells people how the date of --since was read', async () => {
    const { run } = await night();
    const noted = async (...argv: string[]) => {
      const { stderr, exitCode } = await run('history', ...argv);
      expect(exitCode).toBe(0);
      return stderr;
    };
    const since = ['--since', '2026-03-02T13:30+02:00'];
    for (const words of ['list', 'report'])
      expect(await noted(words, ...since)).toBe('since 2026-03-02T11:30:00Z (2 hours ago)\n');
    for (const quiet of ['-q', '--json']) expect(await noted('list', ...since, quiet)).toBe('');
    expect(await noted('list', '--since', '3h')).toBe('');
  });

  it('reads a date without a zone as local time', async () => {
    const read = async (TZ: string, text: string) => {
      const { stderr } = await program(['history', 'report', '--since', text], { env: { TZ } });
      return stderr.split(' (')[0];
    };
    expect(await read('Asia/Tokyo', '2026-03-02')).toBe('since 2026-03-01T15:00:00Z');
    expect(await read('Asia/Tokyo', '2026-03-02T21:30')).toBe('since 2026-03-02T12:30:00Z');
    expect(await read('Asia/Tokyo', '2026-03-02T21:30Z')).toBe('since 2026-03-02T21:30:00Z');
    expect(await read('America/New_York', '2026-07-02T21:30:15.5')).toBe(
      'since 2026-07-03T01:30:15.500Z',
    );
  });

  it('names the command that settles an unknown outcome, also when another service got the same change', async () => {
    const { run, rows, folder } = await night();
    const { id } = (await rows('--note', 'INC-1')).changes[0]!;
    const settled = await run('history', 'settle', '--retries', '0');
    expect(settled.stdout).toContain('cannot tell');
    const other = await countingServer();
    const again = ['posts', 'retry', '--from', join(folder, 'ids'), '--base-url', other.url];
    await run(...again);
    const { changes, totals } = await rows('--note', 'INC-1');
    expect(totals).toEqual({ done: 2, failed: 1, 'cannot tell': 1 });
    expect(changes[0]!.next).toBe(`social history settle ${id}`);
  });

  it('counts the records of a journal once, by its last run', async () => {
    const { run, rows, batch } = await night();
    expect((await run(...batch, '--note', 'INC-1')).exitCode).toBe(11);
    const { totals, changes } = await rows('--note', 'INC-1');
    expect(changes).toHaveLength(2);
    expect(totals).toEqual({ done: 2, failed: 1, unknown: 1 });
  });
});

/** A night of four posts: two answers are lost, and every target ends as the service then says. */
async function lostNight() {
  let shown = 'failed';
  let at = '2026-03-02T11:00:00.000Z';
  let isUp = false;
  const service = await countingServer((id, method) => {
    const isLost = !isUp && method === 'POST' && (id === idOf(0) || id === idOf(1));
    const status = method === 'POST' ? 'publishing' : shown;
    return { cut: isLost, body: postOf(id, status, { updatedAt: at }) };
  });
  const { social, clock, folder } = testCli();
  fs.writeFileSync(join(folder, 'ids'), idList(4));
  const journal = join(folder, 'j');
  const run = async (...argv: string[]) => {
    clock.now += 60_000;
    return social(argv, { env: serviceAt(service.url) });
  };
  const retry = ['--from', join(folder, 'ids'), '--journal', journal, '--canary', '1'];
  return {
    run,
    journal,
    batch: () =>
      run('posts', 'retry', ...retry, '--max-failure-rate', '100%', '--wait-timeout', '1s'),
    show(status: string, updatedAt: string) {
      [shown, at, isUp] = [status, updatedAt, true];
    },
    async report() {
      const { stdout } = await run('history', 'report', '--since', '1d');
      const json = await run('history', 'report', '--since', '1d', '--json');
      return { stdout, data: JSON.parse(json.stdout) as { totals: Record<string, number> } };
    },
  };
}

const added = (counts: Record<string, number>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

it('a report counts each record once, whatever was settled, twice, and done again', async () => {
  const lost = await lostNight();
  await lost.batch();
  expect(added((await lost.report()).data.totals)).toBe(4);
  lost.show('publishing', '2026-03-02T12:10:00.000Z');
  await lost.run('history', 'settle');
  expect(added((await lost.report()).data.totals)).toBe(4);
  lost.show('failed', '2026-03-02T12:20:00.000Z');
  await lost.run('history', 'settle');
  await lost.run('history', 'settle');
  expect(added((await lost.report()).data.totals)).toBe(4);
  await lost.batch();
  lost.show('published', '2026-03-02T12:40:00.000Z');
  await lost.batch();
  const { stdout, data } = await lost.report();
  expect(data.totals).toEqual({ done: 4 });
  expect(stdout).toMatch(/^4 of 4 published, [1-4] of them at the second attempt\n/);
  // The flags are in the order in which they were typed, and each run but the last was resumed.
  expect(stdout).toMatch(/ --max-failure-rate 100% --wait-timeout 1s` /);
  expect(stdout).toMatch(/ \| resumed 12:\d\d:\d\d \|$/m);
  expect(stdout).toMatch(/\n\n12:01(?::00)? canary 1 · .*resumed · .*all published\n$/);
});

it('a report says so where the journal is gone, and counts by the history', async () => {
  const lost = await lostNight();
  await lost.batch();
  fs.rmSync(lost.journal);
  const { stdout, data } = await lost.report();
  expect(stdout).toContain('(its journal is gone) |');
  expect(added(data.totals)).toBe(4);
});

it('a report counts a repeat of a single change once, unless both may have been made', async () => {
  const service = await countingServer((id, method, time) => {
    if (method === 'POST' && time === 1) return { status: 422, body: refused('no', 'No.') };
    return { body: postOf(id, 'published') };
  });
  const { social, clock } = testCli();
  const run = (...argv: string[]) => social(argv, { env: serviceAt(service.url) });
  const reply = ['posts', 'reply', idOf(0), '--target', 'TargetSpringMast', '--text', 'Hi.'];
  for (let i = 0; i < 3; i++) {
    await run(...reply);
    clock.now += 60_000;
  }
  const { stdout } = await run('history', 'report');
  expect(stdout).toMatch(/^2 of 2 changes done, 1 of them at the second attempt\n/);
});

it('a report counts pending and failed results of waits, of one post and of several', async () => {
  const service = await countingServer((id, method) => ({
    body: postOf(id, id === idOf(1) && method === 'GET' ? 'cancelled' : 'publishing'),
  }));
  const { social } = testCli();
  const run = (...argv: string[]) => social(argv, { env: serviceAt(service.url) });
  const wait = ['--wait', '--interval', '50ms', '--wait-timeout', '200ms'];
  for (const ids of [[idOf(0), idOf(1)], [idOf(1)], [idOf(0)]])
    await run('posts', 'retry', ...ids, ...wait);
  const { stdout } = await run('history', 'report');
  expect(stdout).toContain('\nTotal: 2 failed, 2 accepted\n');
  expect(stdout).toMatch(/ \| failed: 1 of 1 target cancelled \| 10 \| {2}\|$/m);
  expect(stdout).toMatch(/ \| accepted \| 8 \| `social posts wait \w+` \|$/m);
});

it('a report names the account of a change, because the line alone would act for another', async () => {
  const { social } = testCli();
  const line = 'accounts mastodon mute 113000000000000001 -a AccountMastodonA';
  await social(['-C', 'sandbox', ...line.split(' ')]);
  expect((await social(['history', 'report'])).stdout).toContain(
    '`social -C sandbox accounts mastodon mute 113000000000000001 --account AccountMastodonA`',
  );
});

/** Removes code from a text, as CommonMark finds it: a run of backticks up to the next one of the same length. */
const withoutCode = (text: string) => text.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, 'CODE');

it.each([
  '`',
  '``` ````',
  '` ![image](https://evil.example/x.png) `',
  '\\`<img src=x onerror=alert(1)>',
  '| [link](https://evil.example) |',
  '\\| \\\\| a \\',
  'https://evil.example www.evil.example @someone #1 a@b.example',
  '</td></table><script>',
  '# heading\n\n* item\n| a | b |',
  ' two  spaces ',
])('nothing of %j is Markdown in a report', async (evil) => {
  const service = await countingServer(() => ({
    status: 422,
    body: refused(evil, evil),
  }));
  const { social, clock, folder } = testCli();
  const list = join(folder, evil.replaceAll('/', '_'));
  fs.writeFileSync(list, idList(1));
  const env = { ...serviceAt(service.url), SUDO_USER: evil };
  const note = ['--note', evil.replaceAll('\n', ' ')];
  await social(['posts', 'retry', '--from', list, ...note], { env });
  clock.now += 1000;
  await social(['posts', 'retry', idOf(0), ...note], { env });
  const { stdout } = await social(['history', 'report'], { env });
  const rows = stdout.split('\n').filter((line) => line.startsWith('|'));
  expect(rows).toHaveLength(4);
  for (const row of rows) {
    expect(cellsOf(row)).toHaveLength(6);
    // The program itself writes only words, digits and the entity of a bar.
    for (const cell of cellsOf(row))
      expect(withoutCode(cell).replaceAll('&#124;', '')).toMatch(/^[\w .:,()-]*$/);
  }
});
