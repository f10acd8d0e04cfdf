// Answers every request with a post of the sandbox, as fast as one Node process can: off the socket, with no more of
// HTTP than the clients here need, so that the clients are measured. An ID that begins with `Wrong` gets a post with
// failed targets, `Later` one that is published twenty seconds after the first request, all others one that is
// published. Prints its address.

import { spawnSync } from 'node:child_process';
import * as net from 'node:net';
import { fileURLToPath } from 'node:url';

const social = fileURLToPath(new URL('../../bin/social.js', import.meta.url));
/** Returns the part of a response that follows the ID of the post. */
function restOf(post) {
  const argv = [social, '-C', 'sandbox', 'posts', 'get', post, '--json', '-q'];
  const { stdout } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  return `,${JSON.stringify({ ...JSON.parse(stdout), id: undefined }).slice(1)}}`;
}

const published = restOf('PostAutumnRecaps');
const failed = restOf('PostSpringLaunch');
const publishing = published.replaceAll('"status":"published"', '"status":"publishing"');

const LATER_MS = 20_000;
/** The time of the first request for a post that is published later. */
let startedAt;

/** Returns what follows the ID of this post now. */
function restFor(id) {
  if (id.startsWith('Wrong')) return failed;
  if (!id.startsWith('Later')) return published;
  startedAt ??= Date.now();
  return Date.now() - startedAt < LATER_MS ? publishing : published;
}

/** Returns the number of bytes of a request whose head ends at `end`. */
function sizeOf(text, end) {
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0;
  return end + 4 + Number(length);
}

function answerTo(request) {
  const path = request.slice(0, request.indexOf(' HTTP/'));
  const id = path.split('/')[3];
  const body = `{"ok":true,"data":{"id":"${id}"${restFor(id)}`;
  const close = /\r\nconnection: close/i.test(request);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ndate: ${new Date().toUTCString()}\r\n`;
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
  const tail = `connection: ${close ? 'close' : 'keep-alive'}\r\n${length}\r\n`;
  return { text: head + tail + body, close };
}

function serve(socket) {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.latin1Slice();
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const size = sizeOf(text, end);
      if (text.length < size) return;
      const answer = answerTo(text.slice(0, size));
      text = text.slice(size);
      socket.write(answer.text);
      if (answer.close) socket.end();
    }
  });
  socket.on('error', () => undefined);
}

const server = net.createServer({ noDelay: true }, serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
