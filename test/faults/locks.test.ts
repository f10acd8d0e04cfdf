// Locks between machines, containers and boots that share a folder, with the built program: the lock of a holder that
// may live is respected, the file to delete is named, and a process that waits can be stopped.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failedPostsServer, idList, retriesAt } from '../support/counting-server.ts';
import { bareEnv, freshHome, homeWith, launcher, social } from '../support/program.ts';
import { after, runAndSignal, waitUntil } from '../support/signalled-process.ts';

/** A machine of another boot, with the same name and the same numbers of namespaces: what a clone is. */
const clone = [
  'unshare',
  '-m',
  'sh',
  '-c',
  'mount --bind "$BOOT" /proc/sys/kernel/random/boot_id; exec "$@"',
  '-',
];
const container = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

const works = (way: readonly string[]) =>
  spawnSync(way[0]!, [...way.slice(1), 'true'], { env: { ...process.env, BOOT: '/dev/null' } })
    .status === 0;
const canAll = [clone, container].every(works);

async function setup() {
  const gate = new EventEmitter();
  let isOpen = false;
  const service = await failedPostsServer(() => (isOpen ? {} : { until: once(gate, 'open') }));
  const home = freshHome();
  const at = (name: string) => join(home, name);
  fs.writeFileSync(at('ids'), idList(4));
  fs.writeFileSync(at('boot'), '11111111-2222-3333-4444-555555555555\n');
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary-token', TMPDIR: home };
  const words = ['posts', 'retry', '--from', at('ids'), '--journal', at('journal')];
  const retry = () => social(words, { home, env });
  /** Starts the batch in this way, and waits until it has the lock and its requests are in progress. */
  const hold = async (way: readonly string[]) => {
    const [command = '', ...rest] = [...way, process.execPath, launcher, ...words];
    const child = spawn(command, rest, {
      env: { ...bareEnv(home, env), BOOT: at('boot') },
      detached: true,
    });
    onTestFinished(() => void kill(child));
    await waitUntil(() => retriesAt(service).size === 4);
    return child;
  };
  const open = () => {
    isOpen = true;
    gate.emit('open');
  };
  return { service, home, at, env, retry, hold, open };
}

/** Ends a process and all that it started, at once. */
function kill(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const gone = once(child, 'exit');
  process.kill(-child.pid!, 'SIGKILL');
  return gone;
}

describe.runIf(canAll)('a lock of', () => {
  it.each([
    ['a machine that was cloned from this one', clone],
    ['a container with its own process ids', container],
  ])('%s stays while its owner is alive', async (_what, way) => {
    const { at, service, retry, hold, open } = await setup();
    const child = await hold(way);
    const ended = once(child, 'exit');
    // On another machine the process ID belongs to no process, or to another one.
    const lock = fs.readFileSync(at('journal.lock'), 'utf8');
    const refused = await retry();
    expect(refused).toMatchObject({ exitCode: 13, stdout: '' });
    expect(refused.stderr).toMatch(
      new RegExp(
        `^error: ${at('journal')} is locked by pid \\d+ since \\d{4}-\\S+Z on ${hostname()}\\n` +
          ` +if that process has ended, delete ${at('journal.lock')}\\n$`,
      ),
    );
    expect(fs.readFileSync(at('journal.lock'), 'utf8')).toBe(lock);
    open();
    expect(await ended).toEqual([0, null]);
    expect([...retriesAt(service).values()]).toEqual([1, 1, 1, 1]);
  });
});

const elsewhere = (nonce: string) =>
  JSON.stringify({ pid: 1, startedAt: '1', host: 'elsewhere', system: 'another boot', nonce });

describe('every lock', () => {
  it('that is waited for can be interrupted by Ctrl-C at once', async () => {
    const { home, folder } = homeWith({});
    fs.writeFileSync(join(folder, 'config.json.lock'), elsewhere('0123abcd'));
    // Most of this time the program waits for the lock; after five seconds it would end by itself.
    const later = after(500);
    const argv = ['config', 'set', 'timeout', '1m'];
    const { by, stderr } = await runAndSignal(argv, 'SIGINT', later, { home });
    expect({ by, stderr }).toEqual({ by: 'SIGINT', stderr: 'cancelled; nothing was sent\n' });
    expect(fs.readdirSync(folder).toSorted()).toEqual(['config.json', 'config.json.lock']);
  });
});
