// The journal itself, on real files: what a line is, what an earlier run is known for, what is refused, and what
// happens when the disk takes no more.

import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  fingerprintOf,
  keyHash,
  type JournalOutcome,
  keyOf,
  formatLine,
  outcomes,
  readLine,
  readJournalState,
  startsJournal,
} from '../../../src/batch/journal/format.ts';
import { type Job, openJournal } from '../../../src/batch/journal/journal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

// Written out: what is called while the tests are being collected judges nothing.
const job: Job = {
  job: 'ISl1flWjZ-BwL-CKdoh1OL-u-TMMT6CPMJRUx3ATYcU',
  operation: 'posts retry',
  origin: 'https://a.example',
  context: null,
};
const heading = { social: 'journal', format: 1, ...job } as const;
const [a, b, c] = [
  'aaaaaaaaaaaaaaaaaaaaaa',
  'bbbbbbbbbbbbbbbbbbbbbb',
  'cccccccccccccccccccccc',
] as const;
const one = (key: string) => [{ key }];
const newPath = () => join(temporaryFolder(), 'journal');
const open = (path: string, of: Job = job) => openJournal(path, of, () => 1234);
const linesIn = (path: string) => fs.readFileSync(path, 'utf8').split('\n').slice(0, -1);

const openFiles = (): number => fs.readdirSync('/proc/self/fd').length;

/** The records of a journal, each of its lines checked. */
function recordsIn(path: string): unknown[] {
  let check = 0;
  return linesIn(path).map((line) => {
    const read = readLine(line, check)!;
    check = read.check;
    return read.record;
  });
}

/** A journal in which `a` is done, `b` under way and `c` unknown to it. */
async function begun(): Promise<string> {
  const path = newPath();
  const journal = await open(path);
  await journal.intend(one(a), 'PostA');
  journal.end(one(a), 'PostA', 'done', 0);
  await journal.intend(one(b), undefined);
  await journal.close();
  return path;
}

describe('a line', () => {
  it('is a checksum in eight digits, a blank, JSON and an end; the next one goes on from it', () => {
    const first = formatLine({ do: a, at: 1 }, 0);
    const json = `{"do":"${a}","at":1}`;
    expect(first).toEqual({
      text: `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`,
      check: crc32(json),
    });
    const second = formatLine({ do: b, at: 2 }, first.check);
    expect(second.check).toBe(crc32(`{"do":"${b}","at":2}`, first.check));
    expect(readLine(second.text.slice(0, -1), first.check)).toEqual({
      record: { do: b, at: 2 },
      check: second.check,
    });
  });

  it('has leading zeros in its checksum where it needs them', () => {
    const small = Array.from({ length: 5000 }, (_, at) => formatLine({ do: a, at }, 0)).find(
      ({ check }) => check < 0x0100_0000,
    )!;
    expect(small.text).toMatch(/^0[0-9a-f]{7} \{/);
    expect(readLine(small.text.slice(0, -1), 0)?.check).toBe(small.check);
  });

  it.each<readonly [what: string, damage: (good: string) => string]>([
    ['changed', (good) => good.replace('"at":1', '"at":2')],
    ['with another checksum', (good) => `00000000${good.slice(8)}`],
    ['with something else for the blank', (good) => `${good.slice(0, 8)}_${good.slice(9)}`],
    ['with a checksum in no digits', (good) => `zzzzzzzz${good.slice(8)}`],
    ['cut', (good) => good.slice(0, -1)],
    ['empty', () => ''],
    ['of other text, whose checksum is right', () => `${crc32('no json', 7).toString(16)} no json`],
  ])('%s is none', (_what, damage) => {
    const good = formatLine({ do: a, at: 1 }, 7).text.slice(0, -1);
    expect(readLine(good, 7)).toBeDefined();
    expect(readLine(damage(good), 7)).toBeUndefined();
  });

  it('after another one than it was written after is none', () => {
    const good = formatLine({ do: a, at: 1 }, 7).text.slice(0, -1);
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
  ])('%j may begin a journal: %s', (start, may) => {
    expect(startsJournal(start)).toBe(may);
  });
});

describe('a key', () => {
  it('is 132 bits of SHA-256, its hash the first 64 of them', () => {
    // sha256sum of nothing.
    expect(fingerprintOf('')).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
    expect(keyOf('')).toBe('47DEQpj8HBSa-_TImW-5JC');
    expect(keyHash(keyOf(''))).toEqual({ high: 0xe3b0c442, low: 0x98fc1c14 });
    expect(keyOf('é')).not.toBe(keyOf('è'));
  });
});

describe('a new journal', () => {
  it('is private, begins with its job, and knows of nothing', async () => {
    needsUnix('owners and modes');
    const path = newPath();
    const journal = await open(path);
    // Before anything is sent the heading is on the disk.
    expect(recordsIn(path)).toEqual([heading]);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    expect(journal.cut).toBe(0);
    expect(journal.before(a)).toBeUndefined();
    await journal.close();
    expect(recordsIn(path)).toEqual([heading]);
  });

  it('keeps an intent before it says so, and an outcome at the latest when it is closed', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.intend(one(a), 'PostA');
    expect(recordsIn(path).at(-1)).toEqual({ do: a, id: 'PostA', at: 1234 });
    journal.end(one(a), 'PostA', 'failed', 6);
    await journal.intend(one(b), undefined);
    journal.end(one(b), undefined, 'done', 0);
    await journal.close();
    expect(recordsIn(path).slice(2)).toEqual([
      { end: a, id: 'PostA', as: 'failed', exit: 6, at: 1234 },
      { do: b, at: 1234 },
      { end: b, as: 'done', exit: 0, at: 1234 },
    ]);
  });

  it('takes many at once, each line whole and in its order', async () => {
    const path = newPath();
    const journal = await open(path);
    const keys = Array.from({ length: 500 }, (_, i) => keyOf(`${i}`));
    await Promise.all(
      keys.map(async (key, i) => {
        await journal.intend(one(key), `${i}`);
        journal.end(one(key), `${i}`, 'done', 0);
      }),
    );
    await journal.close();
    const records = recordsIn(path) as { do?: string; end?: string }[];
    expect(records).toHaveLength(1001);
    for (const key of keys) {
      const [intent, end] = ['do', 'end'].map((word) =>
        records.findIndex((each) => each[word as 'do' | 'end'] === key),
      );
      expect(intent).toBeGreaterThan(0);
      expect(end).toBeGreaterThan(intent!);
    }
  });

  it('takes what comes while it writes, too', { timeout: 5000 }, async () => {
    const path = newPath();
    const journal = await open(path);
    const kept: Promise<void>[] = [];
    for (let i = 0; i < 50; i++) {
      kept.push(journal.intend(one(keyOf(`${i}`)), undefined));
      await new Promise(setImmediate);
    }
    await Promise.all(kept);
    // An outcome needs nobody who waits for it.
    const last = journal.intend(one(a), undefined);
    await new Promise(setImmediate);
    journal.end(one(b), undefined, 'done', 0);
    await last;
    await expect
      .poll(() => recordsIn(path).at(-1), { timeout: 3000 })
      .toEqual({ end: b, as: 'done', exit: 0, at: 1234 });
    // Nor does it need anything to write to be closed.
    const closing = journal.intend(one(c), undefined);
    await new Promise(setImmediate);
    await journal.close();
    await closing;
    expect(recordsIn(path)).toHaveLength(54);
  });

  it('that was empty before is made private', async () => {
    needsUnix('owners and modes');
    const path = newPath();
    fs.writeFileSync(path, '', { mode: 0o644 });
    await (await open(path)).close();
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    expect(recordsIn(path)).toEqual([heading]);
  });
});

describe('an old journal', () => {
  it('knows what is done and what was under way, and goes on behind it', async () => {
    const path = await begun();
    const journal = await open(path);
    expect([a, b, c].map(journal.before)).toEqual(['done', 'unknown', undefined]);
    await journal.intend(one(c), undefined);
    await journal.close();
    expect(recordsIn(path)).toHaveLength(5);
  });

  it.each(outcomes)('knows of %s', async (outcome) => {
    const path = newPath();
    const first = await open(path);
    await first.intend(one(a), undefined);
    first.end(one(a), undefined, outcome, 1);
    first.end(one(b), undefined, outcome, 1);
    await first.close();
    const second = await open(path);
    expect([a, b].map(second.before)).toEqual([outcome, outcome]);
    await second.close();
  });

  it('goes by what was said last', async () => {
    const path = newPath();
    const first = await open(path);
    first.end(one(a), undefined, 'failed', 6);
    await first.intend(one(a), undefined);
    first.end(one(b), undefined, 'unknown', 12);
    first.end(one(b), undefined, 'done', 0);
    await first.close();
    const second = await open(path);
    expect([a, b].map(second.before)).toEqual(['unknown', 'done']);
    await second.close();
  });

  it('of more than one read is read whole, with letters of several bytes at the seams', async () => {
    const path = newPath();
    const first = await open(path);
    const keys = Array.from({ length: 8000 }, (_, i) => keyOf(`many ${i}`));
    for (const [i, key] of keys.entries())
      first.end(one(key), '日本'.repeat(1 + (i % 7)), i % 2 === 0 ? 'done' : 'failed', 0);
    await first.close();
    expect(fs.statSync(path).size).toBeGreaterThan(3 * 256 * 1024);
    const second = await open(path);
    expect(keys.every((key, i) => second.before(key) === (i % 2 === 0 ? 'done' : 'failed'))).toBe(
      true,
    );
    await second.close();
  });

  it.each(['0badc0de {"do":"never-fin', 'x', '0badc0de {"do":"é'.slice(0, -1)])(
    'that ends in the middle of a line is cut back by the bytes of that: %j',
    async (torn) => {
      const path = await begun();
      const whole = fs.readFileSync(path);
      fs.appendFileSync(path, torn);
      const journal = await open(path);
      expect(journal.cut).toBe(Buffer.byteLength(torn));
      expect(fs.readFileSync(path)).toEqual(whole);
      expect([a, b].map(journal.before)).toEqual(['done', 'unknown']);
      await journal.intend(one(c), undefined);
      await journal.close();
      expect(recordsIn(path)).toHaveLength(5);
    },
  );

  it('with an empty line where a read begins is damaged, not torn', async () => {
    const path = newPath();
    const CHUNK = 256 * 1024;
    let check = 0;
    let text = '';
    const add = (record: Parameters<typeof formatLine>[0]) => {
      const line = formatLine(record, check);
      check = line.check;
      text += line.text;
    };
    add(heading);
    const shortest = formatLine({ do: a, id: '', at: 1 }, 0).text.length;
    let lines = 2;
    for (; CHUNK - text.length > 5 * shortest; lines++) add({ do: a, id: 'x'.repeat(100), at: 1 });
    add({ do: a, id: 'x'.repeat(CHUNK - text.length - shortest), at: 1 });
    expect(text).toHaveLength(CHUNK);
    fs.writeFileSync(path, `${text}\n`);
    await expect(open(path)).rejects.toThrow(`journal line ${lines + 1} is damaged`);
    expect(fs.statSync(path).size).toBe(CHUNK + 1);
  });

  it('of which only a part of the heading was written is begun anew', async () => {
    const path = newPath();
    fs.writeFileSync(path, linesIn(await begun())[0]!.slice(0, 60));
    const journal = await open(path);
    expect(journal.cut).toBe(60);
    await journal.close();
    expect(recordsIn(path)).toEqual([heading]);
  });

  it.each([1, 2, 3, 4])(
    'with a damaged line %i is refused by its number, and left alone',
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
  ])('that is none but %s is refused, and left alone', async (_what, text) => {
    const path = newPath();
    fs.writeFileSync(path, text);
    await expect(open(path)).rejects.toMatchObject({
      kind: 'local_io',
      message: `${path} is not a journal; it was not changed`,
    });
    expect(fs.readFileSync(path, 'utf8')).toBe(text);
  });

  it('of a newer format is refused, and left alone', async () => {
    const path = newPath();
    const { text } = formatLine({ ...heading, format: 2 }, 0);
    fs.writeFileSync(path, text);
    await expect(open(path)).rejects.toMatchObject({
      kind: 'local_io',
      message: `${path} was written by a newer version of social (format 2); it was not changed`,
    });
    expect(fs.readFileSync(path, 'utf8')).toBe(text);
  });

  it('of another job is refused with what it is about, and left alone', async () => {
    const path = await begun();
    const before = fs.readFileSync(path);
    await expect(open(path, { ...job, job: 'another' })).rejects.toMatchObject({
      kind: 'local_io',
      message: `this journal belongs to another job: ${path} was started with other flags`,
    });
    expect(fs.readFileSync(path)).toEqual(before);
    const named = newPath();
    await (await open(named, { ...job, context: 'prod' })).close();
    const another = { ...job, job: 'another', context: 'prod' };
    for (const [own, differs] of [
      [{ operation: 'posts get' }, 'is for posts retry, not for posts get'],
      [{ origin: 'https://b.example' }, 'is for https://a.example, not for https://b.example'],
      [{ context: null }, 'was started in context prod, not in no context'],
    ] as const)
      await expect(open(named, { ...another, ...own })).rejects.toThrow(`${named} ${differs}`);
  });

  it('that is a folder, or in a place where none can be, is refused by name', async () => {
    const folder = temporaryFolder();
    await expect(open(folder)).rejects.toThrow(`${folder} is not a regular file`);
    const nowhere = join(folder, 'none', 'journal');
    await expect(open(nowhere)).rejects.toThrow(`cannot write ${nowhere}: `);
  });

  it('leaves no file open behind it, also where it refuses one', async () => {
    const path = await begun();
    const before = openFiles();
    for (let i = 0; i < 5; i++) {
      await (await open(path)).close();
      await expect(open(path, { ...job, job: 'another' })).rejects.toThrow('another job');
    }
    expect(openFiles()).toBe(before);
  });
});

describe('the parts of a whole', () => {
  const part = (key: string) => [{ key, of: c }];
  type Kept = Awaited<ReturnType<typeof open>>;

  /** Whether a later run finds that a part is unknown, after this has been kept. */
  async function unknownAfter(keep: (journal: Kept) => Promise<void> | void): Promise<boolean> {
    const path = newPath();
    const first = await open(path);
    await keep(first);
    await first.close();
    const second = await open(path);
    const is = second.hasPart(c, 'unknown');
    expect([a, b].map((key) => second.hasPart(key, 'unknown'))).toEqual([false, false]);
    await second.close();
    return is;
  }

  it.each<readonly [what: string, keep: (journal: Kept) => Promise<void> | void, is: boolean]>([
    ['nothing was sent', () => undefined, false],
    ['a part was under way', (journal) => journal.intend(part(a), 'PostA'), true],
    ['two parts were under way', (journal) => journal.intend([...part(a), ...part(b)], ''), true],
    [
      'a part is done',
      async (journal) => {
        await journal.intend(part(a), 'PostA');
        journal.end(part(a), 'PostA', 'done', 0);
      },
      false,
    ],
    [
      'a part is done and another was under way',
      async (journal) => {
        await journal.intend([...part(a), ...part(b)], 'PostA');
        journal.end(part(b), 'PostA', 'done', 0);
      },
      true,
    ],
    [
      'both are done, one after the other',
      async (journal) => {
        await journal.intend([...part(a), ...part(b)], 'PostA');
        journal.end(part(b), 'PostA', 'failed', 6);
        journal.end(part(a), 'PostA', 'done', 0);
      },
      false,
    ],
    [
      'what was not known is done in the end',
      async (journal) => {
        await journal.intend(part(a), 'PostA');
        journal.end(part(a), 'PostA', 'unknown', 12);
        await journal.intend(part(a), 'PostA');
        journal.end(part(a), 'PostA', 'done', 0);
      },
      false,
    ],
    [
      'what failed is under way again',
      async (journal) => {
        journal.end(part(a), 'PostA', 'failed', 6);
        await journal.intend(part(a), 'PostA');
      },
      true,
    ],
    [
      'more was done than was ever unknown, and then a part was under way',
      async (journal) => {
        journal.end(part(b), 'PostA', 'done', 0);
        journal.end(part(b), 'PostA', 'failed', 6);
        await journal.intend(part(a), 'PostA');
      },
      true,
    ],
    ['the whole was under way, as no part', (journal) => journal.intend(one(c), 'PostA'), false],
  ])('are known: %s', async (_what, keep, is) => {
    expect(await unknownAfter(keep)).toBe(is);
  });

  type Step = readonly ['do' | JournalOutcome, of: string];
  it.each<readonly [steps: readonly Step[], accepted: boolean, since: readonly string[]]>([
    [[['accepted', a]], true, []],
    [
      [
        ['accepted', a],
        ['done', a],
      ],
      false,
      [],
    ],
    [
      [
        ['accepted', a],
        ['accepted', b],
        ['failed', a],
      ],
      true,
      [],
    ],
    [
      [
        ['failed', a],
        ['do', c],
        ['accepted', c],
      ],
      false,
      [],
    ],
    [
      [
        ['do', c],
        ['failed', a],
      ],
      false,
      [a],
    ],
    [
      [
        ['accepted', c],
        ['failed', a],
        ['done', b],
      ],
      false,
      [a, b],
    ],
    [
      [
        ['accepted', c],
        ['failed', a],
        ['do', c],
      ],
      false,
      [],
    ],
    [
      [
        ['accepted', c],
        ['do', a],
      ],
      false,
      [],
    ],
  ])(
    'are known by their order: %j: accepted %s, ended since %j',
    async (steps, accepted, since) => {
      const path = newPath();
      const first = await open(path);
      for (const [step, of] of steps) {
        const keys = of === c ? one(c) : part(of);
        if (step === 'do') await first.intend(keys, 'PostA');
        else first.end(keys, 'PostA', step, 0);
      }
      await first.close();
      const second = await open(path);
      expect(second.hasPart(c, 'accepted')).toBe(accepted);
      expect([a, b, c].filter((key) => second.hasEndedSince(c, key))).toEqual(since);
      await second.close();
    },
  );

  it('of a list have not ended since their whole was listed', async () => {
    const path = newPath();
    const first = await open(path);
    await first.list([keyHash(c)]);
    first.end(part(a), 'PostA', 'failed', 6);
    await first.close();
    const second = await open(path);
    expect(second.hasEndedSince(c, a)).toBe(false);
    await second.close();
  });
});

describe('the list of what is to be done', () => {
  const keys = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => keyOf(`listed ${from + i}`));
  const hashesOf = (names: readonly string[]) => names.map(keyHash);

  it('is new at first, and then told apart from the one before', async () => {
    const path = newPath();
    const first = await open(path);
    expect(await first.list(hashesOf(keys(5)))).toBeUndefined();
    expect(first.left()).toBe(5);
    await first.close();
    const second = await open(path);
    expect(second.left()).toBe(5);
    expect(await second.list(hashesOf(keys(5, 2)))).toEqual({ added: 2, removed: 2 });
    expect(second.left()).toBe(7);
    await second.close();
    const third = await open(path);
    expect(await third.list(hashesOf(keys(7)))).toEqual({ added: 0, removed: 0 });
    await third.close();
    const fourth = await open(path);
    expect(await fourth.list([])).toEqual({ added: 0, removed: 7 });
    await fourth.close();
  });

  it('is kept once: the same again adds nothing to the file', async () => {
    const path = newPath();
    const first = await open(path);
    await first.list(hashesOf(keys(5)));
    await first.list(hashesOf(keys(5)));
    await first.close();
    expect(recordsIn(path)).toHaveLength(2);
  });

  it('says what is left: all but what is done', async () => {
    const path = newPath();
    const [done, failed, unknown, untouched] = keys(4) as [string, string, string, string];
    const first = await open(path);
    await first.list(hashesOf([done, failed, unknown, untouched]));
    for (const [key, as] of [
      [done, 'done'],
      [failed, 'failed'],
      [unknown, 'unknown'],
    ] as const) {
      await first.intend(one(key), undefined);
      first.end(one(key), undefined, as, 0);
    }
    expect(first.left()).toBe(3);
    expect([done, failed, unknown, untouched].map(first.before)).toEqual([
      'done',
      'failed',
      'unknown',
      undefined,
    ]);
    await first.close();
    const second = await open(path);
    expect(second.left()).toBe(3);
    expect([done, failed, unknown, untouched].map(second.before)).toEqual([
      'done',
      'failed',
      'unknown',
      undefined,
    ]);
    // What is listed again is as it was.
    await second.list(hashesOf([done, failed, unknown, untouched]));
    expect(second.before(done)).toBe('done');
    await second.close();
  });

  it('says of what was not sent that it is left, unless it was skipped', async () => {
    const [skipped, stopped, failed] = keys(3) as [string, string, string];
    const journal = await open(newPath());
    await journal.list(hashesOf([skipped, stopped, failed]));
    journal.end(one(skipped), undefined, 'unsent', 0);
    expect(journal.left()).toBe(2);
    journal.end(one(stopped), undefined, 'unsent', 130);
    journal.end(one(failed), undefined, 'failed', 0);
    expect(journal.left()).toBe(2);
    await journal.close();
  });

  it('keeps the outcome of what a later list names again', async () => {
    const path = newPath();
    const [key] = keys(1) as [string];
    const journal = await open(path);
    await journal.list(hashesOf([key]));
    journal.end(one(key), undefined, 'done', 0);
    await journal.close();
    const [first, list, ...rest] = recordsIn(path) as Parameters<typeof formatLine>[0][];
    let check = 0;
    const lines = [first!, list!, ...rest, list!].map((record) => {
      const line = formatLine(record, check);
      check = line.check;
      return line.text;
    });
    fs.writeFileSync(path, lines.join(''));
    const again = await open(path);
    expect(again.before(key)).toBe('done');
    await again.close();
  });

  it('comes with the note of the run, where there is one', async () => {
    const path = newPath();
    const journal = await open(path);
    journal.begin(undefined);
    const run = { note: 'second try', user: 'anna', host: 'here' };
    journal.begin(run);
    await journal.close();
    expect(recordsIn(path)).toEqual([heading, { list: '', ...run, at: 1234 }]);
    const again = await open(path);
    expect(again.left()).toBe(0);
    await again.close();
  });

  it.each([1, 4999, 5000, 5001, 10_000, 10_001])('of %i is found whole', async (count) => {
    const path = newPath();
    const first = await open(path);
    await first.list(hashesOf(keys(count)));
    await first.close();
    for (const record of recordsIn(path).slice(1)) {
      const { list } = record as { list: string };
      expect(Buffer.from(list, 'base64').length % 8).toBe(0);
      expect(list.length).toBeGreaterThan(0);
      expect(list.length).toBeLessThan(70_000);
    }
    const second = await open(path);
    expect(second.left()).toBe(count);
    expect(await second.list(hashesOf(keys(count)))).toEqual({ added: 0, removed: 0 });
    await second.close();
  });
});

describe('what an earlier run has left', () => {
  it('is nothing for an empty file', () => {
    const path = newPath();
    fs.writeFileSync(path, '');
    const fd = fs.openSync(path, 'r+');
    const past = readJournalState(fd, path);
    fs.closeSync(fd);
    expect(past).toMatchObject({ heading: undefined, check: 0, cut: 0 });
    expect(past.marks.size).toBe(0);
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

describe.runIf(canLimit)('a disk that takes no more', () => {
  it('lets no intent through, and none after it; what was kept stays', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.intend(one(a), 'PostA');
    const size = fs.statSync(path).size;
    await limited(size + 20, async () => {
      await expect(journal.intend(one(b), 'PostB')).rejects.toMatchObject(full(path));
    });
    // There is room again, yet nobody knows how much of the line before has come out.
    await expect(journal.intend(one(c), 'PostC')).rejects.toMatchObject(full(path));
    await expect(journal.close()).rejects.toMatchObject(full(path));
    const again = await open(path);
    expect(again.cut).toBe(20);
    expect([a, b, c].map(again.before)).toEqual(['unknown', undefined, undefined]);
    await again.close();
  });

  it('refuses all who came together', async () => {
    const path = newPath();
    const journal = await open(path);
    await limited(fs.statSync(path).size, async () => {
      const asked = [a, b, c].map((key) => journal.intend(one(key), undefined));
      const told = await Promise.allSettled(asked);
      expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    });
    await expect(journal.close()).rejects.toMatchObject(full(path));
  });

  it('is told at the latest when the journal is closed, where only an outcome was lost', async () => {
    const path = newPath();
    const journal = await open(path);
    await journal.intend(one(a), undefined);
    await limited(fs.statSync(path).size, async () => {
      journal.end(one(a), undefined, 'done', 0);
      await expect(journal.close()).rejects.toMatchObject(full(path));
    });
    const again = await open(path);
    expect(again.before(a)).toBe('unknown');
    await again.close();
  });

  it('refuses a journal that cannot even be begun', async () => {
    const path = newPath();
    await limited(10, async () => {
      await expect(open(path)).rejects.toMatchObject(full(path));
    });
  });
});
