// Waiting at the terminal: a line that is drawn again in place below the changes, and an end that says what it was.

import { describe, expect, it } from 'vitest';
import { social } from '../support/program.ts';
import { targetPost, targets } from '../support/posts.ts';
import {
  recordingServer,
  successResponse,
  type StubResponse,
} from '../support/recording-server.ts';
import { atTerminal, serviceAt } from '../support/terminal.ts';

const { linkedin, mastodon, twitter } = targets;
const post = (...of: Parameters<typeof targetPost>[0]) =>
  successResponse(JSON.stringify(targetPost(of)));
const id = 'PostForTheTestsA';
const retry = ['posts', 'retry', id, '--wait', '--interval', '150ms'];

/** Answers in turn; the last one for ever. */
const inTurn =
  (...answers: readonly StubResponse[]) =>
  (number: number): StubResponse =>
    answers[Math.min(number, answers.length) - 1]!;

const often = <T>(times: number, thing: T): readonly T[] =>
  Array.from({ length: times }, () => thing);

/** A retry as the service shows it: the post before, the response to the call, and the polls until the end. */
const retried = (end: ReturnType<typeof linkedin>) => {
  const out = twitter('published');
  return inTurn(
    post(out, linkedin('failed'), mastodon('failed')),
    ...often(3, post(out, linkedin('publishing'), mastodon('publishing'))),
    ...often(4, post(out, linkedin('published'), mastodon('publishing'))),
    post(out, linkedin('published'), end),
  );
};

describe('the progress line of a wait', () => {
  it.each([120, 50])(
    'is redrawn below the changes, and only those remain, at %i columns',
    async (cols) => {
      const out = twitter('published');
      let now = post(out, linkedin('publishing'), mastodon('publishing'));
      const before = post(out, linkedin('failed'), mastodon('failed'));
      // The service continues when the screen has shown the state.
      const service = await recordingServer((number) => (number === 1 ? before : now));
      const terminal = atTerminal(retry, { cols, env: serviceAt(service.url) });
      const first = await terminal.waitFor('0 of 2 targets finished; timeout in');
      expect(first).toMatch(/\+0s linkedin TargetOnLinkedIn publishing\n(.*\n)*. 0 of 2/);
      now = post(out, linkedin('published'), mastodon('publishing'));
      await terminal.waitFor('1 of 2 targets finished; timeout in 9m ');
      now = post(out, linkedin('published'), mastodon('published'));
      const { exitCode, text, cursor, cooked } = await terminal.ended();
      expect({ exitCode, cursor, cooked }).toEqual({ exitCode: 0, cursor: true, cooked: true });
      expect(text).not.toMatch(/finished|timeout in|[◐◓◑◒]/);
      const whole = text.replaceAll(/\s/g, '');
      expect(whole).toContain('linkedinTargetOnLinkedInpublishing→published');
      expect(whole.match(/mastodonTargetOnMastodonpublishing→published/g)).toHaveLength(1);
    },
  );

  it('ticks while nothing changes', async () => {
    const service = await recordingServer(post(linkedin('publishing')));
    const terminal = atTerminal(['posts', 'wait', id, '--interval', '15s'], {
      env: serviceAt(service.url),
    });
    const [, seen] = /timeout in (9m 5\ds)/.exec(await terminal.waitFor(/timeout in 9m 5\ds/))!;
    await terminal.waitFor(new RegExp(`timeout in (?!${seen})9m \\d+s`));
    expect(service.requests).toHaveLength(1);
    terminal.press('ctrl-c');
    await terminal.ended();
  });

  it('is one line per change when stderr is not a terminal', async () => {
    const service = await recordingServer(retried(mastodon('published')));
    const { exitCode, stderr, stdout } = await social(retry, { env: serviceAt(service.url) });
    expect(exitCode).toBe(0);
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\+\d+s /, ''));
    expect(lines).toEqual([
      'twitter TargetOnTwitterA published',
      'linkedin TargetOnLinkedIn publishing',
      'mastodon TargetOnMastodon publishing',
      'linkedin TargetOnLinkedIn publishing → published',
      'mastodon TargetOnMastodon publishing → published',
    ]);
    expect(stdout.split('\n')).toHaveLength(4);
  });
});

describe('a wait', () => {
  it('stopped with Ctrl-C names the command that resumes it: 130', async () => {
    const service = await recordingServer(post(linkedin('publishing')));
    const terminal = atTerminal(
      ['posts', 'wait', id, '--target', 'TargetOnLinkedIn', '--base-url', service.url],
      {
        env: { SOCIAL_TOKEN: 'a-token-of-the-test' },
        cols: 200,
      },
    );
    await terminal.waitFor('timeout in');
    // The cursor is the user's, also while it waits.
    expect(terminal.said()).not.toContain('\u001b[?25l');
    terminal.press('ctrl-c');
    const { exitCode, text, cursor, cooked } = await terminal.ended();
    expect({ exitCode, cursor, cooked }).toEqual({ exitCode: 130, cursor: true, cooked: true });
    // The last state stays.
    expect(text).toMatch(/^\+0s linkedin TargetOnLinkedIn publishing\nstopped /);
    expect(text).not.toMatch(/timeout in|[◐◓◑◒]/);
    expect(text.slice(text.indexOf('stopped'))).toBe(
      `stopped waiting: 0 of 1 target finished\nresume: social --base-url ${service.url} posts wait ${id} --target TargetOnLinkedIn`,
    );
  });
});

const session = 'ab12'.repeat(16);

/** A pairing as the service tells it, with its own clock: `skew` is how far that is off. */
function pairing(status: string, { left = 600_000, skew = 0, account = false } = {}): StubResponse {
  const now = Date.now() + skew;
  const data = {
    sessionId: session,
    status,
    expiresAt: new Date(now + left).toISOString(),
    ...(account
      ? {
          account: { accountId: 'AccountTelegramX', displayName: 'The shop', platform: 'telegram' },
        }
      : {}),
  };
  return {
    ...successResponse(JSON.stringify(data)),
    headers: { date: new Date(now).toUTCString() },
  };
}
const follow = ['connect', 'telegram', 'session'];

describe('connect telegram access-code', () => {
  it('without an ID asks for it, shows the state, offers to watch, counts down, and ends paired', async () => {
    let now = pairing('pending_start');
    const service = await recordingServer(() => now);
    const terminal = atTerminal(follow, { env: serviceAt(service.url) });
    await terminal.waitFor('? Session ID');
    terminal.type('ABC\r');
    await terminal.waitFor('> must be 64 characters 0-9 a-f');
    terminal.press('ctrl-u');
    terminal.type(session);
    terminal.press('enter');
    const shown = await terminal.waitFor('? It is pending. Keep watching? (Y/n)');
    expect(shown).toMatch(/status: +◌ pending_start/);
    expect(shown).toMatch(/expires: +in 10 minutes/);
    terminal.press('enter');
    await terminal.waitFor(/pending_start; timeout in/);
    now = pairing('connected', { account: true });
    const { exitCode, text, cursor } = await terminal.ended();
    expect({ exitCode, cursor }).toEqual({ exitCode: 0, cursor: true });
    expect(text).toMatch(/status: +✓ connected\n.*\naccount: +The shop\n/);
    expect(text).toMatch(/paired: The shop is connected as AccountTelegramX$/);
    expect(text).not.toContain('timeout in');
  });
});
