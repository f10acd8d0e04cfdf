// The embedded service as users have it: inside of one command, and as a server of its own.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeliveryRecord } from '../../../src/commands/webhooks/delivery.ts';
import { deliver, deliveryReceiver } from '../../support/delivery-receiver.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { begin, freshHome, noCompileCache, social } from '../../support/program.ts';
import { needsUnix } from '../../support/unix.ts';

const get = ['-C', 'sandbox', 'posts', 'get', 'PostSpringLaunch', '--json'];

/** Every kind of id that a script may ask `samples` for. */
const kinds =
  'postId targetId publishedPostId publishedTargetId accountId blueskyAccountId mastodonAccountId discordAccountId facebookAccountId redditAccountId pinterestAccountId metaadsAccountId conversationId statusId tagId profileId boardId subreddit sessionId code channelId messageId guildId audienceId credentialId'.split(
    ' ',
  );

describe('social -C sandbox', () => {
  it('works on a fresh machine, says that it is a sandbox unless that was typed, and keeps its state private', async () => {
    const home = freshHome();
    const outcome = await social(get, { home, env: noCompileCache });
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    const env = { ...noCompileCache, SOCIAL_CONTEXT: 'sandbox' };
    const { stderr } = await social(get.slice(2), { home, env });
    expect(stderr).toBe('sandbox: this is the embedded service, not a real account\n');
    expect(JSON.parse(outcome.stdout)).toMatchObject({ id: 'PostSpringLaunch' });
    expect(readdirSync(home)).toEqual(['.local']);
  });

  it('is used only when it is named', async () => {
    const home = freshHome();
    const setting = { home, env: noCompileCache };
    expect((await social(['posts', 'get', 'PostSpringLaunch'], setting)).exitCode).toBe(4);
    expect(readdirSync(home)).toEqual([]);
  });

  it('keeps its state between commands', async () => {
    const home = freshHome();
    const gone = ['-C', 'sandbox', 'ads', 'audiences', 'delete', '23850000000000001', '--yes'];
    expect((await social(gone, { home })).exitCode).toBe(0);
    const again = await social(gone, { home });
    expect(again).toMatchObject({ exitCode: 5, stdout: '' });
    expect((await socialInProcess(['sandbox', 'reset'], { home })).exitCode).toBe(0);
    expect((await socialInProcess(gone, { home })).exitCode).toBe(0);
  });

  // Not even root can create a folder in these places.
  it.each(['/dev/null', '/sys'])(
    'names the folder that it cannot create when the home is %s',
    async (home) => {
      const outcome = await social(get, { home });
      expect(outcome).toMatchObject({ exitCode: 13, stdout: '' });
      expect(outcome.stderr).toContain(`${home}/.local/state/social`);
      expect((await social(['--help'], { home })).exitCode).toBe(0);
      const offline = await socialInProcess(['webhooks', 'events', '--json'], { home });
      expect(offline).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );
});

describe('social sandbox serve --json', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'prints one line, serves, and ends by %s, which a shell shows as %i',
    async (signal, exitCode) => {
      const home = freshHome();
      const server = begin(['sandbox', 'serve', '--json'], { home });
      const line = await firstLine(server.stdout);
      const ready = JSON.parse(line) as { url: string; token: string; samples: object };
      expect(Object.keys(ready)).toEqual(['url', 'token', 'samples']);
      expect(ready.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(Object.keys(ready.samples)).toEqual(expect.arrayContaining(kinds));

      for (const [token, status] of [
        [ready.token, 200],
        ['other', 401],
      ] as const) {
        const headers = { authorization: `Bearer ${token}` };
        const asked = { method: 'GET', path: '/v1/posts/PostSpringLaunch', headers };
        expect((await deliver(ready.url, asked)).status).toBe(status);
      }
      const env = { SOCIAL_BASE_URL: ready.url, SOCIAL_TOKEN: ready.token };
      const run = signal === 'SIGINT' ? social : socialInProcess;
      const piped = await run(['posts', 'get', 'PostSpringLaunch', '--json'], { env });
      expect(piped).toMatchObject({ exitCode: 0, stderr: '' });

      server.kill(signal);
      const ended = await server;
      expect(ended).toMatchObject({ signal, stdout: line });
      const [note, report, ...more] = ended.stderr.trimEnd().split('\n');
      expect(note).toBe('sandbox: refused GET /v1/posts/PostSpringLaunch (401 unauthorized)');
      expect(JSON.parse(report!)).toMatchObject({
        error: { message: 'sandbox stopped', exitCode },
      });
      expect(more).toEqual([]);
    },
  );
});

describe('social sandbox serve', () => {
  it('rejects all invalid flags before it opens anything', async () => {
    const home = freshHome();
    const flags = ['--port', '70000', '--chaos', '429=5', '--seed', 'x'];
    const outcome = await social(['sandbox', 'serve', ...flags], { home, env: noCompileCache });
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/--port must be a whole number[^]*\n.*--seed must be a whole/);
    expect(outcome.stderr).toMatch(/--chaos must be comma-separated parts.*got "429=5"/);
    const seed = await socialInProcess(['sandbox', 'serve', '--seed', '7'], { home });
    expect(seed.stderr).toContain('--seed requires --chaos');
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('social sandbox reset and show', () => {
  it('restart in a state and show what is in it, with lists for a batch', async () => {
    const home = freshHome();
    const fresh = await social(['sandbox', 'show', '--json'], { home });
    expect(JSON.parse(fresh.stdout)).toMatchObject({ state: 'demo', posts: { partial: 2 } });
    const fields = ['sandbox', 'show', '--json', '--fields', 'state'];
    expect((await socialInProcess(fields, { home })).stdout).toBe('{"state":"demo"}\n');
    const outage = await social(['sandbox', 'reset', '--state', 'outage'], { home });
    const folder = join(home, '.local', 'state', 'social', 'outage');
    const wrote = ['failed-posts.csv', 'deliveries.ndjson'].map((name) => join(folder, name));
    expect(outage).toMatchObject({
      exitCode: 0,
      stderr: `sandbox: reset to outage\n${wrote.map((path) => `sandbox: wrote ${path}\n`).join('')}`,
    });
    expect(outage.stdout).toMatch(/^state\toutage\n(?:\w+\t.+\n)+$/);
    const unknown = await socialInProcess(['sandbox', 'reset', '--state', 'otage'], { home });
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/--state must be one of: demo, .* got "otage"\n.*outage/s);
    const reply = 'posts reply PostAutumnRecaps --target TargetAutumnMast --text Thanks';
    await socialInProcess(['-C', 'sandbox', ...reply.split(' ')], { home });
    const after = await socialInProcess(['sandbox', 'show', '--json'], { home });
    expect(JSON.parse(after.stdout)).toMatchObject({
      state: 'outage',
      posts: { partial: 82, failed: 163 },
      replies: 1,
      samples: { postId: 'PostSpringLaunch' },
    });
  });

  it.each([
    [[], ''],
    [['--json'], '{"state":"demo",'],
  ])('with --quiet %j print only the requested data', async (form, start) => {
    const reset = ['sandbox', 'reset', '-q', ...form];
    const { stdout, stderr } = await socialInProcess(reset, { home: freshHome() });
    expect({ stderr, stdout: stdout.slice(0, start.length || undefined) }).toEqual({
      stderr: '',
      stdout: start,
    });
  });

  it('writes the lists of an outage, ready for a batch', async () => {
    needsUnix('owners and modes');
    const home = freshHome();
    const folder = join(home, 'lists');
    const reset = ['sandbox', 'reset', '--state', 'outage', '--export', folder, '--json'];
    const outcome = await social(reset, { home });
    const { files } = JSON.parse(outcome.stdout) as { files: string[] };
    expect(files).toEqual(
      ['failed-posts.csv', 'deliveries.ndjson'].map((name) => join(folder, name)),
    );
    const triage = async (file: string, column: string) => {
      const argv = ['-C', 'sandbox', 'posts', 'triage', '--from', file, '--column', column];
      const { stdout } = await socialInProcess([...argv, '--json', '-q'], { home });
      const { posts, groups } = JSON.parse(stdout) as { posts: number; groups: Count[] };
      return [posts, ...groups.map(({ cause, targets }) => [cause, targets])];
    };
    type Count = { cause: string; targets: number };
    const causes = [
      ['temporary', 121],
      ['reconnect', 62],
      ['content', 61],
      ['unsure', 3],
    ];
    expect(await triage(files[0]!, 'post_id')).toEqual([245, ...causes]);
    expect(await triage(files[1]!, 'data.post.id')).toEqual([245, ...causes]);
    expect(statSync(files[0]!).mode & 0o777).toBe(0o600);
    const [line = ''] = readFileSync(files[1]!, 'utf8').split('\n');
    const exported = JSON.parse(line) as DeliveryRecord;
    expect(Object.keys(exported)).toEqual('receivedAt event postId path headers body'.split(' '));
    const receiver = await deliveryReceiver(['--append', 'FILE']);
    await receiver.send({ body: exported.body! });
    const received = JSON.parse(readFileSync(receiver.file, 'utf8')) as DeliveryRecord;
    expect({ ...exported, receivedAt: '', headers: {} }).toEqual({
      ...received,
      receivedAt: '',
      headers: {},
    });
  });

  it.each<readonly [what: string, make: (path: string) => void]>([
    ['is a file', (path: string) => writeFileSync(path, '')],
    [
      'has a folder under the name of a file',
      (path: string) => mkdirSync(join(path, 'deliveries.ndjson'), { recursive: true }),
    ],
    ...['failed-posts.csv', 'deliveries.ndjson'].map(
      (name) =>
        [
          `has ${name} already`,
          (path: string) => {
            mkdirSync(path);
            writeFileSync(join(path, name), 'mine\n');
          },
        ] as const,
    ),
  ])('keeps the state when the folder for the files %s', async (_what, make) => {
    const home = freshHome();
    make(join(home, 'lists'));
    const state = async () =>
      (await socialInProcess(['sandbox', 'show', '--json'], { home })).stdout;
    const before = await state();
    const files = () => readdirSync(home, { recursive: true, encoding: 'utf8' });
    const found = files();
    const reset = ['sandbox', 'reset', '--state', 'outage', '--export', join(home, 'lists')];
    const { exitCode, stdout, stderr } = await socialInProcess(reset, { home });
    expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: '' });
    expect(stderr.startsWith('error: ') && stderr.includes(join(home, 'lists'))).toBe(true);
    expect(await state()).toBe(before);
    expect(files()).toEqual(found);
  });

  it.each([
    [['--export', 'lists'], '--export requires --state outage'],
    [['--state', 'outage', '--export', '-'], '--export must be the name of a folder, got "-"'],
    [['--state', 'outage', '--export', ''], '--export must be the name of a folder, got ""'],
  ])('rejects %j and keeps the state', async (flags, said) => {
    const home = freshHome();
    const { exitCode, stderr } = await socialInProcess(['sandbox', 'reset', ...flags], { home });
    expect({ exitCode, said: stderr.includes(said) }).toEqual({ exitCode: 2, said: true });
    expect(readdirSync(home)).toEqual([]);
  });
});

/** The first line of a stream, with its newline. */
function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end + 1));
    });
    stream.on('end', () => reject(new Error(`no line, only ${JSON.stringify(text)}`)));
  });
}
