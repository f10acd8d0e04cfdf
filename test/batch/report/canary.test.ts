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
  const told = { failing: [], isMendable: true, isForPerson: true, isJournalled: true };
  const run = {
    ...told,
    maxPercent: 10,
    left: 3,
    size: 60,
    reached: 'published',
    isStopped: false,
  };
  const judge = (counts: Partial<typeof none>, maxPercent = 10, left = 3) =>
    judgeCanary({ ...run, maxPercent, left }, { ...none, ...counts });

  it('ignores records done by an earlier run and skipped ones', () => {
    const counts = { ok: 40, failed: 1, unknown: 2, accepted: 1, skipped: 5, before: 6 };
    expect(judge(counts)).toEqual({
      end: 'passed',
      said: 'canary passed: 40 of 44 published; continuing with 3 more',
    });
    const failing = ['x 0 of 2: HTTP 429', 'y 0 of 1: No.'];
    const warned = judgeCanary({ ...run, maxPercent: 50, failing }, { ...none, ok: 7, failed: 3 });
    expect(warned.said).toBe(
      'canary passed: 7 of 10 published; x 0 of 2: HTTP 429; y 0 of 1: No.; continuing with 3 more; Ctrl-C stops, and the same line resumes',
    );
  });

  it('fails nothing when it is stopped, and says how many have ended', () => {
    expect(
      judgeCanary({ ...run, size: 5, isStopped: true }, { ...none, ok: 1, failed: 1, accepted: 2 }),
    ).toEqual({
      end: 'stopped',
      said: 'canary stopped: 2 of 5 have ended',
    });
  });

  it('stops the batch when no canary record was sent, unless nothing else is left', () => {
    expect(judge({ skipped: 2, before: 5 }).why).toMatchObject({
      kind: 'batch_failed',
      message:
        'canary failed: it tried nothing: 2 of 2 had nothing to do; the other 3 were not sent',
    });
    expect(judge({ before: 5 }, 10, 0)).toEqual({ end: 'passed' });
    expect(judge({ ok: 10 }, 10, 0)).toEqual({ end: 'passed' });
  });

  it.each([
    [{ ok: 9, failed: 1 }, 10, undefined],
    [{ ok: 8, failed: 1, unknown: 1 }, 20, undefined],
    [{ ok: 8, unknown: 1 }, 10, '8 of 9 published (at most 10% may fail)'],
    [{ ok: 2, accepted: 1 }, 33.3, '2 of 3 published (at most 33.3% may fail)'],
    [{ failed: 1 }, 99, '0 of 1 published (at most 99% may fail)'],
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
    expect(stderr).toContain('canary passed: 9 of 10 published; continuing with 20 more\n');
    expect(stderr).toContain('29 of 30 accepted, 1 failed');
    expect(stderr).toContain('wait for what was accepted: social posts wait Postal');
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
      'error: canary failed: 7 of 10 published (at most 10% may fail); the other 20 were not sent\n',
    );
    expect(failed.stderr).toContain('7 of 30 accepted, 3 failed');
    expect(failed.stderr).toContain('without --canary it sends all that is left');
    expect(failed.stderr).toContain(`--canary 10 --journal ${journal}\n`);
    // The three that failed are tried again, with the first seven of the rest.
    isBad.now = () => false;
    const next = await retry('--canary', '10', '--journal', journal);
    expect(next.exitCode).toBe(0);
    expect(next.stderr).toContain('canary passed: 10 of 10 published; continuing');
    expect(posted()).toBe(10 + 3 + 20);
  });
});
