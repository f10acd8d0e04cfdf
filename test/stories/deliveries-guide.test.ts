// The script of docs/scripting.md and the loop of docs/deliveries.md lead from a delivery to a retried post, run as they
// are written there, by a plain `sh` and against the sandbox.

import { savedLines } from '../support/saved-list.ts';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ArrivedRequest } from '../../src/sandbox/router.ts';
import { startSandbox } from '../../src/sandbox/serve.ts';
import { deliver, deliveryReceiver } from '../support/delivery-receiver.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, plainShell, root } from '../support/program.ts';
import { splitWords } from '../support/shell-words.ts';

const page = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');

/** Runs a script of the guide. */
async function run(home: string, script: string, env: Readonly<Record<string, string>> = {}) {
  const { exitCode: code, stdout, stderr } = await plainShell(script, home, env);
  return { code, stdout, stderr };
}

/** Sends a delivery, as `curl -d` does. */
const post = async (url: string, body: string) =>
  expect((await deliver(url, { body })).status).toBe(200);

/** Starts the sandbox of a home, and records the retries that are requested. */
async function sandboxOf(home: string) {
  const retries: string[] = [];
  const onRequest = ({ method, url, body }: ArrivedRequest) => {
    if (method === 'POST') retries.push(`${url} ${body}`);
  };
  const stateDir = join(home, '.local/state/social');
  const now = () => Date.now();
  const note = () => undefined;
  const start = (port?: number) =>
    startSandbox({ stateDir, now, note, publishAfterMs: 20, onRequest, ...(port && { port }) });
  let sandbox = await start();
  onTestFinished(() => sandbox.close());
  const { url, token } = sandbox;
  return {
    env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: token },
    retries,
    stop: () => sandbox.close(),
    async restart() {
      sandbox = await start(Number(new URL(url).port));
    },
  };
}

const hasJq = spawnSync('jq', ['--version']).status === 0;

it.runIf(hasJq)(
  'the handler of the guide retries what a delivery reports, once, and only where that can help',
  async () => {
    const script = /```sh\n(#!\/bin\/sh\n# retry-deliveries.*?)```/s
      .exec(page('scripting.md'))![1]!
      // The interval is the only change: the sandbox publishes faster than a platform.
      .replace('--wait ', '--wait --interval 50ms ');
    const home = freshHome();
    const { env, retries, stop, restart } = await sandboxOf(home);
    const { url } = await deliveryReceiver(['--append', 'FILE'], { folder: home });
    const report = (event: string, data: object) => post(url, JSON.stringify({ event, data }));
    const partial = { post: { id: 'PostSpringLaunch' } };
    await report('post.partial', partial);
    // A retry cannot help with these: their causes are not temporary, or they are not failures.
    await report('post.failed', { post: { id: 'PostFlashSaleNow' } });
    await report('post.published', { post: { id: 'PostAutumnRecaps' } });
    await report('account.disconnected', { account: { accountId: 'AccountMastodonA' } });
    await report('post.partial', partial);

    // The sandbox lets this target fail once more.
    const retry = '/v1/posts/PostSpringLaunch/retry {"targetIds":["TargetSpringMast"]}';
    const read = (name: string) => readFileSync(join(home, name), 'utf8');
    const first = await run(home, script, env);
    expect([first.code, first.stdout, retries]).toEqual([11, '', [retry]]);
    const failed = savedLines(join(home, 'failed-0.ndjson'));
    const left = { postId: 'PostSpringLaunch', targetIds: ['TargetSpringMast'] };
    expect(failed).toEqual([JSON.stringify(left)]);
    expect(await run(home, script, env)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect([retries, read('seen')]).toEqual([[retry, retry], '5\n']);
    // The handler does nothing if no line is new.
    expect(await run(home, script, env)).toEqual({ code: 0, stdout: '', stderr: '' });
    // The lines stay new while the service is down.
    await report('post.partial', partial);
    await stop();
    const down = await run(home, script, env);
    await restart();
    expect([down.code, read('seen'), read('tries')]).toEqual([11, '5\n', '1\n']);
    expect(await run(home, script, env)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect([retries, read('seen')]).toEqual([[retry, retry], '6\n']);
    expect(readdirSync(home).filter((name) => /^(?:batch|tries)/.test(name))).toEqual([]);
  },
  60_000,
);

it(
  'the guide leads from a delivery to its retry by hand',
  { timeout: 60_000 },
  async ({ signal }) => {
    const [, listen, loop] =
      /```sh\n(social webhooks listen [^`]*?)```.*?```sh\n(curl [^`]*?)```/s.exec(
        page('deliveries.md'),
      )!;
    expect(listen).toBe('social webhooks listen --port 4242 --append deliveries.ndjson\n');
    // The other page has the same loop.
    for (const [block] of page('incident.md').matchAll(/(?<=```sh\n)curl [^`]*/g))
      expect(block).toBe(loop);
    const home = freshHome();
    const { url } = await deliveryReceiver(['--append', 'FILE'], { folder: home });
    const said: string[] = [];
    const before = process.cwd();
    process.chdir(home);
    try {
      for (const line of loop!.trimEnd().split('\n')) {
        signal.throwIfAborted();
        const [program, ...argv] = splitWords(line);
        if (program === 'curl') {
          const [address, flag, body = ''] = argv;
          await post(`${address} ${flag}` === 'http://127.0.0.1:4242 -d' ? url : '', body);
          continue;
        }
        const pace = argv.includes('--wait') ? ['--interval', '50ms'] : [];
        const { exitCode, stdout } = await socialInProcess([...argv, ...pace], { home });
        said.push(`${exitCode} ${stdout}`);
      }
    } finally {
      process.chdir(before);
    }
    const [triage, retry] = said;
    expect(triage).toMatch(/^0 temporary\t1\t1\t/);
    // This target of the sandbox fails once more.
    expect(retry).toMatch(/^1[01] (.|\n)*TargetSpringMast/);
  },
);
