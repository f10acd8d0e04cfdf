// A wait as its user meets it: what is answered while it runs, what stays on the screen when it is stopped, and what
// is written where nothing is drawn. The service answers over a real socket, the clock is the test's.

import { describe, expect, it } from 'vitest';
import { targetPost, targets } from '../support/posts.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { testCli } from '../support/test-cli.ts';
import { Failure } from '../../src/base/errors.ts';

const { linkedin, mastodon } = targets;
const ID = 'PostForTheTestsA';

/** Runs a wait whose looks show these statuses in turn, the last for ever; `at` is called before each answer. */
async function watched(
  flags: readonly string[],
  statuses: readonly string[],
  { at = (_number: number) => {}, live = true } = {},
) {
  const stop = new AbortController();
  const service = await recordingServer((number) => {
    at(number);
    if (number === 3) stop.abort(new Failure('interrupted', { what: 'cancelled' }));
    const status = statuses[Math.min(number, statuses.length) - 1]!;
    return successResponse(JSON.stringify(targetPost([linkedin(status), mastodon('published')])));
  });
  const progress = { show: () => undefined, stop: () => undefined };
  const { social } = testCli();
  const ended = await social(['posts', 'wait', ID, '--no-color', ...flags], {
    env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'a-token-of-the-test' },
    columns: 100,
    ...(live ? { live: progress } : {}),
    signal: stop.signal,
  });
  return { ...ended };
}

describe('a wait', () => {
  it('that is stopped leaves the changes on the screen, and the command that resumes it', async () => {
    const { exitCode, stderr } = await watched([], ['publishing']);
    expect(exitCode).toBe(130);
    expect(stderr).toMatch(/^\+0s linkedin TargetOnLinkedIn publishing\n/);
    expect(stderr).toContain('stopped waiting: 1 of 2 targets finished\n');
    expect(stderr).toMatch(/resume: social .*posts wait PostForTheTestsA\n$/);
  });

  it('without a terminal prints one line per change, and no table when it is stopped', async () => {
    const { stderr } = await watched(['--accessible'], ['publishing'], { live: false });
    const lines = stderr.split('\n');
    expect(lines.slice(1, 3)).toEqual([
      '+0s linkedin TargetOnLinkedIn publishing',
      '+0s mastodon TargetOnMastodon published',
    ]);
    expect(lines.filter((line) => line.includes('TargetOnLinkedIn'))).toHaveLength(1);
  });

  it('reports an unlisted status once', async () => {
    const odd = ['rehearsing', 'rehearsing'];
    const { stderr } = await watched([], odd, { live: false });
    expect(stderr.split('unknown status "rehearsing"')).toHaveLength(2);
    const drawn = await watched([], odd);
    expect(drawn.stderr.split('unknown status "rehearsing"')).toHaveLength(2);
  });
});
