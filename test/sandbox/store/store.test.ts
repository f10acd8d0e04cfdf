// The state file: what it keeps through crashes, damage and several processes at once.

import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoredChange } from '../../../src/sandbox/store/tables.ts';
import { inLetters } from '../../../src/sandbox/seed/builders.ts';
import { openState } from '../../../src/sandbox/store/store.ts';
import { built, endOf, start } from '../../fs/program.ts';
import { failedPost, openSandbox, START, temporaryFolder } from '../sandbox.ts';
import { needsUnix } from '../../support/unix.ts';

const folderOfProgram = fs.mkdtempSync(join(tmpdir(), 'social-state-'));
let program = '';
beforeAll(async () => {
  program = await built(new URL('../programs/counting.ts', import.meta.url), folderOfProgram);
});
afterAll(() => fs.rmSync(folderOfProgram, { recursive: true, force: true }));

const seed = () => [audience('a', 'seeded'), audience('b', 'seeded')];
const many = (now: number) => Array.from({ length: 100 }, (_, n) => failedPost(n, now));
const audience = (id: string, name: string): StoredChange => ['audience', id, { id, name }];

async function open(folder: string, notes: string[] = []) {
  return openState({
    stateDir: folder,
    now: () => START,
    note: (line) => void notes.push(line),
    seed,
  });
}

type State = Awaited<ReturnType<typeof open>>;
const nameOf = (state: State, id: string) =>
  state.read((records) => records.get('audience', id)?.name);
const rename = (state: State, id: string, name: string) =>
  state.change((records) => records.put('audience', id, { id, name }));
const fileIn = (folder: string) => join(folder, 'sandbox.ndjson');

it('keeps changes in one private file of lines', async () => {
  needsUnix('owners and modes');
  const folder = join(temporaryFolder(), 'state');
  const state = await open(folder);
  const { token, createdAt } = await state.header();
  await rename(state, 'a', 'changed');
  await state.change((records) => records.delete('audience', 'b'));
  state.close();
  const lines = fs
    .readFileSync(fileIn(folder), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(lines[0]).toEqual({ format: 1, token, createdAt, start: 'demo' });
  expect(lines.slice(-2)).toEqual([[audience('a', 'changed')], [['audience', 'b', null]]]);
  expect(fs.statSync(fileIn(folder)).mode & 0o777).toBe(0o600);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(fs.readdirSync(folder)).toEqual(['sandbox.ndjson']);

  const again = await open(folder);
  expect(await again.header()).toEqual({ format: 1, token, createdAt, start: 'demo' });
  expect([await nameOf(again, 'a'), await nameOf(again, 'b')]).toEqual(['changed', undefined]);
  again.close();
});

it('keeps nothing of work that throws', async () => {
  const folder = temporaryFolder();
  const state = await open(folder);
  const size = fs.statSync(fileIn(folder)).size;
  const work = state.change((records) => {
    records.put('audience', 'a', { id: 'a', name: 'half' });
    expect(records.get('audience', 'a')?.name).toBe('half');
    throw new Error('refused');
  });
  await expect(work).rejects.toThrow('refused');
  expect(await nameOf(state, 'a')).toBe('seeded');
  expect(fs.statSync(fileIn(folder)).size).toBe(size);
  state.close();
});

it('runs a reader again under the lock when it turns out to change something', async () => {
  const state = await open(temporaryFolder());
  let runs = 0;
  await state.read((records) => {
    runs++;
    records.put('audience', 'a', { id: 'a', name: 'looked at' });
  });
  expect([runs, await nameOf(state, 'a')]).toEqual([2, 'looked at']);
  state.close();
});

it('sees at once what another has changed, and loses nothing of either', async () => {
  const folder = temporaryFolder();
  const [one, two] = [await open(folder), await open(folder)];
  await rename(one, 'a', 'by one');
  expect(await nameOf(two, 'a')).toBe('by one');
  await rename(two, 'b', 'by two');
  await rename(one, 'c', 'by one');
  expect([await nameOf(one, 'b'), await nameOf(two, 'c')]).toEqual(['by two', 'by one']);
  await two.reset();
  expect([await nameOf(one, 'a'), await nameOf(one, 'c')]).toEqual(['seeded', undefined]);
  expect(await one.header()).toEqual(await two.header());
  one.close();
  two.close();
});

it.each([
  ['half a line', '[["audience","a",{"id":"a","na'],
  ['half a character', Buffer.from([0x5b, 0x22, 0xe3, 0x81])],
  ['a last line that is no JSON', '[["audience"\n'],
  ['zeros', Buffer.alloc(512)],
])('drops %s at the end and goes on after it', async (_what, torn) => {
  const folder = temporaryFolder();
  const before = await open(folder);
  await rename(before, 'a', 'kept');
  fs.appendFileSync(fileIn(folder), torn);
  expect(await nameOf(before, 'a')).toBe('kept');

  const notes: string[] = [];
  const state = await open(folder, notes);
  expect(await nameOf(state, 'a')).toBe('kept');
  await rename(state, 'b', 'after');
  const text = fs.readFileSync(fileIn(folder), 'utf8');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
      .at(-1),
  ).toEqual([audience('b', 'after')]);
  expect(await nameOf(before, 'b')).toBe('after');
  expect(notes).toEqual([]);
  before.close();
  state.close();
});

it.each([
  ['a line in the middle', (text: string) => text.replace('"seeded"', '"see')],
  ['the header', (text: string) => text.slice(3)],
  ['a change of no shape', (text: string) => `${text}[["audience"]]\n[]\n`],
  ['everything', () => ''],
])('starts anew when %s is damaged, and keeps the old file', async (_what, damage) => {
  const folder = temporaryFolder();
  const first = await open(folder);
  const { token } = await first.header();
  await rename(first, 'a', 'lost');
  first.close();
  const damaged = damage(fs.readFileSync(fileIn(folder), 'utf8'));
  fs.writeFileSync(fileIn(folder), damaged);
  fs.writeFileSync(`${fileIn(folder)}.damaged-1`, 'an older one');

  const notes: string[] = [];
  const state = await open(folder, notes);
  expect(await nameOf(state, 'a')).toBe('seeded');
  expect((await state.header()).token).not.toBe(token);
  expect(fs.readFileSync(`${fileIn(folder)}.damaged-2`, 'utf8')).toBe(damaged);
  expect(fs.readFileSync(`${fileIn(folder)}.damaged-1`, 'utf8')).toBe('an older one');
  expect(notes).toEqual([expect.stringContaining('was damaged')]);
  state.close();
});

it('goes on when the file is damaged or deleted under it', async () => {
  const folder = temporaryFolder();
  const notes: string[] = [];
  const state = await open(folder, notes);
  fs.appendFileSync(fileIn(folder), 'x\n[]\n');
  expect(await nameOf(state, 'a')).toBe('seeded');
  expect(notes).toHaveLength(1);
  await rename(state, 'a', 'gone soon');
  fs.rmSync(fileIn(folder));
  await rename(state, 'b', 'new');
  expect([await nameOf(state, 'a'), await nameOf(state, 'b')]).toEqual(['seeded', 'new']);
  fs.rmSync(folder, { recursive: true });
  expect(await nameOf(state, 'b')).toBe('seeded');
  expect(notes).toHaveLength(1);
  state.close();
});

it('refuses a file of a newer format, and leaves it', async () => {
  const folder = temporaryFolder();
  const newer = '{"format":2,"token":"t"}\n';
  fs.writeFileSync(fileIn(folder), newer);
  await expect(open(folder)).rejects.toMatchObject({
    kind: 'local_io',
    message: `${fileIn(folder)} was written by a newer version of social (format 2)`,
  });
  expect(fs.readFileSync(fileIn(folder), 'utf8')).toBe(newer);
});

it('writes the log anew when it has grown long, under everybody’s feet', async () => {
  const folder = temporaryFolder();
  const [one, two] = [await open(folder), await open(folder)];
  let largest = 0;
  for (let i = 0; i < 5200; i++) {
    await rename(one, 'a', String(i));
    if (i % 100 === 0) largest = Math.max(largest, fs.statSync(fileIn(folder)).size);
  }
  expect(fs.statSync(fileIn(folder)).size).toBeLessThan(largest / 2);
  expect([await nameOf(two, 'a'), await nameOf(two, 'b')]).toEqual(['5199', 'seeded']);
  await rename(two, 'b', 'after');
  expect(await nameOf(one, 'b')).toBe('after');
  one.close();
  two.close();
});

it('loses no change of several processes', async () => {
  const folder = temporaryFolder();
  const names = ['p', 'q', 'r'];
  const ends = await Promise.all(names.map((name) => start(program, [folder, name, '150']).ended));
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, '']));
  const state = await open(folder);
  expect(await Promise.all(['total', ...names].map((name) => nameOf(state, name)))).toEqual([
    '450',
    '150',
    '150',
    '150',
  ]);
  state.close();
});

it('loses no change that was answered when a process is killed', async () => {
  const folder = temporaryFolder();
  let total = 0;
  for (let round = 0; round < 5; round++) {
    const { child, ended } = start(program, [folder, inLetters('Killed', round)]);
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    await new Promise((resolve) => setTimeout(resolve, 10 + round * 5));
    child.kill('SIGKILL');
    const answered = Number((await ended).stdout.trimEnd().split('\n').at(-1));
    const notes: string[] = [];
    const state = await open(folder, notes);
    const kept = Number(await nameOf(state, inLetters('Killed', round)));
    // The last change may have been written without its answer having come out.
    expect([answered, answered + 1]).toContain(kept);
    total += kept;
    expect(Number(await nameOf(state, 'total'))).toBe(total);
    expect(notes).toEqual([]);
    state.close();
  }
});

it('keeps what was answered when the disk takes no more', async () => {
  needsUnix('tracing, namespaces and limits');
  const folder = temporaryFolder();
  const limited = 'ulimit -f 16; exec "$0" "$@"';
  const full = await endOf(
    spawn('bash', ['-c', limited, process.execPath, program, folder, 'full']),
  );
  expect(full.stderr).toContain(
    `cannot write ${fileIn(folder)}: the file would pass the size limit`,
  );
  const answered = full.stdout.trimEnd().split('\n').length;
  const state = await open(folder);
  expect(await nameOf(state, 'full')).toBe(String(answered));
  await rename(state, 'full', 'again');
  state.close();
  expect(fs.readdirSync(folder)).toEqual(['sandbox.ndjson']);
});

it('keeps every one of many retries at once', async () => {
  const folder = temporaryFolder();
  const { call } = await openSandbox(folder, many);
  const ids = many(START).map(([, id]) => id);
  const replies = await Promise.all(ids.map((id) => call('POST', `/v1/posts/${id}/retry`, {})));
  expect(new Set(replies.map(({ status, data }) => `${status} ${data.status}`))).toEqual(
    new Set(['200 publishing']),
  );
  const second = await openSandbox(folder, many);
  const seen = await Promise.all(ids.map((id) => second.call('GET', `/v1/posts/${id}`)));
  expect(new Set(seen.map(({ data }) => data.status))).toEqual(new Set(['publishing']));
});
