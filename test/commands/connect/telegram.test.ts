// Following a pairing: what is offered while it is pending, what is said at its end, and what a script is spared.

import { describe, expect, it } from 'vitest';

import {
  recordingServer,
  successResponse,
  type StubResponse,
} from '../../support/recording-server.ts';
import { NOON, testCli } from '../../support/test-cli.ts';
import type { Prompts } from '../../../src/base/runtime.ts';

const session = 'ab12'.repeat(16);
const iso = (ms: number) => new Date(NOON + ms).toISOString();
const paired = { accountId: 'AccountTelegramX', displayName: 'The shop', platform: 'telegram' };

const pairing = (status: string, more: object = {}, date = 0): StubResponse => ({
  ...successResponse(
    JSON.stringify({ sessionId: session, status, expiresAt: iso(600_000), account: null, ...more }),
  ),
  headers: { date: new Date(NOON + date).toUTCString() },
});

interface Scene {
  /** The answer to the prompt; without it there is no terminal. */
  readonly keeps?: boolean;
  readonly flags?: readonly string[];
  readonly columns?: number;
}

async function follow(
  answers: readonly StubResponse[],
  { keeps, flags = [], columns = keeps === undefined ? undefined : 100 }: Scene = {},
) {
  const service = await recordingServer((n) => answers[Math.min(n, answers.length) - 1]!);
  const asked: unknown[] = [];
  const ask: Partial<Prompts> = {
    confirm: async (...question) => {
      asked.push(question);
      return keeps === true;
    },
  };
  const { social, clock } = testCli();
  const ended = await social(['connect', 'telegram', 'session', session, '--no-color', ...flags], {
    env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-the-test' },
    columns,
    ask,
  });
  return { ...ended, asked, looks: service.requests.length, tookMs: clock.now - NOON };
}

describe('a pending pairing', () => {
  it('can be watched on request until it is paired', async () => {
    const looks = [
      pairing('pending_start'),
      pairing('pending_start'),
      pairing('connected', { account: paired }),
    ];
    const ended = await follow(looks, { keeps: true });
    expect(ended.asked).toEqual([
      ['Not connected yet: waiting for Start in Telegram. Keep watching?', true],
    ]);
    expect(ended).toMatchObject({ exitCode: 0, looks: 3 });
    expect(ended.stderr).toContain('✓ Connected: The shop (AccountTelegramX)\n');
    expect(ended.stdout.match(/The shop/g)).toHaveLength(1);
  });

  it('is not watched after a no', async () => {
    const ended = await follow([pairing('pending_start')], { keeps: false });
    expect(ended).toMatchObject({ exitCode: 0, looks: 1, tookMs: 0 });
    expect(ended.stderr).not.toContain('Connected');
  });

  it.each([
    ['in a pipe', {}],
    ['as JSON', { keeps: true, flags: ['--json'] }],
    ['with --no-input', { keeps: true, flags: ['--no-input'] }],
  ])('is not asked about %s', async (_what, scene) => {
    const ended = await follow([pairing('pending_start')], scene);
    expect(ended).toMatchObject({ exitCode: 0, asked: [], looks: 1 });
  });

  it('in a status that the API document does not list is watched until it is paired', async () => {
    const ended = await follow(
      [pairing('pending'), pairing('waiting_for_user'), pairing('ok', { account: paired })],
      { keeps: true },
    );
    expect(ended).toMatchObject({ exitCode: 0, looks: 3 });
    expect(ended.stderr).toContain('waiting_for_user');
  });

  it('that expires while it is watched ends with 10', async () => {
    const ended = await follow(
      [pairing('pending'), pairing('waiting_for_user', { expiresAt: iso(-1000) })],
      { keeps: true },
    );
    expect(ended).toMatchObject({ exitCode: 10, looks: 2 });
    expect(ended.stderr).toMatch(/session expired 1 second ago \(\d\d:59\)/);
    expect(ended.stderr).toContain('make a new session in the service');
  });
});

describe('a finished pairing', () => {
  it('is explained in a line below the table', async () => {
    const { stderr, asked } = await follow([pairing('connected', { account: paired })], {
      keeps: true,
    });
    expect(asked).toEqual([]);
    expect(stderr).toBe('✓ Connected: The shop (AccountTelegramX)\n');
  });

  it('has no end any more in a table, but in a pipe and in JSON', async () => {
    const looks = [pairing('connected', { account: paired })];
    const table = await follow(looks, { columns: 100 });
    expect(table.stdout).toMatch(/^status: .*\naccount: /);
    expect((await follow(looks)).stdout).toContain(iso(600_000));
    expect((await follow([pairing('pending')], { columns: 100 })).stdout).toContain('expires:');
  });

  it.each([[{ accountId: 'AccountTelegramX' }, '✓ Connected: AccountTelegramX\n']])(
    'with an account like %j shows it',
    async (account, line) => {
      const ended = await follow([pairing('connected', { account })], { columns: 100 });
      expect(ended.stderr).toContain(line);
    },
  );

  it.each([
    ['in a pipe', {}],
    ['as JSON', { columns: 100, flags: ['--json'] }],
  ])('is not explained %s, where it is the result', async (_what, scene) => {
    const ended = await follow([pairing('connected', { account: paired })], scene);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each([
    ['at a terminal', { columns: 100 }],
    ['in a pipe', {}],
  ])('that failed says so %s, and ends with 0 without --wait', async (_what, scene) => {
    const expired = pairing('pending_start', { expiresAt: iso(-1000) });
    const ended = await follow([expired], scene);
    expect(ended).toMatchObject({ exitCode: 0, looks: 1, asked: [] });
    const when = 'columns' in scene ? '1 second ago (' : `at ${iso(-1000)}\n`;
    expect(ended.stderr).toContain(`session expired ${when}`);
    expect(ended.stdout.includes('pending_start')).toBe(!('columns' in scene));
  });

  it('is judged by the clock of the service', async () => {
    const late = pairing('pending_start', { expiresAt: iso(3_600_000) }, 3_600_000);
    expect((await follow([late])).stderr).toContain('session expired at');
    const early = pairing('pending_start', { expiresAt: iso(-3_600_000) }, -7_200_000);
    expect((await follow([early])).stderr).not.toContain('expired');
  });
});

describe('--wait', () => {
  it('ends with 0 as soon as it is paired', async () => {
    const looks = [pairing('pending'), pairing('connected', { account: paired })];
    const ended = await follow(looks, { flags: ['--wait'] });
    expect(ended).toMatchObject({ exitCode: 0, looks: 2 });
    expect(ended.stderr).toMatch(/^\+0s waiting for Start in Telegram; code valid for /m);
    expect(ended.stderr).toContain('+1s connected\n');
  });

  it('ends with 8 at the timeout, and does not show the id off a terminal', async () => {
    const ended = await follow([pairing('pending')], { flags: ['--wait', '--wait-timeout', '5s'] });
    expect(ended.exitCode).toBe(8);
    expect(ended.stderr).toContain('wait timed out after 5s: waiting for Start in Telegram');
    expect(ended.stderr).toContain(
      'to resume, run the same command again: an ID in it is a credential',
    );
    expect(ended.stderr).not.toMatch(/<|try:|resume:/);
    expect(ended.stderr).not.toContain(session);
  });
});
