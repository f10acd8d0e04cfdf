// A wait at the terminal redraws its line in place below the changes, can be stopped and suspended, and says how it
// ended. The lines of changes alone are in wait/live-view.test.ts.

import { describe, expect, it } from 'vitest';
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

describe('the progress line of a wait', () => {
  it('is redrawn below the changes, and only those remain, on a narrow screen', async () => {
    const out = twitter('published');
    let now = post(out, linkedin('publishing'), mastodon('publishing'));
    const before = post(out, linkedin('failed'), mastodon('failed'));
    // The service continues when the screen has shown the state.
    const service = await recordingServer((number) => (number === 1 ? before : now));
    const terminal = atTerminal(retry, { cols: 50, env: serviceAt(service.url) });
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
  });

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
    // The cursor stays visible during the wait.
    expect(terminal.said()).not.toContain('\u001b[?25l');
    terminal.press('ctrl-c');
    const { exitCode, text, cursor, cooked } = await terminal.ended();
    expect({ exitCode, cursor, cooked }).toEqual({ exitCode: 130, cursor: true, cooked: true });
    // The last state stays on the screen.
    expect(text).toMatch(/^\+0s linkedin TargetOnLinkedIn publishing\nstopped /);
    expect(text).not.toMatch(/timeout in|[◐◓◑◒]/);
    expect(text.slice(text.indexOf('stopped'))).toBe(
      `stopped waiting: 0 of 1 target finished\nresume: social --base-url ${service.url} posts wait ${id} --target TargetOnLinkedIn`,
    );
  });

  it('suspended with Ctrl-Z restores the terminal, and fg resumes it', async () => {
    let isDone = false;
    const service = await recordingServer(() =>
      isDone ? post(linkedin('published')) : post(linkedin('publishing')),
    );
    const terminal = atTerminal(['posts', 'wait', id, '--interval', '300ms'], {
      env: serviceAt(service.url),
      jobControl: true,
    });
    await terminal.waitFor('timeout in');
    terminal.press('ctrl-z');
    await terminal.waitFor('[stopped]');
    const polls = service.requests.length;
    // A terminal that is raw, or without echo, would not accept a line.
    terminal.type('hello there\r');
    await terminal.waitFor('[typed hello there]');
    expect(terminal.said()).toMatch(/hello there\r\n\[typed hello there\]/);
    expect(service.requests.length - polls).toBeLessThan(2);
    isDone = true;
    const { exitCode, text, cursor, cooked } = await terminal.ended();
    expect({ exitCode, cursor, cooked }).toEqual({ exitCode: 0, cursor: true, cooked: true });
    expect(text).toContain('✓ published');
  });
});

const session = 'ab12'.repeat(16);

/** Returns a response with a pairing. */
function pairing(status: string, account?: object): StubResponse {
  const now = Date.now();
  const data = {
    sessionId: session,
    status,
    expiresAt: new Date(now + 600_000).toISOString(),
    account,
  };
  return {
    ...successResponse(JSON.stringify(data)),
    headers: { date: new Date(now).toUTCString() },
  };
}

describe('connect telegram session', () => {
  it('without an ID asks for it, shows the state, offers to watch, counts down, and ends paired', async () => {
    let now = pairing('pending_start');
    const service = await recordingServer(() => now);
    const terminal = atTerminal(['connect', 'telegram', 'session'], {
      env: serviceAt(service.url),
    });
    await terminal.waitFor('? Session ID');
    terminal.type('ABC\r');
    await terminal.waitFor('> must be 64 characters 0-9 a-f');
    terminal.press('ctrl-u');
    terminal.type(session);
    terminal.press('enter');
    const shown = await terminal.waitFor(
      '? Not connected yet: waiting for Start in Telegram. Keep watching? (Y/n)',
    );
    expect(shown).toMatch(/status: +◌ pending_start/);
    expect(shown).toMatch(/expires: +in 10 minutes/);
    terminal.press('enter');
    const block = await terminal.waitFor('last checked');
    expect(block).toMatch(/Telegram pairing ab12\w+… +code valid for (?:10:00|9:5\d)\n/);
    expect(block).toContain('● code created ── ◐ waiting for Start in Telegram ── ○ connected\n');
    expect(block).toMatch(/last checked \ds ago +Ctrl-C to stop/);
    now = pairing('connected', { accountId: 'AccountTelegramX', displayName: 'The shop' });
    const { exitCode, text, cursor } = await terminal.ended();
    expect({ exitCode, cursor }).toEqual({ exitCode: 0, cursor: true });
    expect(text).toMatch(/status: +✓ connected\naccount: +The shop\n/);
    expect(text).toMatch(/✓ Connected: The shop \(AccountTelegramX\)$/);
    expect(text).not.toMatch(/valid for|Ctrl-C|code created/);
  });
});
