// The activity shown while a service is slow: one line in place at a terminal, a few lines elsewhere, and no line for a
// call that is answered at once. When a line is written is in output/progress.test.ts.

import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { countingServer } from '../support/counting-server.ts';
import { begin } from '../support/program.ts';
import { recordingServer, errorResponse, successResponse } from '../support/recording-server.ts';
import { rawResponse, misbehavingServer } from '../support/misbehaving-server.ts';
import { atTerminal, interruptTwice, serviceAt } from '../support/terminal.ts';
import { needsUnix } from '../support/unix.ts';

const get = ['posts', 'get', 'PostForTheTestsA'];
const post = '{"id":"PostForTheTestsA","status":"published","targets":[]}';
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
    const terminal = atTerminal(get, { env: serviceAt(service.url) });
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
    const terminal = atTerminal([...get, '--timeout', '20s'], { env: serviceAt(service.url) });
    await terminal.waitFor(/Waiting for \S+… \d+s \(attempt 2 of 3: HTTP 503\)/);
    terminal.press('ctrl-c');
    const { text } = await terminal.ended();
    expect(text).not.toContain('Waiting');
    expect(text).toContain('cancelled');
  });

  it.each([
    [429, 'rate limited by the service'],
    [503, 'HTTP 503, asks to wait'],
  ])('a pause that a %i asks for is shown with its end', async (status, reason) => {
    const service = await busy(status);
    const terminal = atTerminal(get, { env: serviceAt(service.url) });
    await terminal.waitFor(new RegExp(`${reason}; next attempt in [67]s`));
    await terminal.waitFor(/next attempt in [345]s/);
    terminal.press('ctrl-c');
    const { text, said } = await terminal.ended();
    expect(text).not.toContain('next attempt');
    expect(said.includes('rate limited')).toBe(status === 429);
    expect(service.requests).toHaveLength(1);
  });

  it('the requests of doctor are shown too', async () => {
    const service = await misbehavingServer(() => undefined);
    const terminal = atTerminal(['doctor'], { env: serviceAt(service.url) });
    await terminal.waitFor(`Waiting for ${new URL(service.url).host}`);
    terminal.press('ctrl-c');
    expect((await terminal.ended()).text).not.toContain('Waiting for');
  });

  it('a fast call shows no activity', async () => {
    const service = await recordingServer(successResponse(post));
    const { exitCode, said } = await atTerminal(get, { env: serviceAt(service.url) }).ended();
    expect(exitCode).toBe(0);
    expect(said).not.toMatch(/Waiting|\u001b\[[0-9]*[AGK]/);
  });

  it.each([
    ['TERM=dumb', { TERM: 'dumb' }],
    ['CI=true', { CI: 'true' }],
  ])('with %s a pause is one line, and nothing is redrawn', async (_what, more) => {
    const service = await busy();
    const terminal = atTerminal(get, { env: { ...serviceAt(service.url), ...more } });
    await terminal.waitFor(/rate limited by the service; next attempt in [67]s/);
    terminal.press('ctrl-c');
    const { said } = await terminal.ended();
    expect(said.match(/rate limited by the service/g)).toHaveLength(1);
    expect(said).not.toMatch(/\u001b\[[0-9;]*[A-HJKSTfhl]/);
  });
});

/** Starts a service that asks every request to wait. */
const asking = () => countingServer(() => ({ status: 429, headers: { 'retry-after': '6' } }));

const posts = ['PostForTheTestsA', 'PostForTheTestsB', 'PostForTheTestsC'];
const line = ['posts', 'get', ...posts, '--json'];

describe('a batch', () => {
  it('shows at a terminal that the service does not respond', async () => {
    const service = await misbehavingServer(() => undefined);
    const terminal = atTerminal(line, { env: serviceAt(service.url), separateStdout: true });
    await terminal.waitFor(/left 3 +0:0\d +no response for [3-6]s/);
    await interruptTwice(terminal);
    const { text } = await terminal.ended();
    expect(text.replaceAll('\n', '')).toContain('"stopped":"cancelled"');
    expect(text.replaceAll('\n', '')).toContain('"sent":true');
  });

  it('shows a pause with its end at a terminal', async () => {
    const terminal = atTerminal(line, {
      env: serviceAt((await asking()).url),
      separateStdout: true,
    });
    await terminal.waitFor(/left 3 +0:0\d +rate limited; opens in 0:0[4-7]/);
    terminal.press('ctrl-c');
    // The last board stays, and the summary stands below it.
    expect((await terminal.ended()).text).toContain('left 3');
  });
});

it.each([
  ['a call', get, /^rate limited by the service; next attempt in [67]s\n$/],
  ['a batch', line, /^0 of 3 done; rate limited by the service, next request in [67]s/],
])('without a terminal a pause of %s is one line on stderr', async (_what, argv, said) => {
  needsUnix('signals');
  const child = begin(argv, { env: serviceAt((await asking()).url) });
  const [chunk] = (await once(child.stderr, 'data')) as [Buffer];
  expect(chunk.toString()).toMatch(said);
  child.kill('SIGINT');
  await child;
});
