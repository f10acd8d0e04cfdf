// Two rules of a wait and its call that no run of a command shows: a poll hears the signal of its wait, and a bug of this
// program is not explained as a failure of the service.

import { expect, it } from 'vitest';
import { retry } from '../../src/api/operations/posts.ts';
import { Failure } from '../../src/base/errors.ts';
import type { Session } from '../../src/client/session.ts';
import { callAndWait } from '../../src/wait/call-and-wait.ts';
import { inTime } from '../../src/wait/wait.ts';

it('a poll is aborted with the signal of its wait', async () => {
  const stop = new AbortController();
  const reason = new Failure('interrupted', { what: 'cancelled' });
  const poll = inTime(60_000, stop.signal, (signal) => {
    const ended = new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    stop.abort(reason);
    return ended;
  });
  await expect(poll).rejects.toBe(reason);
});

it('a failed call is explained by its command if that knows more, and a bug never', async () => {
  const refused = new Failure('refused', { what: 'no' });
  const fault = new Error('a fault of the program');
  const explained: unknown[] = [];
  const failed = async (failure: Failure) => {
    explained.push(failure);
    throw failure.with({ hint: 'h' });
  };
  const call = (error: Error) => {
    const session = {
      operation: retry,
      hooks: { failed },
      runtime: { monotonic: () => 0 },
      get service() {
        throw error;
      },
    };
    return callAndWait(session as unknown as Session, undefined, { postId: 'PostSpringLaunch' });
  };
  await expect(call(refused)).rejects.toMatchObject({ facts: { hint: 'h' } });
  await expect(call(fault)).rejects.toBe(fault);
  expect(explained).toEqual([refused]);
});
