// `posts retry` beyond its request: the targets that are chosen, what a refusal and a lost answer are followed by,
// and what is named as the next step. A person's choices are the test's; the service listens on a real socket.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { targetPost, targets, type ScriptedTarget } from '../../support/posts.ts';
import {
  recordingServer,
  errorResponse,
  successResponse,
  type StubResponse,
} from '../../support/recording-server.ts';
import { misbehavingServer } from '../../support/misbehaving-server.ts';
import { testCli } from '../../support/test-cli.ts';
import type { Prompts } from '../../../src/base/runtime.ts';

const { linkedin, mastodon, twitter } = targets;
const [ID, OTHER] = ['PostForTheTestsA', 'PostForTheTestsB'];
const TIME = '2026-03-02T09:00:00Z';
const post = (...of: readonly ScriptedTarget[]): StubResponse =>
  successResponse(JSON.stringify(targetPost(of)));
const posted = { ...twitter('failed', 'Lost.'), platformPostId: '12' };
const [failedLink, failedMast] = [linkedin('failed', 'Lost.'), mastodon('failed')];

interface Scene {
  readonly columns?: number;
  readonly ask?: Partial<Prompts>;
  readonly flags?: readonly string[];
}

/** Runs a command; `reply` answers each request by its method and by how often that has come, from 1. */
async function run(
  argv: readonly string[],
  reply: (method: string, time: number) => StubResponse,
  { columns, ask }: Scene = {},
) {
  const times: Record<string, number> = {};
  const service = await recordingServer((_number, { method }) => {
    times[method] = (times[method] ?? 0) + 1;
    return reply(method, times[method]);
  });
  const ended = await testCli().social([...argv, '--no-color'], {
    env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-the-test' },
    columns,
    ...(ask === undefined ? {} : { ask }),
  });
  const bodies = service.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => (body === '' ? undefined : (JSON.parse(body) as unknown)));
  return { ...ended, bodies, methods: service.requests.map(({ method }) => method) };
}

/** Runs `posts retry -i` for a person who takes these targets; says what they were shown. */
async function choosing(
  take: readonly string[],
  reply: (method: string, time: number) => StubResponse,
  flags: readonly string[] = [],
) {
  const shown: unknown[] = [];
  const checklist = async (question: unknown) => {
    shown.push(question);
    return take;
  };
  const ask = { checklist } as unknown as Partial<Prompts>;
  return {
    ...(await run(['posts', 'retry', ID, '-i', ...flags], reply, { columns: 100, ask })),
    shown,
  };
}

describe('--interactive', () => {
  const before = post(twitter('published'), failedLink, failedMast, posted);
  const moving = post(mastodon('publishing'));

  it('offers nothing that may be published already, and says so', async () => {
    const lost = linkedin('failed', 'Accepted, but no id was returned.');
    const { stderr, shown } = await choosing([failedMast.id], (method) =>
      method === 'GET' ? post(lost, failedMast) : moving,
    );
    expect(shown).toMatchObject([{ choices: [{ value: failedMast.id }] }]);
    expect(stderr).toContain('1 target may be published already: look at the account first');
  });

  it('offers failed targets without a platform post, all selected, with the reasons', async () => {
    const { bodies, methods, exitCode, shown } = await choosing([failedMast.id], (method) =>
      method === 'GET' ? before : moving,
    );
    expect(shown).toEqual([
      {
        message: 'Which targets to retry?',
        choices: [
          { value: failedLink.id, name: `linkedin ${failedLink.id}`, checked: true, hint: 'Lost.' },
          { value: failedMast.id, name: `mastodon ${failedMast.id}`, checked: true },
        ],
      },
    ]);
    expect(exitCode).toBe(0);
    expect(bodies).toEqual([{ targetIds: [failedMast.id] }]);
    expect(methods).toEqual(['GET', 'GET', 'POST']);
  });

  it('skips targets that were published during the prompt', async () => {
    const { bodies } = await choosing([failedLink.id, failedMast.id], (method, time) => {
      if (method === 'POST') return moving;
      return time === 1 ? before : post(linkedin('published'), failedMast);
    });
    expect(bodies).toEqual([{ targetIds: [failedMast.id] }]);
  });

  it.each<[string, StubResponse, string[], number, string[], string]>([
    ['a selection', before, [], 3, ['GET'], 'no target was selected; nothing was changed'],
    ['a failed target', post(twitter('published')), [], 0, ['GET'], 'nothing to retry'],
    ['questions', before, ['--no-input'], 2, [], 'needs a terminal'],
    [
      'another choice',
      before,
      ['--target', failedMast.id],
      2,
      [],
      '--target cannot be combined with --interactive\n',
    ],
  ])('sends nothing without %s', async (_what, answer, flags, code, methods, said) => {
    const ended = await choosing([], () => answer, flags);
    expect(ended).toMatchObject({ exitCode: code, methods });
    expect(ended.stderr).toContain(said);
    expect(ended.shown).toHaveLength(code === 3 ? 1 : 0);
  });

  it('needs a terminal', async () => {
    const { exitCode, stderr, methods } = await run(['posts', 'retry', ID, '-i'], () => before);
    expect({ exitCode, methods }).toEqual({ exitCode: 2, methods: [] });
    expect(stderr).toMatch(/--interactive.*needs a terminal/);
  });
});

describe('the same retry repeated', () => {
  /**
   * A target that has failed, is retried, and is then as `between`; and a person who is asked whether to retry it again,
   * during which it changes to `meanwhile`.
   */
  async function twice(
    between: ScriptedTarget,
    meanwhile: ScriptedTarget = between,
    outcome = 'accepted',
  ) {
    const asked: string[] = [];
    const service = await recordingServer((_number, { method }) =>
      method === 'POST' ? post(mastodon('publishing')) : post(now),
    );
    let now: ScriptedTarget = failedMast;
    const { social, folder } = testCli();
    const retrying = () =>
      social(['posts', 'retry', ID, '--failed'], {
        env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-the-test' },
        columns: 100,
        ask: {
          confirm: async (message) => {
            asked.push(message);
            now = meanwhile;
            return true;
          },
        },
      });
    await retrying();
    const history = join(folder, 'state', 'history.ndjson');
    const lines = readFileSync(history, 'utf8');
    writeFileSync(history, lines.replaceAll('"outcome":"accepted"', `"outcome":"${outcome}"`));
    const before = service.requests.length;
    now = between;
    const { exitCode, stderr } = await retrying();
    return {
      exitCode,
      stderr,
      asked,
      methods: service.requests.slice(before).map(({ method }) => method),
      last: service.requests.at(-1)!.body,
    };
  }

  const failedAgain = mastodon('failed', 'HTTP 503 again', '2026-03-02T11:00:00Z');

  it('sends nothing and asks nothing while the target is as it was before', async () => {
    const { exitCode, stderr, asked, methods } = await twice(failedMast);
    expect({ exitCode, asked, methods }).toEqual({ exitCode: 0, asked: [], methods: ['GET'] });
    expect(stderr).toContain(`skipped mastodon ${failedMast.id}: retried by an earlier run\n`);
  });

  it('names what has failed again, and asks nothing', async () => {
    const { exitCode, asked, methods, last } = await twice(failedAgain);
    expect(asked).toEqual([]);
    expect({ exitCode, methods }).toEqual({ exitCode: 0, methods: ['GET', 'POST'] });
    expect(JSON.parse(last)).toEqual({ targetIds: [failedMast.id] });
  });

  it('is asked about after an unknown outcome, and skips targets that were published meanwhile', async () => {
    const ended = await twice(failedAgain, mastodon('published'), 'unknown');
    expect(ended.asked).toEqual(['Run it again?']);
    expect(ended).toMatchObject({ exitCode: 0, methods: ['GET', 'GET'] });
  });

  it('is not asked about when there is nothing to retry', async () => {
    const service = await recordingServer(post(twitter('published')));
    const { social } = testCli();
    for (let n = 0; n < 2; n++) {
      const ended = await social(['posts', 'retry', ID, '--failed'], {
        env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-the-test' },
        columns: 100,
        ask: { confirm: async () => Promise.reject(new Error('nothing is asked')) },
      });
      expect(ended.exitCode).toBe(0);
    }
    expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });
});

/** Returns the lines about the post after a retry was refused or lost. */
const look = (stderr: string) =>
  stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(?:current state:|linkedin|mastodon|twitter|try:)/.test(line));

describe('a retry that is refused with 409', () => {
  const conflict = errorResponse(409, 'conflict', 'Already under way.');
  const after = (answer: StubResponse, flags: readonly string[] = []) =>
    run(['posts', 'retry', ID, ...flags], (method) => (method === 'POST' ? conflict : answer));

  it('reports the state of each target, and the command that waits for those in progress', async () => {
    const { exitCode, stderr, methods } = await after(
      post(linkedin('publishing'), mastodon('failed')),
      ['--utc'],
    );
    expect({ exitCode, methods }).toEqual({ exitCode: 6, methods: ['POST', 'GET'] });
    expect(stderr).toContain('Already under way.');
    expect(look(stderr)).toEqual([
      'current state: a retry is already in progress',
      `linkedin ${failedLink.id} publishing, updated ${TIME}`,
      `mastodon ${failedMast.id} failed, updated ${TIME}`,
      `try: social --utc posts wait ${ID} --target ${failedLink.id}`,
    ]);
  });

  it('shows times as the table does: relative', async () => {
    const { stderr } = await after(post(linkedin('failed')));
    expect(look(stderr)[1]).toMatch(/^linkedin \S+ failed, updated \d+ (?:\w+) ago$/);
  });

  it('says when nothing is in progress, or nothing failed', async () => {
    expect(look((await after(post(failedLink, twitter('published')))).stderr)[0]).toBe(
      'current state: no retry in progress',
    );
    expect(look((await after(post(twitter('published')))).stderr)[0]).toBe(
      'current state: no failed targets',
    );
  });

  it('shows invalid times unchanged, and omits missing ones', async () => {
    const odd = { ...linkedin('failed'), updatedAt: 'yesterday' };
    const none = { ...mastodon('failed'), updatedAt: undefined as unknown as string };
    expect(look((await after(post(odd, none))).stderr).slice(1)).toEqual([
      `linkedin ${odd.id} failed, updated yesterday`,
      `mastodon ${none.id} failed`,
    ]);
  });

  it('adds nothing when the post cannot be read, and reads it once', async () => {
    const { exitCode, stderr, methods } = await after(errorResponse(503));
    expect({ exitCode, methods }).toEqual({ exitCode: 6, methods: ['POST', 'GET'] });
    expect(look(stderr)).toEqual([]);
  });
});

describe('a retry with an unknown outcome', () => {
  it('is followed by a read, and keeps its suggested command', async () => {
    const { exitCode, stderr, methods } = await run(['posts', 'retry', ID], (method) =>
      method === 'POST' ? { status: 502, body: '<html>' } : post(linkedin('publishing')),
    );
    expect({ exitCode, methods }).toEqual({ exitCode: 12, methods: ['POST', 'GET'] });
    expect(look(stderr)[0]).toBe('current state: a retry is already in progress');
    expect(stderr).not.toContain('posts wait');
    expect(stderr).toContain(`posts get ${ID}`);
  });
});

it('a retry that timed out says that the post is read, before the second wait', async () => {
  const silent = await misbehavingServer(() => undefined);
  const { stderr } = await testCli().social(['posts', 'retry', ID, '--timeout', '1s'], {
    env: { SOCIAL_BASE_URL: silent.url, SOCIAL_TOKEN: 'a-token-of-the-test' },
  });
  expect([silent.requests('POST'), silent.requests('GET')]).toEqual([1, 1]);
  expect(stderr).toMatch(
    /^no response .*after 1s; reading the post to see its state \(at most 1s\)\nerror: no response /,
  );
  expect(stderr).toContain('\n  current state: unknown; the post could not be read\n');
});

describe('any other failure of a retry', () => {
  it.each([
    [404, 5],
    [422, 6],
    [401, 4],
  ])('such as %i is not followed by a read', async (status, code) => {
    const { exitCode, methods } = await run(['posts', 'retry', ID], () => errorResponse(status));
    expect({ exitCode, methods }).toEqual({ exitCode: code, methods: ['POST'] });
  });
});

it('batch posts that the service refuses are to be checked', async () => {
  const missing = () => errorResponse(404, 'post_not_found', 'Unknown.');
  const { exitCode, stderr } = await run(['posts', 'retry', ID, OTHER], missing);
  expect(exitCode).toBe(11);
  expect(stderr).toContain(
    'refused: the service refuses these as they are; check their IDs and states\n',
  );
});

describe('a failed wait', () => {
  const expired = 'The access token has expired.';
  const line = (flags: string) => `try: social posts retry ${ID} ${flags} --wait`;
  const check = 'linkedin: check the account’s connection before you retry';

  it.each<readonly [string, readonly ScriptedTarget[], string, readonly string[]]>([
    ['a wait for all failed targets', [failedMast, twitter('published')], '', [line('--failed')]],
    [
      'two temporary failures beside an unknown one',
      [linkedin('failed', 'Timed out.'), twitter('failed', 'Rate limit'), failedMast],
      `${failedLink.id},${posted.id}`,
      [
        'likely cause: temporary (linkedin, twitter)',
        line(`--target ${failedLink.id} --target ${posted.id}`),
      ],
    ],
    [
      'an unknown failure and an expired token',
      [failedMast, linkedin('failed', expired)],
      '',
      ['likely cause: reconnect (linkedin)', check, line(`--target ${failedMast.id}`)],
    ],
    [
      'a failed target that is on its platform already',
      [{ ...posted, error: undefined! }],
      '',
      ['twitter: failed, but already has a platform post; check that first'],
    ],
    [
      'a cancelled target',
      [linkedin('cancelled', expired)],
      '',
      [
        'likely cause: reconnect (linkedin)',
        'linkedin: cancelled, which no retry changes; schedule or publish it in the service',
      ],
    ],
  ])('suggests the next step after %s', async (_what, of, named, told) => {
    const target = named === '' ? [] : ['--target', named];
    const { exitCode, stderr } = await run(['posts', 'wait', ID, ...target], () => post(...of));
    expect(exitCode).toBe(10);
    const [, after = ''] = stderr.split(/^error: .*\n/m);
    expect(after.split('\n').map((each) => each.trim())).toEqual([...told, '']);
  });
});

describe('the text below the table of a post', () => {
  const lines = async (of: readonly ScriptedTarget[], scene: Scene = { columns: 100 }) => {
    const { exitCode, stdout, stderr } = await run(
      ['posts', 'get', ID, ...(scene.flags ?? [])],
      () => post(...of),
      scene,
    );
    expect(exitCode).toBe(0);
    for (const { id } of of) expect(stdout).toContain(id);
    // A note that is wider than the terminal is broken.
    return stderr.replaceAll('\n  ', ' ').split('\n').filter(Boolean);
  };

  it('has the command that waits for targets in progress', async () => {
    expect(await lines([linkedin('publishing')])).toEqual([`try: social posts wait ${ID}`]);
  });

  it('names the condition for a retry, and no command that cannot succeed', async () => {
    expect(await lines([posted])).toEqual([
      'twitter: failed, but already has a platform post; check that first',
    ]);
  });

  const link = (status: string, error?: string) => linkedin(status, error);
  const alone = `try: social posts retry ${ID} --failed`;
  const named = (...ids: readonly string[]) =>
    `try: social posts retry ${ID}${ids.map((id) => ` --target ${id}`).join('')}`;

  it.each<readonly [what: string, of: readonly ScriptedTarget[], lines: readonly string[]]>([
    [
      'a text that is too long',
      [link('failed', 'The text is too long.')],
      ['linkedin: check the content before you retry'],
    ],
    [
      'a rejection by the platform',
      [link('failed', 'It violates a policy.')],
      ['linkedin: the platform rejected it and may reject it again'],
    ],
    [
      'a target that needs an action',
      [link('action_required')],
      ['linkedin: action required; see the platform or the service’s console'],
    ],
    [
      'two targets of one platform, named once, and another',
      [
        link('action_required'),
        { ...link('action_required'), id: 'TargetLinkedInB' },
        mastodon('failed', 'The text is too long.'),
      ],
      [
        'linkedin: action required; see the platform or the service’s console; mastodon: check the content before you retry',
      ],
    ],
    [
      'a temporary and an unknown error',
      [link('failed', 'It timed out.'), mastodon('failed', 'Something odd.')],
      [alone],
    ],
    [
      'a temporary error beside a permanent one',
      [link('failed', 'The text is too long.'), mastodon('failed', 'It timed out.')],
      ['linkedin: check the content before you retry', named(failedMast.id)],
    ],
    ['a text beside a target that went out', [link('published', 'The text is too long.')], []],
  ])('names the next step after %s', async (_what, of, said) => {
    const shown = (await lines(of)).filter((line) => !line.startsWith('warning: '));
    expect(shown).toEqual(said);
  });

  it('waits only for targets in progress when the rest failed', async () => {
    const said = async (...of: readonly ScriptedTarget[]) => (await lines(of)).at(-1);
    const wait = `try: social posts wait ${ID}`;
    expect(await said(link('publishing'), twitter('published'))).toBe(wait);
    expect(await said(link('publishing'), twitter('failed'))).toBe(
      `${wait} --target ${failedLink.id}`,
    );
    expect(await said(link('publishing'), mastodon('publishing'), twitter('draft'))).toBe(
      `${wait} --target ${failedLink.id} --target ${failedMast.id}`,
    );
  });

  it.each([
    ['in a pipe', {}],
    ['as JSON', { columns: 100, flags: ['--json'] }],
    ['as TSV', { columns: 100, flags: ['-o', 'tsv'] }],
  ])('%s: is empty', async (_what, scene) => {
    expect(await lines([failedMast], scene)).toEqual([]);
  });
});
