// What a batch that did not end well leaves to its operator: the records that are left, and the line to type next.

import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeCertificates } from '../../support/certificates.ts';
import { countingServer, idList, idOf, refused } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { begin, freshHome, social } from '../../support/program.ts';
import { needsUnix } from '../../support/unix.ts';

const retry = ['posts', 'retry', '--from'];

/** A place to run in, with a list of so many ids; the address is a flag, as in a line that is typed. */
function setup(url: string, count: number, more: Record<string, string> = {}) {
  const home = freshHome();
  const [ids, left] = ['ids', 'left'].map((name) => join(home, name)) as [string, string];
  writeFileSync(ids, idList(count));
  const setting = { home, env: { SOCIAL_TOKEN: 'canary', ...more } };
  const argv = (words: readonly string[]) => [...words, '--base-url', url];
  return {
    ids,
    left,
    run: (...words: string[]) => socialInProcess(argv(words), setting),
    /** In a process of its own. */
    runBuilt: (...words: string[]) => social(argv(words), setting),
    begin: (...words: string[]) => begin(argv(words), setting),
  };
}

const idsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .match(/Postal\w+/g)!
    .toSorted();
const idsFrom = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, i) => idOf(first + i));

const revoked = () =>
  countingServer((id) =>
    id < idOf(3) ? {} : { status: 401, body: refused('unauthorized', 'Revoked.') },
  );
const lost = () => countingServer(() => ({ cut: true }));

describe('the records that are left', () => {
  it('are those that failed and those that were not started', async () => {
    const service = await revoked();
    const { ids, left, run, runBuilt } = setup(service.url, 200);
    const words = ['--concurrency', '1'];
    const outcome = await runBuilt(...retry, ids, '--failures-to', left, ...words);
    expect(outcome.exitCode).toBe(4);
    expect(outcome.stderr).toContain('3 of 200 accepted, 197 not started');
    expect(idsIn(left)).toEqual(idsFrom(3, 200));
    // The line that goes on has a file of its own for what is left then.
    expect(outcome.stderr).toContain(
      `then resume: social posts retry --from ${left} --failures-to ${left}.2 `,
    );
    expect(outcome.stderr).toContain(`\ntry: social auth login --base-url ${service.url}\n`);
    const again = await run(...retry, left, '--failures-to', `${left}.2`, ...words);
    expect(idsIn(`${left}.2`)).toEqual(idsFrom(3, 200));
    expect(again.stderr).toContain(
      `then resume: social posts retry --from ${left}.2 --failures-to ${left}.3 `,
    );
  });

  it('have the first free name after that of the list', async () => {
    const service = await revoked();
    const { ids, left, run } = setup(service.url, 9);
    for (const n of [2, 3]) writeFileSync(`${left}.${n}.ndjson`, '');
    const outcome = await run(...retry, ids, '--failures-to', `${left}.ndjson`);
    expect(outcome.stderr).toContain(`--failures-to ${left}.4.ndjson `);
  });

  it('are also those of an interrupt, so that its line goes on with all of them [B19]', async () => {
    needsUnix('signals');
    const service = await countingServer((id) => {
      if (id === idOf(0)) return { status: 422, body: refused('invalid_media', 'Too long.') };
      return id < idOf(2) ? {} : { after: 500 };
    });
    const { ids, left, begin: start } = setup(service.url, 50);
    const started = start(...retry, ids, '--failures-to', left, '--concurrency', '2');
    while (service.total() < 4) await new Promise((resolve) => setTimeout(resolve, 20));
    started.kill('SIGINT');
    const { signal, stderr } = await started;
    expect(signal).toBe('SIGINT');
    expect(stderr).toContain(
      'stopped: 3 of 50 accepted, 1 failed: 1 content; 46 not started\n  content: 1\n    1 × invalid_media',
    );
    expect(idsIn(left)).toEqual([idOf(0), ...idsFrom(4, 50)]);
    expect(stderr).toContain(`resume: social posts retry --from ${left} `);
  });

  it('are also those that were taken up and not sent [B19]', async () => {
    needsUnix('signals');
    const service = await countingServer();
    const { ids, left, begin: start } = setup(service.url, 30);
    // Eight are taken up at once, and all but the first wait for their turn.
    const words = ['--failures-to', left, '--concurrency', '8', '--rate', '1/m'];
    const started = start(...retry, ids, ...words);
    while (service.total() < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    await started.stdout[Symbol.asyncIterator]().next();
    started.kill('SIGINT');
    const { stderr } = await started;
    expect(stderr).toContain('1 of 30 accepted, 29 not started');
    expect(idsIn(left)).toEqual(idsFrom(1, 30));
  });

  it('are none of which a journal says that it may have happened', async () => {
    const broken = new Set([idOf(0), idOf(7)]);
    let isRevoked = false;
    const service = await countingServer((id) => {
      if (isRevoked) return { status: 401, body: refused('unauthorized', 'Revoked.') };
      return broken.has(id) ? { cut: true } : {};
    });
    const { ids, left, run } = setup(service.url, 8);
    const line = [...retry, ids, '--journal', `${ids}.journal`, '--concurrency', '1'];
    await run(...line);
    writeFileSync(ids, idList(3, 20) + idList(8));
    isRevoked = true;
    const outcome = await run(...line, '--failures-to', left);
    expect(outcome.exitCode).toBe(4);
    expect(idsIn(left)).toEqual(idsFrom(20, 23));
  });

  it('are not those that an earlier run has done, wherever in the list they stand', async () => {
    const service = await revoked();
    const { ids, run } = setup(service.url, 3);
    const line = [...retry, ids, '--journal', `${ids}.journal`, '--concurrency', '1'];
    expect((await run(...line)).exitCode).toBe(0);
    // More than is read at once.
    writeFileSync(ids, idList(20_000, 20) + idList(3));
    expect((await run(...line)).stderr).toContain(
      '0 of 20003 accepted, 3 already done, 20000 not started',
    );
  });

  it('are those of a pipe that nobody reads any more', async () => {
    const service = await countingServer(() => ({ after: 5 }));
    const { ids, left, begin: start } = setup(service.url, 400);
    const started = start(...retry, ids, '--failures-to', left, '--json');
    started.stdout.once('data', () => started.stdout.destroy());
    const { exitCode, stderr } = await started;
    expect(exitCode).toBe(13);
    expect(idsIn(left)).toHaveLength(400 - service.total());
    expect(stderr).toContain(`"next":"social posts retry --from ${left} `);
  });

  it.each(['a folder', 'a pipe'])('have no place in %s, which is seen before', async (what) => {
    needsUnix('named pipes');
    const service = await countingServer();
    const { ids, left, run } = setup(service.url, 3);
    if (what === 'a folder') mkdirSync(left);
    else execFileSync('mkfifo', [left]);
    const outcome = await run(...retry, ids, '--failures-to', left);
    expect(outcome.exitCode).toBe(13);
    expect(outcome.stderr).toContain(`${left} is not a regular file`);
    expect(service.total()).toBe(0);
  });

  it('stay behind a link', async () => {
    const service = await revoked();
    const { ids, left, run } = setup(service.url, 5);
    writeFileSync(`${left}.real`, '');
    symlinkSync(`${left}.real`, left);
    await run(...retry, ids, '--failures-to', left, '--concurrency', '1');
    expect(lstatSync(left).isSymbolicLink()).toBe(true);
    expect(idsIn(`${left}.real`)).toEqual(idsFrom(3, 5));
  });
});

describe('the next line', () => {
  it('finds out what became of the unknown, at the same service', async () => {
    const service = await lost();
    const { ids, run } = setup(service.url, 2);
    const { exitCode, stderr } = await run(...retry, ids);
    expect(exitCode).toBe(12);
    expect(stderr).toContain(`\ntry: social --base-url ${service.url} history settle\n`);
    expect(stderr).toContain('\n  unknown outcomes are not retried\n');
    expect(stderr).toContain('\n  unknown outcome: 2\n');
  });

  it('looks at the first of many where there is no history', async () => {
    const service = await lost();
    const { ids, run } = setup(service.url, 25, { SOCIAL_NO_HISTORY: '1' });
    const { stderr } = await run(...retry, ids);
    expect(stderr).toMatch(/\ntry: social .* posts get (?:Postal\w+ ?){20}\n$/);
    expect(stderr).toContain(' (the command below names the first 20 of 25)\n');
  });

  it('finds out what is unknown before it goes on with the journal', async () => {
    const service = await lost();
    const { ids, run } = setup(service.url, 1);
    const { stderr } = await run(...retry, ids, '--journal', `${ids}.journal`);
    expect(stderr).toContain('\n  unknown outcomes are not retried without --retry-unknown\n');
    expect(stderr).toContain(`\n  then resume: social posts retry --from ${ids} --journal `);
    expect(stderr).toMatch(/\ntry: social --base-url \S+ history settle --journal \S+journal\n$/);
  });

  it('is words where no command can look', async () => {
    const service = await lost();
    const { ids, run } = setup(service.url, 2);
    const line = ['accounts', 'mastodon', 'mute', '-a', 'AccountMastodonA', '--from', ids];
    const { stderr } = await run(...line);
    expect(stderr).toContain(
      'are not retried\n  Check the status on Mastodon: the API cannot show it.',
    );
    expect(stderr).not.toContain('check:');
  });

  it('names the authority that the service needs', async () => {
    const service = await lost();
    const certificates = makeCertificates();
    onTestFinished(certificates.remove);
    const { run } = setup(service.url, 1);
    const { stderr } = await run('posts', 'retry', idOf(0), '--cacert', certificates.ca);
    expect(stderr).toContain(
      `\ntry: social --base-url ${service.url} --cacert ${certificates.ca} posts get ${idOf(0)}\n`,
    );
  });

  it('says where the failures of typed ids are', async () => {
    const service = await countingServer(() => ({ status: 422, body: refused('no', 'No.') }));
    const { left, run } = setup(service.url, 1);
    const { stderr } = await run('posts', 'retry', idOf(0), idOf(1), '--failures-to', left);
    expect(stderr).toContain(`the remaining records are in ${left}, for --from\n`);
  });
});
