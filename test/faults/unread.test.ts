// Servers that read no request of this program: they want a client certificate, or speak HTTP/2 alone. Nothing was
// processed, also where the request has left: 9, tried once, and no outcome is unknown.

import * as http2 from 'node:http2';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idList } from '../support/counting-server.ts';
import { CANARY } from '../support/token-leak-check.ts';
import { makeCertificates, type Certificates } from '../support/certificates.ts';
import { socialInProcess } from '../support/in-process.ts';
import { listenOnLoopback } from '../support/listen.ts';
import { freshHome, social } from '../support/program.ts';

let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());

const get = ['posts', 'get', 'PostSpringLaunch'];
const reply = 'posts reply PostSpringLaunch --target TargetAutumnMast --text hi'.split(' ');
const remove = 'ads audiences delete AudienceAbcdefgh -y --confirm AudienceAbcdefgh'.split(' ');

/** A service that reads nothing; `connections` counts those that were opened to it. */
interface Unread {
  readonly url: string;
  connections(): number;
}

async function counted(server: net.Server, scheme: 'http' | 'https'): Promise<Unread> {
  let connections = 0;
  server.on('connection', (socket: net.Socket) => {
    connections++;
    socket.on('error', () => undefined);
  });
  const port = await listenOnLoopback(server);
  return { url: `${scheme}://127.0.0.1:${port}`, connections: () => connections };
}

/** A TLS server that requires a certificate: its HTTP server never gets a request. */
async function certificateServer(version: 'TLSv1.2' | 'TLSv1.3'): Promise<Unread> {
  const served: string[] = [];
  const { key, cert } = certificates.pair('good');
  const options = { key, cert, requestCert: true, rejectUnauthorized: true };
  const server = tls.createServer(
    { ...options, minVersion: version, maxVersion: version, ALPNProtocols: ['http/1.1'] },
    (socket) => void socket.on('data', (bytes) => served.push(bytes.toString())),
  );
  server.on('tlsClientError', () => undefined);
  const unread = await counted(server, 'https');
  expect(served).toEqual([]);
  return unread;
}

const SETTINGS = '000006040000000000000300000064';
const GOAWAY = '0000080700000000000000000000000001';

/** Sends frames of HTTP/2 before it reads, or after the first bytes. */
const framesServer = (frames: string, isFirst: boolean) =>
  counted(
    net.createServer((socket) => {
      const send = () => void socket.write(Buffer.from(frames, 'hex'));
      if (isFirst) send();
      socket.once('data', () => {
        if (!isFirst) send();
        socket.end(Buffer.from(GOAWAY, 'hex'));
      });
    }),
    'http',
  );

const CERTIFICATE = 'the server wants a client certificate, which social cannot send (HOST)';
const HTTP_2 = 'the server speaks only HTTP/2, social only HTTP/1.1 (HOST)';

const secureHttp2 = () => {
  const server = http2.createSecureServer(certificates.pair('good'));
  server.on('tlsClientError', () => undefined).on('sessionError', () => undefined);
  return counted(server, 'https');
};
const plainHttp2 = () =>
  counted(
    http2.createServer().on('sessionError', () => undefined),
    'http',
  );

const servers: readonly (readonly [
  what: string,
  open: () => Promise<Unread>,
  message: string,
  sent: boolean,
])[] = [
  [
    'wants a certificate, and says so in the handshake',
    () => certificateServer('TLSv1.2'),
    CERTIFICATE,
    false,
  ],
  [
    'wants a certificate, and says so after the handshake',
    () => certificateServer('TLSv1.3'),
    CERTIFICATE,
    true,
  ],
  ['refuses the protocol in the handshake', secureHttp2, HTTP_2, false],
  ['speaks HTTP/2 over plain http', plainHttp2, HTTP_2, true],
  ['begins with SETTINGS', () => framesServer(SETTINGS, true), HTTP_2, true],
  ['answers with SETTINGS', () => framesServer(SETTINGS, false), HTTP_2, true],
  ['answers with GOAWAY', () => framesServer('', false), HTTP_2, true],
];

describe.each(servers)('a server that %s', (_what, open, message, sent) => {
  const run = async (
    argv: readonly string[],
    { url }: Unread,
    program: typeof social | typeof socialInProcess = socialInProcess,
  ) => {
    const flags = url.startsWith('https') ? ['--cacert', certificates.ca] : [];
    const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY };
    const setting = { env, home: freshHome(), input: idList(4) };
    const outcome = await program([...argv, ...flags], setting);
    const { exitCode, stdout } = outcome;
    return { exitCode, stdout, stderr: outcome.stderr.replaceAll(new URL(url).host, 'HOST') };
  };

  it.each([
    ['a read', get],
    ['a change', reply],
    ['a DELETE', remove],
  ])('has processed nothing: %s ends with 9 and is not retried', async (_line, argv) => {
    const server = await open();
    const outcome = await run(argv, server, argv === reply ? social : socialInProcess);
    expect(outcome).toMatchObject({ exitCode: 9, stdout: '' });
    expect(outcome.stderr).toContain(`error: ${message}\n  the request was not processed\n`);
    expect(server.connections()).toBe(1);
    const json = await run([...argv, '--json'], server);
    const { error } = JSON.parse(json.stderr) as { error: object };
    expect(error).toMatchObject({
      sent,
      outcome: 'none',
      retryable: false,
      attempts: 1,
      kind: 'no_answer',
    });
  });

  it('has processed nothing of a batch: no outcome is unknown', async () => {
    for (const argv of [
      ['posts', 'retry', '--from', '-'],
      ['posts', 'get', '--from', '-'],
    ]) {
      const server = await open();
      const { exitCode, stderr } = await run([...argv, '--json'], server);
      expect(exitCode).toBe(11);
      const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as { error: object };
      expect(error).toMatchObject({ details: { unknown: 0, failed: 4 } });
      expect(server.connections()).toBe(4);
    }
  });
});

describe('other responses', () => {
  const at = (url: string, argv: readonly string[], ...flags: string[]) =>
    socialInProcess([...argv, '--retries', '0', ...flags], {
      env: { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: CANARY },
    });

  it.each([
    ['frames of another type', '000006000000000000000300000064'],
    ['SETTINGS of a stream', '000006040000000001000300000064'],
    ['text', Buffer.from('HELLO THERE').toString('hex')],
    [
      'SETTINGS in a head of HTTP/1.1',
      `${Buffer.from('HTTP/1.1 200 OK\r\n').toString('hex')}${SETTINGS}`,
    ],
  ])('%s prove nothing: a change stays unknown', async (_what, frames) => {
    const server = await counted(
      net.createServer((socket) => {
        socket.once('data', () => socket.end(Buffer.from(frames, 'hex')));
      }),
      'http',
    );
    expect((await at(server.url, reply)).exitCode).toBe(12);
    // A batch has another client.
    const batch = await socialInProcess(['posts', 'retry', '--from', '-', '--json'], {
      env: { SOCIAL_BASE_URL: server.url, SOCIAL_TOKEN: CANARY },
      input: idList(3),
    });
    expect(batch.exitCode).toBe(12);
    expect(batch.stderr).toContain('"unknown":3');
  });

  it('after an interim response, frames prove nothing', async () => {
    const server = await counted(
      net.createServer((socket) => {
        socket.setNoDelay(true);
        socket.once('data', () => {
          socket.write('HTTP/1.1 103 Early Hints\r\n\r\n');
          setTimeout(() => socket.end(Buffer.from(SETTINGS, 'hex')), 100);
        });
      }),
      'http',
    );
    expect((await at(server.url, reply)).exitCode).toBe(12);
  });
});
