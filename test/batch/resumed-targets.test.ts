// A batch that is run again with its journal and a changed list: a target that the request of the first run did not
// name is retried once, and one that it may have retried never again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingServer, idOf } from '../support/counting-server.ts';
import { targetPost, targets } from '../support/posts.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';

const { linkedin, twitter } = targets;
const [A, B] = [twitter('failed').id, linkedin('failed').id];
const P = idOf(1);
const both = JSON.stringify({ postId: P, targetIds: [A, B] });
const second = JSON.stringify({ postId: P, targetIds: [B] });

type Program = typeof social | typeof socialInProcess;

/** Retries A, whose wait runs out of time; then B fails, and the second list is run with the same journal. */
async function resumed(
  flags: readonly string[],
  first: string,
  timeout: string,
  program: Program = socialInProcess,
) {
  const status = { [A]: 'failed', [B]: 'publishing' };
  let isOpen = false;
  const service = await countingServer((_id, method) => {
    if (method === 'POST')
      for (const id of [A, B]) if (status[id] === 'failed') status[id] = 'publishing';
    if (isOpen) for (const id of [A, B]) if (status[id] === 'publishing') status[id] = 'published';
    const of = [twitter(status[A]!, 'HTTP 503'), linkedin(status[B]!, 'HTTP 503')];
    return { body: JSON.stringify({ ok: true, data: { ...targetPost(of), id: P } }) };
  });
  const home = freshHome();
  const [records, journal] = [join(home, 'records'), join(home, 'journal')];
  const argv = ['posts', 'retry', '--from', records, '--journal', journal, '--wait', '--json'];
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' };
  const run = (text: string, limit: string) => {
    writeFileSync(records, `${text}\n`);
    const waiting = ['--interval', '50ms', '--wait-timeout', limit];
    return program([...argv, ...waiting, ...flags], { home, env });
  };
  const before = await run(first, '300ms');
  expect(before.exitCode).toBe(8);
  if (status[B] === 'publishing') status[B] = 'failed';
  isOpen = true;
  const { exitCode, stdout, stderr } = await run(second, timeout);
  const sent = (service.bodies.get(`POST ${P}`) ?? []).map(
    (body) => (JSON.parse(body) as { targetIds?: readonly string[] }).targetIds,
  );
  return { exitCode, stderr, ok: (JSON.parse(stdout) as { ok: boolean }).ok, sent };
}

it.each([
  ['that the request for the post did not name', P, social],
  ['that the request of its record left alone', both, socialInProcess],
] as const)('a target %s is retried, not only waited for', async (_what, first, program) => {
  expect(await resumed(['--failed'], first, '30s', program)).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining('1 of 1 published'),
    ok: true,
    sent: [[A], [B]],
  });
});

it('a target that a request for the whole post may have retried is waited for, not retried', async () => {
  expect(await resumed([], P, '400ms')).toMatchObject({
    exitCode: 8,
    ok: false,
    sent: [undefined],
  });
});

/** A post of two targets that a test moves, and runs of changing lists with one journal. */
async function nights(program: Program, ...flags: readonly string[]) {
  const status: Record<string, string> = { [A]: 'failed', [B]: 'failed' };
  const post = {
    status,
    /** Called for each retry. */
    send: () => {},
    /** Called for each read with its number in the run, from 1. */
    read: (_time: number) => {},
  };
  let reads = 0;
  const service = await countingServer((_id, method) => {
    if (method === 'POST') post.send();
    else post.read(++reads);
    const of = [twitter(status[A]!, 'HTTP 503'), linkedin(status[B]!, 'HTTP 503')];
    return { body: JSON.stringify({ ok: true, data: { ...targetPost(of), id: P } }) };
  });
  const home = freshHome();
  const [records, journal] = [join(home, 'records'), join(home, 'journal')];
  const argv = ['posts', 'retry', '--from', records, '--journal', journal, '--json', ...flags];
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' };
  /** With `limit`, waits so long. */
  const run = (list: string, limit?: string) => {
    writeFileSync(records, `${list}\n`);
    reads = 0;
    const waiting = ['--wait', '--interval', '50ms', '--wait-timeout', limit!];
    return program(limit === undefined ? argv : [...argv, ...waiting], { home, env });
  };
  const sent = () =>
    (service.bodies.get(`POST ${P}`) ?? []).map(
      (body) => (JSON.parse(body) as { targetIds?: readonly string[] }).targetIds,
    );
  return { post, run, sent };
}
const first = JSON.stringify({ postId: P, targetIds: [A] });

describe('a target that was accepted and is not done', () => {
  it.each([
    ['is publishing', 'publishing', []],
    ['still reads failed', 'failed', []],
    ['is publishing, with --failed', 'publishing', ['--failed']],
    ['still reads failed, with --failed', 'failed', ['--failed']],
  ])('is not sent again by a record of the whole post: %s', async (_what, reads, flags) => {
    const program = flags.length === 0 && reads === 'publishing' ? social : socialInProcess;
    const { post, run, sent } = await nights(program, ...flags);
    post.send = () => void (post.status[A] = reads);
    expect((await run(first, '300ms')).exitCode).toBe(8);
    post.send = () => void (post.status[B] = 'publishing');
    post.read = (time) => {
      if (time > 2) post.status[B] = 'published';
      if (time > 4) post.status[A] = 'published';
    };
    const next = await run(P, '20s');
    expect([sent(), next.exitCode]).toEqual([[[A], [B]], 0]);
    expect(next.stderr).toContain('1 of 1 published');
    // Neither target is in progress any longer, whichever record names it.
    for (const list of [P, first, both])
      expect((await run(list, '20s')).stderr).toContain('all 1 already done');
  });

  it('is not sent by a record of the whole post without --wait either', async () => {
    const { post, run, sent } = await nights(socialInProcess);
    post.send = () => void (post.status[A] = 'publishing');
    expect((await run(first, '300ms')).exitCode).toBe(8);
    const next = await run(P);
    expect([sent(), next.exitCode]).toEqual([[[A], [B]], 0]);
    expect((await run(P)).stderr).toContain('all 1 already done');
  });

  it('is waited for by a record of the whole post that has nothing else to send', async () => {
    const { post, run, sent } = await nights(socialInProcess);
    post.status[B] = 'published';
    post.send = () => void (post.status[A] = 'publishing');
    expect((await run(first, '300ms')).exitCode).toBe(8);
    expect((await run(P)).stderr).toContain('1 skipped');
    post.read = (time) => void (time > 3 && (post.status[A] = 'published'));
    const next = await run(P, '20s');
    expect([sent(), next.exitCode]).toEqual([[[A]], 0]);
    expect(next.stderr).toContain('1 of 1 published');
    expect((await run(first, '20s')).stderr).toContain('all 1 already done');
  });

  it.each([[[]], [['--failed']]])(
    'is waited for in the same run as a new one: %j',
    async (flags) => {
      const { post, run, sent } = await nights(socialInProcess, ...flags);
      post.send = () => void (post.status[A] = 'publishing');
      expect((await run(first, '300ms')).exitCode).toBe(8);
      post.send = () => void (post.status[B] = 'published');
      const next = await run(both, '500ms');
      expect([sent(), next.exitCode]).toEqual([[[A], [B]], 8]);
      expect(next.stdout).toContain('1 of 2 targets finished');
      post.status[A] = 'published';
      expect(await run(both, '20s')).toMatchObject({ exitCode: 0 });
      expect((await run(first, '20s')).stderr).toContain('all 1 already done');
      expect(sent()).toHaveLength(2);
    },
  );

  it('is waited for beside one that needs nothing', async () => {
    const { post, run, sent } = await nights(socialInProcess, '--platform', 'twitter');
    post.send = () => void (post.status[A] = 'publishing');
    expect((await run(first, '300ms')).exitCode).toBe(8);
    const next = await run(both, '300ms');
    expect([sent(), next.exitCode]).toEqual([[[A]], 8]);
    post.status[A] = 'published';
    expect(await run(both, '20s')).toMatchObject({ exitCode: 0 });
    expect((await run(first, '20s')).stderr).toContain('all 1 already done');
  });

  it('is sent again once it has failed, also when the whole post was sent', async () => {
    const { post, run, sent } = await nights(socialInProcess);
    post.send = () => void Object.assign(post.status, { [A]: 'publishing', [B]: 'publishing' });
    expect((await run(P, '300ms')).exitCode).toBe(8);
    post.read = (time) => void (time > 2 && (post.status[A] = 'failed'));
    expect((await run(first, '20s')).exitCode).toBe(11);
    post.send = () => void (post.status[A] = 'published');
    post.read = () => {};
    expect(await run(first, '20s')).toMatchObject({ exitCode: 0 });
    expect(sent()).toEqual([undefined, [A]]);
  });
});
