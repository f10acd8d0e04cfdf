// The sandbox as others on this machine meet it: it ends with its command, contacts nobody, and shows what it is.

import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import * as fs from 'node:fs';
import * as net from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bareEnv, freshHome, launcher, shell, social } from '../support/program.ts';
import { recorder } from '../support/recorder.ts';

it('leaves nobody listening once the command was killed [X10]', async () => {
  const home = freshHome();
  const child = spawn(process.execPath, [launcher, 'sandbox', 'serve', '--json'], {
    env: bareEnv(home),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { url, token } = JSON.parse(await firstLine(child)) as { url: string; token: string };
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: token };
  const get = ['posts', 'get', 'PostSpringLaunch', '--retries', '0'];
  expect((await social(get, { env })).exitCode).toBe(0);
  const gone = new Promise((resolve) => child.on('close', resolve));
  child.kill('SIGKILL');
  await gone;
  expect((await social(get, { env })).exitCode).toBe(9);
  expect((await social(['-C', 'sandbox', ...get], { home })).exitCode).toBe(0);
});

/** What a server that starts says first. */
const firstLine = ({ stdout }: ChildProcessWithoutNullStreams): Promise<string> =>
  new Promise((resolve) => stdout.once('data', (text) => resolve(String(text))));

const canTrace = spawnSync('strace', ['-f', '-e', 'trace=connect', 'true']).status === 0;

it.runIf(canTrace)(
  'connects to nobody but itself, though a webhook has an address [X12]',
  async () => {
    const home = freshHome();
    const hook = await recorder();
    const address = hook.url.replace('http:', 'https:');
    const trace = `strace -f -qq -e trace=connect -o "$HOME/calls" ${process.execPath} ${launcher} -C sandbox`;
    const created = await shell(
      `${trace} webhooks create --url ${address} --event post.failed -q`,
      { home },
    );
    expect(created.exitCode).toBe(0);
    expect((await shell(`${trace} posts retry PostSpringLaunch -q`, { home })).exitCode).toBe(0);
    const calls = fs
      .readFileSync(join(home, 'calls'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('AF_INET'));
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) expect(call).toContain('inet_addr("127.0.0.1")');
    expect(hook.connections()).toBe(0);
  },
);

it('bears a thousand connections and clients that drip, and answers others meanwhile [X8]', async () => {
  const home = freshHome();
  const child = spawn(process.execPath, [launcher, 'sandbox', 'serve', '--json'], {
    env: bareEnv(home),
  });
  const open: net.Socket[] = [];
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    child.kill('SIGKILL');
  });
  const { url, token } = JSON.parse(await firstLine(child)) as { url: string; token: string };
  const { port } = new URL(url);
  const connect = async (text: string) => {
    const socket = net.connect(Number(port), '127.0.0.1');
    open.push(socket.on('error', () => undefined).resume());
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    socket.write(text);
    return socket;
  };
  const start = performance.now();
  const slow = await connect('GET /v1/posts/PostSpringLaunch HTTP/1.1\r\nHost: 127');
  const drip = setInterval(() => slow.write('x'), 500);
  onTestFinished(() => clearInterval(drip));
  let said = '';
  slow.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const gone = new Promise((resolve) => slow.once('close', resolve));
  await Promise.all(Array.from({ length: 990 }, () => connect('GET /v1/po')));
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: token };
  const get = ['posts', 'get', 'PostSpringLaunch', '--json', '-q', '--fields', 'id'];
  expect(await social(get, { env })).toMatchObject({
    exitCode: 0,
    stdout: '{"id":"PostSpringLaunch"}\n',
  });
  // Who takes longer than ten seconds for the head of a request is sent away.
  await gone;
  expect(said).toMatch(/^HTTP\/1\.1 408 /);
  expect(performance.now() - start).toBeGreaterThan(9000);
  expect((await social(get, { env })).exitCode).toBe(0);
  expect(child.exitCode).toBeNull();
});

it('makes no faults, and has no flag for any [X13]', async () => {
  const outcome = await social(['sandbox', 'serve', '--chaos', 'reset=1']);
  expect(outcome.exitCode).toBe(2);
  expect(outcome.stderr).toContain('--chaos');
});

it('has a token that is private, new for each start-over, and refused elsewhere by origin [X5] [X6]', async () => {
  const home = freshHome();
  await social(['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch', '-q'], { home });
  const path = join(home, '.local/state/social/sandbox.ndjson');
  expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  const tokenOf = () => /sandbox-[\w-]{32}/.exec(fs.readFileSync(path, 'utf8'))?.[0];
  const first = tokenOf();
  expect(first).toBeDefined();
  await social(['sandbox', 'reset'], { home });
  expect(tokenOf()).not.toBe(first);
  const clash = await social(
    ['-C', 'sandbox', '--base-url', 'https://api.example.com', 'posts', 'get', 'PostSpringLaunch'],
    { home },
  );
  expect(clash.exitCode).toBe(2);
});

it('is told apart from a real service [X15]', async () => {
  const outcome = await social(['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch', '--debug']);
  expect(outcome.stderr).toContain('sandbox: this is the embedded service, not a real account');
  expect(outcome.stderr).toContain('x-social-sandbox: 1');
  expect((await social(['auth', 'status', '-C', 'sandbox'])).stdout).toContain(
    '(embedded service)',
  );
});
