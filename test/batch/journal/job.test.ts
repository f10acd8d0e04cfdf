// The journal of a batch, with real files and real deaths: what is resumed, what is refused, what is never written.
// Each of these deaths is one of the built program.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  countingServer,
  failedPostsServer,
  idList,
  idOf,
  post,
  refused,
  retriesAt,
} from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { bareEnv, begin, freshHome, launcher, root, shell, social } from '../../support/program.ts';
import { waitUntil } from '../../support/signalled-process.ts';
import { needsUnix } from '../../support/unix.ts';

function setup(url: string, ids = 12, program: typeof social | typeof socialInProcess = social) {
  const home = freshHome();
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'canary-token' };
  const [list, journal] = [join(home, 'ids.txt'), join(home, 'journal')];
  writeFileSync(list, idList(ids));
  const run = (argv: readonly string[], more: Record<string, string> = {}, input = '') =>
    program(argv, { home, env: { ...env, ...more }, input });
  const retry = (...more: string[]) =>
    run(['posts', 'retry', '--from', list, '--journal', journal, ...more]);
  /** Starts a retry that a test ends by a signal. */
  const start = (...more: string[]) =>
    begin(['posts', 'retry', '--from', list, '--journal', journal, ...more], { home, env });
  return { home, env, list, journal, run, retry, start };
}

describe('a journal', () => {
  it('holds ids and hashes, no text and no token, and is private', async () => {
    needsUnix('owners and modes');
    const service = await countingServer();
    const { home, journal, run } = setup(service.url, 12, socialInProcess);
    const list = join(home, 'replies.ndjson');
    const input = { postId: idOf(1), targetId: 'TargetSpringMast', text: 'a secret text' };
    writeFileSync(list, `${JSON.stringify(input)}\n`);
    const outcome = await run(['posts', 'reply', '--from', list, '--journal', journal]);
    expect(outcome.exitCode).toBe(0);
    const text = readFileSync(journal, 'utf8');
    expect(text).toContain(idOf(1));
    expect(text).not.toContain('secret text');
    expect(text).not.toContain('canary-token');
    expect(statSync(journal).mode & 0o777).toBe(0o600);
  });

  it('resends refused records, and not the ones that are done', async () => {
    let mended = false;
    const service = await failedPostsServer((id) =>
      id === idOf(2) && !mended ? { status: 422, body: refused('invalid_media', 'No.') } : {},
    );
    const { retry } = setup(service.url, 12, socialInProcess);
    const first = await retry();
    expect(first.exitCode).toBe(11);
    expect(first.stderr).toMatch(
      /content: change .*\n {2}then resume: social posts retry --from \S+ids\.txt --journal \S+journal\n$/,
    );
    mended = true;
    expect((await retry()).exitCode).toBe(0);
    expect(retriesAt(service).get(idOf(2))).toBe(2);
    expect([...retriesAt(service).values()].reduce((sum, times) => sum + times)).toBe(13);
  });

  it('keeps an unknown outcome, and resends it only with --retry-unknown', async () => {
    let cut = true;
    const service = await failedPostsServer((id) => (id === idOf(2) && cut ? { cut } : {}));
    const { retry } = setup(service.url, 12, socialInProcess);
    expect((await retry()).exitCode).toBe(12);
    const told = await retry('--retry-unknown');
    expect(told.exitCode).toBe(12);
    // To send it a third time is for a person to say.
    expect(told.stderr).toContain('unknown outcomes are not retried without --retry-unknown\n');
    expect(told.stderr).not.toMatch(/: social .*--retry-unknown/);
    cut = false;
    const again = await retry('--json');
    expect(again.exitCode).toBe(12);
    expect(again.stdout).toContain('"outcome":"unknown"');
    // This run sent nothing, but the record was sent.
    expect(JSON.parse(again.stderr.trimEnd().split('\n').at(-1)!)).toMatchObject({
      error: { sent: true, outcome: 'unknown' },
    });
    expect(service.counts.get(`POST ${idOf(2)}`)).toBe(2);
    expect((await retry('--retry-unknown')).exitCode).toBe(0);
    expect(service.counts.get(`POST ${idOf(2)}`)).toBe(3);
    // Without a wait its result is read by the next run.
    expect((await retry()).stderr).toContain('0 of 12 accepted, 12 published before\n');
    expect((await retry()).stderr).toBe('all 12 already done\n');
    expect(service.counts.get(`POST ${idOf(2)}`)).toBe(3);
  });

  it('survives kill -9 at any moment: nothing twice, nothing lost', () => {
    const script = join(root, 'test/torture/batch-kill.mjs');
    const said = execFileSync(process.execPath, [script, '6', '1'], { encoding: 'utf8' });
    const figures = JSON.parse(said.trim().split('\n').at(-1)!) as Record<string, number>;
    expect(figures).toMatchObject({ killed: 6, duplicates: 0, lost: 0 });
    expect(figures['done']! + figures['unknown']!).toBe(figures['items']);
  }, 120_000);

  it('that ends in the middle of a line is cut to its last whole line, with a note', async () => {
    const service = await failedPostsServer();
    const { journal, retry } = setup(service.url, 12, socialInProcess);
    await retry('--wait');
    const before = readFileSync(journal, 'utf8');
    appendFileSync(journal, '0badc0de {"do":"never-fin');
    const total = service.total();
    const again = await retry('--wait');
    expect(again).toMatchObject({ exitCode: 0, stdout: '' });
    expect(again.stderr).toContain('all 12 already done\n');
    expect(again.stderr).toContain('journal: removed an incomplete last line (25 bytes)');
    // This run has added the line that says who ran it.
    const kept = readFileSync(journal, 'utf8');
    expect([kept.startsWith(before), kept.slice(before.length).match(/\n/g)]).toEqual([
      true,
      ['\n'],
    ]);
    expect(service.total()).toBe(total);
  });

  it('of another operation, origin, context or input is rejected', async () => {
    needsUnix('owners and modes');
    const [service, other] = [await failedPostsServer(), await failedPostsServer()];
    const { home, journal, list, run, retry } = setup(service.url, 12, socialInProcess);
    await retry();
    const total = service.total();
    writeFileSync(join(home, 'more.txt'), idList(3, 100));
    const more = ['--from', join(home, 'more.txt'), '--journal', journal];
    const refusals = [
      await run(['credentials', 'disable', ...more, '--yes']),
      await run(['posts', 'retry', ...more, '--target', 'TargetSpringLink']),
      await run(['posts', 'retry', ...more, '--platform', 'linkedin']),
      await run(['posts', 'retry', ...more, '--query', 'mode=b']),
      await run(['posts', 'retry', ...more], { SOCIAL_BASE_URL: other.url }),
    ];
    await run(['context', 'set', 'prod', '--base-url', service.url]);
    refusals.push(await run(['posts', 'retry', ...more, '-C', 'prod']));
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ exitCode: 13, stdout: '' });
      expect(refusal.stderr).toContain('this journal belongs to another job');
    }
    expect([service.total(), other.total()]).toEqual([total, 0]);
    const taken = join(home, 'more.txt');
    const ids = readFileSync(taken);
    chmodSync(taken, 0o644);
    const wrong = await run(['posts', 'retry', '--from', list, '--journal', taken]);
    expect(statSync(taken).mode & 0o777).toBe(0o644);
    expect(wrong.exitCode).toBe(13);
    expect(wrong.stderr).toContain('is not a journal');
    expect(readFileSync(taken)).toEqual(ids);
  });

  const canInject =
    spawnSync('strace', [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      'inject=fdatasync:error=EIO',
      'true',
    ]).status === 0;

  it.runIf(canInject)('that the disk does not store stops every request', async () => {
    needsUnix('tracing, namespaces and limits');
    const service = await failedPostsServer();
    const { env, journal, list, home } = setup(service.url);
    const traced = 'strace -f -qq -o /dev/null -e trace=fdatasync -e inject=fdatasync:error=EIO';
    const outcome = await shell(
      `${traced} "${process.execPath}" "${launcher}" posts retry --from ${list} --journal ${journal} -q`,
      { home, env },
    );
    expect(outcome).toMatchObject({ exitCode: 13, stdout: '' });
    expect(outcome.stderr).toContain(`cannot write ${journal}`);
    expect(retriesAt(service).size).toBe(0);
  });
});

describe('an interrupt', () => {
  it('starts no further record, waits for requests in progress, and prints the command that resumes', async () => {
    needsUnix('signals');
    const service = await failedPostsServer(() => ({ after: 400 }));
    const { retry, start } = setup(service.url, 100, socialInProcess);
    const child = start('--concurrency', '4', '--json');
    await waitUntil(() => retriesAt(service).size >= 4);
    child.kill('SIGINT');
    const { signal, stdout, stderr } = await child;
    expect(signal).toBe('SIGINT');
    expect(stdout.trim().split('\n')).toHaveLength(4);
    expect(retriesAt(service).size).toBe(4);
    const report = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as {
      error: { message: string; next: string; details: object };
    };
    expect(report.error.details).toMatchObject({ ok: 4, notStarted: 96, stopped: 'cancelled' });
    expect(stderr).toContain('stopping: waiting up to 10s for 4 requests; Ctrl-C to quit now\n');
    expect(report.error.message).toBe('stopped: 4 of 100 accepted, 96 not started');
    expect(report.error.next).toMatch(/^social posts retry --from .+ --journal /);
    const rest = await retry('--concurrency', '32');
    expect(rest.exitCode).toBe(0);
    expect(rest.stderr).toContain('96 of 100 accepted, 4 published before');
    for (const [, times] of retriesAt(service)) expect(times).toBe(1);
  });

  it('that comes twice ends the batch at once, with the counts and the command that resumes', async () => {
    needsUnix('signals');
    let slow = true;
    const service = await failedPostsServer((id) => ({
      after: slow && id !== idOf(0) ? 20_000 : 0,
    }));
    const { home, list, journal, retry, start } = setup(service.url, 10, socialInProcess);
    const left = join(home, 'left');
    const child = start('--concurrency', '3', '--failures-to', left);
    await waitUntil(() => retriesAt(service).size >= 4);
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const at = performance.now();
    // Two that come before the first was taken count as one.
    const again = setInterval(() => child.kill('SIGINT'), 100);
    const { signal, stderr } = await child;
    clearInterval(again);
    expect(signal).toBe('SIGINT');
    expect(performance.now() - at).toBeLessThan(3500);
    expect(stderr).toContain('stopped: 1 of 10 accepted, 3 unknown, 6 not started\n');
    expect(stderr).toContain(
      `\nresume: social posts retry --from ${list} --journal ${journal} --concurrency 3 --failures-to ${left}\n`,
    );
    slow = false;
    // Another run can send the records that were not started, but not the unknown ones.
    expect(readFileSync(left, 'utf8').match(/Postal\w+/g)).toHaveLength(6);
    const rest = await retry('--concurrency', '32', '--timeout', '6s');
    expect(rest.exitCode).toBe(12);
    expect(rest.stderr).toContain('error: 6 of 10 accepted, 3 unknown, 1 published before\n');
    for (const [, times] of retriesAt(service)) expect(times).toBe(1);
  });

  it('that comes twice ends the batch at once also when stdout is blocked', async () => {
    needsUnix('signals');
    const service = await failedPostsServer((id) => ({ body: post(id, 'x'.repeat(100_000)) }));
    const { home, env, list, journal } = setup(service.url, 50);
    const words = ['--from', list, '--journal', journal, '--concurrency', '3', '--json'];
    // The test does not read the results, so that the batch has to wait.
    const child = spawn(process.execPath, [launcher, 'posts', 'retry', ...words], {
      env: bareEnv(home, env),
    });
    const gone = new Promise((resolve) => child.on('exit', (_code, by) => resolve(by)));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await waitUntil(() => child.stdout.readableLength > 0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const at = performance.now();
    child.kill('SIGINT');
    expect(await gone).toBe('SIGINT');
    expect(performance.now() - at).toBeLessThan(3500);
    expect(said).toContain(`--journal ${journal}`);
  });
});
