// Hostile text on its way to a terminal, a log and a pipe: it changes no line but its own, and links nowhere. And an
// output that does not fit.

import { describe, expect, it } from 'vitest';
import { CANARY } from '../support/token-leak-check.ts';
import { socialInProcess } from '../support/in-process.ts';
import { shell } from '../support/program.ts';
import {
  recordingServer,
  errorResponse,
  successResponse,
  type StubResponse,
} from '../support/recording-server.ts';
import { atTerminal } from '../support/terminal.ts';
import { testCli } from '../support/test-cli.ts';
import { needsUnix } from '../support/unix.ts';

const get = ['posts', 'get', 'PostSpringLaunch'];
const envAt = (url: string) => ({ SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY });
const evil =
  '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007\r\n> POST /forged\nerror: forged\u009b31m\u202e';
const inJson = JSON.stringify(evil).slice(1, -1);

describe('text of the service', () => {
  it('forges no line of an error, of --debug or of a batch', async () => {
    const { body } = errorResponse(400, inJson, evil);
    const service = await recordingServer({ status: 400, body: body!, headers: { 'x-note': 'a' } });
    for (const flags of [[], ['--debug'], ['PostAutumnRecaps']]) {
      const env = envAt(service.url);
      const { exitCode, stderr } = await socialInProcess([...get, ...flags], { env });
      expect([6, 11]).toContain(exitCode);
      expect(stderr).toContain('forged');
      for (const line of stderr.split('\n')) expect(line).not.toMatch(/^(?:> POST|error: forged)/);
      expect(stderr).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    }
  });

  it('runs no command in the log of a GitHub workflow', async () => {
    const message = 'x ##[stop-commands]y';
    const details = { '::add-mask::a': '##[add-mask]b', list: ['::error::c'] };
    const body = JSON.stringify({ ok: false, error: { code: '::debug::d', message, details } });
    const service = await recordingServer({ status: 422, body });
    const env = { ...envAt(service.url), GITHUB_ACTIONS: 'true' };
    const [text, json] = await Promise.all([
      socialInProcess(get, { env }),
      socialInProcess([...get, '--json'], { env }),
    ]);
    for (const { stderr } of [text, json]) {
      // The runner reads workflow commands like this.
      const taken = stderr.split('\n').filter((line) => /^\s*::[^:]*::|##\[.*\]/.test(line));
      expect(taken).toEqual([]);
    }
    expect(text.stderr).toContain(String.raw`\u003a:add-mask::a: #\u0023[add-mask]b`);
    expect(JSON.parse(json.stderr.trimEnd().split('\n').at(-1)!)).toMatchObject({
      error: { message, details },
    });
  });
});

/**
 * Sequences that a terminal obeys: titles, links, the clipboard, cursor, device strings, a reset, C1, bidi, tags, stray
 * joiners.
 */
const orders = [
  '\u001b]0;title\u0007',
  '\u001b]8;;https://evil.example\u001b\\',
  '\u001b]52;c;ZXZpbA==\u0007',
  '\u001b[2J\u001b[1A\u001b[31m\u001b[8m',
  '\u001bP$q"p\u001b\\',
  '\u001bc',
  '\u009b2J\u009d0;t\u009c\u0090q\u0085',
  '\r\b\v\f\0\u007f',
  '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c',
  '\u{e0041}\u{e0001}\u2028\u2029\ufeff',
  '\u200b\u2060\u00ad\u034f\u180e\u3164\u{e0100}',
  '\ud800',
].join('');

/** The sequences of the tool itself: colours, and the one that erases its own line. */
const OWN = /\u001b\[(?:[012]|22|39|3[0-7])m|\r\u001b\[2K/g;
const ACTS =
  /\u034f|[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/u;

/** Returns the text from outside that could act on a terminal, or an empty text. */
function acting(said: string): string {
  const plain = said.replaceAll(OWN, '').replaceAll('\r\n', '\n');
  const at = plain.search(ACTS);
  return at < 0 ? '' : JSON.stringify(plain.slice(Math.max(0, at - 40), at + 40));
}

// A key with a dot has no column of its own.
const order = orders.replaceAll('.', '');
const hostileKeys = {
  [`a${order}`]: 1,
  [`list${order}`]: [{ [`b${order}`]: orders, [`in${order}`]: { [order]: orders } }],
};
const error = (status: number) => ({
  status,
  body: JSON.stringify({
    ok: false,
    error: {
      code: `code${orders}`,
      message: `message${orders}`,
      details: { [`key${orders}`]: orders, list: [{ field: `f${orders}`, message: orders }] },
    },
  }),
});
const everywhere = successResponse(
  JSON.stringify({
    id: `id${orders}`,
    title: `title${orders}`,
    status: `status${orders}`,
    scheduledFor: `at${orders}`,
    targets: [
      {
        id: `target${orders}`,
        platform: `platform${orders}`,
        status: 'failed',
        error: `error${orders}`,
        nativeUrl: `https://evil.example/${orders}`,
        updatedAt: `then${orders}`,
        [`key${orders}`]: orders,
      },
    ],
  }),
);
const api = ['api', 'GET', '/v1/anything'];

describe('keys, labels, statuses and names of the service, like its values,', () => {
  const data = (value: unknown) => successResponse(JSON.stringify(value));
  const lines: readonly (readonly [string, readonly string[], StubResponse])[] = [
    ['keys as JSON', [...api, '--json'], data(hostileKeys)],
    ['a key through jq', [...api, '--jq', 'keys[0]'], data({ [order.toWellFormed()]: 1 })],
    ['an error', api, error(400)],
    ['an error as JSON', [...api, '--json'], error(400)],
    ['an error that is traced', [...api, '--debug'], error(404)],
    ['a post', get, everywhere],
    ['a post, and what the document does not list', [...get, '--debug'], everywhere],
    ['a post as TSV', [...get, '-o', 'tsv'], everywhere],
    ['a batch', [...get, 'PostAutumnRecaps'], everywhere],
    ['a batch that failed', [...get, 'PostAutumnRecaps'], error(400)],
    ['a wait', ['posts', 'wait', 'PostSpringLaunch'], everywhere],
    [
      'a redirect and a header',
      [...get, '--debug'],
      { status: 302, headers: { location: '/\u009b2J\u0085x', 'x-note': '\u009d0;t\u009c' } },
    ],
    [
      'a type',
      [...get, '--debug'],
      { body: 'no JSON', headers: { 'content-type': 'text/\u009b2J\u0090' } },
    ],
  ];

  /** At a terminal of the system; the others think that they write to one. */
  const realTerminal = ['a key through jq', 'a wait'];
  const drawnInProcess = async (argv: readonly string[], env: Record<string, string>) => {
    const { exitCode, stdout, stderr } = await testCli().social(argv, { env, columns: 100 });
    return { exitCode, said: stdout + stderr };
  };

  it.each(lines)(
    'have no control characters for a terminal or a pipe: %s',
    async (what, argv, answer) => {
      const service = await recordingServer(answer);
      const env = { ...envAt(service.url), COLORTERM: 'truecolor' };
      const piped = await socialInProcess(argv, { env });
      // CI turns the progress line off, however long the response takes.
      const calm = { ...env, CI: '1' };
      const coloured = [...argv, '--color', 'always'];
      const terminal = realTerminal.includes(what)
        ? await atTerminal(coloured, { env: calm, cols: 100 }).ended()
        : await drawnInProcess(coloured, calm);
      expect(piped.exitCode).toBe(terminal.exitCode);
      expect(service.requests.length).toBeGreaterThan(1);
      // The output of jq in a pipe is for a program, and is unchanged.
      expect(argv.includes('--jq') ? '' : acting(piped.stdout)).toBe('');
      expect(acting(piped.stderr)).toBe('');
      expect(acting(terminal.said)).toBe('');
      // The characters are shown all the same, by their numbers.
      const all = piped.stdout + piped.stderr + terminal.said;
      expect(all).toMatch(/\\u\{(?:1b|7|9b|202e)\}|\\u(?:001b|0007|202e)/i);
    },
  );
});

describe('a very long error of the service', () => {
  const message = `🎉${'m'.repeat(300_000)}`;
  const refused = (details: unknown) => ({
    status: 422,
    body: JSON.stringify({ ok: false, error: { code: 'too_long', message, details } }),
  });

  it('is cut to 200 characters, and to 4,000 in JSON', async () => {
    const service = await recordingServer(refused(null));
    const env = envAt(service.url);
    const text = await socialInProcess(get, { env });
    expect(text.exitCode).toBe(6);
    expect(text.stderr).toMatch(/^error: HTTP 422 too_long from \S+: 🎉m+… \(\d+ characters\)\n$/u);
    expect(text.stderr.length).toBeLessThan(300);
    const json = await socialInProcess([...get, '--json'], { env });
    const { error: told } = JSON.parse(json.stderr) as { error: { message: string } };
    expect(told.message).toMatch(/^🎉m+… \(300002 characters\)$/u);
    expect(told.message.length).toBeLessThanOrEqual(4000);
    const batch = await socialInProcess([...get, 'PostAutumnRecaps'], { env });
    expect(batch.exitCode).toBe(11);
    for (const line of batch.stderr.split('\n')) expect(line.length).toBeLessThan(600);
  });
});

describe('output onto a full disk', () => {
  it.each([
    '--version',
    'posts get --help',
    '-q posts get PostSpringLaunch --concurrency 2 --json',
  ])('ends with 13, whether nothing of it fits or a part: %s', async (line) => {
    needsUnix('tracing, namespaces and limits');
    const service = await recordingServer(
      successResponse('{"id":"PostSpringLaunch","targets":[{"id":"T"}]}'),
    );
    const env = envAt(service.url);
    const [full, ...cut] = await Promise.all(
      [
        `social ${line} > /dev/full`,
        // No byte, and five, less than any of them: ulimit counts in blocks, prlimit in bytes.
        `(ulimit -f 0; social ${line} >> "$HOME/none")`,
        `prlimit --fsize=5 --pid $BASHPID; social ${line} > "$HOME/some"`,
      ].map((script) => shell(script, { env })),
    );
    const why = 'cannot write output: ';
    expect(full).toMatchObject({ exitCode: 13, stdout: '' });
    expect(full!.stderr).toContain(`${why}disk full`);
    for (const outcome of cut) {
      expect(outcome.exitCode).toBe(13);
      expect(outcome.stderr).toContain(`${why}the file would pass the size limit`);
    }
  });
});
