// The files of a batch under other names and in other hands: links, redirections, a list that changes between two runs
// or under one, journals of another time. A post that is sent twice is counted at the service.

import { EventEmitter, once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileFaults } from '../../src/batch/failures-file.ts';
import { batchOptionsOf } from '../../src/batch/options.ts';
import {
  countingServer,
  failedPostsServer,
  idList,
  retriesAt,
  type CountingServer,
} from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { begin, freshHome, shell, social } from '../support/program.ts';
import { waitUntil } from '../support/signalled-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Program = typeof social | typeof socialInProcess;

function setup(url: string, ids = 8, program: Program = social) {
  const home = freshHome();
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'canary-token', TMPDIR: home };
  const at = (name: string) => join(home, name);
  fs.writeFileSync(at('ids'), idList(ids));
  const run = (...argv: string[]) => program(argv, { home, env });
  const retry = (...more: string[]) => run('posts', 'retry', '--from', at('ids'), ...more);
  const start = (...more: string[]) =>
    begin(['posts', 'retry', '--from', at('ids'), ...more], { home, env });
  return { home, env, at, run, retry, start };
}

/** Returns the number of posts that were retried, and those that were retried again. */
function retried(service: CountingServer) {
  const retries = [...retriesAt(service)];
  return { posts: retries.length, again: retries.filter(([, times]) => times > 1) };
}

describe('a journal that another process has open', () => {
  it.each<readonly [string, (file: string, link: string) => void]>([
    ['a hard link', (file, link) => fs.linkSync(file, link)],
    [
      'a link to a link in a folder that is a link',
      (file, link) => {
        fs.symlinkSync('.', `${file}.d`);
        fs.symlinkSync(`${file}.d/journal`, `${file}.e`);
        fs.symlinkSync(`${file}.e`, link);
      },
    ],
  ])('is recognised under the name of %s, also one made later', async (what, link) => {
    const gate = new EventEmitter();
    const service = await failedPostsServer(() => ({ until: once(gate, 'open') }));
    const isHard = what.startsWith('a hard link');
    const { at, retry, start } = setup(service.url, 8, socialInProcess);
    const first = start('--journal', at('journal'));
    // The gate opens once: a request that came after it would be held for ever.
    await waitUntil(() => retried(service).posts === 8);
    link(at('journal'), at('other'));
    const second = await retry('--journal', at('other'));
    gate.emit('open');
    expect(second).toMatchObject({ exitCode: 13, stdout: '' });
    expect(second.stderr).toContain(
      isHard
        ? `${at('other')} has another name (a hard link)`
        : `${at('other')} is locked by pid ${first.pid} since `,
    );
    // It lives, so there is nothing to delete.
    expect(second.stderr).not.toContain('delete');
    expect((await first).exitCode).toBe(0);
    expect(retried(service)).toEqual({ posts: 8, again: [] });
    if (isHard) fs.rmSync(at('journal'));
    expect((await retry('--journal', at('other'))).stderr).toContain(
      '0 of 8 accepted, 8 published before\n',
    );
    expect(retried(service).again).toEqual([]);
  });
});

describe('the files of a batch, by flag', () => {
  /** A folder, and what is wrong with these files of a batch in it. */
  function files() {
    const home = temporaryFolder();
    const at = (name: string) => join(home, name);
    const faults = (flags: Readonly<Record<string, unknown>>) =>
      fileFaults(batchOptionsOf(flags).batchOptions).map(
        ({ field, problem, fix }) => `${field} ${problem}; ${fix}`,
      );
    return { at, faults };
  }
  const fix = '; use a different file for each';

  it.each<readonly [string, (at: (name: string) => string) => object, readonly string[]]>([
    ['all files differ', (at) => ({ from: at('a'), journal: at('b'), failuresTo: at('c') }), []],
    [
      'the list is also an output',
      (at) => ({ from: at('a'), failuresTo: at('a') }),
      ['--failures-to is the same file as --from'],
    ],
    [
      'two outputs are the same file',
      (at) => ({ journal: at('a'), failuresTo: at('a') }),
      ['--failures-to is the same file as --journal'],
    ],
    ['a pipe is read', () => ({ from: '-' }), []],
  ])('%s', (_what, flags, faults) => {
    const { at, faults: faultsOf } = files();
    expect(faultsOf({ ...flags(at) })).toEqual(faults.map((fault) => fault + fix));
  });

  it('are compared by what they are, not by their names', () => {
    const { at, faults } = files();
    fs.symlinkSync('.', at('here'));
    fs.writeFileSync(at('made'), '');
    fs.linkSync(at('made'), at('hard'));
    for (const [journal, failuresTo] of [
      ['new', './here/new'],
      ['made', 'hard'],
    ] as const)
      expect(faults({ journal: at(journal), failuresTo: at(failuresTo) })).toEqual([
        `--failures-to is the same file as --journal${fix}`,
      ]);
  });

  it('are named once each when three flags name one file', () => {
    const { at, faults } = files();
    const [one, two] = [at('a'), at('link')];
    fs.writeFileSync(one, '');
    fs.symlinkSync(one, two);
    expect(faults({ from: one, failuresTo: two, journal: one })).toEqual(
      ['--journal', '--failures-to'].map((field) => `${field} is the same file as --from${fix}`),
    );
  });
});

describe('a file that is also a standard stream', () => {
  const stdout = '--failures-to is the same file as standard output';
  it.each([
    ['as an output', '--failures-to made > made', stdout],
    ['as an output, by its device', '--failures-to /dev/stdout > made', stdout],
    ['as the list', '>> ids', '--from is the same file as'],
  ])('is refused %s before anything is sent', async (_what, words, clash) => {
    const service = await countingServer();
    const { at, env, home } = setup(service.url);
    fs.writeFileSync(at('made'), '');
    fs.writeFileSync(at('token'), 'canary-token\n', { mode: 0o600 });
    const before = fs.readFileSync(at('ids'), 'utf8');
    const outcome = await shell(`cd "$HOME"; social posts retry --from ids ${words}`, {
      home,
      env: { ...env, SOCIAL_TOKEN: '', SOCIAL_TOKEN_FILE: at('token') },
    });
    expect(outcome.exitCode).toBe(2);
    expect(outcome.stderr).toContain(clash);
    expect(outcome.stderr).toContain('use a different file for each');
    expect(service.total()).toBe(0);
    expect(fs.readFileSync(at('ids'), 'utf8')).toBe(before);
    expect(fs.readFileSync(at('token'), 'utf8')).toBe('canary-token\n');
  });
});
