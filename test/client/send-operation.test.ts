// One operation, called: what a failure below HTTP means for a read, for what may be repeated and for what may not.

import { describe, expect, it } from 'vitest';
import { type CallOptions, sendOperation } from '../../src/client/call-operation.ts';
import type { Client } from '../../src/client/open-client.ts';
import { Failure, type FailureFacts } from '../../src/base/errors.ts';
import type { HttpResponse, Send } from '../../src/base/http.ts';
import { audiencesDelete } from '../../src/api/operations/ads.ts';
import { pinsAdd } from '../../src/api/operations/discord.ts';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { get, retry } from '../../src/api/operations/posts.ts';
import { update } from '../../src/api/operations/webhooks.ts';

const never = new AbortController().signal;
const operations = {
  GET: [get, { postId: 'PostSpringLaunch' }],
  PUT: [pinsAdd, { channelId: '1', messageId: '2', accountId: 'a' }],
  DELETE: [audiencesDelete, { audienceId: '1' }],
  POST: [retry, { postId: 'PostSpringLaunch' }],
  PATCH: [update, { id: 'WebhookAlertsOps', name: 'x' }],
} as const;
type Method = keyof typeof operations;

const lost = (more: Partial<FailureFacts> = {}) =>
  new Failure('no_answer', { what: 'lost', sent: true, retryable: false, ...more });
const answer = (status: number, body = '{"data":{}}'): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
});

/** Sends an operation with two retries, by this function. */
function sendBy(method: Method, send: Send, options: CallOptions = {}) {
  const [operation, input] = operations[method] as unknown as [Operation, object];
  const client = {
    service: { baseUrl: 'https://a.example', source: 'file', send },
    settings: { retries: 2, timeoutMs: 30_000, quiet: true },
    runtime: { signal: never, monotonic: () => 0, random: () => 0, sleep: async () => undefined },
  } as unknown as Client;
  return sendOperation(client, operation, input as Record<string, unknown>, options);
}

/** Calls with answers and failures in turn, the last one for ever. */
async function called(method: Method, ...turns: readonly (HttpResponse | Error)[]) {
  let sent = 0;
  const send = async () => {
    const turn = turns[Math.min(sent++, turns.length - 1)]!;
    if (turn instanceof Error) throw turn;
    return turn;
  };
  try {
    return { sent, ...(await sendBy(method, send)), times: sent };
  } catch (error) {
    return { error: error as Failure, times: sent };
  }
}

describe('a lost response', () => {
  it.each([
    ['GET', 'no_answer', 3, true],
    ['PUT', 'outcome_unknown', 3, true],
    ['DELETE', 'outcome_unknown', 3, true],
    ['POST', 'outcome_unknown', 1, false],
    ['PATCH', 'outcome_unknown', 1, false],
  ] as const)('of %s is %s after %i attempts', async (method, kind, times, retryable) => {
    const outcome = await called(method, lost({ timedOut: true }));
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
        const outcome = await called(method, new Failure('no_answer', facts));
        expect(outcome).toMatchObject({ times, error: { kind: 'no_answer' } });
      }
    },
  );

  it('does not matter after a successful attempt', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect(await called(method, lost(), answer(200))).toMatchObject({ times: 2, data: {} });
  });

  it.each([
    ['a fault of the tool', new TypeError('boom')],
    ['an interrupt', new Failure('interrupted', { what: 'cancelled', sent: true, attempts: 1 })],
  ])('does not count for %s', async (_what, error) => {
    for (const method of ['GET', 'DELETE', 'POST'] as const) {
      const { times, error: thrown } = await called(method, error);
      expect([times, thrown!.message]).toEqual([1, error.message]);
      expect(thrown).toMatchObject(Object.assign({}, error));
    }
  });
});

describe('a 404 for a DELETE', () => {
  it.each([404, 410])(
    'means deleted after an attempt whose response was lost: %i',
    async (status) => {
      expect(await called('DELETE', lost(), answer(status))).toMatchObject({
        times: 2,
        data: undefined,
        warnings: ['already gone: probably deleted by an earlier attempt whose response was lost'],
      });
      expect(await called('DELETE', answer(502), answer(429), answer(status))).toMatchObject({
        times: 3,
        data: undefined,
      });
    },
  );

  it('means not found when no response was lost', async () => {
    expect(await called('DELETE', answer(404))).toMatchObject({
      times: 1,
      error: { kind: 'not_found' },
    });
    for (const before of [
      answer(429),
      new Failure('no_answer', { what: 'x', sent: false, retryable: true }),
    ])
      expect(await called('DELETE', before, answer(404))).toMatchObject({
        times: 2,
        error: { kind: 'not_found' },
      });
  });

  it('means deleted only for a DELETE, and only with status 404', async () => {
    for (const [method, later] of [
      ['PUT', 404],
      ['DELETE', 403],
    ] as const)
      expect(await called(method, lost(), answer(later))).toMatchObject({
        times: 2,
        error: { kind: 'outcome_unknown' },
      });
  });
});

describe('a refusal', () => {
  const refused = (headers: Record<string, string>): HttpResponse => ({
    ...answer(422, '{"error":{"code":"c","message":"m"}}'),
    headers: { 'content-type': 'application/json', ...headers },
  });

  it.each(['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid'])(
    'has the request id of the service from %s',
    async (name) => {
      const { error } = await called('POST', refused({ [name]: 'req-1', 'x-other': 'no' }));
      expect(error?.facts.requestId).toBe('req-1');
    },
  );

  it('uses the most common header of several, and ignores empty ones', async () => {
    const both = { 'x-amzn-requestid': 'b', 'x-request-id': 'a' };
    expect((await called('POST', refused(both))).error?.facts.requestId).toBe('a');
    const empty = { 'x-amzn-requestid': 'b', 'x-request-id': '' };
    expect((await called('POST', refused(empty))).error?.facts.requestId).toBe('b');
    expect((await called('POST', refused({ id: 'x' }))).error?.facts).not.toHaveProperty(
      'requestId',
    );
  });
});

const good = async () => answer(200);
const broken = () => {
  throw new TypeError('x is not a function');
};

describe('a bug while reading a response', () => {
  it.each([
    ['GET', 'internal', 'none', 0],
    ['POST', 'outcome_unknown', 'unknown', 1],
  ] as const)(
    'does not claim that nothing was sent or done: %s',
    async (method, kind, outcome, lines) => {
      const error: unknown = await sendBy(method, good, { read: broken }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({
        kind,
        outcome,
        facts: { sent: true, retryable: false },
      });
      expect((error as Failure).facts.why ?? []).toHaveLength(lines);
      expect((error as Failure).facts.why ?? []).toEqual(
        ['the service responded; the change may have been applied'].slice(0, lines),
      );
    },
  );
});

describe('an attempt that may have been applied', () => {
  const refused = new Failure('no_answer', { what: 'refused', sent: false, retryable: true });

  it.each([
    ['PUT', refused],
    ['DELETE', refused],
    ['PUT', answer(401, '{"error":{"code":"no","message":"No."}}')],
    ['PUT', answer(429)],
    ['DELETE', answer(400, '{"error":{"code":"bad","message":"Bad."}}')],
    ['PUT', answer(404)],
  ] as const)('%s: stays unknown, whatever a later attempt returns: %#', async (method, later) => {
    const { error, times } = await called(method, lost(), later);
    expect(error).toMatchObject({ kind: 'outcome_unknown', exitCode: 12, outcome: 'unknown' });
    expect(error?.facts).toMatchObject({ what: 'lost', sent: true, attempts: times });
    expect(error?.facts.why?.[0]).toMatch(/^last attempt: /);
  });

  it('does not matter for a read', async () => {
    const { error } = await called('GET', lost(), answer(401));
    expect(error).toMatchObject({ kind: 'unauthorized' });
  });
});
