// `posts triage` by each key, and what comes after it: its lists, its JSON and that of `posts get` are what
// `posts retry --from` reads.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idOf } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { targets, type ScriptedTarget } from '../../support/posts.ts';
import { freshHome } from '../../support/program.ts';
import { publishingServer } from '../../support/publishing-server.ts';
import { splitWords } from '../../support/shell-words.ts';
import { serviceAt } from '../../support/terminal.ts';

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
    // What is temporary goes out with the next retry.
    const retried = (status: string) =>
      before.map((target) => (target.error === busy ? twitter(status) : target));
    return { before, answer: retried('publishing'), after: [retried('published')] };
  });
  const home = freshHome();
  const list = join(home, 'list');
  writeFileSync(list, staged.map((_post, i) => `${idOf(i)}\n`).join(''));
  const run = (words: readonly string[], input = '') =>
    socialInProcess(words, { home, env: serviceAt(service.url), input });
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
    [
      'error',
      [
        [expired, 3, 3],
        [busy, 2, 2],
        ['(failed)', 1, 1],
      ],
    ],
  ])('%s counts posts and targets in each group', async (by, wanted) => {
    const { triage } = await stage();
    const { exitCode, stdout } = await triage('--by', by, '--json');
    expect(exitCode).toBe(0);
    const groups = groupsIn(stdout);
    const found = groups.map((group) => [group[by], group.posts, group.targets] as const);
    expect(new Set(found.map(String))).toEqual(new Set(wanted.map(String)));
    expect(found.map(([, , count]) => count)).toEqual(wanted.map(([, , count]) => count));
    // What is on its platform already is in no list of what to retry.
    const ids = groups.flatMap(({ records }) => records.flatMap(({ targetIds }) => targetIds));
    expect(ids.toSorted()).toEqual([TWIT, TWIT, LINK, LINK, MAST].toSorted());
  });

  it('names no command for a group with several causes', async () => {
    const { triage } = await stage();
    const groups = groupsIn((await triage('--by', 'platform', '--json')).stdout);
    const ofTwitter = groups.find(({ platform }) => platform === 'twitter')!;
    expect(ofTwitter.next).toMatch(
      / posts retry --from \S+ --cause temporary --platform twitter --wait$/,
    );
    const { stdout } = await triage('--by', 'error', '--json');
    expect(groupsIn(stdout).every(({ errors }) => errors.length === 1)).toBe(true);
  });

  it('saves a list for each group, numbered where the key is a text', async () => {
    const { triage, home } = await stage();
    await triage('--by', 'account', '--save', join(home, 'accounts'));
    expect(readdirSync(join(home, 'accounts'))).toContain('AccountLinkedInB.ndjson');
    await triage('--by', 'error', '--save', join(home, 'errors'));
    expect(readdirSync(join(home, 'errors')).toSorted()).toEqual(
      [1, 2, 3].map((n) => `error-${n}.ndjson`),
    );
  });

  it('saves no two groups in files that differ in capitals alone, and none under the name of a device', async () => {
    const { triage, home } = await stage([
      [at('AccountTwitterAa', twitter('failed', busy))],
      [at('AccountTwitterAA', twitter('failed', busy))],
      [at('nul', mastodon('failed'))],
    ]);
    await triage('--by', 'account', '--save', join(home, 'accounts'));
    const names = readdirSync(join(home, 'accounts'));
    expect(names).toHaveLength(3);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(3);
    expect(names).not.toContain('nul.ndjson');
  });

  it('refuses another key, and says which one may be meant', async () => {
    const { triage } = await stage();
    const { exitCode, stderr } = await triage('--by', 'plattform');
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'error: --by must be one of: cause, platform, account, error; got "plattform"\n' +
        '  did you mean platform?\ntry: social posts triage --help\n',
    );
  });
});

const wanted = [{ targetIds: [TWIT] }, { targetIds: [TWIT] }];

describe('what a triage found is retried', () => {
  it('from the saved list, by the line that it suggests', async () => {
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

  it('is read again as whole posts, from the list of a retry', async () => {
    const { triage, home, run, retries } = await stage();
    await triage('--save', join(home, 'night'));
    const list = join(home, 'night', 'reconnect.ndjson');
    const { exitCode, stdout } = await run(['posts', 'get', '--from', list, '--json']);
    const seen = stdout.trim().split('\n');
    expect({ exitCode, posts: seen.length, sent: retries() }).toEqual({
      exitCode: 0,
      posts: readFileSync(list, 'utf8').trim().split('\n').length,
      sent: [],
    });
    const reply = ['posts', 'reply', '--from', list, '--text', 'Hi', '--dry-run'];
    expect((await run(reply)).stderr).toContain('unknown field "targetIds"');
  });

  it('through a pipe, each target once, with the targets that the triage names', async () => {
    const { list, run, retries } = await stage();
    const { stdout } = await run(['posts', 'triage', '--from', list, '--json']);
    const { exitCode, stderr } = await run(['posts', 'retry', '--from', '-', '--dry-run'], stdout);
    expect({ exitCode, sent: retries() }).toEqual({ exitCode: 0, sent: [] });
    expect(stderr).toBe('');
  });
});
