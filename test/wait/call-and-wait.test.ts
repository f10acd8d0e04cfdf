// Waiting against real sockets: how it ends, what it bears, what it gives up on. A run of each kind is the built
// program's.

import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { countingServer, post, refused, type Reply } from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { shell, social } from '../support/program.ts';

const ID = 'PostSpringLaunch';

type Watch = (reply: (look: number) => Reply, ...more: string[]) => ReturnType<typeof watchBy>;

async function watchBy(
  program: typeof social | typeof socialInProcess,
  reply: (look: number) => Reply,
  more: readonly string[],
) {
  const service = await countingServer((_id, _method, time) => reply(time));
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary' };
  const line = ['posts', 'wait', ID, '--interval', '20ms', ...more];
  const { exitCode, stdout, stderr } = await program(line, { env });
  return { service, exitCode, stdout, stderr };
}

const watch: Watch = (reply, ...more) => watchBy(socialInProcess, reply, more);
const watchBuilt: Watch = (reply, ...more) => watchBy(social, reply, more);

const state = (status: string, more: object = {}): Reply => ({ body: post(ID, status, more) });

describe('a wait that fails', () => {
  const outcomeOf = async (status: string, ...words: string[]) => {
    const service = await countingServer((id) => ({ body: post(id, status) }));
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary' };
    const line = [...words, '--wait-timeout', '150ms', '--interval', '20ms', '--json'];
    const { exitCode, stderr } = await socialInProcess(line, { env });
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!) as {
      error: { outcome: string; accepted: boolean };
    };
    return [exitCode, error.accepted, error.outcome];
  };
  const retry = ['posts', 'retry', '--wait', ID];
  const other = 'PostAutumnRecaps';

  it.each<readonly [string, string, readonly string[], number, boolean]>([
    ['a change in time', 'publishing', retry, 8, true],
    ['a change badly', 'draft', retry, 10, true],
    ['changes of a batch in time', 'publishing', [...retry, other], 8, true],
    ['a read', 'publishing', ['posts', 'wait', ID], 8, false],
    ['several reads', 'publishing', ['posts', 'wait', ID, other], 8, false],
  ])('after %s', async (_what, status, words, exitCode, accepted) => {
    expect(await outcomeOf(status, ...words)).toEqual([exitCode, accepted, 'none']);
  });
});

describe('posts wait', () => {
  it('ends with 10 when a target has failed, and shows the last state', async () => {
    const seen = await watchBuilt((look) =>
      look < 3 ? state('publishing') : state('failed', { error: 'The platform timed out.' }),
    );
    expect(seen.exitCode).toBe(10);
    expect(seen.stdout).toContain('The platform timed out.');
    expect(seen.stderr).toContain('error: 1 of 1 target failed: linkedin\n');
    expect(seen.stderr).toContain('try: social posts retry PostSpringLaunch --failed --wait\n');
  });

  it('ends with 8 at the timeout, with the last state', async () => {
    const seen = await watchBuilt(() => state('publishing'), '--wait-timeout', '300ms');
    expect(seen.exitCode).toBe(8);
    expect(seen.stdout).toContain('publishing');
    expect(seen.stderr).toContain('wait timed out after 300ms');
  });

  it('continues at an unlisted status', async () => {
    const seen = await watchBuilt((look) => state(look < 4 ? 'rehearsing' : 'published'));
    expect(seen.exitCode).toBe(0);
    expect(seen.stderr.match(/.*rehearsing.*/g)).toEqual([
      'unknown status "rehearsing": still waiting in case it changes',
      '+0s linkedin TargetSpringLink rehearsing',
      '+0s linkedin TargetSpringLink rehearsing → published',
    ]);
    expect(seen.service.total()).toBeGreaterThanOrEqual(4);
  });

  it.each([
    [404, 5, /No\./],
    [401, 4, /\n  set SOCIAL_TOKEN to a valid token of http:\S+\n$/],
  ])('ends at once at a %i with %i', async (status, exitCode, said) => {
    const seen = await watch((look) =>
      look < 3 ? state('publishing') : { status, body: refused('no', 'No.') },
    );
    expect(seen).toMatchObject({ exitCode, stdout: '' });
    expect(seen.stderr).toMatch(said);
    expect(seen.service.total()).toBe(3);
  });

  it('ends with 8 at the timeout although the service is silent', async () => {
    const never = new Promise(() => undefined);
    const start = performance.now();
    const seen = await watch(
      (look) => (look < 2 ? state('publishing') : { until: never }),
      '--wait-timeout',
      '500ms',
    );
    // The last poll has a second, however little of the wait is left.
    expect(performance.now() - start).toBeGreaterThan(900);
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(seen.exitCode).toBe(8);
    expect(seen.stdout).toContain('publishing');
    expect(seen.stderr).toContain('try: social');
  });

  it('ends with a signal, also while a poll has no answer', async () => {
    const stop = new AbortController();
    const service = await countingServer((_id, _method, look) => {
      if (look === 1) return state('publishing');
      stop.abort(new Failure('interrupted', { what: 'cancelled' }));
      return { until: new Promise(() => undefined) };
    });
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary' };
    const argv = ['posts', 'wait', ID, '--interval', '20ms'];
    const seen = await socialInProcess(argv, { env, signal: stop.signal });
    expect(seen.exitCode).toBe(130);
    expect(seen.stderr).toContain('stopped waiting: 0 of 1 target finished');
  });

  it('reports a status that goes back, and ends with the first final state', async () => {
    const back = await watch((look) =>
      state(['publishing', 'scheduled', 'publishing', 'published'][look - 1] ?? 'published'),
    );
    expect(back.exitCode).toBe(0);
    expect(back.stderr).toContain('publishing → scheduled');
    expect(back.stderr).toContain('scheduled → publishing');
    const stable = await watch(() => state('action_required'));
    expect(stable.exitCode).toBe(10);
  });

  it('continues when its reader has closed the pipe', async () => {
    const service = await countingServer((_id, _method, time) =>
      state(time < 4 ? 'publishing' : 'published'),
    );
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary' };
    const outcome = await shell(
      `social posts wait ${ID} --interval 50ms -q | true; echo "\${PIPESTATUS[0]}"`,
      { env },
    );
    expect(outcome).toMatchObject({ stdout: '0\n', stderr: '' });
  });
});

/** A service with this clock. */
const at = (clock: string, expiresAt: string) =>
  countingServer(() => ({
    headers: { date: clock },
    body: JSON.stringify({ ok: true, data: { code: 'TG-1', status: 'pending', expiresAt } }),
  }));

const watchCode = (url: string, program: typeof social | typeof socialInProcess = social) =>
  program(
    'connect telegram access-code TG-1 --wait --interval 50ms --wait-timeout 400ms'.split(' '),
    { env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'canary' } },
  );

describe('connect telegram access-code --wait', () => {
  it('expires by the clock of the server, whatever the clock here says', async () => {
    // Long gone here, still to come there; and the other way round.
    const early = await at('Mon, 01 Jan 2018 00:00:00 GMT', '2018-01-01T00:10:00.000Z');
    expect((await watchCode(early.url, socialInProcess)).exitCode).toBe(8);
    const late = await at('Mon, 01 Jan 2091 00:00:00 GMT', '2090-12-31T23:00:00.000Z');
    const expired = await watchCode(late.url);
    expect(expired.exitCode).toBe(10);
    expect(expired.stderr).toContain('expired at 2090-12-31T23:00:00.000Z');
  });
});
