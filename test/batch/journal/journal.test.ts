// The journal itself, on real files: what a line is, what an earlier run is known for, what is refused, and what
// happens when the disk takes no more.

import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Runtime } from '../../../src/base/runtime.ts';
import {
  formatLine,
  readLine,
  type RequestEnd,
  startsJournal,
} from '../../../src/batch/journal/format.ts';
import {
  type Job,
  type Journal,
  makeJournal,
  openJournal,
  withExistingJournal,
} from '../../../src/batch/journal/journal.ts';
import { type OpenRequest, WHOLE_PART } from '../../../src/batch/journal/requests.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

// Written out: what is called while the tests are being collected judges nothing.
const job: Job = {
  job: 'ISl1flWjZ-BwL-CKdoh1OL-u-TMMT6CPMJRUx3ATYcU',
  operation: 'posts retry',
  origin: 'https://a.example',
  context: null,
};
const header = { social: 'journal', format: 3, ...job } as const;
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
const WHOLE = [WHOLE_PART];
/** The intent of a request for all of a key. */
const intent = (key: string) => ({ sent: key, parts: WHOLE, requestId: `of ${key}` });
const end = (key: string, as: RequestEnd) => ({ ended: `of ${key}`, parts: WHOLE, as });
/** Returns the past of a key in a journal. */
const pastIn = (journal: Journal) => (key: string) => {
  const requests = journal.requestsOf(key);
  if (requests.isFinished(undefined)) return 'done';
  return (['unknown', 'accepted', 'failed'] as const).find((as) => requests.has(WHOLE_PART, as));
};
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
  await journal.writeIntent(intent(a));
  journal.writeEnd(end(a, 'done'));
  await journal.writeIntent(intent(b));
  await journal.close();
  return path;
}

describe('a line', () => {
  it('is an eight-digit checksum, a space, JSON and a newline; the next checksum continues from it', () => {
    const first = formatLine({ ...intent(a), at: 1 }, 0);
    const json = `{"sent":"${a}","parts":[""],"requestId":"of ${a}","at":1}`;
    expect(first).toEqual({
      text: `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`,
      check: crc32(json),
    });
    const second = formatLine({ ...intent(b), at: 2 }, first.check);
    expect(second.check).toBe(crc32(JSON.stringify({ ...intent(b), at: 2 }), first.check));
    expect(readLine(second.text.slice(0, -1), first.check)).toEqual({
      entry: { ...intent(b), at: 2 },
      check: second.check,
    });
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
    const good = formatLine({ ...intent(a), at: 1 }, 7).text.slice(0, -1);
    expect(readLine(good, 7)).toBeDefined();
    expect(readLine(damage(good), 7)).toBeUndefined();
  });

  it('is invalid after another line than the one it was written after', () => {
    const good = formatLine({ ...intent(a), at: 1 }, 7).text.slice(0, -1);
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
    await journal.writeIntent(intent(a));
    expect(recordsIn(path).at(-1)).toEqual({ ...intent(a), at: 1234 });
    journal.writeEnd(end(a, 'failed'));
    await journal.writeIntent(intent(b));
    journal.writeEnd(end(b, 'done'));
    await journal.close();
    expect(recordsIn(path).slice(2)).toEqual([
      { ...end(a, 'failed'), at: 1234 },
      { ...intent(b), at: 1234 },
      { ...end(b, 'done'), at: 1234 },
    ]);
  });
});

describe('an old journal', () => {
  it('knows what is done and what was in progress, and is appended to', async () => {
    const path = await begun();
    const journal = await open(path);
    expect([a, b, c].map(pastIn(journal))).toEqual(['done', 'unknown', undefined]);
    await journal.writeIntent(intent(c));
    await journal.close();
    expect(recordsIn(path)).toHaveLength(5);
  });

  it.each(['0badc0de {"sent":"never-fin', 'x', '0badc0de {"sent":"é'.slice(0, -1)])(
    'that ends in the middle of a line is cut by exactly these bytes: %j',
    async (torn) => {
      const path = await begun();
      const whole = fs.readFileSync(path);
      fs.appendFileSync(path, torn);
      const journal = await open(path);
      expect(journal.cut).toBe(Buffer.byteLength(torn));
      expect(fs.readFileSync(path)).toEqual(whole);
      expect([a, b].map(pastIn(journal))).toEqual(['done', 'unknown']);
      await journal.writeIntent(intent(c));
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

  it.each([2, 4])('of format %i is rejected, and left unchanged', async (format) => {
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

describe('a request without an outcome', () => {
  const openIn = (journal: Journal) => journal.all().flatMap((each) => each.openRequests());
  const shown = ({ key, id, parts, run, ended }: OpenRequest) =>
    [key, id, parts.join(), run, ended?.as].map((each) => each ?? '-').join(' ');

  it('is listed with its unknown parts, and settled part by part', async () => {
    const path = newPath();
    const first = await open(path);
    await first.writeIntent({ sent: 'Post', parts: ['A', 'B', 'C'], requestId: 'r1' });
    first.writeEnd({ ended: 'r1', parts: ['C'], as: 'done' });
    first.begin({ entry: 'run-2', user: 'anna', host: 'here' });
    await first.writeIntent(intent('Other'));
    first.writeEnd({ ...end('Other', 'unknown'), status: 502, date: 5000 });
    await first.writeIntent({ ...intent('sha256:a'), id: 'Shown' });
    await first.writeIntent(intent('sha256:b'));
    await first.writeIntent(intent('Done'));
    first.writeEnd(end('Done', 'done'));
    await first.close();
    const second = await open(path);
    expect(openIn(second).map(shown)).toEqual([
      'Post Post A,B - -',
      'Other Other  run-2 unknown',
      'sha256:a Shown  run-2 -',
      'sha256:b -  run-2 -',
    ]);
    expect(openIn(second)[1]!.ended).toMatchObject({ status: 502, date: 5000 });
    // A request that settle finds in progress stays open, until it is published.
    second.writeEnd({ ended: 'r1', parts: ['A'], as: 'accepted', settled: true });
    second.writeEnd({ ended: 'r1', parts: ['B'], as: 'not done', settled: true });
    second.writeEnd({ ...end('Other', 'failed'), settled: true });
    await second.close();
    const third = await open(path);
    expect(openIn(third).map(shown)).toEqual([
      'Post Post A - accepted',
      'sha256:a Shown  run-2 -',
      'sha256:b -  run-2 -',
    ]);
    const post = third.requestsOf('Post');
    expect(['A', 'B', 'C'].map((part) => post.maySend(part, true))).toEqual([false, true, false]);
    third.writeDone('Post', ['A']);
    expect(openIn(third).map(({ key }) => key)).toEqual(['sha256:a', 'sha256:b']);
    await third.close();
  });
});

const runtime = { signal: new AbortController().signal, now: () => 9000 } as Runtime;
const readUnknown = (path: string) =>
  withExistingJournal(path, runtime, async (journal) =>
    journal.all().flatMap((each) => each.openRequests()),
  );

/** A journal with an intent for `PostA`. */
async function withIntent(): Promise<string> {
  const path = newPath();
  const journal = await open(path);
  await journal.writeIntent(intent('PostA'));
  await journal.close();
  return path;
}

describe('the unknown outcomes of a journal', () => {
  it('can be settled in it, under its lock', async () => {
    const path = await withIntent();
    const seen = await withExistingJournal(path, runtime, async (journal) => {
      expect(fs.existsSync(`${path}.lock`)).toBe(true);
      expect(journal.header).toEqual(header);
      journal.writeEnd({ ...end('PostA', 'not done'), settled: true });
      return 'seen';
    });
    expect(seen).toBe('seen');
    expect(fs.existsSync(`${path}.lock`)).toBe(false);
    expect(await readUnknown(path)).toEqual([]);
    const last = fs.readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)!;
    expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({
      ...end('PostA', 'not done'),
      settled: true,
      at: 9000,
    });
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
    await journal.writeIntent(intent(a));
    change(path);
    const refusal = {
      kind: 'local_io',
      message: `the journal ${path} ${problem} while the batch ran; nothing more is sent`,
    };
    await expect(journal.writeIntent(intent(b))).rejects.toMatchObject(refusal);
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
    await journal.writeIntent(intent(a));
    const size = fs.statSync(path).size;
    await limited(size + 20, async () => {
      await expect(journal.writeIntent(intent(b))).rejects.toMatchObject(full(path));
    });
    // There is room again, but it is unknown how much of the previous line was written.
    await expect(journal.writeIntent(intent(c))).rejects.toMatchObject(full(path));
    await expect(journal.close()).rejects.toMatchObject(full(path));
    const again = await open(path);
    expect(again.cut).toBe(20);
    expect([a, b, c].map(pastIn(again))).toEqual(['unknown', undefined, undefined]);
    await again.close();
  });

  it('is reported at the latest on close, when only an outcome was lost', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.writeIntent(intent(a));
    await limited(fs.statSync(path).size, async () => {
      journal.writeEnd(end(a, 'done'));
      await expect(journal.close()).rejects.toMatchObject(full(path));
    });
    const again = await open(path);
    expect(pastIn(again)(a)).toBe('unknown');
    await again.close();
  });
});
