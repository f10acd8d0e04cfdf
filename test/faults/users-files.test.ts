// Files that the program makes under a name of the user's: they replace an earlier one of its own, and no other.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome } from '../support/program.ts';
import { serviceAt } from '../support/terminal.ts';
import { needsUnix } from '../support/unix.ts';
import { errorResponse, recordingServer } from '../support/recording-server.ts';
import { MARK, savedLines } from '../support/saved-list.ts';

const ids = ['PostNoSuchAtAllA', 'PostNoSuchAtAllB'];
const record = '{"postId":"PostMineMineMine"}\n';
const withTargets = '{"postId":"PostMineMineMine","targetIds":["TargetMineMineMi"]}\n';
const delivery = '{"receivedAt":"2026-03-02T12:00:00Z","headers":{"a":"b"},"body":"{}"}\n';

/** Types a line that would replace `path` at a service that answers every request with 404. */
async function replacing(flag: '--failures-to' | '--save' | '--export', path: string) {
  const service = await recordingServer(errorResponse(404));
  const folder = dirname(path);
  const lines = {
    '--failures-to': ['posts', 'get', '--from', '-', flag, path],
    '--save': ['posts', 'triage', 'PostSpringLaunch', flag, folder],
    '--export': ['sandbox', 'reset', '--state', 'outage', flag, folder],
  };
  const setting = { home: freshHome(), env: serviceAt(service.url), input: ids.join('\n') };
  const { exitCode, stderr } = await socialInProcess(lines[flag], setting);
  return { exitCode, stderr, sent: service.requests.length };
}

const names = {
  '--failures-to': 'failed.ndjson',
  '--save': 'temporary.ndjson',
  '--export': 'failed-posts.csv',
};

describe.each(['--failures-to', '--save', '--export'] as const)('%s', (flag) => {
  const pathIn = () => {
    const folder = join(freshHome(), 'files');
    mkdirSync(folder);
    return join(folder, names[flag]);
  };
  const refused = (path: string, why = 'it exists, and social did not make it') => ({
    exitCode: 13,
    stderr: expect.stringContaining(`cannot write ${path}: ${why}`) as string,
    sent: 0,
  });

  it.each([
    ['notes', 'notes of mine\n'],
    ['IDs', 'PostMineMineMineA\n'],
    ['records', record],
    ['records with targets', withTargets],
    ['deliveries', delivery],
    ['a line break', '\n'],
    ['the mark later', `${record}${MARK}\n`],
    ['the mark, unfinished', MARK],
    ['a part of the mark', MARK.slice(0, 10)],
    ['the mark after a byte order mark', `\ufeff${MARK}\n`],
    ['another comment', `# my list\n${record}`],
  ])('keeps a file with %s, and sends nothing', async (_what, content) => {
    const path = pathIn();
    writeFileSync(path, content);
    expect(await replacing(flag, path)).toMatchObject(refused(path));
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  it('keeps a file at the end of a link, and one that is read-only', async () => {
    needsUnix('links and modes');
    const path = pathIn();
    const real = join(dirname(dirname(path)), 'real');
    writeFileSync(real, record);
    symlinkSync(real, path);
    expect(await replacing(flag, path)).toMatchObject(refused(path));
    expect([readFileSync(real, 'utf8'), lstatSync(path).isSymbolicLink()]).toEqual([record, true]);
    const own = pathIn();
    writeFileSync(own, `${MARK}\n${record}`);
    chmodSync(own, 0o400);
    expect(await replacing(flag, own)).toMatchObject(refused(own, 'it is read-only'));
    expect(readFileSync(own, 'utf8')).toBe(`${MARK}\n${record}`);
  });

  it('refuses a folder and a named pipe', async () => {
    needsUnix('named pipes');
    for (const make of [mkdirSync, (path: string) => execFileSync('mkfifo', [path])]) {
      const path = pathIn();
      make(path);
      expect(await replacing(flag, path)).toMatchObject({ exitCode: 13, sent: 0 });
      expect(readdirSync(dirname(path))).toEqual([basename(path)]);
      expect(lstatSync(path).isFile()).toBe(false);
    }
  });
});

describe('--failures-to', () => {
  it.each([
    ['no file', undefined],
    ['an empty file', ''],
    ['a list of an earlier run', `${MARK}\n${record}`],
  ])('replaces %s, and --from reads the list', async (_what, content) => {
    const path = join(freshHome(), 'failed.ndjson');
    if (content !== undefined) writeFileSync(path, content);
    expect(await replacing('--failures-to', path)).toMatchObject({ exitCode: 11, sent: 2 });
    expect(savedLines(path)).toEqual(ids.map((postId) => JSON.stringify({ postId })));
    const again = ['-C', 'sandbox', 'posts', 'get', '--from', path, '--json'];
    const { exitCode, stdout } = await socialInProcess(again);
    expect(exitCode).toBe(11);
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  it('does not replace a file that appears during the batch', async () => {
    const path = join(freshHome(), 'failed.ndjson');
    const service = await recordingServer(() => {
      writeFileSync(path, record);
      return errorResponse(404);
    });
    const line = ['posts', 'get', ...ids, '--failures-to', path];
    const { exitCode } = await socialInProcess(line, { env: serviceAt(service.url) });
    expect(exitCode).toBe(13);
    expect(readFileSync(path, 'utf8')).toBe(record);
  });
});

it('a list that triage saved is replaced by a later run', async () => {
  const home = freshHome();
  const folder = join(home, 'triage');
  const triage = ['-C', 'sandbox', 'posts', 'triage', 'PostSpringLaunch', '--save', folder];
  const run = async () => (await socialInProcess(triage, { home })).exitCode;
  expect([await run(), await run()]).toEqual([0, 0]);
  const saved = readdirSync(folder).map((name) => savedLines(join(folder, name)));
  expect(saved.flat()).not.toEqual([]);
});
