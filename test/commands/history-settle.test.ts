// What became of retries whose answer was lost: a service that did them, or did not, loses answers before and after,
// and keeps the truth. The program may say that it cannot tell; it must never say what is not so.

import * as http from 'node:http';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entriesIn, type HistoryEntry } from '../../src/history/entries.ts';
import { socialInProcess } from '../support/in-process.ts';
import { listenOnLoopback } from '../support/listen.ts';
import { freshHome } from '../support/program.ts';
import { startProcess, waitUntil } from '../support/signalled-process.ts';

/** More of them on demand: `SEEDS=1000`. */
const SEEDS = Number(process.env['SEEDS'] ?? 40);

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

/** What happens to a retry. `hang`: no answer ever. */
type Fate = 'answer' | 'lose before' | 'lose after' | 'hang before' | 'hang after' | 'refuse';

interface Target {
  id: string;
  platform: string;
  status: string;
  /** By the service's clock. */
  updatedAt: number;
  /** The next status, and when. */
  next?: { status: string; at: number };
}

interface StoredPost {
  targets: Target[];
  updatedAt: number;
  /** How often a retry was done. */
  done: number;
}

interface Behaviour {
  /** The service's clock minus this machine's. */
  readonly skewMs: number;
  /** How its times are written. */
  readonly write: (time: number) => string;
  readonly fateOf: (postId: string, attempt: number) => Fate;
  readonly settlesAfterMs: () => number;
  readonly endsAs?: (postId: string) => string;
}

const exact = (time: number) => new Date(time).toISOString();
const inSeconds = (time: number) => exact(time).replace(/\.\d+Z/, 'Z');
const zeroed = (time: number) => exact(time).replace(/\.\d+Z/, '.000Z');

/** A service that retries posts, by a clock of its own that can be put forward. */
async function publishingService(posts: Map<string, StoredPost>, behaviour: Behaviour) {
  const { skewMs, write, fateOf, settlesAfterMs, endsAs = () => 'published' } = behaviour;
  let aheadMs = 0;
  const attempts = new Map<string, number>();
  const reads = new Map<string, number>();
  const broken = new Set<string>();
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
    const id = request.url!.split('/')[3]!;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const post = posts.get(id);
      const answer = (status: number, body: object) => {
        response.writeHead(status, {
          'content-type': 'application/json',
          date: new Date(now()).toUTCString(),
        });
        response.end(JSON.stringify(body));
      };
      if (post === undefined)
        return answer(404, { ok: false, error: { code: 'post_not_found', message: 'No post.' } });
      if (broken.has(id)) return answer(500, {});
      settle(post);
      if (request.method === 'GET') {
        reads.set(id, (reads.get(id) ?? 0) + 1);
        return answer(200, { ok: true, data: shown(id, post) });
      }
      const attempt = (attempts.get(id) ?? 0) + 1;
      attempts.set(id, attempt);
      const fate = fateOf(id, attempt);
      if (fate === 'refuse')
        return answer(422, { ok: false, error: { code: 'no', message: 'Not this one.' } });
      const { targetIds } = JSON.parse(Buffer.concat(chunks).toString()) as {
        targetIds?: string[];
      };
      if (!fate.endsWith('before')) retry(id, post, targetIds);
      if (fate === 'answer') return answer(200, { ok: true, data: shown(id, post) });
      if (fate.startsWith('lose')) request.socket.resetAndDestroy();
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
  readonly verdict: 'done' | 'not done' | 'cannot tell';
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
  const settle = async (aheadMs: number, ...more: string[]) => {
    const outcome = await run(['history', 'settle', '--json', ...more], aheadMs);
    const report = (
      outcome.stdout === '' ? { items: [], counts: {} } : JSON.parse(outcome.stdout)
    ) as Report;
    return { ...outcome, ...report };
  };
  const entries = (): readonly HistoryEntry[] =>
    entriesIn(fs.readFileSync(at('history.ndjson'), 'utf8'));
  return { home, env, at, run, settle, entries };
}

const FIVE_MINUTES = 300_000;
const never: readonly Fate[] = ['lose before', 'hang before', 'refuse'];

describe('a retry whose answer was lost', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    'is never said to be what it is not, and a batch that is run again does the rest once (seed %i)',
    async (seed) => {
      const random = numbers(seed);
      const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
      const skewMs = Math.round((random() - 0.5) * pick([0, 2000, 7_200_000]));
      const count = 8;
      const posts = failedPosts(count, 1 + Math.floor(random() * 3), Date.now() + skewMs);
      const fates = new Map(
        [...posts.keys()].map((id) => [
          id,
          pick<Fate>([
            'answer',
            'lose before',
            'lose after',
            'lose before',
            'lose after',
            'refuse',
          ]),
        ]),
      );
      const service = await publishingService(posts, {
        skewMs,
        write: pick([exact, inSeconds, zeroed]),
        fateOf: (id, attempt) => (attempt > 1 ? 'answer' : fates.get(id)!),
        // What settles within the second is tried below: it takes further reads.
        settlesAfterMs: () => 3000 + Math.round(random() * pick([1000, 120_000])),
        endsAs: () => pick(['published', 'failed', 'published']),
      });
      const { at, run, settle } = setup(service.url);
      const named = random() < 0.5;
      const records = [...posts].map(([id, { targets }]) =>
        JSON.stringify(
          named ? { postId: id, targetIds: targets.map((each) => each.id) } : { postId: id },
        ),
      );
      fs.writeFileSync(at('ids'), `${records.join('\n')}\n`);
      const batch = ['posts', 'retry', '--from', at('ids'), '--journal', at('j')];
      if (!named && random() < 0.5) batch.push('--failed');
      await run(batch);
      const lost = [...fates].filter(([, fate]) => fate.startsWith('lose')).map(([id]) => id);
      service.forward(FIVE_MINUTES);
      // Others work on the same posts in the meantime.
      for (const id of lost) {
        const post = posts.get(id)!;
        const chance = random();
        if (chance < 0.1) posts.delete(id);
        else if (chance < 0.2) post.updatedAt = service.now() - 60_000;
        else if (chance < 0.3)
          Object.assign(post.targets[0]!, {
            status: 'action_required',
            updatedAt: service.now() - 1000,
            next: undefined,
          });
      }
      const { items, counts, exitCode } = await settle(FIVE_MINUTES, '--journal', at('j'));
      expect(exitCode).toBe(0);
      expect(items.map(({ id }) => id).toSorted()).toEqual(lost.toSorted());
      for (const { id, verdict, why } of items) {
        const truth = fates.get(id) === 'lose after' ? 'done' : 'not done';
        expect([id, why, verdict]).toEqual([id, why, verdict === 'cannot tell' ? verdict : truth]);
      }
      expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(items.length);
      const again = await run(batch, FIVE_MINUTES);
      const unclear = items.filter(({ verdict }) => verdict === 'cannot tell').map(({ id }) => id);
      for (const [id, fate] of fates) {
        const isAgain = fate === 'refuse' || (never.includes(fate) && !unclear.includes(id));
        expect([id, service.attempts.get(id)]).toEqual([id, isAgain ? 2 : 1]);
      }
      expect(again.exitCode).toBe(unclear.length > 0 ? 12 : 0);
    },
  );

  it('is told by further reads where it was published at once, and not where times have whole seconds', async () => {
    for (const [write, verdict] of [
      [exact, 'done'],
      [inSeconds, 'cannot tell'],
    ] as const) {
      const posts = failedPosts(1, 1);
      const [id] = [...posts.keys()];
      const service = await publishingService(posts, {
        skewMs: 0,
        write,
        fateOf: () => 'lose after',
        // Later than two clocks can be compared, and within a second.
        settlesAfterMs: () => 200,
      });
      const { run, settle, entries } = setup(service.url);
      expect((await run(['posts', 'retry', id!])).exitCode).toBe(12);
      service.forward(FIVE_MINUTES);
      const { items, exitCode } = await settle(FIVE_MINUTES);
      expect([exitCode, items.map((each) => each.verdict)]).toEqual([0, [verdict]]);
      expect(entries()).toMatchObject([{ outcome: 'unknown', verdict }]);
      // A verdict is final; what could not be told is asked again.
      expect((await settle(FIVE_MINUTES)).items).toHaveLength(verdict === 'done' ? 0 : 1);
    }
  });

  it.each(['hang before', 'hang after'] as const)(
    'is found out after a kill in the middle: %s',
    async (fate) => {
      const posts = failedPosts(3, 2);
      const service = await publishingService(posts, {
        skewMs: 4000,
        write: exact,
        fateOf: (_id, attempt) => (attempt === 1 ? fate : 'answer'),
        settlesAfterMs: () => 3000,
      });
      const { home, env, at, run, settle, entries } = setup(service.url);
      fs.writeFileSync(at('ids'), `${[...posts.keys()].join('\n')}\n`);
      const batch = ['posts', 'retry', '--from', at('ids'), '--journal', at('j')];
      const running = startProcess(batch, { home, env });
      await waitUntil(() => service.attempts.size === 3);
      const alone = await settle(0);
      expect(alone.items.map(({ verdict, why }) => [verdict, why])).toEqual([
        ['cannot tell', expect.stringContaining('is locked by pid')],
      ]);
      running.child.kill('SIGKILL');
      await running.ended;
      // Where it was not done, nobody can know so early.
      const early = fate === 'hang before' ? (await settle(0)).items : [];
      expect(early.filter((each) => each.verdict !== 'cannot tell')).toEqual([]);
      service.forward(FIVE_MINUTES);
      const verdict = fate === 'hang after' ? 'done' : 'not done';
      const { items } = await settle(FIVE_MINUTES);
      expect(items.map((each) => each.verdict)).toEqual([verdict, verdict, verdict]);
      expect(entries()).toMatchObject([{ verdict, verdicts: { [verdict]: 3 } }]);
      expect((await run(batch, FIVE_MINUTES)).exitCode).toBe(0);
      const once = fate === 'hang after' ? 1 : 2;
      expect([...service.attempts.values()]).toEqual([once, once, once]);
      expect([...posts.values()].map(({ done }) => done)).toEqual([1, 1, 1]);
    },
  );

  it('is not told where another retry of this machine explains it, nor where the clock of the service is not known', async () => {
    const posts = failedPosts(2, 1);
    const [first, second] = [...posts.keys()] as [string, string];
    const service = await publishingService(posts, {
      skewMs: 0,
      write: exact,
      fateOf: (_id, attempt) => (attempt === 1 ? 'lose before' : 'answer'),
      settlesAfterMs: () => 3000,
    });
    const { run, settle } = setup(service.url);
    for (const id of [first, first, second]) await run(['posts', 'retry', id]);
    service.forward(FIVE_MINUTES);
    const { items } = await settle(FIVE_MINUTES);
    expect(items).toMatchObject([
      {
        ids: [first],
        verdict: 'cannot tell',
        why: expect.stringContaining('another change of this post'),
      },
      { ids: [second], verdict: 'not done' },
    ]);
  });

  it('cannot be told of what no read shows, and says where a person can look', async () => {
    const service = await publishingService(failedPosts(1, 1), {
      skewMs: 0,
      write: exact,
      fateOf: () => 'lose after',
      settlesAfterMs: () => 0,
    });
    const { at, run, settle, entries } = setup(service.url);
    const [id] = [...service.posts.keys()] as [string];
    await run(['posts', 'reply', id, '--target', 'TargetSpringMast', '--text', 'x'.repeat(20)]);
    await run(['posts', 'retry', id, id.replace('P', 'Q')]);
    const reads = service.reads.get(id);
    const history = fs.readFileSync(at('history.ndjson'), 'utf8');
    const { stderr } = await run(['history', 'settle', '--base-url', 'https://b.example']);
    expect(stderr).toBe(`2 more at ${service.url}\nno outcome is unknown at https://b.example\n`);
    for (const flag of ['-n', '--curl']) {
      const shown = await run(['history', 'settle', flag]);
      expect(shown).toMatchObject({ exitCode: 0, stdout: '' });
      expect(fs.readFileSync(at('history.ndjson'), 'utf8')).toBe(history);
    }
    const { items, exitCode } = await settle(0);
    expect(exitCode).toBe(0);
    expect(items).toMatchObject([
      {
        operation: 'posts reply',
        verdict: 'cannot tell',
        why: 'no read shows it. Check the comments on the platform: the API cannot list them.',
      },
      {
        operation: 'posts retry',
        verdict: 'cannot tell',
        why: expect.stringContaining('without --journal'),
      },
    ]);
    expect(service.reads.get(id)).toBe(reads);
    expect(entries().map(({ verdict }) => verdict)).toEqual(['cannot tell', 'cannot tell']);
  });

  it('is left unknown where the post cannot be read: 11, and nothing is written of it', async () => {
    const posts = failedPosts(1, 1);
    const [id] = [...posts.keys()] as [string];
    const service = await publishingService(posts, {
      skewMs: 0,
      write: exact,
      fateOf: () => 'lose before',
      settlesAfterMs: () => 0,
    });
    const { run, settle, entries } = setup(service.url);
    await run(['posts', 'retry', id]);
    service.broken.add(id);
    const outcome = await settle(FIVE_MINUTES, '--retries', '0');
    expect(outcome).toMatchObject({
      exitCode: 11,
      items: [{ verdict: 'cannot tell', why: 'it could not be read' }],
    });
    expect(outcome.stderr).toContain('1 of 1 posts could not be read');
    expect(outcome.stderr).toContain('"next":"social history settle --json --retries 0"');
    expect(entries()[0]!.verdict).toBeUndefined();
  });

  it.each([
    [['--journal', 'nowhere'], '--journal cannot read "nowhere": no such file'],
    [['x', '--journal', 'j'], '--journal cannot be combined with change IDs'],
    [['x'], 'change ID "x" is not in the history'],
    [['--rate', 'fast'], '--rate must be a number of requests'],
  ])('is not looked for with %j', async (argv, why) => {
    const { run } = setup('http://127.0.0.1:1');
    const { exitCode, stderr } = await run(['history', 'settle', ...argv]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
  });
});
