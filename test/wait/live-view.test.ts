// A wait as it is watched: its line, the lines of changes, the flags. The clock is the test’s; the service answers over a real socket.

import { describe, expect, it } from 'vitest';

import { targetPost, targets, type ScriptedTarget } from '../support/posts.ts';
import {
  recordingServer,
  successResponse,
  type StubResponse,
} from '../support/recording-server.ts';
import { NOON, testCli } from '../support/test-cli.ts';
import { Failure } from '../../src/base/errors.ts';

const { linkedin, mastodon } = targets;
const ID = 'PostForTheTestsA';
const session = 'ab12'.repeat(16);
const at = (ms: number) => ({ date: new Date(NOON + ms).toUTCString() });
const post = (of: readonly ScriptedTarget[], more: object = {}): StubResponse => ({
  ...successResponse(JSON.stringify({ ...targetPost(of), ...more })),
  headers: at(0),
});
const pairing = (status: unknown, more: object = {}, serverMs = 0): StubResponse => ({
  ...successResponse(JSON.stringify({ sessionId: session, status, ...more })),
  headers: at(serverMs),
});

/** Answers in turn, the last one for ever. */
const inTurn =
  (...answers: readonly StubResponse[]) =>
  (number: number) =>
    answers[Math.min(number, answers.length) - 1]!;

async function watched(
  line: string,
  reply: (number: number, method: string) => StubResponse,
  { columns = 100, flags = [] as readonly string[] } = {},
) {
  const service = await recordingServer((number, { method }) => reply(number, method));
  const { social } = testCli();
  const ended = await social([...line.split(' '), '--no-color', ...flags], {
    env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-the-test' },
    columns,
  });
  return {
    ...ended,
    methods: service.requests.map((each) => each.method),
  };
}

describe('a wait at a terminal', () => {
  it('has a line for each change', async () => {
    const { exitCode, stderr } = await watched(
      `posts wait ${ID}`,
      inTurn(
        post([linkedin('publishing'), mastodon('publishing')]),
        post([linkedin('published'), mastodon('publishing')]),
        post([linkedin('published'), mastodon('published')]),
      ),
    );
    expect(exitCode).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([
      `+0s linkedin ${linkedin('x').id} publishing`,
      `+0s mastodon ${mastodon('x').id} publishing`,
      `+3s linkedin ${linkedin('x').id} publishing → published`,
      expect.stringMatching(/^\+[67]s mastodon \S+ publishing → published$/),
    ]);
  });

  it.each([
    ['--quiet', ''],
    [
      '--accessible',
      '+0s linkedin TargetOnLinkedIn publishing\n+3s linkedin TargetOnLinkedIn publishing, now published\n',
    ],
  ])('has with %s no line but those', async (flag, said) => {
    const { stderr, exitCode } = await watched(
      `posts wait ${ID}`,
      inTurn(post([linkedin('publishing')]), post([linkedin('published')])),
      { flags: [flag] },
    );
    expect(exitCode).toBe(0);
    expect(stderr.endsWith(said)).toBe(true);
    expect(stderr === '').toBe(said === '');
  });

  it('for a pairing without a status says so', async () => {
    const { stderr, exitCode } = await watched(
      `connect telegram session ${session} --wait`,
      inTurn(pairing(5)),
    );
    // Only an account or the end of the code ends it, so it lasts as long as the wait.
    expect(exitCode).toBe(8);
    expect(stderr).toContain('+0s no status yet\n');
  });

  it('shows no control characters in a name or a status', async () => {
    const odd = { ...linkedin('rehear\u001bsing'), platform: 'li\u0007nk' };
    const { stderr } = await watched(`posts wait ${ID} --wait-timeout 5s`, inTurn(post([odd])));
    expect(stderr).toContain('+0s li\\u{7}nk TargetOnLinkedIn rehear\\u{1b}sing\n');
  });
});

describe('an interrupted wait', () => {
  const stopped = async (line: string, answer: StubResponse) => {
    const stop = new AbortController();
    const service = await recordingServer(() => {
      setTimeout(() => stop.abort(new Failure('interrupted', { what: 'cancelled' })), 20);
      return answer;
    });
    const { social } = testCli();
    return social([...line.split(' '), '--interval', '1s', '--json'], {
      env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-the-test' },
      signal: stop.signal,
    }).then(({ exitCode, stderr }) => {
      const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!) as {
        error: Record<string, unknown>;
      };
      return { exitCode, error };
    });
  };

  it('names the command that resumes it, for the same targets', async () => {
    const line = `posts wait ${ID} --target ${linkedin('x').id} --wait-timeout 24h`;
    // The clock is the test’s, so that looks follow each other until the signal.
    const { exitCode, error } = await stopped(line, post([linkedin('publishing')]));
    expect(exitCode).toBe(130);
    expect(error).toMatchObject({ message: 'stopped waiting: 0 of 1 target finished', sent: true });
    const typed = '--wait-timeout 24h --interval 1s --json';
    expect(error['next']).toBe(`social posts wait ${ID} --target ${linkedin('x').id} ${typed}`);
  });
});

describe('the flags of a wait', () => {
  it('give the polling interval and the timeout', async () => {
    const { methods, exitCode } = await watched(
      `posts wait ${ID} --interval 2s --wait-timeout 9s`,
      inTurn(post([linkedin('publishing')])),
    );
    // After 0, 2, 4.5, 7.6 s, and at the end.
    expect({ looks: methods.length, exitCode }).toEqual({ looks: 5, exitCode: 8 });
  });
});
