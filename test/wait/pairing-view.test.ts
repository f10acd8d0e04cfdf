// A pairing as it is watched: its block or its lines, the end of its code, and what is said of its ID.

import { describe, expect, it } from 'vitest';

import {
  errorResponse,
  recordingServer,
  successResponse,
  type StubResponse,
} from '../support/recording-server.ts';
import { NOON, type RunOptions, testCli } from '../support/test-cli.ts';
import { leftWords } from '../../src/wait/pairing-view.ts';

const CODE = 'TG-482913-of-mine';
const account = { accountId: 'AccountTelegramX', displayName: 'The shop' };
const iso = (ms: number) => new Date(NOON + ms).toISOString();
const pairing = (status: string, more: object = {}): StubResponse => ({
  ...successResponse(JSON.stringify({ code: CODE, status, expiresAt: iso(600_000), ...more })),
  headers: { date: new Date(NOON).toUTCString() },
});
const paired = pairing('connected', { account });

interface Scene extends RunOptions {
  readonly flags?: string;
  readonly code?: string;
}

/** Waits for a pairing; the last answer is given for ever. */
async function watch(answers: readonly StubResponse[], scene: Scene = {}) {
  const { flags = '', code = CODE, ...options } = scene;
  const service = await recordingServer((n) => answers[Math.min(n, answers.length) - 1]!);
  const frames: string[] = [];
  const live = { show: (line: () => string) => void frames.push(line()), stop: () => undefined };
  const { social, clock } = testCli();
  const words = ['connect', 'telegram', 'access-code', code, '--wait', '--no-color'];
  const ended = await social([...words, ...flags.split(' ').filter(Boolean)], {
    ...options,
    env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-the-test', ...scene.env },
    live,
  });
  const looks = service.requests.length;
  return { ...ended, frames, looks, tookMs: clock.now - NOON };
}

const lines = (frame: string | undefined) => frame?.split('\n').map((line) => line.trimEnd());

describe('the block of a pairing', () => {
  it('has the code, its time, the stage and the last check', async () => {
    const { frames, stderr } = await watch([pairing('pending'), paired], { columns: 80 });
    expect(frames).toHaveLength(1);
    expect(lines(frames[0])).toEqual([
      'Telegram pairing TG-482913-of-mine          code valid for 10:00',
      '● code created ── ◐ waiting for Start in Telegram ── ○ connected',
      'last checked 0s ago                               Ctrl-C to stop',
    ]);
    expect(stderr).toBe('✓ Connected: The shop (AccountTelegramX)\n');
  });

  it('has room on few columns: the first stage gives way', async () => {
    const { frames } = await watch([pairing('pending_confirmation'), paired], { columns: 60 });
    expect(lines(frames[0])![1]).toBe('● Start ── ◐ waiting for confirmation ── ○ connected');
    for (const line of lines(frames[0])!) expect(line.length).toBeLessThan(58);
  });

  it('shows a status that is not in the API document in its own words, without control characters', async () => {
    const odd = pairing(`opened\u001b[2J by ${'x'.repeat(90)}`);
    const { frames, looks } = await watch([odd, paired], { columns: 60 });
    expect(looks).toBe(2);
    expect(lines(frames[0])![1]).toMatch(
      /^· the service says opened\\u\{1b\}\[2J by x+… ── ○ connected$/,
    );
    expect(frames[0]).not.toContain('\u001b');
  });

  it('is ASCII without a UTF-8 locale', async () => {
    const env = { LANG: 'C' };
    const { frames, stderr } = await watch([pairing('pending'), paired], { columns: 80, env });
    expect(frames[0]).toMatch(/^[ -~\n]+$/);
    expect(lines(frames[0])![1]).toBe(
      '[x] code created -- [>] waiting for Start in Telegram -- [ ] connected',
    );
    expect(stderr).toBe('Connected: The shop (AccountTelegramX)\n');
  });

  it('counts down the code by the clock of the service, once a second', async () => {
    const early = (after: number) =>
      pairing('pending', { expiresAt: iso(after - 3_600_000), account: undefined });
    const answer = {
      ...early(90_000),
      headers: { date: new Date(NOON - 3_600_000).toUTCString() },
    };
    const { frames } = await watch([answer, answer, answer, paired], { columns: 80 });
    const times = frames.map((frame) => /valid for (\S+)/.exec(frame)?.[1]);
    expect(times).toEqual(['1:30', '1:29', '1:28']);
  });

  it.each([
    [{ expiresAt: undefined }, undefined],
    [{ expiresAt: 'soon' }, undefined],
    [{ expiresAt: iso(4_000_000) }, 'code valid for 66:40'],
  ])('of a pairing with %j says: %s', async (more, words) => {
    const { frames } = await watch([pairing('pending', more), paired], { columns: 80 });
    expect(/code valid.*/.exec(frames[0]!)?.[0]).toBe(words);
  });

  it.each([
    ['--accessible', 80],
    ['--quiet', 80],
    ['--debug', 80],
    ['', 49],
    ['', undefined],
  ])('is not drawn with "%s" on %s columns', async (flags, columns) => {
    const { frames, exitCode } = await watch([pairing('pending'), paired], { flags, columns });
    expect({ frames, exitCode }).toEqual({ frames: [], exitCode: 0 });
  });
});

describe('the lines of a pairing', () => {
  it('are one for each change', async () => {
    const { stderr } = await watch([pairing('pending'), pairing('pending'), paired]);
    expect(stderr).toBe('+0s waiting for Start in Telegram; code valid for 10:00\n+2s connected\n');
  });

  it('are sentences in accessible mode', async () => {
    const looks = [pairing('pending_start'), pairing('pending_confirmation'), paired];
    const { stderr } = await watch(looks, { flags: '--accessible', columns: 80 });
    expect(stderr).toContain(
      'Waiting for Start in Telegram.\nThe code is valid for 10m.\nWaiting for confirmation.\nConnected.\n',
    );
    expect(stderr).toMatch(/\nConnected: The shop \(AccountTelegramX\)\.\n$/);
  });

  it('tell the time that is left', () => {
    expect(leftWords(571_000, false)).toBe('; code valid for 9:31');
    expect(leftWords(571_000, true)).toBe('The code is valid for 9m 31s.');
  });
});

describe('a check that failed', () => {
  const down = errorResponse(503);

  it('is shown in the block, and the next one takes it back', async () => {
    const looks = [pairing('pending'), down, pairing('pending'), paired];
    const { frames, stderr, exitCode } = await watch(looks, { columns: 80 });
    expect(exitCode).toBe(0);
    expect(frames.map((frame) => lines(frame)!.at(-1)!.split(/ {2,}/)[0])).toEqual([
      'last checked 0s ago',
      'no answer for 1s: HTTP 503; next attempt in 2s',
      'last checked 0s ago',
    ]);
    expect(stderr).not.toContain('503');
  });

  it('leaves a line off a terminal, one for each reason', async () => {
    const looks = [pairing('pending'), down, down, errorResponse(502), paired];
    const { stderr } = await watch(looks);
    expect(stderr.match(/.*(?:no answer|answers again).*/g)).toEqual([
      '+1s no answer: HTTP 503; trying again',
      expect.stringMatching(/^\+\d+s no answer: HTTP 502; trying again$/),
      expect.stringMatching(/^\+\d+s the service answers again$/),
    ]);
    const spoken = await watch(looks, { flags: '--accessible' });
    expect(spoken.stderr).toContain('No answer: HTTP 503; trying again.\n');
  });

  it('does not end the wait while the code is valid', async () => {
    const looks = [pairing('pending'), ...Array.from({ length: 20 }, () => down), paired];
    expect(await watch(looks)).toMatchObject({ exitCode: 0, looks: 22 });
  });

  it('does not end the wait before the first answer, at a terminal', async () => {
    const looks = [...Array.from({ length: 8 }, () => down), pairing('pending'), paired];
    const ended = await watch(looks, { columns: 50 });
    expect(ended).toMatchObject({ exitCode: 0, looks: 10 });
    expect(ended.frames[0]).toMatch(/\nwaiting for 127\.0\.0\.1:\d+\nHTTP 503 for \d+s; next in /);
    expect(lines(ended.frames.at(-1))![1]).toBe('◐ waiting for Start in Telegram ── ○ connected');
    expect((await watch(looks)).exitCode).toBe(9);
  });
});

describe('the end of the code ends the wait with 10', () => {
  const soon = pairing('pending', { expiresAt: iso(20_500) });

  it.each([
    ['of a service that says nothing new', [soon], '--interval 1s'],
    ['between two polls', [soon], '--interval 15s'],
    ['while polls fail', [soon, errorResponse(503)], ''],
    [
      'during a pause that the service asked for',
      [soon, { ...errorResponse(503), headers: { 'retry-after': '60' } }],
      '',
    ],
  ])('%s', async (_what, looks, flags) => {
    const { exitCode, tookMs, stderr } = await watch(looks, { flags, columns: 80 });
    expect(exitCode).toBe(10);
    expect(tookMs).toBeGreaterThanOrEqual(20_500);
    expect(tookMs).toBeLessThan(21_500);
    expect(stderr).toMatch(
      /^error: access code expired just now \(\d\d:00\)\n  make a new access code in the service; nothing is lost\n  then run: social connect telegram access-code <code> --wait\n$/,
    );
  });

  it('also if the service has forgotten it by then, but not before', async () => {
    const gone = errorResponse(404);
    const times = (count: number) => Array.from({ length: count }, () => soon);
    expect((await watch([...times(20), gone])).exitCode).toBe(10);
    expect((await watch([...times(10), gone])).exitCode).toBe(5);
  });

  it('unless it was paired at the last moment', async () => {
    const looks = [soon, soon, paired];
    expect((await watch(looks, { flags: '--interval 15s' })).exitCode).toBe(0);
  });
});

describe('the code that a person typed', () => {
  const line = /^resume: social .*|^try: social .*/m;

  it('is in the line that resumes, at a terminal, quoted for a shell', async () => {
    const looks = [pairing('pending')];
    const flags = '--wait-timeout 2s';
    const { stderr, exitCode } = await watch(looks, { columns: 80, flags });
    expect(exitCode).toBe(8);
    expect(line.exec(stderr)?.[0]).toBe(
      `try: social connect telegram access-code ${CODE} --wait --no-color`,
    );
    const odd = await watch(looks, { columns: 80, flags, code: "it's <mine>" });
    expect(odd.stderr).toContain(`access-code 'it'"'"'s <mine>' --wait --no-color`);
  });

  it.each([
    ['in a pipe', {}],
    ['with --json', { columns: 80, flags: '--json' }],
    ['with --debug', { columns: 80, flags: '--debug' }],
    ['in a batch', { columns: 80, flags: '--concurrency 1' }],
  ])('is not shown %s: a sentence stands for the line', async (_what, scene: Scene) => {
    const flags = `${scene.flags ?? ''} --wait-timeout 2s`;
    const { stderr } = await watch([pairing('pending')], { ...scene, flags });
    expect(stderr).not.toContain(CODE);
    expect(stderr).not.toMatch(/(?:try|resume): social connect|<code>|"next":"social/);
    expect(stderr).toContain('to resume, run the same command again');
  });

  it('is shown in its own error at a terminal, and nowhere else', async () => {
    const body = { ok: false, error: { code: 'not_found', message: `There is no ${CODE}` } };
    const missing = [{ status: 404, body: JSON.stringify(body) }];
    const said = async (scene: Scene) => (await watch(missing, scene)).stderr;
    expect(await said({ columns: 100 })).toContain(`There is no ${CODE}`);
    for (const scene of [
      {},
      { columns: 100, flags: '--debug' },
      { columns: 100, flags: '--json' },
      { columns: 100, env: { SOCIAL_DEBUG: '1' } },
    ])
      expect(await said(scene)).not.toContain(CODE);
  });
});

describe('the pairings of the sandbox', () => {
  it.each([
    ['expiringCode', 10, 31_000],
    ['expiredCode', 10, 0],
    ['refusedCode', 8, 120_000],
    ['code', 0, 4000],
    ['expiringSession', 10, 31_000],
    ['expiredSession', 10, 0],
    ['refusedSession', 8, 120_000],
    ['sessionId', 0, 6000],
  ])('%s ends with %i', async (name, exitCode, tookMs) => {
    const { social, clock } = testCli();
    const shown = await social(['sandbox', 'show', '--json']);
    const { samples } = JSON.parse(shown.stdout) as { samples: Record<string, string> };
    const command = name.toLowerCase().includes('session') ? 'session' : 'access-code';
    const words = ['-C', 'sandbox', 'connect', 'telegram', command, samples[name]!];
    const start = clock.now;
    const ended = await social([...words, '--wait', '--wait-timeout', '2m']);
    expect(ended.exitCode).toBe(exitCode);
    expect(clock.now - start).toBeLessThanOrEqual(tookMs);
  });
});
