// The state file: what it keeps of several processes at once, and what it does when it is damaged. What a crash or a full
// disk leaves is in test/fs.

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoredRecord } from '../../../src/sandbox/store/tables.ts';
import { openState, starts, type State } from '../../../src/sandbox/store/store.ts';
import { built, start } from '../../fs/program.ts';
import { START } from '../sandbox.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

const folderOfProgram = fs.mkdtempSync(join(tmpdir(), 'social-state-'));
let program = '';
beforeAll(async () => {
  program = await built(new URL('../programs/counting.ts', import.meta.url), folderOfProgram);
});
afterAll(() => fs.rmSync(folderOfProgram, { recursive: true, force: true }));

/** The audiences of a new state. */
const A = '23850000000000001';
const B = '23850000000000002';
const NAME_OF_A = 'Newsletter readers';
const NAME_OF_B = 'Bought in May';
const audience = (id: string, name: string): StoredRecord => ['audience', id, { id, name }];

const open = (folder: string) => openState({ stateDir: folder, now: () => START });

const nameOf = (state: State, id: string) =>
  state.run((records) => records.get('audience', id)?.name);
const headerOf = (state: State) => state.run((_records, header) => header);
const rename = (state: State, id: string, name: string) =>
  state.run((records) => records.put('audience', id, { id, name }));
const fileIn = (folder: string) => join(folder, 'sandbox.json');

it('the store keeps its state in one private file', async () => {
  needsUnix('owners and modes');
  const folder = join(temporaryFolder(), 'state');
  const state = await open(folder);
  const header = await headerOf(state);
  await rename(state, A, 'changed');
  await state.run((records) => records.delete('audience', B));
  const stored = JSON.parse(fs.readFileSync(fileIn(folder), 'utf8')) as object;
  const records = starts
    .demo(START)
    .filter(([, id]) => id !== B)
    .map((record) => (record[1] === A ? audience(A, 'changed') : record));
  expect(stored).toEqual({ ...header, records });
  expect(fs.statSync(fileIn(folder)).mode & 0o777).toBe(0o600);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(fs.readdirSync(folder)).toEqual(['sandbox.json']);

  const again = await open(folder);
  expect(await headerOf(again)).toEqual(header);
  expect([await nameOf(again, A), await nameOf(again, B)]).toEqual(['changed', undefined]);
});

it('work that throws changes nothing', async () => {
  const folder = temporaryFolder();
  const state = await open(folder);
  const size = fs.statSync(fileIn(folder)).size;
  const work = state.run((records) => {
    records.put('audience', A, { id: A, name: 'half' });
    expect(records.get('audience', A)?.name).toBe('half');
    throw new Error('refused');
  });
  await expect(work).rejects.toThrow('refused');
  expect(await nameOf(state, A)).toBe(NAME_OF_A);
  expect(fs.statSync(fileIn(folder)).size).toBe(size);
});

it('reads save nothing, and simultaneous changes are all kept', async () => {
  const folder = temporaryFolder();
  const state = await open(folder);
  const inode = () => fs.statSync(fileIn(folder), { bigint: true }).ino;
  const before = inode();
  expect(await Promise.all([nameOf(state, A), nameOf(state, B)])).toEqual([NAME_OF_A, NAME_OF_B]);
  expect(inode()).toBe(before);
  const counts = Array.from({ length: 20 }, () =>
    state.run((records) => {
      const count = Number(records.get('audience', 'count')?.name ?? 0) + 1;
      records.put('audience', 'count', { id: 'count', name: String(count) });
      return count;
    }),
  );
  expect(await Promise.all(counts)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

it('a change of another process is seen at once, and nothing of either is lost', async () => {
  const folder = temporaryFolder();
  const [one, two] = [await open(folder), await open(folder)];
  await rename(one, A, 'by one');
  expect(await nameOf(two, A)).toBe('by one');
  await rename(two, B, 'by two');
  await rename(one, 'c', 'by one');
  expect([await nameOf(one, B), await nameOf(two, 'c')]).toEqual(['by two', 'by one']);
  await two.reset();
  expect([await nameOf(one, A), await nameOf(one, 'c')]).toEqual([NAME_OF_A, undefined]);
  expect(await headerOf(one)).toEqual(await headerOf(two));
});

it.each([
  ['a part of it is missing', (text: string) => text.slice(0, -20)],
  ['it is not JSON', (text: string) => text.slice(3)],
  ['it has no token', (text: string) => text.replace('"token"', '"other"')],
  ['a record is none', (text: string) => text.replace(`["audience","${A}",`, '["audience",')],
  ['it is empty', () => ''],
])(
  'the store rejects the file when %s, leaves it, and restarts without it',
  async (_what, damage) => {
    const folder = temporaryFolder();
    const first = await open(folder);
    const damaged = damage(fs.readFileSync(fileIn(folder), 'utf8'));
    fs.writeFileSync(fileIn(folder), damaged);
    const refused = {
      kind: 'local_io',
      message: `${fileIn(folder)} is damaged; remove it to start over`,
    };
    await expect(open(folder)).rejects.toMatchObject(refused);
    await expect(rename(first, A, 'lost')).rejects.toMatchObject(refused);
    expect(fs.readFileSync(fileIn(folder), 'utf8')).toBe(damaged);
    fs.rmSync(fileIn(folder));
    expect(await nameOf(first, A)).toBe(NAME_OF_A);
    const again = await open(folder);
    expect(await headerOf(again)).toEqual(await headerOf(first));
  },
);

it('the store continues when its file is deleted', async () => {
  const folder = temporaryFolder();
  const state = await open(folder);
  await rename(state, A, 'gone soon');
  fs.rmSync(fileIn(folder));
  await rename(state, B, 'new');
  expect([await nameOf(state, A), await nameOf(state, B)]).toEqual([NAME_OF_A, 'new']);
  fs.rmSync(folder, { recursive: true });
  expect(await nameOf(state, B)).toBe(NAME_OF_B);
});

it('changes of several processes are all kept', async () => {
  const folder = temporaryFolder();
  const names = ['p', 'q', 'r'];
  const ends = await Promise.all(names.map((name) => start(program, [folder, name, '40']).ended));
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, '']));
  const state = await open(folder);
  expect(await Promise.all(['total', ...names].map((name) => nameOf(state, name)))).toEqual([
    '120',
    '40',
    '40',
    '40',
  ]);
});
