// A whole batch, on a clock that does not wait: its notes, the file that gets each record, and its entry in the
// history.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure, type FailureKind } from '../../src/base/errors.ts';
import { failuresWriter } from '../../src/batch/failures-file.ts';
import { finishOutputs } from '../../src/batch/run-records.ts';
import { get, retry } from '../../src/api/operations/posts.ts';
import {
  countingServer,
  idList,
  idOf,
  post,
  refused,
  type Reply,
} from '../support/counting-server.ts';
import { testCli, type RunOptions } from '../support/test-cli.ts';

const moving = (id: string): Reply => ({ body: post(id, 'publishing') });
const refusal: Reply = { status: 422, body: refused('invalid_media', 'Too long.') };

async function setup(
  reply: (id: string, method: string, time: number) => Reply = () => ({}),
  count = 3,
) {
  const service = await countingServer((...asked) => reply(...asked));
  const cli = testCli();
  const at = (name: string) => join(cli.folder, name);
  writeFileSync(at('ids'), idList(count));
  const run = (line: string, scene: RunOptions = {}) =>
    cli.social(
      line.split(' ').map((word) => word.replace('@', `${cli.folder}/`)),
      {
        ...scene,
        env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-tests', ...scene.env },
      },
    );
  const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '');
  return { ...cli, service, at, run, read };
}
const idsIn = (text: string) => text.match(/Postal\w+/g) ?? [];

describe('an interrupt', () => {
  it.each([
    ['interrupted', 2, 'for 2 requests; Ctrl-C to quit now'],
    ['interrupted', 1, 'for 1 request; Ctrl-C to quit now'],
    ['terminated', 1, 'for 1 request'],
  ] as const)('of a batch is reported: %s with %i in progress', async (kind, count, said) => {
    const controller = new AbortController();
    let inFlight = 0;
    const { run } = await setup(() => {
      if (++inFlight === count) controller.abort(new Failure(kind, { what: 'cancelled' }));
      return { after: 30 };
    });
    const { stderr } = await run(`posts get --from @ids --concurrency ${count}`, {
      signal: controller.signal,
    });
    expect(stderr).toContain(`stopping: waiting up to 10s ${said}\n`);
    expect(stderr).toContain(`stopped: ${count} of 3 read, `);
  });

  it('of polls only is not waited for', async () => {
    const controller = new AbortController();
    const { run } = await setup((id, _method, time) => {
      if (id === idOf(2) && time === 3)
        controller.abort(new Failure('interrupted', { what: 'cancelled' }));
      return moving(id);
    });
    const line = 'posts wait --from @ids --failures-to @left';
    const { stderr, exitCode } = await run(line, { signal: controller.signal });
    expect(exitCode).toBe(130);
    expect(stderr).not.toContain('stopping: ');
    expect(stderr).toContain('0 of 3 published, 3 in progress');
  });
});

describe('the --failures-to files of a batch', () => {
  const wait = '--from @ids --wait-timeout 20s --failures-to @left';
  const reply = (id: string, method: string): Reply => {
    if (id === idOf(0)) return method === 'POST' ? refusal : { body: post(id, 'failed') };
    return moving(id);
  };

  it('omit pending changes: another run would send them again', async () => {
    const { run, read } = await setup(reply);
    const { stderr, stdout, exitCode } = await run(`posts retry --wait ${wait} --output tsv`);
    expect(exitCode).toBe(11);
    expect(idsIn(read('left'))).toEqual([idOf(0)]);
    // Pending records appear only in the totals.
    expect(stderr.match(/^error: line/gm)).toHaveLength(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('0 of 3 published, 1 failed: 1 content; 2 accepted');
  });

  it('have pending waits: repeating those is safe', async () => {
    const { run, read } = await setup((id) => (id === idOf(0) ? {} : moving(id)));
    const { exitCode } = await run(`posts wait ${wait}`);
    expect(exitCode).toBe(8);
    expect(idsIn(read('left')).toSorted()).toEqual([idOf(1), idOf(2)].toSorted());
  });

  it('omit accepted changes whose poll was refused', async () => {
    const { run, read } = await setup((id, method, time) =>
      method === 'GET' && time > 1 ? refusal : { ...moving(id) },
    );
    const { exitCode, stderr } = await run(`posts retry --wait ${wait}`);
    expect([exitCode, read('left')]).toEqual([11, '']);
    expect(stderr).toContain('3 failed');
  });
});

describe('a record that an earlier run left unknown', () => {
  /** A service whose posts have failed, and whose answer to one retry is lost. */
  const losing = (lost: string) =>
    setup((id, method, time) => {
      if (method === 'POST') return id === lost && time === 1 ? { cut: true } : moving(id);
      return { body: post(id, 'failed') };
    });

  it('does not count as a failure of this run, which continues', async () => {
    const { run, service } = await losing(idOf(1));
    const line = 'posts retry --from @ids --journal @j --max-failures 1 --concurrency 1';
    const first = await run(line);
    expect([first.exitCode, service.counts.get(`POST ${idOf(2)}`)]).toEqual([11, undefined]);
    const { exitCode, stderr } = await run(line);
    expect(stderr).toContain('1 of 3 accepted, 1 unknown, 1 skipped\n');
    expect([exitCode, service.counts.get(`POST ${idOf(1)}`)]).toEqual([12, 1]);
    expect(service.counts.get(`POST ${idOf(0)}`)).toBe(1);
  });

  it('is not the first to be tried: a canary takes other records', async () => {
    const { run, service } = await losing(idOf(0));
    const line = 'posts retry --from @ids --journal @j --canary 1 --wait-timeout 5s';
    const first = await run(line);
    expect(first.exitCode).toBe(11);
    expect(first.stderr).toMatch(/^ {2}then resume: social posts retry --from .* --canary 1/m);
    expect(first.stderr).toMatch(/^try: social history settle --journal /m);
    await run(line);
    expect(service.counts.get(`POST ${idOf(0)}`)).toBe(1);
    expect(service.counts.get(`POST ${idOf(1)}`)).toBe(1);
    expect(service.counts.get(`POST ${idOf(2)}`)).toBeUndefined();
  });
});

describe('a canary', () => {
  it('counts its failures together with those of the rest', async () => {
    const { run, service } = await setup((id, method) => {
      if (id === idOf(0) || id === idOf(2)) return method === 'POST' ? refusal : {};
      return {};
    }, 6);
    const canary = '--canary 2 --max-failure-rate 50% --max-failures 2 --concurrency 1';
    const { stderr, exitCode } = await run(`posts retry --from @ids ${canary}`);
    expect(exitCode).toBe(11);
    expect(stderr).toContain('canary passed: 1 of 2 published; continuing with 4 more');
    expect(stderr).toContain('1 of 6 accepted, 2 failed: 2 content; 3 not started\n');
    expect(stderr).toContain('\n  stopped after 2 failures\n');
    expect(service.counts.get(`POST ${idOf(3)}`)).toBeUndefined();
  });

  it('lists its records at a terminal without a board', async () => {
    const { run } = await setup((id) => ({ body: post(id, 'published') }));
    const { stdout } = await run('posts retry --from @ids --canary 1 --wait', { columns: 50 });
    expect(idsIn(stdout)).toEqual([0, 1, 2].map(idOf));
  });

  it('waits for records that an earlier run sent, and the rest does not', async () => {
    let isBack = false;
    const { run, service } = await setup((id, method) => {
      if (method === 'POST') return moving(id);
      return { body: post(id, isBack ? 'published' : 'failed') };
    });
    const line = 'posts retry --from @ids --journal @j';
    const first = await run(`${line} --wait --wait-timeout 20s`);
    expect(first.stderr).toContain('0 of 3 published, 3 accepted');
    isBack = true;
    const { stderr } = await run(`${line} --canary 1`);
    expect(stderr).toContain('canary passed: 1 of 1 published');
    expect(stderr).toContain('0 of 3 accepted, 3 published before');
    const sent = [...service.counts].filter(([asked]) => asked.startsWith('POST'));
    expect(sent.map(([, count]) => count)).toEqual([1, 1, 1]);
  });
});

describe('records', () => {
  it('of the command line are shown in order, those of a list as they finish', async () => {
    const { run } = await setup((id) => (id === idOf(0) ? { after: 60 } : {}));
    const typed = await run(
      `posts get ${[0, 1, 2].map((n) => idOf(n)).join(' ')} --fields id --output tsv`,
    );
    expect(idsIn(typed.stdout)).toEqual([0, 1, 2].map((n) => idOf(n)));
    const listed = await run('posts get --from @ids --fields id --output tsv');
    expect(idsIn(listed.stdout).at(-1)).toBe(idOf(0));
  });

  it('take missing fields from the flags, and keep their own', async () => {
    const { run, service, at } = await setup();
    writeFileSync(
      at('replies'),
      [1, 2]
        .map((n) => `${JSON.stringify({ postId: idOf(n), ...(n === 2 ? { text: 'Own' } : {}) })}\n`)
        .join(''),
    );
    const { exitCode } = await run(
      'posts reply --from @replies --target TargetSpringLink --text Hi',
    );
    expect(exitCode).toBe(0);
    const sent = [1, 2].map(
      (n) => JSON.parse(service.bodies.get(`POST ${idOf(n)}`)![0]!) as object,
    );
    expect(sent).toEqual(['Hi', 'Own'].map((text) => ({ targetId: 'TargetSpringLink', text })));
  });
});

describe('the end of a batch', () => {
  it('is a note in the journal, with who ran it and where', async () => {
    const { run, read } = await setup();
    await run('posts retry --from @ids --journal @j --note because', {
      env: { SUDO_USER: 'someone' },
    });
    expect(read('j')).toContain('"note":"because"');
    expect(read('j')).toContain('someone');
    await run('posts retry --from @ids --journal @k');
    expect(read('k')).not.toContain('"note"');
  });
});

describe('a dry run that reads the posts', () => {
  const dry = 'posts retry --from @ids --failed --dry-run --concurrency 2';

  it('reports what it would skip, and what it could not read', async () => {
    const { run, service } = await setup((id) => {
      if (id === idOf(0)) return { body: post(id, 'failed') };
      return id === idOf(1) ? { status: 404, body: refused('gone', 'No such post.') } : {};
    }, 5);
    const { exitCode, stdout, stderr } = await run(dry);
    expect(exitCode).toBe(11);
    expect(stdout.match(/\/retry/g)).toHaveLength(1);
    expect(stderr).toContain(`error: line 2: ${idOf(1)}: HTTP 404 gone: No such post.\n`);
    expect(stderr).toContain('3 of 5 skipped: nothing to retry\n');
    expect(stderr).toContain('error: 1 of 5 posts could not be read\n');
    expect(service.maxInFlight()).toBeLessThanOrEqual(2);
    expect(service.total()).toBe(5);
    const json = await run(`${dry} --json`);
    const { error } = JSON.parse(json.stderr.trimEnd().split('\n').at(-1)!) as { error: object };
    expect(error).toMatchObject({ retryable: false, outcome: 'none' });
  });
});

describe('the outputs of a batch that ends', () => {
  const steps = ['journal closed', 'failures finished', 'results ended'];
  const named = { postId: 'A', targetIds: ['B', 'C'] };

  /** Ends a batch, one of whose steps may fail; returns the reason that it ends with, and what was done. */
  async function ended(stopped: Failure | undefined, given: object = {}) {
    const { broken, operation, left } = { operation: retry, ...given } as {
      readonly broken?: readonly [step: string, error: Error];
      readonly operation: unknown;
      /** Stands for the journal of a record: returns the input that another run may send, by the named parts. */
      readonly left?: (parts: readonly string[] | undefined) => object | undefined;
    };
    const done: string[] = [];
    const step = (name: string) => () => {
      done.push(name);
      if (broken?.[0] === name) throw broken[1];
    };
    const [closeJournal, finish, end] = steps.map(step);
    const add = (line: string) => void done.push(line.trimEnd());
    const run = {
      operation,
      journal: { close: closeJournal },
      failuresFile: failuresWriter({ add, finish } as never, { action: 'of the line' }),
      journalOf: () => left && { repeatable: left },
      cancel: { inTime: async (each: unknown) => void (await each), why: () => stopped },
    };
    const rest = left === undefined ? [] : [named, { postId: 'A', action: 'x' }];
    const records = rest.map((input) => ({ line: 1, input, key: 'A' }));
    const why = await finishOutputs(run as never, { end: async () => end!() }, records);
    return { why, done };
  }
  const why = (kind: FailureKind, code?: string) =>
    new Failure(kind, { what: `it was ${kind}`, code });
  const full = why('local_io');

  it('save of a record that was not started what its journal lets another run send', async () => {
    const asked: unknown[] = [];
    const left = (parts: readonly string[] | undefined) => {
      asked.push(parts);
      return parts && { postId: 'A', targetIds: ['C'], action: 'of the record' };
    };
    const { done } = await ended(why('interrupted'), { left });
    expect(asked).toEqual([['B', 'C'], undefined]);
    // Fields that the command line gave are not saved.
    expect(done.filter((line) => !steps.includes(line))).toEqual([
      '{"postId":"A","targetIds":["C"]}',
    ]);
  });

  it.each<readonly [string, Failure | undefined, FailureKind]>([
    ['is the reason why the batch stopped', undefined, 'local_io'],
    ['takes precedence over failed records', why('batch_failed'), 'local_io'],
    ['is less important than an interrupt', why('interrupted'), 'interrupted'],
  ])('are all written, and one that fails %s', async (_what, stopped, kind) => {
    const end = await ended(stopped, { broken: ['journal closed', full] });
    expect([end.why?.kind, end.done]).toEqual([kind, steps]);
  });

  it('may lack a reader without a failure, if the batch reads', async () => {
    const gone = ['results ended', why('local_io', 'closed_pipe')];
    expect((await ended(undefined, { broken: gone, operation: get })).why).toBeUndefined();
    expect((await ended(undefined, { broken: gone })).why).toBe(gone[1]);
    const broken = ['results ended', full];
    expect((await ended(undefined, { broken, operation: get })).why).toBe(full);
  });
});
