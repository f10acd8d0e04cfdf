// One item of a batch from its call to the end of its wait, look by look, on a clock that the test moves: what is sent,
// what the journal has of it, and what is told.

import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { get, retry } from '../../../src/api/operations/posts.ts';
import { waitForPost } from '../../../src/api/operations/wait-for-post.ts';
import { Failure } from '../../../src/base/errors.ts';
import type { HttpRequest, HttpResponse } from '../../../src/base/http.ts';
import type { BatchItem } from '../../../src/batch/read/validate-records.ts';
import { itemWorker } from '../../../src/batch/run/item.ts';
import { judged } from '../../../src/batch/run/item-verdict.ts';
import { createRateLimiter } from '../../../src/batch/run/rate-limit.ts';
import type { CallContext } from '../../../src/client/call-context.ts';
import { callOperation } from '../../../src/client/call-operation.ts';
import { resolveSettings } from '../../../src/config/settings.ts';
import { backoff } from '../../../src/wait/poll.ts';
import { targetPost, targets } from '../../support/posts.ts';

type Answer = HttpResponse | Failure | Error;
type Ask = (request: HttpRequest, time: number) => Answer;

interface Scene {
  readonly operation?: unknown;
  readonly hooks?: object;
  readonly waits?: boolean;
  readonly journal?: boolean;
  readonly retryUnknown?: boolean;
  readonly intendFails?: Error;
  readonly change?: object;
  readonly timeoutMs?: number;
  readonly random?: number;
  readonly concurrency?: number;
}

const answer = (data: unknown, status = 200): HttpResponse => ({
  status,
  headers: {},
  body: JSON.stringify(status === 200 ? { ok: true, data } : { ok: false, error: data }),
});
const posted = (status: string, error?: string) =>
  answer(targetPost([targets.linkedin(status, error)]));
const moving = posted('publishing');
const done = posted('published');
const refusal = answer({ code: 'no', message: 'No.' }, 422);
const denied = answer({ code: 'unauthorized', message: 'Revoked.' }, 401);
const lost = () => new Failure('no_answer', { what: 'lost', sent: true, retryable: true });

const item = (line = 1, more: Partial<BatchItem> = {}): BatchItem => {
  const input = more.input ?? { postId: `PostOfTheTestsA${String.fromCodePoint(64 + line)}` };
  return { line, input, key: 'k', past: undefined, ...more };
};

/** A worker of items against a service that answers as it is told. */
function setup(ask: Ask, scene: Scene = {}) {
  const { operation = retry, hooks = {}, waits: isWaited = true, journal: isKept = true } = scene;
  const clock = { now: 1000 };
  const log: string[] = [];
  const ends: unknown[] = [];
  const asked: string[] = [];
  const failures: Failure[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  setMaxListeners(0, signal);
  const clocks = {
    monotonic: () => clock.now,
    random: () => scene.random ?? 0.5,
    sleep: async (ms: number) => void log.push(`sleep ${ms}`),
  };
  let time = 0;
  const service = {
    baseUrl: 'https://a.example',
    source: 'SOCIAL_TOKEN',
    trace: {},
    newId: () => 'the id',
    close: async () => undefined,
    async send(request: HttpRequest) {
      log.push(request.method);
      const answered = ask(request, ++time);
      if (answered instanceof Error) throw answered;
      const id = /\/posts\/(\w+)/.exec(request.url)?.[1] ?? '';
      asked.push(id);
      return {
        ...answered,
        body: answered.body.replaceAll('PostForTheTestsA', id),
      };
    },
  };
  const callContext = {
    operation,
    hooks,
    command: 'posts retry',
    flags: {},
    paths: [],
    service,
    settings: {
      ...resolveSettings({}, {}).settings,
      retries: 0,
    },
    runtime: {
      ...clocks,
      env: {},
      now: () => 0,
      signal,
      note: (line: string) => void log.push(line),
      secrets: { maskTokens: (value: unknown) => value },
    },
    change: scene.change,
  } as unknown as CallContext;
  const pace = createRateLimiter({
    ...clocks,
    signal,
    concurrency: scene.concurrency ?? 9,
    rate: undefined,
    mostAskedMs: 3e5,
  });
  const known = new Map<string, string>();
  const journal = {
    async intend(...given: readonly unknown[]) {
      if (scene.intendFails !== undefined) throw scene.intendFails;
      log.push(`intend ${JSON.stringify(given)}`);
    },
    end(...given: readonly unknown[]) {
      log.push(`end ${JSON.stringify(given.slice(0, 4))}`);
      const [, parts, as] = given as [string, readonly string[] | undefined, string];
      for (const part of parts ?? []) known.set(part, as);
    },
    targetOutcome: (_key: string, part: string) => known.get(part),
    sentBefore: () => undefined,
  };
  const worker = itemWorker({
    callContext,
    pace,
    signal,
    retryUnknown: scene.retryUnknown === true,
    waiting: isWaited
      ? {
          intervalMs: 1e3,
          timeoutMs: scene.timeoutMs ?? 6e4,
        }
      : undefined,
    journal: isKept ? (journal as never) : undefined,
    guarded: (_item, work) => work(),
    retryPolicy: (retries) => ({
      ...clocks,
      ...pace,
      retries,
      totalMs: 1e3,
      mostAskedMs: 3e5,
    }),
    onLeft: (skipped) => void log.push(`left ${JSON.stringify(skipped)}`),
    onEnd: ({ line }, { failure }, verdict, outcome) => {
      const { what, next } = failure?.facts ?? {};
      if (failure !== undefined) failures.push(failure);
      ends.push([line, verdict, outcome, failure?.kind, what, next]);
    },
  });
  const { start } = worker;
  /** Looks at the one that is due, when it is due. */
  const poll = async (more = 0) => {
    clock.now = Math.max(clock.now, worker.waits!.dueAt() ?? 0) + more;
    return worker.waits!.poll();
  };
  return { asked, failures, clock, log, ends, controller, pace, start, waits: worker.waits!, poll };
}
const inOrder =
  (...answers: readonly Answer[]): Ask =>
  (_request, time) =>
    answers[Math.min(time, answers.length) - 1]!;
const waitLine = 'social posts wait PostOfTheTestsAA';

describe('an item that is waited for', () => {
  it('is sent, is kept as accepted, and ends with what it was waited for', async () => {
    const { start, log, waits, poll, ends, clock } = setup(inOrder(moving, moving, done));
    expect(await start(item(1))).toEqual({
      verdict: 'waiting',
      sent: true,
    });
    expect(log).toEqual([
      'intend ["k",null,{"requestId":"the id"}]',
      'POST',
      'end ["k",null,"accepted",0]',
    ]);
    expect([waits.count(), waits.dueAt(), waits.looking(), waits.now()]).toEqual([
      1, 2000, 0, 1000,
    ]);
    expect([...waits.list.standings()]).toEqual([
      { text: '0 of 1 target finished', parts: [['linkedin', 'publishing']], count: 1 },
    ]);
    log.length = 0;
    expect(await poll()).toEqual([{ verdict: 'waiting' }]);
    expect([log, clock.now, waits.dueAt()]).toEqual([['GET'], 2000, 3250]);
    expect(await poll()).toEqual([{ verdict: 'ok', sent: true }]);
    expect(ends).toEqual([[1, 'ok', 'done', undefined, undefined, undefined]]);
    expect(log.slice(1)).toEqual([
      'GET',
      'end ["k",["TargetOnLinkedIn"],"done",0]',
      'end ["k",null,"done",0]',
    ]);
    expect([waits.count(), waits.dueAt()]).toEqual([0, undefined]);
  });

  it('ends at once where the answer is the end', async () => {
    const { start, waits, ends } = setup(inOrder(done));
    expect(await start(item())).toEqual({ verdict: 'ok', sent: true });
    expect([ends.length, waits.count()]).toEqual([1, 0]);
    const bad = setup(inOrder(posted('failed', 'Too long.')));
    expect(await bad.start(item())).toEqual({ verdict: 'failed', sent: true });
    expect(bad.ends).toEqual([
      [1, 'failed', 'failed', 'ended_badly', '1 of 1 target failed: linkedin', undefined],
    ]);
  });

  it('ends badly with what the command advises, and may be tried again', async () => {
    const hooks = {
      advise: ({ bad }: { bad: readonly string[] }) => ({ next: `mend ${bad.join()}` }),
    };
    const { start, poll, ends, log } = setup(inOrder(moving, posted('failed', 'Too long.')), {
      hooks,
    });
    await start(item());
    expect(await poll()).toEqual([{ verdict: 'failed', sent: true }]);
    const what = '1 of 1 target failed: linkedin';
    expect(ends).toEqual([[1, 'failed', 'failed', 'ended_badly', what, 'mend TargetOnLinkedIn']]);
    expect(log.at(-1)).toBe('end ["k",["TargetOnLinkedIn"],"failed",10]');
  });

  it('is still pending when its time is over, and the line to wait on is named', async () => {
    const wanted = ['TargetOnLinkedIn'];
    const hooks = { before: async (input: object) => ({ input, wanted }) };
    const scene = { timeoutMs: 5000, hooks };
    const { start, poll, ends, log, waits } = setup(inOrder(moving), scene);
    await start(item());
    expect(await poll(5000)).toEqual([{ verdict: 'accepted', sent: true }]);
    const what = 'wait timed out after 5s: 0 of 1 target finished';
    const next = `${waitLine} --target TargetOnLinkedIn`;
    expect(ends).toEqual([[1, 'accepted', 'accepted', 'still_pending', what, next]]);
    expect(log.at(-1)).toBe('end ["k",["TargetOnLinkedIn"],"accepted",8]');
    expect(waits.count()).toBe(0);
  });

  it('waits on after a look that failed in passing, for longer each time', async () => {
    const { start, poll, clock, waits } = setup(inOrder(moving, lost(), lost(), done));
    await start(item());
    expect(await poll()).toEqual([{ verdict: 'waiting' }]);
    expect(waits.dueAt()! - clock.now).toBe(backoff(1, () => 0.5));
    expect(await poll()).toEqual([{ verdict: 'waiting' }]);
    expect(waits.dueAt()! - clock.now).toBe(backoff(2, () => 0.5));
    expect(await poll()).toEqual([{ verdict: 'ok', sent: true }]);
  });

  it('is over with its time also where the last look fails', async () => {
    const { start, poll, ends } = setup(inOrder(moving, lost()), { timeoutMs: 5000 });
    await start(item());
    expect(await poll(5000)).toEqual([{ verdict: 'accepted', sent: true }]);
    expect((ends[0] as unknown[])[4]).toBe('wait timed out after 5s: 0 of 1 target finished');
  });

  it('waits on where the service asks for a long pause, and nothing more is started', async () => {
    const limited = {
      ...answer({ code: 'slow', message: 'Slow.' }, 429),
      headers: { 'retry-after': '400' },
    };
    const { start, poll } = setup(inOrder(moving, limited), { timeoutMs: 86_400_000 });
    await start(item());
    const [ended] = await poll();
    expect(ended!.verdict).toBe('waiting');
    expect(ended!.stop!.facts.what).toBe('stopped: the service asks to wait 7 minutes');
  });

  it('is looked at when it has its turn, as it is sent', async () => {
    const turn = () => new Promise(setImmediate);
    const { start, waits, pace, log, clock } = setup(inOrder(moving, done), { concurrency: 1 });
    void pace.turn();
    const started = start(item());
    await turn();
    expect([log, pace.active()]).toEqual([[], 1]);
    pace.ended(undefined, 1);
    await started;
    void pace.turn();
    clock.now = waits.dueAt()!;
    log.length = 0;
    const looked = waits.poll();
    await turn();
    expect([log, waits.looking()]).toEqual([[], 0]);
    pace.ended(undefined, 1);
    expect([await looked, pace.active()]).toEqual([[{ verdict: 'ok', sent: true }], 0]);
  });

  it('is about the parts that are wanted, and needs no remarks', async () => {
    const both = answer(
      targetPost([targets.linkedin('publishing'), targets.mastodon('published')]),
    );
    const wanted = ['TargetOnLinkedIn'];
    const hooks = { before: async (input: object) => ({ input, wanted }) };
    const operation = { ...retry, wait: { ...retry.wait!, remarks: undefined } };
    const { start, poll, waits } = setup(inOrder(both), { hooks, operation });
    await start(item());
    const parts = () => [...waits.list.standings()].map((standing) => standing.parts);
    expect(parts()).toEqual([[['linkedin', 'publishing']]]);
    expect(await poll()).toEqual([{ verdict: 'waiting' }]);
    expect(parts()).toEqual([[['linkedin', 'publishing']]]);
  });

  it('is given up where the service asks to wait for longer than it lasts', async () => {
    const limited = {
      ...answer({ code: 'slow', message: 'Slow.' }, 429),
      headers: { 'retry-after': '100' },
    };
    const { start, poll, ends } = setup(inOrder(moving, limited));
    await start(item());
    expect(await poll()).toEqual([{ verdict: 'accepted', sent: true }]);
    const [[, , outcome, kind, what, next]] = ends as [unknown[]];
    expect([outcome, kind, what, next]).toEqual([
      'accepted',
      'still_pending',
      'stopped polling: 0 of 1 target finished',
      waitLine,
    ]);
  });

  it('fails where its look is refused, and stays accepted where the token is', async () => {
    const refused = setup(inOrder(moving, refusal));
    await refused.start(item());
    expect(await refused.poll()).toEqual([{ verdict: 'failed', sent: true }]);
    expect(refused.ends).toEqual(
      [[1, 'failed', 'accepted', 'refused', 'No. (no)', undefined]].map(
        ([line, verdict, outcome, kind]) => [
          line,
          verdict,
          outcome,
          kind,
          expect.any(String),
          undefined,
        ],
      ),
    );
    expect(refused.waits.count()).toBe(0);
    const token = setup(inOrder(moving, denied));
    await token.start(item());
    const [ended] = await token.poll();
    expect(ended).toMatchObject({ verdict: 'accepted', sent: true });
    expect(ended!.stop!.facts.what).toBe(
      'stopped: the service would reject all other requests too',
    );
    // Known already: the journal has it as accepted.
    expect(token.log.filter((line) => line.startsWith('end'))).toHaveLength(1);
  });

  it('says what is odd about its post, and that it is scheduled for later than the wait', async () => {
    const odd = answer({ ...targetPost([targets.linkedin('resting')]) });
    const { start, log, poll } = setup(inOrder(moving, odd));
    await start(item());
    await poll();
    expect(log).toContain('unknown status "resting": still waiting in case it changes');
    const at = '1970-01-01T01:00:00.000Z';
    const scheduled = answer({ ...targetPost([targets.linkedin('scheduled')]), scheduledFor: at });
    const late = setup(inOrder(scheduled));
    await late.start(item());
    expect(late.log).toContain(
      `post PostOfTheTestsAA is scheduled for ${at} (in 60 minutes), but this wait ends after 1m`,
    );
  });

  it('is looked at once more and then let go, where the batch stops gently', async () => {
    const { start, waits, log, ends } = setup(inOrder(moving, moving, moving, done));
    for (const line of [1, 2]) await start(item(line));
    waits.lastLooks();
    expect(waits.dueAt()).toBe(0);
    expect(await waits.poll()).toEqual([{ verdict: 'accepted', sent: true }]);
    expect(await waits.poll()).toEqual([{ verdict: 'ok', sent: true }]);
    expect(ends[0]).toEqual([
      1,
      'accepted',
      'accepted',
      'still_pending',
      'stopped waiting: 0 of 1 target finished',
      waitLine,
    ]);
    expect(waits.dueAt()).toBeUndefined();
    expect(log.filter((line) => line === 'GET')).toHaveLength(2);
  });

  it.each([
    ['interrupted', 'interrupted'],
    ['batch_failed', 'still_pending'],
  ] as const)('is let go where the batch is over: %s', async (kind, own) => {
    const { start, waits, ends, log, failures } = setup(inOrder(moving));
    for (const line of [1, 2]) await start(item(line));
    const ended = waits.end(new Failure(kind, { what: 'over', retryable: true }));
    expect(ended).toEqual([1, 2].map(() => ({ verdict: 'accepted', sent: true })));
    expect(ends[0]).toEqual([
      1,
      'accepted',
      'accepted',
      own,
      'stopped waiting: 0 of 1 target finished',
      waitLine,
    ]);
    expect([waits.count(), log.filter((line) => line === 'GET')]).toEqual([0, []]);
    expect(failures[0]!.facts).toMatchObject({ sent: true, retryable: kind === 'interrupted' });
    expect(waits.end(new Failure(kind, { what: 'again' }))).toEqual([]);
  });

  it('that is looked at when the batch is over is let go by the first reason there was', async () => {
    const { start, waits, ends } = setup(inOrder(moving));
    await start(item());
    const looked = waits.poll();
    expect(waits.looking()).toBe(1);
    waits.end(new Failure('interrupted', { what: 'one' }));
    waits.end(new Failure('batch_failed', { what: 'two' }));
    expect(await looked).toEqual([{ verdict: 'accepted', sent: true }]);
    expect([waits.looking(), (ends[0] as unknown[])[3]]).toEqual([0, 'interrupted']);
  });

  it('whose look is cut off is let go', async () => {
    const cut = new Failure('terminated', { what: 'cancelled' });
    const { start, poll, controller, ends, waits } = setup((_request, time) => {
      if (time === 1) return moving;
      controller.abort(cut);
      return new Failure('terminated', { what: 'cut', sent: true });
    });
    await start(item());
    expect(await poll()).toEqual([{ verdict: 'accepted', sent: true }]);
    expect(ends).toEqual([
      [
        1,
        'accepted',
        'accepted',
        'terminated',
        'stopped waiting: 0 of 1 target finished',
        waitLine,
      ],
    ]);
    expect(waits.count()).toBe(0);
  });

  it('ends the batch where its look breaks the program', async () => {
    const { start, poll } = setup(inOrder(moving, new TypeError('odd')));
    await start(item());
    await expect(poll()).rejects.toMatchObject({ kind: 'internal' });
  });

  it('sleeps until it is due, and at least for a moment', async () => {
    const { waits, log } = setup(inOrder(done));
    await waits.sleepUntil(1500);
    await waits.sleepUntil(0);
    expect(log).toEqual(['sleep 500', 'sleep 1']);
  });
});

describe('a service that does not answer', () => {
  /** So many items that are waited for, after eight looks without an answer. */
  async function outage(count: number, ask: Ask, scene: Scene = {}) {
    const all = setup(
      (request, time) => (request.method === 'POST' ? moving : ask(request, time)),
      scene,
    );
    for (let line = 1; line <= count; line++) await all.start(item(line));
    for (let i = 0; i < 8; i++) expect(await all.poll()).toEqual([{ verdict: 'waiting' }]);
    all.log.length = 0;
    return all;
  }

  it('is asked about one item after the other, any of them, one at a time', async () => {
    const { waits, poll, clock, log, asked } = await outage(10, () => lost(), { random: 0.99 });
    expect([waits.dueAt(), waits.count()]).toEqual([0, 10]);
    const looked = waits.poll();
    expect(waits.dueAt()).toBeUndefined();
    expect(await looked).toEqual([{ verdict: 'waiting' }]);
    expect(waits.dueAt()! - clock.now).toBe(backoff(1, () => 0.99));
    expect(await poll()).toEqual([{ verdict: 'waiting' }]);
    expect(waits.dueAt()! - clock.now).toBe(backoff(2, () => 0.99));
    expect(log).toEqual(['GET', 'GET']);
    const first = await outage(10, () => lost(), { random: 0 });
    await first.waits.poll();
    expect([first.asked.at(-1), asked.at(-2)]).toEqual(['PostOfTheTestsAJ', 'PostOfTheTestsAI']);
  });

  it('is asked about as before once it answers', async () => {
    let isBack = false;
    const { waits, poll } = await outage(3, () => (isBack ? done : lost()));
    isBack = true;
    expect(await poll()).toEqual([{ verdict: 'ok', sent: true }]);
    expect(waits.dueAt()).toBeGreaterThan(0);
    expect(await poll()).toEqual([{ verdict: 'ok', sent: true }]);
    expect(await poll()).toEqual([{ verdict: 'ok', sent: true }]);
  });

  it('counts as back where it refuses', async () => {
    let isBack = false;
    const { waits, poll } = await outage(3, () => (isBack ? refusal : lost()));
    isBack = true;
    expect(await poll()).toEqual([{ verdict: 'failed', sent: true }]);
    expect(waits.dueAt()).toBeGreaterThan(0);
  });

  it('is given up for all after ten such looks', async () => {
    const { poll, ends, waits } = await outage(3, () => lost(), { timeoutMs: 86_400_000 });
    for (let i = 0; i < 9; i++) expect(await poll()).toEqual([{ verdict: 'waiting' }]);
    const gone = { verdict: 'accepted', sent: true };
    expect(await poll()).toEqual([gone, gone, gone]);
    const what = 'stopped polling: 0 of 1 target finished';
    expect((ends as unknown[][]).map((end) => end[4])).toEqual([what, what, what]);
    expect(waits.count()).toBe(0);
  });

  it('does not keep what has run out of time', async () => {
    const { clock, waits, ends, log } = await outage(3, () => lost(), { timeoutMs: 100_000 });
    clock.now = 101_000;
    const gone = { verdict: 'accepted', sent: true };
    expect(await waits.poll()).toEqual([gone, gone, gone]);
    const what = 'wait timed out after 100s: 0 of 1 target finished';
    expect([(ends as unknown[][]).map((end) => end[4]), log.includes('GET')]).toEqual([
      [what, what, what],
      false,
    ]);
    const two = await outage(2, () => lost(), { timeoutMs: 100_000 });
    two.clock.now = 50_000;
    await two.start(item(9));
    two.clock.now = 101_000;
    expect(await two.waits.poll()).toEqual([gone, gone, { verdict: 'waiting' }]);
  });

  it('ends a wait that changes nothing as its last look did', async () => {
    const read = setup((_request, time) => (time === 1 ? moving : lost()), {
      operation: waitForPost,
      timeoutMs: 864e5,
    });
    await read.start(item());
    for (let i = 0; i < 9; i++) expect(await read.poll()).toEqual([{ verdict: 'waiting' }]);
    expect(await read.poll()).toEqual([{ verdict: 'failed', sent: true }]);
    expect(read.ends).toEqual([[1, 'failed', 'failed', 'no_answer', 'lost', waitLine]]);
  });
});

describe('what is known of an item', () => {
  it.each<readonly [string, Ask, Scene, object]>([
    ['done', inOrder(done), {}, { verdict: 'ok', sent: true }],
    ['refused', inOrder(refusal), {}, { verdict: 'failed', sent: true }],
    [
      'never sent',
      inOrder(new Failure('no_answer', { what: 'x', sent: false })),
      {},
      { verdict: 'failed', sent: false },
    ],
    [
      'lost',
      inOrder(new Failure('no_answer', { what: 'x', sent: true })),
      {},
      { verdict: 'unknown', sent: true },
    ],
    [
      'cut off before it left',
      inOrder(new Failure('interrupted', { what: 'x', sent: false })),
      {},
      { verdict: 'unstarted', sent: false },
    ],
    [
      'read and cut off',
      inOrder(new Failure('interrupted', { what: 'x', sent: true })),
      { operation: get },
      { verdict: 'unstarted', sent: true },
    ],
  ])('says whether it was sent: %s', async (_what, ask, scene, result) => {
    const { start } = setup(ask, { ...scene, waits: false });
    expect(await start(item())).toEqual(result);
  });

  it.each([
    ['answered', true, done],
    ['answered', false, done],
    ['lost', true, lost()],
  ])(
    'counts a read before the change as sent: %s (with a journal: %s)',
    async (_what, journal, look) => {
      const hooks = {
        async before(input: object, context: CallContext) {
          const read = get as unknown as CallContext['operation'];
          await callOperation(context, read, input as never, { retries: 0 }).catch(() => undefined);
          return { input };
        },
      };
      const cut = new Failure('interrupted', { what: 'x', sent: false });
      const ask: Ask = ({ method }) => (method === 'GET' ? look : cut);
      const { start, log } = setup(ask, { hooks, journal, waits: false });
      expect(await start(item())).toEqual({ verdict: 'unstarted', sent: true });
      expect(log.filter((line) => line.includes('accepted'))).toEqual([]);
    },
  );

  it('knows a change as accepted once it is answered, whatever is said of its result', async () => {
    const hooks = {
      judge() {
        throw new Failure('refused', { what: 'none' });
      },
    };
    const { start, log } = setup(inOrder(done), { hooks, waits: false });
    expect(await start(item())).toMatchObject({ verdict: 'failed' });
    expect(log.at(-1)).toBe('end ["k",null,"accepted",6]');
    const read = setup(inOrder(done), { hooks, waits: false, operation: get });
    await read.start(item());
    expect(read.log.at(-1)).toBe('end ["k",null,"failed",6]');
  });

  it('says what was left alone, and what there was nothing to do for', async () => {
    const left = { queued: 2 };
    const hooks = {
      before: async (input: object) => ({
        input,
        skipped: left,
        idle: 'nothing',
        instead: { data: targetPost([]) },
      }),
    };
    for (const waits of [true, false]) {
      const { start, log, ends } = setup(inOrder(done), { hooks, waits });
      expect(await start(item())).toEqual({ verdict: 'skipped', sent: true });
      expect(log).toEqual(['left {"queued":2}']);
      expect(ends).toEqual([[1, 'skipped', 'unsent', undefined, undefined, undefined]]);
    }
    const some = { before: async (input: object) => ({ input, skipped: left }) };
    for (const waits of [true, false]) {
      const { start, log } = setup(inOrder(done), { hooks: some, waits });
      expect(await start(item())).toEqual({ verdict: 'ok', sent: true });
      expect(log).toContain('left {"queued":2}');
    }
    const none = setup(inOrder(done), { waits: false });
    await none.start(item());
    expect(none.log.some((line) => line.startsWith('left'))).toBe(false);
  });

  it('is judged by the command itself, unless it has failed or was skipped', async () => {
    const hooks = {
      judge(data: unknown) {
        if (data !== 'good') throw new Failure('ended_badly', { what: 'none' });
      },
    };
    const ends = (ended: object) => judged(ended as never, { hooks, flags: {} });
    expect(ends({ data: 'good' })).toEqual({ data: 'good' });
    expect(ends({ data: 'bad' })).toMatchObject({ data: 'bad', failure: { kind: 'ended_badly' } });
    const failure = lost();
    expect(ends({ data: 'bad', failure })).toEqual({ data: 'bad', failure });
    expect(ends({ data: 'bad', isSkipped: true })).toEqual({ data: 'bad', isSkipped: true });
    const breaks = { judge: () => JSON.parse('{') as never };
    expect(() => judged({ data: 1 }, { hooks: breaks, flags: {} })).toThrow(Failure);
  });

  it.each([
    ['local_io', new Failure('local_io', { what: 'disk full' })],
    ['internal', new TypeError('odd')],
  ])('ends the batch where the journal breaks: %s', async (kind, broken) => {
    const { start, pace, log } = setup(inOrder(done), { intendFails: broken });
    await expect(start(item())).rejects.toMatchObject({ kind });
    // Its turn is given back, and nothing was sent.
    expect([pace.active(), log]).toEqual([0, []]);
  });

  it('names its ID in the journal where its key is a hash, and that is a short text and no credential', async () => {
    const idOf = async (input: object, key = 'sha256:x') => {
      const { start, log } = setup(inOrder(done), { waits: false });
      await start(item(1, { input: input as never, key }));
      return JSON.parse(log[0]!.slice('intend '.length)) as unknown[];
    };
    const requestId = 'the id';
    const [short, long] = ['x'.repeat(64), 'x'.repeat(65)];
    expect(await idOf({ postId: short })).toEqual(['sha256:x', null, { id: short, requestId }]);
    expect(await idOf({ postId: short }, short)).toEqual([short, null, { requestId }]);
    expect(await idOf({ postId: long })).toEqual(['sha256:x', null, { requestId }]);
  });

  it('tells the observer of the change, and the journal which parts it was about', async () => {
    const told: unknown[] = [];
    const change = {
      asks: async (input: unknown) => void told.push(['asks', input]),
      leaves: async (input: unknown, id: string) => void told.push(['leaves', input, id]),
      answered: (data: unknown) => void told.push(['answered', (data as { id: string }).id]),
    };
    const chosen = { postId: 'PostOfTheTestsAA', targetIds: ['TargetOnLinkedIn'] };
    const hooks = {
      async before(input: object, { change: observer }: CallContext) {
        await observer?.asks(input as never);
        return { input: chosen };
      },
    };
    const { start, log } = setup(inOrder(moving), { change, hooks });
    await start(item());
    const { input } = item();
    expect(told).toEqual([
      ['asks', input],
      ['leaves', chosen, 'the id'],
      ['answered', 'PostOfTheTestsAA'],
    ]);
    expect(log[0]).toBe('intend ["k",["TargetOnLinkedIn"],{"requestId":"the id"}]');
    const bare = setup(inOrder(moving), { hooks });
    await bare.start(item());
    expect(bare.log).toHaveLength(3);
    const same = setup(inOrder(moving));
    await same.start(item(1, { input: chosen }));
    expect(same.log[0]).toBe('intend ["k",["TargetOnLinkedIn"],{"requestId":"the id"}]');
  });
});

describe('what an earlier run knows', () => {
  it('as accepted is looked at instead of sent again', async () => {
    const { start, log, poll, waits } = setup(inOrder(moving, done));
    const chosen = { postId: 'PostOfTheTestsAA', targetIds: ['TargetOnLinkedIn'] };
    expect(await start(item(1, { input: chosen, past: 'accepted' }))).toEqual({
      verdict: 'waiting',
      sent: true,
    });
    expect([log, waits.count()]).toEqual([['GET'], 1]);
    expect(await poll()).toEqual([{ verdict: 'ok', sent: true }]);
    expect(log).toEqual(['GET', 'GET', 'end ["k",["TargetOnLinkedIn"],"done",0]']);
    const gone = setup(inOrder(answer(targetPost([targets.mastodon('published')]))));
    // It looks for the targets that the record names.
    expect(await gone.start(item(1, { input: chosen, past: 'accepted' }))).toMatchObject({
      verdict: 'failed',
    });
    // What was accepted stays so for the next run, whatever this one sees.
    const refused = setup(inOrder(refusal));
    await refused.start(item(1, { past: 'accepted' }));
    expect(refused.log.at(-1)).toBe('end ["k",null,"accepted",6]');
    const any = setup(inOrder(answer(targetPost([targets.mastodon('published')]))));
    expect(await any.start(item(1, { past: 'accepted' }))).toMatchObject({ verdict: 'ok' });
  });

  it('as unknown is left alone, and may be sent with --retry-unknown', async () => {
    const { start, log, ends, failures } = setup(inOrder(done));
    expect(await start(item(1, { past: 'unknown' }))).toEqual({ verdict: 'unknown', sent: true });
    const what = 'outcome unknown since an earlier run; not sent again';
    expect([log, (ends[0] as unknown[]).slice(0, 5)]).toEqual([
      [],
      [1, 'unknown', 'unknown', 'outcome_unknown', what],
    ]);
    expect(failures[0]!.facts).toMatchObject({ sent: true, retryable: false });
    const read = setup(inOrder(done), { retryUnknown: true, operation: get, waits: false });
    await read.start(item(1, { past: 'unknown' }));
    expect(read.log.at(-1)).toBe('end ["k",null,"done",0]');
    const again = setup(inOrder(done), { retryUnknown: true });
    expect(await again.start(item(1, { past: 'unknown' }))).toEqual({ verdict: 'ok', sent: true });
    expect(again.log).toEqual([
      expect.stringMatching(/^intend/),
      'POST',
      'end ["k",null,"accepted",0]',
      'end ["k",["TargetOnLinkedIn"],"done",0]',
      'end ["k",null,"done",0]',
    ]);
  });

  it('of a read is kept only where it was started', async () => {
    const read = { operation: get, waits: false };
    const good = setup(inOrder(done), read);
    await good.start(item());
    expect(good.log).toEqual(['GET', 'end ["k",null,"done",0]']);
    const cut = new Failure('interrupted', { what: 'x', sent: true });
    const unstarted = setup(inOrder(cut), read);
    await unstarted.start(item());
    expect([unstarted.log, unstarted.ends]).toEqual([['GET'], []]);
    const none = setup(inOrder(done), { ...read, journal: false });
    expect(await none.start(item())).toEqual({ verdict: 'ok', sent: true });
  });
});
