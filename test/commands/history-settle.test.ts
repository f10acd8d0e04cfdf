// `history settle` for retries whose response was lost: the service applies them or not, loses responses before and
// after, and knows the truth. The program may say that it cannot tell, but must never say anything false. The rule for
// one target is proved in test/api/operations/settle.test.ts.

import * as http from 'node:http';
import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../src/base/runtime.ts';
import { type HistoryEntry, readHistory } from '../../src/history/entries.ts';
import { runProgram } from '../../src/program.ts';
import { hostOf, socialInProcess } from '../support/in-process.ts';
import { listenOnLoopback } from '../support/listen.ts';
import { freshHome } from '../support/program.ts';
import { startProcess, waitUntil } from '../support/signalled-process.ts';

/** More of them on demand: `SEEDS=1000`. */
const SEEDS = Number(process.env['SEEDS'] ?? 16);

/** Numbers in [0, 1), always the same of one seed. */
function numbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The fate of a retry. `hang`: there is no response; `gateway`: the response is a 502. */
type Fate =
  | 'answer'
  | 'lose before'
  | 'lose after'
  | 'hang before'
  | 'hang after'
  | 'gateway before'
  | 'refuse';

interface Target {
  id: string;
  platform: string;
  status: string;
  /** The time by the clock of the service. */
  updatedAt: number;
  error?: string;
  platformPostId?: string;
  /** The next status, and when. */
  next?: { status: string; at: number };
}

interface StoredPost {
  targets: Target[];
  updatedAt: number;
  /** The number of retries that were done. */
  done: number;
}

interface Behaviour {
  /** The service's clock minus this machine's. */
  readonly skewMs: number;
  /** Writes a time of the service as text. */
  readonly write: (time: number) => string;
  readonly fateOf: (postId: string, attempt: number) => Fate;
  readonly hasDate: boolean;
  readonly settlesAfterMs: () => number;
  readonly endsAs: (postId: string) => string;
}

const exact = (time: number) => new Date(time).toISOString();
const inSeconds = (time: number) => exact(time).replace(/\.\d+Z/, 'Z');
const zeroed = (time: number) => exact(time).replace(/\.\d+Z/, '.000Z');

const lostOnce =
  (fate: Fate): Behaviour['fateOf'] =>
  (_id, attempt) =>
    attempt === 1 ? fate : 'answer';

/** A service that retries posts, by a clock of its own that can be put forward. */
async function publishingService(posts: Map<string, StoredPost>, behaviour: Partial<Behaviour>) {
  const { skewMs = 0, write = exact, fateOf = lostOnce('lose before') } = behaviour;
  const { hasDate = true } = behaviour;
  const { settlesAfterMs = () => 3000, endsAs = () => 'published' } = behaviour;
  let aheadMs = 0;
  const attempts = new Map<string, number>();
  const reads = new Map<string, number>();
  const broken = new Set<string>();
  const cached = new Set<string>();
  const bodies: unknown[] = [];
  const asked: (string | undefined)[] = [];
  let held: Promise<void> | undefined;
  const now = () => Date.now() + skewMs + aheadMs;
  const settle = (post: StoredPost) => {
    for (const target of post.targets) {
      const { next } = target;
      if (next === undefined || next.at > now()) continue;
      Object.assign(target, { status: next.status, updatedAt: next.at, next: undefined });
      post.updatedAt = Math.max(post.updatedAt, next.at);
    }
  };
  const shown = (id: string, { targets, updatedAt }: StoredPost) => ({
    id,
    status: targets.some(({ status }) => status === 'failed') ? 'failed' : 'published',
    updatedAt: write(updatedAt),
    targets: targets.map((target) => ({
      ...target,
      next: undefined,
      updatedAt: write(target.updatedAt),
    })),
  });
  const retry = (id: string, post: StoredPost, targetIds: readonly string[] | undefined) => {
    const at = now();
    post.done++;
    post.updatedAt = at;
    for (const target of post.targets) {
      if (target.status !== 'failed' || targetIds?.includes(target.id) === false) continue;
      const next = { status: endsAs(id), at: at + settlesAfterMs() };
      Object.assign(target, { status: 'publishing', updatedAt: at, next });
    }
  };
  const server = http.createServer({ keepAlive: true }, (request, response) => {
    response.sendDate = hasDate;
    const id = request.url!.split('/')[3]!;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const post = posts.get(id);
      const answer = (status: number, body: object) => {
        response.writeHead(status, {
          'content-type': 'application/json',
          ...(hasDate ? { date: new Date(now()).toUTCString() } : {}),
          ...(cached.has(id) ? { age: '40' } : {}),
        });
        response.end(JSON.stringify(body));
      };
      if (post === undefined)
        return answer(404, { ok: false, error: { code: 'post_not_found', message: 'No post.' } });
      if (broken.has(id)) return answer(500, {});
      settle(post);
      if (request.method === 'GET') {
        reads.set(id, (reads.get(id) ?? 0) + 1);
        asked.push(request.headers['cache-control']);
        if (held !== undefined)
          return void held.then(() => answer(200, { ok: true, data: shown(id, post) }));
        return answer(200, { ok: true, data: shown(id, post) });
      }
      const attempt = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      const fate = fateOf(id, attempt);
      if (fate === 'refuse')
        return answer(422, { ok: false, error: { code: 'no', message: 'Not this one.' } });
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { targetIds?: string[] };
      bodies.push(body);
      if (!fate.endsWith('before')) retry(id, post, body.targetIds);
      if (fate === 'answer') return answer(200, { ok: true, data: shown(id, post) });
      if (fate.startsWith('lose')) request.socket.resetAndDestroy();
      if (fate.startsWith('gateway')) response.writeHead(502).end('<html>Bad gateway</html>');
      return undefined;
    });
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    attempts,
    reads,
    broken,
    asked,
    /** Answers no read until the gate is opened. */
    holdReads() {
      let open: () => void = () => undefined;
      held = new Promise((resolve) => (open = resolve));
      return { open };
    },
    /** Reads of these posts are answered by a cache. */
    cached,
    bodies,
    now,
    forward: (ms: number) => void (aheadMs += ms),
  };
}

const letters = (number: number, length: number): string => {
  let [rest, text] = [number, ''];
  for (let i = 0; i < length; i++, rest = Math.floor(rest / 26))
    text = String.fromCodePoint(97 + (rest % 26)) + text;
  return text;
};
const postId = (number: number) => `Post${letters(number, 12)}`;
const targetId = (post: number, number: number) => `Targ${letters(post, 10)}${letters(number, 2)}`;

/** Posts whose targets failed an hour ago. */
function failedPosts(count: number, targets: number, now = Date.now()): Map<string, StoredPost> {
  const at = now - 3_600_000;
  const platforms = ['linkedin', 'mastodon', 'facebook'];
  return new Map(
    Array.from({ length: count }, (_, i) => [
      postId(i),
      {
        updatedAt: at,
        done: 0,
        targets: Array.from({ length: targets }, (_target, n) => ({
          id: targetId(i, n),
          platform: platforms[n]!,
          status: 'failed',
          updatedAt: at,
        })),
      },
    ]),
  );
}

interface Item {
  readonly id: string;
  readonly ids: readonly string[];
  readonly verdict: 'done' | 'not done' | 'failed' | 'cannot tell';
  readonly why: string;
}

interface Report {
  readonly items: readonly Item[];
  readonly counts: Readonly<Record<string, number>>;
}

function setup(url: string) {
  const home = freshHome();
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'canary-token', SOCIAL_STATE_DIR: home };
  const at = (name: string) => join(home, name);
  const run = (argv: readonly string[], aheadMs = 0) =>
    socialInProcess(argv, { home, env, aheadMs });
  /** Settles with the clock of this machine put forward; the verdicts do not depend on it. */
  const settle = async (aheadMs: number, ...more: string[]) => {
    const outcome = await run(['history', 'settle', '--json', ...more], aheadMs);
    const report = (
      outcome.stdout === '' ? { items: [], counts: {} } : JSON.parse(outcome.stdout)
    ) as Report;
    return { ...outcome, ...report };
  };
  const entries = (): readonly HistoryEntry[] => readHistory({ stateDir: () => home }).changes;
  return { home, env, at, run, settle, entries };
}

const MINUTE = 60_000;
const FIVE_MINUTES = 5 * MINUTE;

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

interface Scene extends Partial<Behaviour> {
  readonly count?: number;
  readonly targets?: number;
}

/** Posts that failed, a service that retries them, and a batch of them all with a journal. */
async function stage({ count = 1, targets = 1, ...behaviour }: Scene = {}) {
  const posts = failedPosts(count, targets);
  const service = await publishingService(posts, behaviour);
  const all = setup(service.url);
  const ids = [...posts.keys()];
  const batch = ['posts', 'retry', '--from', all.at('ids'), '--journal', all.at('j')];
  const listed = (some: readonly string[]) => fs.writeFileSync(all.at('ids'), some.join('\n'));
  listed(ids);
  /** Puts a change on record: its start, and its end. */
  const record = (start: Partial<HistoryEntry>, end?: Partial<HistoryEntry>) => {
    const id = 'abcdefgh';
    const common = { id, command: 'posts retry', context: null, origin: service.url };
    const lines = [{ ...common, ...start }, end && { id, ...end }];
    const text = lines.flatMap((line) => (line ? [`${JSON.stringify(line)}\n`] : [])).join('');
    fs.appendFileSync(all.at('history.ndjson'), text);
  };
  /** Settles when five minutes have passed at the service. */
  const settleLater = async (...more: string[]) => {
    service.forward(FIVE_MINUTES);
    return all.settle(0, ...more);
  };
  /** Changes the first target of a post now. */
  const move = (id: string, change: Partial<Target>) =>
    Object.assign(posts.get(id)!.targets[0]!, { updatedAt: service.now(), ...change });
  const attempts = () => ids.map((id) => service.attempts.get(id) ?? 0);
  return {
    ...all,
    service,
    posts,
    ids,
    id: ids[0]!,
    batch,
    listed,
    record,
    settleLater,
    move,
    attempts,
  };
}

/** One post whose retry is lost, and is answered from then on. */
async function lostRetry(fate: Fate, flags: readonly string[] = ['--failed'], more: Scene = {}) {
  const all = await stage({ fateOf: lostOnce(fate), ...more });
  const post = all.posts.get(all.id)!;
  const { exitCode } = await all.run(['posts', 'retry', all.id, ...flags]);
  expect(exitCode).toBe(12);
  return { ...all, post };
}

const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, each) => sum + each, 0);

describe('retries whose responses were lost', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    'never get a wrong verdict, and a batch that is run again sends the rest once (seed %i)',
    async (seed) => {
      const random = numbers(seed);
      const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
      const skewMs = Math.round((random() - 0.5) * pick([0, 2000, 7_200_000]));
      const posts = failedPosts(8, 1 + Math.floor(random() * 3), Date.now() + skewMs);
      const kinds: readonly Fate[] = ['answer', 'refuse', 'lose before', 'lose after'];
      const fates = new Map(
        [...posts.keys()].map((id) => [id, pick([...kinds, ...kinds.slice(2)])]),
      );
      const service = await publishingService(posts, {
        skewMs,
        write: pick([exact, inSeconds, zeroed]),
        fateOf: (id, attempt) => (attempt > 1 ? 'answer' : fates.get(id)!),
        // Some finish at once, and some are in progress when they are settled.
        settlesAfterMs: () => Math.round(random() * pick([0, 1000, 120_000, 600_000])),
        endsAs: () => pick(['published', 'failed', 'published']),
      });
      const { at, run, settle } = setup(service.url);
      const isNamed = random() < 0.5;
      const records = [...posts].map(([id, { targets }]) =>
        JSON.stringify({
          postId: id,
          targetIds: isNamed ? targets.map((target) => target.id) : undefined,
        }),
      );
      fs.writeFileSync(at('ids'), `${records.join('\n')}\n`);
      const batch = ['posts', 'retry', '--from', at('ids'), '--journal', at('j')];
      await run(batch);
      const lost = [...fates].filter(([, fate]) => fate.startsWith('lose')).map(([id]) => id);
      service.forward(FIVE_MINUTES);
      // Others work on the same posts in the meantime.
      for (const id of lost) {
        const [target] = posts.get(id)!.targets;
        const chance = random();
        const status = chance < 0.2 ? 'action_required' : 'published';
        if (chance < 0.1) posts.delete(id);
        else if (chance < 0.3)
          Object.assign(target!, { status, updatedAt: service.now() - 1000, next: undefined });
      }
      // The clock of this machine is set between the batch and its settling.
      const aheadMs = Math.round((random() - 0.5) * 7_200_000);
      const { items, counts, exitCode } = await settle(aheadMs, '--journal', at('j'));
      expect(exitCode).toBe(0);
      expect(items.map(({ id }) => id).toSorted()).toEqual(lost.toSorted());
      for (const { id, verdict, why } of items) {
        const statuses = new Set(posts.get(id)?.targets.map(({ status }) => status));
        const isDone = fates.get(id) === 'lose after';
        const failed = isDone ? 'failed' : 'not done';
        const ofStates = statuses.has('failed') ? failed : 'done';
        const isOpen = statuses.size === 0 || statuses.has('action_required');
        // A post that is still publishing may have more of its targets in a queue.
        const isQueued = statuses.has('publishing') && statuses.has('failed');
        const truth = isOpen || isQueued ? 'cannot tell' : ofStates;
        expect([id, why, verdict]).toEqual([id, why, truth]);
      }
      expect(sumOf(counts)).toBe(items.length);
      const again = await run(batch, aheadMs);
      const verdicts = new Map(items.map(({ id, verdict }) => [id, verdict]));
      // A part of a post that stays unknown may be sent, and an accepted one may have failed since.
      const settledOnes = [...fates].filter(
        ([id, fate]) => verdicts.get(id) !== 'cannot tell' && fate !== 'answer',
      );
      for (const [id, fate] of settledOnes) {
        const isAgain = fate === 'refuse' || ['not done', 'failed'].includes(verdicts.get(id)!);
        expect([id, service.attempts.get(id)]).toEqual([id, isAgain ? 2 : 1]);
      }
      const isLeft = items.some(({ verdict }) => verdict === 'cannot tell');
      expect(again.exitCode).toBe(isLeft ? 12 : 0);
    },
  );

  it('are judged by the states of their targets, and only those without an effect are sent again', async () => {
    const states: readonly (readonly [Partial<Target> | 'gone' | 'cached', string, RegExp])[] = [
      [{ status: 'published' }, 'done', /^linkedin published since /],
      [{ status: 'publishing' }, 'done', /^linkedin publishing since /],
      [{ status: 'scheduled' }, 'done', /^linkedin scheduled since /],
      [{ error: 'HTTP 503 again' }, 'failed', /^linkedin failed since /],
      [{}, 'failed', /^linkedin failed since /],
      [{ updatedAt: 0 }, 'cannot tell', /shows linkedin in an older state than the change$/],
      [{ status: 'action_required' }, 'cannot tell', /^linkedin action_required since /],
      [{ status: 'waiting' }, 'cannot tell', /^unknown status waiting$/],
      [
        { id: 'TargetOfAnother', status: 'draft' },
        'cannot tell',
        /^the post has no target Targ\w+ any more$/,
      ],
      ['gone', 'cannot tell', /^the service has no such post: it may have been deleted$/],
      ['cached', 'cannot tell', /^the response came from a cache: it may show an old state$/],
    ];
    const { ids, id, run, batch, move, posts, settleLater, service, attempts } = await stage({
      count: states.length + 1,
      fateOf: lostOnce('lose before'),
    });
    expect((await run(batch)).exitCode).toBe(12);
    // The first post stays as it was.
    for (const [n, [state]] of states.entries()) {
      const moved = ids[n + 1]!;
      if (state === 'gone') posts.delete(moved);
      else if (state === 'cached') service.cached.add(moved);
      else move(moved, state);
    }
    const { items, counts } = await settleLater();
    expect(items.map(({ ids: [each], verdict, why }) => [each, verdict, why])).toEqual([
      [
        id,
        'not done',
        expect.stringMatching(/^linkedin failed since \S+, unchanged since the retry for [45]m$/),
      ],
      ...states.map(([, verdict, why], n) => [ids[n + 1], verdict, expect.stringMatching(why)]),
    ]);
    expect(counts).toEqual({ done: 3, 'not done': 1, failed: 2, 'cannot tell': 6 });
    expect(new Set(service.asked)).toEqual(new Set(['no-cache']));
    expect((await run(batch)).exitCode).toBe(12);
    expect(attempts()).toEqual([2, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1]);
  });

  it.each([
    [['--failed'], 'lose before', 'not done'],
    [['--failed'], 'lose after', 'done'],
    [['--failed', '--platform', 'linkedin'], 'lose before', 'not done'],
    [['--wait', '--interval', '50ms'], 'lose before', 'not done'],
    [[], 'lose before', 'cannot tell'],
    [[], 'lose after', 'done'],
  ] as const)('of one post with %j, by %s: %s', async (flags, fate, verdict) => {
    const { settleLater, entries } = await lostRetry(fate, flags);
    const { items, counts } = await settleLater();
    const why =
      verdict === 'cannot tell' ? /and it was not read before: use --failed next time$/ : /./;
    expect(items).toMatchObject([{ verdict, why: expect.stringMatching(why) }]);
    expect([counts[verdict], sumOf(counts)]).toEqual([1, 1]);
    expect(entries()).toMatchObject([{ verdict }]);
  });

  it('are done within a second, where the platform is as fast', async () => {
    const { settle } = await lostRetry('lose after', ['--failed'], { settlesAfterMs: () => 0 });
    expect((await settle(0)).items).toMatchObject([{ verdict: 'done' }]);
  });

  it('are judged target by target, and a later settling follows what was moving', async () => {
    const { id, posts, run, batch, listed, settleLater, service, at } = await stage({
      targets: 3,
      fateOf: lostOnce('lose before'),
    });
    const { targets } = posts.get(id)!;
    const [A, B, C] = targets.map((target) => target.id) as [string, string, string];
    listed([JSON.stringify({ postId: id, targetIds: [A, B, C] })]);
    await run(batch);
    Object.assign(targets[0]!, { status: 'published', updatedAt: service.now() });
    const next = { status: 'failed', at: service.now() + 20 * MINUTE };
    Object.assign(targets[1]!, { status: 'publishing', updatedAt: service.now(), next });
    // C may be in the queue of a post that is publishing.
    expect((await settleLater()).items).toMatchObject([
      { ids: [id, A, B, C], verdict: 'cannot tell' },
    ]);
    service.forward(16 * MINUTE);
    const second = await settleLater('--journal', at('j'));
    expect(second.items).toMatchObject([{ ids: [id, B, C], verdict: 'not done' }]);
    expect((await run(batch)).exitCode).toBe(0);
    expect(service.bodies).toEqual([{ targetIds: [A, B, C] }, { targetIds: [B, C] }]);
  });
});

describe('the patience of a verdict', () => {
  it('is a minute by the clock of the service, whatever the clock of this machine says', async () => {
    const { id, service, settle, entries } = await lostRetry('lose before');
    const early = {
      verdict: 'cannot tell',
      why: expect.stringMatching(/less than 1m ago.*; ask again in/),
    };
    const first = await settle(24 * 60 * MINUTE);
    expect(first.items).toMatchObject([early]);
    expect(first.stderr).toMatch(/^try: social history settle --wait$/m);
    service.forward(50_000);
    expect((await settle(50_000)).items).toMatchObject([early]);
    service.forward(15_000);
    const { items, stderr } = await settle(-60 * MINUTE);
    expect(items).toMatchObject([{ verdict: 'not done' }]);
    expect(stderr).toContain(`\ntry: social posts retry ${id} --failed\n`);
    expect(entries()).toMatchObject([{ verdict: 'not done' }]);
  });

  it('is a quarter of an hour after the answer of a gateway, in a batch too', async () => {
    const { id, run, batch, listed, settle, service, posts, attempts } = await stage({
      count: 2,
      fateOf: lostOnce('gateway before'),
    });
    const [, second] = posts.keys();
    const { targets } = posts.get(id)!;
    listed([JSON.stringify({ postId: id, targetIds: targets.map((target) => target.id) })]);
    await run(batch);
    await run(['posts', 'retry', second!, '--failed']);
    service.forward(14 * MINUTE);
    const early = {
      verdict: 'cannot tell',
      why: expect.stringMatching(/a gateway answered it less than 15m ago/),
    };
    expect((await settle(0)).items).toMatchObject([early, early]);
    await run(batch);
    expect(attempts()).toEqual([1, 1]);
    service.forward(2 * MINUTE);
    const late = { verdict: 'not done', why: expect.stringMatching(/for 1[56]m$/) };
    expect((await settle(0)).items).toMatchObject([late, late]);
    await run(batch);
    expect(attempts()).toEqual([2, 1]);
  });

  it('has no end at a service without a date', async () => {
    const { settleLater } = await lostRetry('lose before', ['--failed'], { hasDate: false });
    expect((await settleLater()).items).toMatchObject([
      { verdict: 'cannot tell', why: expect.stringContaining('the responses have no date') },
    ]);
  });

  it.each<[what: string, fate: Fate, verdict: Item['verdict']]>([
    ['is over', 'lose before', 'not done'],
    ['shows a failure', 'lose after', 'failed'],
  ])('is waited for with --wait until it %s', async (_what, fate, verdict) => {
    const { service, home, env, entries } = await lostRetry(fate, ['--failed'], {
      endsAs: () => 'failed',
    });
    const said = { stdout: '', stderr: '' };
    let aheadMs = 0;
    const host: Host = {
      ...hostOf({ home, env }, said),
      monotonic: () => performance.now() + aheadMs,
      sleep: async (ms) => {
        aheadMs += ms;
        service.forward(ms);
      },
    };
    expect(await runProgram(['history', 'settle', '--wait', '--json'], host)).toBe(0);
    expect((JSON.parse(said.stdout) as Report).items).toMatchObject([{ verdict }]);
    expect(entries()).toMatchObject([{ verdict }]);
    expect([aheadMs > 50_000, aheadMs < 2 * MINUTE]).toEqual([true, true]);
  });
});

describe('the lines after a settling', () => {
  it('retry the failed targets of one post, and repeat a batch', async () => {
    const endsAs = () => 'failed';
    const one = await lostRetry('lose after', ['--failed'], { endsAs });
    const { stderr } = await one.settleLater();
    expect(stderr).toContain(`try: social posts retry ${one.id} --failed\n`);
    expect((await one.run(['history', 'list', '-o', 'tsv'])).stdout).toContain('\tfailed');
    const { run, batch, settleLater } = await stage({ endsAs });
    await run(batch);
    expect((await settleLater()).stderr).toMatch(
      /\ntry: social posts retry --from \S+ --journal \S+\n/,
    );
  });

  it('are missing where a part of the command was not recorded', async () => {
    const { at, settleLater } = await lostRetry('lose before');
    const path = at('history.ndjson');
    const lines = fs.readFileSync(path, 'utf8');
    fs.writeFileSync(path, lines.replace('"line":"posts retry', '"line":"posts retry …'));
    const { items, stderr } = await settleLater();
    expect([items[0]!.verdict, stderr]).toEqual(['not done', expect.not.stringContaining('try:')]);
  });
});

describe('a change that cannot be settled', () => {
  it('stays unknown when no read can show it, with a hint where a person can check', async () => {
    const { id, at, run, settle, entries, service } = await stage({ fateOf: () => 'lose after' });
    await run(['posts', 'reply', id, '--target', 'TargetSpringMast', '--text', 'x'.repeat(20)]);
    await run(['posts', 'retry', id, id.replace('P', 'Q')]);
    const reads = service.reads.get(id);
    const history = fs.readFileSync(at('history.ndjson'), 'utf8');
    const { stderr } = await run(['history', 'settle', '--base-url', 'https://b.example']);
    expect(stderr).toBe(`2 more at ${service.url}\n`);
    expect(fs.readFileSync(at('history.ndjson'), 'utf8')).toBe(history);
    const { items, exitCode } = await settle(0);
    expect(exitCode).toBe(0);
    expect(items).toMatchObject([
      {
        operation: 'posts reply',
        verdict: 'cannot tell',
        why: 'no read shows it. Check the comments on the platform: the API cannot list them.',
      },
      { verdict: 'cannot tell', why: expect.stringContaining('without --journal') },
    ]);
    expect(service.reads.get(id)).toBe(reads);
    expect(entries().map(({ verdict }) => verdict)).toEqual(['cannot tell', 'cannot tell']);
  });

  it('is not recorded when its post cannot be read: exit 11', async () => {
    const { id, record, settle, entries, service } = await lostRetry('lose before');
    service.broken.add(id);
    // The API has no read for this change.
    const end = { outcome: 'unknown' as const, exitCode: 12, ms: 100 };
    record({ startedAt: ago(0), ids: [id], command: 'posts reply' }, end);
    const outcome = await settle(0, '--retries', '0');
    expect(outcome).toMatchObject({
      exitCode: 11,
      items: [
        { verdict: 'cannot tell', why: expect.stringMatching(/^it could not be read: HTTP 500/) },
        { verdict: 'cannot tell', why: expect.stringMatching(/^no read shows it/) },
      ],
    });
    expect(outcome.stderr).toContain('1 of 2 changes could not be read');
    expect(outcome.stderr).toContain('"next":"social history settle --json --retries 0"');
    expect(entries()[0]!.verdict).toBeUndefined();
  });

  it('is not looked for when its outcome is known', async () => {
    const { id, run, settle, entries, service } = await stage({ fateOf: () => 'answer' });
    await run(['posts', 'retry', id]);
    const { items, stderr } = await settle(0, entries()[0]!.id);
    expect([items, stderr, service.reads.size]).toEqual([[], 'Nothing to settle\n', 0]);
  });

  it.each([
    [['--journal', 'nowhere'], '--journal cannot read "nowhere": no such file'],
    [['x', '--journal', 'j'], '--journal cannot be combined with change IDs'],
    [['x'], 'change ID "x" is not in the history'],
  ])('is rejected with %j', async (argv, why) => {
    const { run } = setup('http://127.0.0.1:1');
    const { exitCode, stderr } = await run(['history', 'settle', ...argv]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  it('at another service is named with its context, and is not read', async () => {
    const here = await lostRetry('lose after');
    const there = (await stage()).service;
    await here.run(['context', 'set', 'a', '--base-url', there.url]);
    await here.run(['posts', 'retry', here.id, '--failed', '-C', 'a', '--base-url', there.url]);
    const other = here.entries()[1]!;
    const alone = await here.settleLater(other.id);
    expect([alone.items, alone.stderr]).toEqual([
      [],
      `1 more at ${there.url}: social -C a history settle\n`,
    ]);
    expect((await here.settle(0)).items).toMatchObject([{ verdict: 'done' }]);
    expect(here.entries().map(({ verdict }) => verdict)).toEqual(['done', undefined]);
    // Another context of the same address takes the place of a deleted one; a deleted one is not suggested.
    await here.run(['context', 'delete', 'a', '--yes']);
    const settled = async () => (await here.settleLater(other.id)).stderr;
    const nextOf = async () =>
      (await here.run(['history', 'report', '--since', '1d'])).stdout.match(/`social [^`]*settle/g);
    expect(await settled()).toBe(`1 more at ${there.url}\n`);
    expect(await nextOf()).toBeNull();
    await here.run(['context', 'set', 'b', '--base-url', there.url]);
    expect(await settled()).toBe(`1 more at ${there.url}: social -C b history settle\n`);
    expect(await nextOf()).toEqual(['`social -C b history settle']);
  });

  it('has its note in the line that repeats it', async () => {
    const { id, run, settleLater } = await stage({ fateOf: () => 'lose before' });
    await run(['posts', 'retry', id, '--failed', '--note', 'INC 9']);
    expect((await settleLater()).stderr).toMatch(/^try: social posts retry .* --note 'INC 9'$/m);
  });
});

describe('a batch', () => {
  it('with records that stay unknown or could not be read remains open', async () => {
    const { service, ids, run, batch, settle, settleLater, entries } = await stage({ count: 3 });
    await run(batch);
    service.broken.add(ids[2]!);
    service.posts.delete(ids[1]!);
    const first = await settleLater('--retries', '0');
    expect(first).toMatchObject({ exitCode: 11, counts: { 'not done': 1, 'cannot tell': 2 } });
    expect(entries()[0]!.verdict).toBeUndefined();
    service.broken.clear();
    expect((await settle(0)).counts).toMatchObject({ 'not done': 1, 'cannot tell': 1 });
    expect(entries()).toMatchObject([{ verdict: 'cannot tell', verdicts: { 'not done': 2 } }]);
    expect((await settle(0)).items).toHaveLength(1);
  });

  it('of several runs with one journal gets each verdict at the run that sent it, also by its ID', async () => {
    const { ids, listed, run, batch, settle, settleLater, entries, at } = await stage({
      count: 2,
      fateOf: (id) => (id === postId(0) ? 'lose after' : 'lose before'),
    });
    listed(ids.slice(0, 1));
    await run(batch);
    listed(ids);
    await run(batch);
    const [first, second] = entries();
    expect((await settleLater(second!.id)).items).toMatchObject([
      { id: second!.id, ids: [ids[1], targetId(1, 0)], verdict: 'not done' },
    ]);
    expect(entries()).toMatchObject([{ outcome: 'unknown' }, { verdicts: { 'not done': 1 } }]);
    expect(entries()[0]).not.toHaveProperty('verdict');
    const { items } = await settle(0, '--journal', relative(process.cwd(), at('j')));
    expect(items).toMatchObject([{ id: ids[0], verdict: 'done' }]);
    expect(entries()).toMatchObject([
      { id: first!.id, verdict: 'settled', verdicts: { done: 1 } },
      { id: second!.id, verdict: 'settled', verdicts: { 'not done': 1 } },
    ]);
    const left = await run(['history', 'list', '--outcome', 'unknown']);
    expect(left).toMatchObject({ stdout: '', stderr: 'no recorded change matches\n' });
  });

  it('is counted by the last state of each record, however often it is settled', async () => {
    const count = 6;
    const { run, batch, settle, settleLater, entries, service } = await stage({
      count,
      fateOf: (id, attempt) => (attempt > 1 || id === postId(0) ? 'answer' : 'lose after'),
      settlesAfterMs: () => FIVE_MINUTES + MINUTE,
      endsAs: (id) => (id === postId(3) ? 'failed' : 'published'),
    });
    await run(batch);
    const totalsOf = async () => {
      const { stdout } = await run(['history', 'report', '--json']);
      const { totals } = JSON.parse(stdout) as { totals: Readonly<Record<string, number>> };
      expect(sumOf(totals)).toBe(count);
      return totals;
    };
    expect(await totalsOf()).toEqual({ accepted: 1, unknown: 5 });
    expect((await settleLater()).counts).toMatchObject({ done: 5, 'cannot tell': 0 });
    expect(await totalsOf()).toEqual({ accepted: 6 });
    service.forward(2 * MINUTE);
    expect((await settle(0)).counts).toMatchObject({ done: 4, failed: 1 });
    expect(await totalsOf()).toEqual({ accepted: 1, done: 4, failed: 1 });
    expect((await settle(0)).items).toEqual([]);
    expect(entries()).toMatchObject([{ verdict: 'settled', verdicts: { done: 4, failed: 1 } }]);
    expect((await run(batch)).exitCode).toBe(0);
    expect(service.attempts.get(postId(3))).toBe(2);
    expect(sumOf(Object.fromEntries(service.attempts))).toBe(count + 1);
  });

  it('that is still publishing is waited for by its next run, and not sent again', async () => {
    const { id, run, batch, settle, service } = await stage({
      fateOf: lostOnce('lose after'),
      settlesAfterMs: () => FIVE_MINUTES,
      endsAs: () => 'failed',
    });
    await run(batch);
    service.forward(MINUTE);
    expect((await settle(0)).items).toMatchObject([{ verdict: 'done' }]);
    const reads = service.reads.get(id)!;
    const waiting = run([...batch, '--wait', '--interval', '50ms']);
    await waitUntil(() => service.reads.get(id)! > reads + 1);
    service.forward(FIVE_MINUTES);
    expect([(await waiting).exitCode, service.attempts.get(id)]).toEqual([11, 1]);
    expect((await settle(0)).items).toEqual([]);
  });

  it('whose journal was deleted stays unknown, and does not stop the other changes', async () => {
    const { ids, listed, run, batch, settleLater, at } = await stage({ count: 2 });
    listed(ids.slice(0, 1));
    await run(batch);
    await run(['posts', 'retry', ids[1]!, '--failed']);
    fs.rmSync(at('j'));
    expect((await settleLater()).items).toMatchObject([
      { ids: [ids[1], targetId(1, 0)], verdict: 'not done' },
      { verdict: 'cannot tell', why: expect.stringContaining('its journal cannot be read') },
    ]);
  });

  it('does not resend a target that failed but exists on the platform', async () => {
    const { id, move, run, batch, settleLater, attempts } = await stage();
    await run(batch);
    move(id, { platformPostId: 'PlatformPostHere' });
    expect((await settleLater()).items).toMatchObject([{ verdict: 'failed' }]);
    const again = await run(batch);
    expect(again.stderr).toContain('failed, but already has a platform post');
    expect(attempts()).toEqual([1]);
  });

  it('is settled without a message when the history is off', async () => {
    const { run, home, env, service, batch, entries, at } = await stage();
    await run(batch);
    service.forward(FIVE_MINUTES);
    const argv = ['history', 'settle', '--journal', at('j'), '--json'];
    const off = { home, env: { ...env, SOCIAL_NO_HISTORY: '1' } };
    const { stdout } = await socialInProcess(argv, off);
    expect([stdout, entries()[0]!.verdict]).toEqual([
      expect.stringContaining('"verdict":"not done"'),
      undefined,
    ]);
  });

  it('whose record named one target gets no verdict on the others', async () => {
    const { id, posts, run, batch, listed, settleLater, service } = await stage({
      targets: 2,
      fateOf: lostOnce('lose after'),
    });
    const [A, B] = posts.get(id)!.targets.map((target) => target.id) as [string, string];
    listed([JSON.stringify({ postId: id, targetIds: [A] })]);
    await run(batch);
    expect((await settleLater()).items).toMatchObject([{ ids: [id, A], verdict: 'done' }]);
    listed([id]);
    await run(batch);
    expect(service.bodies).toEqual([{ targetIds: [A] }, { targetIds: [B] }]);
  });

  it('of another service is not settled by this one', async () => {
    const { service, run, batch, at } = await stage();
    await run(batch);
    const other = (await stage()).service;
    const journal = fs.readFileSync(at('j'), 'utf8');
    const argv = ['history', 'settle', '--journal', at('j'), '--base-url', other.url];
    const { exitCode, stderr } = await run(argv);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`--journal is a journal of ${service.url}, not of ${other.url}`),
    ]);
    expect([other.reads.size, fs.readFileSync(at('j'), 'utf8')]).toEqual([0, journal]);
  });
});

describe('another process', () => {
  it.each(['hang before', 'hang after'] as const)(
    'that runs the batch keeps its journal, and is settled once it was killed: %s',
    async (fate) => {
      const { home, env, run, batch, settle, entries, service, attempts } = await stage({
        count: 3,
        targets: 2,
        skewMs: 4000,
        fateOf: lostOnce(fate),
      });
      const running = startProcess(batch, { home, env });
      await waitUntil(() => service.attempts.size === 3);
      const alone = await settle(0);
      expect(alone.items).toMatchObject([
        { verdict: 'cannot tell', why: expect.stringContaining('is locked by pid') },
      ]);
      expect(entries()[0]).not.toHaveProperty('verdict');
      running.child.kill('SIGKILL');
      await running.ended;
      // It may have sent 30 s after its intent, so that the minute begins only then.
      service.forward(80_000);
      const early = (await settle(0)).items.map(({ verdict }) => verdict);
      expect(new Set(early)).toEqual(new Set([fate === 'hang after' ? 'done' : 'cannot tell']));
      service.forward(25_000);
      await settle(0);
      const verdict = fate === 'hang after' ? 'done' : 'not done';
      expect(entries()).toMatchObject([{ verdict: 'settled', verdicts: { [verdict]: 3 } }]);
      expect((await run(batch)).exitCode).toBe(0);
      const times = fate === 'hang after' ? 1 : 2;
      expect(attempts()).toEqual([times, times, times]);
    },
  );

  it('that is still sending one change is not judged', async () => {
    const { id, home, env, settleLater, service } = await stage({ fateOf: () => 'hang before' });
    const running = startProcess(['posts', 'retry', id, '--timeout', '10m'], { home, env });
    await waitUntil(() => service.attempts.size === 1);
    const { items } = await settleLater();
    running.child.kill('SIGKILL');
    await running.ended;
    expect(items).toMatchObject([
      { verdict: 'cannot tell', why: expect.stringMatching(/^it is running now, as process \d+$/) },
    ]);
    expect(service.reads.size).toBe(0);
  });

  it('of another machine is not mistaken for the process with the same ID here', async () => {
    const { id, record, settle, service } = await stage();
    record({ startedAt: ago(FIVE_MINUTES), ids: [id], host: 'elsewhere', pid: process.pid });
    expect((await settle(0)).items[0]!.why).not.toContain('running');
    expect(service.reads.get(id)).toBe(1);
  });

  it('that settles blocks a second settling', async () => {
    const { service, id, run, settleLater, entries } = await lostRetry('lose before');
    const reads = service.reads.get(id)!;
    const gate = service.holdReads();
    const first = settleLater();
    await waitUntil(() => service.reads.get(id)! > reads);
    const second = await run(['history', 'settle']);
    gate.open();
    expect([second.exitCode, second.stdout]).toEqual([13, '']);
    expect(second.stderr).toContain('is locked by pid');
    expect((await first).items).toMatchObject([{ verdict: 'not done' }]);
    expect(entries()).toHaveLength(1);
  });
});

it('shows its progress while the service does not respond', async () => {
  const { service, home, env } = await lostRetry('lose before');
  const gate = service.holdReads();
  const said = { stdout: '', stderr: '' };
  const shown: string[] = [];
  const live = { show: (line: () => string) => void shown.push(line()), stop: () => undefined };
  const host = { ...hostOf({ home, env }, said), liveProgress: async () => live };
  const settling = runProgram(['history', 'settle'], host);
  await waitUntil(() => shown.length > 0);
  gate.open();
  expect([await settling, shown[0]]).toEqual([0, expect.stringMatching(/^0 of 1 done; 0\/s; /)]);
});

describe('a damaged line of the history', () => {
  it.each([['settle'], ['report']])('ends %s with exit 13, naming the line', async (word) => {
    const { at, run } = await lostRetry('lose before');
    const path = at('history.ndjson');
    const [start, ...rest] = fs.readFileSync(path, 'utf8').split('\n');
    fs.writeFileSync(path, [start!.replace('{"id"', '{"i'), ...rest].join('\n'));
    const { exitCode, stderr } = await run(['history', word]);
    expect(exitCode).toBe(13);
    expect(stderr).toContain(`1 line of the history cannot be read`);
    expect(stderr).toContain(`${path} line 1`);
    expect(stderr).not.toContain('Nothing to settle');
    const list = await run(['history', 'list']);
    expect([list.exitCode, list.stderr]).toEqual([0, expect.stringContaining(`${path} line 1`)]);
  });

  it('that is gone leaves nothing to settle', async () => {
    const { run } = setup('http://127.0.0.1:1');
    expect(await run(['history', 'settle'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Nothing to settle\n',
    });
  });
});
