// Batches of the built program against real sockets and files: what is checked before, how fast it goes, how it stops.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  countingServer,
  failedPostsServer,
  idList,
  idOf,
  post,
  refused,
  retriesAt,
} from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, shell, social } from '../support/program.ts';
import { needsUnix } from '../support/unix.ts';

const get = ['posts', 'get', '--from'];
const retry = ['posts', 'retry', '--from'];

interface Line {
  line: number;
  input: { postId: string };
  ok: boolean;
  exitCode: number;
  data?: { status: string };
  error?: { code: string; outcome: string };
}

/** A place to run in: a home with files, and a service. */
function setup(url: string) {
  const home = freshHome();
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'canary' };
  const file = (name: string, text: string | Uint8Array) => {
    const path = join(home, name);
    writeFileSync(path, text);
    return path;
  };
  const run = (argv: readonly string[], input = '') => social(argv, { home, env, input });
  /** Runs a line in this process, for the rows of a table. */
  const check = (argv: readonly string[], input = '') =>
    socialInProcess(argv, { home, env, input });
  return { home, env, file, run, check };
}

const linesOf = (stdout: string): Line[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)!;

describe('records', () => {
  const messy = `\ufeff# what failed\r\n${idOf(1)}\r\n\r\n  \n${idOf(2)}\r\n${idOf(1)}\r\n#${idOf(9)}\n${idOf(3)}`;

  it.each([
    ['a file', false],
    ['standard input', true],
  ])(
    'with a BOM, CRLF, blank lines, comments and duplicates are read from %s',
    async (_, piped) => {
      const service = await countingServer();
      const { file, run, check } = setup(service.url);
      const from = piped ? '-' : file('ids.txt', messy);
      const outcome = await (piped ? run : check)([...get, from, '--json'], piped ? messy : '');
      expect(outcome.exitCode).toBe(0);
      expect([...service.counts]).toEqual([1, 2, 3].map((n) => [`GET ${idOf(n)}`, 1]));
      expect(
        linesOf(outcome.stdout)
          .map(({ line }) => line)
          .toSorted((a, b) => a - b),
      ).toEqual([2, 5, 8]);
      expect(outcome.stderr).toContain('1 duplicate record ignored\n');
      expect(outcome.stderr).toContain('3 of 3 read\n');
    },
  );
});

describe('the exit code of a batch', () => {
  it('is 11 when some items were refused, each with its own code', async () => {
    needsUnix('owners and modes');
    const service = await countingServer((id) => {
      if (id === idOf(3)) return { status: 404, body: refused('post_not_found', 'No such post.') };
      if (id === idOf(5)) return { status: 422, body: refused('invalid_media', 'Video too long.') };
      return id === idOf(7) ? { status: 502, body: '<h1>no</h1>' } : {};
    });
    const { home, file, run, check } = setup(service.url);
    const failed = join(home, 'failed.ndjson');
    const argv = [...retry, file('ids', idList(100)), '--json', '--failures-to', failed];
    const outcome = await run(argv);
    expect(outcome.exitCode).toBe(11);
    const lines = linesOf(outcome.stdout);
    expect(
      lines
        .filter(({ ok }) => !ok)
        .map(({ line, exitCode }) => [line, exitCode] as const)
        .toSorted(([a], [b]) => a - b),
    ).toEqual([
      [4, 5],
      [6, 6],
      [8, 12],
    ]);
    expect(JSON.parse(lastLine(outcome.stderr))).toMatchObject({
      error: {
        message: '97 of 100 accepted, 2 failed: 1 content, 1 not found; 1 unknown',
        sent: true,
        outcome: 'unknown',
        exitCode: 11,
        details: {
          causes: [
            { cause: 'content', count: 1 },
            { cause: 'request', count: 1 },
            { cause: 'unknown', count: 1 },
          ],
        },
      },
    });
    expect(statSync(failed).mode & 0o777).toBe(0o600);
    const again = await check([...retry, failed, '--dry-run', '--json']);
    expect(again.stdout.match(/Postal\w+/g)!.toSorted()).toEqual([idOf(3), idOf(5)]);
  });

  it('is 12 when the worst outcome is unknown, which is not sent again', async () => {
    const service = await countingServer((id) => (id === idOf(1) ? { cut: true } : {}));
    const { file, check } = setup(service.url);
    const outcome = await check([...retry, file('ids', idList(5))]);
    expect(outcome.exitCode).toBe(12);
    expect(outcome.stderr).toContain('4 of 5 accepted, 1 unknown');
    expect(outcome.stderr).toContain('  The request may have been applied. It was not retried.\n');
    expect(service.counts.get(`POST ${idOf(1)}`)).toBe(1);
    const three = await countingServer(() => ({ cut: true }));
    const scene = setup(three.url);
    const { exitCode, stderr } = await scene.check([...retry, scene.file('ids', idList(3))]);
    expect(exitCode).toBe(12);
    expect(stderr).toContain('  3 requests may have been applied. They were not retried.\n');
  });

  it('comes early when the service is down', async () => {
    const service = await countingServer(() => ({ status: 503, body: 'down' }));
    const { file, check } = setup(service.url);
    const outcome = await check([...get, file('ids', idList(1000))]);
    expect(outcome.exitCode).toBe(11);
    expect(outcome.stderr).toContain('stopped: service unavailable');
    expect(service.total()).toBeLessThan(150);
    expect(outcome.stderr).toMatch(/[,;] 9\d\d not started\n/);
  });

  it('comes at once when the token is rejected', async () => {
    const service = await countingServer(() => ({
      status: 401,
      body: refused('unauthorized', 'No.'),
    }));
    const { file, check } = setup(service.url);
    const outcome = await check([...get, file('ids', idList(1000)), '--concurrency', '4']);
    expect(outcome.exitCode).toBe(4);
    expect(service.total()).toBeLessThanOrEqual(4);
    // A rejected record counts as not started.
    expect(outcome.stderr).toContain('error: 0 of 1000 read, 1000 not started\n');
    expect(outcome.stderr).toContain('stopped: the service would reject all other requests too\n');
    expect(outcome.stderr).toContain('the service rejected the token (source: SOCIAL_TOKEN)\n');
    const { host } = new URL(service.url);
    expect(outcome.stderr).toContain(`last: HTTP 401 unauthorized from ${host}: No.\n`);
  });

  it('comes after --max-failures; requests in progress finish', async () => {
    const service = await countingServer((id) =>
      id < idOf(20)
        ? { after: 30 }
        : { status: 422, body: refused('invalid_media', 'No.'), after: 20 },
    );
    const { file, check } = setup(service.url);
    const line = [...retry, file('ids', idList(200)), '--max-failures', '3', '--json'];
    const outcome = await check(line);
    expect(outcome.exitCode).toBe(11);
    const lines = linesOf(outcome.stdout);
    expect(lines).toHaveLength(service.total());
    const failed = lines.filter(({ ok }) => !ok).length;
    expect(failed).toBeGreaterThanOrEqual(3);
    expect(failed).toBeLessThan(11);
    expect(service.total()).toBeLessThan(40);
  });

  it('follows one safe line per item, however the service writes its text', async () => {
    const target = '"targets":[],"n":9007199254740991,"x":1.50,"data":{"id":"inner"}';
    const envelopes: readonly ((data: string) => string)[] = [
      (data) => `{"ok":true,"data":${data}}`,
      (data) => `{"ok":true,"data":{"id":"other"},"data":${data}}`,
      (data) => `{"data":${data},"ok":true}`,
      (data) => `\ufeff{"ok":true,"data":${data.replace('inner', 'é\u009b\u202e\x7f\u2028')}}`,
      (data) => `{"ok":true,"data":${data.replace('inner', 'a\x7f\u009b')}}`,
      (data) => `{"ok":true,"data":${data.replace('inner', '\\u001b[31m\\u202e')}}`,
    ];
    const service = await countingServer((id) => {
      const n = [...Array(envelopes.length).keys()].find((each) => idOf(each) === id)!;
      return { body: envelopes[n]!(`{"id":"${id}",${target}}`) };
    });
    const { file, check } = setup(service.url);
    const line = [...get, file('ids', idList(envelopes.length)), '--json', '-q'];
    const { exitCode, stdout } = await check(line);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^[\n -~é]*$/);
    const lines = linesOf(stdout).toSorted((a, b) => a.line - b.line);
    expect(lines).toHaveLength(envelopes.length);
    const texts = stdout.trimEnd().split('\n');
    for (const text of texts) expect(text).toContain('"n":9007199254740991,');
    const inner = lines.map(({ data }) => (data as unknown as { data: { id: string } }).data.id);
    const usual = Array.from({ length: 3 }, () => 'inner');
    expect(inner).toEqual([...usual, 'é\u009b\u202e\x7f\u2028', 'a\x7f\u009b', '\u001b[31m\u202e']);
    for (const { data, input } of lines)
      expect(data).toMatchObject({ id: input.postId, x: 1.5, targets: [] });
    const picked = await check([...line, '--fields', 'id,targets']);
    for (const { data, input } of linesOf(picked.stdout))
      expect(data).toEqual({ id: input.postId, targets: [] });
  });

  it('comes when the pipe is closed, and a read then succeeds', async () => {
    needsUnix('devices and no /proc');
    const service = await countingServer(() => ({ after: 2 }));
    const { env, file } = setup(service.url);
    const ids = file('ids', idList(3000));
    const outcome = await shell(
      `social posts get --from ${ids} --json -q | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`,
      { env },
    );
    expect(outcome.stdout).toBe('0\n');
    expect(outcome.stderr).toBe('');
    expect(service.total()).toBeLessThan(2500);
  });

  it('waits for the changes in progress when the pipe is closed: each is in the journal', async () => {
    needsUnix('devices and no /proc');
    const service = await failedPostsServer(() => ({ after: 5 }));
    const { env, file, home } = setup(service.url);
    const line = `--from ${file('ids', idList(400))} --journal ${join(home, 'journal')} --json -q`;
    const outcome = await shell(
      `social posts retry ${line} | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`,
      { env, home },
    );
    expect(outcome.stdout).toBe('13\n');
    const retries = [...retriesAt(service).values()];
    expect(retries.length).toBeLessThan(400);
    expect(new Set(retries)).toEqual(new Set([1]));
    const journal = readFileSync(join(home, 'journal'), 'utf8');
    expect(journal.match(/"sent":/g)).toHaveLength(retries.length);
    expect(journal.match(/"as":"accepted"/g)).toHaveLength(retries.length);
    expect(journal.match(/"done":/g)).toHaveLength(retries.length);
  });

  it('of a missing confirmation has a line that can be typed, when the list has no lasting name', async () => {
    needsUnix('<(…)');
    const list = '<(echo AudienceOne)';
    const outcome = await shell(`social -C sandbox ads audiences delete --from ${list}`);
    expect(outcome.exitCode).toBe(2);
    expect(outcome.stderr).toContain(
      'try: social -C sandbox ads audiences delete --from - --yes\n',
    );
  });
});

describe('the request rate', () => {
  it('ends with 7 when the service asks for a wait of days', async () => {
    const service = await countingServer(() => ({
      status: 429,
      headers: { 'retry-after': '864000' },
      body: refused('slow_down', 'Wait.'),
    }));
    const { file, check } = setup(service.url);
    const outcome = await check([...get, file('ids', idList(100))]);
    expect(outcome.exitCode).toBe(7);
    expect(outcome.stderr).toContain('stopped: the service asks to wait 10d');
    expect(service.total()).toBeLessThanOrEqual(8);
  });
});

it('TSV rows of several posts start with the post ID, and those of one post do not', async () => {
  const service = await countingServer((id) => ({ body: post(id) }));
  const { file, check } = setup(service.url);
  const ids = file('ids', idList(2));
  const listed = await check(['posts', 'get', '--from', ids, '--concurrency', '1']);
  expect(listed.stdout).toMatch(new RegExp(`^${idOf(0)}\tlinkedin.*\n${idOf(1)}\tlinkedin.*\n$`));
  const typed = await check(['posts', 'get', idOf(0), idOf(1)]);
  expect(typed.stdout).toBe(listed.stdout);
  expect((await check(['posts', 'get', idOf(0)])).stdout).toMatch(/^linkedin\tpublished/);
});

describe('- as an output file', () => {
  it.each([
    ['--failures-to', 'file', ['posts', 'retry', 'PostSpringLaunch', '--failures-to', '-']],
    ['--journal', 'file', ['posts', 'retry', 'PostSpringLaunch', '--journal=-']],
    ['--save', 'folder', ['posts', 'triage', 'PostSpringLaunch', '--save', '-']],
    ['--append', 'file', ['webhooks', 'listen', '--append', '-']],
    ['--export', 'folder', ['sandbox', 'reset', '--state', 'outage', '--export', '-']],
  ])(
    'is rejected for %s, with all other faults, and nothing is created or sent',
    async (flag, kind, argv) => {
      const service = await countingServer();
      const { check } = setup(service.url);
      const outcome = await check([...argv, '--timeout', '5']);
      expect(outcome.exitCode).toBe(2);
      expect(outcome.stderr).toContain(`${flag} must be the name of a ${kind}, got "-"`);
      expect(outcome.stderr).toContain(`for a ${kind} called -, write ./-`);
      expect(outcome.stderr).toContain('--timeout needs a whole number above 0 and a unit');
      expect(existsSync('-')).toBe(false);
      expect(service.total()).toBe(0);
    },
  );

  it('is covered above for every flag that writes a file', async () => {
    const { stdout } = await socialInProcess(['__tree']);
    const flags = JSON.stringify(JSON.parse(stdout)).match(
      // --forward-to is a URL.
      /"--(?!forward)[a-z-]+(?:-to|-out|-append)"|"--(?:journal|append|save|export)"/g,
    );
    expect([...new Set(flags)].toSorted()).toEqual([
      '"--append"',
      '"--export"',
      '"--failures-to"',
      '"--journal"',
      '"--save"',
    ]);
  });
});
