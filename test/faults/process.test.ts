// The process itself: signals, uncaught errors, no input, little memory, few files, an old Node.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, shell, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { misbehavingServer } from '../support/misbehaving-server.ts';
import { runAndSignal } from '../support/signalled-process.ts';
import { needsUnix } from '../support/unix.ts';

const get = ['posts', 'get', 'PostSpringLaunch'];
const send = ['accounts', 'bluesky', 'send', 'convo-1', '-a', 'AccountBlueskyAA', '--text', 'hi'];
const remove = ['ads', 'audiences', 'delete', '23850000000000001'];
const envAt = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY });

/** The target of a post that is waited for. */
const target = (status: string) =>
  `{"id":"TargetSpringLink","platform":"linkedin","status":"${status}","updatedAt":"2026-03-02T12:00:00Z"}`;

/** How it ends: by the signal itself, which a shell shows as 128 and its number. */
const diedOf = (by: NodeJS.Signals) => ({ code: null, by, stdout: '' });
/** At once, on a machine that is busy. */
const SOON_MS = 2000;

describe('a signal', () => {
  it('before anything was sent is reported as such, and ends at once', async () => {
    needsUnix('Unix shell');
    const service = await recordingServer();
    const home = freshHome();
    const asked = join(home, 'asked');
    writeFileSync(join(home, 'manager'), `#!/bin/sh\ntouch ${asked}\nexec sleep 20 2>/dev/null\n`, {
      mode: 0o755,
    });
    const set = ['context', 'set', 'prod', '--base-url', service.url, '--token-command'];
    await socialInProcess([...set, join(home, 'manager')], { home });
    const ended = await runAndSignal(send, 'SIGINT', () => existsSync(asked), { home });
    expect(ended).toMatchObject(diedOf('SIGINT'));
    expect(ended.stderr).toBe('cancelled; nothing was sent\n');
    expect(ended.ms).toBeLessThan(SOON_MS);
    expect(service.connections()).toBe(0);
  });

  it('while a read waits for its response ends at once', async () => {
    const service = await misbehavingServer(() => undefined);
    const env = envAt(service.url);
    const ended = await runAndSignal(get, 'SIGTERM', () => service.requests() > 0, { env });
    expect(ended).toMatchObject({
      ...diedOf('SIGTERM'),
      stderr: 'cancelled; nothing was changed\n',
    });
    expect(ended.ms).toBeLessThan(200);
  });

  const told =
    /^cancelled after sending; outcome unknown\n {2}Check the conversation in Bluesky: .*\n$/;
  const object = (exitCode: number) =>
    new RegExp(`^{"ok":false,.*"outcome":"unknown",.*"exitCode":${exitCode},`);
  it.each([
    ['SIGINT', [], told],
    ['SIGTERM', ['--json'], object(143)],
    ['SIGHUP', ['--json'], object(129)],
  ] as const)(
    '%s while a change waits for its response reports and records an unknown outcome',
    async (signal, flags, words) => {
      const service = await misbehavingServer(() => undefined);
      const env = envAt(service.url);
      const home = freshHome();
      const isAsked = () => service.requests() > 0;
      const ended = await runAndSignal([...send, ...flags], signal, isAsked, { env, home });
      expect(ended).toMatchObject(diedOf(signal));
      expect(ended.stderr).toMatch(words);
      const history = await socialInProcess(['history', 'list', '--json'], { home });
      expect(history.stdout).toContain('"outcome":"unknown"');
      expect(service.requests()).toBe(1);
    },
  );
});

describe('no input', () => {
  it.each(['<&-', '< <(exec sleep 60 >/dev/null 2>&1)'])(
    '%s: a needed prompt is refused, not waited for',
    async (stdin) => {
      const service = await recordingServer();
      const start = performance.now();
      const line = `social ${remove.join(' ')} ${stdin}`;
      const outcome = await shell(line, { env: envAt(service.url) });
      expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
      expect(outcome.stderr).toContain('--yes');
      expect(performance.now() - start).toBeLessThan(10_000);
      expect(service.connections()).toBe(0);
    },
  );
});

/** Throws inside of the program once it has opened a connection, from a timer of its own. */
const bomb = (home: string) => {
  const path = join(home, 'bomb.cjs');
  writeFileSync(
    path,
    `const net = require('node:net'); const connect = net.Socket.prototype.connect;
    net.Socket.prototype.connect = function (...given) {
      setTimeout(() => { throw new Error('boom ' + process.env.SOCIAL_TOKEN + ' ' + ${JSON.stringify(CANARY)}); }, 150);
      return connect.apply(this, given); };`,
  );
  return `--require ${JSON.stringify(path)}`;
};

describe('an uncaught error', () => {
  it('is one sentence and exit 1, without a stack or a secret', async () => {
    const service = await misbehavingServer(() => undefined);
    const home = freshHome();
    const env = { ...envAt(service.url), NODE_OPTIONS: bomb(home) };
    const outcome = await social(get, { home, env });
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/^error: internal error$/m);
    expect(outcome.stderr).toMatch(/^try: social doctor --json$/m);
    expect(outcome.stderr).not.toMatch(/boom|at .*:\d+/);
    const loud = await social([...get, '--debug', '--json'], { home, env });
    expect(loud.stderr).toContain('boom');
    expect(loud.stderr).toContain('[redacted]');
    expect(JSON.parse(loud.stderr.trimEnd().split('\n').at(-1)!)).toMatchObject({
      error: { kind: 'internal', exitCode: 1, next: 'social doctor --json' },
    });
  });

  it('after a change was sent is an unknown outcome', async () => {
    const service = await misbehavingServer(() => undefined);
    const home = freshHome();
    const env = { ...envAt(service.url), NODE_OPTIONS: bomb(home) };
    const outcome = await social(send, { home, env });
    expect(outcome).toMatchObject({ exitCode: 12, stdout: '' });
    expect(outcome.stderr).toContain('The request may have been applied. It was not retried.');
    expect(outcome.stderr).not.toContain('doctor');
    expect(service.requests()).toBe(1);
  });
});

const MAJOR = Number.parseInt(process.versions.node, 10);
/** The number of open files that is enough for a call; a newer Node needs more of them to start. */
const FILES = MAJOR < 22 ? 20 : 32;

describe('the limits of the process', () => {
  it('allow a 10 MiB response in 64 MiB of memory', async () => {
    const text = 'x'.repeat(10 * 1024 * 1024 - 200);
    const service = await recordingServer(
      successResponse(`{"id":"PostSpringLaunch","title":"${text}"}`),
    );
    const env = { ...envAt(service.url), NODE_OPTIONS: '--max-old-space-size=64' };
    const outcome = await social([...get, '--json', '-q'], { env });
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout.length).toBeGreaterThan(text.length);
  });

  it(`may be as low as ${FILES} files and 3 GB of addresses`, async () => {
    const service = await recordingServer(successResponse('{"id":"PostSpringLaunch"}'));
    const limits = `ulimit -n ${FILES}; ulimit -v 3000000`;
    const outcome = await shell(`${limits}; social ${get.join(' ')} --json -q > "$HOME/out"`, {
      env: envAt(service.url),
    });
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('that end a command after a change do not hide that it was made', async () => {
    const made = successResponse(
      '{"organizationId":"org_a","profileId":"ProfileMain","id":"PostSpringLaunch","targets":[]}',
    );
    const service = await recordingServer(made);
    const home = freshHome();
    // The file of the table is loaded once there is something to show.
    const noTable = join(home, 'no-table.cjs');
    writeFileSync(
      noTable,
      `const fs = require('node:fs'); const { readFileSync } = fs;
      fs.readFileSync = (path, ...more) => {
        if (/\\/table-[^/]*$/.test(path)) throw new Error('EMFILE: too many open files, open');
        return readFileSync(path, ...more);
      };`,
    );
    const env = {
      ...envAt(service.url),
      NODE_OPTIONS: `--require ${JSON.stringify(noTable)}`,
      NODE_DISABLE_COMPILE_CACHE: '1',
    };
    const outcome = await social(['posts', 'retry', 'PostSpringLaunch', '-o', 'table', '-q'], {
      home,
      env,
    });
    expect(service.requests).toHaveLength(1);
    expect(outcome).toMatchObject({
      exitCode: 13,
      stdout: '',
      stderr:
        'error: too many open files\n  the operation succeeded (id PostSpringLaunch); do not run it again\n',
    });
  });

  it('report a change as done when the disk is full for its output', async () => {
    needsUnix('devices and no /proc');
    const moving = '{"id":"TargetSpringLink","status":"publishing"}';
    const service = await recordingServer(
      successResponse(
        `{"organizationId":"org_a","profileId":"ProfileMain","id":"PostSpringLaunch","targets":[${moving}]}`,
      ),
    );
    const outcome = await shell('social posts retry PostSpringLaunch --json > /dev/full', {
      env: envAt(service.url),
    });
    expect(outcome.exitCode).toBe(13);
    expect(outcome.stderr).toContain('cannot write output: disk full');
    const own = JSON.parse(outcome.stderr.trimEnd().split('\n').at(-1)!) as { error: object };
    expect(own.error).toMatchObject({
      sent: true,
      accepted: true,
      exitCode: 13,
      hint: 'the operation succeeded (id PostSpringLaunch); do not run it again',
    });

    // A read has left too, whatever became of its result.
    const read = await shell(`social ${get.join(' ')} --json -q > /dev/full`, {
      env: envAt(service.url),
    });
    expect(JSON.parse(read.stderr)).toMatchObject({ error: { sent: true, exitCode: 13 } });
    expect(service.requests).toHaveLength(2);
  });

  it('mention no change when there was nothing to do', async () => {
    needsUnix('devices and no /proc');
    const line = `social -C sandbox posts retry PostSpringLaunch --platform reddit > /dev/full`;
    const outcome = await shell(line);
    expect(outcome.exitCode).toBe(13);
    expect(outcome.stderr).toContain('nothing to retry in PostSpringLaunch; nothing was changed\n');
    expect(outcome.stderr).not.toContain('the operation succeeded');
  });

  it('deliver every one of ten million bytes to a slow reader', async () => {
    const text = 'x'.repeat(10_000_000);
    const service = await recordingServer(
      successResponse(`{"id":"PostSpringLaunch","title":"${text}"}`),
    );
    const line = `social ${get.join(' ')} --json -q | (sleep 1; wc -c); echo "\${PIPESTATUS[0]}"`;
    const outcome = await shell(line, { env: envAt(service.url) });
    expect(outcome.stdout.trim().split(/\s+/)).toEqual([`${text.length + 37}`, '0']);
  });
});

describe('a folder that was deleted', () => {
  const inDeleted = (line: string) =>
    shell(`mkdir "$HOME/gone" && cd "$HOME/gone" && rmdir "$HOME/gone" && social ${line}`);
  const call = `-C sandbox ${get.join(' ')} -q`;

  it.each([
    `${call} --fields id`,
    `${call} --jq .id`,
    'doctor -q -C sandbox',
    'history list -q --since 3h',
  ])('does not concern %s', async (line) => {
    expect(await inDeleted(line)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each([
    [
      'the path of a journal',
      `-C sandbox posts retry --from <(echo PostSpringLaunch) -q --journal j`,
    ],
  ])('is named by a command that needs it for %s', async (_what, line) => {
    expect(await inDeleted(line)).toMatchObject({
      exitCode: 13,
      stdout: '',
      stderr:
        'error: the current folder was deleted\n  change to another folder and run it again\n',
    });
    const { stderr } = await inDeleted(`${line} --json`);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { exitCode: 13, kind: 'local_io', sent: false, retryable: false },
    });
  });
});

describe('Node', () => {
  it('with a clock that jumps a year ahead waits no less and no longer', async () => {
    const home = freshHome();
    const path = join(home, 'jump.cjs');
    writeFileSync(
      path,
      `const now = Date.now; const start = now();
      Date.now = () => now() + (now() - start > 400 ? 3e10 : 0);`,
    );
    const service = await recordingServer((n) =>
      successResponse(
        `{"id":"PostSpringLaunch","targets":[${target(n < 4 ? 'publishing' : 'published')}]}`,
      ),
    );
    const argv = 'posts wait PostSpringLaunch --interval 300ms --wait-timeout 20s'.split(' ');
    const env = { ...envAt(service.url), NODE_OPTIONS: `--require ${JSON.stringify(path)}` };
    const start = performance.now();
    const outcome = await social([...argv, '-q'], { home, env });
    expect({ exitCode: outcome.exitCode, looks: service.requests.length }).toEqual({
      exitCode: 0,
      looks: 4,
    });
    const ms = performance.now() - start;
    expect(ms).toBeGreaterThan(900);
    // This is less than the maximum wait; a year would have used that up.
    expect(ms).toBeLessThan(15_000);
  });
});
