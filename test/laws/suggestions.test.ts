// Each line that an error offers (`try:`, `next`) is typed in turn, where the error came up: none is refused as a
// mistake in what was typed. What would change something runs with --dry-run, so that nothing is sent.

import { describe, expect, it } from 'vitest';
import { readSuggestion, suggestionsIn } from '../support/suggestions.ts';
import { errorResponse, recordingServer } from '../support/recording-server.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli } from '../support/test-cli.ts';
import { misbehavingServer } from '../support/misbehaving-server.ts';

const TOKEN = 'token-of-the-law-of-suggestions';

/** Lines that fail on a machine with contexts, before anything is sent. */
const mistaken: readonly string[] = [
  'posts get',
  'posts get x',
  'posts get PostSpringLaunch --nope',
  'posts get PostSpringLaunch --concurrency 99',
  'posts gett PostSpringLaunch',
  'post get PostSpringLaunch',
  'posts retry PostSpringLaunch --target x',
  'posts retry PostSpringLaunch --target TargetSpringLink --failed',
  'posts retry --from /nowhere/at/all',
  'posts reply PostAutumnRecaps --target TargetAutumnMast',
  'posts list',
  'posts create',
  'posts delete PostSpringLaunch',
  'webhooks list',
  'webhooks get WebhookAlertsOps',
  'webhooks delete WebhookAlertsOps',
  'webhooks create',
  'webhooks update WebhookAlertsOps',
  'accounts list',
  'accounts bluesky send 1 -a x --text hi',
  'login',
  'logout',
  'get PostSpringLaunch',
  'retry PostSpringLaunch',
  'mastodon',
  'discord channels',
  'version',
  'whoami',
  'status',
  'posts get PostSpringLaunch --watch',
  'posts get PostSpringLaunch --profile prod',
  'posts get PostSpringLaunch --format json',
  'posts get PostSpringLaunch --verbose',
  'posts get PostSpringLaunch --json id,status',
  'posts get PostSpringLaunch --web',
  'posts get PostSpringLaunch -o yaml',
  'posts get PostSpringLaunch --fields nope -C sandbox',
  'posts get PostSpringLaunch --timeout soon',
  'posts wait PostSpringLaunch --interval never',
  'credentials disable CredentialSystem',
  'ads audiences delete 23850000000000001 -a AccountMetaAdsAa',
  'discord pins add x y',
  'connect telegram session x',
  '-C nowhere posts get PostSpringLaunch',
  '-C guarded posts retry PostSpringLaunch',
  '-C guarded ads audiences delete 23850000000000001 -a AccountMetaAdsAa --yes',
  'api',
  'api NOPE /v1/posts',
  'api GET v1/posts/PostSpringLaunch',
  'config set timeot 5s',
  'config set timeout soon',
  'config get timeout',
  'config unset timeout',
  'config path',
  'context rename prod live',
  'context use nowhere',
  'context set two words',
  'context delete guarded',
  'context list all',
  'auth login',
  'auth login -C fresh',
  'auth token -C empty',
  'auth status -C empty --check',
  'posts get PostSpringLaunch -C empty',
  'history show nope',
  'history list --limit none',
  'history clear',
  'schema nope',
  'schema posts gett',
  'help nope',
  'help posts gett',
  'completion tcsh',
  'sandbox nope',
  'sandbox reset nope',
  'sandbox serve --chaos nope',
  'mcp nope',
  'doctor nope',
  'doctor --base-url nope',
];

/** A machine with three contexts: one whose token is stored, one that is protected, one without a token. */
async function machine(url: string) {
  const cli = testCli();
  const run = async (line: string, stdin = '') => {
    const outcome = await cli.social(splitWords(line), { stdin });
    expect({ line, ...outcome }).toMatchObject({ exitCode: 0 });
  };
  for (const name of ['prod', 'guarded'])
    await run(`auth login -C ${name} --base-url ${url} --insecure-storage --no-check`, TOKEN);
  await run('context set guarded --protected');
  await run(`context set empty --base-url ${url}`);
  // Where a line lacks an account, so does what is offered for it.
  await run('context set prod --account AccountMainBrand');
  await run('context use prod');
  return cli;
}

/** Types every line that an outcome offers, and what they offer in turn; the number of lines that there were. */
async function follow(cli: Awaited<ReturnType<typeof machine>>, line: string): Promise<number> {
  const failed = await cli.social(splitWords(line), { stdin: '' });
  expect({ line, ...failed }).not.toMatchObject({ exitCode: 0 });
  const offered = suggestionsIn(failed.stderr);
  for (const next of offered) {
    expect(next, `what "${line}" offers`).not.toBe(`social ${line}`);
    const reading = readSuggestion(next);
    expect({ line, next, ...reading }).not.toHaveProperty('refusal');
    if ('refusal' in reading || /<[a-z]/.test(next) || / serve( |$)/.test(next)) continue;
    const [, ...words] = splitWords(next);
    const argv = reading.isOperation ? [...words, '--dry-run'] : words;
    const stdin = reading.path === 'auth login' ? TOKEN : '';
    const outcome = await cli.social(argv, { stdin });
    expect({ line, next, ...outcome }).not.toMatchObject({ exitCode: 2 });
  }
  return offered.length;
}

describe('what an error offers is a line that the program takes', () => {
  it.each(mistaken)('social %s', async (line) => {
    const { url, requests } = await recordingServer();
    const cli = await machine(url);
    await follow(cli, line);
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('on a machine without a service: a line that works at once', async () => {
    expect(await follow(testCli(), 'posts get PostSpringLaunch')).toBe(1);
  });

  it.each([401, 403, 404, 409, 429, 500])('after a refusal with status %i', async (status) => {
    const { url } = await recordingServer(errorResponse(status));
    const cli = await machine(url);
    for (const line of ['posts get PostSpringLaunch', 'posts retry PostSpringLaunch'])
      expect(await follow(cli, `${line} --retries 0`)).toBeLessThanOrEqual(1);
  });

  it('after a 401: to log in to the same context, and not the same line again', async () => {
    const { url } = await recordingServer(errorResponse(401));
    const cli = await machine(url);
    const { stderr } = await cli.social(['posts', 'get', 'PostSpringLaunch']);
    expect(suggestionsIn(stderr)).toEqual(['social auth login -C prod']);
  });

  it('after a change whose outcome is unknown: a line that only reads', async () => {
    const { url } = await misbehavingServer((socket) => socket.resetAndDestroy());
    const cli = await machine(url);
    expect(await follow(cli, 'posts retry PostSpringLaunch')).toBe(1);
    await follow(cli, 'posts reply PostAutumnRecaps --target TargetAutumnMast --text hi');
  });
});
