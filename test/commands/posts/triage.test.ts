// `posts triage` by each key, and what comes after it: its lists, its JSON and that of `posts get` are what
// `posts retry --from` reads. One test runs the built program on the sandbox's outage.

import { MARK, savedLines } from '../../support/saved-list.ts';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idOf } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { targetPost, targets, type ScriptedTarget } from '../../support/posts.ts';
import { freshHome, social } from '../../support/program.ts';
import { publishingServer } from '../../support/publishing-server.ts';
import { recordingServer, successResponse } from '../../support/recording-server.ts';
import { splitWords } from '../../support/shell-words.ts';
import { serviceAt } from '../../support/terminal.ts';
import { needsUnix } from '../../support/unix.ts';

const { linkedin, mastodon, twitter } = targets;
const at = (accountId: string, target: ScriptedTarget) => ({ ...target, accountId });
const busy = 'Service unavailable, try again later.';
const expired = 'The session has expired.';
const posts: readonly (readonly ScriptedTarget[])[] = [
  [at('AccountTwitterAa', twitter('failed', busy)), at('AccountLinkedInA', linkedin('published'))],
  [
    at('AccountTwitterAa', twitter('failed', busy)),
    at('AccountLinkedInA', linkedin('failed', expired)),
  ],
  [at('AccountLinkedInB', linkedin('failed', expired)), at('AccountMastodonA', mastodon('failed'))],
  [at('AccountTwitterAa', twitter('publishing')), at('AccountMastodonA', mastodon('published'))],
  [
    {
      ...at('AccountLinkedInB', linkedin('failed', expired)),
      platformPostId: '7',
    } as ScriptedTarget,
  ],
];
const [TWIT, LINK, MAST] = [twitter('x').id, linkedin('x').id, mastodon('x').id];

interface Group {
  readonly posts: number;
  readonly targets: number;
  readonly errors: readonly { readonly text: string; readonly count: number }[];
  readonly next: string;
  readonly records: readonly { readonly postId: string; readonly targetIds: readonly string[] }[];
}

async function stage(staged = posts) {
  const service = await publishingServer((id) => {
    const before = staged.find((_post, i) => idOf(i) === id)!;
    // The next retry sends the temporary failures.
    const retried = (status: string) =>
      before.map((target) => (target.error === busy ? twitter(status) : target));
    return { before, answer: retried('publishing'), after: [retried('published')] };
  });
  const home = freshHome();
  const list = join(home, 'list');
  writeFileSync(list, staged.map((_post, i) => `${idOf(i)}\n`).join(''));
  const run = (words: readonly string[], input = '', env = {}) =>
    socialInProcess(words, { home, env: { ...serviceAt(service.url), ...env }, input });
  return {
    home,
    list,
    run,
    retries: service.retries,
    triage: (...words: readonly string[]) => run(['posts', 'triage', '--from', list, ...words]),
  };
}

const groupsIn = (stdout: string) =>
  (JSON.parse(stdout) as { groups: readonly (Group & Record<string, unknown>)[] }).groups;

describe('posts triage --by', () => {
  it.each<readonly [string, readonly (readonly [key: string, posts: number, targets: number])[]]>([
    [
      'cause',
      [
        ['temporary', 2, 2],
        ['reconnect', 3, 3],
        ['other', 1, 1],
      ],
    ],
    [
      'platform',
      [
        ['linkedin', 3, 3],
        ['twitter', 2, 2],
        ['mastodon', 1, 1],
      ],
    ],
    [
      'account',
      [
        ['AccountTwitterAa', 2, 2],
        ['AccountLinkedInB', 2, 2],
        ['AccountLinkedInA', 1, 1],
        ['AccountMastodonA', 1, 1],
      ],
    ],
  ])('%s counts posts and targets in each group', async (by, wanted) => {
    const { triage } = await stage();
    const { exitCode, stdout } = await triage('--by', by, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ posts: 5, failedTargets: 6 });
    const groups = groupsIn(stdout);
    const found = groups.map((group) => [group[by], group.posts, group.targets] as const);
    expect(new Set(found.map(String))).toEqual(new Set(wanted.map(String)));
    expect(found.map(([, , count]) => count)).toEqual(wanted.map(([, , count]) => count));
    // A target that is already on its platform is in no list for a retry.
    const ids = groups.flatMap(({ records }) => records.flatMap(({ targetIds }) => targetIds));
    expect(ids.toSorted()).toEqual([TWIT, TWIT, LINK, LINK, MAST].toSorted());
  });

  it('rejects an unknown key, and suggests a similar one', async () => {
    const { triage } = await stage();
    const { exitCode, stderr } = await triage('--by', 'plattform');
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'error: --by must be one of: cause, platform, account; got "plattform"\n' +
        '  did you mean platform?\ntry: social posts triage --help\n',
    );
  });
});

describe('the command that posts triage suggests', () => {
  const forbidden = 'The account is restricted.';
  const long = 'The text is too long.';
  const posted = (target: ScriptedTarget) => ({ ...target, platformPostId: '7' }) as ScriptedTarget;
  const facebook = (account: string) =>
    at(account, { ...linkedin('failed', expired), platform: 'facebook' });
  const alone = [at('AccountTwitterAa', twitter('failed', busy))];
  const eleven = Array.from({ length: 11 }, () => alone);

  it.each<readonly [what: string, staged: readonly (readonly ScriptedTarget[])[], next: string]>([
    ['one post', [alone], `social posts retry ${idOf(0)} --target ${TWIT} --wait`],
    ['posts', [alone, alone], 'social posts retry --from list --cause temporary --wait'],
    [
      'a failed target that is on its platform already',
      [[posted(alone[0]!)]],
      'nothing to retry: the platform already has these posts',
    ],
    [
      'content',
      [[linkedin('failed', long)]],
      'change the content; retrying it unchanged fails again',
    ],
    [
      'a refusal',
      [[linkedin('failed', forbidden)]],
      'the platform rejects it and may reject it again; check the account there',
    ],
    ['a target without an error', [[linkedin('failed')]], `social posts get ${idOf(0)}`],
    [
      'four accounts',
      ['A', 'B', 'B', 'C', 'D'].map((name) => [at(name, linkedin('failed', expired))]),
      'reconnect linkedin B, linkedin A, linkedin C and 1 more in the service',
    ],
    [
      'three accounts, one of Facebook',
      [
        [at('A', linkedin('failed', expired))],
        [facebook('B')],
        [at('C', twitter('failed', expired))],
      ],
      'reconnect linkedin A, facebook B, twitter C in the service; then check: social connect facebook pages -a B',
    ],
    [
      'targets without an account',
      [[linkedin('failed', expired)]],
      'reconnect the accounts in the service',
    ],
  ])('for %s', async (_what, staged, next) => {
    const { triage, list } = await stage(staged);
    // One after the other, so that accounts with as many targets stay in their order.
    const { stdout } = await triage('--json', '--concurrency', '1');
    const [group, ...others] = groupsIn(stdout);
    expect(others).toEqual([]);
    expect(group!.next.replace(list, 'list')).toBe(next);
  });

  it('names the posts without a list, up to ten', async () => {
    const { run, home } = await stage(eleven);
    const next = async (count: number, ...words: readonly string[]) => {
      const ids = eleven.slice(0, count).map((_post, i) => idOf(i));
      const line = ['posts', 'triage', ...words, '--json', '--concurrency', '1'];
      const piped = await run([...line, '--from', '-'], `${ids.join('\n')}\n`);
      const { stdout } = await run([...line, ...ids]);
      const [typed, read] = [stdout, piped.stdout].map((each) => groupsIn(each)[0]!.next);
      return { ids: ids.join(' '), typed, read };
    };
    const ten = await next(10);
    expect(ten.typed).toBe(`social posts retry ${ten.ids} --cause temporary --wait`);
    expect(ten.read).toBe(ten.typed);
    const of = await next(2, '--by', 'platform');
    expect(of.typed).toBe(
      `social posts retry ${of.ids} --cause temporary --platform twitter --wait`,
    );
    const more = await next(11);
    expect(more.typed).toBe(`social posts triage --json --concurrency 1 ${more.ids} --save triage`);
    const rows = join(home, 'rows.csv');
    writeFileSync(rows, `n,post\n1,${idOf(0)}\n2,${idOf(1)}\n`);
    const csv = await run(['posts', 'triage', '--from', rows, '--column', 'post', '--json']);
    expect(groupsIn(csv.stdout)[0]!.next).toBe(
      `social posts retry --from ${rows} --column post --cause temporary --wait`,
    );
  });

  it('is not a retry for a group of several causes', async () => {
    const { triage } = await stage([alone, [at('AccountTwitterAa', twitter('failed', long))]]);
    const { stdout } = await triage('--by', 'account', '--json');
    expect(groupsIn(stdout).map(({ next }) => next)).toEqual([
      'has several causes (temporary, content): use --by cause',
    ]);
  });
});

describe('the output of posts triage', () => {
  const others = [[at('AccountLinkedInB', linkedin('failed', 'Token revoked.'))], posts[0]!];

  it('is a bar for each group, all its errors, the next step, and what a retry risks', async () => {
    const { triage, list } = await stage([...posts, ...others]);
    const { stdout, stderr } = await triage('-o', 'table');
    expect(stdout).toBe(
      `temporary ███████░░░░░░░░░░░░░ 3 of 8 targets, 3 posts
  twitter 3
  3 × Service unavailable, try again later.
  next: social posts retry --from ${list} --cause temporary --wait

reconnect ██████████░░░░░░░░░░ 4 of 8 targets, 4 posts
  linkedin 4
  3 × The session has expired.
  1 × Token revoked.
  next: reconnect linkedin AccountLinkedInB, linkedin AccountLinkedInA in the
  service

other     ██░░░░░░░░░░░░░░░░░░ 1 of 8 targets, 1 post
  mastodon 1
  1 × (failed)
  next: social posts get ${idOf(2)}

4 can be retried now, 1 may be published already, 3 fail again unchanged
(reconnect)
`,
    );
    expect(stderr).toBe('7 of 7 read\n');
  });

  it('has at most eight errors of a group, signs of ASCII without UTF-8, and words for a listener', async () => {
    const many = Array.from({ length: 10 }, (_, i) => [
      at('AccountLinkedInA', linkedin('failed', `Token ${i} expired.`)),
    ]);
    const { triage, run, list } = await stage(many);
    const words = ['posts', 'triage', '--from', list, '-o', 'table'];
    const plain = await run(words, '', { LANG: 'C' });
    expect(plain.stdout).toContain('reconnect #################### 10 of 10 targets, 10 posts\n');
    expect(plain.stdout).toMatch(/(?:\n {2}1 × Token \d expired\.){8}\n {2}and 2 more\n {2}next: /);
    const heard = await triage('-o', 'table', '--accessible');
    expect(heard.stdout).toContain('reconnect: 10 of 10 targets, 10 posts\n');
    expect(heard.stdout).toMatch(/\n {2}1 time: Token \d expired\.\n/);
  });

  it('with -o wide is a table row for each group, its most frequent error, and the next command below', async () => {
    const { triage, list } = await stage([...posts, ...others]);
    const { stdout, stderr } = await triage('-o', 'wide');
    expect(stdout).toBe(
      [
        'CAUSE      POSTS  TARGETS  PLATFORMS   ACCOUNTS                                ERRORS                                     READ FROM',
        'temporary  3      3        twitter 3   AccountTwitterAa 3                      3 × Service unavailable, try again later.  "unavailable"',
        'reconnect  4      4        linkedin 4  AccountLinkedInB 3, AccountLinkedInA 1  3 × The session has expired. (and 1 more)  "session" and 1 more',
        'other      1      1        mastodon 1  AccountMastodonA 1                      1 × (failed)                               nothing known',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe(
      [
        `temporary: social posts retry --from ${list} --cause temporary --wait`,
        'reconnect linkedin AccountLinkedInB, linkedin AccountLinkedInA in the service',
        `other: social posts get ${idOf(2)}`,
        '7 of 7 read',
        '',
      ].join('\n'),
    );
  });

  it('has the next command in each row, for TSV and --fields as well', async () => {
    const { triage, list } = await stage();
    const retry = `social posts retry --from ${list} --cause temporary --wait`;
    const { stdout, stderr } = await triage('-o', 'tsv');
    expect(stdout.split('\n')[0]!.split('\t')).toEqual([
      'temporary',
      '2',
      '2',
      '{"twitter":2}',
      '{"AccountTwitterAa":2}',
      '2 × Service unavailable, try again later.',
      retry,
      '"unavailable"',
    ]);
    expect(stderr).toBe('5 of 5 read\n');
    const fields = await triage('-o', 'table', '--fields', 'groups.next,groups.errors');
    expect(fields.stdout).toContain('"count":2');
    expect(fields.stderr).toBe('5 of 5 read\n');
  });

  it('is empty when nothing failed, and counts a repeated post once', async () => {
    const { triage, list } = await stage([[twitter('published')], posts[1]!]);
    writeFileSync(list, `${idOf(0)}\n`);
    const none = await triage('-o', 'table');
    expect(none).toMatchObject({ exitCode: 0, stdout: '(none)\n' });
    expect(none.stderr).toContain('no failed targets\n');
    writeFileSync(list, `${idOf(1)}\n{"postId":"${idOf(1)}"}\n`);
    const { stdout } = await triage('--json');
    expect(JSON.parse(stdout)).toMatchObject({ posts: 1, failedTargets: 2 });
  });

  it('counts each error, the most frequent first', async () => {
    const error = (n: number) => [at('AccountTwitterAa', twitter('failed', `No. ${n}`))];
    const { triage } = await stage([error(1), error(2), error(2), [twitter('failed', '')]]);
    const { stdout } = await triage('--json', '--concurrency', '1');
    expect(groupsIn(stdout)[0]!.errors).toEqual([
      { text: 'No. 2', count: 2 },
      { text: 'No. 1', count: 1 },
      { text: '(failed)', count: 1 },
    ]);
  });

  it('empties the saved list of a cause without posts, and creates none', async () => {
    const { triage, home } = await stage();
    const folder = join(home, 'deep', 'night');
    expect((await triage('--save', folder)).stderr).toContain(
      `saved ${join(folder, 'temporary.ndjson')}\nsaved ${join(folder, 'reconnect.ndjson')}\n`,
    );
    const names = ['other', 'reconnect', 'temporary'].map((cause) => `${cause}.ndjson`);
    expect(readdirSync(folder).toSorted()).toEqual(names);
    writeFileSync(
      join(folder, 'content.ndjson'),
      `${MARK}\n{"postId":"PostOfYesterdayA","targetIds":["TargetOfYesterda"]}\n`,
    );
    await triage('--save', folder, '--by', 'platform');
    expect(readFileSync(join(folder, 'content.ndjson'), 'utf8')).not.toBe('');
    await triage('--save', folder);
    expect(readFileSync(join(folder, 'content.ndjson'), 'utf8')).toBe('');
    expect(readFileSync(join(folder, 'temporary.ndjson'), 'utf8')).toContain(TWIT);
  });
});

const wanted = [{ targetIds: [TWIT] }, { targetIds: [TWIT] }];

describe('the failed targets found by a triage are retried', () => {
  it('from the saved list, with the suggested command', async () => {
    const { triage, home, run, retries } = await stage();
    const folder = join(home, 'night');
    const { stdout } = await triage('--save', folder, '--json');
    const next = groupsIn(stdout)[0]!.next;
    expect(next).toContain(`posts retry --from ${folder}/temporary.ndjson`);
    const { exitCode, stderr } = await run(splitWords(next).slice(1));
    expect({ exitCode, sent: retries() }).toEqual({ exitCode: 0, sent: wanted });
    expect(stderr).toContain('2 of 2 published\n');
    expect(readFileSync(join(folder, 'temporary.ndjson'), 'utf8')).toContain(TWIT);
  });

  it.each([
    ['of posts triage --json', ['triage'], ['--json'], 5],
    ['of posts triage, indented by jq', ['triage'], ['--jq', '.'], 5],
    ['of posts get --json', ['get'], ['--json'], 5],
    ['of posts get -o ndjson', ['get'], ['-o', 'ndjson'], 5],
  ])('through a pipe, from the output %s', async (_what, words, form, records) => {
    const { list, run, retries } = await stage();
    const { stdout } = await run(['posts', ...words, '--from', list, ...form]);
    const line = ['posts', 'retry', '--from', '-', '--cause', 'temporary'];
    const { exitCode, stderr } = await run(line, stdout);
    expect({ exitCode, sent: retries() }).toEqual({ exitCode: 0, sent: wanted });
    expect(stderr).toContain(`2 of ${records} accepted, ${records - 2} skipped\n`);
  });
});

it('groups failed targets by cause and saves a list for each', async () => {
  const home = freshHome();
  await socialInProcess(['sandbox', 'reset', '--state', 'outage', '--export', home, '-y'], {
    home,
  });
  const rows = readFileSync(join(home, 'failed-posts.csv'), 'utf8').trim().split('\n').slice(1);
  const ids = new Set(rows.map((row) => row.split(',')[1]!));
  const list = join(home, 'ids');
  writeFileSync(list, [...ids].join('\n'));
  const folder = join(home, 'triage');
  const line = ['-C', 'sandbox', 'posts', 'triage', '--from', list, '--save', folder, '--json'];
  const { stdout, exitCode } = await social(line, { home });
  expect(exitCode).toBe(0);
  const { posts: read, failedTargets } = JSON.parse(stdout) as Record<string, number>;
  const groups = groupsIn(stdout);
  const causes = ['temporary', 'reconnect', 'content', 'unsure'];
  expect(groups.map(({ cause }) => cause)).toEqual(causes);
  expect(read).toBe(ids.size);
  expect(groups.reduce((sum, group) => sum + group.targets, 0)).toBe(failedTargets);
  expect(readdirSync(folder).toSorted()).toEqual(causes.map((name) => `${name}.ndjson`).toSorted());
  for (const [i, { records }] of groups.entries()) {
    const lines = savedLines(join(folder, `${causes[i]!}.ndjson`));
    expect(lines.map((record) => JSON.parse(record) as unknown)).toEqual(records);
  }
  const [temporary, reconnect, content, unsure] = groups;
  expect(temporary!.next).toBe(
    `social -C sandbox posts retry --from ${folder}/temporary.ndjson --failed --wait --journal ${folder}/temporary.journal`,
  );
  expect(reconnect!.next).toContain('social -C sandbox connect facebook pages -a AccountFacebookB');
  expect(content!.next).toContain('retrying it unchanged fails again');
  expect(unsure).toMatchObject({ targets: 3, posts: 3 });
  expect(unsure!.next).toBe(
    'may be published already: look at the account first; then --target <id> sends it (linkedin AccountLinkedInA, instagram AccountInstagram, reddit AccountRedditAaa)',
  );
});

it('continues after a post without target data, and counts it as not read', async () => {
  const ids = [idOf(0), idOf(1), idOf(2)];
  const service = await recordingServer((_number, { target }) => {
    const id = target.split('/')[3]!;
    const post = { ...targetPost([linkedin('failed', expired)]), id };
    return successResponse(JSON.stringify(id === ids[1] ? { ...post, targets: undefined } : post));
  });
  const argv = ['posts', 'triage', ...ids, '--json', '--concurrency', '1'];
  const env = serviceAt(service.url);
  const { stdout, stderr, exitCode } = await socialInProcess(argv, { env });
  expect({ exitCode, requests: service.requests.length }).toEqual({ exitCode: 11, requests: 3 });
  expect(JSON.parse(stdout)).toMatchObject({ posts: 2, failedTargets: 2 });
  expect(stderr).toContain(`error: ${ids[1]}: the response lacks targets with a status\n`);
  expect(stderr).toContain('"message":"2 of 3 read, 1 failed: 1 temporary"');
});

it('does not claim that nothing failed when no post could be read', async () => {
  const line = ['-C', 'sandbox', 'posts', 'triage', 'PostNobodyHasAny', 'PostNobodyHasTwo'];
  const { stdout, stderr, exitCode } = await socialInProcess([...line, '-o', 'table']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: '' });
  expect(stderr).toContain('0 of 2 read');
  expect(stderr).not.toContain('no failed targets');
});

it('ends before anything is read when the folder cannot be created', async () => {
  needsUnix('devices and no /proc');
  const line = ['-C', 'sandbox', 'posts', 'triage', 'PostSpringLaunch', '--save', '/dev/null/x'];
  const { exitCode, stdout, stderr } = await social(line);
  expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: '' });
  expect(stderr).toContain('error: cannot write /');
});
