// The command that a batch of posts suggests after failures: it follows from the causes, and does what the text says.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { get, reply, retry } from '../../../src/api/operations/posts.ts';
import { Failure, type FailureFacts, type FailureKind } from '../../../src/base/errors.ts';
import { nextCommandFor } from '../../../src/batch/report/next-command.ts';
import { BatchSummary, endedBatch } from '../../../src/batch/report/summary.ts';
import type { RecordVerdict } from '../../../src/batch/run-record.ts';
import type { BatchFailures, SkippedParts } from '../../../src/client/call-context.ts';
import { idOf } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { targets } from '../../support/posts.ts';
import { freshHome } from '../../support/program.ts';
import { publishingServer, type Script } from '../../support/publishing-server.ts';
import { errorResponse, recordingServer } from '../../support/recording-server.ts';
import { splitWords } from '../../support/shell-words.ts';
import { serviceAt } from '../../support/terminal.ts';

const later = '2026-03-02T09:30:00Z';
const texts = {
  temporary: 'Service unavailable, try again later.',
  reconnect: 'The session has expired.',
  content: 'The text is too long.',
  platform: 'The daily posting quota is reached.',
  other: 'Computer says no.',
};
type Kind = keyof typeof texts;

/** A post whose target fails again for a cause, or goes out with the second retry. */
const fails = (kind: Kind, platform = 'linkedin', accountId = 'AccountLinkedInB'): Script => {
  const target = (status: string, at?: string) => ({
    ...targets.linkedin(status, status === 'failed' ? texts[kind] : undefined, at),
    platform,
    accountId,
  });
  return {
    before: [target('failed')],
    answer: [target('publishing')],
    after: [[target('failed', later)]],
  };
};
const moves: Script = {
  before: [targets.twitter('failed', texts.temporary)],
  answer: [targets.twitter('publishing')],
  after: [[targets.twitter('publishing')]],
};
const ends: Script = { ...moves, after: [[targets.twitter('published')]] };

/** Retries posts with these scripts, and whatever is suggested after that. */
async function night(scripts: readonly Script[], command = ['retry', '--wait']) {
  let now = scripts;
  const service = await publishingServer((id) => now.find((_script, i) => idOf(i) === id)!);
  const home = freshHome();
  const at = (name: string) => join(home, name);
  const ids = scripts.map((_script, i) => idOf(i));
  writeFileSync(at('ids'), `${ids.join('\n')}\n`);
  writeFileSync(at('csv'), `a,b\n${ids.map((id) => `1,${id}\n`).join('')}`);
  const line = (argv: readonly string[]) =>
    socialInProcess(argv, { home, env: serviceAt(service.url) });
  const fast = ['--interval', '30ms', '--wait-timeout', '200ms'];
  return {
    at,
    ids,
    /** From now on all posts go out. */
    mend: () => void (now = scripts.map(() => ends)),
    run: (...words: readonly string[]) => line(['posts', ...command, ...words, ...fast]),
    /** Types what was suggested. */
    type: (suggested: string) => line(splitWords(suggested).slice(1)),
  };
}

const tryOf = (stderr: string) => /^try: (.*)$/m.exec(stderr)?.[1];
const mixed = [
  fails('temporary'),
  fails('content', 'mastodon'),
  fails('reconnect', 'facebook', 'AccountFacebookB'),
  ends,
];
const headline = '1 of 4 published, 3 failed: 1 reconnect, 1 content, 1 temporary';

describe('the next command, by the end of the batch', () => {
  type Run = Parameters<typeof nextCommandFor>[0];
  type Ended = readonly [Exclude<RecordVerdict, 'unstarted'>, string, Failure?];

  interface Case {
    readonly argv?: string;
    readonly operation?: unknown;
    readonly batch?: Partial<Run['batch']>;
    readonly hooks?: unknown;
    readonly flags?: object;
    readonly waiting?: unknown;
    readonly env?: Readonly<Record<string, string>>;
    readonly ended?: readonly Ended[];
    readonly stopped?: Failure;
    readonly left?: number;
    readonly skipped?: SkippedParts;
    readonly isRestWritten?: boolean;
  }

  const why = (kind: FailureKind, facts: Partial<FailureFacts> = {}) =>
    new Failure(kind, { what: 'it failed', ...facts });
  const content = why('refused', { code: 'invalid_media', message: 'too long' });
  const odd = why('ended_badly');
  const passing = why('no_answer');
  const lost = why('outcome_unknown');
  const pending = why('still_pending', { next: 'social posts wait A --target T1' });
  const failed = (of: Failure, count = 1): readonly Ended[] =>
    Array.from({ length: count }, (_, i) => ['failed', `F${i}`, of] as const);
  const unknown = (count: number): readonly Ended[] =>
    Array.from({ length: count }, (_, i) => ['unknown', `U${i}`, lost] as const);
  const accepted = (count: number): readonly Ended[] =>
    Array.from({ length: count }, (_, i) => ['accepted', `A${i}`, pending] as const);

  /** The lines below the error, `next` first. */
  function linesOf(given: Case): readonly string[] {
    const { argv = 'posts retry --from ids', operation = retry, batch = { from: 'ids' } } = given;
    const { hooks = {}, flags = {}, waiting, env = {}, ended = [], left = 0 } = given;
    const summary = new BatchSummary(ended.length + left, (text) => text);
    summary.sent = true;
    summary.stopped = given.stopped;
    for (const [verdict, id, failure] of ended)
      summary.add(verdict, { postId: id }, failure === undefined ? {} : { failure });
    summary.addSkipped(given.skipped ?? {});
    const run = {
      batch,
      prepared: { operation, hooks, flags, waiting, argv: argv.split(' ') },
      callContext: { settings: {}, flags: {} },
      runtime: { env },
      failuresFile: {
        savedCount: () =>
          batch.failuresTo !== undefined && given.isRestWritten !== false ? 1 : undefined,
      },
    };
    const { next, hint } = nextCommandFor(endedBatch(run as unknown as Run, summary));
    return [next ?? '-', ...(hint?.split('\n') ?? [])];
  }

  const save = 'rerun with --failures-to FILE to save the failed IDs';
  const resumable = 'rerun with --journal FILE to make the batch resumable';
  const list = {
    argv: 'posts retry --from ids --failures-to /none/f',
    batch: { from: 'ids', failuresTo: '/none/f' },
  };
  const fromRest = 'social posts retry --from /none/f --failures-to /none/f.2';
  const journaled = {
    argv: 'posts retry --from ids --journal j',
    batch: { from: 'ids', journal: 'j' },
  };
  const again = 'social posts retry --from ids --journal j';
  const inRest = 'the remaining records are in /none/f, for --from';
  const noSettle = { ...retry, settle: undefined };
  const settle = 'social history settle';
  const notRetried = 'unknown outcomes are not retried';
  const noMore = `${notRetried} without --retry-unknown`;
  const cut = why('interrupted');
  const token = why('unauthorized', {
    status: 401,
    next: 'social auth login',
    hint: 'log in first',
  });
  const canary = why('batch_failed', {
    code: 'canary_failed',
    hint: 'without --canary it sends all',
  });
  const down = why('batch_failed');
  const waitAll = (count: number) =>
    `social posts wait ${Array.from({ length: count }, (_, i) => `A${i}`).join(' ')}`;
  const firstOf = (count: number) => ` (the command below names the first 20 of ${count})`;
  const advising = (advice: object = { next: 'social mend', hints: ['mend it'] }) => ({
    advise: { afterBatch: () => advice },
  });

  it.each<readonly [string, Case, readonly string[]]>([
    ['nothing failed', { ended: [['ok', 'A']] }, ['-']],
    ['all temporary, no file', { ended: failed(passing) }, ['-', save]],
    ['ids on the line', { argv: 'posts retry A', batch: {}, ended: failed(passing) }, ['-']],
    ['all temporary, in a file', { ...list, ended: failed(passing) }, [fromRest]],
    ['some temporary', { ...list, ended: [...failed(passing), ...failed(content)] }, [fromRest]],
    [
      'content alone',
      { ...list, ended: failed(content) },
      ['-', `when that is fixed: ${fromRest}`, inRest],
    ],
    [
      'content alone, with a journal',
      { ...journaled, ended: failed(content) },
      ['-', `when that is fixed: ${again}`],
    ],
    ['all temporary, with a journal', { ...journaled, ended: failed(passing) }, [again]],
    ['no cause known', { ...list, ended: failed(odd) }, [fromRest]],
    ['not started', { ...journaled, stopped: down, left: 3 }, [again]],
    ['not started, no journal', { stopped: down, left: 3 }, ['-', resumable]],
    ['a read not started', { operation: get, stopped: down, left: 3 }, ['-', save]],
    [
      'the file was not written',
      { ...list, stopped: cut, left: 3, isRestWritten: false },
      ['-', '/none/f was not written'],
    ],
    ['the file could not be written', { ...list, stopped: why('local_io'), left: 3 }, ['-']],
    ['interrupted', { ...list, stopped: cut, left: 3 }, [fromRest]],
    [
      'interrupted, with unknown ones',
      {
        ...list,
        stopped: cut,
        left: 3,
        ended: [...unknown(1), ...failed(content)],
        hooks: advising(),
      },
      [fromRest, notRetried, `find out what became of them: ${settle}`],
    ],
    [
      'interrupted without a file',
      { stopped: cut, left: 3, ended: accepted(1) },
      ['-', 'wait for what is still pending: social posts wait A --target T1', resumable],
    ],
    [
      'a refused token',
      { ...journaled, stopped: token, left: 3, ended: failed(content), hooks: advising() },
      [
        'social auth login',
        'log in first',
        // Once, for those that were not sent and for those to be mended.
        `then resume: ${again}`,
      ],
    ],
    [
      'a canary',
      { ...journaled, stopped: canary, left: 3, ended: failed(content) },
      [again, 'without --canary it sends all'],
    ],
    [
      'records from a pipe',
      {
        argv: 'posts retry --from - --journal j',
        batch: { from: '-', journal: 'j' },
        ended: failed(passing),
      },
      ['social posts retry --from - --journal j', 'run it again with the same records'],
    ],
    [
      'records from a pipe, to be corrected',
      {
        argv: 'posts retry --from - --journal j',
        batch: { from: '-', journal: 'j' },
        ended: failed(content),
      },
      ['-', 'when that is fixed: social posts retry --from - --journal j'],
    ],

    ['unknown', { ended: unknown(2) }, [settle, notRetried]],
    [
      'unknown, with a journal',
      { ...journaled, batch: { from: 'ids', journal: "it's" }, ended: unknown(2) },
      [`${settle} --journal 'it'\\''s'`, noMore, `then resume: ${again}`],
    ],
    [
      'unknown, with a journal and no history',
      { ...journaled, env: { SOCIAL_NO_HISTORY: '1' }, ended: unknown(1) },
      [`${settle} --journal j`, noMore, `then resume: ${again}`],
    ],
    [
      'unknown, without a history',
      { env: { SOCIAL_NO_HISTORY: '1' }, ended: [...unknown(2), ...unknown(1)] },
      ['social posts get U0 U1', notRetried],
    ],
    [
      'unknown, many',
      { env: { SOCIAL_NO_HISTORY: '1' }, ended: unknown(21) },
      [
        `social posts get ${Array.from({ length: 20 }, (_, i) => `U${i}`).join(' ')}`,
        `${notRetried}${firstOf(21)}`,
      ],
    ],
    [
      'unknown, twenty',
      { env: { SOCIAL_NO_HISTORY: '1' }, ended: unknown(20) },
      [`social posts get ${Array.from({ length: 20 }, (_, i) => `U${i}`).join(' ')}`, notRetried],
    ],
    [
      'unknown, cannot be settled',
      { operation: noSettle, ended: unknown(1) },
      ['social posts get U0', notRetried],
    ],
    [
      'unknown, can be checked elsewhere',
      { operation: reply, ended: unknown(1) },
      ['-', notRetried, 'Check the comments on the platform: the API cannot list them.'],
    ],
    [
      'unknown, cannot be checked',
      { operation: { ...noSettle, inspect: undefined }, ended: unknown(1) },
      ['-', notRetried],
    ],
    [
      'unknown and temporary',
      { ...list, ended: [...unknown(1), ...failed(passing)] },
      [settle, notRetried, `then resume: ${fromRest}`, inRest],
    ],
    [
      'unknown and stopped',
      { ...list, stopped: down, left: 1, ended: unknown(1) },
      [fromRest, notRetried, `find out what became of them: ${settle}`],
    ],

    ['one is pending', { ended: accepted(1) }, ['social posts wait A --target T1']],
    [
      'one is pending, and targets were skipped',
      { ended: accepted(1), skipped: { published: 1 } },
      ['social posts wait A --target T1'],
    ],
    [
      'two are pending, and targets were skipped',
      { ended: accepted(2), skipped: { published: 1 } },
      [
        waitAll(2),
        'the command below waits for all targets of these posts, also for those that were skipped',
      ],
    ],
    [
      'two are pending on a platform, and targets were skipped',
      { ended: accepted(2), skipped: { published: 1 }, flags: { platform: ['twitter'] } },
      [`${waitAll(2)} --platform twitter`],
    ],
    ['two are pending', { ended: accepted(2) }, [waitAll(2)]],
    ['one of two is named', { ended: [...accepted(1), ...accepted(1)] }, [waitAll(1)]],
    [
      'pending, on two platforms',
      { ended: accepted(2), flags: { platform: ['x', 'a b'] } },
      [`${waitAll(2)} --platform x --platform 'a b'`],
    ],
    ['twenty are pending', { ended: accepted(20) }, [waitAll(20)]],
    [
      'several are pending, all of the list',
      { batch: { from: 'my ids', column: 'b' }, ended: accepted(21) },
      [`social posts wait --from 'my ids' --column b`],
    ],
    [
      'several are pending, not all of the list',
      { ended: accepted(21), left: 1 },
      [waitAll(20), `what is still pending can be waited for${firstOf(21)}`, resumable],
    ],
    [
      'several are pending, from a pipe',
      { batch: { from: '-' }, ended: accepted(21) },
      [waitAll(20), `what is still pending can be waited for${firstOf(21)}`],
    ],
    [
      'several are pending, with IDs on the line',
      { batch: {}, ended: accepted(21) },
      [waitAll(20), `what is still pending can be waited for${firstOf(21)}`],
    ],
    ['pending, with a journal', { ...journaled, ended: accepted(2) }, [again]],
    ['pending, no wait', { operation: { ...retry, wait: undefined }, ended: accepted(2) }, ['-']],
    [
      'pending, no command that waits',
      { operation: { ...retry, wait: { ...retry.wait, resume: undefined } }, ended: accepted(2) },
      ['social posts get A0 A1'],
    ],

    [
      'advice',
      { ...list, hooks: advising(), ended: failed(content) },
      ['social mend', 'mend it', `when that is fixed: ${fromRest}`, inRest],
    ],
    [
      'advice without a hint',
      { ...list, hooks: advising({ hints: [] }), ended: failed(content) },
      ['-', `when that is fixed: ${fromRest}`, inRest],
    ],
    [
      'advice if all failures are temporary',
      { ...list, hooks: advising(), ended: failed(passing) },
      [fromRest, 'mend it', 'then: social mend'],
    ],
    [
      'advice for some that are temporary',
      { ...list, hooks: advising(), ended: [...failed(passing), ...failed(content)] },
      ['social mend', 'mend it', inRest],
    ],
    ['no advice if nothing failed', { hooks: advising(), ended: unknown(1) }, [settle, notRetried]],

    [
      'stopped at the last record',
      { ...journaled, stopped: down, ended: failed(content) },
      [again],
    ],
    ['some were not started', { ...journaled, left: 3, ended: failed(content) }, [again]],
    ['a rejected token', { ...list, ended: failed(why('unauthorized')) }, [fromRest]],
    [
      'temporary and unknown, with advice',
      { ...list, hooks: advising(), ended: [...failed(passing), ...unknown(1)] },
      [settle, notRetried, `then resume: ${fromRest}`, 'mend it', 'then: social mend', inRest],
    ],
    [
      'unknown and stopped, with a post to check',
      { ...list, operation: noSettle, stopped: down, left: 1, ended: unknown(1) },
      [fromRest, notRetried, 'check: social posts get U0'],
    ],
    [
      'no file, as the disk is full',
      { ...list, stopped: why('local_io'), left: 3, isRestWritten: false },
      ['-'],
    ],
  ])('%s', (_what, given, lines) => {
    expect(linesOf(given)).toEqual(lines);
  });

  it('depends on the known causes, not on unknown outcomes', () => {
    const asked: BatchFailures[] = [];
    const hooks = {
      advise: {
        afterBatch(failures: BatchFailures) {
          asked.push(failures);
          return { hints: [] };
        },
      },
    };
    const ended = [...failed(passing, 2), ...failed(content), ...unknown(1)];
    linesOf({ ...list, hooks, ended });
    const [{ causes, temporary, accounts, records, again: repeat }] = asked as [BatchFailures];
    expect([...causes]).toEqual([
      ['content', 1],
      ['temporary', 2],
    ]);
    expect([temporary, accounts, records]).toEqual([2, [], '--from /none/f']);
    expect(repeat('--cause', 'temporary')).toBe(`${fromRest} --cause temporary`);
    linesOf({ ...list, hooks, ended: failed(passing) });
    expect(asked[1]!.again('--cause', 'temporary')).toBeUndefined();
    expect(asked[1]!.again('--cause', 'content')).toBe(`${fromRest} --cause content`);
  });
});

describe('the next command of a batch', () => {
  it('retries only temporary failures, from the file with the rest', async () => {
    const { run, type, at, mend } = await night(mixed);
    const { exitCode, stderr } = await run('--from', at('ids'), '--failures-to', at('left.ndjson'));
    expect(exitCode).toBe(11);
    expect(stderr).toContain(`error: ${headline}\n`);
    const next = tryOf(stderr)!;
    expect(next).toContain(`--from ${at('left.ndjson')} --failures-to ${at('left.2.ndjson')} `);
    expect(next).toMatch(/ --cause temporary$/);
    expect(stderr).toContain(
      '\n  content: change the content; retrying it unchanged fails again\n',
    );
    expect(stderr).toContain(
      '\n  reconnect: reconnect facebook AccountFacebookB in the service\n' +
        '  then check: social connect facebook pages -a AccountFacebookB\n' +
        '  then retry those: social posts retry ',
    );
    mend();
    const again = await type(next);
    expect(again.stderr).toMatch(/^0 of 3 published, 3 skipped$|^1 of 3 published, 2 skipped$/m);
    expect(readFileSync(at('left.2.ndjson'), 'utf8')).toBe('');
  });

  it('is the same line with the journal when all failures are temporary, else with another journal', async () => {
    const one = await night([fails('temporary'), ends]);
    const journal = ['--journal', one.at('j.journal')];
    const same = tryOf((await one.run('--from', one.at('ids'), ...journal)).stderr)!;
    expect(same).toContain(`--journal ${one.at('j.journal')} `);
    expect(same).not.toContain('--cause');
    const two = await night(mixed);
    const other = await two.run('--from', two.at('ids'), '--journal', two.at('j.journal'));
    const next = tryOf(other.stderr)!;
    expect(next).toContain(`--journal ${two.at('j.2.journal')} `);
    two.mend();
    expect((await two.type(next)).exitCode).toBe(0);
    expect(existsSync(two.at('j.2.journal'))).toBe(true);
  });

  it('after a wait retries temporary failures, and does not repeat the wait', async () => {
    const settled: Script = { ...fails('temporary'), answer: [], after: [] };
    const { run, ids } = await night([settled, { ...ends, before: ends.after[0]! }], ['wait']);
    const { stderr } = await run(...ids);
    expect(stderr).toContain('1 of 2 published, 1 failed: 1 temporary\n');
    expect(tryOf(stderr)).toBe(`social posts retry ${idOf(0)} --cause temporary --wait`);
  });

  it('after a wait retries no posts that could only not be read', async () => {
    const service = await recordingServer(errorResponse(503));
    const argv = ['posts', 'wait', idOf(0), idOf(1), '--retries', '0', '--timeout', '1s'];
    const limits = ['--interval', '100ms', '--wait-timeout', '1s'];
    const outcome = await socialInProcess([...argv, ...limits], { env: serviceAt(service.url) });
    expect(outcome.exitCode).toBe(11);
    expect(outcome.stderr).toContain('0 of 2 published, 2 failed: 2 temporary\n');
    expect(outcome.stderr).not.toContain('posts retry');
  });

  it('is in the error object, with the counts and the causes', async () => {
    const { run, at } = await night([...mixed, moves]);
    const { stderr } = await run('--from', at('ids'), '--json');
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!) as { error: object };
    expect(error).toMatchObject({
      message: `${headline.replace('of 4', 'of 5')}; 1 still pending`,
      details: {
        ok: 1,
        failed: 3,
        pending: 1,
        skipped: 0,
        causes: [
          { cause: 'reconnect', count: 1, texts: [{ text: texts.reconnect, count: 1 }], more: 0 },
          { cause: 'content', count: 1 },
          { cause: 'temporary', count: 1 },
        ],
      },
      next: expect.stringMatching(/ --cause temporary$/) as string,
      hint: expect.stringContaining('reconnect: reconnect facebook AccountFacebookB') as string,
    });
  });
});
