// Signals: whatever is waited for, the first one ends the program in order and soon, by the signal itself; a second
// one at once; and none opens a debugger.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { countingServer, idList, idOf } from '../support/counting-server.ts';
import { bareEnv, freshHome, launcher } from '../support/program.ts';
import { recordingServer } from '../support/recording-server.ts';
import { after, runAndSignal, startProcess, waitUntil } from '../support/signalled-process.ts';
import { needsUnix } from '../support/unix.ts';

const list = ['posts', 'get', '--from'];
const reply = ['posts', 'reply', 'PostSpringLaunch', '--target', 'TargetSpringLink'];
const envAt = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY });

/** A list whose records take a while to be read and judged: the same ids over and over. */
function longList(home: string): string {
  const path = join(home, 'list');
  writeFileSync(path, idList(10_000).repeat(100));
  return path;
}

/** Makes a named pipe. */
function pipe(home: string): string {
  needsUnix('named pipes');
  const path = join(home, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

/** At once, on a machine that is busy. */
const SOON_MS = 2000;

describe('SIGINT ends at once', () => {
  const waits: readonly (readonly [string, (home: string) => readonly string[]])[] = [
    ['a list from a pipe that nobody writes', (home) => [...list, pipe(home)]],
    ['a list of a million records', (home) => [...list, longList(home)]],
    ['a text from standard input', () => [...reply, '--text-file', '-']],
    ['the messages of an agent', () => ['mcp', 'serve']],
  ];
  it.each(waits)('%s', async (what, argvIn) => {
    needsUnix('signals');
    const service = await recordingServer();
    const home = freshHome();
    const env = envAt(service.url);
    const ended = await runAndSignal(argvIn(home), 'SIGINT', after(50), { home, env });
    expect(ended).toMatchObject({ code: null, by: 'SIGINT', stdout: '' });
    const isList = what.startsWith('a list');
    expect(ended.stderr).toMatch(
      isList ? /(?:^|\n)cancelled; nothing was sent\n$/ : /^(?!.*error)/s,
    );
    expect(ended.ms).toBeLessThan(SOON_MS);
    expect(service.connections()).toBe(0);
  });

  const refused = [
    ['--text-file', reply],
    ['--failures-to', ['posts', 'get', 'PostSpringLaunch', 'PostNowhereToSee']],
  ] as const;
  it.each(refused)('is not needed for %s: a pipe is rejected', async (flag, argv) => {
    const home = freshHome();
    const { ended } = startProcess([...argv, flag, pipe(home)], {
      home,
      env: envAt('http://127.0.0.1:9'),
    });
    const { code, stderr } = await ended;
    expect([2, 13]).toContain(code);
    expect(stderr).toContain('is not a regular file');
  });
});

describe('a signal', () => {
  it('that comes twice at once, as timeout(1) and a closed terminal send it, is one', async () => {
    needsUnix('signals');
    const home = freshHome();
    const twice = join(home, 'twice.cjs');
    // The system would merge two from outside, or deliver the second too late on a busy machine. On such a machine the
    // work for the first takes long, here 100 ms.
    writeFileSync(
      twice,
      `const { abort } = AbortController.prototype;
      AbortController.prototype.abort = function (why) {
        abort.call(this, why);
        for (const end = performance.now() + 100; performance.now() < end; );
      };
      process.on('SIGUSR2', () => ['SIGTERM', 'SIGTERM'].map((name) => process.emit(name)));`,
    );
    let answer = () => {};
    const until = new Promise<void>((resolve) => (answer = resolve));
    const service = await countingServer(() => ({ until }));
    const { child, ended, stderr } = startProcess(['posts', 'get', idOf(1), idOf(2), '--json'], {
      home,
      env: { ...envAt(service.url), NODE_OPTIONS: `--require ${JSON.stringify(twice)}` },
    });
    await waitUntil(() => service.total() === 2);
    child.kill('SIGUSR2');
    await waitUntil(() => stderr().startsWith('stopping:') || child.signalCode !== null);
    answer();
    const { by, stdout } = await ended;
    expect(by).toBe('SIGTERM');
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  it('of another kind after a first one ends the command at once', async () => {
    needsUnix('signals');
    const service = await recordingServer();
    const home = freshHome();
    // The test does not read the output, so that the program cannot end.
    const child = spawn(process.execPath, [launcher, ...list, '-', '--dry-run'], {
      env: bareEnv(home, envAt(service.url)),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const gone = new Promise((resolve) => child.on('exit', (code, by) => resolve({ code, by })));
    child.stdin.end(idList(10_000));
    await waitUntil(() => child.stdout.readableLength > 0);
    await pause(100);
    child.kill('SIGINT');
    await pause(300);
    expect({ code: child.exitCode, by: child.signalCode }).toEqual({ code: null, by: null });
    const at = performance.now();
    child.kill('SIGTERM');
    expect(await gone).toEqual({ code: null, by: 'SIGTERM' });
    expect(performance.now() - at).toBeLessThan(SOON_MS);
  });

  it('leaves the mode of a shared pipe unchanged', async () => {
    needsUnix('Unix shell');
    const home = freshHome();
    const script = `
      "$@" & pid=$!
      while ! grep -q 'SigCgt:.*[13579bdf]$' /proc/$pid/status 2>/dev/null; do sleep 0.05; done
      sleep 0.3
      kill -TERM $pid; wait $pid; echo "$?"
      for fd in 0 1 2; do grep flags /proc/self/fdinfo/$fd; done`;
    const words = [process.execPath, launcher, 'mcp', 'serve'];
    const child = spawn('bash', ['-c', script.replace('"$@" &', '"$@" <&0 &'), 'bash', ...words], {
      env: bareEnv(home),
    });
    let said = '';
    child.stdout.on('data', (text) => void (said += String(text)));
    await new Promise((resolve) => child.on('close', resolve));
    const [code, ...flags] = said.trim().split('\n');
    expect(code).toBe('143');
    expect(flags).toHaveLength(3);
    const NONBLOCK = 0o4000;
    for (const line of flags) expect(Number.parseInt(line.split(/\s+/)[1]!, 8) & NONBLOCK).toBe(0);
  });
});

describe('SIGUSR1', () => {
  it('never opens a debugger, from the first line of the launcher on', () => {
    needsUnix('signals');
    // It comes when the launcher asks for its first module.
    const script = `
      const Module = require('node:module');
      const load = Module._load;
      Module._load = function (id, ...more) {
        if (id === 'fs') process.kill(process.pid, 'SIGUSR1');
        return load.call(this, id, ...more);
      };
      process.argv = [process.argv[0], ${JSON.stringify(launcher)}, '--version'];
      require(${JSON.stringify(launcher)});
      setTimeout(() => console.log(JSON.stringify(require('node:inspector').url() ?? 'none')), 300);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n"none"\n$/);
    expect(stderr).toBe('');
  });
});
