// The journal itself, on real files: what a line is, what an earlier run is known for, what is refused, and what
// happens when the disk takes no more.

import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Runtime } from '../../../src/base/runtime.ts';
import {
  type JournalOutcome,
  formatLine,
  readLine,
  startsJournal,
} from '../../../src/batch/journal/format.ts';
import {
  type Job,
  type Journal,
  makeJournal,
  openJournal,
  withExistingJournal,
} from '../../../src/batch/journal/journal.ts';
import type { Targets } from '../../../src/batch/journal/outcomes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

// Written out: what is called while the tests are being collected judges nothing.
const job: Job = {
  job: 'ISl1flWjZ-BwL-CKdoh1OL-u-TMMT6CPMJRUx3ATYcU',
  operation: 'posts retry',
  origin: 'https://a.example',
  context: null,
};
const header = { social: 'journal', format: 2, ...job } as const;
const [a, b, c] = [
  'aaaaaaaaaaaaaaaaaaaaaa',
  'bbbbbbbbbbbbbbbbbbbbbb',
  'cccccccccccccccccccccc',
] as const;
const newPath = () => join(temporaryFolder(), 'journal');
async function open(path: string, of: Job = job): Promise<Journal> {
  makeJournal(path, of);
  return openJournal(path, of, () => 1234);
}
/** Returns the past of a key in a journal. */
const pastIn = (journal: Journal) => (key: string) =>
  journal.outcomesOf(key).leftToDo(undefined).past;
const linesIn = (path: string) => fs.readFileSync(path, 'utf8').split('\n').slice(0, -1);

const openFiles = (): number => fs.readdirSync('/proc/self/fd').length;

/** The records of a journal, each of its lines checked. */
function recordsIn(path: string): unknown[] {
  let check = 0;
  return linesIn(path).map((line) => {
    const read = readLine(line, check)!;
    check = read.check;
    return read.entry;
  });
}

/** A journal in which `a` is done, `b` in progress and `c` unknown. */
async function begun(): Promise<string> {
  const path = newPath();
  const journal = await open(path);
  await journal.intend(a, undefined);
  journal.end(a, undefined, 'done', 0);
  await journal.intend(b, undefined);
  await journal.close();
  return path;
}

describe('a line', () => {
  it('is an eight-digit checksum, a space, JSON and a newline; the next checksum continues from it', () => {
    const first = formatLine({ send: a, at: 1 }, 0);
    const json = `{"send":"${a}","at":1}`;
    expect(first).toEqual({
      text: `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`,
      check: crc32(json),
    });
    const second = formatLine({ send: b, at: 2 }, first.check);
    expect(second.check).toBe(crc32(`{"send":"${b}","at":2}`, first.check));
    expect(readLine(second.text.slice(0, -1), first.check)).toEqual({
      entry: { send: b, at: 2 },
      check: second.check,
    });
  });

  it('has leading zeros in its checksum where it needs them', () => {
    const small = Array.from({ length: 5000 }, (_, at) => formatLine({ send: a, at }, 0)).find(
      ({ check }) => check < 0x0100_0000,
    )!;
    expect(small.text).toMatch(/^0[0-9a-f]{7} \{/);
    expect(readLine(small.text.slice(0, -1), 0)?.check).toBe(small.check);
  });

  it.each<readonly [what: string, damage: (good: string) => string]>([
    ['changed', (good) => good.replace('"at":1', '"at":2')],
    ['with another checksum', (good) => `00000000${good.slice(8)}`],
    [
      'with another character instead of the blank',
      (good) => `${good.slice(0, 8)}_${good.slice(9)}`,
    ],
    ['with a checksum that is not a number', (good) => `zzzzzzzz${good.slice(8)}`],
    ['cut', (good) => good.slice(0, -1)],
    ['empty', () => ''],
    [
      'of text that is not JSON, with a correct checksum',
      () => `${crc32('no json', 7).toString(16)} no json`,
    ],
  ])('%s is invalid', (_what, damage) => {
    const good = formatLine({ send: a, at: 1 }, 7).text.slice(0, -1);
    expect(readLine(good, 7)).toBeDefined();
    expect(readLine(damage(good), 7)).toBeUndefined();
  });

  it('is invalid after another line than the one it was written after', () => {
    const good = formatLine({ send: a, at: 1 }, 7).text.slice(0, -1);
    expect(readLine(good, 8)).toBeUndefined();
  });

  it.each([
    ['0badc0de {"social":"journal","format":1', true],
    [' 0badc0de {"social":"journal",', false],
    ['0badc0de {"social":"ledger",', false],
    ['0badc0d {"social":"journal",', false],
    ['0BADC0DE {"social":"journal",', false],
    ['PostSpringLaunch', false],
    ['', false],
  ])('%j may be the start of a journal: %s', (start, may) => {
    expect(startsJournal(start)).toBe(may);
  });
});

describe('a new journal', () => {
  it('is private, starts with its job, and has no records', async () => {
    needsUnix('owners and modes');
    const path = newPath();
    const journal = await open(path);
    // Before anything is sent the header is on the disk.
    expect(recordsIn(path)).toEqual([header]);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    expect(journal.cut).toBe(0);
    expect(pastIn(journal)(a)).toBeUndefined();
    await journal.close();
    expect(recordsIn(path)).toEqual([header]);
  });

  it('stores an intent before it returns, and an outcome at the latest on close', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.intend(a, undefined);
    expect(recordsIn(path).at(-1)).toEqual({ send: a, at: 1234 });
    journal.end(a, undefined, 'failed', 6);
    await journal.intend(b, undefined);
    journal.end(b, undefined, 'done', 0);
    await journal.close();
    expect(recordsIn(path).slice(2)).toEqual([
      { end: a, as: 'failed', exit: 6, at: 1234 },
      { send: b, at: 1234 },
      { end: b, as: 'done', exit: 0, at: 1234 },
    ]);
  });
});

describe('an old journal', () => {
  it('knows what is done and what was in progress, and is appended to', async () => {
    const path = await begun();
    const journal = await open(path);
    expect([a, b, c].map(pastIn(journal))).toEqual(['done', 'unknown', undefined]);
    await journal.intend(c, undefined);
    await journal.close();
    expect(recordsIn(path)).toHaveLength(5);
  });

  it('keeps the last state of each record', async () => {
    const path = newPath();
    const first = await open(path);
    first.end(a, undefined, 'failed', 6);
    await first.intend(a, undefined);
    first.end(b, undefined, 'unknown', 12);
    first.end(b, undefined, 'done', 0);
    await first.close();
    const second = await open(path);
    expect([a, b].map(pastIn(second))).toEqual(['unknown', 'done']);
    await second.close();
  });

  it.each(['0badc0de {"send":"never-fin', 'x', '0badc0de {"send":"é'.slice(0, -1)])(
    'that ends in the middle of a line is cut by exactly these bytes: %j',
    async (torn) => {
      const path = await begun();
      const whole = fs.readFileSync(path);
      fs.appendFileSync(path, torn);
      const journal = await open(path);
      expect(journal.cut).toBe(Buffer.byteLength(torn));
      expect(fs.readFileSync(path)).toEqual(whole);
      expect([a, b].map(pastIn(journal))).toEqual(['done', 'unknown']);
      await journal.intend(c, undefined);
      await journal.close();
      expect(recordsIn(path)).toHaveLength(5);
    },
  );

  it.each([1, 2, 3, 4])(
    'with a damaged line %i is rejected by line number, and left unchanged',
    async (n) => {
      const path = await begun();
      const lines = linesIn(path);
      const damaged = `${lines.with(n - 1, lines[n - 1]!.replace('"at":1', '"at":9').replace('https', 'httpz')).join('\n')}\n`;
      fs.writeFileSync(path, damaged);
      await expect(open(path)).rejects.toMatchObject({
        kind: 'local_io',
        message: `journal line ${n} is damaged in ${path}; what was done after it is unknown`,
        facts: {
          hint: 'check its items first: a new journal would send all of them again',
          retryable: false,
          sent: false,
        },
      });
      expect(fs.readFileSync(path, 'utf8')).toBe(damaged);
    },
  );

  it.each([
    ['a list of ids', 'PostSpringLaunch\nPostAutumnRecaps\n'],
    ['a list of one id without an end', 'PostSpringLaunch'],
    ['an empty line', '\n'],
    ['the beginning of a journal', '0badc0de {"social":"journal",'],
    ['empty', ''],
  ])('that is %s instead is rejected, and left unchanged', async (_what, text) => {
    const path = newPath();
    fs.writeFileSync(path, text);
    await expect(open(path)).rejects.toMatchObject({
      kind: 'local_io',
      message: `${path} is not a journal; it was not changed`,
    });
    expect(fs.readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([1, 3])('of format %i is rejected, and left unchanged', async (format) => {
    const path = newPath();
    const text = `${formatLine({ ...header, format }, 0).text}torn`;
    fs.writeFileSync(path, text);
    await expect(open(path)).rejects.toMatchObject({
      kind: 'local_io',
      message: `${path} was written by another version of social (format ${format}); it was not changed`,
    });
    expect(fs.readFileSync(path, 'utf8')).toBe(text);
  });

  it('of another job is rejected with both jobs named, and left unchanged', async () => {
    const path = await begun();
    const before = fs.readFileSync(path);
    const words = 'this journal belongs to another job:';
    const where = 'is for posts retry at https://a.example, in';
    await expect(open(path, { ...job, job: 'another' })).rejects.toMatchObject({
      kind: 'local_io',
      message: `${words} ${path} ${where} no context, with the flags of its first run`,
    });
    expect(fs.readFileSync(path)).toEqual(before);
    const named = newPath();
    await (await open(named, { ...job, context: 'prod' })).close();
    await expect(open(named, { ...job, job: 'another' })).rejects.toThrow(
      `${named} ${where} context prod, with the flags of its first run`,
    );
  });

  it('that is a folder, or cannot be created, is rejected by name', async () => {
    const folder = temporaryFolder();
    await expect(open(folder)).rejects.toThrow(`${folder} is not a regular file`);
    const nowhere = join(folder, 'none', 'journal');
    expect(() => openJournal(nowhere, job, () => 0)).toThrow(`cannot write ${nowhere}: `);
  });
});

describe('the rest of a record', () => {
  type Step = (journal: Journal) => Promise<void> | void;
  const send =
    (targets?: Targets): Step =>
    (journal) =>
      journal.intend(P, targets);
  const end =
    (as: JournalOutcome, targets?: Targets): Step =>
    (journal) =>
      journal.end(P, targets, as, 0);
  const [P, A, B, C] = ['Post', 'TargetA', 'TargetB', 'TargetC'];

  it.each<readonly [string, readonly Step[], readonly string[]]>([
    // The state of [A, B], of [C] and of the whole post: `past: targets to send, or to wait for (in progress)`.
    ['nothing was sent', [], ['-: A B', '-: C', '-: all']],
    [
      'A is done, B failed',
      [send([A, B]), end('done', [A]), end('failed', [B])],
      ['-: B', '-: C', '-: all but A'],
    ],
    ['both are done', [send([A, B]), end('done', [A, B])], ['done', '-: C', '-: all but A B']],
    [
      'A was in flight, B is done',
      [send([A, B]), end('done', [B])],
      ['unknown: A', '-: C', 'unknown: all but B'],
    ],
    [
      'A is accepted, B failed',
      [send([A, B]), end('accepted', [A, B]), end('failed', [B])],
      ['-: B (A)', '-: C', '-: all but A (A)'],
    ],
    [
      'both are accepted',
      [send([A, B]), end('accepted', [A, B])],
      ['accepted: A B (A B)', '-: C', '-: all but A B (A B)'],
    ],
    ['both were not sent', [send([A, B]), end('unsent', [A, B])], ['-: A B', '-: C', '-: all']],
    ['the whole was in flight', [send()], ['unknown: A B', 'unknown: C', 'unknown: all']],
    ['the whole is done', [send(), end('done')], ['done', 'done', 'done']],
    ['the whole was refused', [send(), end('failed')], ['-: A B', '-: C', '-: all']],
    [
      'the whole is accepted, with unknown targets',
      [send(), end('accepted')],
      ['accepted: A B (A B)', 'accepted: C (C)', 'accepted: all but A B C'],
    ],
    [
      'the whole was sent: A is done, B failed',
      [
        send(),
        end('accepted'),
        end('accepted', [A, B]),
        end('done', [A]),
        end('failed'),
        end('failed', [B]),
      ],
      ['-: B', '-: C', '-: all but A'],
    ],
    [
      'the whole was sent: A is done, B is waited for',
      [send(), end('accepted'), end('accepted', [A, B]), end('done', [A])],
      ['accepted: B (B)', 'accepted: C (C)', 'accepted: all but A B C (B)'],
    ],
    [
      'a record of the whole named what it could',
      [send([B]), end('done', [B]), end('done')],
      ['-: A', '-: C', 'done'],
    ],
    [
      'the whole was done, and B has failed since',
      [send(), end('done'), end('failed', [B])],
      ['-: B', 'done', '-: all but A C'],
    ],
    [
      'the whole was sent after A was done and B had failed',
      [end('done', [A]), end('failed', [B]), send()],
      ['unknown: B', 'unknown: C', 'unknown: all but A'],
    ],
  ])('%s', async (_what, steps, expected) => {
    const path = newPath();
    const first = await open(path);
    const seen = (journal: Journal) => {
      const isNot = journal.outcomesOf(P).sentBefore();
      return [[A, B], [C], undefined].map((named) => {
        const { past = '-', targets, underWay } = journal.outcomesOf(P).leftToDo(named);
        if (past === 'done') return past;
        const but = [A, B, C].filter((each) => isNot?.(each) === true).map(short);
        const all = but.length === 0 ? 'all' : `all but ${but.join(' ')}`;
        const which = targets === undefined ? all : targets.map(short).join(' ');
        return `${past}: ${which}${underWay.length === 0 ? '' : ` (${underWay.map(short).join(' ')})`}`;
      });
    };
    for (const step of steps) await step(first);
    expect(seen(first)).toEqual(expected);
    await first.close();
    const second = await open(path);
    expect(seen(second)).toEqual(expected);
    await second.close();
  });
  const short = (target: string) => target.slice(-1);
});

describe('a request without an outcome', () => {
  it('is listed with its unknown targets, and settled target by target', async () => {
    const path = newPath();
    const first = await open(path);
    await first.intend('Post', ['A', 'B', 'C']);
    first.end('Post', ['C'], 'done', 0);
    await first.intend('Other', undefined);
    first.end('Other', undefined, 'unknown', 12);
    await first.intend('sha256:a', undefined, { id: 'Shown' });
    await first.intend('sha256:b', undefined);
    await first.intend('Done', undefined);
    first.end('Done', undefined, 'done', 0);
    await first.close();
    const second = await open(path);
    expect(second.unknownRequests()).toEqual([
      { key: 'Post', id: 'Post', targets: ['A', 'B'], at: 1234, until: undefined },
      { key: 'Other', id: 'Other', targets: undefined, at: 1234, until: 1234 },
      { key: 'sha256:a', id: 'Shown', targets: undefined, at: 1234, until: undefined },
      { key: 'sha256:b', id: undefined, targets: undefined, at: 1234, until: undefined },
    ]);
    second.end('Post', ['A'], 'done', 0);
    second.end('Post', ['B'], 'failed', 10);
    second.end('Other', undefined, 'done', 0);
    second.end('Other', ['D'], 'failed', 10);
    await second.close();
    const third = await open(path);
    expect(third.unknownRequests().map(({ key }) => key)).toEqual(['sha256:a', 'sha256:b']);
    expect(third.outcomesOf('Post').leftToDo(['A', 'B', 'C'])).toMatchObject({
      past: undefined,
      targets: ['B'],
    });
    expect(third.outcomesOf('Other').leftToDo(undefined)).toMatchObject({ past: undefined });
    expect(third.outcomesOf('Other').sentBefore()!('D')).toBe(false);
    expect(third.outcomesOf('Other').sentBefore()!('E')).toBe(true);
    await third.close();
  });

  it('follows the run that sent it, where there is one', async () => {
    const path = newPath();
    const journal = await open(path);
    const run = { note: 'second try', user: 'anna', host: 'here' };
    journal.begin(run);
    await journal.close();
    expect(recordsIn(path)).toEqual([header, { run, at: 1234 }]);
    await (await open(path)).close();
  });
});

const runtime = { signal: new AbortController().signal, now: () => 9000 } as Runtime;
const readUnknown = (path: string) =>
  withExistingJournal(path, runtime, async (journal) => journal.unknownRequests());

/** A journal with an intent for `PostA`. */
async function withIntent(): Promise<string> {
  const path = newPath();
  const journal = await open(path);
  await journal.intend('PostA', undefined);
  await journal.close();
  return path;
}

describe('the unknown outcomes of a journal', () => {
  it('can be settled in it, under its lock', async () => {
    const path = await withIntent();
    const seen = await withExistingJournal(path, runtime, async (journal) => {
      expect(fs.existsSync(`${path}.lock`)).toBe(true);
      expect(journal.header).toEqual(header);
      const [{ key, targets } = { key: '', targets: [] }] = journal.unknownRequests();
      journal.end(key, targets, 'done', 0);
      return 'seen';
    });
    expect(seen).toBe('seen');
    expect(fs.existsSync(`${path}.lock`)).toBe(false);
    expect(await readUnknown(path)).toEqual([]);
    const last = fs.readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)!;
    expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ end: 'PostA', at: 9000 });
  });

  it('cannot be read when there is no journal', async () => {
    const path = newPath();
    await expect(readUnknown(path)).rejects.toMatchObject({
      kind: 'usage',
      facts: { details: [{ field: '--journal', problem: `cannot read "${path}": no such file` }] },
    });
    expect(fs.existsSync(path)).toBe(false);
    fs.writeFileSync(path, '');
    await expect(readUnknown(path)).rejects.toMatchObject({
      kind: 'local_io',
      facts: { what: `${path} is not a journal; it was not changed` },
    });
    needsUnix('/proc');
    const before = openFiles();
    await expect(readUnknown(path)).rejects.toThrow('is not a journal');
    expect(openFiles()).toBe(before);
  });

  it('are released when the work fails', async () => {
    const path = await withIntent();
    const error = new Error('no');
    await expect(withExistingJournal(path, runtime, () => Promise.reject(error))).rejects.toBe(
      error,
    );
    expect(await readUnknown(path)).toHaveLength(1);
  });
});

describe('a journal that another process changes', () => {
  it.each<readonly [string, (path: string) => void]>([
    ['was deleted', (path) => fs.rmSync(path)],
    [
      'was replaced',
      (path) => {
        fs.copyFileSync(path, `${path}.new`);
        fs.renameSync(`${path}.new`, path);
      },
    ],
    ['was cut', (path) => fs.truncateSync(path, fs.statSync(path).size - 10)],
    ['was written to by another program', (path) => fs.appendFileSync(path, 'x')],
  ])('%s: no further intent is accepted', async (problem, change) => {
    const path = newPath();
    const journal = await open(path);
    await journal.intend(a, undefined);
    change(path);
    const refusal = {
      kind: 'local_io',
      message: `the journal ${path} ${problem} while the batch ran; nothing more is sent`,
    };
    await expect(journal.intend(b, undefined)).rejects.toMatchObject(refusal);
    await expect(journal.close()).rejects.toMatchObject(refusal);
  });
});

const canLimit = spawnSync('prlimit', ['--version']).status === 0;

/** Lets no file of this process grow past a size while the work is done. */
async function limited<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  onTestFinished(() => void limitFiles('unlimited'));
  limitFiles(bytes);
  try {
    return await work();
  } finally {
    limitFiles('unlimited');
  }
}

const limitFiles = (soft: number | 'unlimited') =>
  execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${soft}:`]);

const full = (path: string) => ({
  kind: 'local_io',
  message: `cannot write ${path}: the file would pass the size limit`,
});

describe.runIf(canLimit)('a full disk', () => {
  it('rejects the intent and every later one; what was stored stays', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.intend(a, undefined);
    const size = fs.statSync(path).size;
    await limited(size + 20, async () => {
      await expect(journal.intend(b, undefined)).rejects.toMatchObject(full(path));
    });
    // There is room again, but it is unknown how much of the previous line was written.
    await expect(journal.intend(c, undefined)).rejects.toMatchObject(full(path));
    await expect(journal.close()).rejects.toMatchObject(full(path));
    const again = await open(path);
    expect(again.cut).toBe(20);
    expect([a, b, c].map(pastIn(again))).toEqual(['unknown', undefined, undefined]);
    await again.close();
  });

  it('rejects all intents of the same write', async () => {
    const path = newPath();
    const journal = await open(path);
    await limited(fs.statSync(path).size, async () => {
      const asked = [a, b, c].map((key) => journal.intend(key, undefined));
      const told = await Promise.allSettled(asked);
      expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    });
    await expect(journal.close()).rejects.toMatchObject(full(path));
  });

  it('is reported at the latest on close, when only an outcome was lost', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.intend(a, undefined);
    await limited(fs.statSync(path).size, async () => {
      journal.end(a, undefined, 'done', 0);
      await expect(journal.close()).rejects.toMatchObject(full(path));
    });
    const again = await open(path);
    expect(pastIn(again)(a)).toBe('unknown');
    await again.close();
  });

  it('rejects a journal that cannot be started', async () => {
    const path = newPath();
    await limited(10, async () => {
      await expect(open(path)).rejects.toMatchObject(full(path));
    });
  });
});
