// Consent before a change that must not happen by accident: the program never answers for the user, and sends nothing
// before a yes.

import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { misbehavingServer } from '../support/misbehaving-server.ts';
import { freshHome, homeWith } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { startProcess, waitUntil } from '../support/signalled-process.ts';
import { atTerminal, serviceAt } from '../support/terminal.ts';

const disabled = successResponse(
  JSON.stringify({
    credential: { id: 'CredentialOfOurs', displayName: 'Our app', platform: 'twitter' },
    impact: { linkedAccountCount: 12, connectedAccountCount: 9, needsReconnectAccountCount: 12 },
    action: 'disabled',
  }),
);
const disable = ['credentials', 'disable', 'CredentialOfOurs'];

/** Makes a home whose context `prod` leads to a service and is protected. */
const homeFor = (baseUrl: string) =>
  homeWith({ format: 1, context: 'prod', contexts: { prod: { baseUrl, protected: true } } }).home;
const env = { SOCIAL_TOKEN: 'a-token-of-the-test' };

describe('a destructive change', () => {
  it('says that the impact is only known afterwards, asks, and then shows it as three numbers', async () => {
    const service = await recordingServer(disabled);
    const terminal = atTerminal(disable, { env: serviceAt(service.url) });
    const asked = await terminal.waitFor('(y/N)');
    expect(asked).toMatch(/the API shows\s+only\s+afterwards\s+how\s+many\./);
    expect(asked).toContain(
      `? Disable credential "CredentialOfOurs" at ${new URL(service.url).host}?`,
    );
    expect(service.connections()).toBe(0);
    terminal.type('y');
    terminal.press('enter');
    const { exitCode, text } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(text).toContain(
      ['linked accounts:   12', 'connected before:  9', 'to reconnect:      12'].join('\n'),
    );
    expect(text).toMatch(/credential: +Our app\n/);
  });
});

describe('a protected context', () => {
  it('needs the ID typed, despite --yes', async () => {
    const service = await recordingServer(disabled);
    const home = homeFor(service.url);
    const terminal = atTerminal([...disable, '--yes'], { home, env, cols: 120 });
    await terminal.waitFor(
      /in prod \(protected\) at 127\.0\.0\.1:\d+\?\n.*Type "CredentialOfOurs" to confirm:/,
    );
    terminal.type('CredentialOfOurs');
    terminal.press('enter');
    expect((await terminal.ended()).exitCode).toBe(0);
    expect(service.requests).toHaveLength(1);
  });

  it('asks about the post that was typed at a prompt, not about its target', async () => {
    const home = homeFor('https://api.example.com');
    const reply = ['posts', 'reply', '--target', 'TargetAutumnMast', '--text', 'Hi'];
    const terminal = atTerminal(reply, { home, env, cols: 120 });
    await terminal.waitFor('? Post ID');
    terminal.type('PostAutumnRecaps');
    terminal.press('enter');
    await terminal.waitFor(
      '? Reply on post "PostAutumnRecaps" in prod (protected) at api.example.com? (y/N)',
    );
    terminal.press('enter');
    expect((await terminal.ended()).exitCode).toBe(3);
  });
});

it('a change whose program was killed is asked about before it is repeated', async () => {
  const send = ['accounts', 'bluesky', 'send', '3kx', '-a', 'AccountBlueskyAa', '--text', 'Hi'];
  const [home, silent] = [freshHome(), await misbehavingServer(() => undefined)];
  const setting = { home, env: serviceAt(silent.url) };
  const { child, ended } = startProcess(send, setting);
  await waitUntil(() => silent.requests() > 0);
  child.kill('SIGKILL');
  await ended;
  const { stdout } = await socialInProcess(['history', 'list', '--json'], { home });
  expect(stdout).toContain('"outcome":"unknown"');
  const again = atTerminal(send, setting);
  const question = await again.waitFor('(y/N)');
  expect(question.replaceAll(/\s+/g, ' ')).toContain(
    'Another process is running this now, or was killed after it started ',
  );
  again.press('ctrl-c');
  expect((await again.ended()).exitCode).toBe(130);
  expect(silent.requests()).toBe(1);
});
