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

/** A post of two targets that a test moves, and runs of changing lists with one journal. */
async function nights(program: Program, ...flags: readonly string[]) {
  const status: Record<string, string> = { [A]: 'failed', [B]: 'failed' };
  const post = {
    status,
    /** The time of the last change. */
    changedAt: '2026-03-02T09:00:00Z',
    /** Called for each retry. */
    send: () => {},
    /** Called for each read with its number in the run, from 1. */
    read: (_time: number) => {},
  };
  let reads = 0;
  const service = await countingServer((_id, method) => {
    if (method === 'POST') post.send();
    else post.read(++reads);
    const of = [
      twitter(status[A]!, 'HTTP 503', post.changedAt),
      linkedin(status[B]!, 'HTTP 503', post.changedAt),
    ];
    return { body: JSON.stringify({ ok: true, data: { ...targetPost(of), id: P } }) };
  });
  const home = freshHome();
  const [records, journal] = [join(home, 'records'), join(home, 'journal')];
  const argv = ['posts', 'retry', '--from', records, '--journal', journal, '--json', ...flags];
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' };
  /** Runs the list; with `limit` it waits for at most that long. */
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

/** Retries A while B is publishing, until the wait runs out of time; then B fails. */
async function firstNight(list: string, program: Program, ...flags: readonly string[]) {
  const scene = await nights(program, ...flags);
  const { post, run } = scene;
  const { status } = post;
  status[B] = 'publishing';
  const move = (from: string, to: string) => {
    for (const id of [A, B]) if (status[id] === from) status[id] = to;
  };
  post.send = () => move('failed', 'publishing');
  expect((await run(list, '300ms')).exitCode).toBe(8);
  return { ...scene, move };
}

it.each([
  ['that the request for the post did not name', P, social],
  ['that the request of its record left alone', both, socialInProcess],
] as const)('a target %s is retried, not only waited for', async (_what, list, program) => {
  const { post, run, sent, move } = await firstNight(list, program, '--failed');
  post.status[B] = 'failed';
  post.read = () => move('publishing', 'published');
  const { exitCode, stdout, stderr } = await run(second, '30s');
  expect({ exitCode, sent: sent() }).toEqual({ exitCode: 0, sent: [[A], [B]] });
  expect(stdout).toContain('"ok":true');
  expect(stderr).toContain('1 of 1 published');
});

describe('a target that was accepted and is not done', () => {
  it.each([
    ['is publishing', 'publishing', []],
    ['still reads failed', 'failed', []],
    ['is publishing, with --failed', 'publishing', ['--failed']],
    ['still reads failed, with --failed', 'failed', ['--failed']],
  ])('is not sent again by a record of the whole post: %s', async (_what, reads, flags) => {
    const { post, run, sent } = await nights(socialInProcess, ...flags);
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
    const last = await run(P);
    expect(last.stderr).toContain('0 of 1 accepted, 1 skipped\n');
    expect(last.stderr).toContain('skipped 1 target: retried by an earlier run\n');
    expect(sent()).toHaveLength(2);
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

  it.each([
    ['beside one that is published', P, []],
    ['beside one on another platform', both, ['--platform', 'twitter']],
  ])('that still reads failed is not sent again: %s', async (_what, list, flags) => {
    const { post, run, sent } = await nights(socialInProcess, ...flags);
    if (list === P) post.status[B] = 'published';
    expect((await run(first, '300ms')).exitCode).toBe(8);
    expect((await run(list, '300ms')).exitCode).toBe(8);
    expect((await run(first, '300ms')).exitCode).toBe(8);
    expect(sent()).toEqual([[A]]);
  });

  it('is sent again once it has failed, also when the whole post was sent', async () => {
    const { post, run, sent } = await nights(socialInProcess);
    post.send = () => void Object.assign(post.status, { [A]: 'publishing', [B]: 'publishing' });
    expect((await run(P, '300ms')).exitCode).toBe(8);
    post.read = (time) => {
      if (time < 3) return;
      post.status[A] = 'failed';
      post.changedAt = '2026-03-02T09:05:00Z';
    };
    expect((await run(first, '20s')).exitCode).toBe(11);
    post.send = () => void (post.status[A] = 'published');
    post.read = () => {};
    expect(await run(first, '20s')).toMatchObject({ exitCode: 0 });
    expect(sent()).toEqual([[A, B], [A]]);
  });
});
