// The messages about refusals, and the remarks on texts that are sent.

import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import {
  recordingServer,
  errorResponse,
  successResponse,
  type StubResponse,
} from '../support/recording-server.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli } from '../support/test-cli.ts';

const get = 'posts get PostSpringLaunch';
const retry = 'posts retry PostSpringLaunch';

async function run(line: string, answer: StubResponse | ((number: number) => StubResponse)) {
  const service = await recordingServer(answer);
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
  const outcome = await testCli().social(splitWords(line), { env });
  return { ...outcome, requests: service.requests };
}

describe('a refused request', () => {
  it.each([
    ['connect facebook pages -a AccountFacebookA', ['accountId']],
    [
      'connect reddit flairs -a AccountRedditOne --subreddit selfhosted',
      ['accountId', 'subreddit'],
    ],
    ['discord roles 900000000000000001 -a AccountDiscordAA', ['accountId']],
    ['discord pins add 900000000000000011 900000000000000101 -a AccountDiscordAA', ['accountId']],
  ])('with 400 names an undocumented query name: %s', async (line, names) => {
    const { exitCode, stderr, requests } = await run(line, errorResponse(400));
    expect({ exitCode, requests: requests.length }).toEqual({ exitCode: 6, requests: 1 });
    for (const name of names)
      expect(stderr).toContain(`the query name ${name} is not in the API document; --query`);
  });

  it('with 400 does not blame a documented query name', async () => {
    const { exitCode, stderr } = await run(get, errorResponse(400));
    expect(exitCode).toBe(6);
    expect(stderr).not.toContain('API document');
  });
});

describe('a missing resource', () => {
  it.each([
    [get, 'post PostSpringLaunch'],
    [retry, 'post PostSpringLaunch'],
    ['discord roles 1 -a AccountDiscordAA', 'guild 1'],
    ['discord pins add 1 2 -a AccountDiscordAA', 'message 2'],
    ['accounts mastodon mute 7 -a AccountMastodonA', 'status 7'],
  ])('is named when the service gives no message: %s', async (line, what) => {
    for (const status of [404, 410]) {
      const { exitCode, stdout, stderr } = await run(line, { status });
      expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
      expect(stderr).toMatch(
        new RegExp(
          `^error: HTTP ${status} from [\\d.:]+ without an error object\n  not found: ${what}\n  check the ID: TAB offers those seen here, .*\n$`,
        ),
      );
    }
    expect((await run(line, errorResponse(404))).stderr).toMatch(
      /^error: HTTP 404 nope from [\d.:]+: No\.\n  check the ID: .*\n$/,
    );
  });
});

/** Returns the lines below a refusal with these details. */
const refusedWith = async (details: unknown) => {
  const body = JSON.stringify({ error: { code: 'bad', message: 'Bad.', details } });
  const { exitCode, stderr } = await run(get, { status: 422, body });
  expect(exitCode).toBe(6);
  return stderr.split('\n').slice(1, -1);
};

describe('the details of a refusal', () => {
  it('are one line per field, in whatever shape they arrive', async () => {
    const lines = ['  title: is too long', '  tags.0: is empty'];
    expect(await refusedWith({ title: 'is too long', 'tags.0': 'is empty' })).toEqual(lines);
    expect(
      await refusedWith([
        { field: 'title', message: 'is too long' },
        { field: 'tags.0', message: 'is empty' },
      ]),
    ).toEqual(lines);
    expect(await refusedWith(['is too long', { a: [1] }, 5])).toEqual([
      '  is too long',
      '  {"a":[1]}',
      '  5',
    ]);
    expect(await refusedWith('one text')).toEqual(['  one text']);
    expect(await refusedWith({ limits: { most: 5 } })).toEqual(['  limits: {"most":5}']);
    expect(await refusedWith(null)).toEqual([]);
  });

  it('are twenty at most, each one line without control characters', async () => {
    const many = Array.from({ length: 25 }, (_, i) => [`f${i}`, `a\nforged\u001b[2J\u202e`]);
    const lines = await refusedWith(Object.fromEntries(many));
    expect(lines).toHaveLength(21);
    expect(lines[0]).toBe('  f0: a⏎forged\\u{1b}[2J\\u{202e}');
    expect(lines.at(-1)).toBe('  … 5 more');
  });
});

describe('JSON that is labelled as something else', () => {
  const answer = {
    ...successResponse('{"id":"PostSpringLaunch","targets":[]}'),
    headers: { 'content-type': 'text/html' },
  };

  it('is read, and only --debug says so', async () => {
    const warning = 'warning: the response is JSON, labelled as text/html\n';
    const loud = await run(`${get} --debug`, answer);
    expect(loud.exitCode).toBe(0);
    expect(loud.stderr).toContain(warning);
    expect((await run(get, answer)).stderr).not.toContain(warning);
  });
});
