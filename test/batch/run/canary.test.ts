// A canary: the first records are sent and waited for, and the rest only if few of them went wrong.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingServer, idList, idOf, post } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome } from '../../support/program.ts';

/** A service whose retried posts fail or publish at the first look. */
async function setup(count: number, fails: (n: number) => boolean) {
  const isBad = { now: fails };
  const retried = new Set<string>();
  const log: string[] = [];
  const numberOf = (id: string) => Array.from({ length: count }, (_, n) => idOf(n)).indexOf(id);
  const service = await countingServer((id, method) => {
    if (method === 'POST') {
      retried.add(id);
      log.push(`POST ${numberOf(id)}`);
      return { body: post(id, 'publishing') };
    }
    if (!retried.has(id)) return { body: post(id, 'failed') };
    log.push(`look ${numberOf(id)}`);
    const isFailed = isBad.now(numberOf(id));
    return { body: post(id, isFailed ? 'failed' : 'published', { updatedAt: 'later' }) };
  });
  const home = freshHome();
  const list = join(home, 'ids.txt');
  writeFileSync(list, idList(count));
  const retry = (...more: string[]) =>
    socialInProcess(['posts', 'retry', '--from', list, '--interval', '50ms', ...more], {
      home,
      env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' },
    });
  const posted = () => log.filter((line) => line.startsWith('POST')).length;
  return { retry, log, posted, isBad, journal: join(home, 'journal') };
}

describe('--canary', () => {
  it('waits for the first n, says how they ended, and sends the rest without a wait', async () => {
    const { retry, log, posted } = await setup(30, (n) => n === 3);
    const { exitCode, stderr } = await retry('--canary', '10');
    expect(stderr).toContain(
      'canary passed: 1 of 10 did not succeed (10%, limit 10%); continuing with 20 more\n',
    );
    expect(stderr).toContain('29 of 30 accepted, 1 failed');
    expect(exitCode).toBe(11);
    expect(posted()).toBe(30);
    const eleventh = log.indexOf('POST 10');
    expect(log.slice(0, eleventh).filter((line) => line.startsWith('look'))).toHaveLength(10);
    expect(log.slice(eleventh).every((line) => line.startsWith('POST'))).toBe(true);
  });

  it('waits for the rest too with --wait', async () => {
    const { retry, log } = await setup(8, () => false);
    const { exitCode, stderr } = await retry('--canary', '2', '--wait');
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toContain('canary passed: 0 of 2 did not succeed (0%, limit 10%)');
    expect(log.filter((line) => line.startsWith('look'))).toHaveLength(8);
  });

  it('sends nothing else when more failed, says so first, and how to go on', async () => {
    const { retry, posted, isBad, journal } = await setup(30, (n) => n < 3);
    const failed = await retry('--canary', '10', '--journal', journal);
    expect(failed.exitCode).toBe(11);
    expect(posted()).toBe(10);
    expect(failed.stderr).toContain(
      'error: canary failed: 3 of 10 did not succeed (30%, limit 10%); the other 20 were not sent\n',
    );
    expect(failed.stderr).toContain('7 of 30 accepted, 3 failed');
    expect(failed.stderr).toContain('without --canary it sends all that is left');
    expect(failed.stderr).toContain(`--canary 10 --journal ${journal}\n`);
    // The seven that are done count, so three are tried again before the rest.
    isBad.now = () => false;
    const next = await retry('--canary', '10', '--journal', journal);
    expect(next.exitCode).toBe(0);
    expect(next.stderr).toContain('canary passed: 0 of 10 did not succeed');
    expect(posted()).toBe(10 + 3 + 20);
  });

  it('counts what is still pending as not succeeded', async () => {
    const service = await countingServer((id, method) => ({
      body: post(id, method === 'POST' || id === idOf(0) ? 'publishing' : 'published'),
    }));
    const home = freshHome();
    const list = join(home, 'ids.txt');
    writeFileSync(list, idList(5));
    const { exitCode, stderr } = await socialInProcess(
      ['posts', 'retry', '--from', list, '--canary', '2', '--wait-timeout', '300ms'],
      { home, env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' } },
    );
    expect(exitCode).toBe(11);
    expect(stderr).toContain('canary failed: 1 of 2 did not succeed (50%, limit 10%)');
    expect(service.counts.get(`POST ${idOf(2)}`)).toBeUndefined();
  });

  it('takes a limit of its own', async () => {
    const { retry, posted } = await setup(6, (n) => n < 2);
    const outcome = await retry('--canary', '4', '--max-failure-rate', '50%');
    expect(outcome.stderr).toContain('canary passed: 2 of 4 did not succeed (50%, limit 50%)');
    expect(posted()).toBe(6);
  });

  it.each([
    [['--canary', '0'], '--canary must be a whole number from 1 to 1000000, got "0"'],
    [['--max-failure-rate', '5%'], '--max-failure-rate requires --canary'],
    ...['10', '0.1', '101%', '-1%', '5.25%', ''].map(
      (text) =>
        [
          ['--canary', '5', `--max-failure-rate=${text}`],
          `--max-failure-rate must be a percentage from 0% to 100%, e.g. 10%, got "${text}"`,
        ] as const,
    ),
  ] as const)('%j is refused before anything is sent', async (flags, message) => {
    const { retry, posted } = await setup(3, () => false);
    const { exitCode, stderr } = await retry(...flags);
    expect({ exitCode, posted: posted() }).toEqual({ exitCode: 2, posted: 0 });
    expect(stderr).toContain(message);
  });

  it('is accepted with --dry-run, and only by changes that can be waited for', async () => {
    const { retry, posted } = await setup(3, () => false);
    expect((await retry('--canary', '2', '--dry-run')).exitCode).toBe(0);
    expect(posted()).toBe(0);
    const refused = await socialInProcess(['posts', 'get', idOf(0), '--canary', '2']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--canary');
  });
});
