// How the program ends, and what it says, for every kind of answer: a read and a change of each, by the bytes that
// the service sends. How often each is repeated is in laws/repeats.

import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { social } from '../support/program.ts';
import { rawResponse, misbehavingServer } from '../support/misbehaving-server.ts';

const ID = 'PostSpringLaunch';
const json = (text: string, status = '200 OK', headers = {}) => rawResponse(status, headers, text);
const post = (more: string, status?: string) =>
  json(`{"ok":true,"data":{"id":"${ID}","status":"published"${more}}}`, status);

/** Runs a command against a service that answers every request with these bytes; tables do so in this process. */
async function answered(
  bytes: Buffer,
  words: readonly string[],
  run: typeof social | typeof socialInProcess = socialInProcess,
) {
  const service = await misbehavingServer((socket) => void socket.end(bytes));
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary' };
  const { exitCode, stdout, stderr } = await run(words, { env });
  const shown = stderr.replaceAll(service.url.slice(7), 'HOST');
  return {
    exitCode,
    stdout,
    stderr: shown,
    requests: (method: string) => service.requests(method),
  };
}

const get = ['posts', 'get', ID, '--retries', '0'];
const retry = ['posts', 'retry', ID];

describe('an unsuccessful response fails a read and a change', () => {
  it('with another id: fails a read, and is a warning for a change', async () => {
    const bytes = json('{"ok":true,"data":{"id":"PostOtherPostsAA"}}');
    const [read, change] = await Promise.all([
      answered(bytes, get),
      answered(bytes, [...retry, '--json'], social),
    ]);
    expect(read).toMatchObject({ exitCode: 9, stdout: '' });
    expect(read.stderr).toContain(
      'error: the response from HOST is about another post (PostOtherPostsAA)',
    );
    expect(change).toMatchObject({ exitCode: 0, stdout: '{"id":"PostOtherPostsAA"}\n' });
    expect(change.stderr).toContain(
      'warning: the response is about another post (PostOtherPostsAA)',
    );
  });
});

describe('a huge response', () => {
  it('is cut in a table, with a note about the rest, and whole as JSON', async () => {
    const items = Array.from({ length: 5000 }, (_, i) => `{"id":"${i}","status":"x"}`).join(',');
    const bytes = post(`,"targets":[${items}]`);
    const table = await answered(bytes, [...get, '-o', 'table']);
    expect(table.exitCode).toBe(0);
    expect(table.stdout).toContain('… 4000 more, use --json');
    expect(table.stdout.split('\n').length).toBeLessThan(1_100);
    // Every item lacks something: that is one line, or a few.
    expect(table.stderr.length).toBeLessThan(5000);
    const whole = await answered(bytes, [...retry, '--json', '-q']);
    expect(whole.exitCode).toBe(0);
    expect((JSON.parse(whole.stdout) as { targets: unknown[] }).targets).toHaveLength(5000);
    const some = await answered(
      post(`,"targets":[${Array(50).fill('{"id":"1"}').join(',')}]`),
      get,
    );
    expect(some.stderr).toMatch(/\nwarning: the response differs in \d+ more places\n$/);
    const long = await answered(post(`,"title":"${'long '.repeat(100_000)}"`), [
      ...get,
      '-o',
      'table',
    ]);
    expect(long.exitCode).toBe(0);
    expect(long.stdout.length).toBeLessThan(20_000);
  });
});
