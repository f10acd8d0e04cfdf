// `posts open`: which address is opened, and where it is only printed.

import { expect, it } from 'vitest';
import { runProgram } from '../../../src/program.ts';
import { hostOf, socialInProcess } from '../../support/in-process.ts';
import { targetPost, targets } from '../../support/posts.ts';
import { freshHome } from '../../support/program.ts';
import { recordingServer, successResponse } from '../../support/recording-server.ts';

const id = 'PostForTheTestsA';
const at = (url: unknown) => ({ ...targets.linkedin('published'), nativeUrl: url });
const web = 'https://linkedin.example/p/1';

async function scene(...all: readonly object[]) {
  const { url } = await recordingServer(successResponse(JSON.stringify(targetPost(all as never))));
  return { env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token' }, home: freshHome() };
}

it.each([
  [[at(web)], [], web],
  [
    [at(web), { ...targets.twitter('published'), nativeUrl: 'https://x.example/2' }],
    ['--platform', 'twitter'],
    'https://x.example/2',
  ],
  [[at('javascript:alert(1)'), { ...targets.twitter('published'), nativeUrl: web }], [], web],
] as const)('prints the address in a pipe: %#', async (all, flags, shown) => {
  const { exitCode, stdout } = await socialInProcess(
    ['posts', 'open', id, ...flags],
    await scene(...all),
  );
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${shown}\n` });
});

it.each(['file:///etc/passwd', 'javascript:alert(1)', 'vscode://x', 'no address', '', 7, null])(
  'opens no address but one of the web: %j',
  async (url) => {
    const { exitCode, stdout } = await socialInProcess(['posts', 'open', id], await scene(at(url)));
    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
  },
);

it.each([
  [['--platform', 'tiktok'], 'the post has no such target'],
  [['--platform', 'linkedin'], 'the post has no address on a platform yet'],
])('names the targets of the post: %j', async (flags, what) => {
  const { stderr } = await socialInProcess(['posts', 'open', id, ...flags], await scene(at(null)));
  expect(stderr).toContain(
    `error: ${what}\n  linkedin ${targets.linkedin('published').id} is published\n`,
  );
});

it.each([
  [{ DISPLAY: ':0' }, [web]],
  [{ DISPLAY: ':0', SSH_CONNECTION: '1 2 3 4' }, []],
  [{}, []],
])('opens the browser on a terminal with a display: %j', async (display, opened) => {
  const { env, home } = await scene(at(web));
  const said = { stdout: '', stderr: '' };
  const host = hostOf({ home, env: { ...env, ...display } }, said);
  const addresses: string[] = [];
  const stdout = Object.create(host.stdout, { isTTY: { value: true } }) as typeof host.stdout;
  const browse = async (url: string) => void addresses.push(url);
  expect(await runProgram(['posts', 'open', id], { ...host, stdout, browse })).toBe(0);
  expect(addresses).toEqual(opened);
  expect(said.stdout).toBe(opened.length > 0 ? '' : `${web}\n`);
});
