// `posts retry --wait`: which targets it is about, and how it ends, for one post and in a batch with a journal. Against
// real sockets; the batch with the built program.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idOf } from '../../support/counting-server.ts';
import { targetPost, targets, type ScriptedTarget } from '../../support/posts.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome, social } from '../../support/program.ts';
import { publishingServer, type Script } from '../../support/publishing-server.ts';
import {
  errorResponse,
  recordingServer,
  successResponse,
  type StubResponse,
} from '../../support/recording-server.ts';
import { serviceAt } from '../../support/terminal.ts';

const { linkedin, mastodon, twitter } = targets;
const later = '2026-03-02T09:30:00Z';
const fast = ['--wait', '--interval', '30ms', '--wait-timeout', '5s', '-q'];

interface Case extends Script {
  readonly exit: number;
  /** The exit code in a batch with a journal, where only failed targets are named, if it differs. */
  readonly listed?: number;
  readonly flags?: readonly string[];
  readonly said?: string;
}

const same = (...of: ScriptedTarget[]): Script => ({ before: of, answer: of, after: [of] });

const cases: Readonly<Record<string, Case>> = {
  'what was under way before and goes out': {
    before: [linkedin('publishing')],
    answer: [linkedin('publishing')],
    after: [[linkedin('publishing')], [linkedin('publishing')], [linkedin('published')]],
    exit: 0,
    listed: 8,
  },
  'what was under way before and fails': {
    before: [linkedin('publishing')],
    answer: [linkedin('publishing')],
    after: [[linkedin('publishing')], [linkedin('failed', 'No.', later)]],
    exit: 10,
    listed: 8,
    said: '1 of 1 target failed: linkedin',
  },
  'what failed before and fails again': {
    before: [linkedin('failed', 'No.')],
    answer: [linkedin('publishing')],
    after: [[linkedin('publishing')], [linkedin('failed', 'No.', later)]],
    exit: 10,
    said: '1 of 1 target failed: linkedin',
  },
  'what only the answer shows moving': {
    before: [twitter('published'), linkedin('action_required')],
    answer: [twitter('published'), linkedin('publishing')],
    after: [
      [twitter('published'), linkedin('publishing')],
      [twitter('published'), linkedin('action_required')],
    ],
    exit: 10,
    listed: 0,
    said: '1 of 1 target action_required: linkedin',
  },
  'action_required all along': {
    ...same(linkedin('action_required')),
    exit: 10,
    listed: 0,
    said: '1 of 1 target action_required: linkedin',
  },
  'a post without targets': { ...same(), exit: 10, listed: 0, said: 'the post has no targets' },
  'what failed and goes out, beside what was cancelled before': {
    before: [mastodon('cancelled'), linkedin('failed')],
    answer: [mastodon('cancelled'), linkedin('publishing')],
    after: [
      [mastodon('cancelled'), linkedin('publishing')],
      [mastodon('cancelled'), linkedin('published')],
    ],
    exit: 0,
  },
  'what failed before, and another that the answer shows moving and then fails': {
    before: [mastodon('draft'), linkedin('failed')],
    answer: [mastodon('publishing'), linkedin('publishing')],
    after: [
      [mastodon('publishing'), linkedin('published')],
      [mastodon('failed', 'No.', later), linkedin('published')],
    ],
    exit: 10,
    listed: 0,
    said: '1 of 2 targets failed: mastodon',
  },
  'what still reads failed as before, and starts late': {
    before: [linkedin('failed')],
    answer: [linkedin('failed')],
    after: [[linkedin('failed')], [linkedin('publishing')], [linkedin('published')]],
    exit: 0,
  },
  'a target that was named, whatever the others do': {
    flags: ['--target', linkedin('x').id],
    before: [mastodon('publishing'), linkedin('failed')],
    answer: [mastodon('publishing'), linkedin('publishing')],
    after: [[mastodon('publishing'), linkedin('published')]],
    exit: 0,
  },
  'a target that was named and needs somebody': {
    flags: ['--target', linkedin('x').id],
    before: [mastodon('failed'), linkedin('failed')],
    answer: [mastodon('failed'), linkedin('publishing')],
    after: [[mastodon('published'), linkedin('action_required')]],
    exit: 10,
  },
  'with --failed, a post where nothing failed but something moves': {
    flags: ['--failed'],
    before: [twitter('published'), linkedin('publishing')],
    answer: [],
    after: [],
    exit: 8,
    said: 'wait timed out after',
  },
  'with --failed, a post where nothing failed and something needs somebody': {
    flags: ['--failed'],
    ...same(twitter('published'), linkedin('action_required')),
    exit: 10,
    listed: 0,
  },
  'with --failed, a post that is out': {
    flags: ['--failed'],
    ...same(twitter('published'), linkedin('published')),
    exit: 0,
  },
  'with --failed, a post without targets': { flags: ['--failed'], ...same(), exit: 10, listed: 0 },
};

const argvOf = ({ exit, flags = [] }: Case) => [
  ...fast,
  // A short timeout is enough for targets that are never done.
  ...(exit === 8 ? ['--wait-timeout', '200ms'] : []),
  ...flags,
];

it.each(Object.entries(cases))('%s: the result of one post', async (_name, each) => {
  const { exit, said, before } = each;
  const service = await publishingServer(() => each);
  const argv = ['posts', 'retry', idOf(0), ...argvOf(each)];
  const { exitCode, stdout, stderr } = await socialInProcess(argv, {
    env: serviceAt(service.url),
  });
  expect(exitCode).toBe(exit);
  expect(stderr).toContain(said ?? '');
  // The post is shown however the wait ended.
  expect(stdout === '').toBe(before.length === 0);
});

const endsIn = (stdout: string) =>
  Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { input: { postId: string }; exitCode: number })
      .map(({ input, exitCode }) => [input.postId, exitCode]),
  );

it.each([
  ['without flags', undefined, 11],
  ['with --failed', '--failed', 0],
])(
  'many posts %s, from a list with a journal, end by their failed targets',
  async (_name, flag, code) => {
    const some = Object.values(cases).filter(
      ({ flags, exit, listed = exit }) => flags?.[0] === flag && listed !== 8,
    );
    const ids = some.map((_case, i) => idOf(i));
    const wanted = Object.fromEntries(some.map(({ exit, listed = exit }, i) => [ids[i], listed]));
    const service = await publishingServer((id) => some[ids.indexOf(id)]!);
    const home = freshHome();
    writeFileSync(join(home, 'list'), ids.join('\n'));
    const files = ['--from', join(home, 'list'), '--journal', join(home, 'journal')];
    const flags = [...fast, ...(flag === undefined ? [] : [flag]), '--json'];
    const { exitCode, stdout } = await social(['posts', 'retry', ...files, ...flags], {
      home,
      env: serviceAt(service.url),
    });
    expect({ exitCode, ends: endsIn(stdout) }).toEqual({ exitCode: code, ends: wanted });
    const isNamed = (body: unknown) => Object.hasOwn(body as object, 'targetIds');
    expect(service.retries().every(isNamed)).toBe(true);
  },
);

/** A service whose answer to a retry is this; the targets of a post move at the first look after it, then are out. */
async function taciturn(answer: StubResponse, look?: StubResponse) {
  const looks = new Map<string, number>();
  const service = await recordingServer((_number, { method, target }) => {
    const id = target.split('/')[3]!;
    const seen = looks.get(id);
    if (method === 'POST') {
      looks.set(id, 0);
      return answer;
    }
    if (seen !== undefined) looks.set(id, seen + 1);
    if (seen !== undefined && look !== undefined) return look;
    const status = seen === undefined ? 'failed' : seen === 0 ? 'publishing' : 'published';
    const post = { ...targetPost([linkedin(status, undefined, status)]), id };
    return successResponse(JSON.stringify(post));
  });
  const retry = (...words: string[]) =>
    socialInProcess(['posts', 'retry', ...words, ...fast], { env: serviceAt(service.url) });
  const sent = () => service.requests.filter(({ method }) => method === 'POST').length;
  return { retry, sent, looks: () => [...looks.values()] };
}

const another = { ...targetPost([linkedin('published')]), id: 'PostOfAnotherUse' };
/** The post, whichever it is, with these targets alone. */
const showing = (...of: ScriptedTarget[]) =>
  successResponse(JSON.stringify({ ...targetPost(of), id: undefined }));

describe.each<readonly [string, StubResponse]>([
  ['an empty response', { status: 204 }],
  ['no data', { body: '{"ok":true}' }],
  ['only that it was accepted', { status: 202, body: '{"ok":true,"data":{"accepted":true}}' }],
  ['the state of another post', successResponse(JSON.stringify(another))],
  ['no targets', showing()],
  ['targets that were not requested', showing(twitter('published'))],
])('a retry that is answered with %s', (_what, answer) => {
  it('is followed by polls of the post', async () => {
    const { retry, sent, looks } = await taciturn(answer);
    const { exitCode, stdout } = await retry(idOf(0));
    expect({ exitCode, sent: sent(), looks: looks() }).toEqual({
      exitCode: 0,
      sent: 1,
      looks: [2],
    });
    expect(stdout).toMatch(/^linkedin\tpublished\t/);
  });

  it('is followed by polls in a batch as well', async () => {
    const { retry, sent } = await taciturn(answer);
    const { exitCode, stdout } = await retry(idOf(0), idOf(1), '--failed');
    expect({ exitCode, sent: sent() }).toEqual({ exitCode: 0, sent: 2 });
    expect(stdout.match(/^\w+\tlinkedin\tpublished\t/gm)).toHaveLength(2);
  });
});

const limits = '--interval 30ms --wait-timeout 5s';

it('a retry that was accepted stays accepted when a poll shows nothing of the post', async () => {
  const { retry, sent } = await taciturn({ status: 204 }, { body: '{"ok":true,"data":{}}' });
  const one = await retry(idOf(0), '--json');
  expect({ exitCode: one.exitCode, sent: sent() }).toEqual({ exitCode: 8, sent: 1 });
  const { error } = JSON.parse(one.stderr.trimEnd().split('\n').at(-1)!) as { error: object };
  expect(error).toMatchObject({
    code: 'still_pending',
    accepted: true,
    message: 'stopped polling: the response lacks targets with a status',
    next: `social posts wait ${idOf(0)} --target ${linkedin('x').id} --json ${limits} --quiet`,
  });
  const many = await retry(idOf(1), idOf(2));
  expect({ exitCode: many.exitCode, sent: sent() }).toEqual({ exitCode: 8, sent: 3 });
  expect(many.stderr).toContain('error: 0 of 2 published, 2 accepted\n');
});

it('a batch of accepted records with refused polls names no file of remaining records', async () => {
  const { retry, sent } = await taciturn({ status: 204 }, { status: 404, body: '{}' });
  const file = join(freshHome(), 'left');
  const { exitCode, stderr } = await retry(idOf(0), idOf(1), '--failures-to', file);
  expect({ exitCode, sent: sent() }).toEqual({ exitCode: 11, sent: 2 });
  expect(readFileSync(file, 'utf8')).toBe('');
  expect(stderr).not.toContain(file);
});

it.each([
  [
    401,
    4,
    `  then resume: social posts wait ${idOf(0)} --target ${linkedin('x').id} ${limits} --quiet\n`,
  ],
  [404, 5, '  the change was accepted; only the wait for it failed\n'],
])('a poll refused with %i does not fail the retry', async (status, code, told) => {
  const { retry, sent } = await taciturn({ status: 204 }, errorResponse(status));
  const { exitCode, stderr } = await retry(idOf(0));
  expect({ exitCode, sent: sent() }).toEqual({ exitCode: code, sent: 1 });
  expect(stderr).toContain('the change was accepted; only the wait for it failed\n');
  expect(stderr).toContain(told);
});
