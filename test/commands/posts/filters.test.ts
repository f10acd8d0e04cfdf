// `--platform` and `--cause`: the targets that a retry names and a wait counts, alone and in a batch, and the notes
// about skipped targets.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idOf } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { targets, type ScriptedTarget } from '../../support/posts.ts';
import { freshHome } from '../../support/program.ts';
import { publishingServer, type Script } from '../../support/publishing-server.ts';
import { serviceAt } from '../../support/terminal.ts';

const { linkedin, mastodon, twitter } = targets;
const busy = twitter('failed', 'Twitter answered 503 Service\u200b Unavailable (a+b).');
const expired = linkedin('failed', 'The session has EXPIRED.');
const long = mastodon('failed', 'The text is too long: 510 characters.');
const [BUSY, EXPIRED, LONG] = [busy, expired, long].map(({ id }) => id) as [string, string, string];
const ID = idOf(0);
const wait = ['--wait', '--interval', '30ms', '--wait-timeout', '5s'];

const published = (of: readonly ScriptedTarget[], id: string) =>
  of.map((each) => (each.id === id ? { ...each, status: 'published', error: undefined! } : each));
/** A post of which a retry publishes one target. */
const mends = (of: readonly ScriptedTarget[], id: string): Script => ({
  before: of,
  answer: of.map((each) => (each.id === id ? { ...each, status: 'publishing' } : each)),
  after: [published(of, id)],
});
const all = [busy, expired, long];
const still = (...of: readonly ScriptedTarget[]): Script => ({ before: of, answer: of, after: [] });

async function run(argv: readonly string[], scripts: readonly Script[] = [still(...all)]) {
  const service = await publishingServer((id) => {
    const at = scripts.findIndex((_script, i) => idOf(i) === id);
    return scripts[at] ?? scripts[0]!;
  });
  const home = freshHome();
  const list = join(home, 'list');
  writeFileSync(list, scripts.map((_script, i) => `${idOf(i)}\n`).join(''));
  const line = argv.map((word) => (word === 'LIST' ? list : word));
  const again = (...more: readonly string[]) =>
    socialInProcess(['posts', ...line, ...more], { home, env: serviceAt(service.url) });
  const { exitCode, stdout, stderr } = await again();
  return { exitCode, stdout, stderr, again, retries: service.retries, home, list };
}

const sent = (...ids: readonly string[]) => [{ targetIds: ids }];

describe('a retry names only the failed targets', () => {
  it.each<readonly [string, readonly string[], readonly unknown[]]>([
    ['of a platform', ['--platform', 'linkedin'], sent(EXPIRED)],
    ['of platforms', ['--platform', 'linkedin', '--platform', 'mastodon'], sent(EXPIRED, LONG)],
    ['of platforms in one value', ['--platform', 'linkedin,twitter'], sent(BUSY, EXPIRED)],
    ['of a cause', ['--cause', 'temporary'], sent(BUSY)],
    ['of causes', ['--cause', 'reconnect', '--cause', 'content'], sent(EXPIRED, LONG)],
    ['with all of it', ['--platform', 'twitter', '--cause', 'content'], []],
    ['that are named', ['--target', `${EXPIRED},${LONG}`, '--cause', 'content'], sent(LONG)],
    ['also with --failed', ['--failed', '--cause', 'content'], sent(LONG)],
  ])('%s', async (_what, flags, retries) => {
    const ended = await run(['retry', ID, ...flags]);
    expect({ exitCode: ended.exitCode, sent: ended.retries() }).toEqual({
      exitCode: 0,
      sent: retries,
    });
    expect(ended.stderr.includes(`nothing to retry in ${ID}; nothing was changed`)).toBe(
      retries.length === 0,
    );
  });

  it('in a dry run, which reads the post and sends nothing', async () => {
    const { exitCode, stdout, retries } = await run(['retry', ID, '--cause', 'content', '-n']);
    expect({ exitCode, sent: retries() }).toEqual({ exitCode: 0, sent: [] });
    expect(stdout).toContain(JSON.stringify({ targetIds: [LONG] }));
  });
});

it.each<readonly [string, readonly string[]]>([
  ['alone', [ID]],
  ['for a list', ['--from', 'LIST']],
])('unknown values are all reported at once, and once only, %s', async (_how, words) => {
  const flags = ['--platform', 'linkdin', '--cause', 'temprary'];
  const { exitCode, stderr, retries } = await run(['retry', ...words, ...flags]);
  expect({ exitCode, sent: retries() }).toEqual({ exitCode: 2, sent: [] });
  expect(stderr).toContain('error: 2 errors; nothing was sent\n');
  expect(
    stderr.match(/^ {2}--platform must be one of: .*; did you mean linkedin\?$/gm),
  ).toHaveLength(1);
  expect(stderr).toContain('got "temprary"; did you mean temporary?\n');
});

describe('a skipped target', () => {
  it('is reported by reason for one post, and counted for several', async () => {
    const out = { ...linkedin('failed', 'Lost.'), platformPostId: '7' };
    const one = await run(['retry', ID, '--failed'], [still(twitter('publishing'), out, long)]);
    expect(one.stderr).toContain(`skipped twitter ${BUSY}: already publishing\n`);
    expect(one.stderr).toContain(
      `skipped linkedin ${EXPIRED}: failed, but already has a platform post; check that first\n`,
    );
    expect(one.retries()).toEqual(sent(LONG));
    const two = [twitter('publishing'), linkedin('publishing'), long];
    const { stderr } = await run(['retry', ID, '--failed'], [still(...two)]);
    expect(stderr).toContain('skipped 2 targets: already publishing\n');
  });

  it('is counted in a batch, where a record with nothing to retry is neither failed nor done', async () => {
    const scripts = [
      mends(all, BUSY),
      still(twitter('published'), linkedin('published')),
      still(expired, long),
      still(twitter('publishing')),
    ];
    const { exitCode, stdout, stderr, again, retries, home } = await run(
      ['retry', '--from', 'LIST', '--cause', 'temporary', '--json'],
      scripts,
    );
    expect({ exitCode, sent: retries() }).toEqual({ exitCode: 0, sent: sent(BUSY) });
    expect(stderr).toBe(
      [
        '1 of 4 accepted, 3 skipped',
        'skipped 4 targets: failed, but not selected',
        'skipped 2 targets: already published',
        'skipped 1 target: already publishing',
        '',
      ].join('\n'),
    );
    expect(stdout.match(/"ok":true,"exitCode":0,"skipped":true/g)).toHaveLength(3);
    // The next run reads the posts again.
    const journal = join(home, 'journal');
    await again('--journal', journal);
    expect(readFileSync(journal, 'utf8')).not.toContain('"sent":');
    expect((await again('--journal', journal)).stderr).toContain('0 of 4 accepted, 4 skipped\n');
    expect(retries()).toEqual(sent(BUSY));
  });

  it('is not waited for, unless it is publishing', async () => {
    const scripts = [
      mends(all, BUSY),
      still(expired, long),
      still(twitter('published')),
      { before: [twitter('publishing'), long], answer: [], after: [] },
    ];
    const line = ['retry', '--from', 'LIST', '--cause', 'temporary', ...wait.slice(0, 3)];
    const { exitCode, stderr } = await run([...line, '--wait-timeout', '300ms'], scripts);
    expect(exitCode).toBe(8);
    expect(stderr).toContain('error: 1 of 4 published, 1 accepted, 2 skipped\n');
    expect(stderr).toMatch(new RegExp(`\ntry: social posts wait ${idOf(3)} --target ${BUSY}\n$`));
  });

  it('does not fail the wait for the others', async () => {
    const flags = ['--platform', 'twitter', ...wait];
    const { exitCode, retries } = await run(['retry', ID, ...flags], [mends(all, BUSY)]);
    expect({ exitCode, sent: retries() }).toEqual({ exitCode: 0, sent: sent(BUSY) });
  });
});

describe('posts wait --platform', () => {
  const script = still(twitter('published'), long, linkedin('published'));
  it.each<readonly [string, readonly string[], number, string]>([
    ['waits only for these platforms', [ID, '--platform', 'twitter,linkedin'], 0, ''],
    [
      'ends with the failure on this platform',
      [ID, '--platform', 'mastodon'],
      10,
      '1 of 1 target failed: mastodon',
    ],
    [
      'may be combined with --target',
      [ID, '--platform', 'twitter,mastodon', '--target', BUSY],
      0,
      '',
    ],
    [
      'without a target on the platform is an error',
      [ID, '--platform', 'reddit'],
      10,
      'no target on reddit',
    ],
    [
      'that excludes every --target is an error',
      [ID, '--platform', 'twitter', '--target', LONG],
      10,
      'error: none of these targets is on twitter\n',
    ],
    [
      'counts in a batch',
      ['--from', 'LIST', '--platform', 'twitter'],
      0,
      '1 of 2 published, 1 skipped',
    ],
    [
      'that matches nothing in a batch is an error',
      ['--from', 'LIST', '--platform', 'reddit'],
      11,
      'error: 0 of 2 published, 2 skipped\n  nothing was waited for: no record has a target that counts\n',
    ],
  ])('%s', async (_what, words, code, said) => {
    const { exitCode, stderr } = await run(['wait', ...words], [script, still(expired)]);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(said);
  });
});
