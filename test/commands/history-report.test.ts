// The account of what was changed: what it says of a night, and that nothing that came from outside is Markdown in it.

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
import { serviceAt } from '../support/terminal.ts';
import { testCli } from '../support/test-cli.ts';

async function night() {
  const service = await countingServer((id, method) =>
    id === idOf(1)
      ? { status: 422, body: refused('invalid_media', 'Video too long.') }
      : id === idOf(2) && method === 'POST'
        ? { cut: true }
        : {},
  );
  const { social, clock, folder } = testCli();
  const env = { ...serviceAt(service.url), SUDO_USER: 'a|nna*' };
  fs.writeFileSync(join(folder, 'ids'), idList(4));
  const run = (...argv: string[]) => social(argv, { env });
  const batch = ['posts', 'retry', '--from', join(folder, 'ids'), '--journal', join(folder, 'j`x')];
  await run(...batch, '--failures-to', join(folder, 'failed'), '--note', '<b>INC-1</b> *now* | \\');
  clock.now += 3_600_000;
  await run(
    'posts',
    'reply',
    idOf(0),
    '--target',
    'TargetSpringMast',
    '--text',
    'Hi.',
    '--note',
    'INC-2',
  );
  clock.now += 60_000;
  return { run, folder, batch };
}

describe('history report', () => {
  it('has period, counts, causes, commands with who and exit, what is left and what is unknown', async () => {
    const { run, folder } = await night();
    const { stdout, exitCode } = await run('history', 'report', '--note', 'INC-1');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      '# Changes made for INC-1\n\nFrom 2026-03-02 12:00 to 2026-03-02 13:01 (UTC)',
    );
    expect(stdout).toContain('- 1 command, 4 records: 2 done, 1 failed, 1 unknown\n');
    expect(stdout).toMatch(/^\| content \| 1 \|$/m);
    expect(stdout).toMatch(
      /^\| 2026-03-02 12:00:00 \| a\\\|nna\\\* as \S+ on \S+ \| ``? ?social posts retry .*\| 2 done, 1 failed, 1 unknown \(1 content\); note: \\<b\\>INC-1\\<\/b\\> \\\*now\\\* \\\| \\\\ \| 11 \|$/m,
    );
    expect(stdout).toContain(`the records are in \`${join(folder, 'failed')}\``);
    expect(stdout).toMatch(/not settled yet; to settle it: `social history settle \w+`\n/);
    expect(stdout).not.toContain('Hi.');
    // Each row has as many cells as its table.
    for (const row of stdout.split('\n').filter((line) => line.startsWith('| 2026')))
      expect(row.replaceAll(String.raw`\\`, '').split(/(?<!\\)\|/)).toHaveLength(7);
  });

  it('has only what --since names, by age or by date, and the same as data', async () => {
    const { run } = await night();
    const changes = async (...argv: string[]) => {
      const { stdout } = await run('history', 'report', '--json', ...argv);
      return JSON.parse(stdout) as {
        totals: object;
        causes: object;
        changes: { note: string }[];
        unknown: object[];
      };
    };
    for (const since of ['30m', '2026-03-02T12:30Z', '2026-03-02T14:30+02:00'])
      expect((await changes('--since', since)).changes.map(({ note }) => note)).toEqual(['INC-2']);
    expect(await changes('--since', '2026-03-02')).toMatchObject({
      totals: { changes: 2, records: 5, done: 3, failed: 1, unknown: 1, notStarted: 0 },
      causes: { content: 1 },
      unknown: [{ count: 1, verdict: null }],
    });
  });

  it('leaves out what a later run took up, and says where there is nothing', async () => {
    const { run, batch } = await night();
    await run(...batch, '--note', 'INC-1');
    const { stdout } = await run('history', 'report', '--note', 'INC-1', '--json');
    const { left, unknown } = JSON.parse(stdout) as { left: object[]; unknown: object[] };
    expect([left.length, unknown.length]).toEqual([1, 1]);
    const nothing = await run('history', 'report', '--note', 'INC-3');
    expect(nothing.stdout).toContain('No change is on record for this period with this note.');
    const wrong = await run('history', 'report', '--since', 'yesterday');
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('--since needs an age such as 3h'),
    ]);
  });
});

it('a report counts what a wait did not see end, and what ended badly, of one post as of several', async () => {
  const service = await countingServer((id, method) => ({
    body: postOf(id, id === idOf(1) && method === 'GET' ? 'cancelled' : 'publishing'),
  }));
  const { social } = testCli();
  const run = (...argv: string[]) => social(argv, { env: serviceAt(service.url) });
  const wait = ['--wait', '--interval', '50ms', '--wait-timeout', '200ms'];
  for (const ids of [[idOf(0), idOf(1)], [idOf(1)], [idOf(0)]])
    await run('posts', 'retry', ...ids, ...wait);
  const { stdout } = await run('history', 'report');
  expect(stdout).toContain('- 3 commands, 4 records: 2 failed, 2 still pending\n');
  expect(stdout).toMatch(/^- 1 failed, 1 still pending of `social posts retry \w+ \w+ --wait /m);
  expect(stdout).toMatch(/ \| 1 failed \| 10 \|$/m);
  expect(stdout).toMatch(/^- 1 still pending of `social posts retry \w+ --wait /m);
  const json = await run('history', 'report', '--json');
  const { totals, left } = JSON.parse(json.stdout) as { totals: object; left: object[] };
  expect(totals).toMatchObject({ records: 4, done: 0, failed: 2, pending: 2 });
  expect(left).toMatchObject([{ failed: 1, pending: 1 }, { failed: 1 }, { pending: 1 }]);
});
