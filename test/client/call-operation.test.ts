// One call: the events before, between and after its attempts, and the text of its failure. The service answers in this
// process.

import { describe, expect, it } from 'vitest';
import { get, retry } from '../../src/api/operations/posts.ts';
import type { Operation } from '../../src/api/operations/define-operation.ts';
import { Failure } from '../../src/base/errors.ts';
import type { HttpRequest, HttpResponse } from '../../src/base/http.ts';
import { callOperation, type CallOptions } from '../../src/client/call-operation.ts';
import type { ChangeObserver, Client } from '../../src/client/open-client.ts';
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
const lost = (sent: boolean) => new Failure('no_answer', { what: 'lost', sent, retryable: true });

interface Scene extends CallOptions {
  readonly operation?: Operation;
  readonly settings?: object;
  readonly context?: Partial<Client>;
}

/** Calls with these answers in turn, the last one for ever; returns the events and the requests in order. */
async function called(answers: readonly (HttpResponse | Error)[], scene: Scene = {}) {
  const { operation = get, settings, context, ...options } = scene;
  const events: string[] = [];
  const sent: HttpRequest[] = [];
  const change = {
    confirm: async () => false,
    beforeSend: async () => {
      await Promise.resolve();
      events.push('leaves');
    },
    onRetry: () => void events.push('retry'),
    onSuccess: (_input: unknown, { data }: Result) =>
      void events.push(`answered ${JSON.stringify(data)}`),
  };
  const client = {
    change,
    flags: {},
    settings: { timeoutMs: 1000, retries: 2, debug: false, quiet: true, ...settings },
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
  const ended = await callOperation(client, operation, { postId: P }, options).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error: error as Failure }),
  );
  return { ...ended, events, sent };
}

describe('a call', () => {
  it('returns the result of a read, and records nothing', async () => {
    const { result, events, sent } = await called([answer(post)]);
    expect(result?.data).toEqual(post);
    expect(events).toEqual(['sent']);
    expect(sent).toMatchObject([{ method: 'GET' }]);
  });

  it('records a change before it is sent, and again when it has succeeded', async () => {
    const { events } = await called([answer({ retried: 1 })], { operation: retry });
    expect(events.slice(0, 3)).toEqual(['leaves', 'sent', 'answered {"retried":1}']);
  });

  it('does not send a change when the record rejects', async () => {
    const refused = new Failure('usage', { what: 'no', sent: false });
    const change = {
      beforeSend: () => Promise.reject(refused),
    } as unknown as ChangeObserver;
    const { error, sent } = await called([answer({})], { operation: retry, context: { change } });
    expect(error).toBe(refused);
    expect(sent).toEqual([]);
  });

  it('runs without a recorder', async () => {
    const { result } = await called([answer({})], {
      operation: retry,
      context: { change: undefined },
    });
    expect(result?.data).toEqual({});
  });

  it('records each retry of a change, and none of a read', async () => {
    const busy = answer({}, 429);
    const { events, sent } = await called([busy, busy, answer({})], { operation: retry });
    expect(events.slice(0, 8)).toEqual([
      'leaves',
      'sent',
      'slept',
      'retry',
      'sent',
      'slept',
      'retry',
      'sent',
    ]);
    expect(new Set(sent.map(idOf)).size).toBe(1);
    expect((await called([busy, answer(post)])).events).toEqual(['sent', 'slept', 'sent']);
    // A turn that a batch waits for is waited for still.
    const turns: string[] = [];
    const retryPolicy: Client['retryPolicy'] = () => ({
      retries: 1,
      totalMs: 1000,
      monotonic: () => 0,
      random: () => 0,
      sleep: async () => undefined,
      run(attempt) {
        turns.push('turn');
        return attempt();
      },
    });
    const batch = await called([busy, answer({})], { operation: retry, context: { retryPolicy } });
    expect(batch.events.slice(0, 4)).toEqual(['leaves', 'sent', 'retry', 'sent']);
    expect(turns).toEqual(['turn', 'turn']);
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
    const failed = await called([lost(true)], { retries: 0 });
    const [clientRequestId] = failed.sent.map(idOf);
    expect(failed.error!.facts).toMatchObject({ host: 'a.example:8443', clientRequestId });
    const { error } = await called([lost(false)], { retries: 0 });
    expect(error!.facts).toMatchObject({ host: 'a.example:8443', clientRequestId: undefined });
  });

  it('names no host when a signal ended it', async () => {
    const cancelled = new Failure('interrupted', { what: 'cancelled', sent: false });
    const { error } = await called([cancelled]);
    expect(error).toMatchObject({ kind: 'interrupted', facts: cancelled.facts });
    expect(error!.facts.host).toBeUndefined();
  });

  it('from a bug before the response is an internal error', async () => {
    const fault = new TypeError('boom');
    expect((await called([fault])).error).toBe(fault);
  });
});

describe('an unexpected result', () => {
  const other = { ...post, id: 'PostForTheTestsB' };

  it('about another resource fails a read, and is a warning for a change', async () => {
    const read = await called([answer(other)], { retries: 0 });
    expect(read.error).toMatchObject({
      kind: 'no_answer',
      facts: {
        what: 'the response is about another post (PostForTheTestsB)',
        lead: 'the response',
        sent: true,
        retryable: false,
      },
    });
    expect(read.error!.facts).not.toHaveProperty('why');
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
  });
});
