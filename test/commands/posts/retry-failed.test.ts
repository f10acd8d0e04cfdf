// `posts retry --failed` never names a target that has a post on its platform, whatever its status says: the guard
// against posting twice, in every mode. And what a batch remembers of what it has sent.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingServer, idOf, post, refused, type Reply } from '../../support/counting-server.ts';
import { targets } from '../../support/posts.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome, social } from '../../support/program.ts';
import { publishingServer } from '../../support/publishing-server.ts';
import { serviceAt } from '../../support/terminal.ts';

const { linkedin, mastodon, twitter } = targets;
const out = { ...linkedin('failed', 'The connection was lost.'), platformPostId: 'urn:li:share:1' };
const free = mastodon('failed', 'Timed out.');
const body = { targetIds: [free.id] };
const mixed = {
  before: [twitter('published'), out, free],
  answer: [twitter('published'), out, mastodon('publishing')],
  after: [[twitter('published'), out, mastodon('published')]],
};
const [ID, OTHER] = [idOf(0), idOf(1)];
const wait = ['--wait', '--interval', '30ms'];

type Program = typeof social | typeof socialInProcess;

/** Runs `posts retry` against posts like these; `LIST` in the words is a list of two, `LOG` the journal. */
async function retry(
  script: typeof mixed,
  words: readonly string[],
  program: Program = socialInProcess,
) {
  const service = await publishingServer(() => script);
  const home = freshHome();
  const [list, journal] = [join(home, 'list'), join(home, 'journal')];
  writeFileSync(list, `${ID}\n${OTHER}\n`);
  const files: Record<string, string> = { LIST: list, LOG: journal };
  const argv = ['posts', 'retry', ...words.map((word) => files[word] ?? word), '--failed'];
  const ended = await program(argv, { home, env: serviceAt(service.url) });
  const { exitCode, stdout, stderr } = ended;
  return { exitCode, stdout, stderr, retries: service.retries(), url: service.url };
}

describe('a failed target that exists on its platform', () => {
  it.each<readonly [string, readonly string[], number, Program]>([
    ['one post', [ID], 1, social],
    ['one post and a wait', [ID, ...wait], 1, socialInProcess],
    ['several posts', [ID, OTHER], 2, socialInProcess],
    ['several posts and a wait', [ID, OTHER, ...wait], 2, socialInProcess],
    ['a list', ['--from', 'LIST'], 2, socialInProcess],
    ['a list, a journal and a wait', ['--from', 'LIST', '--journal', 'LOG', ...wait], 2, social],
  ])('is not sent with %s', async (_mode, argv, times, program) => {
    const { exitCode, retries, stderr } = await retry(mixed, argv, program);
    expect(exitCode).toBe(0);
    expect(retries).toEqual(Array.from({ length: times }, () => body));
    expect(stderr).toContain(
      'skipped linkedin TargetOnLinkedIn: failed, but already has a platform post; check that first\n',
    );
  });

  it.each([['--dry-run'], ['--curl']])('is not suggested by %s', async (flag) => {
    const { exitCode, retries, stdout, url } = await retry(mixed, [ID, flag]);
    expect({ exitCode, retries }).toEqual({ exitCode: 0, retries: [] });
    expect(stdout).toContain(`POST ${url}/v1/posts/${ID}/retry`);
    expect(stdout).toContain(JSON.stringify(body));
    expect(stdout).not.toContain('TargetOnLinkedIn');
  });

  it.each([
    ['one post', [ID]],
    ['several posts', [ID, OTHER]],
    ['a list', ['--from', 'LIST']],
    ['a dry run', [ID, '--dry-run']],
  ])('alone leaves nothing to send with %s', async (_mode, argv) => {
    const nothing = { before: [twitter('published'), out], answer: [], after: [] };
    const { exitCode, retries, stderr } = await retry(nothing, argv);
    expect({ exitCode, retries }).toEqual({ exitCode: 0, retries: [] });
    expect(stderr).toMatch(
      /nothing to retry in Postala+; nothing was changed|0 of 2 accepted, 2 skipped|2 skipped: nothing to retry/,
    );
  });

  it('alone is not a success of a wait', async () => {
    const nothing = { before: [out], answer: [], after: [] };
    const { exitCode, retries, stderr } = await retry(nothing, [ID, ...wait]);
    expect({ exitCode, retries }).toEqual({ exitCode: 10, retries: [] });
    expect(stderr).toContain(
      'linkedin TargetOnLinkedIn failed, but already has a platform post; check that first; nothing was changed\n',
    );
  });

  it.each([[null], ['']])('is retried as usual when the service says %j', async (none) => {
    const script = { ...mixed, before: [{ ...free, platformPostId: none }] };
    const { retries } = await retry(script, [ID]);
    expect(retries).toEqual([body]);
  });
});

interface Request {
  readonly url: string;
  readonly body: unknown;
}

describe('--failed without sending', () => {
  it('prints the requests, post by post in the order of the list', async () => {
    const words = ['--from', 'LIST', '--dry-run', '--json'];
    const { exitCode, stdout, stderr, retries, url } = await retry(mixed, words);
    expect(stderr).toContain('2 requests; nothing was changed\n');
    const requests = stdout.match(/.+/g)!.map((line) => JSON.parse(line) as Request);
    expect({ exitCode, retries }).toEqual({ exitCode: 0, retries: [] });
    expect(requests.map((each) => ({ url: each.url, body: each.body }))).toEqual(
      [ID, OTHER].map((id) => ({ url: `${url}/v1/posts/${id}/retry`, body })),
    );
  });

  it.each([
    [[ID, '--dry-run'], '--dry-run'],
    [[ID, '--curl'], '--curl'],
    [[ID, OTHER, '--dry-run'], '--dry-run'],
  ])('ends with 2 without a service to read from: %j', async (words, flag) => {
    const argv = ['posts', 'retry', ...words, '--failed'];
    const { exitCode, stdout, stderr } = await socialInProcess(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(
      `error: ${flag} needs a service here, to read the post and find its failed targets`,
    );
  });

  it.each([[[ID]], [[ID, OTHER]]])('says so when %j cannot be read', async (ids) => {
    const service = await countingServer(() => ({ status: 503 }));
    const argv = ['posts', 'retry', ...ids, '--failed', '--wait', '--retries', '0'];
    const { stderr } = await socialInProcess(argv, { env: serviceAt(service.url) });
    expect(stderr).toMatch(/^error: .*; nothing was changed$/m);
  });

  it('reports unreadable posts, prints the others, and ends with 11', async () => {
    const service = await countingServer((id) =>
      id === OTHER
        ? { status: 404, body: refused('no', 'No such post.') }
        : { body: post(id, 'failed') },
    );
    const { exitCode, stdout, stderr } = await socialInProcess(
      ['posts', 'retry', ID, OTHER, '--failed', '--dry-run'],
      { env: serviceAt(service.url) },
    );
    expect(exitCode).toBe(11);
    expect(stdout.match(/^POST .*$/gm)).toEqual([`POST ${service.url}/v1/posts/${ID}/retry`]);
    expect(stderr).toContain(`error: ${OTHER}: HTTP 404`);
    expect(stderr).toContain('error: 1 of 2 posts could not be read');
    expect([...service.counts.keys()].filter((each) => each.startsWith('POST'))).toEqual([]);
  });
});

it.each(['publishing', 'scheduled'])(
  '--failed --wait counts targets as published that were %s before',
  async (status) => {
    const service = await countingServer((id, _method, time) => ({
      body: post(id, time < 2 ? status : 'published'),
    }));
    const argv = ['posts', 'retry', ID, OTHER, '--failed', ...wait];
    const { exitCode, stderr } = await socialInProcess(argv, { env: serviceAt(service.url) });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^2 of 2 published$/m);
    expect([...service.counts.keys()]).toEqual([`GET ${ID}`, `GET ${OTHER}`]);
  },
);

it('--failed retries the failed ones among the targets that a record names', async () => {
  const service = await publishingServer(() => mixed);
  const named = [twitter('published').id, free.id];
  const record = JSON.stringify({ postId: OTHER, targetIds: named });
  const none = JSON.stringify({ postId: idOf(2), targetIds: [twitter('published').id] });
  const records = `${ID}\n${record}\n${none}\n`;
  const { exitCode, stderr } = await social(['posts', 'retry', '--from', '-', '--failed'], {
    env: serviceAt(service.url),
    input: records,
  });
  expect({ exitCode, retries: service.retries() }).toEqual({ exitCode: 0, retries: [body, body] });
  expect(stderr).toContain('2 of 3 accepted, 1 skipped');
});

describe('a journaled record that was sent and waited for', () => {
  const state = (status: string, more: object = {}): Reply => ({ body: post(ID, status, more) });
  const later = { updatedAt: '2026-03-02T12:09:00.000Z', error: 'Timed out.' };

  async function stage(reply: (method: string, sent: number) => Reply) {
    let sent = 0;
    const service = await countingServer((_id, method) => {
      if (method === 'POST') sent++;
      return reply(method, sent);
    });
    const home = freshHome();
    const list = join(home, 'list');
    writeFileSync(list, `${ID}\n`);
    const failures = join(home, 'failures');
    const run = (...more: string[]) =>
      socialInProcess(
        ['posts', 'retry', '--from', list, '--journal', join(home, 'journal'), '-q', ...more],
        { home, env: serviceAt(service.url) },
      );
    const kept = () => (existsSync(failures) ? readFileSync(failures, 'utf8') : '');
    return { run, failures, kept, sent: () => sent };
  }
  const brief = [...wait, '--wait-timeout', '200ms'];

  it('is not sent again while it is pending, with or without a wait', async () => {
    let moving = true;
    const { run, sent } = await stage((_method, count) =>
      state(count === 0 ? 'failed' : moving ? 'publishing' : 'published'),
    );
    expect((await run(...brief)).exitCode).toBe(8);
    expect((await run()).exitCode).toBe(0);
    expect((await run(...brief)).exitCode).toBe(8);
    moving = false;
    expect((await run(...wait)).exitCode).toBe(0);
    expect(sent()).toBe(1);
  });

  it('is sent again once it failed', async () => {
    const { run, sent } = await stage((method, count) => {
      if (count === 0) return state('failed');
      if (method === 'POST') return state('publishing');
      return count === 1 ? state('failed', later) : state('published');
    });
    const first = await run(...wait);
    expect(first.exitCode).toBe(11);
    expect((await run(...wait)).exitCode).toBe(0);
    expect(sent()).toBe(2);
  });

  it('may be not yet started if it still reads failed when the wait is resumed', async () => {
    let looks = 0;
    const { run, sent } = await stage((method, count) => {
      if (method === 'GET' && count === 1) looks++;
      if (count === 0) return state('failed');
      return state(looks < 12 ? (looks < 8 ? 'publishing' : 'failed') : 'published');
    });
    // The first run sees it publishing; the second meets it as it was before.
    await run(...wait, '--wait-timeout', '60ms');
    looks = 8;
    expect((await run(...wait)).exitCode).toBe(0);
    expect(sent()).toBe(1);
  });

  it.each([
    ['cannot be read any more', { status: 404, body: refused('no', 'No.') }],
    ['is not readable with this token any more', { status: 401, body: refused('no', 'No.') }],
    ['is answered without targets', { body: JSON.stringify({ ok: true, data: { id: ID } }) }],
  ])('is not a record for another run when %s', async (_what, reply) => {
    const { run, failures, kept, sent } = await stage((method, count) =>
      count === 0 ? state('failed') : method === 'POST' ? state('publishing') : reply,
    );
    const { exitCode } = await run(...wait, '--failures-to', failures);
    expect(exitCode).not.toBe(0);
    expect({ kept: kept(), sent: sent() }).toEqual({ kept: '', sent: 1 });
    await run();
    expect(sent()).toBe(1);
  });
});
