// The ways in which an answer can go wrong, each with what is to be expected of it: `good` is one to be taken, `bad`
// tells nothing of what was done, `refused` says no.

import { randomFrom } from './random.mjs';
import { bytesOf, postOf } from './servers.mjs';

/** What a service would say, with a marker that tells it from every other answer. */
function whole({ id, method }, marker, status = '200 OK', headers = {}) {
  const data =
    method === 'GET' || marker.startsWith('post')
      ? postOf(id, 'published', { content: marker })
      : { ...postOf(id, 'published'), content: marker };
  return bytesOf(status, headers, JSON.stringify({ ok: true, data }));
}

const refusal = (status, code = 'nope') =>
  bytesOf(status, {}, JSON.stringify({ ok: true, error: { code, message: 'No.', details: null } }));

/** Sends bytes in pieces, some milliseconds apart. */
function inPieces(socket, bytes, places, gapMs = 8) {
  const cuts = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  const next = (i) => {
    if (i + 1 >= cuts.length || socket.destroyed) return;
    socket.write(bytes.subarray(cuts[i], cuts[i + 1]));
    setTimeout(() => next(i + 1), gapMs);
  };
  socket.setNoDelay(true);
  next(0);
}

const cut = (socket, hard) =>
  hard && !socket.encrypted ? socket.resetAndDestroy() : socket.destroy();

/** A status with a body that says nothing. */
const odd = (text) => bytesOf(text, {}, JSON.stringify({ ok: true, data: {} }));

/** Bytes instead of an answer, then a close. */
const head = (text) => (_request, socket) => socket.end(Buffer.from(text, 'latin1'));

/** A body, and headers, in an answer that is whole. */
const body =
  (text, more = {}) =>
  (_request, socket) =>
    socket.write(bytesOf('200 OK', more, text));

/** A trick by chance: its name, its sort, its marker where it has one, and what it does with a request. */
export function tricks(chance) {
  // Its own chance: requests come in no certain order.
  const random = randomFrom(chance.below(2 ** 31));
  const marker = `marker${random.letters(20)}`;
  const status = random.pick([205, 304, 500, 502, 504, 520, 527, 599, 600, 999]);
  const no = random.pick([400, 403, 404, 409, 410, 418, 422, 451, 499]);
  const good = (name, play) => ({ name, sort: 'good', marker, play });
  const bad = (name, play) => ({ name, sort: 'bad', marker, play });
  const all = [
    good('whole', (request, socket) => socket.write(whole(request, marker))),
    good('split at one byte', (request, socket) => {
      const bytes = whole(request, marker);
      inPieces(socket, bytes, [1 + random.below(bytes.length - 1)]);
    }),
    good('split at several bytes', (request, socket) => {
      const bytes = whole(request, marker, '200 OK', { 'x-long': 'x'.repeat(random.below(3000)) });
      inPieces(
        socket,
        bytes,
        Array.from({ length: 5 }, () => 1 + random.below(bytes.length - 1)),
        4,
      );
    }),
    good('after 103', (request, socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
      setTimeout(() => socket.write(whole(request, marker)), random.below(30));
    }),
    good('chunked by single bytes', (request, socket) => {
      const bytes = whole(request, marker);
      const payload = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
      const chunks = [...payload].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join('');
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
      );
    }),
    good('followed by an answer that nobody asked for', (request, socket) => {
      const stray = { ...request };
      const bytes = Buffer.concat([
        whole(request, marker),
        whole(stray, `stray${random.letters(20)}`),
      ]);
      if (random.chance(0.5)) socket.write(bytes);
      else inPieces(socket, bytes, [bytes.length / 2 + random.below(3) - 1], random.below(20));
    }),
    bad('cut at some byte', (request, socket) => {
      const bytes = whole(request, marker);
      socket.write(bytes.subarray(0, random.below(bytes.length)), () =>
        setTimeout(() => cut(socket, random.chance(0.5)), random.below(10)),
      );
    }),
    bad('stalled at some byte', (request, socket) => {
      const bytes = whole(request, marker);
      socket.write(bytes.subarray(0, random.below(bytes.length)));
    }),
    bad('no answer and a close', (_request, socket) => cut(socket, random.chance(0.5))),
    bad('a length that is too long', (request, socket) => {
      const bytes = whole(request, marker, '200 OK', { 'content-length': 1_000_000 });
      socket.end(bytes);
    }),
    bad(
      'a length that is too short',
      body(`{"ok":true,"data":{"content":"${marker}"}}`, { 'content-length': 9 }),
    ),
    bad(
      'two lengths',
      head(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 40\r\n\r\n{}`),
    ),
    bad('a negative length', head(`HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}`)),
    bad(
      'a bad chunk',
      head(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`),
    ),
    bad(
      'a chunk without an end',
      head(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`),
    ),
    bad(
      'no HTTP',
      head(
        random.pick([
          'SSH-2.0-x\r\n\r\n',
          '\0\0\0\0',
          '{"ok":true,"data":{}}',
          'HTTP/9.9 200\r\n\r\n',
        ]),
      ),
    ),
    bad('a NUL in a header', head(`HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 2\r\n\r\n{}`)),
    bad('compressed, though nobody asked', body('\x1f\x8b\x08', { 'content-encoding': 'gzip' })),
    bad(
      'no JSON',
      body(random.pick(['<html>', '{', '{"ok":true,"data":{"id":', '[1', 'nul', '{"a":1}{"b":2}'])),
    ),
    bad('not UTF-8', body(Buffer.from('{"ok":true,"data":{"id":"\xff\xfe"}}', 'latin1'))),
    bad('too deep', body(`{"ok":true,"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)),
    bad('a contradiction', body('{"ok":false,"data":{}}')),
    bad('no body', body('')),
    bad('a redirect', (_request, socket) =>
      socket.write(
        bytesOf(random.pick(['301 M', '302 F', '303 S']), { location: 'http://127.0.0.1:9/' }),
      ),
    ),
    bad(`the status ${status}`, (_request, socket) => socket.write(odd(`${status} X`))),
    bad('endless 1xx', (_request, socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    }),
    bad('a drip', (request, socket) => {
      const bytes = whole(request, marker);
      let at = 0;
      const timer = setInterval(() => socket.write(bytes.subarray(at, ++at)), 50);
      socket.on('close', () => clearInterval(timer));
    }),
    {
      name: `the refusal ${no}`,
      sort: 'refused',
      play: (_request, socket) => socket.write(refusal(`${no} No`)),
    },
    {
      name: 'a refusal with 200',
      sort: 'refused',
      play: (_request, socket) => socket.write(refusal('200 OK')),
    },
    {
      name: 'a 401 that is torn',
      sort: 'bad',
      play: (_request, socket) => {
        const bytes = refusal('409 Conflict');
        socket.write(bytes.subarray(0, 60), () => setTimeout(() => cut(socket, true), 5));
      },
    },
  ];
  return random.pick(all);
}
