// The report of a batch with failures: the records that are left, and the command to type next.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BatchSession, EndedBatch } from '../../../src/batch/session.ts';
import { describe, expect, it } from 'vitest';
import type { Input } from '../../../src/api/operations/define-operation.ts';
import { get, retry } from '../../../src/api/operations/posts.ts';
import { Failure, type FailureFacts, type FailureKind } from '../../../src/base/errors.ts';
import { BatchSummary, type RecordVerdict } from '../../../src/batch/report/summary.ts';
import type { RecordJournal } from '../../../src/batch/journal/record-journal.ts';
import { failuresWriter } from '../../../src/batch/files.ts';
import { throwVerdict } from '../../../src/batch/report/verdict.ts';
import { finishOutputs, savedFile } from '../../../src/batch/run-records.ts';
import { countingServer, idList, idOf, refused } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { begin, freshHome, social } from '../../support/program.ts';

const retryFrom = ['posts', 'retry', '--from'];

/** A place to run in, with a list of so many ids; the address is a flag, as in a line that is typed. */
function setup(url: string, count: number, more: Record<string, string> = {}) {
  const home = freshHome();
  const [ids, left] = ['ids', 'left'].map((name) => join(home, name)) as [string, string];
  writeFileSync(ids, idList(count));
  const setting = { home, env: { SOCIAL_TOKEN: 'canary', ...more } };
  const argv = (words: readonly string[]) => [...words, '--base-url', url];
  return {
    ids,
    left,
    run: (...words: string[]) => socialInProcess(argv(words), setting),
    /** Runs the built program. */
    runBuilt: (...words: string[]) => social(argv(words), setting),
    begin: (...words: string[]) => begin(argv(words), setting),
  };
}

const idsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .match(/Postal\w+/g)!
    .toSorted();
const idsFrom = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, i) => idOf(first + i));

const revoked = () =>
  countingServer((id) =>
    id < idOf(3) ? {} : { status: 401, body: refused('unauthorized', 'Revoked.') },
  );

describe('the end of a batch, by exit code', () => {
  type Run = BatchSession;
  /** Counts and facts of a batch beside those of its records. */
  type Totals = Partial<Record<keyof BatchSummary['counts'], number>> &
    Partial<Pick<EndedBatch, 'sent' | 'stopped'>> & { readonly count?: number };
  const item = (input: Input) => ({ line: 1, input, key: 'A' });
  const why = (kind: FailureKind, facts: Partial<FailureFacts> = {}) =>
    new Failure(kind, { what: `it was ${kind}`, ...facts });

  interface Scene {
    readonly operation?: unknown;
    readonly batch?: Partial<Run['batch']>;
    readonly without?: readonly ('failures' | 'journal')[];
    readonly given?: object;
    /** The journal of each record. */
    readonly journalled?: Pick<RecordJournal, 'repeatable'>;
    readonly breaks?: Readonly<Record<string, Error>>;
    /** True if the file of failures was saved, with a record. */
    readonly isSaved?: boolean;
    readonly ended?: readonly (readonly [Exclude<RecordVerdict, 'unstarted'>, Failure?])[];
  }

  function sceneOf(scene: Scene = {}) {
    const { operation = retry, batch = { from: 'ids' }, without = [], given = {} } = scene;
    const said: string[] = [];
    const step = (name: string) => () => {
      said.push(name);
      const broken = scene.breaks?.[name];
      if (broken !== undefined) throw broken;
    };
    const all = {
      failures: {
        add: (line: string) => void said.push(`failures ${line.trimEnd()}`),
        finish: step('failures finished'),
      },
      journal: { close: step('journal closed') },
    };
    for (const name of without) Reflect.deleteProperty(all, name);
    const { failures, ...others } = all as Record<keyof typeof all, never>;
    const run = {
      ...others,
      failuresFile: failuresWriter(failures, given),
      batch,
      call: { operation, argv: ['posts', 'retry'], hooks: {}, flags: {} },
      operation,
      hooks: {},
      settings: {},
      flags: {},
      runtime: { note: (line: string) => void said.push(line), env: {} },
      journalOf: () => scene.journalled,
    } as unknown as Run;
    if (scene.isSaved === true) {
      run.failuresFile.add({});
      run.failuresFile.finish();
    }
    const summary = new BatchSummary(scene.ended?.length ?? 0, (text) => text);
    for (const [verdict, failure] of scene.ended ?? [])
      summary.add(verdict, { postId: 'A' }, failure === undefined ? {} : { failure });
    /** The failure that the batch ends with. */
    const verdict = (more: Totals = {}): Failure | undefined => {
      const { ok, before, count = scene.ended?.length ?? 0, stopped, sent = true } = more;
      if (ok !== undefined) summary.counts.ok = ok;
      if (before !== undefined) summary.counts.before = before;
      Object.assign(summary, { count });
      try {
        throwVerdict({ ...run, summary, stopped, sent, savedTo: savedFile(run, stopped) });
        return undefined;
      } catch (error) {
        if (error instanceof Failure) return error;
        throw error;
      }
    };
    const close = (stopped: Failure | undefined, rest: readonly Input[] = []) =>
      finishOutputs(
        {
          ...run,
          cancel: { inTime: async (each: unknown) => void (await each), why: () => stopped },
        },
        { end: async () => step('results ended')() },
        rest.map(item),
      );
    return { run, said, summary, verdict, close };
  }

  it('a record is saved without the fields given on the command line', () => {
    const { run, said } = sceneOf({ given: { action: 'x' } });
    const of = { postId: 'A', action: 'x', text: 'é' };
    run.failuresFile.add(of);
    expect(said).toEqual(['failures {"postId":"A","text":"é"}']);
    const none = sceneOf({ without: ['failures'] });
    none.run.failuresFile.add(of);
    none.run.failuresFile.finish();
    expect([none.said, none.run.failuresFile.savedCount()]).toEqual([[], 0]);
  });

  const steps = ['journal closed', 'failures finished', 'results ended'];

  it('saves of a record that was not started what its journal lets another run send', async () => {
    const savedOf = async (may: Input | undefined) => {
      const asked: unknown[] = [];
      const repeatable = (parts: unknown) => {
        asked.push(parts);
        return may;
      };
      const { close, said } = sceneOf({ journalled: { repeatable } });
      await close(why('interrupted'), [{ postId: 'A', targetIds: ['B', 'C'] }, { postId: 'A' }]);
      return [asked, said.filter((line) => !steps.includes(line))];
    };
    const asked = [['B', 'C'], undefined];
    expect(await savedOf(undefined)).toEqual([asked, []]);
    const line = 'failures {"postId":"A","targetIds":["C"]}';
    expect(await savedOf({ postId: 'A', targetIds: ['C'] })).toEqual([asked, [line, line]]);
  });

  const full = why('local_io', { what: 'disk full' });
  const pipe = why('local_io', { code: 'closed_pipe' });
  it.each<readonly [string, Failure | undefined, FailureKind | undefined]>([
    ['is the reason why the batch stopped', undefined, 'local_io'],
    ['takes precedence over failed records', why('batch_failed'), 'local_io'],
    ['is less important than an interrupt', why('interrupted'), 'interrupted'],
  ])('a step that fails %s', async (_what, stopped, kind) => {
    const { close, said } = sceneOf({ breaks: { 'journal closed': full } });
    expect((await close(stopped))?.kind).toBe(kind);
    expect(said).toEqual(steps);
  });

  it('a reader that closes the pipe of a read causes no failure', async () => {
    const breaks = { 'results ended': pipe };
    expect(await sceneOf({ breaks, operation: get }).close(undefined)).toBeUndefined();
    expect(await sceneOf({ breaks, operation: retry }).close(undefined)).toBe(pipe);
    const other = { 'results ended': full };
    expect(await sceneOf({ breaks: other, operation: get }).close(undefined)).toBe(full);
  });

  it.each<readonly [string, Scene, Totals, readonly string[]]>([
    ['a change', { batch: {} }, {}, ['1 of 1 accepted']],
    ['a read of a list', { operation: get }, {}, ['1 of 1 read']],
    [
      'a read with a journal',
      { operation: get, batch: { from: 'ids', journal: 'j' } },
      {},
      ['1 of 1 read'],
    ],
    ['a read of the line', { operation: get, batch: {} }, {}, []],
    ['all done before', { batch: { journal: 'j' } }, { ok: 0, before: 1 }, ['all 1 already done']],
    ['all done before, no journal', {}, { ok: 0, before: 1 }, ['0 of 1 accepted, 1 already done']],
    [
      'some done before',
      { batch: { journal: 'j' } },
      { count: 2, before: 1 },
      ['1 of 2 accepted, 1 already done'],
    ],
  ])('after a success prints what was done: %s', (_what, scene, more, lines) => {
    const { verdict, said } = sceneOf({ ...scene, ended: [['ok']] });
    expect(verdict(more)).toBeUndefined();
    expect(said).toEqual(lines);
  });

  const left = { 'already published': 1, queued: 3, 'being published': 3, a: 3 };
  const leftLines = [
    'skipped 3 targets: a',
    'skipped 3 targets: being published',
    'skipped 3 targets: queued',
    'skipped 1 target: already published',
  ];
  it('reports skipped targets, the most frequent reason first', () => {
    const { verdict, said, summary } = sceneOf({ ended: [['ok']] });
    summary.addSkipped(left);
    expect(verdict()).toBeUndefined();
    expect(said).toEqual(['1 of 1 accepted', ...leftLines]);
  });

  const no = why('refused', { code: 'c', message: 'No.' });
  const [gone, pending] = [why('outcome_unknown'), why('still_pending')];
  it.each<readonly [FailureKind, Scene['ended'] & object, Totals, string]>([
    [
      'batch_failed',
      [
        ['failed', no],
        ['unknown', gone],
      ],
      {},
      '0 of 2 accepted, 1 failed: 1 refused; 1 unknown',
    ],
    [
      'outcome_unknown',
      [
        ['unknown', gone],
        ['accepted', pending],
      ],
      {},
      '0 of 2 accepted, 1 unknown, 1 still pending',
    ],
    ['still_pending', [['ok'], ['accepted', pending]], {}, '1 of 2 accepted, 1 still pending'],
    [
      'interrupted',
      [['ok']],
      { count: 3, stopped: why('interrupted') },
      'stopped: 1 of 3 accepted, 2 not started',
    ],
    [
      'unauthorized',
      [['ok']],
      { count: 3, stopped: why('unauthorized') },
      '1 of 3 accepted, 2 not started',
    ],
    ['local_io', [['ok']], { stopped: full }, 'disk full'],
    ['internal', [['ok']], { stopped: why('internal') }, 'it was internal'],
    [
      'batch_failed',
      [['ok']],
      { stopped: why('batch_failed', { code: 'canary_failed', what: 'canary' }) },
      'canary',
    ],
  ])('is %s', (kind, ended, more, what) => {
    const failure = sceneOf({ ended }).verdict(more)!;
    expect([failure.kind, failure.facts.what]).toEqual([kind, what]);
    expect(failure.facts.retryable).toBe(false);
  });

  it('has the counts, the causes and the reasons in its details', () => {
    const ended = [
      ['ok'],
      ['failed', no],
      ['unknown', gone],
      ['accepted', pending],
      ['skipped'],
    ] as const;
    const { verdict, summary } = sceneOf({ ended });
    summary.addSkipped({ queued: 2 });
    const { facts } = verdict({ count: 9, before: 1 })!;
    expect(facts.details).toEqual({
      ok: 1,
      failed: 1,
      unknown: 1,
      pending: 1,
      skipped: 1,
      notStarted: 3,
      before: 1,
      stopped: null,
      causes: summary.causes(),
      skippedTargets: { queued: 2 },
    });
    expect(facts.why).toEqual([
      'refused: 1',
      '  1 × c: No.',
      'unknown outcome: 1',
      '  1 × it was outcome_unknown',
      'skipped 2 targets: queued',
    ]);
    expect([facts.sent, facts.outcome]).toEqual([true, 'unknown']);
    expect(sceneOf({ ended: [['failed', no]] }).verdict()!.facts.outcome).toBeUndefined();
  });

  it.each<readonly [string, Failure, readonly string[]]>([
    ['a no token', why('unauthorized', { why: ['because'] }), ['it was unauthorized', 'because']],
    ['a signal', why('terminated', { why: ['because'] }), ['because']],
    [
      'a full disk',
      why('local_io', { why: ['because'] }),
      ['1 of 3 accepted, 2 not started', 'because'],
    ],
  ])('names the reason for stopping once: %s', (_what, stopped, lines) => {
    const { facts } = sceneOf({ ended: [['ok']] }).verdict({ count: 3, stopped })!;
    expect(facts.why).toEqual(lines);
    expect((facts.details as { stopped: string }).stopped).toBe(stopped.facts.what);
  });

  it('says if a request was sent, and has its IDs and its cause', () => {
    const facts = { requestId: 'r', clientRequestId: 'c', cause: new Error('deep') };
    const { verdict } = sceneOf({ ended: [['ok']] });
    const sentOf = (kind: FailureKind, sent: boolean, more = {}) =>
      verdict({ sent, stopped: why(kind, { ...facts, ...more }) })!.facts;
    expect(sentOf('unauthorized', false)).toMatchObject({
      sent: false,
      requestId: 'r',
      clientRequestId: 'c',
    });
    expect(sentOf('unauthorized', false, { sent: true }).sent).toBe(true);
    expect(sentOf('unauthorized', true, { sent: false }).sent).toBe(true);
    expect(sentOf('unauthorized', true).cause).toBeUndefined();
    expect(sentOf('internal', true).cause).toBe(facts.cause);
    expect(verdict({ stopped: full })!.facts.cause).toBeUndefined();
    // A batch that stops before anything is sent keeps the message of its reason.
    expect(sentOf('interrupted', false).details).toMatchObject({ stopped: 'it was interrupted' });
  });
});

describe('the saved records', () => {
  it('are those that failed and those not started', async () => {
    const service = await revoked();
    const { ids, left, run, runBuilt } = setup(service.url, 200);
    const words = ['--concurrency', '1'];
    const outcome = await runBuilt(...retryFrom, ids, '--failures-to', left, ...words);
    expect(outcome.exitCode).toBe(4);
    expect(outcome.stderr).toContain('3 of 200 accepted, 197 not started');
    expect(idsIn(left)).toEqual(idsFrom(3, 200));
    expect(outcome.stderr).toContain(`then resume: social posts retry --from ${left} `);
    // The variable holds the refused token and beats a login: no line is offered that would fail again.
    expect(outcome.stderr).toContain(`\n  set SOCIAL_TOKEN to a valid token of ${service.url}\n`);
    expect(outcome.stderr).not.toContain('\ntry: ');
    const again = await run(...retryFrom, left, '--failures-to', `${left}.2`, ...words);
    expect(again.exitCode).toBe(4);
    expect(idsIn(`${left}.2`)).toEqual(idsFrom(3, 200));
  });
});
