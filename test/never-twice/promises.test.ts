// Promises of which each hangs on a line or two: what is on the disk before a byte leaves, what a stopped batch leaves
// behind, and what keeps an outcome unknown.

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { REQUEST_ID } from '../../src/base/http.ts';
import { mcpSession } from '../support/mcp-session.ts';
import { testCli } from '../support/test-cli.ts';
import {
  A,
  type Answer,
  brief,
  invalid,
  limited,
  lost,
  noToken,
  P,
  stageOf,
  stamp,
  twitter,
} from './service.ts';

const record = { postId: P, targetIds: [A] };
const retryNamed = ['posts', 'retry', P, '--target', A];
const pin = 'discord pins add 112233445566778899 112233445566778800 -a AccountDiscordAa'.split(' ');
const deletion = 'ads audiences delete 23850000000000001 --yes'.split(' ');
const gateway: Answer = { status: 502, body: '<html>Bad Gateway</html>' };
const answer = (data: object): Answer => ({ body: JSON.stringify({ ok: true, data }) });
const manyPosts = (count: number) =>
  Array.from({ length: count }, (_, i) => `PostForTheTest${letter(i >> 4)}${letter(i & 15)}`);
const letter = (i: number) => String.fromCharCode(65 + i);

type At = (name: string) => string;
const historyOf = (at: At) => readFileSync(at('.local/state/social/history.ndjson'), 'utf8');
/** Returns the records of the file of failures. */
const leftIn = (at: At) => readFileSync(at('left'), 'utf8').match(/^\{.*$/gm) ?? [];

describe('the intent is on the disk when the first byte of the request arrives', () => {
  /** Notes for each change whether this text holds its ID while its first bytes arrive. */
  const intentsIn = (stage: Awaited<ReturnType<typeof stageOf>>['stage'], text: () => string) => {
    const found: boolean[] = [];
    stage.onBytes = (bytes) => {
      if (!/^(POST|PUT|PATCH|DELETE) /.test(bytes)) return;
      const id = new RegExp(`^${REQUEST_ID}: (\\S+)\\r$`, 'im').exec(bytes)?.[1];
      found.push(id !== undefined && text().includes(id));
    };
    return found;
  };

  it.each(['here', 'in the built program'])(
    'in the journal, for each of many records at once, %s',
    async (where) => {
      const { stage, at, run, runBuilt } = await stageOf(twitter('failed'));
      const found = intentsIn(stage, () => readFileSync(at('journal'), 'utf8'));
      writeFileSync(at('list'), `${manyPosts(40).join('\n')}\n`);
      const files = ['--from', at('list'), '--journal', at('journal')];
      const line = ['posts', 'retry', ...files, '--concurrency', '32'];
      await (where === 'here' ? run(...line) : runBuilt(line));
      expect(found).toEqual(Array(40).fill(true));
    },
  );

  it.each([
    ['a retry', retryNamed],
    ['a reply', ['posts', 'reply', P, '--target', A, '--text', 'Hi']],
    ['a pin', pin],
    ['a deletion', deletion],
  ])('in the history, for %s', async (_what, argv) => {
    const { stage, run, at } = await stageOf(twitter('failed'));
    const found = intentsIn(stage, () => historyOf(at));
    await run(...argv);
    expect(found).toEqual([true]);
  });
});

describe('the answer of a gateway to a request that named its target', () => {
  it.each(['single', 'in a batch'])('%s: cannot be settled for fifteen minutes', async (kind) => {
    const { stage, run, batch } = await stageOf(twitter('failed'));
    stage.onRetry = () => gateway;
    const outcome = kind === 'single' ? run(...retryNamed, ...brief) : batch([record]);
    expect((await outcome).exitCode).toBe(12);
    const verdict = async (minutes: number) => {
      stage.aheadMs = minutes * 60_000;
      const { stdout } = await run('history', 'settle', '--json');
      return (JSON.parse(stdout) as { items: { verdict: string }[] }).items[0]!.verdict;
    };
    expect(await verdict(2)).toBe('cannot tell');
    expect(await verdict(14)).toBe('cannot tell');
    expect(await verdict(16)).toBe('not done');
  });
});

it('two records that differ only in a field that is filled in are sent once', async () => {
  const { stage, changes, at, run } = await stageOf();
  const endpoint = { url: 'https://ops.example.com/hook', events: ['post.failed'], isActive: true };
  stage.onChange = () => answer({ id: 'WebhookAlertsOps', ...endpoint });
  const records = [
    endpoint,
    { ...endpoint, name: 'ops.example.com' },
    { name: 'ops.example.com', ...endpoint },
  ];
  writeFileSync(at('list'), records.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const { stderr } = await run('webhooks', 'create', '--from', at('list'));
  expect(stderr).toContain('2 duplicate records ignored');
  expect(changes).toHaveLength(1);
});

describe('a stopped canary', () => {
  it.each([[[]], [['--journal']]])(
    'stops the batch, and --failures-to has all that was not sent (%j)',
    async (journal) => {
      const { stage, sent, at, run } = await stageOf(twitter('failed'));
      stage.onRetry = () => invalid;
      writeFileSync(at('list'), `${manyPosts(6).join('\n')}\n`);
      const flags = ['--canary', '3', '--max-failures', '1', '--concurrency', '1', '--failed'];
      const files = ['--failures-to', at('left'), ...journal, ...journal.map(() => at('journal'))];
      const { exitCode } = await run('posts', 'retry', '--from', at('list'), ...flags, ...files);
      expect(exitCode).toBe(11);
      expect(sent).toHaveLength(1);
      const ids = leftIn(at).map((line) => (JSON.parse(line) as { postId: string }).postId);
      expect(ids).toEqual(manyPosts(6));
    },
  );
});

it('a token in --note is masked in the history and in the journal', async () => {
  const { env, at, batch, run } = await stageOf(twitter('failed'));
  env.SOCIAL_TOKEN = 'a-token-in-a-note-91';
  const note = ['--note', `INC-5: the token is ${env.SOCIAL_TOKEN}`];
  await run(...retryNamed, ...note);
  await batch([record], ...note);
  for (const kept of [historyOf(at), readFileSync(at('journal'), 'utf8')]) {
    expect(kept).toContain('INC-5: the token is [redacted]');
    expect(kept).not.toContain(env.SOCIAL_TOKEN);
  }
});

it('with --wait a post whose target is named is read after the question, not before it', async () => {
  const { stage, sent, env } = await stageOf(twitter('failed'));
  let reads = 0;
  stage.onRead = () => void reads++;
  const { social } = testCli();
  expect((await social(retryNamed, { env })).exitCode).toBe(0);
  const readsWhenAsked: number[] = [];
  const confirm = async () => {
    readsWhenAsked.push(reads);
    stage.shows = [twitter('published', stamp())];
    return true;
  };
  await social([...retryNamed, '--wait'], { env, columns: 80, ask: { confirm } });
  expect(readsWhenAsked).toEqual([0]);
  expect(sent).toEqual([[A]]);
});

it.each<[string, Answer]>([
  ['a refusal', invalid],
  ['a rejected token', noToken],
  ['a missing post', { status: 404, body: '{"error":{"code":"gone","message":"No."}}' }],
])(
  'a record that only waits for an earlier run is not left over after %s of its poll',
  async (_what, refusal) => {
    const { stage, sent, at, batch } = await stageOf(twitter('failed'));
    stage.onRetry = () => void (stage.shows = [twitter('publishing', stamp())]);
    await batch([P]);
    let reads = 0;
    stage.onRead = () => (++reads > 1 ? refusal : undefined);
    const files = ['--failures-to', at('left')];
    const { exitCode, stdout } = await batch([P], ...brief, '--json', ...files);
    expect(exitCode).not.toBe(0);
    expect(stdout).toContain('the change was accepted; only the wait for it failed');
    expect(reads).toBeGreaterThan(1);
    expect(leftIn(at)).toEqual([]);
    expect(sent).toHaveLength(1);
  },
);

it('an agent that cancels its call does not stop a change that was sent', async () => {
  const { stage, sent, env, home, at } = await stageOf(twitter('failed'));
  let respond = () => {};
  const responded = new Promise<void>((resolve) => (respond = resolve));
  stage.onRetry = () => ({ until: responded });
  const { request, write, call, end } = mcpSession(['--allow-writes'], { home, env });
  void request('tools/call', { name: 'posts_retry', arguments: record });
  while (sent.length === 0) await new Promise((done) => setTimeout(done, 10));
  const params = { requestId: 1 };
  write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
  // A call after the cancellation is answered after that was processed.
  await call('posts_get', { postId: P });
  respond();
  expect(await end()).toBe(0);
  const ends = historyOf(at)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(ends.at(-1)).toMatchObject({ outcome: 'accepted', exitCode: 0 });
});

it.each([
  ['PUT', pin],
  ['DELETE', deletion],
])(
  'a %s whose first answer was lost is unknown if Ctrl-C ends the pause after a 429',
  async (_method, argv) => {
    const { stage, runUntil, changes, run } = await stageOf();
    const stop = new AbortController();
    const pause = { ...limited, headers: { 'retry-after': '20' } };
    stage.onChange = () => {
      if (changes.length === 1) return lost;
      setTimeout(
        () => stop.abort(new Failure('interrupted', { what: 'cancelled; nothing was sent' })),
        300,
      );
      return pause;
    };
    const { exitCode, stderr } = await runUntil(stop.signal, ...argv);
    expect(exitCode).toBe(130);
    expect(changes).toHaveLength(2);
    expect(stderr).toContain('outcome unknown');
    const { stdout } = await run('history', 'list', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'unknown' }]);
  },
);
