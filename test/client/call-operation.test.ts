// One call: the events before, between and after its attempts, what a failure below HTTP means for a read, for what may
// be repeated and for what may not, and the text of its failure. The service answers in this process.

import { describe, expect, it } from 'vitest';
import { get, retry } from '../../src/api/operations/posts.ts';
import type { Input, Operation } from '../../src/api/operations/define-operation.ts';
import { audiencesDelete } from '../../src/api/operations/ads.ts';
import { pinsAdd } from '../../src/api/operations/discord.ts';
import { update } from '../../src/api/operations/webhooks.ts';
import { Failure, headed, type FailureFacts } from '../../src/base/errors.ts';
import type { HttpRequest, HttpResponse } from '../../src/base/http.ts';
import { callOperation, type CallOptions } from '../../src/client/call-operation.ts';
import type { ChangeObserver, Client } from '../../src/client/open-client.ts';
import { ReadBefore } from '../../src/client/read-before.ts';
import type { Result } from '../../src/client/read-response.ts';
import { targetPost, targets } from '../support/posts.ts';

const P = 'PostForTheTestsA';
const post = targetPost([targets.twitter('failed')]);
const answer = (data: unknown, status = 200): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(status < 400 ? { ok: true, data } : { error: { code: 'c', message: 'm' } }),
});
const idOf = ({ headers }: HttpRequest) => headers['x-request-id'];
const response = (status: number, body = '{"data":{}}'): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
});
const lost = (more: Partial<FailureFacts> = {}) =>
  new Failure('no_answer', { what: 'lost', sent: true, retryable: false, ...more });

interface Scene extends CallOptions {
  readonly operation?: Operation;
  readonly input?: object;
  readonly settings?: object;
  readonly context?: Partial<Client>;
}

/** Calls with these answers in turn, the last one for ever; returns the events and the requests in order. */
async function called(answers: readonly (HttpResponse | Error)[], scene: Scene = {}) {
  const { operation = get, input = { postId: P }, settings, context, ...options } = scene;
  const events: string[] = [];
  const sent: HttpRequest[] = [];
  const change = {
    confirm: async () => false,
    beforeAttempt: async () => {
      await Promise.resolve();
      events.push('leaves');
    },
    onSuccess: (_change: unknown, { data }: Result) =>
      void events.push(`answered ${JSON.stringify(data)}`),
  };
  const client = {
    observer: change,
    flags: {},
    settings: { timeoutMs: 1000, retries: 2, debug: false, quiet: false, ...settings },
    service: {
      baseUrl: 'https://a.example:8443/v1',
      source: 'env',
      send: async (request: HttpRequest) => {
        events.push('sent');
        const next = answers[Math.min(sent.push(request), answers.length) - 1]!;
        if (next instanceof Error) throw next;
        return next;
      },
    },
    runtime: {
      signal: new AbortController().signal,
      secrets: { maskTokens: (value: unknown) => value },
      note: (line: string) => void events.push(line),
      monotonic: () => 0,
      now: () => 0,
      random: () => 0,
      sleep: async () => void events.push('slept'),
    },
    ...context,
  } as unknown as Client;
  const ended = await callOperation(client, operation, input as Input, options).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error: error as Failure }),
  );
  return { ...ended, events, sent };
}

const operations = {
  GET: [get, { postId: P }],
  PUT: [pinsAdd, { channelId: '1', messageId: '2', accountId: 'a' }],
  DELETE: [audiencesDelete, { audienceId: '1' }],
  POST: [retry, { postId: P }],
  PATCH: [update, { id: 'WebhookAlertsOps', name: 'x' }],
} as const;

/** Calls the operation of a method in the same way; returns its result and the number of attempts. */
async function calledBy(
  method: keyof typeof operations,
  ...turns: readonly (HttpResponse | Error)[]
) {
  const [operation, input] = operations[method];
  const { result, error, sent } = await called(turns, { operation, input });
  return { ...result, error, times: sent.length };
}

describe('a call', () => {
  it('does not send a change that is not confirmed, or when the record rejects', async () => {
    const refused = new Failure('usage', { what: 'no', sent: false });
    const begun: unknown[] = [];
    const observer: ChangeObserver = {
      confirm: async () => false,
      beforeAttempt: (change) => void begun.push(change),
      onSuccess: () => undefined,
    };
    const withObserver = (more: Partial<ChangeObserver>) =>
      called([answer({})], { operation: retry, context: { observer: { ...observer, ...more } } });
    const declined = await withObserver({ confirm: () => Promise.reject(refused) });
    expect([declined.error, declined.sent, begun]).toEqual([refused, [], []]);
    const broken = await withObserver({ beforeAttempt: () => Promise.reject(refused) });
    expect(broken.error).toMatchObject({ kind: 'usage', facts: { what: 'no', sent: false } });
    expect(broken.sent).toEqual([]);
  });

  it('tells the recorder the input, the ID of the request and the read before it', async () => {
    const told: unknown[] = [];
    const change: ChangeObserver = {
      confirm: async (input) => told.push(input) > 1,
      beforeAttempt: (sent) => void told.push(sent),
      onSuccess: (sent) => void told.push(sent),
    };
    const before = new ReadBefore(
      { data: post, warnings: [] },
      { monotonic: () => 0, now: () => 0 },
    );
    const { sent } = await called([answer({}, 429), answer({})], {
      operation: retry,
      context: { observer: change },
      before,
    });
    const about = { input: { postId: P }, clientRequestId: idOf(sent[0]!), before };
    expect(told).toEqual([{ postId: P }, about, about, about]);
  });

  it('fails as its recorder says', async () => {
    const known = new Failure('outcome_unknown', { what: 'known', sent: true });
    const asked: unknown[] = [];
    const change: ChangeObserver = {
      confirm: async () => false,
      beforeAttempt: () => undefined,
      onSuccess: () => undefined,
      onFailure(sent, failure) {
        asked.push([sent.input, failure.facts.status]);
        return known;
      },
    };
    const { error } = await called([answer({}, 409)], {
      operation: retry,
      context: { observer: change },
    });
    expect(error).toMatchObject({ kind: 'outcome_unknown', facts: { what: 'known' } });
    expect(asked).toEqual([[{ postId: P }, 409]]);
  });

  it('records each attempt of a change, once it has its turn, and none of a read', async () => {
    const busy = answer({}, 429);
    const { events, sent } = await called([busy, busy, answer({})], { operation: retry });
    expect(events.slice(0, 8)).toEqual(
      ['leaves sent slept', 'leaves sent slept', 'leaves sent'].join(' ').split(' '),
    );
    expect(new Set(sent.map(idOf)).size).toBe(1);
    expect((await called([busy, answer(post)])).events).toEqual(['sent', 'slept', 'sent']);
    const turns: string[] = [];
    const retryPolicy: Client['retryPolicy'] = () => ({
      retries: 1,
      totalMs: 1000,
      maxRetryAfterMs: 60_000,
      mayRetry: () => true,
      monotonic: () => 0,
      random: () => 0,
      sleep: async () => undefined,
      run(attempt) {
        turns.push('turn');
        return attempt();
      },
    });
    const change: ChangeObserver = {
      confirm: async () => turns.push('asked') > 1,
      beforeAttempt: () => void turns.push('leaves'),
      onSuccess: () => undefined,
    };
    const context = { retryPolicy, observer: change };
    await called([busy, answer({})], { operation: retry, context });
    expect(turns).toEqual(['asked', 'turn', 'leaves', 'turn', 'leaves']);
  });

  it('sends a prepared request, with its request ID when it has one', async () => {
    const request = { method: 'GET', url: 'https://a.example/x', headers: {} } as HttpRequest;
    expect((await called([answer(post)], { request })).sent).toEqual([
      { ...request, headers: { 'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/) } },
    ]);
    const named = { ...request, headers: { 'x-request-id': 'own' } };
    const { sent, error } = await called([answer(post, 500)], { request: named, retries: 0 });
    expect(sent).toEqual([named]);
    expect(error!.facts.clientRequestId).toBe('own');
  });
});

describe('a failed call', () => {
  it('names the host and the request ID', async () => {
    const failed = await called([lost()], { retries: 0 });
    const [clientRequestId] = failed.sent.map(idOf);
    expect(failed.error!.facts).toMatchObject({ host: 'a.example:8443', clientRequestId });
    const { error } = await called([lost({ sent: false })], { retries: 0 });
    expect(error!.facts).toMatchObject({ host: 'a.example:8443', clientRequestId: undefined });
  });

  it('names no host when a signal ended it', async () => {
    const cancelled = new Failure('interrupted', { what: 'cancelled', sent: false });
    const { error } = await called([cancelled]);
    expect(error).toMatchObject({ kind: 'interrupted', facts: cancelled.facts });
    expect(error!.facts.host).toBeUndefined();
  });
});

describe('an unexpected result', () => {
  const other = { ...post, id: 'PostForTheTestsB' };

  it('about another resource fails a read, and is a warning for a change', async () => {
    const read = await called([answer(other)], { retries: 0 });
    expect(read.error).toMatchObject({
      kind: 'no_answer',
      facts: {
        ...headed('the response', ' is about another post (PostForTheTestsB)'),
        sent: true,
        retryable: false,
      },
    });
    expect(read.error!.facts.why).toBeUndefined();
    const changed = await called([answer(other)], { operation: retry });
    expect(changed.result?.data).toEqual(other);
    expect(changed.events).toContain(
      'warning: the response is about another post (PostForTheTestsB)',
    );
    const same = await called([answer(post)], { operation: retry });
    expect(same.events.join('\n')).not.toContain('is about');
  });

  it('is a note', async () => {
    const { status: _status, ...without } = post;
    const warning = 'the response lacks status';
    const lenient = await called([answer(without)]);
    expect(lenient.result?.data).toEqual(without);
    expect(lenient.events).toEqual(['sent', `warning: ${warning}`]);
    // A warning that --quiet would hide is not computed.
    const quiet = await called([answer(without)], { settings: { quiet: true } });
    expect(quiet.events).toEqual(['sent']);
  });
});

describe('a lost response', () => {
  it.each([
    ['GET', 'no_answer', 3, true],
    ['PUT', 'outcome_unknown', 3, true],
    ['DELETE', 'outcome_unknown', 3, true],
    ['POST', 'outcome_unknown', 1, false],
    ['PATCH', 'outcome_unknown', 1, false],
  ] as const)('of %s is %s after %i attempts', async (method, kind, times, retryable) => {
    const outcome = await calledBy(method, lost({ timedOut: true }));
    expect(outcome).toMatchObject({
      times,
      error: { kind, facts: { what: 'lost', sent: true, retryable, timedOut: true } },
    });
  });

  it.each(['GET', 'PUT', 'DELETE', 'POST', 'PATCH'] as const)(
    'of %s is not unknown when nothing was sent',
    async (method) => {
      for (const [sent, retryable, times] of [
        [false, true, 3],
        [false, false, 1],
        [undefined, true, 3],
      ] as const) {
        const facts = { what: 'refused', retryable, ...(sent === undefined ? {} : { sent }) };
        const outcome = await calledBy(method, new Failure('no_answer', facts));
        expect(outcome).toMatchObject({ times, error: { kind: 'no_answer' } });
      }
    },
  );
});

describe('a 404 for a DELETE', () => {
  it.each([404, 410])(
    'means deleted after an attempt whose response was lost: %i',
    async (status) => {
      expect(await calledBy('DELETE', lost(), response(status))).toMatchObject({
        times: 2,
        data: undefined,
        warnings: ['already gone: probably deleted by an earlier attempt whose response was lost'],
      });
      expect(
        await calledBy('DELETE', response(502), response(429), response(status)),
      ).toMatchObject({
        times: 3,
        data: undefined,
      });
    },
  );

  it('means not found when no response was lost', async () => {
    expect(await calledBy('DELETE', response(404))).toMatchObject({
      times: 1,
      error: { kind: 'not_found' },
    });
    for (const before of [
      response(429),
      new Failure('no_answer', { what: 'x', sent: false, retryable: true }),
    ])
      expect(await calledBy('DELETE', before, response(404))).toMatchObject({
        times: 2,
        error: { kind: 'not_found' },
      });
  });

  it('means deleted only for a DELETE, and only with status 404', async () => {
    for (const [method, later] of [
      ['PUT', 404],
      ['DELETE', 403],
    ] as const)
      expect(await calledBy(method, lost(), response(later))).toMatchObject({
        times: 2,
        error: { kind: 'outcome_unknown' },
      });
  });
});

describe('a refusal', () => {
  const refused = (headers: Record<string, string>): HttpResponse => ({
    ...response(422, '{"error":{"code":"c","message":"m"}}'),
    headers: { 'content-type': 'application/json', ...headers },
  });

  it.each(['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid'])(
    'has the request id of the service from %s',
    async (name) => {
      const { error } = await calledBy('POST', refused({ [name]: 'req-1', 'x-other': 'no' }));
      expect(error?.facts.requestId).toBe('req-1');
    },
  );
});

describe('a bug while reading a response', () => {
  it.each([
    [get, 'internal', 'none', undefined],
    [
      retry,
      'outcome_unknown',
      'unknown',
      ['the service responded; the change may have been applied'],
    ],
  ] as const)(
    'does not claim that nothing was sent or done: %#',
    async (operation, kind, outcome, why) => {
      const read = () => {
        throw new TypeError('x is not a function');
      };
      const { error } = await called([answer({})], { operation, read });
      expect(error).toMatchObject({ kind, outcome, facts: { sent: true, retryable: false } });
      expect(error?.facts.why).toEqual(why);
    },
  );
});

describe('an attempt that may have been applied', () => {
  const refused = new Failure('no_answer', { what: 'refused', sent: false, retryable: true });

  it.each([
    ['PUT', refused],
    ['DELETE', refused],
    ['PUT', response(401, '{"error":{"code":"no","message":"No."}}')],
    ['PUT', response(429)],
    ['DELETE', response(400, '{"error":{"code":"bad","message":"Bad."}}')],
    ['PUT', response(404)],
  ] as const)('%s: stays unknown, whatever a later attempt returns: %#', async (method, later) => {
    const { error, times } = await calledBy(method, lost(), later);
    expect(error).toMatchObject({ kind: 'outcome_unknown', exitCode: 12, outcome: 'unknown' });
    expect(error?.facts).toMatchObject({ what: 'lost', sent: true, attempts: times });
    expect(error?.facts.why?.[0]).toMatch(/^last attempt: /);
  });
});
