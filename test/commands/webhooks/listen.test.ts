// `webhooks listen` against hostile and honest senders, on real sockets and files.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { DeliveryRecord } from '../../../src/commands/webhooks/delivery.ts';
import { deliveryReceiver } from '../../support/delivery-receiver.ts';
import { listenOnLoopback } from '../../support/listen.ts';
import { recordingServer } from '../../support/recording-server.ts';
import { NOON, testCli } from '../../support/test-cli.ts';

const POST_ID = 'PostFlashSaleNow';
const FAILED = JSON.stringify({
  id: 'DeliveryAaaaaaaa',
  event: 'post.failed',
  createdAt: '2026-03-02T11:59:00.000Z',
  data: { post: { id: POST_ID, status: 'failed' } },
});

const recordsIn = (file: string): DeliveryRecord[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as DeliveryRecord);

/** Returns the body, byte for byte. */
const bytesOf = ({ body, bodyBase64 }: DeliveryRecord): Buffer =>
  body === undefined ? Buffer.from(bodyBase64!, 'base64') : Buffer.from(body);

const SECOND_ID = 'PostSpringLaunch';
const NO_ID = 'AccountMastodonA';
const compressed = (encoding: string, body: Uint8Array) => ({
  headers: { 'content-encoding': encoding },
  body,
});
const json = (value: unknown) => ({ body: JSON.stringify(value) });
const failed = (id: string) => ({ event: 'post.failed', data: { post: { id } } });

describe('a delivery', () => {
  it('is in the private file, whole and once, when it is acknowledged', async () => {
    const { send, file, stop } = await deliveryReceiver(['--append', 'FILE']);
    const headers = {
      authorization: 'Bearer canary-token-1',
      cookie: 'session=canary-cookie-2',
      'x-team': 'canary-header-33',
      'x-signature': 'canary-signature-44',
      'x-note': 'plain',
      'content-type': 'application/json',
    };
    const path = '/hook/canary-path-77?key=canary-query-55&page=2&canary-bare-88';
    expect(await send({ path, headers, body: FAILED })).toMatchObject({ status: 200, body: '' });
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      receivedAt: new Date(NOON).toISOString(),
      event: 'post.failed',
      postId: POST_ID,
      path: '/hook/[redacted]?key=[redacted]&page=2&[redacted]',
      headers: {
        authorization: '[redacted]',
        cookie: '[redacted]',
        'x-team': '[redacted]',
        'x-signature': 'canary-signature-44',
        'x-note': 'plain',
        'content-type': 'application/json',
      },
      body: FAILED,
    });
    expect(JSON.parse(text)).not.toHaveProperty('data');
    expect(text.match(/canary-(?!signature)/g)).toBe(null);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { exitCode, stdout, stderr } = await stop();
    expect(exitCode).toBe(130);
    expect(stdout).toBe(`${new Date(NOON).toISOString()}\tpost.failed\t${POST_ID}\t-\t200\t1\n`);
    expect(stderr).toMatch(/^webhooks: listening on http:\/\/127\.0\.0\.1:\d+ until Ctrl-C\n/);
    expect(stderr).toMatch(/\nstopped: 1 delivery received\n$/);
  });

  it('is stored once, in at most twice its size, and the file remains a list', async () => {
    const { send, file, folder } = await deliveryReceiver(['--append', 'FILE']);
    const size = 1024 * 1024;
    const long = '\u0001'.repeat(170_000);
    const bodies = [
      Buffer.alloc(size, 1),
      Buffer.alloc(size, 0xff),
      Buffer.alloc(size, '"'),
      Buffer.from(JSON.stringify({ event: long })),
      Buffer.from(JSON.stringify({ event: 'account.disconnected', data: { text: long } })),
      Buffer.from(FAILED),
    ];
    for (const body of bodies) {
      const before = statSync(file).size;
      expect((await send({ body })).status).toBe(200);
      expect(statSync(file).size - before).toBeLessThanOrEqual(2 * body.length + 400);
    }
    const stored = recordsIn(file).map(bytesOf);
    expect(stored.map((bytes, i) => bytes.equals(bodies[i]!))).toEqual(bodies.map(() => true));
    const { social } = testCli(folder);
    const line = ['posts', 'get', '--from', file, '--column', 'data.post.id', '-C', 'sandbox'];
    const get = await social([...line, '--skip-missing', '--json', '--fields', 'id']);
    expect(get.exitCode).toBe(0);
    expect(JSON.parse(get.stdout)).toMatchObject({ line: 6, ok: true, data: { id: POST_ID } });
    expect(get.stderr).toContain('5 ');
    const without = await social(line);
    expect(without).toMatchObject({ exitCode: 2, stdout: '' });
    for (const lines of ['lines 1, 2', 'line 3', 'line 4'])
      expect(without.stderr).toContain(`\n  ${lines}: has no "data.post.id" (`);
    expect(without.stderr).toContain('line 5: has no "data.post.id" (fields: event, data.text,');
  });

  it.each([
    ['not JSON', '{"event":', { body: '{"event":' }],
    ['not UTF-8', Buffer.from([0xff, 0, 1]), { bodyBase64: '/wAB' }],
    ['nothing', '', { body: '' }],
    ['a NUL', '"\0 or two"', { body: '"\0 or two"' }],
    ['a list', '[1]', { body: '[1]' }],
    ['without data', '{"type":"x","post_id":"P"}', { event: 'x', postId: 'P' }],
    ['of exact numbers', '{"data":9007199254740993}', { body: '{"data":9007199254740993}' }],
    [
      'with odd keys',
      '{"data":{"__proto__":{"post":1},"constructor":2}}',
      { body: '{"data":{"__proto__":{"post":1},"constructor":2}}' },
    ],
    ['with odd types', '{"event":{"a":1},"data":{"post":{"id":7}}}', { path: '/' }],
    ['deep', '['.repeat(100_000), { body: '['.repeat(100_000) }],
  ])('that is %s is accepted', async (_what, body, expected) => {
    const { send, file } = await deliveryReceiver(['--append', 'FILE']);
    expect((await send({ body })).status).toBe(200);
    const [record] = recordsIn(file);
    expect(record).toMatchObject(expected);
    expect(record).toMatchObject({ receivedAt: new Date(NOON).toISOString(), path: '/' });
    expect(bytesOf(record!)).toEqual(Buffer.from(body));
    expect({}).not.toHaveProperty('post');
    expect(readFileSync(file, 'utf8').includes('9007199254740992')).toBe(false);
  });

  const ofOne = {
    gzip: compressed('gzip', zlib.gzipSync(FAILED)),
    'gzip in capitals, with a mark': compressed('X-GZIP', zlib.gzipSync(`\ufeff${FAILED}`)),
    'gzip without a header': { body: zlib.gzipSync(FAILED) },
    'gzip that a tunnel has opened': compressed('gzip', Buffer.from(FAILED)),
    deflate: compressed('deflate', zlib.deflateSync(FAILED)),
    'bare deflate': compressed('deflate', zlib.deflateRawSync(FAILED)),
    br: compressed('br', zlib.brotliCompressSync(FAILED)),
    'two encodings': compressed('gzip, br', zlib.brotliCompressSync(zlib.gzipSync(FAILED))),
    'a long text': json({ ...failed(POST_ID), text: 'é\n'.repeat(30_000) }),
    'data.id': json({ event: 'post.failed', data: { id: POST_ID } }),
    'data.id and the ID of the event': json({
      id: NO_ID,
      type: 'post.failed',
      data: { id: POST_ID },
    }),
    post_id: json({ type: 'post.failed', post_id: POST_ID }),
    'payload.id': json({ event: 'post.failed', payload: { id: POST_ID } }),
    'data.post.id': json(failed(POST_ID)),
    'post.id': json({ event: 'post.failed', post: { id: POST_ID } }),
    'data.postId': json({ event: 'post.failed', data: { postId: POST_ID, id: NO_ID } }),
    'data.object.id': json({ type: 'POST_FAILED', data: { object: { id: POST_ID } } }),
    'a kind': json({ event: 'postFailed', data: { type: 'post', id: POST_ID } }),
    'a header': { headers: { 'x-event': 'post.failed' }, ...json({ id: POST_ID }) },
    'a header and data': {
      headers: { 'x-event': 'post.failed' },
      ...json({ id: NO_ID, data: { id: POST_ID } }),
    },
  };
  const both = [failed(POST_ID), failed(SECOND_ID)];
  const ofTwo = {
    'a list of events': json(both),
    'a list with another event': json([
      both[0],
      { event: 'account.connected', data: { id: NO_ID } },
      both[1],
    ]),
    'a list that is compressed': { body: zlib.gzipSync(JSON.stringify(both)) },
    'a list below a key': json({ type: 'batch', events: both }),
    'a list of posts': json({ event: 'post.failed', data: [{ id: POST_ID }, { id: SECOND_ID }] }),
    'a list of lines': { body: both.map((one) => JSON.stringify(one)).join('\n') },
  };
  const read = 'posts get --skip-missing --fields id -C sandbox --from'.split(' ');

  it.each([
    ...Object.entries(ofOne).map(([what, sent]) => [what, sent, [POST_ID]] as const),
    ...Object.entries(ofTwo).map(([what, sent]) => [what, sent, [POST_ID, SECOND_ID]] as const),
  ])('names its posts, in its line and in a list: %s', async (_what, sent, ids) => {
    const { send, file, folder, stop } = await deliveryReceiver(['--append', 'FILE']);
    expect((await send(sent)).status).toBe(200);
    expect((await stop()).stdout.split('\t')[2]).toBe(ids.join(', '));
    const [record] = recordsIn(file);
    expect(bytesOf(record!)).toEqual(Buffer.from(sent.body));
    // A list reads the body where the line names no post, as those of earlier versions do.
    const older = join(folder, 'older.ndjson');
    writeFileSync(older, JSON.stringify({ ...record, postId: undefined }));
    const { social } = testCli(folder);
    for (const words of [[file], [older], [file, '--column', 'postId']]) {
      const get = await social([...read, ...words]);
      expect(get).toMatchObject({ exitCode: 0 });
      const shown = get.stdout.match(/\w+$/gm)!;
      expect(shown.toSorted((one, other) => (one < other ? -1 : 1))).toEqual([...ids]);
    }
  });

  it.each([
    ['another event', json({ event: 'account.connected', data: { id: NO_ID } })],
    ['a similar word', json({ event: 'postal.failed', data: { id: NO_ID } })],
    ['a comment', json({ event: 'post.comment.created', data: { id: NO_ID } })],
    ['the event itself', json({ event: 'post.failed', id: NO_ID })],
    ['another kind', json({ event: 'post.failed', data: { type: 'image', id: NO_ID } })],
    ['a part', json({ event: 'post.failed', data: { target: { id: NO_ID } } })],
    ['no event', json({ data: { id: NO_ID } })],
    ['another form', json({ event: 'post.failed', data: { id: 'P1' } })],
  ])('does not take the ID of %s for a post', async (_what, sent) => {
    const { send, file } = await deliveryReceiver(['--append', 'FILE']);
    expect((await send(sent)).status).toBe(200);
    expect(recordsIn(file)[0]).toMatchObject(sent);
    expect(recordsIn(file)[0]).not.toHaveProperty('postId');
  });

  it.each<readonly [what: string, sent: ReturnType<typeof compressed>, unreadable: string]>([
    [
      '10 MiB',
      compressed('gzip', zlib.gzipSync(Buffer.alloc(10 * 1024 * 1024 + 1, ' '))),
      'more than 10 MiB when decompressed',
    ],
    ...['{},', '[],', '0,', '1\n'].map(
      (value) =>
        [
          `200,000 times ${JSON.stringify(value)}`,
          compressed('gzip', zlib.gzipSync(`[${value.repeat(200_000)}0]`)),
          'more than 200,000 values',
        ] as const,
    ),
    [
      '200,000 values, not compressed',
      compressed('identity', Buffer.from(`[${'0,'.repeat(200_000)}0]`)),
      'more than 200,000 values',
    ],
    ['many layers', compressed('gzip, gzip, gzip, gzip', Buffer.from('x')), 'compressed 4 times'],
    ['an end', compressed('br', zlib.brotliCompressSync(FAILED).subarray(0, 40)), 'no complete br'],
    ['a known encoding', compressed('constructor', Buffer.from('x')), 'unknown content-encoding'],
  ])('is stored whole and called unreadable past %s', async (_what, sent, unreadable) => {
    const { send, file, folder, stop } = await deliveryReceiver(['--append', 'FILE'], {
      columns: 120,
    });
    expect((await send(sent)).status).toBe(200);
    expect((await stop()).stdout).toContain(`unreadable: ${unreadable}`);
    const [record] = recordsIn(file);
    expect(record).toMatchObject({ unreadable });
    expect(bytesOf(record!)).toEqual(sent.body);
    const get = await testCli(folder).social(['posts', 'get', '--from', file, '-C', 'sandbox']);
    expect(get).toMatchObject({ exitCode: 2 });
    expect(get.stderr).toContain(`has an unreadable body: ${unreadable}`);
  });

  it('of very many posts has a short line, and all of them in a list', async () => {
    const { send, file, folder } = await deliveryReceiver(['--append', 'FILE']);
    const letters = (n: number) =>
      String(n).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!);
    const ids = Array.from({ length: 5_000 }, (_, n) => `Post${letters(n).padStart(12, 'z')}`);
    const body = zlib.gzipSync(JSON.stringify(ids.map(failed)));
    expect((await send({ body })).status).toBe(200);
    expect(recordsIn(file)[0]!.postId).toEqual(ids.slice(0, 1_000));
    const env = { SOCIAL_TOKEN: 'canary-token-1', SOCIAL_BASE_URL: 'http://127.0.0.1:9' };
    const line = ['posts', 'retry', '--from', file, '--dry-run'];
    const { stdout, exitCode } = await testCli(folder).social(line, { env });
    expect(exitCode).toBe(0);
    expect([...stdout.matchAll(/posts\/(\w+)\/retry/g)].map(([, id]) => id)).toEqual(ids);
  });

  it('may have any Host, repeated headers and chunks, and wait for a 100', async () => {
    const { url, send, file } = await deliveryReceiver(['--append', 'FILE']);
    const headers = ['host', 'abc.tunnel.example', 'x-a', '1', 'X-A', '2', '__proto__', 'x'];
    expect((await send({ headers, body: FAILED })).status).toBe(200);
    const status = await new Promise((resolve, reject) => {
      const request = http.request(url, { method: 'POST', headers: { expect: '100-continue' } });
      request.on('response', (response) => resolve(response.statusCode)).on('error', reject);
      request.on('continue', () => {
        request.write(FAILED.slice(0, 20));
        request.end(FAILED.slice(20));
      });
      request.flushHeaders();
    });
    expect(status).toBe(200);
    const [first, second] = recordsIn(file);
    expect(first!.headers).toMatchObject({ host: 'abc.tunnel.example', 'x-a': ['1', '2'] });
    expect(Object.entries(first!.headers)).toContainEqual(['__proto__', 'x']);
    expect(second).toMatchObject({ event: 'post.failed', body: FAILED });
  });

  it('is one line without control characters', async () => {
    const { send, stop } = await deliveryReceiver([], { columns: 80, env: { NO_COLOR: '1' } });
    const event = 'x\u001b]0;title\u0007\u202e\nnext';
    await send({ body: JSON.stringify({ event, postId: `P\u001b[2J${'y'.repeat(500)}` }) });
    await send({ headers: { 'x-webhook-event': 'post.published' }, body: 'x' });
    const { stdout } = await stop();
    expect(stdout).not.toMatch(/[\0-\x08\x0b-\x1f\x7f\u202e]/);
    const [first, second, end] = stdout.split('\n');
    expect(first).toMatch(/^\d\d:\d\d:\d\d {2}x\\u\{1b\}\]0;title\\u\{7\}\\u\{202e\}⏎next/);
    expect(first!.length).toBeLessThan(160);
    expect(second).toMatch(/^\d\d:\d\d:\d\d {2}post\.published +- {2}answered 200 {2}#2$/);
    expect(end).toBe('');
  });

  it('that is not JSON is shown by its type and size, and with its answer', async () => {
    const bodies = [
      { headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'twelve bytes' },
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1' },
      { body: Buffer.from([0xff]) },
      { headers: { 'content-type': 'application/json' }, body: '{"n":1}' },
    ];
    const shown = [
      'text/plain, 12 bytes',
      'application/x-www-form-urlencoded, 3 bytes',
      'no type, 1 byte',
      'application/json, 7 bytes',
    ];
    const piped = await deliveryReceiver([]);
    const terminal = await deliveryReceiver([], { columns: 80 });
    for (const { send } of [piped, terminal]) for (const body of bodies) await send(body);
    const lines = (await piped.stop()).stdout.split('\n').slice(0, -1);
    expect(lines.map((line) => line.split('\t').slice(1).join('|'))).toEqual(
      shown.map((words, i) => `-|-|${words}|200|${i + 1}`),
    );
    const seen = (await terminal.stop()).stdout.split('\n').slice(0, -1);
    expect(seen.map((line) => line.slice('hh:mm:ss  '.length))).toEqual(
      shown.map((words, i) => `${words.padEnd(20)}  -  answered 200  #${i + 1}`),
    );
  });

  it('is one object with --json, after the address', async () => {
    const { url, send, stop } = await deliveryReceiver(['--json']);
    await send({ body: FAILED });
    const { stdout, stderr } = await stop();
    const [first, second, ...rest] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(first).toEqual({ url });
    expect(second).toMatchObject({
      event: 'post.failed',
      postId: POST_ID,
      body: FAILED,
    });
    expect(rest).toEqual([]);
    const error = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as { error: object };
    expect(error.error).toMatchObject({ exitCode: 130, details: { received: 1, refused: 0 } });
  });

  it('goes through --jq and --fields', async () => {
    const filtered = await deliveryReceiver(['--jq', '.postId']);
    await filtered.send({ body: FAILED });
    expect((await filtered.stop()).stdout).toBe(`${POST_ID}\n`);
    // Many at once, as after an outage: each has its own line.
    const crowded = await deliveryReceiver(['--jq', '.body | fromjson | .data.n']);
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    const sent = numbers.map((n) => crowded.send({ body: JSON.stringify({ data: { n } }) }));
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(numbers.map(() => 200));
    const lines = (await crowded.stop()).stdout.trimEnd().split('\n');
    expect(lines.map(Number).toSorted((a, b) => a - b)).toEqual(numbers);
    const picked = await deliveryReceiver(['--fields', 'postId,event']);
    await picked.send({ body: FAILED });
    expect((await picked.stop()).stdout).toBe(`${POST_ID}\tpost.failed\n`);
  });
});

describe('a request that is not a delivery', () => {
  it('is rejected and counted, and nothing of it is stored', async () => {
    const { send, file, stop } = await deliveryReceiver(['--append', 'FILE']);
    const got = await send({ method: 'GET', path: '/a?token=canary-66' });
    expect(got).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])
      expect((await send({ method })).status).toBe(405);
    // A page in a browser cannot omit these headers.
    const form = { 'content-type': 'text/plain' };
    expect((await send({ headers: { ...form, origin: 'https://evil.example' } })).status).toBe(403);
    expect((await send({ headers: { ...form, origin: 'null' } })).status).toBe(403);
    expect((await send({ headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    const body = Buffer.alloc(1_048_577, 'a');
    expect((await send({ headers: { 'content-length': String(body.length) }, body })).status).toBe(
      413,
    );
    expect((await send({ headers: { 'x-long': 'a'.repeat(20_000) } })).status).toBe(431);
    expect(readFileSync(file, 'utf8')).toBe('');
    const { stderr, stdout } = await stop();
    expect(stdout).toBe('');
    expect(stderr).toContain('webhooks: refused GET /a (405 method_not_allowed)\n');
    expect(stderr).not.toContain('canary');
    expect(stderr).toMatch(/stopped: 0 deliveries received, 10 refused\n$/);
  });

  it('such as half a request or noise disturbs no other', async () => {
    const { url, send, stop } = await deliveryReceiver(['--append', 'FILE']);
    const port = Number(new URL(url).port);
    const half = connect(port, '127.0.0.1', () =>
      half.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\nhalf'),
    );
    const noise = connect(port, '127.0.0.1', () =>
      noise.write('\u0016\u0003\u0001 no http\r\n\r\n'),
    );
    const said = new Promise((resolve) => noise.once('data', (bytes) => resolve(String(bytes))));
    expect(await said).toMatch(/^HTTP\/1\.1 400 /);
    expect((await send({ body: 'x' })).status).toBe(200);
    // The half one is not waited for.
    expect((await stop()).exitCode).toBe(130);
    half.destroy();
    noise.destroy();
  });
});

describe('--forward-to', () => {
  it('passes the bytes on, and adds nothing of this tool', async () => {
    const target = await recordingServer({ status: 204 });
    const token = 'canary-token-forwarded';
    const line = ['--forward-to', `${target.url}/in?a=b`, '--append', 'FILE'];
    const { send, stop } = await deliveryReceiver(line, { env: { SOCIAL_TOKEN: token } });
    const body = `{"a":"é\u0000", "b" : 1}\n`;
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-encoding': 'identity',
      'x-signature': 'abc',
      authorization: 'Bearer of-the-endpoint',
      te: 'trailers',
      connection: 'close',
      'proxy-authorization': 'Basic x',
      expect: '100-continue',
    };
    expect((await send({ headers, body })).status).toBe(200);
    const { stderr } = await stop();
    expect(stderr).toContain('\nwebhooks: #1 a delivery: forwarded, answered HTTP 204 in 0 ms\n');
    expect(stderr).toMatch(/stopped: 1 delivery received\n$/);
    const [request, second] = target.requests;
    expect(second).toBe(undefined);
    expect(request).toMatchObject({ method: 'POST', target: '/in?a=b', body });
    expect(request!.headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'content-encoding': 'identity',
      'x-signature': 'abc',
      authorization: 'Bearer of-the-endpoint',
      host: new URL(target.url).host,
      connection: 'close',
      'content-length': String(Buffer.byteLength(body)),
    });
  });

  it('reports each failed delivery in one line, and delays no response', async () => {
    const held: http.ServerResponse[] = [];
    let isReleased = false;
    const answer = (response: http.ServerResponse) => response.writeHead(500).end();
    const hanging = http.createServer((_request, response) =>
      isReleased ? answer(response) : held.push(response),
    );
    const port = await listenOnLoopback(hanging);
    const line = ['--forward-to', `http://127.0.0.1:${port}/?key=canary-77`, '--append', 'FILE'];
    const { send, file, folder, stop } = await deliveryReceiver(line);
    const sent = Array.from({ length: 12 }, async () => send({ body: FAILED }));
    expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(recordsIn(file)).toHaveLength(12);
    isReleased = true;
    held.forEach(answer);
    const { stderr } = await stop();
    const failure = `post.failed ${POST_ID}: forwarded, answered HTTP 500 in 0 ms\n`;
    expect(stderr.split(failure)).toHaveLength(13);
    expect(stderr).toContain(`webhooks: #12 ${failure}`);
    expect(stderr).toMatch(/stopped: 12 deliveries received\n$/);
    expect(readdirSync(folder).filter((name) => name.startsWith('deliveries'))).toEqual([
      'deliveries.ndjson',
    ]);
  });

  it('reports no success with --quiet', async () => {
    const target = await recordingServer({ status: 204 });
    const { send, stop } = await deliveryReceiver(['--forward-to', target.url, '--quiet']);
    await send({ body: FAILED });
    const { stderr } = await stop();
    expect(target.requests).toHaveLength(1);
    expect(stderr).not.toContain('forwarded');
  });

  it('reports a redirect as a failure, and does not follow it', async () => {
    const target = await recordingServer({ status: 302, headers: { location: '/other' } });
    const { send, stop } = await deliveryReceiver(['--forward-to', target.url]);
    await send({ body: 'no\u001b[2J JSON' });
    expect((await stop()).stderr).toContain(
      'webhooks: #1 a delivery: forwarded, answered HTTP 302 in 0 ms\n',
    );
    expect(target.requests).toHaveLength(1);
  });

  it('aborts a silent target on stop', async () => {
    const port = await listenOnLoopback(http.createServer());
    const { send, stop } = await deliveryReceiver(['--forward-to', `http://127.0.0.1:${port}`]);
    await send({ body: FAILED });
    const { exitCode, stderr } = await stop();
    expect(exitCode).toBe(130);
    expect(stderr).toContain(`${POST_ID}: forwarded, not answered: stopped before a response came`);
  });
});

describe('the command line of listen', () => {
  it('has all its faults reported at once, and nothing listens', async () => {
    const { social, folder } = testCli();
    const line = ['webhooks', 'listen', '--port', '70000', '--append', join(folder, 'x')];
    const flags = ['--forward-to', 'http://user:canary@example.com'];
    const { exitCode, stderr } = await social([...line, ...flags]);
    expect(exitCode).toBe(2);
    for (const field of ['--port', '--forward-to']) expect(stderr).toContain(`\n  ${field} `);
    expect(stderr).not.toContain('canary');
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it.each([
    ['--append -', '--append must be the name of a file'],
    ['--forward-to http://example.com', '--forward-to must be https://'],
  ])('%s is rejected', async (words, said) => {
    const { social } = testCli();
    const { exitCode, stderr } = await social(['webhooks', 'listen', ...words.split(' ')]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error: ${said}`);
  });

  it('cannot name a port in use, its own receiver, or what is not a file', async () => {
    const { url, folder } = await deliveryReceiver([]);
    const { social } = testCli(folder);
    const { port } = new URL(url);
    expect(await social(['webhooks', 'listen', '--port', port])).toMatchObject({
      exitCode: 13,
      stderr: [
        `error: port ${port} is in use`,
        '  choose another port, or 0 for any free port',
        '',
      ].join('\n'),
    });
    const file = await social(['webhooks', 'listen', '--append', folder]);
    expect(file).toMatchObject({ exitCode: 13 });
    expect(file.stderr).toContain('is not a regular file');
    const missing = await social(['webhooks', 'listen', '--append', join(folder, 'no/such')]);
    expect(missing).toMatchObject({ exitCode: 13 });
    const free = await listenOnce();
    const loop = ['--port', String(free), '--forward-to', `http://localhost:${free}/x`];
    const looped = await social(['webhooks', 'listen', ...loop]);
    expect(looped.exitCode).toBe(2);
    expect(looped.stderr).toContain('--forward-to is the address of this receiver');
  });
});

/** A port that was free a moment ago. */
async function listenOnce(): Promise<number> {
  const server = http.createServer();
  const port = await listenOnLoopback(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
