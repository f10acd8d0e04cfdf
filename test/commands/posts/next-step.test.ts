// What is named as the next step for the targets of a post, and what a wait counts.

import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../src/client/call-context.ts';
import { adviseAfterWait, waitLine } from '../../../src/commands/posts/next-step.ts';
import { tellNextStep } from '../../../src/commands/posts/tell-next-step.ts';
import { waitHooks } from '../../../src/commands/posts/wait.ts';
import { scriptedService } from '../../support/scripted-service.ts';

const P = 'PostForTheTestsA';
const [A, B, C] = ['TargetOnTwitterA', 'TargetOnLinkedIn', 'TargetOnMastodon'] as const;
const updatedAt = '2026-03-02T09:00:00Z';
const target = (id: string, status: string, more: object = {}) => ({
  id,
  platform: { [A]: 'twitter', [B]: 'linkedin', [C]: 'mastodon' }[id]!,
  status,
  updatedAt,
  ...more,
});
type Target = ReturnType<typeof target>;

function contextOf(flags: object = {}, settings: object = {}, data: object = {}) {
  const notes: string[] = [];
  const callContext = {
    flags,
    settings: { timeoutMs: 1000, retries: 0, ...settings },
    service: scriptedService(() => data),
    runtime: {
      signal: new AbortController().signal,
      secrets: { maskTokens: (value: unknown) => value },
      note: (line: string) => void notes.push(line),
      monotonic: () => 0,
      stdout: { isTTY: true },
    },
  } as unknown as CallContext;
  return { callContext, notes };
}
const { callContext } = contextOf();
const expired = 'The access token has expired';

describe('the wait that is named', () => {
  it.each<readonly [string, readonly Target[], string | undefined]>([
    ['all that is not published', [target(A, 'publishing'), target(B, 'published')], ''],
    ['all', [target(A, 'publishing'), target(B, 'publishing')], ''],
    [
      'those that are being published',
      [target(A, 'publishing'), target(B, 'failed'), target(C, 'publishing')],
      ` --target ${A} --target ${C}`,
    ],
    ['nothing', [target(A, 'published'), target(B, 'failed')], undefined],
    ['nothing of none', [], undefined],
  ])('is for %s', (_what, targets, words) => {
    expect(waitLine(P, targets, callContext)).toBe(
      words === undefined ? undefined : `social posts wait ${P}${words}`,
    );
  });

  it('is at the same service', () => {
    const where = { settings: { context: 'prod' }, flags: { cacert: 'a b.pem' } };
    expect(waitLine(P, [target(A, 'publishing')], where as unknown as CallContext)).toBe(
      `social -C prod --cacert 'a b.pem' posts wait ${P}`,
    );
  });
});

describe('the advice after a wait', () => {
  const advise = (targets: readonly Target[], bad: readonly string[]) =>
    adviseAfterWait({ data: { targets }, input: { postId: P }, bad }, callContext);
  const posted = { platformPostId: '1' };
  const retry = `social posts retry ${P}`;

  it.each<readonly [string, readonly Target[], readonly string[], object]>([
    [
      'all that failed',
      [target(A, 'failed'), target(B, 'published')],
      [A],
      { next: `${retry} --failed` },
    ],
    [
      'some of them',
      [target(A, 'failed'), target(B, 'failed')],
      [B],
      { next: `${retry} --target ${B}` },
    ],
    [
      'two of three, by their causes',
      [
        target(A, 'failed', { error: 'Rate limit' }),
        target(B, 'failed', { error: 'Rate limit' }),
        target(C, 'failed'),
      ],
      [A, B],
      {
        next: `${retry} --target ${A} --target ${B}`,
        why: ['causes: twitter temporary, linkedin temporary'],
      },
    ],
    [
      'what a retry does not mend',
      [target(B, 'failed', { error: expired })],
      [B],
      {
        hint: 'linkedin: check the account’s connection before you retry',
        why: ['cause: linkedin reconnect'],
      },
    ],
    [
      'one of each',
      [target(A, 'failed'), target(B, 'failed', { error: expired })],
      [A, B],
      {
        next: `${retry} --target ${A}`,
        hint: 'linkedin: check the account’s connection before you retry',
        why: ['cause: linkedin reconnect'],
      },
    ],
    [
      'what the platform has',
      [target(A, 'failed', posted)],
      [A],
      { hint: 'twitter: failed, but already has a platform post; check that first' },
    ],
    [
      'what waits for a person',
      [target(A, 'action_required'), target(B, 'action_required')],
      [A, B],
      {
        hint: 'twitter: action required; see the platform or the service’s console; linkedin: action required; see the platform or the service’s console',
      },
    ],
    [
      'what was cancelled',
      [target(A, 'cancelled', { error: expired })],
      [A],
      { why: ['cause: twitter reconnect'] },
    ],
    ['nothing', [target(A, 'failed')], [], {}],
  ])('is about %s', (_what, targets, bad, advice) => {
    expect(advise(targets, bad)).toStrictEqual(advice);
  });

  it('says the same about several targets once', () => {
    const content = { error: 'Duplicate content', platform: 'twitter' };
    const told = advise([target(A, 'failed', content), target(B, 'failed', content)], [A, B]);
    expect(told.hint).toBe('twitter: check the content before you retry');
    expect(told.why).toEqual(['cause: twitter content']);
  });
});

describe('the step after a result', () => {
  const told = async (data: unknown, settings: object = {}) => {
    const scene = contextOf({}, { output: 'table', ...settings });
    await tellNextStep({ data }, { postId: P }, scene.callContext);
    return scene.notes;
  };

  it('is the wait where something is being published, else the retry', async () => {
    expect(await told({ targets: [target(A, 'publishing'), target(B, 'failed')] })).toEqual([
      `try: social posts wait ${P} --target ${A}`,
    ]);
    expect(
      await told({ targets: [target(A, 'failed'), target(B, 'failed', { error: expired })] }),
    ).toEqual([
      'linkedin: check the account’s connection before you retry',
      `try: social posts retry ${P} --target ${A}`,
    ]);
    expect(await told({ targets: [target(A, 'failed', { error: expired })] })).toEqual([
      'twitter: check the account’s connection before you retry',
    ]);
    expect(await told({ targets: [target(A, 'published')] })).toEqual([]);
  });

  it('is named below a table alone, and of targets that can be read', async () => {
    const data = { targets: [target(A, 'failed')] };
    expect(await told(data, { output: 'json' })).toEqual([]);
    expect(await told({ targets: 5 })).toEqual([]);
  });
});

describe('a wait for some platforms', () => {
  const data = { id: P, targets: [target(A, 'failed'), target(B, 'published')] };
  const before = async (flags: object, input: object = {}) =>
    waitHooks.before!({ postId: P, ...input }, contextOf(flags, {}, data).callContext, true);
  const judge = (flags: object) => () => waitHooks.judge!(data, flags as CallContext['flags']);

  it('counts the targets that are on them, and of these those that are named', async () => {
    expect(await before({})).toMatchObject({ instead: { data }, wanted: undefined });
    expect(await before({}, { targetIds: [A] })).toMatchObject({ wanted: [A] });
    const on = await before({ platform: ['linkedin'] });
    expect([on.wanted, on.idle]).toEqual([[B], undefined]);
    expect(await before({ platform: ['linkedin'] }, { targetIds: [A, B] })).toMatchObject({
      wanted: [B],
    });
    expect(await before({ platform: ['linkedin'] }, { targetIds: [A] })).toMatchObject({
      wanted: [],
      idle: 'nothing',
    });
    expect(await before({ platform: ['mastodon'] })).toMatchObject({ wanted: [], idle: 'nothing' });
  });

  it('is no success where it counts nothing', () => {
    for (const flags of [
      {},
      { platform: ['twitter'] },
      { platform: ['twitter'], target: [`${B},${A}`] },
    ])
      expect(judge(flags)).not.toThrow();
    for (const [flags, what] of [
      [{ platform: ['mastodon', 'x'] }, 'the post has no target on mastodon, x'],
      [{ platform: ['twitter'], target: [B] }, 'none of these targets is on twitter'],
    ] as const)
      expect(judge(flags)).toThrow(
        expect.objectContaining({
          kind: 'ended_badly',
          facts: { what, sent: true, retryable: false },
        }) as Error,
      );
  });
});
