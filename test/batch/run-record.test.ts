// One record of a batch, against a service with scripted answers, on a clock that the test moves: the requests, the
// lines of the journal, and the outcome of the record.

import { shellLine } from '../../src/base/shell.ts';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get, retry } from '../../src/api/operations/posts.ts';
import { waitOperation } from '../../src/commands/posts/wait.ts';
import {
  afterSending,
  Failure,
  type FailureFacts,
  type FailureKind,
  headed,
} from '../../src/base/errors.ts';
import type { HttpRequest, HttpResponse } from '../../src/base/http.ts';
import type { RequestEnd } from '../../src/batch/journal/format.ts';
import { makeJournal, openJournal } from '../../src/batch/journal/journal.ts';
import { RecordJournal } from '../../src/batch/journal/record-journal.ts';
import { createLimiter } from '../../src/batch/limiter.ts';
import type { BatchRecord } from '../../src/batch/read/validate-records.ts';
import { runRecord, stopAfter, verdictOf } from '../../src/batch/run-record.ts';
import type { BatchSession } from '../../src/batch/session.ts';
import type { Session } from '../../src/client/session.ts';
import { callOperation } from '../../src/client/call-operation.ts';
import type { SentChange } from '../../src/client/open-client.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import { targetPost, targets } from '../support/posts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Answer = HttpResponse | Failure | Error;
/** `halt` stops the batch. */
type Ask = (request: HttpRequest, time: number, halt: (why: Failure) => void) => Answer;

interface Scene {
  readonly operation?: unknown;
  readonly hooks?: object;
  readonly isWaited?: boolean;
  /** The state that an earlier run left. */
  readonly past?: RequestEnd;
  readonly input?: object;
  readonly key?: string;
  readonly retryUnknown?: boolean;
  readonly change?: object;
  readonly timeoutMs?: number;
  readonly isJournalled?: boolean;
  /** The journal rejects the intent with this error. */
  readonly broken?: Error;
}

const answer = (data: unknown, status = 200, headers = {}): HttpResponse => ({
  status,
  headers,
  body: JSON.stringify(status === 200 ? { ok: true, data } : { ok: false, error: data }),
});
const posted = (status: string, error?: string) =>
  answer(targetPost([targets.linkedin(status, error)]));
const moving = posted('publishing');
const done = posted('published');
const refusal = answer({ code: 'no', message: 'No.' }, 422);
const denied = answer({ code: 'unauthorized', message: 'Revoked.' }, 401);
const lost = (sent = true) => new Failure('no_answer', { what: 'lost', sent, retryable: true });
const cut = (kind: FailureKind, sent: boolean) => new Failure(kind, { what: 'cut', sent });
const inOrder =
  (...answers: readonly Answer[]): Ask =>
  (_request, time) =>
    answers[Math.min(time, answers.length) - 1]!;

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
const ID = 'PostOfTheTestsAA';
const LINKEDIN = ['TargetOnLinkedIn'];
const nextOf = (failure: Failure | undefined) =>
  failure?.facts.next && shellLine(failure.facts.next);
const waitLine = `social posts wait ${ID} --target TargetOnLinkedIn`;
const job = { job: 'a job', operation: 'posts retry', origin: 'https://a.example', context: null };

/**
 * Runs one record to its end. `log` has the requests and the lines of the journal; `kept` is what that
 * says to a next run.
 */
async function run(ask: Ask, scene: Scene = {}) {
  const { operation = retry, hooks = {}, isWaited = true } = scene;
  const clock = { now: 1000 };
  const log: string[] = [];
  const notes: string[] = [];
  const halt = new AbortController();
  setMaxListeners(0, halt.signal);
  const clocks = {
    monotonic: () => clock.now,
    random: () => 0.5,
    async sleep(ms: number, signal: AbortSignal) {
      log.push(`sleep ${ms}`);
      clock.now += ms;
      signal.throwIfAborted();
    },
  };
  let time = 0;
  const service = {
    baseUrl: 'https://a.example',
    source: 'SOCIAL_TOKEN',
    close: async () => undefined,
    async send(request: HttpRequest) {
      log.push(request.method);
      const answered = ask(request, ++time, (why) => halt.abort(why));
      if (answered instanceof Error) throw answered;
      const id = /\/posts\/(\w+)/.exec(request.url)?.[1] ?? '';
      return { ...answered, body: answered.body.replaceAll('PostForTheTestsA', id) };
    },
  };
  const { settings } = resolveSettings({}, {});
  const session = {
    operation,
    hooks,
    flags: {},
    service,
    settings: { ...settings, retries: 0 },
    runtime: {
      ...clocks,
      env: {},
      now: () => 0,
      signal: halt.signal,
      stdout: { isTTY: false },
      stderr: { isTTY: false },
      note: (line: string) => void notes.push(line),
      secrets: { maskTokens: (value: unknown) => value },
    },
    observer: scene.change,
  } as unknown as Session;
  const path = join(temporaryFolder(), 'journal');
  makeJournal(path, job);
  const journal = openJournal(path, job, () => 0);
  const { input = { postId: ID, targetIds: LINKEDIN }, key = ID, past } = scene;
  const named = (input as { readonly targetIds?: readonly string[] }).targetIds ?? [''];
  if (past !== undefined) {
    await journal.writeIntent({ sent: key, parts: named, requestId: 'old' });
    journal.writeEnd({ ended: 'old', parts: named, as: past });
  }
  const written = {
    writeIntent: journal.writeIntent.bind(journal),
    writeEnd: journal.writeEnd.bind(journal),
    writeDone: journal.writeDone.bind(journal),
  };
  journal.writeIntent = (entry) => {
    if (scene.broken !== undefined) return Promise.reject(scene.broken);
    log.push(`sent ${entry.parts.join() || 'all'}`);
    return written.writeIntent(entry);
  };
  journal.writeEnd = (entry) => {
    log.push(`${entry.as} ${entry.parts.join() || 'all'}`);
    written.writeEnd(entry);
  };
  journal.writeDone = (of, parts) => {
    log.push(`done ${parts?.join() ?? 'all'}`);
    written.writeDone(of, parts);
  };
  const limiter = createLimiter({ concurrency: 1, rate: undefined }, settings, clocks, {
    signal: halt.signal,
  });
  const waits: number[] = [];
  let released = 0;
  const item: BatchRecord = { line: 1, input: input as BatchRecord['input'], key };
  const running = runRecord(
    item,
    isWaited ? { intervalMs: 1e3, timeoutMs: scene.timeoutMs ?? 6e4 } : undefined,
    {
      ...session,
      serviceOfRecords: session.service,
      limiter,
      journalOf: (record: BatchRecord) =>
        scene.isJournalled === false
          ? undefined
          : new RecordJournal(journal, session.operation, record, scene.retryUnknown === true),
      cancel: { halt: halt.signal },
      summary: {
        get waits() {
          return waits.at(-1) ?? 0;
        },
        set waits(count) {
          waits.push(count);
        },
      },
    } as unknown as BatchSession,
    () => void released++,
  );
  await Promise.allSettled([running]);
  await journal.close();
  const result = await running;
  const later = openJournal(path, job, () => 0);
  const requests = later.requestsOf(key);
  const kept = requests.isFinished(named)
    ? 'done'
    : (['unknown', 'accepted'] as const).find((as) => named.some((part) => requests.has(part, as)));
  await later.close();
  const { failure } = result.ended;
  const end = [result.verdict, kept, failure?.kind, failure?.facts.what];
  const sent = limiter.isSent();
  return { ...result, end, sent, next: nextOf(failure), log, notes, kept, released, waits };
}

describe('a record that is waited for', () => {
  it('is journaled as intended, accepted and done; its place is free during the wait', async () => {
    const { verdict, kept, log, released, waits } = await run(inOrder(moving, moving, done));
    expect([verdict, kept, released, waits]).toEqual(['ok', 'done', 1, [1, 0]]);
    expect(log).toEqual([
      'sent TargetOnLinkedIn',
      'POST',
      'accepted TargetOnLinkedIn',
      'sleep 1000',
      'GET',
      'sleep 1250',
      'GET',
      'done TargetOnLinkedIn',
    ]);
  });

  it('that fails has the advice of the command, and may be retried', async () => {
    const hooks = {
      adviseAfterWait: (_data: unknown, bad: readonly string[]) => ({ next: ['mend', ...bad] }),
    };
    const { verdict, next, kept } = await run(inOrder(moving, posted('failed')), { hooks });
    expect([verdict, next, kept]).toEqual(['failed', 'mend TargetOnLinkedIn', undefined]);
  });

  it('is pending when its time is over, and names the command that resumes the wait', async () => {
    const hooks = { before: async (input: object) => ({ do: 'send', input, wanted: LINKEDIN }) };
    const { end, next, kept } = await run(inOrder(moving), { timeoutMs: 5000, hooks });
    const what = 'wait timed out after 5s: 0 of 1 target finished';
    expect(end).toEqual(['accepted', 'accepted', 'still_pending', what]);
    expect([next, kept]).toEqual([waitLine, 'accepted']);
  });

  it('stays accepted when a poll is refused; a rejected token stops the batch', async () => {
    const refused = await run(inOrder(moving, refusal));
    expect([refused.verdict, refused.kept]).toEqual(['failed', 'accepted']);
    expect(refused.ended.failure!.facts.why).toContain(
      'the change was accepted; only the wait for it failed',
    );
    const token = await run(inOrder(moving, denied));
    expect([token.verdict, token.kept]).toEqual(['accepted', 'accepted']);
    expect(token.stop!.facts.what).toBe('stopped: the service would reject all other requests too');
    // Known already: the journal has it as accepted.
    expect(
      token.log.filter((line) => /^(accepted|refused|unknown|failed|done) /.test(line)),
    ).toHaveLength(1);
  });

  it.each([
    ['interrupted', 'interrupted'],
    ['batch_failed', 'still_pending'],
  ] as const)('is abandoned when the batch is stopped: %s', async (kind, own) => {
    const { end, next, kept, log } = await run((_request, time, halt) => {
      if (time === 2) halt(new Failure(kind, { what: 'over', retryable: true }));
      return moving;
    });
    const what = 'stopped waiting: 0 of 1 target finished';
    expect(end).toEqual(['accepted', 'accepted', own, what]);
    expect([next, kept]).toEqual([waitLine, 'accepted']);
    expect(
      log.filter((line) => /^(accepted|refused|unknown|failed|done) /.test(line)),
    ).toHaveLength(1);
  });

  it('is abandoned when its poll is aborted, also for a read', async () => {
    for (const operation of [retry, waitOperation]) {
      const { end } = await run(
        (_request, time, halt) => {
          if (time === 1) return moving;
          halt(cut('terminated', false));
          return cut('terminated', true);
        },
        { operation },
      );
      const what = 'stopped waiting: 0 of 1 target finished';
      expect([end[0], ...end.slice(2)]).toEqual(['accepted', 'terminated', what]);
    }
  });

  it('stops the batch when a poll throws a bug', async () => {
    await expect(run(inOrder(moving, new TypeError('odd')))).rejects.toMatchObject({
      kind: 'internal',
    });
  });
});

describe('a record that is not waited for', () => {
  const once = { isWaited: false };

  it.each<readonly [string, Ask, Scene, string, boolean, string | undefined]>([
    ['done', inOrder(done), {}, 'ok', true, 'done'],
    ['refused', inOrder(refusal), {}, 'failed', true, undefined],
    ['answered by a gateway', inOrder(answer('bad', 502)), {}, 'unknown', true, 'unknown'],
    ['never sent', inOrder(lost(false)), {}, 'failed', false, undefined],
    ['lost', inOrder(lost()), {}, 'unknown', true, 'unknown'],
    ['refused its token', inOrder(denied), {}, 'unstarted', true, undefined],
    [
      'a read that is cut off',
      inOrder(cut('interrupted', true)),
      { operation: get },
      'unstarted',
      true,
      undefined,
    ],
    ...(['interrupted', 'terminated', 'hung_up'] as const).flatMap(
      (kind): readonly [string, Ask, Scene, string, boolean, string | undefined][] => [
        [
          `cut off before it kept: ${kind}`,
          inOrder(cut(kind, false)),
          {},
          'unstarted',
          false,
          undefined,
        ],
        [
          `cut off under way: ${kind}`,
          inOrder(afterSending(cut(kind, false)) as Failure),
          {},
          'unknown',
          true,
          'unknown',
        ],
      ],
    ),
  ])('%s', async (_what, ask, scene, verdict, sent, kept) => {
    const result = await run(ask, { ...scene, ...once });
    expect([result.verdict, result.sent, result.kept]).toEqual([verdict, sent, kept]);
  });

  it.each([
    ['answered', done],
    ['lost', lost()],
  ])('counts a read before the change as sent: %s', async (_what, seen) => {
    const hooks = {
      async before(input: object, context: Session) {
        const read = get as unknown as Session['operation'];
        await callOperation(context, read, input as never, { retries: 0 }).catch(() => undefined);
        return { do: 'send', input };
      },
    };
    const ask: Ask = ({ method }) => (method === 'GET' ? seen : cut('interrupted', false));
    const { verdict, sent, kept } = await run(ask, { hooks, ...once });
    expect([verdict, sent, kept]).toEqual(['unstarted', true, undefined]);
  });

  it('is accepted once there is a response, whatever the command makes of it', async () => {
    const hooks = {
      async after() {
        throw new Failure('refused', { what: 'none' });
      },
    };
    const { verdict, kept } = await run(inOrder(moving), { hooks, ...once });
    expect([verdict, kept]).toEqual(['failed', 'accepted']);
  });

  it.each([
    ['local_io', new Failure('local_io', { what: 'disk full' })],
    ['internal', new TypeError('odd')],
  ])(
    'is not sent when its intent cannot be stored, and stops the batch: %s',
    async (kind, broken) => {
      let requests = 0;
      const ask: Ask = () => {
        requests++;
        return done;
      };
      await expect(run(ask, { broken })).rejects.toMatchObject({ kind });
      expect(requests).toBe(0);
    },
  );

  it('is recorded in the history, and the journal has its named targets; it does not ask again', async () => {
    const told: unknown[] = [];
    const change = {
      confirm: async (input: unknown) => void told.push(['confirm', input]),
      beforeAttempt: async ({ input, clientRequestId }: SentChange) =>
        void told.push(['beforeAttempt', input, clientRequestId]),
      onSuccess: (_change: unknown, { data }: { data: unknown }) =>
        void told.push(['onSuccess', (data as { id: string }).id]),
    };
    const chosen = { postId: ID, targetIds: LINKEDIN };
    const hooks = {
      async before(input: object, { observer }: Session) {
        await observer?.confirm?.(input as never);
        return { do: 'send', input: chosen };
      },
    };
    const scene = { change, hooks, input: { postId: ID } };
    const { log } = await run(inOrder(moving, done), scene);
    expect(told).toEqual([
      ['beforeAttempt', chosen, expect.stringMatching(UUID)],
      ['onSuccess', ID],
    ]);
    expect(log[0]).toBe('sent TargetOnLinkedIn');
  });
});

describe('the part of a record for another batch', () => {
  const named = { postId: ID, targetIds: LINKEDIN };
  const doneLater = (status: string) => inOrder(moving, posted(status));

  it('is, without a journal, what failed or was not sent', async () => {
    const leftOf = async (ask: Ask, scene: Scene = {}) =>
      (await run(ask, { ...scene, isJournalled: false })).left;
    expect(await leftOf(inOrder(refusal))).toEqual(named);
    expect(await leftOf(inOrder(denied))).toEqual(named);
    expect(await leftOf(doneLater('failed'))).toEqual(named);
    expect(await leftOf(doneLater('failed'), { input: { postId: ID } })).toEqual(named);
    expect(await leftOf(inOrder(refusal), { input: { postId: ID } })).toEqual({ postId: ID });
    expect(await leftOf(inOrder(lost()))).toBeUndefined();
    expect(await leftOf(inOrder(moving, refusal))).toBeUndefined();
    expect(await leftOf(inOrder(moving))).toBeUndefined();
  });
});

describe('a record of an earlier run', () => {
  const input = { postId: ID, targetIds: LINKEDIN };

  it('that was accepted is polled instead of sent again', async () => {
    const { verdict, log } = await run(inOrder(moving, done), { input, past: 'accepted' });
    expect(verdict).toBe('ok');
    expect(log).toEqual(['GET', 'sleep 1000', 'GET', 'done TargetOnLinkedIn']);
    const gone = inOrder(answer(targetPost([targets.mastodon('published')])));
    // It looks for the targets that the record names.
    expect((await run(gone, { input, past: 'accepted' })).verdict).toBe('failed');
    expect((await run(gone, { input: { postId: ID }, past: 'accepted' })).verdict).toBe('ok');
    // An accepted record stays accepted for the next run, whatever this one reads.
    expect((await run(inOrder(refusal), { past: 'accepted' })).kept).toBe('accepted');
  });

  it('that is unknown is not sent, except with --retry-unknown', async () => {
    const { end, log, ended } = await run(inOrder(done), { past: 'unknown' });
    const what = 'outcome unknown since an earlier run; not sent again';
    expect(end).toEqual(['unknown', 'unknown', 'outcome_unknown', what]);
    expect([log, ended.failure!.facts.retryable]).toEqual([[], false]);
    const again = await run(inOrder(done), { past: 'unknown', retryUnknown: true });
    expect([again.verdict, again.kept]).toEqual(['ok', 'done']);
    expect(again.log).toContain('POST');
  });
});

const failure = (kind: FailureKind, facts: Partial<FailureFacts> = {}) =>
  new Failure(kind, { what: 'it failed', ...facts });

describe('the verdict', () => {
  const rejected = failure('unauthorized', { status: 401 });
  const stopped = failure('interrupted');
  const unsure = failure('interrupted', { outcome: 'unknown' });
  it.each([
    ['ok', undefined, true, false],
    ['ok', undefined, false, true],
    ['unknown', failure('outcome_unknown'), true, false],
    ['unknown', failure('outcome_unknown', { status: 401 }), true, true],
    ['accepted', failure('still_pending'), true, true],
    ['accepted', failure('still_pending', { status: 401 }), false, false],
    ['unstarted', rejected, true, false],
    ['accepted', rejected, true, true],
    ['failed', failure('unauthorized', { status: 403 }), true, false],
    ['failed', failure('refused'), true, false],
    ['failed', failure('ended_badly'), true, true],
    ['unstarted', stopped, false, false],
    ['unstarted', unsure, false, false],
    ['accepted', failure('interrupted', { waitStopped: true }), false, false],
    ['accepted', stopped, true, true],
    ['accepted', unsure, true, true],
    ['unknown', unsure, true, false],
    ['unstarted', stopped, true, false],
  ] as const)('is %s', (verdict, why, isChange, accepted) => {
    expect(verdictOf(why, isChange, accepted)).toBe(verdict);
  });
});

describe('a batch', () => {
  const stopOf = (why: Failure | undefined, down?: Failure) => stopAfter(why, { down: () => down });

  it('stops after a rejected token, and keeps the details of that failure', () => {
    const known = { status: 401, next: ['social', 'auth', 'login'], code: 'c', requestId: 'r' };
    const facts = { ...known, ...headed('HTTP 401 c', '', 'No.'), host: 'a.example' };
    const stop = stopOf(failure('unauthorized', facts), failure('rate_limited'));
    expect([stop!.kind, stop!.facts]).toEqual([
      'unauthorized',
      {
        ...facts,
        what: 'stopped: the service would reject all other requests too',
        parts: undefined,
        why: ['last: HTTP 401 c from a.example: No.'],
      },
    ]);
  });

  it.each<readonly [Failure, FailureKind, string, object]>([
    [
      failure('no_answer', { what: 'lost', sent: true, requestId: 'r1' }),
      'batch_failed',
      'stopped: service unavailable',
      { why: ['last: lost'], sent: true, retryable: false, requestId: 'r1' },
    ],
    [
      failure('rate_limited', { what: 'slow', retryAfterMs: 4_000_000 }),
      'rate_limited',
      'stopped: the service asks to wait 1h 6m',
      { why: ['last: slow'], sent: false, retryable: false },
    ],
    [
      failure('rate_limited', { what: 'slow' }),
      'rate_limited',
      'stopped: the service asks to wait',
      { why: ['last: slow'], sent: false, retryable: false },
    ],
    [
      failure('rate_limited', { what: 'monthly quota', isLasting: true }),
      'rate_limited',
      'stopped: a quota of the service is used up',
      { why: ['last: monthly quota'], sent: false, retryable: false },
    ],
  ])('stops when the service is down: %#', (down, kind, what, facts) => {
    const stop = stopOf(undefined, down)!;
    expect([stop.kind, stop.facts]).toEqual([kind, { what, ...facts }]);
  });
});
