// An unsolicited second response on a kept connection is never used as the response to the next request. The reads are
// of both kinds: with an ID in the response, and without.

import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { targetPost, targets } from '../support/posts.ts';
import { socialInProcess } from '../support/in-process.ts';
import { social } from '../support/program.ts';
import { rawResponse, misbehavingServer } from '../support/misbehaving-server.ts';

/** When the second answer comes: with the first, in the pause after it, or when the next request has come. */
type Moment = 'with the first' | 'while idle' | 'with the next request';
const moments: readonly Moment[] = ['with the first', 'while idle'];

const ok = (data: object) => rawResponse('200 OK', {}, JSON.stringify({ ok: true, data }));
const refused = (status: string) =>
  rawResponse(
    status,
    {},
    JSON.stringify({ ok: true, error: { code: 'stray', message: 'Stray.' } }),
  );
const post = (id: string) => ({ ...targetPost([targets.twitter('published')]), id });
const flairs = (name: string) => ({ flairs: [{ id: name, text: name }] });

/** The answer that belongs to a path. */
function answerTo(path: string): Buffer {
  const { pathname, searchParams } = new URL(path, 'http://h.example');
  if (pathname.startsWith('/v1/posts/')) return ok(post(pathname.split('/')[3]!));
  if (pathname.endsWith('/flairs')) return ok(flairs(searchParams.get('subreddit')!));
  return ok({ about: path });
}

/** A service that gives each connection one answer too many, after the first. */
async function careless(moment: Moment, strays: readonly Buffer[] = unasked) {
  let connections = 0;
  const strayFor = new WeakMap<Socket, Buffer>();
  const owes = new WeakSet<Socket>();
  return misbehavingServer((socket, _number, path) => {
    const answer = answerTo(path);
    const isFirst = !strayFor.has(socket);
    if (isFirst) strayFor.set(socket, strays[connections++ % strays.length]!);
    const stray = strayFor.get(socket)!;
    if (isFirst && moment === 'with the first') return socket.write(Buffer.concat([answer, stray]));
    if (isFirst && moment === 'while idle') setTimeout(() => socket.write(stray), 5);
    if (isFirst && moment === 'with the next request') owes.add(socket);
    else if (owes.delete(socket)) socket.write(stray);
    return socket.write(answer);
  });
}

/** Letters alone, sixteen of them. */
const ids = 'abcdefgh'.split('').map((letter) => `PostForTheTests${letter}`);

const lines = (records: readonly object[]) =>
  records.map((each) => `${JSON.stringify(each)}\n`).join('');

interface Read {
  readonly what: string;
  readonly argv: readonly string[];
  readonly input: string;
  /** Returns the ID in the data of a response. */
  about(data: never): unknown;
  readonly asked: readonly string[];
}

const reads: readonly Read[] = [
  {
    what: 'posts get',
    argv: ['posts', 'get'],
    input: lines(ids.map((postId) => ({ postId }))),
    about: ({ id }: { id: string }) => id,
    asked: ids,
  },
  {
    what: 'reddit flairs',
    argv: ['connect', 'reddit', 'flairs', '-a', 'AccountRedditAaa'],
    input: lines(ids.map((subreddit) => ({ subreddit }))),
    about: (data: Partial<ReturnType<typeof flairs>>) => data.flairs?.[0]?.id,
    asked: ids,
  },
];

/** The unsolicited responses: one connection each, in turns. */
const unasked = [
  ok(post('PostNobodyAskedX')),
  refused('404 Not Found'),
  refused('401 Unauthorized'),
  refused('408 Request Timeout'),
];

/** Runs a batch that leaves its connections idle for a moment between two requests. */
async function batch({ argv, input }: Read, url: string, concurrency: number) {
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY };
  const pace = ['--concurrency', `${concurrency}`, '--rate', '8/s'];
  return socialInProcess([...argv, '--from', '-', '--json', '-q', ...pace], { env, input });
}

describe.each(reads)('$what', (read) => {
  it('ignores a response that was not requested', async () => {
    const ends = await Promise.all(
      moments.map(async (moment) => {
        const service = await careless(moment);
        const { exitCode, stdout } = await batch(read, service.url, 2);
        const results = stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
        const about = results.map(({ line, data }) => [line, read.about((data ?? {}) as never)]);
        return {
          moment,
          exitCode,
          about: about.toSorted(([a], [b]) => a - b),
          // The client closes each connection that had one response too many.
          renewed: service.connections() > unasked.length,
        };
      }),
    );
    const about = read.asked.map((id, i) => [i + 1, id]);
    expect(ends).toEqual(moments.map((moment) => ({ moment, exitCode: 0, about, renewed: true })));
  });
});

describe('an unrequested response that arrives during the next request', () => {
  const other = ok(post('PostNobodyAskedX'));
  const run = async (argv: readonly string[], program: typeof social | typeof socialInProcess) => {
    const service = await careless('with the next request', [other]);
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    const flags = ['--concurrency', '1', '--retries', '0', '--json'];
    const outcome = await program([...argv, ...ids.slice(0, 2), ...flags], { env });
    const { exitCode, stdout, stderr } = outcome;
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { exitCode, results, stderr, service };
  };

  it('is not shown as the requested one', async () => {
    const { exitCode, results } = await run(['posts', 'get'], socialInProcess);
    expect(exitCode).toBe(11);
    expect(results[0].data.id).toBe(ids[0]);
    expect(results[1].error.message).toMatch(/is about another post \(PostNobodyAskedX\)$/);
  });

  it('is reported with a warning when it is taken for the response to a change', async () => {
    const { results, stderr, service } = await run(['posts', 'retry'], social);
    expect(results).toHaveLength(2);
    expect(stderr).toContain('the response is about another post (PostNobodyAskedX)');
    expect(service.requests('POST')).toBe(2);
  });
});
