// A sandbox for a test: its own folder, a real socket, a clock that the test moves.

import { request } from 'undici';
import { onTestFinished } from 'vitest';
import { samples } from '../../src/sandbox/seed/accounts.ts';
import { type ServeOptions, startSandbox } from '../../src/sandbox/serve.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A response, with the envelope parsed. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly envelope: Parsed;
  /** `envelope.data`. */
  readonly data: Parsed;
}

/** Any JSON value; a test that reads it wrongly fails at run time. */
export type Parsed = ReturnType<typeof JSON.parse>;

export const START = Date.UTC(2026, 2, 2, 12);

export async function openSandbox(folder = temporaryFolder(), more: Partial<ServeOptions> = {}) {
  const clock = { now: START };
  const notes: string[] = [];
  const sandbox = await startSandbox({
    stateDir: folder,
    now: () => clock.now,
    note: (line) => void notes.push(line),
    ...more,
  });
  onTestFinished(() => sandbox.close());
  const { url, token } = sandbox;

  /** Sends a request with the token and, if there is a body, as JSON. A header without a value is omitted. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | undefined> = {},
  ): Promise<Reply> {
    const all = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const answer = await request(url + path, {
      method: method as 'GET',
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const envelope: Parsed = text === '' ? undefined : JSON.parse(text);
    return { status: answer.statusCode, headers: answer.headers, envelope, data: envelope?.data };
  }
  return { sandbox, url, token, samples, clock, notes, folder, call };
}
