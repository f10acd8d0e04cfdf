// Every operation, typed as a user types it, against a server that records the requests: the request is the documented
// one, the `data` of the response is printed unchanged, and a dry run sends nothing. That curl sends the same request
// by the line of --curl is in properties/curl.test.ts.

import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/base/json.ts';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { rawCell } from '../../src/output/cell.ts';
import { valueAt } from '../../src/output/table-view.ts';
import { version } from '../../src/base/version.ts';
import {
  recordingServer,
  successResponse,
  type RecordedRequest,
} from '../support/recording-server.ts';
import { social as program } from '../support/program.ts';
import { commandLines, commandVariants, type CommandLine } from '../support/command-lines.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli, type RunOptions } from '../support/test-cli.ts';

const TOKEN = 'test-token-0123456789';
const all = [...commandLines, ...commandVariants];

const at = (url: string, scene: RunOptions = {}): RunOptions => ({
  ...scene,
  env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: TOKEN },
});

const withInput = ({ stdin }: CommandLine): RunOptions => (stdin === undefined ? {} : { stdin });

/** A request of the API document, without the headers that the transport adds. */
const expected = ({ method, target, body }: CommandLine) => ({
  'cache-control': method === 'GET' ? 'no-cache' : undefined,
  method,
  target,
  body,
  accept: 'application/json',
  // Once: a header that came twice would have two values.
  'accept-encoding': 'identity',
  'content-type': body === undefined ? undefined : 'application/json',
  authorization: `Bearer ${TOKEN}`,
  'user-agent': `social/${version}`,
});

const seen = ({ method, target, headers, body }: RecordedRequest) => ({
  'cache-control': headers['cache-control'],
  method,
  target,
  body: body === '' ? undefined : (JSON.parse(body) as unknown),
  accept: headers['accept'],
  'accept-encoding': headers['accept-encoding'],
  'content-type': headers['content-type'],
  authorization: headers['authorization'],
  'user-agent': headers['user-agent'],
});

describe('sends exactly the documented request', () => {
  it.each(all)('$line', async (typed) => {
    const service = await recordingServer();
    const { exitCode } = await testCli().social(
      splitWords(typed.line),
      at(service.url, withInput(typed)),
    );
    expect(service.requests.map(seen)).toStrictEqual([expected(typed)]);
    expect(exitCode).toBe(0);
  });

  it('with {} to the byte for a bare retry, and no body where none is declared', async () => {
    const service = await recordingServer();
    const { social } = testCli();
    await social(splitWords('posts retry PostSpringLaunch'), at(service.url));
    await social(splitWords('credentials disable CredentialSystem --yes'), at(service.url));
    expect(service.requests.map(({ body }) => body)).toEqual(['{}', '']);
  });

  it('with the secret and headers of a webhook, which were never on the command line', async () => {
    const service = await recordingServer();
    const outcome = await testCli().social(
      splitWords(
        "webhooks create --url https://ops.example --event post.failed --secret-file - --header 'X-Team: a: b' --header X-Empty:",
      ),
      at(service.url, { stdin: 'correct horse\n' }),
    );
    expect(outcome.exitCode).toBe(0);
    expect(JSON.parse(service.requests[0]!.body)).toEqual({
      url: 'https://ops.example',
      events: ['post.failed'],
      name: 'ops.example',
      secret: 'correct horse',
      customHeaders: { 'X-Team': 'a: b', 'X-Empty': '' },
    });
  });
});

/** Numbers and keys that JSON can carry, and a double or an object cannot. */
const data =
  '{"unknown":{"deep":[{"n":9007199254740993,"huge":1e400,"tiny":-1.5e-400,"long":0.12345678901234567890}]},"__proto__":{"admin":true},"plain":[1,-2.5,true,null,"é 🎉 \\"\\\\\\n"],"empty":{},"none":[]}';
const indented = `{
  "unknown": {
    "deep": [
      {
        "n": 9007199254740993,
        "huge": 1e400,
        "tiny": -1.5e-400,
        "long": 0.12345678901234567890
      }
    ]
  },
  "__proto__": {
    "admin": true
  },
  "plain": [
    1,
    -2.5,
    true,
    null,
    "é 🎉 \\"\\\\\\n"
  ],
  "empty": {},
  "none": []
}
`;

describe('--json prints the data of the response unchanged', () => {
  it.each(commandLines)('$line', async ({ line }) => {
    const service = await recordingServer(successResponse(data));
    const argv = [...splitWords(line), '--json'];
    const { social } = testCli();
    const piped = await social(argv, at(service.url));
    expect(piped.stdout).toBe(`${data}\n`);
    expect(piped.exitCode).toBe(0);
    // At a terminal a repeated change needs a yes.
    const shown = await social(['--yes', ...argv], at(service.url, { columns: 80 }));
    expect(shown.stdout).toBe(indented);
  });
});

describe('the digits of a number', () => {
  const exact = '{"size":9007199254740993,"width":1.10,"height":1e3}';
  const rounded = '{"size":9007199254740992,"width":1.1,"height":1000}';
  const sent = `{"id":"PostSpringLaunch","targets":[],"mediaItems":[${exact}]}`;
  const onLines = sent.replaceAll(/[[{,]/g, '$&\n    ');
  const get = ['posts', 'get', 'PostSpringLaunch', '-q'];
  const other = ['api', 'GET', '/v1/others', '-q'];

  it.each([
    ['--json', [...get, '--json'], sent, exact],
    ['--json, sent on many lines', [...get, '--json'], onLines, exact],
    ['--json of a list', [...get, 'PostAutumnRecaps', '--json'], sent, exact],
    ['api', other, sent, exact],
    ['api, sent on many lines', other, onLines, exact],
    ['--fields', [...get, '--json', '--fields', 'mediaItems'], sent, rounded],
    ['--fields in TSV', [...get, '--fields', 'mediaItems'], sent, rounded],
    ['--fields in a table', [...get, '--fields', 'mediaItems', '-o', 'table'], sent, rounded],
    ['-o ndjson', [...other, '-o', 'ndjson'], sent, rounded],
    ['api --whole', [...other, '--whole'], sent, rounded],
    ['api --include', [...other, '--include'], sent, rounded],
    ['a sum of jq', [...get, '--jq', '.mediaItems[0] | map_values(. + 0)'], sent, rounded],
  ])('in %s are as the guide says', async (_what, argv, text, shown) => {
    const service = await recordingServer(successResponse(text));
    const { stdout } = await testCli().social(argv, at(service.url));
    expect(stdout.replaceAll(/(?<=[:,]) /g, '')).toContain(shown);
  });

  it('are kept by the built program', async () => {
    const service = await recordingServer(successResponse(onLines));
    const outcome = await program([...get, '--json'], {
      env: { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: TOKEN },
    });
    expect(outcome.stdout).toBe(`${sent}\n`);
  });
});

/** Returns a field as TSV shows it: values of headers are secrets, so only their names are shown. */
function asShown(item: unknown, path: string): unknown {
  const sent = valueAt(item, path);
  if (path !== 'customHeaders' || !isObject(sent)) return sent;
  return Object.fromEntries(Object.keys(sent).map((name) => [name, '[redacted]']));
}

describe('output to a pipe is tab-separated by default', () => {
  it.each(commandLines)('$line', async ({ line }) => {
    const json = await sandboxed([...splitWords(line), '--json']);
    const service = await recordingServer(successResponse(json.stdout.trim()));
    const tsv = await testCli().social(splitWords(line), at(service.url));
    const rows = tsv.stdout.split('\n').slice(0, -1);
    const value = JSON.parse(json.stdout) as Record<string, unknown>;
    const list = ['targets', 'channels', 'sharedAccounts', 'pages', 'flairs', 'roles'].find((key) =>
      Array.isArray(value[key]),
    );
    const items = list === undefined ? [value] : (value[list] as unknown[]);
    // There is no heading: each row is an item.
    expect(rows).toHaveLength(items.length);
    expect(tsv.stdout.endsWith('\n')).toBe(true);
    // Each field of the table has its place, also if it is empty, so that `cut -f2` is always the same field.
    const words = splitWords(line);
    const { operation } = (await everyOperation()).find(({ operation: { command } }) =>
      words.join(' ').startsWith(command.replace('{action}', '')),
    )!;
    const { header, columns } = operation;
    const paths = list === undefined ? [...header, ...columns] : columns;
    expect(rows.map((row) => row.split('\t'))).toEqual(
      items.map((item) => paths.map((path) => rawCell(asShown(item, path)))),
    );
  });

  it('with empty cells for missing fields', async () => {
    const service = await recordingServer(
      successResponse('{"id":"PostSpringLaunch","targets":[{"platform":"linkedin"},{}]}'),
    );
    const { stdout } = await testCli().social(
      splitWords('posts get PostSpringLaunch -q'),
      at(service.url),
    );
    expect(stdout).toBe('linkedin\t-\t-\t-\t-\t-\t-\n-\t-\t-\t-\t-\t-\t-\n');
  });
});

async function sandboxed(argv: string[]) {
  const outcome = await testCli().social(argv, { env: { SOCIAL_CONTEXT: 'sandbox' } });
  expect(outcome.exitCode).toBe(0);
  return outcome;
}

describe('a dry run needs no token and opens no connection', () => {
  it.each(all)('$line', async (typed) => {
    const service = await recordingServer();
    const { social } = testCli();
    const scene = { ...withInput(typed), env: { SOCIAL_BASE_URL: service.url } };
    const argv = flagged(typed.line, '--dry-run');
    const outcome = await social(argv, scene);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain(`${typed.method} ${service.url}${typed.target}\n`);
    expect(outcome.stdout).toContain('authorization: Bearer $SOCIAL_TOKEN\n');
    const value = await social(flagged(typed.line, '--dry-run', '--json'), scene);
    const { headers, ...request } = JSON.parse(value.stdout) as { headers: object };
    expect(request).toEqual({
      method: typed.method,
      url: service.url + typed.target,
      ...(typed.body === undefined ? {} : { body: typed.body }),
    });
    expect(Object.keys(headers)).toContain('authorization');
    expect(service.connections()).toBe(0);
  });

  it('also without any settings', async () => {
    const outcome = await testCli().social(splitWords('posts retry PostSpringLaunch -n'));
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    expect(outcome.stdout).toContain(
      'POST https://SOCIAL_BASE_URL/v1/posts/PostSpringLaunch/retry',
    );
  });

  it('masks the secrets of a webhook', async () => {
    const outcome = await testCli().social(
      splitWords(
        "webhooks create --url https://ops.example --event post.failed --secret-file - --header 'X-Team: tr0ub4dor' -n",
      ),
      { stdin: 'correct horse\n' },
    );
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain('"X-Team"');
    expect(outcome.stdout + outcome.stderr).not.toMatch(/correct horse|tr0ub4dor/);
  });
});

/** Returns the words of a line with flags added before any `--`. */
function flagged(line: string, ...flags: string[]): string[] {
  const words = splitWords(line);
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.toSpliced(end, 0, ...flags);
}
