// A service with one post whose targets, answers and habits a test scripts, and runs of the program on it.

import { writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { join } from 'node:path';
import { socialInProcess } from '../support/in-process.ts';
import { listenOnLoopback } from '../support/listen.ts';
import { targetPost, targets, type ScriptedTarget } from '../support/posts.ts';
import { freshHome, social } from '../support/program.ts';
import { savedLines } from '../support/saved-list.ts';

export const P = 'PostForTheTestsA';
export const [A, B] = [targets.twitter('failed').id, targets.linkedin('failed').id];

/** An old failure, and the time of this moment as a timestamp. */
export const OLD = '2026-03-02T09:00:00.000Z';
export const stamp = (aheadMs = 0) => new Date(Date.now() + aheadMs).toISOString();

type State = readonly [status: string, updatedAt?: string, error?: string];

export const twitter = (...[status, updatedAt = OLD, error]: State) =>
  targets.twitter(status, error, updatedAt);
export const linkedin = (...[status, updatedAt = OLD, error]: State) =>
  targets.linkedin(status, error, updatedAt);

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Cuts the connection, or never answers. */
  readonly instead?: 'cut' | 'silence';
  /** The answer is not sent before this is resolved. */
  readonly until?: Promise<void>;
}

const error = (status: number, code: string, message: string): Answer => ({
  status,
  body: JSON.stringify({ ok: true, error: { code, message, details: null } }),
});
export const duplicate = error(409, 'duplicate', 'This exact content was already posted.');
export const invalid = error(422, 'invalid', 'Not now.');
export const limited: Answer = {
  ...error(429, 'limited', 'Slow.'),
  headers: { 'retry-after': '0' },
};
export const noToken = error(401, 'unauthorized', 'No.');
export const down = error(503, 'down', 'Down.');
export const lost: Answer = { instead: 'cut' };

export interface Stage {
  /** The targets that reads and answers show; a target may stand in it twice. */
  shows: readonly ScriptedTarget[];
  /** Called for each retry with the targets that it names. */
  onRetry: (named: readonly string[] | undefined) => Answer | void;
  /** Called for each read with its number. */
  onRead: (count: number) => Answer | void;
  /** Called for each other change. */
  onChange: (body: string) => Answer;
  /** Called with all that a client writes, as it arrives. */
  onBytes: (text: string) => void;
  /** The service's clock is that much ahead; `undefined` for a service without a Date header. */
  aheadMs: number | undefined;
}

/** Starts the service, and returns its stage, the retries that it got, and functions that run the program. */
export async function stageOf(...shows: readonly ScriptedTarget[]) {
  const stage: Stage = {
    shows,
    onRetry: () => undefined,
    onRead: () => undefined,
    onChange: () => ({}),
    onBytes: () => undefined,
    aheadMs: 0,
  };
  const sent: (readonly string[] | undefined)[] = [];
  const changes: string[] = [];
  let reads = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      let answer: Answer | void;
      if (request.method === 'GET') answer = stage.onRead(++reads);
      else if (request.url!.endsWith('/retry')) {
        const named = (JSON.parse(body) as { targetIds?: readonly string[] }).targetIds;
        sent.push(named);
        answer = stage.onRetry(named);
      } else {
        changes.push(body);
        answer = stage.onChange(body);
      }
      if (answer?.instead === 'silence') return;
      if (answer?.instead === 'cut') {
        request.socket.resetAndDestroy();
        return;
      }
      const data = { ...targetPost(stage.shows), id: P };
      response.sendDate = false;
      if (stage.aheadMs !== undefined)
        response.setHeader('date', new Date(Date.now() + stage.aheadMs).toUTCString());
      response.writeHead(answer?.status ?? 200, {
        'content-type': 'application/json',
        ...answer?.headers,
      });
      // A post is shown with the ID under which it was asked for.
      const [, id = data.id] = /^\/v1\/posts\/(\w+)/.exec(request.url!) ?? [];
      void Promise.resolve(answer?.until).then(() =>
        response.end(answer?.body ?? JSON.stringify({ ok: true, data: { ...data, id } })),
      );
    });
  });
  server.on('connection', (socket) =>
    socket.on('data', (chunk: Buffer) => stage.onBytes(chunk.toString('latin1'))),
  );
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const home = freshHome();
  const at = (name: string) => join(home, name);
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 't' };
  const run = (...argv: readonly string[]) => socialInProcess(argv, { home, env });
  /** Runs the program until the signal stops it. */
  const runUntil = (signal: AbortSignal, ...argv: readonly string[]) =>
    socialInProcess(argv, { home, env, signal });
  return {
    stage,
    sent,
    changes,
    home,
    env,
    at,
    run,
    runUntil,
    /** Runs the built program. */
    runBuilt: (argv: readonly string[], more: Record<string, string> = {}) =>
      social(argv, { home, env: { ...env, ...more } }),
    /** Runs a list of records with the journal. */
    batch: (records: readonly (string | object)[], ...flags: readonly string[]) => {
      const lines = records.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
      writeFileSync(at('list'), `${lines.join('\n')}\n`);
      return run('posts', 'retry', '--from', at('list'), '--journal', at('journal'), ...flags);
    },
    /** Returns the records of the file of failures. */
    failures: () => savedLines(at('left')),
  };
}

/** Flags of a wait that ends soon. */
export const brief = ['--wait', '--interval', '50ms', '--wait-timeout', '300ms'];
/** Flags of a wait that lasts until the end. */
export const whole = ['--wait', '--interval', '50ms', '--wait-timeout', '60s'];
