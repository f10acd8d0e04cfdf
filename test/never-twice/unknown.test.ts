// A change whose answer was lost is unknown until a read has settled it. No refusal of a later request changes that, no
// file names it, and no clock of this machine.

import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  A,
  B,
  brief,
  type Answer,
  down,
  duplicate,
  invalid,
  limited,
  linkedin,
  lost,
  noToken,
  OLD,
  P,
  stageOf,
  stamp,
  twitter,
  whole,
} from './service.ts';

const named = { postId: P, targetIds: [A] };

describe('a refusal of --retry-unknown', () => {
  it.each<[string, Answer]>([
    ['409 as a duplicate', duplicate],
    ['422', invalid],
    ['429', limited],
    ['401', noToken],
    ['503', down],
  ])(
    'with %s leaves the earlier request unknown: a plain run does not send it',
    async (_what, answer) => {
      const { stage, sent, batch } = await stageOf(twitter('failed'));
      stage.onRetry = () => lost;
      expect((await batch([P], '--failed')).exitCode).toBe(12);
      stage.onRetry = () => answer;
      const again = await batch([P], '--failed', '--retry-unknown', '--yes', '--retries', '0');
      expect([4, 11, 12]).toContain(again.exitCode);
      expect(again.stderr).not.toContain('change the content');
      stage.onRetry = () => undefined;
      expect((await batch([P], '--failed')).exitCode).toBe(12);
      expect(sent).toHaveLength(2);
    },
  );

  it('and one that is accepted and published is done', async () => {
    const { stage, sent, batch } = await stageOf(twitter('failed'));
    stage.onRetry = () => lost;
    await batch([P], ...whole);
    stage.onRetry = () => void (stage.shows = [twitter('published', stamp())]);
    expect((await batch([P], ...whole, '--retry-unknown', '--yes')).exitCode).toBe(0);
    expect((await batch([P], ...whole)).stderr).toContain('all 1 already done');
    expect(sent).toHaveLength(2);
  });
});

it('an unknown target does not hold up its sibling', async () => {
  const { stage, sent, batch } = await stageOf(twitter('failed'));
  stage.onRetry = () => lost;
  expect((await batch([P])).exitCode).toBe(12);
  stage.shows = [twitter('failed'), linkedin('failed')];
  stage.onRetry = () => void (stage.shows = [twitter('failed'), linkedin('published', stamp())]);
  const { exitCode, stderr } = await batch([P], ...whole);
  expect(exitCode).toBe(12);
  expect(stderr).toContain('outcome of 1 target unknown since an earlier run; not sent again');
  expect(sent).toEqual([[A], [B]]);
});

describe('--failures-to', () => {
  it('names the target that was refused, and none that is accepted or unknown', async () => {
    const { stage, sent, batch, failures, at } = await stageOf(twitter('failed'));
    await batch([P], '--failures-to', at('left'));
    expect(failures()).toEqual([]);
    stage.shows = [twitter('failed'), linkedin('failed')];
    stage.onRetry = () => invalid;
    expect((await batch([P], '--failures-to', at('left'))).exitCode).toBe(11);
    expect(failures()).toEqual([`{"postId":"${P}","targetIds":["${B}"]}`]);
    expect(sent).toEqual([[A], [B]]);
  });

  it.each([
    ['accepted', undefined],
    ['unknown', lost],
  ])('is empty if the post cannot be read, and its target is %s', async (_what, answer) => {
    const { stage, batch, failures, at } = await stageOf(twitter('failed'));
    stage.onRetry = () => answer;
    await batch([P]);
    stage.onRead = () => down;
    const { exitCode } = await batch([P], ...brief, '--retries', '0', '--failures-to', at('left'));
    expect([8, 12]).toContain(exitCode);
    expect(failures()).toEqual([]);
  });

  it('without a journal names no target that the history knows to be on its way', async () => {
    const { stage, run, failures, at, sent } = await stageOf(twitter('failed'));
    await run('posts', 'retry', P, '--failed');
    stage.shows = [twitter('failed'), linkedin('failed')];
    stage.onRetry = () => invalid;
    const list = at('list');
    writeFileSync(list, `${P}\n`);
    await run('posts', 'retry', '--from', list, '--failed', '--failures-to', at('left'));
    expect(failures()).toEqual([`{"postId":"${P}","targetIds":["${B}"]}`]);
    expect(sent).toEqual([[A], [B]]);
  });
});

describe('a record is finished only when all that it stands for was seen to be out', () => {
  it('after a run without --wait, one with it waits', async () => {
    const { stage, sent, batch } = await stageOf(twitter('failed'));
    stage.onRetry = () => void (stage.shows = [twitter('publishing', stamp())]);
    expect((await batch([P])).exitCode).toBe(0);
    const waited = await batch([P], ...brief);
    expect(waited.exitCode).toBe(8);
    expect(waited.stderr).not.toContain('already done');
    stage.shows = [twitter('failed', stamp(1000), 'Again.')];
    stage.onRetry = () => void (stage.shows = [twitter('published', stamp(2000))]);
    expect((await batch([P], ...whole)).exitCode).toBe(0);
    expect(sent).toEqual([[A], [A]]);
  });

  it('a target that was publishing and fails later is sent', async () => {
    const { stage, sent, batch } = await stageOf(twitter('failed'), linkedin('publishing'));
    stage.onRetry = () =>
      void (stage.shows = [twitter('published', stamp()), linkedin('publishing')]);
    await batch([P], '--failed');
    stage.shows = [twitter('published', stamp()), linkedin('failed', stamp())];
    await batch([P], '--failed');
    expect(sent).toEqual([[A], [B]]);
  });

  it('a target that is published after a lost retry is done, and not unknown for ever', async () => {
    const { stage, sent, batch } = await stageOf(twitter('failed'));
    stage.onRetry = () => lost;
    expect((await batch([named])).exitCode).toBe(12);
    stage.shows = [twitter('published', stamp())];
    expect((await batch([named])).exitCode).toBe(0);
    expect((await batch([named])).stderr).toContain('all 1 already done');
    expect(sent).toEqual([[A]]);
  });

  it('a target that a partial read lacks is looked for again', async () => {
    const { stage, sent, batch } = await stageOf(twitter('failed'), linkedin('failed'));
    stage.onRetry = () => void (stage.shows = [twitter('published', stamp())]);
    await batch([P]);
    expect((await batch([P], ...brief)).stderr).not.toContain('already done');
    stage.shows = [twitter('published', stamp()), linkedin('failed', stamp(60_000), 'New.')];
    await batch([P]);
    expect(sent).toEqual([[A, B], [B]]);
  });
});

describe('a wait ends when it says it ends', () => {
  const soon = ['--wait-timeout', '1500ms', '--interval', '100ms'];
  const pause: Answer = { ...limited, headers: { 'retry-after': '40' } };
  const timed = async (work: Promise<{ readonly exitCode: number }>) => {
    const started = performance.now();
    const { exitCode } = await work;
    expect(performance.now() - started).toBeLessThan(6000);
    return exitCode;
  };

  it('a batch whose polls stand in a pause that the service asked for', async () => {
    const { stage, batch, sent } = await stageOf(twitter('failed'));
    stage.onRetry = () => void (stage.shows = [twitter('publishing', stamp())]);
    stage.onRead = () => (sent.length > 0 ? pause : undefined);
    expect(await timed(batch([P], '--wait', ...soon))).toBe(8);
  });

  it.each([
    ['posts wait', [P]],
    ['posts wait', [P, 'PostForTheTestsB']],
    ['connect telegram access-code', ['TG-482913', '--wait']],
  ])('%s %j at a silent service', async (words, more) => {
    const { stage, run } = await stageOf(twitter('publishing'));
    stage.onRead = () => ({ instead: 'silence' });
    expect([8, 9, 11]).toContain(await timed(run(...words.split(' '), ...more, ...soon)));
  });

  it('a resumed wait whose first read fails is still pending', async () => {
    const { stage, batch, sent } = await stageOf(twitter('failed'));
    await batch([P]);
    stage.onRead = () => down;
    expect((await batch([P], ...brief, '--retries', '0')).exitCode).toBe(8);
    expect(sent).toEqual([[A]]);
  });
});

describe('history settle', () => {
  const settle = ['history', 'settle'];
  const verdictsIn = (stdout: string) =>
    (JSON.parse(stdout) as { items: { verdict: string }[] }).items.map(({ verdict }) => verdict);

  it('says done for what was published within a second', async () => {
    const { stage, run } = await stageOf(twitter('failed'));
    stage.onRetry = () => {
      stage.shows = [twitter('published', stamp())];
      return lost;
    };
    expect((await run('posts', 'retry', P, '--failed')).exitCode).toBe(12);
    expect(verdictsIn((await run(...settle, '--json')).stdout)).toEqual(['done']);
  });

  it.each([
    ['a single call', []],
    ['a batch', ['--journal']],
  ])('of %s is not misled by a clock that was set', async (_what, flags) => {
    const { stage, at, runBuilt, sent } = await stageOf(twitter('failed'));
    stage.onRetry = () => lost;
    const journal = flags.length > 0 ? ['--journal', at('journal')] : [];
    writeFileSync(at('ahead.cjs'), 'const now = Date.now; Date.now = () => now() + 3_600_000;\n');
    const shifted = { NODE_OPTIONS: `--require ${at('ahead.cjs')}` };
    await runBuilt(['posts', 'retry', P, '--failed', ...journal]);
    const settled = await runBuilt([...settle, '--json'], shifted);
    expect(verdictsIn(settled.stdout)).toEqual(['cannot tell']);
    await runBuilt(['posts', 'retry', P, '--failed', ...journal], shifted);
    expect(sent.length).toBe(journal.length > 0 ? 1 : sent.length);
  });

  it('says not done after a minute by the service, and the batch sends it again', async () => {
    const { stage, batch, run, at, sent } = await stageOf(twitter('failed'));
    stage.onRetry = () => lost;
    await batch([P]);
    stage.aheadMs = 120_000;
    expect(verdictsIn((await run(...settle, '--journal', at('journal'), '--json')).stdout)).toEqual(
      ['not done'],
    );
    stage.onRetry = () => undefined;
    expect((await batch([P])).exitCode).toBe(0);
    expect(sent).toEqual([[A], [A]]);
  });

  it('waits for fifteen minutes after the answer of a gateway, and while the post is publishing', async () => {
    const { stage, batch, run, at } = await stageOf(twitter('failed'));
    stage.onRetry = () => ({ status: 502, body: '<html>Bad Gateway</html>' });
    await batch([P], '--failed');
    const verdict = async () =>
      verdictsIn((await run(...settle, '--journal', at('journal'), '--json')).stdout);
    stage.aheadMs = 14 * 60_000;
    expect(await verdict()).toEqual(['cannot tell']);
    stage.aheadMs = 16 * 60_000;
    expect(await verdict()).toEqual(['not done']);
  });

  it('cannot tell without a read before, without a date, and from a cache', async () => {
    const { stage, run } = await stageOf(twitter('failed'));
    stage.onRetry = () => lost;
    await run('posts', 'retry', P);
    stage.aheadMs = 3_600_000;
    const plain = await run(...settle, '--json');
    expect(plain.stdout).toContain('use --failed next time');
    stage.aheadMs = undefined;
    expect(verdictsIn((await run(...settle, '--json')).stdout)).toEqual(['cannot tell']);
    stage.onRead = () => ({ headers: { age: '30' } });
    expect((await run(...settle, '--json')).stdout).toContain('cache');
  });

  it('counts each record once, by its last state, also when it is run twice', async () => {
    const { stage, batch, run, at } = await stageOf(twitter('failed'), linkedin('failed'));
    stage.onRetry = () => lost;
    const other = { postId: P, targetIds: [B] };
    expect((await batch([named, other], '--concurrency', '1', '--retries', '0')).exitCode).toBe(12);
    stage.shows = [twitter('published', stamp()), linkedin('failed')];
    await run(...settle, '--journal', at('journal'));
    stage.aheadMs = 120_000;
    await run(...settle, '--journal', at('journal'));
    const { stdout } = await run('history', 'report', '--json');
    expect((JSON.parse(stdout) as { totals: object }).totals).toEqual({ done: 1, 'not done': 1 });
  });

  it('of one run leaves those of another alone', async () => {
    const { stage, batch, run, sent } = await stageOf(twitter('failed'));
    stage.onRetry = () => lost;
    await batch([named]);
    stage.shows = [twitter('failed'), linkedin('failed')];
    await batch([P]);
    expect(sent).toEqual([[A], [B]]);
    const { stdout } = await run('history', 'list', '--json');
    const [latest] = JSON.parse(stdout) as { id: string }[];
    stage.shows = [twitter('published', stamp()), linkedin('published', stamp())];
    const settled = JSON.parse((await run(...settle, latest!.id, '--json')).stdout) as {
      items: { ids: string[] }[];
    };
    expect(settled.items.map(({ ids }) => ids)).toEqual([[P, B]]);
  });
});

it('a failed target that has an old state is settled as not done only once by its own request', async () => {
  const { stage, batch, run, at, sent } = await stageOf(twitter('failed', OLD, 'HTTP 503'));
  stage.onRetry = () => lost;
  await batch([P]);
  stage.aheadMs = 120_000;
  await run('history', 'settle', '--journal', at('journal'));
  stage.onRetry = () => invalid;
  await batch([P]);
  stage.onRetry = () => lost;
  await batch([P]);
  // The third request is unknown, whatever became of the first two.
  expect((await batch([P])).exitCode).toBe(12);
  expect(sent).toHaveLength(3);
});
