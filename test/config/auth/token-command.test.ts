// The program that gives a token: how long it may take, whatever it has started in turn.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runTokenCommand } from '../../../src/config/auth/token-command.ts';
import { Failure } from '../../../src/base/errors.ts';
import type { Runtime } from '../../../src/base/runtime.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { needsUnix } from '../../support/unix.ts';

const MINUTE = 60_000;

/** A world whose minute is over after some milliseconds; keeps for how long it was asked to sleep, and the notes. */
function hasty(minuteMs: number, signal = new AbortController().signal) {
  const slept: number[] = [];
  const notes: string[] = [];
  const note = (line: string) => void notes.push(line);
  const sleep: Runtime['sleep'] = (ms, until) => {
    slept.push(ms);
    return pause((ms / MINUTE) * minuteMs, undefined, { signal: until });
  };
  return {
    slept,
    notes,
    runtime: {
      env: process.env,
      note,
      signal,
      sleep,
      stdin: { isTTY: true },
    } as unknown as Runtime,
  };
}

function script(lines: string): string {
  needsUnix('Unix shell');
  const path = join(temporaryFolder(), 'manager');
  writeFileSync(path, `#!/bin/sh\nexec </dev/null 2>/dev/null\n${lines}\n`, { mode: 0o755 });
  return path;
}

it.each([
  ['is silent', 'exec sleep 15'],
  ['waits for another program, which keeps its output open', 'sleep 15; echo too-late'],
  ['does not end when it is asked to', "trap '' TERM; sleep 15; echo too-late"],
])(
  'a token command that %s is reported after ten seconds and stopped after a minute',
  async (_what, lines) => {
    const { runtime, slept, notes } = hasty(200);
    const path = script(lines);
    const start = performance.now();
    await expect(runTokenCommand('prod', [path], runtime)).rejects.toMatchObject({
      kind: 'local_io',
      facts: { what: `the token command ${path} did not finish within 1m`, sent: false },
    });
    expect(slept).toEqual([MINUTE / 6, MINUTE]);
    expect(notes).toEqual([`Waiting for the token command ${path}… (timeout 1m)`]);
    expect(performance.now() - start).toBeLessThan(10_000);
  },
);

it('a token command under a minute gives its token, and leaves no timer', async () => {
  const { runtime, notes } = hasty(60_000);
  const start = performance.now();
  await expect(runTokenCommand('prod', [script('sleep 0.1; echo a-token')], runtime)).resolves.toBe(
    'a-token',
  );
  expect(notes).toEqual([]);
  expect(performance.now() - start).toBeLessThan(10_000);
});

it('a token command ends with the call, also when another program keeps its output open', async () => {
  const stop = new AbortController();
  const cancelled = new Failure('interrupted', { what: 'cancelled' });
  const { runtime } = hasty(60_000, stop.signal);
  const path = script('echo $$ > "$0.pid"; sleep 15; echo too-late');
  const running = runTokenCommand('prod', [path], runtime);
  setTimeout(() => stop.abort(cancelled), 300);
  await expect(running).rejects.toBe(cancelled);
  const pid = Number(readFileSync(`${path}.pid`, 'utf8'));
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
