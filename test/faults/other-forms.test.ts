// Errors that do not have the form of the API document, on their way to people, scripts, batches and agents; the forms
// are in base/error-forms. The first is the built program's.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { targetPost, targets } from '../support/posts.ts';
import { social } from '../support/program.ts';
import {
  recordingServer,
  type StubResponse,
  successResponse,
} from '../support/recording-server.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const [A, B] = ['PostForTheTestsA', 'PostForTheTestsB'];
const get = ['posts', 'get', A, '--retries', '0'];
const env = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token-for-tests' });

interface ErrorObject {
  readonly error: Readonly<Record<string, unknown>>;
}

const errors = { text: ['is too long', 'is odd'], tags: ['are missing'] };
const invalid: StubResponse = {
  status: 422,
  body: JSON.stringify({ message: 'The caption is not valid.', code: 'caption_invalid', errors }),
};
const challenge: StubResponse = {
  status: 403,
  headers: { 'content-type': 'text/html', 'cf-mitigated': 'challenge' },
  body: '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>secret words',
};

describe('an error of another form', () => {
  it('has its message, its code and a line for each field', async () => {
    const { url } = await recordingServer(invalid);
    const text = await social(get, { env: env(url) });
    expect(text).toMatchObject({ exitCode: 6, stdout: '' });
    expect(text.stderr).toBe(
      `error: HTTP 422 caption_invalid from ${url.slice(7)}: The caption is not valid.\n` +
        '  text: is too long\n  text: is odd\n  tags: are missing\n',
    );
    const { stderr } = await socialInProcess([...get, '--json'], { env: env(url) });
    expect((JSON.parse(stderr) as ErrorObject).error).toMatchObject({
      code: 'caption_invalid',
      message: 'The caption is not valid.',
      details: errors,
      kind: 'refused',
    });
  });

  it('has its cause in a batch, and all its parts in the record', async () => {
    const { url } = await recordingServer(invalid);
    const { stdout, stderr } = await socialInProcess(['posts', 'get', A, B, '--json'], {
      env: env(url),
    });
    expect(JSON.parse(stdout.split('\n')[0]!)).toMatchObject({
      cause: 'content',
      error: { code: 'caption_invalid', message: 'The caption is not valid.', details: errors },
    });
    expect(stderr).toContain('2 failed: 2 content');
  });

  it.each<readonly [name: string, answer: StubResponse, words: string]>([
    [
      'plain text in Latin-1',
      { headers: { 'content-type': 'text/plain; charset=iso-8859-1' }, body: latin1('zu groß') },
      ': zu groß',
    ],
    ['JSON in Latin-1', { body: latin1('{"message":"zu groß"}') }, ': zu groß'],
    ['a page in Latin-1', { body: latin1('<title>zu groß</title>') }, 'a page of a gateway'],
    [
      'gzip that was not asked for',
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"message":"x"}') },
      ' without an error object',
    ],
  ])('in %s refuses a change as its status says', async (_name, answer, words) => {
    const { url, requests } = await recordingServer({ ...answer, status: 422 });
    const line = [
      'ads',
      'audiences',
      'delete',
      'AudienceSpringAa',
      '--confirm',
      'AudienceSpringAa',
    ];
    const { exitCode, stderr } = await socialInProcess(line, { env: env(url) });
    expect({ exitCode, sent: requests.length }).toEqual({ exitCode: 6, sent: 1 });
    expect(stderr).toMatch(/^error: HTTP 422 from /);
    expect(stderr).toContain(words);
  });

  it('cannot control a terminal, and is cut', async () => {
    const message = `a\u001b[2J\u202e\n::error::forged ${'word '.repeat(1000)}`;
    for (const body of [JSON.stringify({ message }), message]) {
      const { url } = await recordingServer({ status: 400, body });
      const { stderr } = await socialInProcess(get, { env: env(url) });
      expect(stderr).toMatch(/^error: HTTP 400 from [\d.:]+: a\\u\{1b\}\[2J\\u\{202e\} ::error::/);
      expect(stderr.split('\n')).toHaveLength(2);
      expect(stderr.length).toBeLessThan(300);
    }
  });
});

describe('a page of a gateway', () => {
  it('is called one, with its title alone, and says nothing of a token', async () => {
    const { url } = await recordingServer(challenge);
    const text = await socialInProcess(get, { env: env(url) });
    expect(text).toMatchObject({ exitCode: 4, stdout: '' });
    expect(text.stderr).toBe(
      `error: HTTP 403 from ${url.slice(7)}: a page of a gateway, not of the service: "Just a moment..."\n` +
        '  probably a firewall, a proxy, a login page, or the wrong --base-url\n',
    );
    const batch = await socialInProcess(['posts', 'get', A, B], { env: env(url) });
    expect(batch.stderr).toContain('2 failed: 2 other\n');
    expect(batch.stderr).toContain('2 × HTTP 403: a page of a gateway');
    expect(batch.stderr).not.toMatch(/token|permission/);
  });

  it('has no control character, and no part of a secret', async () => {
    const token = env('').SOCIAL_TOKEN;
    for (let before = 60; before < 200; before += 7) {
      const title = `${'\u0001a'.repeat(before / 2)}${token}`;
      const { url } = await recordingServer({ ...challenge, body: `<title>${title}</title>` });
      const { stderr } = await socialInProcess(get, { env: env(url) });
      expect(stderr).not.toMatch(/a-tok|\u0001/);
    }
  });
});

it('a login is not believed because a router answers 404 with a code', async () => {
  const { url } = await recordingServer({
    status: 404,
    body: '{"code":"NO_ROUTE","message":"No."}',
  });
  const line = ['-C', 'prod', '--base-url', url, 'auth', 'login'];
  const { exitCode, stderr } = await socialInProcess(line, { input: 'a-token-for-tests' });
  expect(exitCode).not.toBe(0);
  expect(stderr).not.toContain('Logged in');
});

describe('an accepted change without data', () => {
  it('is waited for, from the first poll', async () => {
    let sent = 0;
    const { url, requests } = await recordingServer((_number, { method }) => {
      if (method === 'POST') return { status: 202, body: String(sent++ || '') };
      const state = sent === 0 ? 'failed' : 'published';
      return successResponse(JSON.stringify(targetPost([targets.mastodon(state)])));
    });
    const line = ['posts', 'retry', A, '--wait', '--interval', '100ms', '--json'];
    const { exitCode, stdout } = await socialInProcess(line, { env: env(url) });
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: 1 });
    expect(JSON.parse(stdout)).toMatchObject({ targets: [{ status: 'published' }] });
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
  });
});
