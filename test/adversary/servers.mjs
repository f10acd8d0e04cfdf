// Servers that answer byte by byte as they are told, over plain sockets or TLS, and count what came.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tls from 'node:tls';

/** A certificate for this machine by its own authority, made once. */
export const certificate = (() => {
  let made;
  return () => (made ??= makeCertificate());
})();

function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'social-adversary-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  const words = ['req', '-x509', ...curve, '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  const { status } = spawnSync('openssl', [...words, ...names], { stdio: 'ignore' });
  if (status !== 0) throw new Error('openssl made no certificate');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { key: readFileSync(key), cert: readFileSync(cert), path: cert };
}

/**
 * Listens on this machine. `answer(request, socket)` is called for each request that has arrived whole, with method,
 * target, id (the third part of the path), headers, body, and how often this id was asked for with this method.
 */
export async function serve(answer, { secure = false, onConnection } = {}) {
  const open = new Set();
  const counts = new Map();
  let [total, connections] = [0, 0];
  const take = (socket) => {
    connections++;
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    if (onConnection?.(socket) === false) return;
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (;;) {
        const parsed = requestIn(bytes);
        if (parsed === undefined) return;
        bytes = bytes.subarray(parsed.length);
        const name = `${parsed.method} ${parsed.id}`;
        const time = (counts.get(name) ?? 0) + 1;
        counts.set(name, time);
        total++;
        answer({ ...parsed, time }, socket);
      }
    });
  };
  const server = secure ? tls.createServer(certificate(), take) : net.createServer(take);
  server.on('tlsClientError', () => undefined);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return {
    port,
    url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`,
    /** How often a method was asked of an id. */
    times: (method, id) => counts.get(`${method} ${id}`) ?? 0,
    total: () => total,
    connections: () => connections,
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** The first request in some bytes, where it is whole. */
function requestIn(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line, ...rest] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(
    rest.map((each) => [
      each.split(':')[0].toLowerCase(),
      each.slice(each.indexOf(':') + 1).trim(),
    ]),
  );
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  const [method, target = ''] = line.split(' ');
  const id = decodeURIComponent(target.split('?')[0].split('/')[3] ?? '');
  return { method, target, id, headers, body: bytes.toString('utf8', end + 4, length), length };
}

/** A whole answer as bytes. */
export function bytesOf(status, headers, body = '') {
  const payload = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const all = { 'content-type': 'application/json', 'content-length': payload.length, ...headers };
  const head = Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${head}\r\n`, 'latin1'), payload]);
}

export const success = (data) => bytesOf('200 OK', {}, JSON.stringify({ ok: true, data }));

/** A post with one target. */
export const postOf = (id, status, more = {}) => ({
  id,
  organizationId: 'org_1',
  createdBy: 'user_1',
  status,
  mediaItems: [],
  tags: [],
  hashtags: [],
  mentions: [],
  metadata: {},
  crosspostingEnabled: false,
  createdAt: '2026-03-02T11:00:00.000Z',
  updatedAt: '2026-03-02T11:00:00.000Z',
  targets: [
    {
      id: 'TargetAdversaryA',
      postId: id,
      platform: 'mastodon',
      status,
      createdAt: '2026-03-02T11:00:00.000Z',
      updatedAt: `2026-03-02T11:00:0${status === 'failed' ? 0 : 1}.000Z`,
      ...(status === 'failed' ? { error: 'It did not go out.' } : {}),
    },
  ],
  ...more,
});
