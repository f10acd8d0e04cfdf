// No delivery that was answered is lost: the built program is killed, its disk is full, or its output is not read.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deliver, deliveryReceiver } from '../../support/delivery-receiver.ts';
import { freshHome } from '../../support/program.ts';
import { startProcess, waitUntil } from '../../support/signalled-process.ts';
import { needsUnix } from '../../support/unix.ts';

/** Starts the program, and waits until it listens. */
async function listening(...argv: readonly string[]) {
  needsUnix('signals');
  const running = startProcess(['webhooks', 'listen', ...argv]);
  const address = () => /listening on (\S+)/.exec(running.stderr())?.[1];
  await waitUntil(() => address() !== undefined || running.child.exitCode !== null);
  return { ...running, url: address()! };
}

const bodyOf = (i: number) =>
  JSON.stringify({ event: 'post.failed', data: { post: { id: `P${i}` } } });
const bodiesIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { body: string }).body);

describe('a delivery acknowledged with 200', () => {
  it('survives the kill of two receivers', async () => {
    const folder = freshHome();
    const file = join(folder, 'deliveries.ndjson');
    const both = await Promise.all([listening('--append', file), listening('--append', file)]);
    const answered: string[] = [];
    const sent = Array.from({ length: 60 }, async (_, i) => {
      const { url } = both[i % 2]!;
      const { status } = await deliver(url, { body: bodyOf(i) });
      if (status === 200 && answered.push(bodyOf(i)) === 20)
        for (const { child } of both) child.kill('SIGKILL');
    });
    await Promise.allSettled(sent);
    expect(answered.length).toBeGreaterThanOrEqual(20);
    for (const { ended } of both) expect((await ended).by).toBe('SIGKILL');
    // A power cut in the midst of a write leaves half a line, which stays on a line of its own.
    const half = '{"receivedAt":"2026-';
    appendFileSync(file, half);
    const next = await deliveryReceiver(['--append', file]);
    expect((await next.send({ body: bodyOf(99) })).status).toBe(200);
    await next.stop();
    writeFileSync(file, readFileSync(file, 'utf8').replace(`${half}\n`, ''));
    const bodies = bodiesIn(file);
    expect(bodies).toEqual(expect.arrayContaining([...answered, bodyOf(99)]));
    expect(new Set(bodies).size).toBe(bodies.length);
    expect(readdirSync(folder)).toEqual(['deliveries.ndjson']);
  });

  const canLimit = spawnSync('prlimit', ['--version']).status === 0;

  it.runIf(canLimit)(
    'is on the disk; on a full one it gets 503, and the next one may be stored',
    async () => {
      const file = join(freshHome(), 'deliveries.ndjson');
      const { url, child, ended, stderr } = await listening('--append', file, '-q');
      const limit = (bytes: number | 'unlimited') =>
        execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:`]);
      expect((await deliver(url, { body: bodyOf(1) })).status).toBe(200);
      const { size } = statSync(file);
      limit(size + 30);
      expect((await deliver(url, { body: bodyOf(2) })).status).toBe(503);
      await waitUntil(() => stderr().includes('503'));
      expect(stderr()).toContain(`(cannot write ${file}: the file was cut short)\n`);
      limit('unlimited');
      expect((await deliver(url, { body: bodyOf(2) })).status).toBe(200);
      // The part that was written stays on a line of its own.
      const part = readFileSync(file, 'utf8').split('\n')[1]!;
      expect(part).toHaveLength(30);
      writeFileSync(file, readFileSync(file, 'utf8').replace(`${part}\n`, ''));
      expect(bodiesIn(file)).toEqual([bodyOf(1), bodyOf(2)]);
      child.kill('SIGTERM');
      const { by, stdout, stderr: said } = await ended;
      expect(by).toBe('SIGTERM');
      expect(stdout.match(/\n/g)).toHaveLength(2);
      expect(said).toMatch(/stopped: 2 deliveries received, 1 not stored \(answered with 503\)\n$/);
    },
  );
});

const canTrace = spawnSync('strace', ['-qq', '-e', 'trace=fsync', 'true']).status === 0;

it.runIf(canTrace)('a delivery is written and synced before the 200', async () => {
  const home = freshHome();
  const [file, trace] = [join(home, 'deliveries.ndjson'), join(home, 'trace')];
  const { url, child, ended } = await listening('--append', file, '-q');
  const calls = 'trace=write,writev,fdatasync,fsync';
  const words = ['-f', '-y', '-s', '200', '-o', trace, '-e', calls, '-p', String(child.pid)];
  const strace = spawn('strace', words);
  let said = '';
  strace.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await waitUntil(() => said.includes('attached'));
  const { status } = await deliver(url, { body: bodyOf(1) });
  child.kill('SIGTERM');
  await ended;
  if (strace.exitCode === null) await once(strace, 'exit');
  const steps = readFileSync(trace, 'utf8')
    .split('\n')
    .flatMap((call) => {
      if (/write\(\d+<[^>]*deliveries\.ndjson>/.test(call)) return ['written'];
      if (/sync\(\d+<[^>]*deliveries\.ndjson>\)\s+= 0/.test(call)) return ['synced'];
      return call.includes('HTTP/1.1 200') ? ['answered'] : [];
    });
  expect({ status, steps }).toEqual({ status: 200, steps: ['written', 'synced', 'answered'] });
});

describe('a blocked stdout', () => {
  it('loses nothing stored in a file, and closing stdin ends nothing', async () => {
    const file = join(freshHome(), 'deliveries.ndjson');
    const { url, child, ended } = await listening('--append', file, '--json');
    child.stdin!.end();
    child.stdout!.pause();
    const long = 'a'.repeat(1_000_000);
    for (let i = 0; i < 12; i++) expect((await deliver(url, { body: long })).status).toBe(200);
    child.stdout!.destroy();
    for (const i of [1, 2, 3]) expect((await deliver(url, { body: bodyOf(i) })).status).toBe(200);
    expect(bodiesIn(file)).toEqual([...Array<string>(12).fill(long), ...[1, 2, 3].map(bodyOf)]);
    child.kill('SIGINT');
    const { by, stderr } = await ended;
    expect(by).toBe('SIGINT');
    expect(stderr).toMatch(/stopped: 15 deliveries received"/);
  });

  it('delays no signal', async () => {
    const file = join(freshHome(), 'deliveries.ndjson');
    const { url, child, stderr } = await listening('--append', file, '--json');
    child.stdout!.pause();
    for (let i = 0; i < 3; i++)
      expect((await deliver(url, { body: 'a'.repeat(1_000_000) })).status).toBe(200);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
    child.stdout!.destroy();
    await waitUntil(() => stderr().includes('stopped: 3 deliveries received'));
  });

  it('ends a receiver without a file, and the delivery is not acknowledged', async () => {
    const { url, child, ended } = await listening();
    child.stdout!.destroy();
    expect((await deliver(url, { body: bodyOf(1) })).status).toBe(503);
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain('(stdout is closed, and there is no --append)\n');
  });
});
