// The targets that a retry names: never one that its platform has already. The service and the person who is asked
// answer in the test's own process.

import { describe, expect, it } from 'vitest';
import {
  isMoving,
  isPosted,
  isRetryable,
  targetsOf,
  unknownStatuses,
} from '../../../src/api/schema/target-states.ts';
import type { HttpRequest } from '../../../src/base/http.ts';
import type { CallContext } from '../../../src/client/call-context.ts';
import type { RawFlags } from '../../../src/config/choices.ts';
import { selectsTargets, selectTargets } from '../../../src/commands/posts/select-targets.ts';
import {
  failedTargetFlags,
  filterFaults,
  platformFlag,
  targetFilter,
} from '../../../src/commands/posts/target-filter.ts';
import { scriptedService } from '../../support/scripted-service.ts';

const P = 'PostForTheTestsA';
const target = (id: string, status: string, more: object = {}) => ({
  id,
  platform: 'twitter',
  status,
  updatedAt: '2026-03-02T09:00:00Z',
  ...more,
});
type Target = ReturnType<typeof target>;
const failed = (id: string, more: object = {}) => target(id, 'failed', more);
const [A, B, C, D] = [
  'TargetOnTwitterA',
  'TargetOnTwitterB',
  'TargetOnTwitterC',
  'TargetOnTwitterD',
] as const;

interface Scene {
  readonly flags?: RawFlags;
  readonly input?: object;
  /** Whether the user is asked about the change. */
  readonly asks?: boolean;
  /** What the user picks; a terminal is there where this is set. */
  readonly picks?: readonly string[];
  readonly isBatch?: boolean;
}

/** Selects among the targets of each reading in turn; with the notes and what was asked. */
async function selected(readings: readonly (readonly Target[])[], scene: Scene = {}) {
  const { flags = { failed: true }, input = {}, asks, picks, isBatch } = scene;
  const [notes, asked, sent]: [string[], unknown[], HttpRequest[]] = [[], [], []];
  const isTTY = picks !== undefined;
  const callContext = {
    flags,
    settings: { timeoutMs: 1000, retries: 0, accessible: 'plain', noInput: false },
    service: scriptedService((request) => {
      sent.push(request);
      return { id: P, targets: readings[Math.min(sent.length, readings.length) - 1] };
    }),
    runtime: {
      signal: new AbortController().signal,
      secrets: { maskTokens: (value: unknown) => value },
      note: (line: string) => void notes.push(line),
      monotonic: () => 0,
      stdin: { isTTY },
      stderr: { isTTY },
      ask: async (accessible: unknown) => ({
        checklist: async (question: object) => {
          asked.push({ accessible, ...question });
          return picks;
        },
      }),
    },
    change:
      asks === undefined
        ? undefined
        : {
            asks: async (of: object) => {
              asked.push(of);
              return asks;
            },
          },
    ...(isBatch === true
      ? { retryPolicy: () => ({ retries: 0, totalMs: 1000, monotonic: () => 0 }) }
      : {}),
  } as unknown as CallContext;
  const result = await selectTargets({ postId: P, ...input }, callContext);
  return {
    ...result,
    notes: notes.filter((line) => !line.startsWith('warning: the response')),
    asked,
    sent,
  };
}

describe('the targets of a retry', () => {
  it('are those that failed and that the platform does not have', async () => {
    const targets = [
      failed(A),
      failed(B, { platformPostId: '1' }),
      failed(C, { platformPostId: '' }),
      failed(D, { platformPostId: null }),
      target('TargetPublishedA', 'published'),
      target('TargetPublishing', 'publishing'),
      target('TargetScheduledA', 'scheduled'),
    ];
    const { input, before, wanted, skipped, instead, idle, notes, sent } = await selected([
      targets,
    ]);
    expect(input).toEqual({ postId: P, targetIds: [A, C, D] });
    expect(before).toMatchObject({ id: P, targets });
    expect([wanted, instead, idle]).toEqual([[A, C, D], undefined, undefined]);
    expect(skipped).toEqual({
      'failed, but already has a platform post': 1,
      'already publishing': 1,
    });
    expect(notes).toEqual([
      `skipped twitter ${B}: failed, but already has a platform post`,
      'skipped twitter TargetPublishing: already publishing',
    ]);
    expect(sent.map(({ method, url }) => [method, url])).toEqual([
      ['GET', `https://a.example/v1/posts/${P}`],
    ]);
  });

  it('are only those that the record names', async () => {
    const targets = [failed(A), failed(B), target(C, 'published')];
    const { input, skipped } = await selected([targets], { input: { targetIds: [B, C] } });
    expect(input).toEqual({ postId: P, targetIds: [B] });
    expect(skipped).toEqual({});
  });

  it('are none where nothing of it failed: then nothing is called', async () => {
    const published = [target(A, 'published'), target(B, 'published')];
    expect(await selected([published])).toMatchObject({
      input: { postId: P },
      instead: { data: { targets: published } },
      wanted: undefined,
      skipped: { 'already published': 2 },
      idle: 'settled',
      notes: [`nothing to retry in ${P}; nothing was changed`],
    });
    const moving = [target(A, 'published'), target(B, 'publishing'), target(C, 'publishing')];
    const { idle, notes, wanted } = await selected([moving], { input: { targetIds: [A, B, C] } });
    expect([idle, wanted]).toEqual(['moving', [A, B, C]]);
    expect(notes).toEqual([
      'skipped 2 targets: already publishing',
      `nothing to retry in ${P}; nothing was changed`,
    ]);
  });

  it('of a batch are worth a line only where a person has to look', async () => {
    const targets = [
      failed(A, { platformPostId: '1' }),
      target(B, 'publishing'),
      target(C, 'published'),
    ];
    expect((await selected([targets], { isBatch: true })).notes).toEqual([
      `skipped twitter ${A}: failed, but already has a platform post`,
    ]);
    expect((await selected([[target(C, 'published')]], { isBatch: true })).notes).toEqual([]);
  });

  it('are narrowed by platform', async () => {
    const on = (platform: string) => ({ platform });
    const targets = [
      failed(A),
      failed(B, on('linkedin')),
      target(C, 'published', on('linkedin')),
      target(D, 'publishing'),
    ];
    const flags = { platform: ['linkedin,mastodon'] };
    const { input, skipped, notes } = await selected([targets], { flags });
    expect(input).toEqual({ postId: P, targetIds: [B] });
    expect(skipped).toEqual({ 'failed, but not one of those asked for': 1 });
    expect(notes).toEqual([`skipped twitter ${A}: failed, but not one of those asked for`]);
    const none = await selected([targets], { flags: { platform: ['mastodon'] } });
    expect(none).toMatchObject({ idle: 'nothing', wanted: [], input: { postId: P } });
    const moving = await selected([targets.slice(3)], { flags: { platform: ['twitter'] } });
    expect(moving).toMatchObject({ idle: 'moving', wanted: [D] });
    const settled = await selected([targets.slice(2, 3)], { flags });
    expect(settled).toMatchObject({ idle: 'settled', wanted: [C] });
  });

  it('are narrowed by the cause: what is publishing may be one of them', async () => {
    const targets = [
      failed(A, { error: 'Rate LIMIT exceeded' }),
      failed(B, { error: 'no' }),
      failed(C),
      target(D, 'publishing', { error: 'rate limit' }),
      target('TargetPublishedA', 'published', { error: 'rate limit' }),
    ];
    const flags = { cause: ['temporary'] };
    const match = await selected([targets], { flags });
    expect(match.input).toEqual({ postId: P, targetIds: [A] });
    expect(match.skipped).toEqual({
      'failed, but not one of those asked for': 2,
      'already publishing': 1,
    });
    const rest = await selected([targets.slice(1)], { flags });
    expect(rest).toMatchObject({ idle: 'moving', wanted: [D] });
    const gone = await selected([targets.slice(4)], { flags });
    expect(gone).toMatchObject({ idle: 'nothing', wanted: [] });
  });

  it('are narrowed by the cause, with a word where a retry is in vain', async () => {
    const targets = [
      failed(A, { error: 'The access token has expired' }),
      failed(B, { error: 'Duplicate content' }),
    ];
    const flags = { cause: ['reconnect'] };
    const { input, notes } = await selected([targets], { flags });
    expect(input).toEqual({ postId: P, targetIds: [A] });
    expect(notes[0]).toBe(
      '--cause reconnect: a retry fails again until the account is reconnected',
    );
    const content = await selected([targets], { flags: { cause: ['content'] } });
    expect(content.notes[0]).toBe(
      '--cause content: a retry fails again until the content is changed',
    );
    const temporary = await selected([targets], { flags: { cause: ['temporary'] } });
    expect(temporary.notes.join('\n')).not.toContain('--cause');
  });

  it('are read again after a question, and those that changed are dropped', async () => {
    const before = [failed(A), failed(B)];
    const after = [failed(A, { platformPostId: '1' }), failed(B)];
    const asked = await selected([before, after], { asks: true });
    expect(asked.asked).toEqual([{ postId: P, targetIds: [A, B] }]);
    expect(asked.input).toEqual({ postId: P, targetIds: [B] });
    expect(asked.before).toMatchObject({ targets: after });
    expect(asked.sent).toHaveLength(2);
    const silent = await selected([before, after], { asks: false });
    expect([silent.input['targetIds'], silent.sent.length]).toEqual([[A, B], 1]);
    const none = await selected([before, [target(A, 'published'), target(B, 'published')]], {
      asks: true,
    });
    expect(none).toMatchObject({ instead: { data: { id: P } }, idle: 'settled' });
    // Where nothing can be retried nobody is asked.
    const nothing = await selected([[target(A, 'published')]], { asks: true });
    expect([nothing.asked, nothing.sent.length]).toEqual([[], 1]);
  });

  it('are picked by the person', async () => {
    const flags = { interactive: true };
    const targets = [failed(A, { error: 'no' }), failed(B), target(C, 'published')];
    const { asked, input, sent } = await selected([targets], { flags, picks: [B] });
    expect(asked).toEqual([
      {
        accessible: 'plain',
        message: 'Which targets to retry?',
        choices: [
          { value: A, name: `twitter ${A}`, checked: true, hint: 'no' },
          { value: B, name: `twitter ${B}`, checked: true },
        ],
      },
    ]);
    expect(input).toEqual({ postId: P, targetIds: [B] });
    expect(sent).toHaveLength(2);
    await expect(selected([targets], { flags, picks: [] })).rejects.toMatchObject({
      kind: 'declined',
      facts: { what: 'no target was selected; nothing was sent' },
    });
    const none = await selected([[target(C, 'published')]], { flags, picks: [] });
    expect([none.asked, none.idle]).toEqual([[], 'settled']);
    await expect(selected([targets], { flags })).rejects.toMatchObject({
      kind: 'usage',
      facts: { details: [{ field: '--interactive', problem: 'needs a terminal' }] },
    });
  });
});

describe('the flags that choose targets', () => {
  it.each<readonly [RawFlags, boolean]>([
    [{}, false],
    [{ failed: true }, true],
    [{ failed: false }, false],
    [{ interactive: true }, true],
    [{ platform: ['twitter'] }, true],
    [{ cause: ['content'] }, true],
  ])('%j: %s', (flags, selects) => {
    expect(selectsTargets(flags)).toBe(selects);
  });

  it('are refused where they name nothing that there is', () => {
    expect(filterFaults({ platform: ['twitter', 'linkedin'], cause: ['content'] })).toEqual([]);
    expect(filterFaults({})).toEqual([]);
    expect(
      filterFaults({ platform: ['twitter,twiter'], cause: ['contents'] }).map(({ field }) => field),
    ).toEqual(['--platform', '--cause']);
  });

  it('are described with what they take', () => {
    const [platform, cause] = failedTargetFlags;
    expect(platform).toEqual(platformFlag('Retry only failed targets on this platform'));
    expect(platform).toMatchObject({
      flags: '--platform <platform>',
      description: 'Retry only failed targets on this platform; repeatable',
      repeatable: true,
    });
    expect(platform!.values).toContain('linkedin');
    expect(cause).toMatchObject({ flags: '--cause <cause>', repeatable: true });
    expect(cause!.description).toBe(
      `Retry only failed targets with this likely cause: ${cause!.values!.join(', ')}; repeatable`,
    );
    expect(cause!.values).toContain('reconnect');
  });

  it('say which causes they name', () => {
    expect(targetFilter({ platform: ['twitter'] })).toMatchObject({ causes: [] });
    expect(targetFilter({ cause: ['content,reconnect'] })).toMatchObject({
      causes: ['content', 'reconnect'],
    });
    expect(targetFilter({})).toBeUndefined();
  });
});

describe('how a target stands', () => {
  it('is moving while it is published or scheduled, and where its status is not known', () => {
    const of = (status: string) => isMoving(target(A, status));
    expect(['publishing', 'scheduled', 'brand_new'].map(of)).toEqual([true, true, true]);
    expect(['failed', 'published', 'cancelled'].map(of)).toEqual([false, false, false]);
  });

  it('is one to retry where it failed and the platform has no post of it', () => {
    for (const [platformPostId, posted] of [
      [undefined, false],
      [null, false],
      ['', false],
      ['1', true],
      [0, true],
    ] as const) {
      expect(isPosted({ platformPostId })).toBe(posted);
      expect(isRetryable(failed(A, { platformPostId }))).toBe(!posted);
      expect(isRetryable(target(A, 'published', { platformPostId }))).toBe(false);
    }
  });

  it('is read off an answer, or cannot be', () => {
    const targets = [failed(A), target(B, 'brand_new'), target(C, 'brand_new')];
    expect(targetsOf({ targets })).toBe(targets);
    expect(unknownStatuses({ targets })).toEqual(['brand_new']);
    for (const post of [
      undefined,
      {},
      { targets: {} },
      { targets: [null] },
      { targets: [failed(A), { id: B }] },
      { targets: [{ status: 'failed' }] },
    ])
      expect(() => targetsOf(post)).toThrow(
        expect.objectContaining({
          kind: 'no_answer',
          facts: { what: 'the response lacks targets with a status', sent: true, retryable: false },
        }) as Error,
      );
  });
});
