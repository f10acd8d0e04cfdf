// Ctrl-C at a terminal where a shell runs the program in a loop: the program dies of the signal, so that the shell stops
// the loop.

import { spawnSync } from 'node:child_process';
import { spawn } from '@lydell/node-pty';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { bareEnv, freshHome, launcher } from '../support/program.ts';
import { misbehavingServer } from '../support/misbehaving-server.ts';
import { waitUntil } from '../support/signalled-process.ts';
import { needsUnix } from '../support/unix.ts';

const program = [process.execPath, launcher].map((word) => `'${word}'`).join(' ');
const call = `${program} posts get PostSpringLaunch`;
// The quotes keep the echo of the typed line from looking like its output.
const done = "echo all' 'done";
const loop = `for i in 1 2 3; do ${call}; done; ${done}`;

/** The flags that keep each shell from reading settings of the user, and its syntax of a loop. */
const shells = {
  bash: { words: ['--norc', '--noprofile'], loop },
  zsh: { words: ['-f'], loop },
  dash: { words: [], loop },
  fish: { words: ['--no-config'], loop: `for i in 1 2 3; ${call}; end; ${done}` },
} as const;

const isInstalled = (shell: string) => spawnSync('sh', ['-c', `command -v ${shell}`]).status === 0;

interface Scene {
  /** The line that is typed at the prompt of the shell; without it the shell runs a script. */
  readonly typed?: string;
  /** True when it is time for Ctrl-C, by the number of requests and the output. */
  readonly until?: (requests: number, said: string) => boolean;
  readonly term?: string;
}

/** Runs a line by a shell at a terminal, presses Ctrl-C once the service was asked, and returns the output. */
async function interrupted(shell: string, words: readonly string[], scene: Scene = {}) {
  needsUnix('Unix shell');
  const { typed, until = (requests) => requests > 0, term = 'dumb' } = scene;
  const service = await misbehavingServer(() => undefined);
  const env = bareEnv(freshHome(), { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY });
  const pty = spawn(shell, [...words], { cols: 200, env: { ...env, TERM: term, PS1: 'ready$ ' } });
  let said = '';
  let isOver = false;
  pty.onData((text) => (said += text));
  pty.onExit(() => (isOver = true));
  onTestFinished(() => {
    if (!isOver) pty.kill('SIGKILL');
  });
  if (typed !== undefined) pty.write(`${typed}\r`);
  await waitUntil(() => until(service.requests(), said) || isOver);
  pty.write('\u0003');
  // A shell that runs a script ends; one at a prompt runs the next line.
  if (typed === undefined) await waitUntil(() => isOver);
  else {
    pty.write("echo and' 'on\r");
    await waitUntil(() => said.includes('and on'));
  }
  expect(said).not.toContain('all done');
  return { said, requests: service.requests() };
}

describe.each(Object.entries(shells))('%s', (shell, { words, loop: line }) => {
  it.runIf(isInstalled(shell))('stops its loop in a script on Ctrl-C', async () => {
    const { said, requests } = await interrupted(shell, [...words, '-c', line]);
    expect(said).toContain('cancelled');
    expect(requests).toBe(1);
  });

  it.runIf(isInstalled(shell))('stops its loop at the prompt on Ctrl-C', async () => {
    const { said, requests } = await interrupted(shell, [...words, '-i'], { typed: line });
    expect(said).toContain('cancelled');
    expect(requests).toBe(1);
  });
});

it('sh runs no command after a call stopped by Ctrl-C', async () => {
  const { requests } = await interrupted('sh', ['-c', `${call}; ${call}; ${done}`]);
  expect(requests).toBe(1);
});

it('a shell runs no command after a prompt stopped by Ctrl-C', async () => {
  const script = `for i in 1 2 3; do ${program} -C sandbox -q posts get --dry-run; done; ${done}`;
  const until = (_requests: number, text: string) => text.includes('Post ID');
  const { said } = await interrupted('bash', ['-c', script], { until, term: 'xterm-256color' });
  expect(said.match(/cancelled/g)).toHaveLength(1);
});
