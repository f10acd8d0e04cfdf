// A service that echoes the access token in a successful response: no form of output shows it, and a warning says so.

import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome } from '../support/program.ts';
import { recordingServer } from '../support/recording-server.ts';
import { testCli, type RunOptions } from '../support/test-cli.ts';
import { CANARY } from '../support/token-leak-check.ts';

const ID = 'PostSpringLaunch';
const WARNING = 'warning: the response contains the access token; it is shown as [redacted]\n';

/** A post whose text, error, tags and an unknown field hold the token in one of its forms. */
const post = (echo: string) => ({
  id: ID,
  status: 'partial',
  content: `before ${echo} after`,
  note: echo,
  [echo]: 1,
  targets: [
    {
      id: 'TargetSpringMast',
      platform: 'mastodon',
      status: 'failed',
      error: `rejected ${echo}`,
      nativeUrl: `https://example.com/?t=${echo}`,
    },
  ],
});

const echoing = (echo: string) =>
  recordingServer(() => ({
    status: 200,
    body: JSON.stringify({ ok: true, data: post(echo) }),
    headers: { 'x-echo': echo.replace(/[^\x21-\x7e]/g, '') },
  }));

async function run(words: readonly string[], options: RunOptions = {}, echo = CANARY) {
  const { url } = await echoing(echo);
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY, ...options.env };
  return testCli().social(words, { ...options, env });
}

describe('our token in a successful response is masked', () => {
  it.each<readonly [form: string, words: readonly string[], options: RunOptions]>([
    ['a table', ['posts', 'get', ID, '-o', 'table'], { columns: 100 }],
    ['a narrow table', ['posts', 'get', ID], { columns: 40 }],
    ['a wide table', ['posts', 'get', ID, '-o', 'wide'], { columns: 100 }],
    ['TSV', ['posts', 'get', ID], {}],
    ['JSON', ['posts', 'get', ID, '--json'], {}],
    ['NDJSON', ['posts', 'get', ID, '-o', 'ndjson'], {}],
    ['jq', ['posts', 'get', ID, '--jq', '.note, (.note|@base64), .note[0:9]'], {}],
    ['fields', ['posts', 'get', ID, '--fields', 'id,targets.error', '--json'], {}],
    ['a batch', ['posts', 'get', '--from', '-', '--json'], { stdin: `${ID}\n` }],
    ['a batch in TSV', ['posts', 'get', '--from', '-'], { stdin: `${ID}\n` }],
    ['debug', ['posts', 'get', ID, '--debug'], {}],
    ['a change', ['posts', 'retry', ID, '--json'], {}],
    ['api', ['api', `/v1/posts/${ID}`], {}],
    ['api with headers', ['api', '-i', `/v1/posts/${ID}`], {}],
    ['api in JSON with headers', ['api', '-i', `/v1/posts/${ID}`, '--json'], {}],
    ['api with a filter', ['api', `/v1/posts/${ID}`, '--jq', '.note'], {}],
    ['a change by api', ['api', 'POST', `/v1/posts/${ID}/retry`, '--input', '-'], { stdin: '{}' }],
    ['accessible mode', ['posts', 'get', ID, '--accessible'], { columns: 80 }],
  ])('in %s', async (_form, words, options) => {
    const { exitCode, stdout, stderr } = await run(words, options);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stdout).toContain('[redacted]');
    expect(stdout).not.toMatch(/canary|T0ken/);
    // Each warning may be broken between words on a narrow terminal.
    const said = stderr.replaceAll(/\n {2}/g, ' ');
    expect(said.split(WARNING)).toHaveLength(2);
  });

  it.each(['481516234210812', '98765432109876543210'])(
    'when it is digits, as a number: %s',
    async (token) => {
      const data = `{"id":"${ID}","status":"partial","metadata":{"n":[${token}]}}`;
      const service = await recordingServer({ status: 200, body: `{"ok":true,"data":${data}}` });
      const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: token };
      for (const more of [
        ['--json'],
        ['-o', 'ndjson'],
        ['--fields', 'metadata'],
        ['--debug', '--jq', '.metadata'],
      ]) {
        const { stdout, stderr } = await testCli().social(['posts', 'get', ID, ...more], { env });
        expect(stdout).toContain('[redacted]');
        expect(stdout + stderr).not.toContain(token.slice(0, 12));
        expect(stderr).toContain(WARNING);
      }
    },
  );

  it.each([
    ['by its code', (echo: string) => echo.replace('T', String.raw`\u0054`)],
    ['as PHP escapes a slash', (echo: string) => echo.replace('/', String.raw`\/`)],
  ])('with an escaped letter in JSON: %s', async (_what, spelled) => {
    const token = 'canary-T0ken/of-the-test';
    const body = `{"ok":true,"data":{"id":"${ID}","note":"${spelled(token)}"}}`;
    const { url } = await recordingServer({ status: 200, body });
    const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: token };
    for (const form of ['json', 'ndjson']) {
      const { stdout, stderr } = await testCli().social(['posts', 'get', ID, '-o', form], { env });
      expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringContaining('[redacted]') });
      expect(stdout).not.toContain('of-the-test');
    }
  });

  it('when it came from a token command', async () => {
    const { url } = await echoing(CANARY);
    const home = freshHome();
    const set = `context set work --base-url ${url} --token-command`.split(' ');
    await socialInProcess([...set, `echo ${CANARY}`], { home });
    const get = ['-C', 'work', 'posts', 'get', ID, '--json'];
    const { stdout, stderr } = await socialInProcess(get, { home });
    expect(stderr).toContain(WARNING);
    expect(JSON.parse(stdout)).toEqual(post('[redacted]'));
  });

  it('and without a token nothing is masked or printed', async () => {
    const { stdout, stderr } = await run(['posts', 'get', ID, '--json'], {}, 'canary');
    expect(stdout).toBe(`${JSON.stringify(post('canary'))}\n`);
    expect(stderr).not.toContain('redacted');
  });
});
