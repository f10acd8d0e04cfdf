// The activity shown while a service is slow: one line in place at a terminal, a few lines elsewhere, and no line for a
// call that is answered at once. When a line is written is in output/progress.test.ts.

import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { countingServer } from '../support/counting-server.ts';
import { begin } from '../support/program.ts';
import { recordingServer, errorResponse, successResponse } from '../support/recording-server.ts';
import { rawResponse, misbehavingServer } from '../support/misbehaving-server.ts';
import { atTerminal, interruptTwice } from '../support/terminal.ts';
import { needsUnix } from '../support/unix.ts';

const get = ['posts', 'get', 'PostForTheTestsA'];
const post = '{"id":"PostForTheTestsA","status":"published","targets":[]}';
const env = (url: string, more: Record<string, string> = {}) => ({
  SOCIAL_BASE_URL: url,
  SOCIAL_TOKEN: 'a-token-for-tests',
  ...more,
});

/** Starts a service that asks to wait, and then responds. */
const busy = (status = 429) =>
  recordingServer((number) =>
    number === 1
      ? { ...errorResponse(status), headers: { 'retry-after': '6' } }
      : successResponse(post),
  );

describe('at a terminal', () => {
  it('a slow call shows what it waits for, and clears that line at the end', async () => {
    const service = await misbehavingServer((socket) =>
      setTimeout(() => socket.end(rawResponse('200 OK', {}, successResponse(post).body)), 2600),
    );
    const terminal = atTerminal(get, { env: env(service.url) });
    await terminal.waitFor(`Waiting for ${new URL(service.url).host}… 0s`);
    await terminal.waitFor(`Waiting for ${new URL(service.url).host}… 1s`);
    const { text, exitCode } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(text).toContain('published');
    expect(text).not.toContain('Waiting');
  });

  it('a retry is shown with its number and reason', async () => {
    const service = await misbehavingServer((socket, number) => {
      if (number === 1) socket.end(rawResponse('503 Service Unavailable', {}, ''));
    });
    const terminal = atTerminal([...get, '--timeout', '20s'], { env: env(service.url) });
    await terminal.waitFor(/Waiting for \S+… \d+s \(attempt 2 of 3: HTTP 503\)/);
    terminal.press('ctrl-c');
    const { text } = await terminal.ended();
    expect(text).not.toContain('Waiting');
    expect(text).toContain('cancelled');
  });

  it('a pause that the service asked for is shown with its end', async () => {
    const service = await busy();
    const terminal = atTerminal(get, { env: env(service.url) });
    await terminal.waitFor(/rate limited by the service; next attempt in [67]s/);
    await terminal.waitFor(/next attempt in [345]s/);
    terminal.press('ctrl-c');
    expect((await terminal.ended()).text).not.toContain('next attempt');
    expect(service.requests).toHaveLength(1);
  });

  it('a pause after a 503 is not called a limit', async () => {
    const service = await busy(503);
    const terminal = atTerminal(get, { env: env(service.url) });
    await terminal.waitFor(/HTTP 503, asks to wait; next attempt in [67]s/);
    terminal.press('ctrl-c');
    expect((await terminal.ended()).said).not.toContain('rate limited');
  });

  it('the requests of doctor are shown too', async () => {
    const service = await misbehavingServer(() => undefined);
    const terminal = atTerminal(['doctor'], { env: env(service.url) });
    await terminal.waitFor(`Waiting for ${new URL(service.url).host}`);
    terminal.press('ctrl-c');
    expect((await terminal.ended()).text).not.toContain('Waiting for');
  });

  it('a fast call shows no activity', async () => {
    const service = await recordingServer(successResponse(post));
    const { exitCode, said } = await atTerminal(get, { env: env(service.url) }).ended();
    expect(exitCode).toBe(0);
    expect(said).not.toMatch(/Waiting|\u001b\[[0-9]*[AGK]/);
  });

  it.each([
    ['TERM=dumb', { TERM: 'dumb' }],
    ['CI=true', { CI: 'true' }],
  ])('with %s a pause is one line, and nothing is redrawn', async (_what, more) => {
    const service = await busy();
    const terminal = atTerminal(get, { env: env(service.url, more) });
    await terminal.waitFor(/rate limited by the service; next attempt in [67]s/);
    terminal.press('ctrl-c');
    const { said } = await terminal.ended();
    expect(said.match(/rate limited by the service/g)).toHaveLength(1);
    expect(said).not.toMatch(/\u001b\[[0-9;]*[A-HJKSTfhl]/);
  });
});

/** Starts a service that asks every request to wait. */
const asking = () => countingServer(() => ({ status: 429, headers: { 'retry-after': '9' } }));

describe('a batch', () => {
  const posts = ['PostForTheTestsA', 'PostForTheTestsB', 'PostForTheTestsC'];
  const line = ['posts', 'get', ...posts, '--json'];

  it('shows at a terminal that the service does not respond', async () => {
    const service = await misbehavingServer(() => undefined);
    const terminal = atTerminal(line, { env: env(service.url), separateStdout: true });
    await terminal.waitFor('0 of 3 done; no response for 3s');
    await interruptTwice(terminal);
    const { text } = await terminal.ended();
    expect(text.replaceAll('\n', '')).toContain('"stopped":"cancelled"');
    expect(text.replaceAll('\n', '')).toContain('"sent":true');
  });

  it('shows a pause with its end at a terminal, and prints one line elsewhere', async () => {
    needsUnix('signals');
    const terminal = atTerminal(line, { env: env((await asking()).url), separateStdout: true });
    await terminal.waitFor(/0 of 3 done; rate limited by the service, next request in [4-9]s/);
    terminal.press('ctrl-c');
    await terminal.ended();
    const child = begin(line, { env: env((await asking()).url) });
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(said.toString()).toMatch(
      /^0 of 3 done; rate limited by the service, next request in [4-9]s/,
    );
    child.kill('SIGINT');
    await child;
  });
});

describe('without a terminal', () => {
  it('a pause of five seconds or more is one line on stderr', async () => {
    needsUnix('signals');
    const service = await busy();
    const child = begin(get, { env: env(service.url) });
    const chunk = await new Promise<string>((resolve) => {
      child.stderr.once('data', (data: Buffer) => resolve(data.toString()));
    });
    expect(chunk).toMatch(/^rate limited by the service; next attempt in [67]s\n$/);
    child.kill('SIGINT');
    await child;
  });
});
