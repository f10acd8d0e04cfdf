// The question before the same change twice, at a real terminal, and after a real death.

import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { bareEnv, freshHome, launcher, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { misbehavingServer } from '../support/misbehaving-server.ts';
import { atTerminal, serviceAt } from '../support/terminal.ts';

const mute = ['accounts', 'mastodon', 'mute', '113', '-a', 'AccountMastodonA'];

it('a repeated change within ten minutes is asked about', async () => {
  const service = await recordingServer(successResponse());
  const setting = { home: freshHome(), env: serviceAt(service.url) };
  expect((await atTerminal(mute, setting).ended()).exitCode).toBe(0);
  const again = atTerminal(mute, setting);
  const question = await again.waitFor('(y/N)');
  expect(question.replaceAll(/\s+/g, ' ')).toMatch(
    /You ran this (?:just now|\d+ seconds? ago): succeeded\. \? Run it again\? \(y\/N\)/,
  );
  again.press('enter');
  const { exitCode, text } = await again.ended();
  expect(exitCode).toBe(3);
  expect(text).toContain('not run again; nothing was sent');
  expect(service.requests).toHaveLength(1);
  const sure = atTerminal(mute, setting);
  await sure.waitFor('(y/N)');
  sure.type('y');
  sure.press('enter');
  expect((await sure.ended()).exitCode).toBe(0);
  expect((await atTerminal([...mute, '--yes'], setting).ended()).exitCode).toBe(0);
  expect(service.requests).toHaveLength(3);
});

it('a change whose program was killed is known as unfinished', async () => {
  const [home, silent] = [freshHome(), await misbehavingServer(() => undefined)];
  const env = serviceAt(silent.url);
  const child = spawn(process.execPath, [launcher, ...mute], { env: bareEnv(home, env) });
  while (silent.requests() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('close', resolve));
  const { stdout } = await social(['history', 'list', '--jq', '.[].outcome'], { home });
  expect(stdout).toBe('unknown\n');
  const again = atTerminal(mute, { home, env });
  const question = await again.waitFor('(y/N)');
  expect(question.replaceAll(/\s+/g, ' ')).toContain('outcome unknown: it may have happened');
  again.press('ctrl-c');
  expect((await again.ended()).exitCode).toBe(130);
  expect(silent.requests()).toBe(1);
});
