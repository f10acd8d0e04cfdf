// `history settle` for retries whose response was lost: the service applies them or not, loses responses before and
// after, and knows the truth. The program may say that it cannot tell, but must never say anything false.

import * as http from 'node:http';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retry as retryOperation } from '../../src/api/operations/posts.ts';
import { judgeReading } from '../../src/commands/history/verdict.ts';
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
  const { settlesAfterMs = () => 3000, endsAs = () => 'published' } = behaviour;
  let aheadMs = 0;
  const attempts = new Map<string, number>();
  const reads = new Map<string, number>();
  const broken = new Set<string>();
  const cached = new Map<string, { headers: http.OutgoingHttpHeaders; body: string }>();
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
        asked.push(request.headers['cache-control']);
        const kept = cached.get(id);
        if (held !== undefined)
          return void held.then(() => answer(200, { ok: true, data: shown(id, post) }));
        if (kept !== undefined) return void response.writeHead(200, kept.headers).end(kept.body);
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
    /** Answers further reads of a post with what it shows now, as a cache with these headers does. */
    keepInCache(id: string, headers: http.OutgoingHttpHeaders = {}) {
      const post = posts.get(id)!;
      settle(post);
      const date = new Date(now()).toUTCString();
      const type = { 'content-type': 'application/json' };
      const body = JSON.stringify({ ok: true, data: shown(id, post) });
      cached.set(id, { headers: { ...type, date, ...headers }, body });
    },
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

const FIVE_MINUTES = 300_000;

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
  /** Puts a change on record: its start, when it was tried again, and its end. */
  const record = (start: Partial<HistoryEntry>, sentAt?: string, end?: Partial<HistoryEntry>) => {
    const id = 'abcdefgh';
    const common = { id, command: 'posts retry', context: null, origin: service.url };
    const lines = [{ ...common, ...start }, sentAt && { id, sentAt }, end && { id, ...end }];
    const text = lines.flatMap((line) => (line ? [`${JSON.stringify(line)}\n`] : [])).join('');
    fs.appendFileSync(all.at('history.ndjson'), text);
  };
  /** Settles when five minutes have passed, here and there. */
  const settleLater = async (...more: string[]) => {
    service.forward(FIVE_MINUTES);
    return all.settle(FIVE_MINUTES, ...more);
  };
  return { ...all, service, posts, ids, id: ids[0]!, batch, listed, record, settleLater };
}

interface Night extends Scene {
  readonly argv?: (post: StoredPost) => readonly string[];
}

/** One post whose retry is lost, and is answered from then on. */
async function lostRetry(fate: Fate, { argv = () => [], ...more }: Night = {}) {
  const all = await stage({ fateOf: lostOnce(fate), ...more });
  const post = all.posts.get(all.id)!;
  const { exitCode } = await all.run(['posts', 'retry', all.id, ...argv(post)]);
  expect(exitCode).toBe(12);
  return { ...all, post };
}

describe('a retry whose response was lost', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    'never gets a wrong verdict, and a batch that is run again sends the rest once (seed %i)',
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
        // A target that finishes within the second needs further reads, and is tested below.
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
        const hasFailed = posts.get(id)?.targets.some(({ status }) => status === 'failed') === true;
        const done = hasFailed ? 'failed' : 'done';
        const truth = fates.get(id) === 'lose after' ? done : 'not done';
        expect([id, why, verdict]).toEqual([id, why, verdict === 'cannot tell' ? verdict : truth]);
      }
      expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(items.length);
      const again = await run(batch, FIVE_MINUTES);
      const found = new Map(items.map(({ id, verdict }) => [id, verdict]));
      for (const [id, fate] of fates) {
        const isAgain = fate === 'refuse' || ['not done', 'failed'].includes(found.get(id)!);
        expect([id, service.attempts.get(id)]).toEqual([id, isAgain ? 2 : 1]);
      }
      expect(again.exitCode).toBe(items.some((item) => item.verdict === 'cannot tell') ? 12 : 0);
    },
  );

  it.each(['hang before', 'hang after'] as const)(
    'is settled after a kill in the middle: %s',
    async (fate) => {
      const { home, env, run, batch, settle, settleLater, entries, posts, service } = await stage({
        count: 3,
        targets: 2,
        skewMs: 4000,
        fateOf: lostOnce(fate),
      });
      const running = startProcess(batch, { home, env });
      await waitUntil(() => service.attempts.size === 3);
      const alone = await settle(0);
      expect(alone.items.map(({ verdict, why }) => [verdict, why])).toEqual([
        ['cannot tell', expect.stringContaining('is locked by pid')],
      ]);
      expect(entries()[0]!.why).toContain('its journal cannot be read');
      running.child.kill('SIGKILL');
      await running.ended;
      // If the retry was not applied, no verdict is possible so early.
      const early = fate === 'hang before' ? (await settle(0)).items : [];
      expect(early.filter((each) => each.verdict !== 'cannot tell')).toEqual([]);
      const verdict = fate === 'hang after' ? 'done' : 'not done';
      const { items } = await settleLater();
      expect(items.map((each) => each.verdict)).toEqual([verdict, verdict, verdict]);
      expect(entries()).toMatchObject([{ verdict: 'settled', verdicts: { [verdict]: 3 } }]);
      expect((await run(batch, FIVE_MINUTES)).exitCode).toBe(0);
      const once = fate === 'hang after' ? 1 : 2;
      expect([...service.attempts.values()]).toEqual([once, once, once]);
      expect([...posts.values()].map(({ done }) => done)).toEqual([1, 1, 1]);
    },
  );

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
      {
        operation: 'posts retry',
        verdict: 'cannot tell',
        why: expect.stringContaining('without --journal'),
      },
    ]);
    expect(service.reads.get(id)).toBe(reads);
    expect(entries().map(({ verdict }) => verdict)).toEqual(['cannot tell', 'cannot tell']);
  });

  it('stays unknown when the post cannot be read: exit 11, and nothing is recorded', async () => {
    const { id, record, settle, entries, service } = await lostRetry('lose before');
    service.broken.add(id);
    // The API has no read for this change.
    const end = { outcome: 'unknown' as const, exitCode: 12, ms: 100 };
    record({ startedAt: ago(0), ids: [id], command: 'posts reply' }, undefined, end);
    const outcome = await settle(FIVE_MINUTES, '--retries', '0');
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
    const { items, stderr } = await settle(FIVE_MINUTES, entries()[0]!.id);
    expect([items, stderr, service.reads.size]).toEqual([[], 'Nothing to settle\n', 0]);
  });

  it.each([
    [['--journal', 'nowhere'], '--journal cannot read "nowhere": no such file'],
    [['x', '--journal', 'j'], '--journal cannot be combined with change IDs'],
    [['x'], 'change ID "x" is not in the history'],
  ])('is not settled with %j', async (argv, why) => {
    const { run } = setup('http://127.0.0.1:1');
    const { exitCode, stderr } = await run(['history', 'settle', ...argv]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
  });
});

describe('the clock of the service', () => {
  const sentAt = Date.parse('2026-03-02T12:00:00Z');
  const at = (ms: number) => new Date(sentAt + ms).toISOString();

  /** Judges a retry by a read five minutes after it, which took four seconds. */
  function judged(dated: Dated) {
    const { dateMs = 0, hasDate = true, hasTargets = true, status, changedMs = -3_600_000 } = dated;
    const target = { id: targetId(0, 0), platform: 'linkedin', status: 'failed' };
    const targets = hasTargets ? [{ ...target, updatedAt: at(changedMs) }] : undefined;
    const data = { updatedAt: at(-3_600_000), targets };
    const readAt = sentAt + FIVE_MINUTES;
    return judgeReading(
      retryOperation.settle!,
      { key: '', id: '', at: sentAt, until: sentAt + 100, status, targets: undefined },
      {
        result: { data, serverTime: hasDate ? readAt + dateMs : undefined, warnings: [] },
        requestedAt: readAt,
        receivedAt: readAt + 4000,
      },
    ).verdict;
  }

  it.each<[what: string, verdict: Item['verdict'], dated: Dated]>([
    ['a date at the begin of a slow read, a change soon after', 'cannot tell', { changedMs: 500 }],
    ['the same date, and a change two seconds later', 'failed', { changedMs: 2000 }],
    ['a date at its end', 'cannot tell', { dateMs: 4000, changedMs: 500 }],
    ['a clock that is slow, or an old response', 'cannot tell', { dateMs: -9000, changedMs: -500 }],
    ['no change', 'not done', {}],
    ['no date', 'cannot tell', { hasDate: false }],
    ['no targets', 'cannot tell', { hasTargets: false }],
    ['a date one second before the change', 'cannot tell', { dateMs: -FIVE_MINUTES - 1000 }],
    ['an answer of the service itself', 'not done', { status: 501 }],
    ['an answer of a gateway', 'cannot tell', { status: 502 }],
  ])('%s: %s', (_what, verdict, dated) => {
    expect(judged(dated)).toBe(verdict);
  });
});

describe('a cached read', () => {
  it.each<readonly [string, (now: number) => http.OutgoingHttpHeaders, RegExp]>([
    ['with an age', () => ({ age: '40' }), /came from a cache and is 40s old/],
    [
      'with a date before the change',
      (now) => ({ date: new Date(now - 60_000).toUTCString() }),
      /is dated .* before the change/,
    ],
    ['with a date soon after the change', () => ({}), /less than a minute ago/],
  ])('%s settles nothing, and the batch sends nothing', async (_how, headersAt, why) => {
    const { id, posts, batch, run, settleLater, service } = await stage({
      fateOf: () => 'lose after',
    });
    const before = structuredClone(posts.get(id)!);
    await run(batch);
    // The cache has the post as it was before the retry.
    const after = posts.get(id)!;
    posts.set(id, before);
    service.keepInCache(id, headersAt(service.now()));
    posts.set(id, after);
    const { items } = await settleLater();
    expect(items).toMatchObject([{ verdict: 'cannot tell', why: expect.stringMatching(why) }]);
    expect(new Set(service.asked)).toEqual(new Set(['no-cache']));
    expect((await run(batch, FIVE_MINUTES)).exitCode).toBe(12);
    expect([service.attempts.get(id), after.done]).toEqual([1, 1]);
  });
});

describe('a retry that was not applied', () => {
  it('is reported as not done after a minute, with how long nothing has changed and the command that sends it', async () => {
    const { id, settle, settleLater, entries } = await lostRetry('lose before');
    expect((await settle(50_000)).items).toMatchObject([
      { verdict: 'cannot tell', why: expect.stringContaining('less than a minute ago') },
    ]);
    const { items, counts, stderr } = await settleLater();
    expect(items).toMatchObject([
      {
        verdict: 'not done',
        why: expect.stringMatching(
          /^nothing changed for (?:4|5)m after it: linkedin failed since /,
        ),
      },
    ]);
    expect(counts).toEqual({ done: 0, 'not done': 1, failed: 0, 'cannot tell': 0 });
    expect(stderr).toContain(`\ntry: social posts retry ${id}\n`);
    expect(entries()).toMatchObject([{ verdict: 'not done' }]);
  });

  it('stays unknown for 15 minutes when a gateway answered it', async () => {
    const { service, settle } = await lostRetry('gateway before');
    service.forward(14 * 60_000);
    expect((await settle(14 * 60_000)).items).toMatchObject([
      {
        verdict: 'cannot tell',
        why: expect.stringMatching(
          /^a gateway answered it less than 15 minutes ago.*; ask again in/,
        ),
      },
    ]);
    service.forward(2 * 60_000);
    expect((await settle(16 * 60_000)).items).toMatchObject([
      { verdict: 'not done', why: expect.stringMatching(/^nothing changed for 1[56]m /) },
    ]);
  });

  it('stays unknown as long in a batch, which does not send it again', async () => {
    const { id, run, batch, settle, settleLater, service } = await stage({
      fateOf: lostOnce('gateway before'),
    });
    await run(batch);
    expect((await settleLater()).items).toMatchObject([
      { verdict: 'cannot tell', why: expect.stringContaining('a gateway answered it') },
    ]);
    await run(batch, FIVE_MINUTES);
    expect(service.attempts.get(id)).toBe(1);
    service.forward(3 * FIVE_MINUTES);
    expect((await settle(4 * FIVE_MINUTES)).items).toMatchObject([{ verdict: 'not done' }]);
    await run(batch, 4 * FIVE_MINUTES);
    expect(service.attempts.get(id)).toBe(2);
  });

  it('gets no command when a part of it was not recorded', async () => {
    const { at, settleLater } = await lostRetry('lose before');
    const path = at('history.ndjson');
    const lines = fs.readFileSync(path, 'utf8');
    fs.writeFileSync(path, lines.replace('"line":"posts retry', '"line":"posts retry …'));
    const { items, stderr } = await settleLater();
    expect([items[0]!.verdict, stderr]).toEqual(['not done', expect.not.stringContaining('try:')]);
  });

  it.each<[what: string, end: { ms?: number; lastAgoMs?: number }, ageMs: number]>([
    ['a request that took long: its age counts from its end', { ms: 60_000 }, 100_000],
    ['a killed process: it may have sent 30 s later', {}, 80_000],
    [
      'an attempt after the machine slept: its age counts from that',
      { ms: 5000, lastAgoMs: 40_000 },
      600_000,
    ],
  ])('is not reported as not done too early for %s', async (_what, { ms, lastAgoMs }, ageMs) => {
    const { id, record, settle, service } = await stage();
    const lastAt = lastAgoMs === undefined ? undefined : ago(lastAgoMs);
    const end = ms === undefined ? undefined : { outcome: 'unknown' as const, exitCode: 12, ms };
    record({ startedAt: ago(ageMs), ids: [id], host: hostname(), pid: 2 ** 22 + 1 }, lastAt, end);
    expect((await settle(0)).items).toMatchObject([{ verdict: 'cannot tell' }]);
    service.forward(25_000);
    expect((await settle(25_000)).items).toMatchObject([{ verdict: 'not done' }]);
  });
});

describe('a retry that was applied', () => {
  it('is never reported as not done at a service whose clock is minutes behind', async () => {
    const { settleLater } = await lostRetry('lose after', { skewMs: -150_000 });
    // The clock of this machine puts the publication before the retry.
    expect((await settleLater()).items).toMatchObject([
      { verdict: 'cannot tell', why: expect.stringContaining('changed at about the time') },
    ]);
  });

  it('with a target that failed again is failed: a batch sends it again, and the report counts it', async () => {
    const [first, second, third] = [postId(0), postId(1), postId(2)];
    let ended = 0;
    const { run, batch, settleLater, entries, service } = await stage({
      count: 3,
      fateOf: (id, attempt) => (attempt > 1 || id === first ? 'answer' : 'lose after'),
      endsAs: (id) => (id === third && ended++ === 0 ? 'failed' : 'published'),
    });
    await run(batch);
    const { items, counts, stderr } = await settleLater();
    expect(stderr).toMatch(/\ntry: social posts retry --from \S+ --journal \S+\n/);
    expect(items).toMatchObject([
      { ids: [second], verdict: 'done' },
      { ids: [third], verdict: 'failed', why: expect.stringMatching(/^linkedin failed since/) },
    ]);
    expect(counts).toEqual({ done: 1, 'not done': 0, failed: 1, 'cannot tell': 0 });
    expect(entries()).toMatchObject([{ verdict: 'settled', verdicts: { done: 1, failed: 1 } }]);
    const report = await run(['history', 'report', '--json'], FIVE_MINUTES);
    expect(JSON.parse(report.stdout)).toMatchObject({
      totals: { accepted: 1, done: 1, failed: 1 },
    });
    await run(batch, FIVE_MINUTES);
    expect([first, second, third].map((id) => service.attempts.get(id))).toEqual([1, 1, 2]);
  });

  it('of one post that failed is suggested again for its failed targets only', async () => {
    const { service, id, settle, run } = await lostRetry('lose after', { endsAs: () => 'failed' });
    service.forward(40_000);
    expect((await settle(40_000)).items).toMatchObject([{ verdict: 'cannot tell' }]);
    service.forward(FIVE_MINUTES);
    const { items, stderr } = await settle(FIVE_MINUTES + 40_000);
    expect(items).toMatchObject([{ verdict: 'failed' }]);
    expect(stderr).toContain(`try: social posts retry ${id} --failed\n`);
    const { stdout } = await run(['history', 'list', '-o', 'tsv']);
    expect(stdout).toContain('\tfailed');
  });

  it('and is still publishing is not final: the batch waits for it, and a single one is asked about again', async () => {
    const [first, second] = [postId(0), postId(1)];
    const { run, batch, listed, settle, entries, posts, service } = await stage({
      count: 2,
      fateOf: lostOnce('lose after'),
      settlesAfterMs: () => FIVE_MINUTES,
      endsAs: () => 'failed',
    });
    listed([first]);
    await run(batch);
    await run(['posts', 'retry', second]);
    // It began a few seconds after the request.
    for (const { targets } of posts.values()) targets[0]!.updatedAt += 5000;
    service.forward(60_000);
    const { items } = await settle(60_000);
    expect(items.map(({ verdict, why }) => [verdict, why.slice(0, 19)])).toEqual([
      ['done', 'linkedin publishing'],
      ['done', 'linkedin publishing'],
    ]);
    const reads = service.reads.get(first)!;
    const waiting = run([...batch, '--wait', '--interval', '50ms'], 60_000);
    await waitUntil(() => service.reads.get(first)! > reads);
    service.forward(FIVE_MINUTES);
    expect([(await waiting).exitCode, service.attempts.get(first)]).toEqual([11, 1]);
    expect((await settle(FIVE_MINUTES + 60_000)).items).toMatchObject([
      { ids: [second], verdict: 'failed' },
    ]);
    expect(entries().map(({ verdict }) => verdict)).toContain('failed');
    expect((await settle(FIVE_MINUTES + 60_000)).items).toEqual([]);
  });

  it('is judged by its named targets', async () => {
    const named = ({ targets }: StoredPost) => ['--target', targets[1]!.id];
    const { settleLater } = await lostRetry('lose after', { targets: 2, argv: named });
    expect((await settleLater()).items).toMatchObject([{ verdict: 'done' }]);
  });
});

interface Dated {
  /** Milliseconds from the begin of the read to the date of its response. */
  readonly dateMs?: number;
  readonly hasDate?: boolean;
  readonly hasTargets?: boolean;
  readonly status?: number;
  /** When the target changed, from the request on. */
  readonly changedMs?: number;
}

interface Other {
  /** The fate of the retry in question. */
  readonly fate?: Fate;
  readonly endsAs?: string;
  /** The other change. */
  readonly command?: string;
  readonly path?: string;
  readonly count?: number;
  readonly origin?: string;
  readonly agoMs?: number;
  readonly sentAt?: string;
  readonly end?: Pick<HistoryEntry, 'outcome' | 'exitCode'>;
}

describe('another change of the same post', () => {
  it('is another explanation within 15 minutes, until it is known as not done', async () => {
    const { run, settle, service, id, post } = await lostRetry('lose before');
    service.forward(FIVE_MINUTES);
    // The second one, five minutes later, is done.
    await run(['posts', 'retry', id, '--yes'], FIVE_MINUTES);
    service.forward(FIVE_MINUTES);
    const { items } = await settle(2 * FIVE_MINUTES);
    expect(items).toMatchObject([
      { verdict: 'cannot tell', why: expect.stringContaining('another change of this post') },
    ]);
    expect(post.done).toBe(1);
  });

  const minutes = 60_000;
  it.each<[what: string, verdict: Item['verdict'], other: Other]>([
    ['a retry that was answered', 'cannot tell', {}],
    ['an answered retry whose target failed again', 'cannot tell', { endsAs: 'failed' }],
    ['an answered retry that changed nothing', 'not done', { fate: 'lose before' }],
    ['a refused retry', 'done', { end: { outcome: 'refused', exitCode: 8 } }],
    ['a retry that was not sent', 'done', { end: { outcome: 'unsent', exitCode: 9 } }],
    ['a retry 14 minutes before', 'cannot tell', { agoMs: 14 * minutes }],
    ['a retry 16 minutes before', 'done', { agoMs: 16 * minutes }],
    [
      'a retry 16 minutes before with a late attempt',
      'cannot tell',
      { agoMs: 16 * minutes, sentAt: ago(0) },
    ],
    ['another command', 'done', { command: 'posts reply' }],
    [
      'a raw request to the same path',
      'cannot tell',
      { command: 'api post', path: '/v1/posts/{id}/retry' },
    ],
    ['a retry of another post', 'done', { path: 'PostSomethingElse' }],
    ['a batch with its only post on record', 'done', { path: 'PostSomethingElse', count: 1 }],
    ['a batch with more posts than on record', 'cannot tell', { path: 'PostOther', count: 9 }],
    ['a retry at another service', 'done', { origin: 'https://elsewhere.example' }],
  ])('may explain the state: %s leaves it %s', async (_what, verdict, other) => {
    const { fate = 'lose after', endsAs = 'published', path = '{id}', agoMs = 0 } = other;
    const { id, record, settleLater } = await lostRetry(fate, { endsAs: () => endsAs });
    const { command = 'posts retry', origin, sentAt } = other;
    const ids = [path.replace('{id}', id)];
    const start = { startedAt: ago(agoMs), ids, command, count: other.count };
    const end = { outcome: 'ok' as const, exitCode: 0, ms: 100, ...other.end };
    record(origin === undefined ? start : { ...start, origin }, sentAt, end);
    expect((await settleLater()).items).toMatchObject([{ verdict }]);
  });

  it('does not matter once it was settled as not done', async () => {
    const { run, settle, service, id, entries } = await lostRetry('lose before', {
      fateOf: (_id, attempt) => (attempt === 1 ? 'lose before' : 'lose after'),
    });
    service.forward(90_000);
    expect((await settle(90_000)).items).toMatchObject([{ verdict: 'not done' }]);
    await run(['posts', 'retry', id, '--yes'], 90_000);
    service.forward(FIVE_MINUTES);
    expect((await settle(FIVE_MINUTES + 90_000)).items).toMatchObject([{ verdict: 'done' }]);
    expect(entries().map(({ verdict }) => verdict)).toEqual(['not done', 'done']);
  });

  it('in a settled batch still counts: only its unknown records were not done', async () => {
    const { ids, run, batch, settle, service } = await stage({
      count: 2,
      fateOf: (id, attempt) =>
        id !== postId(0) ? 'lose before' : attempt > 1 ? 'lose after' : 'answer',
      endsAs: () => 'failed',
    });
    await run(batch);
    service.forward(90_000);
    expect((await settle(90_000)).counts).toMatchObject({ 'not done': 1 });
    await run(['posts', 'retry', ids[0]!, '--yes'], 90_000);
    service.forward(FIVE_MINUTES);
    expect((await settle(FIVE_MINUTES + 90_000)).items).toMatchObject([
      { verdict: 'cannot tell', why: expect.stringContaining('another change of this post') },
    ]);
  });

  it('at another service is named with its context', async () => {
    const { id, run, service } = await stage({ fateOf: () => 'lose after' });
    await run(['context', 'set', 'a', '--base-url', service.url]);
    await run(['posts', 'retry', id, '-C', 'a']);
    const { stderr } = await run(['history', 'settle', '--base-url', 'https://b.example']);
    expect(stderr).toBe(`1 more at ${service.url}: social -C a history settle\n`);
  });

  it('does not matter at another service, and is not settled here', async () => {
    const here = await lostRetry('lose after');
    const there = (await stage()).service;
    await here.run(['posts', 'retry', here.id, '--yes', '--base-url', there.url]);
    const other = here.entries()[1]!;
    there.forward(FIVE_MINUTES);
    const reads = here.service.reads.get(here.id);
    const alone = await here.settleLater(other.id);
    expect([alone.items, here.service.reads.get(here.id)]).toEqual([[], reads]);
    expect(alone.stderr).toContain(`1 more at ${there.url}`);
    expect((await here.settle(FIVE_MINUTES)).items).toMatchObject([{ verdict: 'done' }]);
    expect(here.entries().map(({ verdict }) => verdict)).toEqual(['done', undefined]);
  });
});

describe('a batch', () => {
  it('with a record that stays unknown remains open', async () => {
    const { service, ids, run, batch, settle, settleLater, entries } = await stage({ count: 2 });
    await run(batch);
    service.posts.delete(ids[1]!);
    expect((await settleLater()).counts).toMatchObject({ 'not done': 1, 'cannot tell': 1 });
    expect(entries()).toMatchObject([{ verdict: 'cannot tell' }]);
    expect((await settle(FIVE_MINUTES)).items).toHaveLength(1);
  });

  it('with a record that could not be read gets no verdict', async () => {
    const { service, ids, run, batch, settleLater, entries } = await stage({ count: 2 });
    await run(batch);
    service.broken.add(ids[1]!);
    const { exitCode, items } = await settleLater('--retries', '0');
    expect([exitCode, items.length, entries()[0]!.verdict]).toEqual([11, 2, undefined]);
  });

  it('of several runs with one journal gets each verdict at the run that sent it', async () => {
    const { ids, listed, run, batch, settleLater, entries, at } = await stage({
      count: 2,
      fateOf: (id) => (id === postId(0) ? 'lose after' : 'lose before'),
    });
    listed(ids.slice(0, 1));
    await run(batch);
    listed(ids);
    await run(batch);
    await settleLater('--journal', relative(process.cwd(), at('j')));
    expect(entries()).toMatchObject([
      { verdict: 'settled', verdicts: { done: 1, 'not done': 0 } },
      { verdict: 'settled', verdicts: { done: 0, 'not done': 1 } },
    ]);
  });

  it('that succeeded later, or has no such journal, is not changed', async () => {
    const { listed, ids, record, run, batch, settleLater, entries, at } = await stage({
      count: 2,
      fateOf: (post) => (post === postId(0) ? 'lose before' : 'answer'),
    });
    listed(ids.slice(0, 1));
    await run(batch);
    listed(ids.slice(1));
    await run(batch);
    record({ startedAt: ago(0), ids: ['PostSomethingElse'] }, undefined, {
      outcome: 'unknown',
      exitCode: 12,
      ms: 100,
    });
    await settleLater('--journal', at('j'));
    expect(entries().map(({ verdict }) => verdict)).toEqual(['settled', undefined, undefined]);
  });

  it('whose journal was deleted stays unknown, and does not stop the other changes', async () => {
    const { ids, listed, run, batch, settleLater, at } = await stage({ count: 2 });
    listed(ids.slice(0, 1));
    await run(batch);
    await run(['posts', 'retry', ids[1]!]);
    fs.rmSync(at('j'));
    expect((await settleLater()).items).toMatchObject([
      { ids: [ids[1]], verdict: 'not done' },
      { verdict: 'cannot tell', why: expect.stringContaining('its journal cannot be read') },
    ]);
  });

  it('whose records another run has sent is settled without a read', async () => {
    const { id, run, batch, settleLater, entries, service } = await stage({
      fateOf: lostOnce('lose before'),
    });
    await run(batch);
    await run([...batch, '--retry-unknown']);
    const reads = service.reads.get(id);
    await settleLater();
    expect(entries()[0]).toMatchObject({
      verdict: 'settled',
      why: 'no record of it is unknown any more',
    });
    expect(service.reads.get(id)).toBe(reads);
  });

  it('does not resend a target that failed but exists on the platform', async () => {
    const { id, posts, run, batch, settleLater, service } = await stage({
      fateOf: () => 'lose after',
      endsAs: () => 'failed',
    });
    await run(batch);
    Object.assign(posts.get(id)!.targets[0]!, { platformPostId: 'PlatformPostHere' });
    expect((await settleLater()).items).toMatchObject([{ verdict: 'done' }]);
    await run(batch, FIVE_MINUTES);
    expect(service.attempts.get(id)).toBe(1);
  });

  it('is settled without a message when the history is off', async () => {
    const { run, home, env, service, batch, entries, at } = await stage();
    await run(batch);
    service.forward(FIVE_MINUTES);
    const settling = { home, env: { ...env, SOCIAL_NO_HISTORY: '1' }, aheadMs: FIVE_MINUTES };
    const argv = ['history', 'settle', '--journal', at('j'), '--json'];
    const { stdout } = await socialInProcess(argv, settling);
    expect([stdout, entries()[0]!.verdict]).toEqual([
      expect.stringContaining('"verdict":"not done"'),
      undefined,
    ]);
  });

  it('that was killed may have sent 30 s later', async () => {
    const { run, batch, settle, service, at } = await stage();
    await run(batch);
    const lines = fs.readFileSync(at('j'), 'utf8').trimEnd().split('\n');
    expect(lines.pop()).toContain('"as":"unknown"');
    fs.writeFileSync(at('j'), `${lines.join('\n')}\n`);
    service.forward(80_000);
    expect((await settle(80_000)).items).toMatchObject([{ verdict: 'cannot tell' }]);
    service.forward(25_000);
    expect((await settle(105_000)).items).toMatchObject([{ verdict: 'not done' }]);
  });

  it('whose record named one target gets no verdict on the others', async () => {
    const { id, posts, run, batch, listed, settleLater, service } = await stage({
      targets: 2,
      fateOf: lostOnce('lose after'),
    });
    const { targets } = posts.get(id)!;
    listed([JSON.stringify({ postId: id, targetIds: [targets[0]!.id] })]);
    await run(batch);
    expect((await settleLater()).items).toMatchObject([{ verdict: 'done' }]);
    listed([id]);
    await run(batch, FIVE_MINUTES);
    expect([service.attempts.get(id), targets[1]!.status]).toEqual([2, 'publishing']);
  });

  it('of another service is not settled by this one', async () => {
    const { service, run, batch, at } = await stage();
    await run(batch);
    const other = (await stage()).service;
    const journal = fs.readFileSync(at('j'), 'utf8');
    const argv = ['history', 'settle', '--journal', at('j'), '--base-url', other.url];
    const { exitCode, stderr } = await run(argv, FIVE_MINUTES);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`--journal is a journal of ${service.url}, not of ${other.url}`),
    ]);
    expect([other.reads.size, fs.readFileSync(at('j'), 'utf8')]).toEqual([0, journal]);
  });
});

describe('a change by another process', () => {
  it('that is still sending is not judged', async () => {
    const { id, home, env, settle, service } = await stage({ fateOf: () => 'hang before' });
    const running = startProcess(['posts', 'retry', id, '--timeout', '10m'], { home, env });
    await waitUntil(() => service.attempts.size === 1);
    const { items } = await settle(FIVE_MINUTES);
    running.child.kill('SIGKILL');
    await running.ended;
    expect(items).toMatchObject([
      { verdict: 'cannot tell', why: expect.stringMatching(/^it is running now, as process \d+$/) },
    ]);
    expect(service.reads.size).toBe(0);
  });

  it('of another machine is not mistaken for the process with the same id here', async () => {
    const { id, record, settle } = await stage();
    record({ startedAt: ago(FIVE_MINUTES), ids: [id], host: 'elsewhere', pid: process.pid });
    expect((await settle(0)).items).toMatchObject([{ verdict: 'not done' }]);
  });

  it('that settles blocks a second settle', async () => {
    const { service, id, run, settle, entries } = await lostRetry('lose before');
    service.forward(FIVE_MINUTES);
    const gate = service.holdReads();
    const first = settle(FIVE_MINUTES);
    await waitUntil(() => (service.reads.get(id) ?? 0) > 0);
    const second = await run(['history', 'settle'], FIVE_MINUTES);
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
    const { exitCode, stderr } = await run(['history', word], FIVE_MINUTES);
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
