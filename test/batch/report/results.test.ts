// The results of a batch as they come: what each form writes to which stream, and in which order.

import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/api/operations/define-operation.ts';
import { get, retry } from '../../../src/api/operations/posts.ts';
import { Failure, type FailureFacts, type FailureKind } from '../../../src/base/errors.ts';
import type { BatchRecord } from '../../../src/batch/read/validate-records.ts';
import { batchResults } from '../../../src/batch/report/results.ts';
import { targetPost, targets } from '../../support/posts.ts';

type Run = Parameters<typeof batchResults>[0];
type Ended = Parameters<Awaited<ReturnType<typeof batchResults>>['add']>[1];

interface Scene {
  readonly output?: string | undefined;
  readonly operation?: unknown;
  readonly many?: boolean;
  readonly tty?: boolean;
  readonly accessible?: boolean;
  /** Where it is drawn while it runs. */
  readonly isDrawn?: boolean;
  readonly columns?: number;
  readonly paths?: readonly string[];
  readonly fields?: readonly object[];
  /** Writes of stdout after which its reader has gone. */
  readonly gone?: number;
  readonly failsWith?: Error;
  /** Gathers the results. */
  readonly gatherer?: object;
}

function setup(scene: Scene = {}) {
  const { operation = get, many = true, tty = false, paths = [], fields = [] } = scene;
  const { columns } = scene;
  const out: string[] = [];
  const err: string[] = [];
  const all: string[] = [];
  const broken: Failure[] = [];
  const stdout = {
    isTTY: tty,
    columns,
    gone: false,
    async write(text: string) {
      if (scene.failsWith !== undefined) throw scene.failsWith;
      out.push(text);
      all.push('out');
      if (out.length === scene.gone) stdout.gone = true;
    },
  };
  const runtime = {
    stdout,
    stderr: {
      isTTY: tty,
      columns,
      async write(text: string) {
        err.push(text);
        all.push('err');
      },
    },
    env: { LANG: 'C.UTF-8' },
    program: { platform: 'linux' },
    now: () => Date.UTC(2026, 2, 2, 12),
    secrets: { mask: (text: string) => text.replaceAll('secret', '[redacted]') },
    note: (line: string) => void all.push(line),
  };
  const stopProgress = () => void all.push('stop');
  const { output, accessible = false, isDrawn } = scene;
  const settings = { output, accessible, utc: true, color: { choice: 'never', typed: true } };
  const hooks = { gather: () => scene.gatherer };
  const run = {
    operation: operation as Operation,
    settings,
    runtime,
    hooks,
    call: { fields, paths },
    causeRules: [],
    source: many ? 'list' : 'typed',
    unit: 'line',
    isDrawn,
  };
  const options = { stopProgress, onBroken: (why: Failure) => void broken.push(why) };
  const open = () => batchResults(run as unknown as Run, options);
  return { open, out, err, all, broken };
}

const item = (line: number, more: Partial<BatchRecord> = {}): BatchRecord => {
  const input = more.input ?? { postId: `Post${line}` };
  return { line, input, key: 'k', ...more };
};
const failure = (kind: FailureKind, facts: Partial<FailureFacts> = {}) =>
  new Failure(kind, { what: 'it failed', ...facts });
const good = { id: 'A', title: 'Good' };

/** Returns the output for these outcomes. */
async function written(scene: Scene, ...ended: readonly (readonly [BatchRecord, Ended])[]) {
  const { open, out, err } = setup(scene);
  const results = await open();
  for (const [of, end] of ended) results.add(of, end);
  await results.end();
  return { out: out.join(''), err: err.join('') };
}

describe('a result as JSON', () => {
  const json = (ended: Ended, scene: Scene = {}, of = item(3)) =>
    written({ output: 'json', ...scene }, [of, ended]).then(({ out, err }) => {
      expect(err).toBe('');
      return out;
    });
  const start = '{"line":3,"input":{"postId":"Post3"},"ok":';
  const tooLong = targetPost([targets.linkedin('failed', 'The text is too long.')]);

  const change = { operation: retry };
  const [goodText, badText] = [good, tooLong].map((data) => JSON.stringify(data));
  it.each<readonly [string, Ended, Scene, string]>([
    ['good', { data: good }, {}, `,"data":${goodText}}`],
    ['nothing', {}, {}, '}'],
    ['unchanged', { data: good, json: '{ "as": 1 }' }, {}, ',"data":{ "as": 1 }}'],
    ['some fields', { data: good, json: '{}' }, { paths: ['title'] }, ',"data":{"title":"Good"}}'],
    ['skipped', { data: good, isSkipped: true }, change, `,"skipped":true,"data":${goodText}}`],
    [
      'a read of failed targets',
      { data: tooLong },
      {},
      `,"cause":"content","readFrom":"\\"too long\\" in the text","data":${badText}}`,
    ],
    ['a change with failed targets', { data: tooLong }, change, `,"data":${badText}}`],
  ])('%s', async (_what, ended, scene, end) => {
    expect(await json(ended, scene)).toBe(`${start}true,"exitCode":0${end}\n`);
  });

  const failedAs = (code: string) => ({ code, message: 'it failed' });
  it.each<readonly [string, Ended, object]>([
    [
      'refused',
      { failure: failure('refused', { code: 'gone', message: 'No.' }) },
      { exitCode: 6, cause: 'request', error: { code: 'gone', message: 'No.' } },
    ],
    [
      'badly',
      { data: tooLong, failure: failure('ended_badly') },
      { exitCode: 10, cause: 'content', data: tooLong, error: failedAs('ended_badly') },
    ],
    [
      'pending',
      { failure: failure('still_pending') },
      { exitCode: 8, error: failedAs('still_pending') },
    ],
    [
      'pending, its wait stopped',
      { failure: failure('terminated', { waitStopped: true }) },
      { exitCode: 143, error: failedAs('terminated') },
    ],
  ])('%s', async (_what, ended, facts) => {
    const shown = JSON.parse(await json(ended, { operation: retry })) as object;
    expect(shown).toMatchObject({ line: 3, ok: false, ...facts });
    expect('cause' in shown).toBe('cause' in facts);
    expect('data' in shown).toBe('data' in facts);
  });

  it('has its input as given, except secrets', async () => {
    const of = item(3, { input: { postId: 'A', code: 'hidden' } });
    const invisible = item(3, { input: { postId: '\u202e' } });
    expect(await json({}, {}, invisible)).toContain(String.raw`"input":{"postId":"\u202e"},`);
    const fields = [{ name: 'postId' }, { name: 'code', secret: true }];
    const safe = await json({}, { fields }, of);
    expect(safe).toContain('"input":{"postId":"A","code":');
    expect(safe).not.toContain('hidden');
  });
});

describe('a result as text', () => {
  it('is TSV with its ID, or with the selected fields only', async () => {
    const post = targetPost([targets.linkedin('published')]);
    const { out, err } = await written({ output: 'tsv' }, [item(1), { data: post }]);
    expect([out.split('\t')[0], err]).toEqual(['Post1', '']);
    expect(out.split('\n')).toHaveLength(2);
    const some = await written({ output: 'tsv', paths: ['title'] }, [item(1), { data: post }]);
    expect(some.out).toBe('A post\n');
    expect(await written({ output: 'tsv' }, [item(1), {}])).toEqual({ out: '', err: '' });
    const states = await written({ output: 'tsv', paths: ['targets.status'] }, [
      item(1),
      { data: post },
    ]);
    expect(states.out).toBe('published\n');
    const title = { output: 'tsv', paths: ['title'] };
    const both = await written(title, [item(2), { data: good }], [item(1), { data: post }]);
    expect(both.out).toBe('Good\nA post\n');
    const typed = { ...title, many: false };
    const inOrder = await written(typed, [item(2), { data: good }], [item(1), { data: post }]);
    expect(inOrder.out).toBe('A post\nGood\n');
    const terminal = { output: 'tsv', tty: true };
    const why = { data: post, failure: failure('ended_badly') };
    expect((await written(terminal, [item(1), why])).err).toContain('it failed');
  });

  it.each<readonly [string, Scene, Failure, string]>([
    ['of a record', {}, failure('refused'), 'error: line 7: Post7: it failed\n'],
    ['of an ID on the line', { many: false }, failure('refused'), 'error: Post7: it failed\n'],
    ['by a signal', {}, failure('interrupted'), 'line 7: Post7: it failed\n'],
    [
      'with the service’s ID',
      {},
      failure('refused', { requestId: 'r1' }),
      'error: line 7: Post7: it failed (request id: r1)\n',
    ],
    [
      'of a hostile service',
      {},
      failure('refused', { what: 'a\u001b[31m\nb' }),
      String.raw`error: line 7: Post7: a\u{1b}[31m⏎b` + '\n',
    ],
  ])('shows a failure %s', async (_what, scene, why, err) => {
    expect(await written({ output: 'tsv', ...scene }, [item(7), { failure: why }])).toEqual({
      out: '',
      err,
    });
  });

  it('redacts a secret ID, and sanitizes it', async () => {
    const of = item(7, { input: { code: 'a secret\u001b' } });
    const { err } = await written({ output: 'tsv' }, [of, { failure: failure('refused') }]);
    expect(err).toBe(String.raw`error: line 7: a [redacted]\u{1b}: it failed` + '\n');
  });
});

describe('the results of a batch with a board', () => {
  const expired = () => targetPost([targets.linkedin('failed', 'The session has expired.')]);
  const many: readonly (readonly [BatchRecord, Ended])[] = [
    [item(1), { data: expired(), failure: failure('ended_badly') }],
    [item(2), { data: expired(), failure: failure('ended_badly') }],
    [item(3), { failure: failure('outcome_unknown', { what: 'no answer for Post3' }) }],
    [item(4), { failure: failure('outcome_unknown', { what: 'no answer for Post4' }) }],
    [item(5), { data: targetPost([targets.linkedin('published')]) }],
  ];
  const once =
    '✗ reconnect: The session has expired. (line 1: Post1)\n? unknown: no answer for … (line 3: Post3)\n';
  const scene = { operation: retry, isDrawn: true, columns: 100 };

  it('at a terminal are each distinct error once', async () => {
    expect(await written({ ...scene, tty: true }, ...many)).toEqual({ out: '', err: once });
  });

  it('are once also in one record, and twenty in all', async () => {
    const twice = ['A', 'A', 'B'].map((text) => targets.linkedin('failed', text));
    const record = { data: targetPost(twice), failure: failure('ended_badly') };
    const { err } = await written({ ...scene, tty: true }, [item(1), record]);
    expect(err.match(/: [AB] /g)).toEqual([': A ', ': B ']);
    const texts = Array.from({ length: 30 }, (_, i) => targets.linkedin('failed', `Reason ${i}.`));
    const full = { data: targetPost(texts), failure: failure('ended_badly') };
    const lines = (await written({ ...scene, tty: true }, [item(1), full])).err.split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[19]).toContain('; other errors are in the summary');
  });

  it('in a form that was asked for, and of reads, are a line of each record', async () => {
    const table = await written({ ...scene, tty: true, output: 'table' }, ...many);
    expect(table.out.match(/^\S (?=Post\d)/gm)).toEqual(['✗ ', '✗ ', '? ', '? ', '✓ ']);
    expect(table.err).toBe('');
    const read = await written({ ...scene, tty: true, operation: get }, ...many);
    expect(read.out.match(/^\S Post\d/gm)).toHaveLength(5);
  });

  it.each(['json', undefined])('off the terminal are all on stdout: %s', async (output) => {
    const { out, err } = await written({ ...scene, output }, ...many);
    expect(err).toBe(once);
    expect(out.match(/\n/g)).toHaveLength(output === 'json' ? 5 : 3);
  });
});

describe('a result on a terminal', () => {
  const terminal = { tty: true, columns: 100 };
  const texts = Array.from({ length: 7 }, (_, i) => `Reason ${i} ${'x'.repeat(10)}`);
  const bad = targetPost(texts.map((text) => targets.linkedin('failed', text)));
  const badly = failure('ended_badly');

  it.each<readonly [string, Scene, Ended, string]>([
    [
      'a change',
      { operation: retry },
      { data: targetPost([targets.linkedin('publishing')]) },
      '✓ Post1',
    ],
    ['a change with failed targets', { operation: retry }, { data: bad }, '✓ Post1'],
    ['skipped targets', { operation: retry }, { data: bad, isSkipped: true }, '· Post1'],
    ['a read', {}, { data: targetPost([targets.linkedin('published')]) }, '✓ Post1'],
    ['a read of what moves', {}, { data: targetPost([targets.linkedin('publishing')]) }, '◌ Post1'],
    ['a read of failed targets', {}, { data: bad }, '✗ Post1'],
    ['failed targets', { operation: retry }, { data: bad, failure: badly }, '✗ Post1'],
  ])('is a line of %s', async (_what, scene, ended, sign) => {
    const { out, err } = await written({ ...terminal, ...scene }, [item(1), ended]);
    expect([out.slice(0, sign.length), err]).toEqual([sign, '']);
    const lists = sign.startsWith('✗');
    const words = out.replaceAll(/\s+/g, ' ');
    expect(words.includes(' linkedin: Reason 0 xxxxxxxxxx (')).toBe(lists);
    expect(out.includes('Reason 4')).toBe(lists);
    // One paragraph, whose further lines are indented.
    expect(out.match(/^\S/gm)).toHaveLength(1);
    expect(words.endsWith('; … 2 more ')).toBe(lists);
    expect(out).not.toContain('linkedin: Reason 5');
  });

  it('names a failed target once, by its error if it has one', async () => {
    const three = [targets.linkedin('failed', 'expired'), targets.mastodon('published')];
    const data = targetPost([...three, targets.twitter('failed')]);
    const { out } = await written({ ...terminal, columns: 150 }, [item(1), { data }]);
    expect(out).toMatch(
      /^✗ Post1 {2}mastodon ✓ published, twitter ✗ failed {2}linkedin: expired \(/,
    );
    expect(out.match(/linkedin/g)).toHaveLength(1);
    const one = targetPost([targets.linkedin('failed', 'expired')]);
    const spoken = await written({ ...terminal, accessible: true }, [item(1), { data: one }]);
    expect(spoken.out).toMatch(/^Post1 failed: linkedin: expired \(/);
  });

  it('shows the targets that the record names alone', async () => {
    const data = targetPost([targets.linkedin('failed', 'expired'), targets.mastodon('published')]);
    const record = item(1, { input: { postId: 'Post1', targetIds: ['TargetOnMastodon'] } });
    const { out } = await written({ ...terminal, operation: retry }, [record, { data }]);
    expect(out).toBe('✓ Post1  mastodon ✓ published\n');
  });

  it('shows the targets that were retried alone, in TSV too', async () => {
    const data = targetPost([targets.linkedin('failed', 'expired'), targets.mastodon('published')]);
    const ended = { data, about: ['TargetOnMastodon'] };
    const { out } = await written({ ...terminal, operation: retry }, [item(1), ended]);
    expect(out).toBe('✓ Post1  mastodon ✓ published\n');
    const tsv = await written({ operation: retry }, [item(1), ended]);
    expect(tsv.out).toMatch(/^Post1\tmastodon\tpublished\t[^\n]*\n$/);
  });

  it.each([
    ['refused', '✗ Post1  it failed (line 1)\n', 'Post1 failed: it failed (line 1)\n'],
    ['outcome_unknown', '? Post1  it failed (line 1)\n', 'Post1 unknown: it failed (line 1)\n'],
    ['still_pending', '◌ Post1  it failed (line 1)\n', 'Post1 in progress: it failed (line 1)\n'],
  ] as const)('has one shape without data too: %s', async (kind, line, spoken) => {
    const ended = { failure: failure(kind) };
    expect(await written(terminal, [item(1), ended])).toEqual({ out: line, err: '' });
    const heard = await written({ ...terminal, accessible: true }, [item(1), ended]);
    expect(heard).toEqual({ out: spoken, err: '' });
  });

  it('is an error line when stderr is elsewhere', async () => {
    const table = await written({ output: 'table' }, [item(1), { data: bad, failure: badly }]);
    expect(table.out).toContain('✗ Post1');
    expect(table.err).toBe('error: line 1: Post1: it failed\n');
  });

  it('is a whole table for each operand ID, in order, separated by empty lines', async () => {
    const scene = { ...terminal, many: false };
    const { open, out, err } = setup(scene);
    const results = await open();
    results.add(item(2), {
      data: targetPost([targets.linkedin('failed', 'The text is too long.')]),
    });
    results.add(item(1), { data: targetPost([targets.linkedin('published')]) });
    results.add(item(4), { data: targetPost([targets.linkedin('publishing')]) });
    results.add(item(3), { failure: badly });
    await results.end();
    const tables = await Promise.all(
      (['published', 'failed', 'publishing'] as const).map((status) => {
        const error = status === 'failed' ? 'The text is too long.' : undefined;
        const data = targetPost([targets.linkedin(status, error)]);
        return written(scene, [item(1), { data }]);
      }),
    );
    expect(out.join('')).toBe(tables.map((table) => table.out).join('\n'));
    // A failed target is shown with its cause.
    expect(tables[1]!.out).toContain('The text is too long. (content: "too');
    expect(err).toEqual(['error: Post3: it failed\n']);
    const fields = await written({ ...scene, paths: ['targets.error'] }, [
      item(1),
      { data: targetPost([targets.linkedin('failed', 'Too long.')]) },
    ]);
    expect(fields.out).toContain('Too long.');
    expect(fields.out).not.toContain('(content)');
  });
});

describe('gathered results', () => {
  it.each([
    [true, 'line 2: ', 'line 3: '],
    [false, '', ''],
  ])(
    'are passed on and shown at the end, failures as lines (of a list: %s)',
    async (many, second, third) => {
      const taken: unknown[] = [];
      const gatherer = {
        add: (data: unknown) => void taken.push(data),
        end: async () => void all.push('shown'),
      };
      const { open, all, err } = setup({ many, gatherer });
      const results = await open();
      results.add(item(1), { data: good });
      results.add(item(2, { input: { id: 'a secret' } }), {
        failure: failure('refused', { what: 'a\nb' }),
      });
      results.add(item(3), { failure: failure('refused') });
      await results.end();
      expect(taken).toEqual([good]);
      expect(err).toEqual([
        `error: ${second}a [redacted]: a⏎b\n`,
        `error: ${third}Post3: it failed\n`,
      ]);
      expect(all).toEqual(['err', 'err', 'stop', 'shown']);
    },
  );
});
