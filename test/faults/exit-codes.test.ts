// Against real sockets: what the program ends with, what it prints where, and that no token leaks.

import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { shell, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { CANARY } from '../support/token-leak-check.ts';
import { needsUnix } from '../support/unix.ts';

const get = ['posts', 'get', 'PostSpringLaunch'];

/** Runs a read at a service; each wrapper fails if the output shows the token in any form. */
const at = (url: string, env = {}, run: typeof social | typeof socialInProcess = socialInProcess) =>
  run(get, { env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY, ...env } });

describe('a token', () => {
  it('is not shown by Node’s own debugging output', async () => {
    const service = await recordingServer();
    const outcome = await at(service.url, { NODE_DEBUG: 'undici,http,tls,net' }, social);
    expect(outcome.exitCode).toBe(0);
    // It was on: there is something in which the token could have been.
    expect(outcome.stderr).toMatch(/^NET \d+:/m);
    expect(service.requests[0]?.headers['authorization']).toBe(`Bearer ${CANARY}`);
  });

  it.each([
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://0.0.0.0:1',
    'http://10.0.0.1',
  ])('is not sent over http to %s', async (url) => {
    const outcome = await at(url);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
    expect(outcome.stderr).toContain('not sending a token over http');
  });
});

describe('the standard streams', () => {
  it('a reader that closes the pipe causes no failure', async () => {
    needsUnix('devices and no /proc');
    const rows = Array.from({ length: 6000 }, (_, i) => `{"id":"${i}","status":"failed"}`);
    const service = await recordingServer(successResponse(`{"targets":[${rows.join(',')}]}`));
    const outcome = await shell(
      'social posts get PostSpringLaunch --quiet | head -1; echo "${PIPESTATUS[0]}"',
      { env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY } },
    );
    expect(outcome.stdout).toBe('-\tfailed\t0\t-\t-\t-\t-\n0\n');
    expect(outcome.stderr).toBe('');
    // A change is done, even if its output is not read.
    const change = await shell(
      'social posts retry PostSpringLaunch --quiet | head -1 > /dev/null; echo "${PIPESTATUS[0]}"',
      { env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY } },
    );
    expect(change).toMatchObject({ stdout: '0\n', stderr: '' });
    expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('a closed stdout fails neither a read nor a change, and prints nothing', async () => {
    const service = await recordingServer(successResponse('{"id":"PostSpringLaunch"}'));
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    for (const line of [
      'social posts retry PostSpringLaunch --json -q >&-',
      'echo PostSpringLaunch | social posts get --from - --json -q >&-',
      'social --version >&-',
    ])
      expect(await shell(line, { env })).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
    const wrong = await shell('social posts get abc >&-', { env });
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^error: /);
  });

  it('a closed or full stderr changes neither the result nor the code', async () => {
    needsUnix('devices and no /proc');
    const service = await recordingServer(successResponse('{"id":"PostSpringLaunch"}'));
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    for (const to of ['2>&-', '2>/dev/full'])
      // The program has warnings to print, because -q is not set.
      expect(await shell(`social posts get PostSpringLaunch --json ${to}`, { env })).toMatchObject({
        exitCode: 0,
        stdout: '{"id":"PostSpringLaunch"}\n',
      });
    expect((await shell('social posts get abc 2>/dev/full', { env })).exitCode).toBe(2);
  });
});
