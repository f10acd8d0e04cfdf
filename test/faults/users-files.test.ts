// Files that the program makes under a name of the user's: they replace an earlier one of its own, and no other.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome } from '../support/program.ts';

const posts = 'PostNoSuchAtAllA\nPostNoSuchAtAllB\n';
const delivery = `${JSON.stringify({ receivedAt: '2026-03-02T12:00:00Z', headers: { a: 'b' }, body: '{}' })}\n`;

describe.each([
  ['--save', 'temporary.ndjson', '{"postId":"PostMineMineMine"}\n'],
  ['--save', 'content.ndjson', 'notes of mine\n'],
  ['--failures-to', 'failed.ndjson', 'PostMineMineMineA\n'],
  ['--failures-to', 'deliveries.ndjson', delivery],
] as const)('an output file: %s', (flag, name, content) => {
  it(`does not replace ${name} of the user`, async () => {
    const home = freshHome();
    const folder = join(home, 'files');
    const path = join(folder, name);
    mkdirSync(folder);
    writeFileSync(path, content);
    const command = flag === '--save' ? ['triage', 'PostSpringLaunch'] : ['get', '--from', '-'];
    const target = flag === '--save' ? folder : path;
    const line = ['-C', 'sandbox', 'posts', ...command, flag, target, '--json'];
    const { exitCode, stderr } = await socialInProcess(line, { home, input: posts });
    expect(exitCode).toBe(13);
    expect(stderr).toContain(`cannot write ${path}: it exists, and social did not make it`);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });
});

it('a list of an earlier run is replaced', async () => {
  const home = freshHome();
  const failed = join(home, 'failed.ndjson');
  const folder = join(home, 'triage');
  const save = async () => {
    const get = ['-C', 'sandbox', 'posts', 'get', '--from', '-', '--failures-to', failed];
    const triage = ['-C', 'sandbox', 'posts', 'triage', 'PostSpringLaunch', '--save', folder];
    const { exitCode } = await socialInProcess(get, { home, input: posts });
    return [exitCode, (await socialInProcess(triage, { home })).exitCode];
  };
  expect([await save(), await save()]).toEqual([
    [11, 0],
    [11, 0],
  ]);
  expect(readFileSync(failed, 'utf8').split('\n')).toHaveLength(3);
});
