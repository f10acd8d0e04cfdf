// A canary: the first records are sent and waited for, and the rest only if few of them went wrong.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgeCanary } from '../../../src/batch/report/verdict.ts';
import { countingServer, idList, idOf, post } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome } from '../../support/program.ts';

/** A service whose retried posts fail or publish at the first look. */
async function setup(count: number, fails: (n: number) => boolean) {
  const isBad = { now: fails };
  /** Each look shows another time, as if the platform had tried again. */
  const later = () => new Date(Date.UTC(2026, 2, 3) + log.length * 1000).toISOString();
  /** True if the last retry of each post fails. */
  const retried = new Map<string, boolean>();
  const log: string[] = [];
  const numberOf = (id: string) => Array.from({ length: count }, (_, n) => idOf(n)).indexOf(id);
  const service = await countingServer((id, method) => {
    if (method === 'POST') {
      retried.set(id, isBad.now(numberOf(id)));
      log.push(`POST ${numberOf(id)}`);
      return { body: post(id, 'publishing') };
    }
    if (!retried.has(id)) return { body: post(id, 'failed') };
    log.push(`look ${numberOf(id)}`);
    const isFailed = retried.get(id) === true;
    return { body: post(id, isFailed ? 'failed' : 'published', { updatedAt: later() }) };
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

describe('the judgement of a canary', () => {
  const none = { ok: 0, failed: 0, unknown: 0, accepted: 0, skipped: 0, before: 0 };
  const judge = (counts: Partial<typeof none>, maxPercent = 10, left = 3) =>
    judgeCanary(maxPercent, { ...none, ...counts }, left);

  it('ignores records done by an earlier run and skipped ones', () => {
    const counts = { ok: 40, failed: 1, unknown: 2, accepted: 1, skipped: 5, before: 6 };
    expect(judge(counts)).toEqual({
      passed: 'canary passed: 40 of 44 succeeded (9.1% did not, limit 10%); continuing with 3 more',
    });
  });

  it('stops the batch when no canary record was sent, unless nothing else is left', () => {
    expect(judge({ skipped: 2, before: 5 }).why).toMatchObject({
      kind: 'batch_failed',
      message:
        'canary failed: it tried nothing: 2 of 2 had nothing to do; the other 3 were not sent',
    });
    expect(judge({ before: 5 }, 10, 0)).toEqual({});
    expect(judge({ ok: 10 }, 10, 0)).toEqual({});
  });

  it.each([
    [{ ok: 9, failed: 1 }, 10, undefined],
    [{ ok: 8, failed: 1, unknown: 1 }, 20, undefined],
    [{ ok: 8, unknown: 1 }, 10, '1 of 9 did not succeed (11.1%, limit 10%)'],
    [{ ok: 2, accepted: 1 }, 33.3, '1 of 3 did not succeed (33.3%, limit 33.3%)'],
    [{ failed: 1 }, 99, '1 of 1 did not succeed (100%, limit 99%)'],
  ])('measures %j by %d percent', (counts, maxPercent, said) => {
    const { why } = judge(counts, maxPercent);
    const what = said && `canary failed: ${said}; the other 3 were not sent`;
    expect(why?.facts.what).toBe(what);
    expect(why?.facts.code).toBe(said && 'canary_failed');
  });
});

describe('--canary', () => {
  it('waits for the first n, reports them, and sends the rest without waiting', async () => {
    const { retry, log, posted } = await setup(30, (n) => n === 3);
    const { exitCode, stderr } = await retry('--canary', '10');
    expect(stderr).toContain(
      'canary passed: 9 of 10 succeeded (10% did not, limit 10%); continuing with 20 more\n',
    );
    expect(stderr).toContain('29 of 30 accepted, 1 failed');
    expect(exitCode).toBe(11);
    expect(posted()).toBe(30);
    const eleventh = log.indexOf('POST 10');
    expect(log.slice(0, eleventh).filter((line) => line.startsWith('look'))).toHaveLength(10);
    expect(log.slice(eleventh).every((line) => line.startsWith('POST'))).toBe(true);
  });

  it('sends nothing else when more failed, and prints first the result, then the command to continue', async () => {
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
    // The three that failed are tried again, with the first seven of the rest.
    isBad.now = () => false;
    const next = await retry('--canary', '10', '--journal', journal);
    expect(next.exitCode).toBe(0);
    expect(next.stderr).toContain('canary passed: 10 of 10 succeeded; continuing');
    expect(posted()).toBe(10 + 3 + 20);
  });
});
