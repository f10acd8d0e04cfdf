// The sandbox as other programs on this machine meet it: it ends with its command, opens no connection, and says that
// it is a sandbox.

import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import * as fs from 'node:fs';
import * as net from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { socialInProcess } from '../support/in-process.ts';
import { bareEnv, freshHome, launcher, shell } from '../support/program.ts';
import { recordingServer } from '../support/recording-server.ts';
import { times } from '../properties/times.ts';
import { loginTo } from '../support/command-lines.ts';
import { needsUnix } from '../support/unix.ts';

/** Returns the first line of a server that starts. */
const firstLine = ({ stdout }: ChildProcessWithoutNullStreams): Promise<string> =>
  new Promise((resolve) => stdout.once('data', (text) => resolve(String(text))));

const canTrace =
  spawnSync('strace', ['-f', '--seccomp-bpf', '-e', 'trace=connect', 'true']).status === 0;

it.runIf(canTrace)('the sandbox contacts no host, though a webhook has an address', async () => {
  needsUnix('tracing, namespaces and limits');
  const home = freshHome();
  const hook = await recordingServer();
  const address = hook.url.replace('http:', 'https:');
  const create = [
    '-C',
    'sandbox',
    'webhooks',
    'create',
    '--url',
    address,
    '--event',
    'post.failed',
  ];
  expect((await socialInProcess(create, { home })).exitCode).toBe(0);
  const trace = `strace -f --seccomp-bpf -qq -e trace=connect -o "$HOME/calls" "${process.execPath}" "${launcher}"`;
  const retried = await shell(`${trace} -C sandbox posts retry PostSpringLaunch -q`, { home });
  expect(retried.exitCode).toBe(0);
  const calls = fs
    .readFileSync(join(home, 'calls'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('AF_INET'));
  expect(calls).toEqual([]);
  expect(hook.connections()).toBe(0);
});

/** A sandbox as a server of its own, and connections to it that stay until the test is over. */
async function served() {
  const child = spawn(process.execPath, [launcher, 'sandbox', 'serve', '--json'], {
    env: bareEnv(freshHome()),
  });
  const open: net.Socket[] = [];
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    child.kill('SIGKILL');
  });
  const { url, token } = JSON.parse(await firstLine(child)) as { url: string; token: string };
  const connect = async (text: string) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    open.push(socket.on('error', () => undefined).resume());
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    if (text !== '') socket.write(text);
    return socket;
  };
  const get = ['posts', 'get', 'PostSpringLaunch', '--json', '-q', '--fields', 'id'];
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: token };
  const works = async (...flags: readonly string[]) =>
    expect(await socialInProcess([...get, ...flags], { env })).toMatchObject({
      exitCode: 0,
      stdout: '{"id":"PostSpringLaunch"}\n',
    });
  return {
    child,
    connect,
    works,
    port: Number(new URL(url).port),
    host: `Host: ${new URL(url).host}`,
  };
}

it.runIf(process.platform === 'linux')(
  'the sandbox listens on 127.0.0.1 only, on a random port',
  async () => {
    needsUnix('devices and no /proc');
    const [one, other] = await Promise.all([served(), served()]);
    expect(one.port).not.toBe(other.port);
    // Local address, remote address, state: 0A is a socket that listens.
    const listening = ['tcp', 'tcp6'].flatMap((table) =>
      fs
        .readFileSync(`/proc/${one.child.pid}/net/${table}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local, , state]) => {
          const port = one.port.toString(16).toUpperCase().padStart(4, '0');
          return state === '0A' && local!.endsWith(`:${port}`);
        })
        .map(([, local]) => local!.split(':')[0]),
    );
    expect(listening).toEqual(['0100007F']);
  },
);

it('the sandbox receives no token of another service, whatever is set or stored', async () => {
  const home = freshHome();
  const own = await recordingServer();
  const login = loginTo(own.url, '-C', 'prod', '--insecure-storage');
  await socialInProcess(login, { home, input: `${CANARY}\n` });
  const { stdout, stderr, exitCode } = await socialInProcess(
    ['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch', '--json', '--debug'],
    { home, env: { SOCIAL_TOKEN: CANARY } },
  );
  // The sandbox refuses every token but its own.
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(stdout).toContain('PostSpringLaunch');
  expect(own.requests.filter(({ target }) => target.includes('posts'))).toEqual([]);
});

const gone = (socket: net.Socket) => new Promise((resolve) => socket.once('close', resolve));

it.runIf(times(0, 1).numRuns > 0)(
  'the sandbox disconnects a client that takes over five seconds for a request head',
  async () => {
    const { connect, works } = await served();
    const start = performance.now();
    const silent = await connect('');
    const slow = await connect('GET /v1/posts/PostSpringLaunch HTTP/1.1\r\nHost: 127');
    const drip = setInterval(() => slow.write('x'), 500);
    onTestFinished(() => clearInterval(drip));
    let said = '';
    slow.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await Promise.all([gone(slow), gone(silent)]);
    expect(said).toMatch(/^HTTP\/1\.1 408 /);
    expect(performance.now() - start).toBeGreaterThan(4900);
    await works();
  },
);

it('the sandbox has its private token, which survives a reset and is rejected at other origins', async () => {
  needsUnix('owners and modes');
  const home = freshHome();
  await socialInProcess(['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch', '-q'], { home });
  const path = join(home, '.local/state/social/sandbox.json');
  expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  const tokenOf = () => /sandbox-[\w-]{32}/.exec(fs.readFileSync(path, 'utf8'))?.[0];
  const first = tokenOf();
  expect(first).toBeDefined();
  await socialInProcess(['sandbox', 'reset'], { home });
  expect(tokenOf()).toBe(first);
  fs.rmSync(path);
  await socialInProcess(['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch', '-q'], { home });
  expect(tokenOf()).not.toBe(first);
  const clash = await socialInProcess(
    ['-C', 'sandbox', '--base-url', 'https://api.example.com', 'posts', 'get', 'PostSpringLaunch'],
    { home },
  );
  expect(clash.exitCode).toBe(2);
});
