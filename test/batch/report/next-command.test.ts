// The command that a batch of posts suggests after failures: it follows from the causes, and does what the text says.

import { type CommandLine, shellLine } from '../../../src/base/shell.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get, reply, retry } from '../../../src/api/operations/posts.ts';
import { Failure, type FailureFacts, type FailureKind } from '../../../src/base/errors.ts';
import { nextCommandFor } from '../../../src/batch/report/next-command.ts';
import { BatchSummary, type RecordVerdict } from '../../../src/batch/report/summary.ts';
import { savedFile } from '../../../src/batch/run-records.ts';
import type { BatchFailures, CommandHooks } from '../../../src/client/session.ts';
import { countingServer, idList, idOf, post } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome } from '../../support/program.ts';
import { splitWords } from '../../support/shell-words.ts';
import { serviceAt } from '../../support/terminal.ts';

/** How the posts of a night fail, again and again; the one after them goes out. */
const nightly: readonly object[] = [
  { error: 'Service unavailable, try again later.' },
  { error: 'The text is too long.', platform: 'mastodon' },
  { error: 'The session has expired.', platform: 'facebook', accountId: 'AccountFacebookB' },
];
const good = idOf(nightly.length);

/** Retries the posts of a night, or waits for them. */
async function night() {
  const isMended = { now: false };
  const service = await countingServer((id, method, time) => {
    if (method === 'POST') return { body: post(id, 'publishing') };
    const failure = nightly.find((_failure, n) => idOf(n) === id) ?? { error: 'HTTP 503' };
    const isRetried = service.counts.has(`POST ${id}`);
    if (isMended.now || (id === good && isRetried)) return { body: post(id) };
    // A failure is new by its time.
    const updatedAt = `2026-03-02T12:00:${String(time).padStart(2, '0')}Z`;
    return { body: post(id, 'failed', isRetried ? { ...failure, updatedAt } : failure) };
  });
  const home = freshHome();
  const at = (name: string) => join(home, name);
  writeFileSync(at('ids'), idList(nightly.length + 1));
  const run = (...argv: readonly string[]) =>
    socialInProcess(argv, { home, env: serviceAt(service.url) });
  return { at, run, mend: () => void (isMended.now = true) };
}
const fast = ['--interval', '30ms', '--wait-timeout', '5s'];

/** Formats a suggested command as it is printed. */
const lineOf = (words: CommandLine | undefined) => words && shellLine(words);

const tryOf = (stderr: string) => /^try: (.*)$/m.exec(stderr)?.[1];

describe('the next command, by the end of the batch', () => {
  type Run = Parameters<typeof nextCommandFor>[0];
  type Ended = readonly [Exclude<RecordVerdict, 'unstarted'>, string, Failure?];

  interface Case {
    readonly argv?: string;
    readonly operation?: unknown;
    readonly batch?: Partial<Run['batchOptions']>;
    readonly hooks?: unknown;
    readonly flags?: object;
    readonly env?: Readonly<Record<string, string>>;
    readonly ended?: readonly Ended[];
    readonly stopped?: Failure;
    readonly left?: number;
    readonly savedCount?: number;
  }

  const why = (kind: FailureKind, facts: Partial<FailureFacts> = {}) =>
    new Failure(kind, { what: 'it failed', ...facts });
  const content = why('refused', { code: 'invalid_media', message: 'too long' });
  const passing = why('no_answer');
  const pending = why('still_pending', {
    next: ['social', 'posts', 'wait', 'A', '--target', 'T1'],
  });
  const ids = (letter: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${letter}${i}`);
  const failed = (of: Failure, count = 1): readonly Ended[] =>
    ids('F', count).map((id) => ['failed', id, of] as const);
  const unknown = (count: number): readonly Ended[] =>
    ids('U', count).map((id) => ['unknown', id, why('outcome_unknown')] as const);
  const accepted = (count: number): readonly Ended[] =>
    ids('A', count).map((id) => ['accepted', id, pending] as const);

  /** The lines below the error, `next` first. */
  function linesOf(given: Case): readonly string[] {
    const { argv = 'posts retry --from ids', operation = retry, batch = { from: 'ids' } } = given;
    const { hooks = {}, flags = {}, env = {}, ended = [], left = 0, savedCount = 1 } = given;
    const look = { secrets: { mask: (text: string) => text }, monotonic: () => 0 };
    const summary = new BatchSummary(ended.length + left, look);
    for (const [verdict, id, failure] of ended)
      summary.add(verdict, { postId: id }, failure === undefined ? {} : { failure });
    const run = {
      batchOptions: batch,
      call: { operation, hooks, flags, typedFlags: {}, argv: argv.split(' ') },
      operation,
      hooks,
      settings: {},
      flags,
      runtime: { env },
      failuresFile: { savedCount: () => (batch.failuresTo === undefined ? 0 : savedCount) },
    };
    const { stopped } = given;
    const savedTo = savedFile(run as unknown as Run, stopped);
    const { next, hint } = nextCommandFor({
      ...(run as unknown as Run),
      summary,
      stopped,
      sent: true,
      savedTo,
    });
    return [lineOf(next) ?? '-', ...(hint?.split('\n') ?? [])];
  }

  const save = 'next time, add --journal FILE to continue with what is left';
  const list = {
    argv: 'posts retry --from ids --failures-to f',
    batch: { from: 'ids', failuresTo: 'f' },
  };
  const fromRest = 'social posts retry --from f';
  const journaled = {
    argv: 'posts retry --from ids --journal j --retry-unknown',
    batch: { from: 'ids', journal: 'j' },
  };
  const piped = {
    argv: 'posts retry --from /dev/fd/63 --journal j',
    batch: { from: '/dev/fd/63', journal: 'j' },
  };
  const again = 'social posts retry --from ids --journal j';
  const settle = 'social history settle';
  const notRetried = 'unknown outcomes are not retried';
  const noMore = `${notRetried} without --retry-unknown`;
  const cut = why('interrupted');
  const down = why('batch_failed');
  const token = why('unauthorized', { next: ['social', 'auth', 'login'], hint: 'log in first' });
  const waitAll = (count: number) => `social posts wait ${ids('A', count).join(' ')}`;
  const advising = (advice: object = { next: ['social', 'mend'], hint: 'mend it' }) => ({
    adviseAfterBatch: () => advice,
  });

  const byCause: CommandHooks = {
    adviseAfterBatch: ({ again: line }) => ({ next: line('temporary') }),
  };

  it.each<readonly [string, Case, readonly string[]]>([
    ['nothing failed', { ended: [['ok', 'A']] }, ['-']],
    ['all temporary, no file', { ended: failed(passing) }, ['-', save]],
    [
      'a read, no file',
      { operation: get, stopped: down, left: 3 },
      ['social posts retry --from ids'],
    ],
    ['IDs on the line', { argv: 'posts retry A', batch: {}, ended: failed(passing) }, ['-']],
    ['all temporary, in a file', { ...list, ended: failed(passing) }, [fromRest]],
    ['content alone', { ...list, ended: failed(content) }, ['-', `then resume: ${fromRest}`]],
    [
      'content, with a journal',
      { ...journaled, ended: failed(content) },
      ['-', `then resume: ${again}`],
    ],
    ['all temporary, with a journal', { ...journaled, ended: failed(passing) }, [again]],
    ['no cause known', { ...list, ended: failed(why('ended_badly')) }, [fromRest]],
    ['a rejected record', { ...list, ended: failed(why('unauthorized')) }, [fromRest]],
    [
      'a list by column',
      {
        argv: 'posts retry --column 2 --failures-to=f --from=ids --wait',
        batch: { from: 'ids', failuresTo: 'f' },
        ended: failed(passing),
      },
      ['social posts retry --from=f --wait'],
    ],
    ['not started', { ...journaled, stopped: down, left: 3 }, [again]],
    ['not started, no journal', { stopped: down, left: 3 }, ['-', save]],
    ['an empty file was written', { ...list, stopped: down, left: 3, savedCount: 0 }, ['-']],
    ['the file may lack records', { ...list, stopped: why('local_io'), left: 3 }, ['-']],
    [
      'the reader of the results has gone',
      { ...list, stopped: why('local_io', { code: 'closed_pipe' }), left: 3 },
      [fromRest],
    ],
    [
      'interrupted',
      { ...list, stopped: cut, left: 3, ended: unknown(1), hooks: advising() },
      [fromRest, notRetried, `find out what became of them: ${settle}`],
    ],
    [
      'a refused token',
      { ...journaled, stopped: token, left: 3, ended: failed(content), hooks: advising() },
      ['social auth login', 'log in first', `then resume: ${again}`],
    ],
    [
      'a refused token in a variable',
      { ...journaled, stopped: why('unauthorized', { hint: 'set it' }), left: 3 },
      ['-', 'set it', `then resume: ${again}`],
    ],
    [
      'records from a pipe',
      { ...piped, ended: failed(passing) },
      ['social posts retry --from - --journal j'],
    ],

    [
      'a part of the file first: nothing that would send it again follows',
      {
        ...list,
        ended: failed(passing),
        hooks: byCause,
      },
      [`${fromRest} --cause temporary`],
    ],
    [
      'a part of the file first, of a read: the whole may follow',
      {
        ...list,
        operation: get,
        ended: failed(passing),
        hooks: byCause,
      },
      [`${fromRest} --cause temporary`, `then resume: ${fromRest}`],
    ],

    ['unknown', { ended: unknown(2) }, [settle, notRetried]],
    [
      'unknown, with a journal',
      { ...journaled, batch: { from: 'ids', journal: "it's" }, ended: unknown(2) },
      [`${settle} --journal 'it'"'"'s'`, noMore, `then resume: ${again}`],
    ],
    [
      'unknown, without a history',
      { env: { SOCIAL_NO_HISTORY: '1' }, ended: [...unknown(2), ...unknown(1)] },
      ['social posts get U0 U1', notRetried],
    ],
    [
      'unknown, can be checked elsewhere',
      { operation: reply, ended: unknown(1) },
      ['-', notRetried, 'Check the comments on the platform: the API cannot list them.'],
    ],
    [
      'unknown and temporary',
      { ...list, ended: [...unknown(1), ...failed(passing)] },
      [settle, notRetried, `then resume: ${fromRest}`],
    ],

    ['one is pending', { ended: accepted(1) }, ['social posts wait A --target T1']],
    ['two are pending', { ended: accepted(2) }, [waitAll(2)]],
    [
      'pending, on two platforms',
      { ended: accepted(2), flags: { platform: ['x', 'a b'] } },
      [`${waitAll(2)} --platform x --platform 'a b'`],
    ],
    ['twenty are pending', { ended: accepted(20) }, [waitAll(20)]],
    [
      'more are pending, of a list',
      { batch: { from: 'my ids', column: 'b' }, ended: accepted(21) },
      [`social posts wait --from 'my ids' --column b`],
    ],
    ['more are pending, from a pipe', { batch: { from: '-' }, ended: accepted(21) }, ['-']],
    ['pending, with a journal', { ...journaled, ended: accepted(2) }, [again]],
    ['pending, no wait', { operation: { ...retry, wait: undefined }, ended: accepted(2) }, ['-']],

    [
      'advice',
      { ...list, hooks: advising(), ended: failed(content) },
      ['social mend', 'mend it', `then resume: ${fromRest}`],
    ],
    [
      'advice without a line',
      { ...list, hooks: advising({ hint: 'wait' }), ended: failed(passing) },
      [fromRest, 'wait'],
    ],
    [
      'advice on a batch that stopped',
      { ...journaled, hooks: advising(), stopped: down, ended: failed(passing) },
      [again],
    ],
    ['no advice if nothing failed', { hooks: advising(), ended: unknown(1) }, [settle, notRetried]],
  ])('%s', (_what, given, lines) => {
    expect(linesOf(given)).toEqual(lines);
  });

  it('follows from the causes, the failed records and the flags', () => {
    const asked: BatchFailures[] = [];
    const adviseAfterBatch = (failures: BatchFailures) => {
      asked.push(failures);
      return {};
    };
    const ask = (given: Case) => {
      linesOf({ ...given, hooks: { adviseAfterBatch } });
      return asked.at(-1)!;
    };
    const ended = [...failed(passing, 2), ...failed(content), ...unknown(1)];
    const {
      causes,
      isWorthRetry,
      accounts,
      list: records,
      again: repeat,
    } = ask({ ...list, ended });
    expect([...causes]).toEqual(['content', 'temporary']);
    expect([isWorthRetry, accounts, records]).toEqual([true, [], { flags: ['--from', 'f'] }]);
    expect(lineOf(repeat('temporary'))).toBe(`${fromRest} --cause temporary`);
    // A read without a response says nothing about the targets of a post.
    expect(ask({ ...list, operation: get, ended }).isWorthRetry).toBe(false);
    const temporaryFlag = (given: Case) => lineOf(ask({ ended, ...given }).again('temporary'));
    expect(temporaryFlag(journaled)).toBe(again);
    const typed = {
      argv: 'posts retry A --cause=x --cause y --failures-to f',
      batch: { failuresTo: 'f' },
    };
    expect(temporaryFlag(typed)).toBe('social posts retry A --failures-to f --cause temporary');
    const recordsOf = (count: number, batch: Case['batch'] = { from: 'my ids' }) =>
      ask({ batch, ended: failed(content, count) }).list;
    expect(recordsOf(20)).toEqual({ ids: ids('F', 20) });
    expect(recordsOf(21)).toEqual({ flags: ['--from', 'my ids'] });
    expect([recordsOf(21, {}), recordsOf(21, { from: '-' })]).toEqual([undefined, undefined]);
  });
});

describe('the next command of a batch', () => {
  it('retries only temporary failures, from the file with the rest', async () => {
    const { run, at, mend } = await night();
    const files = ['--from', at('ids'), '--failures-to', at('left.ndjson')];
    const { exitCode, stderr } = await run('posts', 'retry', '--wait', ...files, ...fast);
    expect(exitCode).toBe(11);
    expect(stderr).toContain(
      'error: 1 of 4 published, 3 failed: 1 reconnect, 1 content, 1 temporary\n',
    );
    const next = tryOf(stderr)!;
    expect(next).toContain(`--from ${at('left.ndjson')} `);
    expect(next).toMatch(/ --cause temporary$/);
    expect(stderr).toContain(
      '\n  content: change the content; retrying it unchanged fails again\n',
    );
    expect(stderr).toContain(
      '\n  reconnect facebook AccountFacebookB in the service\n' +
        '  then check: social connect facebook pages -a AccountFacebookB\n' +
        '  then retry those: social posts retry ',
    );
    mend();
    const again = await run(...splitWords(next).slice(1));
    expect(again.stderr).toMatch(/^0 of 3 published, 3 skipped$/m);
  });

  it('after a wait retries temporary failures, and does not repeat the wait', async () => {
    const { run } = await night();
    await run('posts', 'retry', good);
    const { stderr } = await run('posts', 'wait', idOf(0), good, ...fast);
    expect(stderr).toContain('1 of 2 published, 1 failed: 1 temporary\n');
    expect(tryOf(stderr)).toBe(`social posts retry ${idOf(0)} --cause temporary --wait`);
  });
});
