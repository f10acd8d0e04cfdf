// One item of a batch that something puts an end to: what the journal says of it afterwards decides whether a later
// run sends it again.

import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LeftToDo, makeJournal, openJournal } from '../../../src/batch/journal/journal.ts';
import { createRateLimiter } from '../../../src/batch/run/rate-limit.ts';
import { itemWorker } from '../../../src/batch/run/item.ts';
import { resolveSettings } from '../../../src/config/settings.ts';
import { afterSending, Failure } from '../../../src/base/errors.ts';
import type { FailureKind } from '../../../src/base/exit-codes.ts';
import type { HttpRequest, HttpResponse } from '../../../src/base/http.ts';
import type { Operation } from '../../../src/api/operations/define-operation.ts';
import { get, retry } from '../../../src/api/operations/posts.ts';
import type { Runtime } from '../../../src/base/runtime.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { CallContext } from '../../../src/client/call-context.ts';
import { hooksFor } from '../../../src/commands/operation-hooks.ts';

const KEY = 'PostSpringLaunch';
const job = {
  job: 'a job',
  operation: 'posts retry',
  origin: 'https://a.example',
  context: null,
};
const never = new AbortController().signal;
setMaxListeners(0, never);
const clock = {
  monotonic: () => 0,
  random: () => 0.5,
  sleep: async () => undefined,
};

/** Runs one record, whose request ends as it is told, and gives what a later run finds in the journal. */
async function ended(
  operation: Operation,
  send: () => Promise<HttpResponse>,
  past?: LeftToDo['past'],
): Promise<{ verdict: string; before: unknown; sent: number; shown: number }> {
  const path = join(temporaryFolder(), 'journal');
  makeJournal(path, job);
  const journal = await openJournal(path, job, () => 0);
  const { settings } = resolveSettings({}, {});
  let [sent, shown] = [0, 0];
  const service = {
    baseUrl: 'https://a.example',
    source: 'SOCIAL_TOKEN',
    // A look at the thing, to say how it stands, is no repetition.
    send: ({ method }: HttpRequest) => {
      sent += Number(method === operation.method);
      return send();
    },
    trace: {},
    newId: () => '',
    close: async () => undefined,
  } as const;
  const runtime = {
    ...clock,
    env: {},
    now: () => 0,
    signal: never,
    note: () => undefined,
    secrets: { maskTokens: (value: unknown) => value },
  } as unknown as Runtime;
  const callContext: CallContext = {
    operation,
    hooks: await hooksFor(operation.command),
    command: operation.command,
    flags: {},
    paths: [],
    settings: { ...settings, retries: 0 },
    service,
    runtime,
  };
  const pace = createRateLimiter({
    concurrency: 1,
    rate: undefined,
    mostAskedMs: 1,
    signal: never,
    ...clock,
  });
  const { start } = itemWorker({
    callContext,
    waiting: undefined,
    pace,
    journal,
    retryUnknown: false,
    signal: never,
    guarded: (_item, work) => work(),
    retryPolicy: (retries) => ({
      ...clock,
      ...pace,
      retries,
      totalMs: 1000,
      mostAskedMs: 1,
    }),
    onLeft: () => undefined,
    onEnd: () => void shown++,
  });
  const input = { postId: 'PostSpringLaunch' };
  const item = { line: 1, input, key: KEY, past };
  const { verdict } = await start(item);
  await journal.close();
  const later = await openJournal(path, job, () => 0);
  const before = later.leftToDo(KEY, undefined).past;
  await later.close();
  return { verdict, before, sent, shown };
}

const change = retry as unknown as Operation;
const read = get as unknown as Operation;
const signals = ['interrupted', 'terminated', 'hung_up'] as const;
const cut = (kind: FailureKind) => new Failure(kind, { what: 'cancelled', sent: false });
/** Requests that a signal ends before they have left, and after. */
const stopped = (kind: FailureKind) => () => Promise.reject(cut(kind));
const givenUp = (kind: FailureKind) => () => {
  const failure = afterSending(cut(kind)) as Failure;
  return Promise.reject(failure);
};
const answer = (status: number, body: string) => async () => ({ status, headers: {}, body });

describe.each(signals)('%s', (kind) => {
  it('while a change is under way: nobody knows, and it is not sent again', async () => {
    expect(await ended(change, givenUp(kind))).toEqual({
      verdict: 'unknown',
      before: 'unknown',
      sent: 1,
      shown: 1,
    });
  });

  it('before a change has left: nothing happened, and it is for a later run to do', async () => {
    expect(await ended(change, stopped(kind))).toMatchObject({
      verdict: 'unstarted',
      before: undefined,
      shown: 0,
    });
  });

  it('while a read is under way: nothing can have changed', async () => {
    expect(await ended(read, givenUp(kind))).toMatchObject({
      verdict: 'unstarted',
      before: undefined,
    });
  });
});

describe('a change', () => {
  const post = '{"id":"PostSpringLaunch","targets":[]}';

  it.each([
    ['that is done', answer(200, `{"ok":true,"data":${post}}`), 'ok', 'done'],
    ['that is refused', answer(422, '{"error":{"code":"c","message":"m"}}'), 'failed', undefined],
    ['that a gateway answers', answer(502, '<html>'), 'unknown', 'unknown'],
    ['whose answer is unreadable', answer(200, '<html>'), 'unknown', 'unknown'],
    [
      'that reaches nobody',
      () => Promise.reject(new Failure('no_answer', { what: 'refused', sent: false })),
      'failed',
      undefined,
    ],
  ] as const)('%s is kept as that', async (_what, send, verdict, before) => {
    expect(await ended(change, send)).toEqual({ verdict, before, sent: 1, shown: 1 });
  });

  it('of which an earlier run does not know the outcome is not sent, and stays as it was', async () => {
    const send = answer(200, `{"ok":true,"data":${post}}`);
    expect(await ended(change, send, 'unknown')).toEqual({
      verdict: 'unknown',
      before: undefined,
      sent: 0,
      shown: 1,
    });
  });
});
