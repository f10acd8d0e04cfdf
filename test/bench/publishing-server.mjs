// A service with state for waits of many: a post has failed until a retry, then publishes, and has settled some time
// after. Keeps a time for each post and answers off the socket. Prints its address, and its counts at GET /counts.
//   node publishing-server.mjs <settle ms>

import * as net from 'node:net';

const settleMs = Number(process.argv[2]);
const before = '2026-03-02T11:00:00.000Z';
const after = '2026-03-02T12:00:00.000Z';
/** When each post was retried. */
const retried = new Map();
const counts = { GET: 0, POST: 0, twice: 0 };

function bodyFor(method, path) {
  if (path === '/counts') return JSON.stringify(counts);
  const id = path.split('/')[3];
  counts[method]++;
  const now = performance.now();
  if (method === 'POST') {
    if (retried.has(id)) counts.twice++;
    retried.set(id, now);
  }
  const at = retried.get(id);
  const status = at === undefined ? 'failed' : now - at < settleMs ? 'publishing' : 'published';
  const target = `{"id":"Targ${id.slice(4)}","postId":"${id}","accountId":"AccountMastodonA","platform":"mastodon","status":"${status}","createdAt":"${before}","updatedAt":"${at === undefined ? before : after}"}`;
  return `{"ok":true,"data":{"id":"${id}","organizationId":"org_riverbank","createdBy":"user_mira","status":"${status}","mediaItems":[],"tags":[],"hashtags":[],"mentions":[],"metadata":{},"crosspostingEnabled":true,"createdAt":"${before}","updatedAt":"${after}","targets":[${target}]}}`;
}

function serve(socket) {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.latin1Slice();
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const head = text.slice(0, end);
      const size = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (text.length < size) return;
      text = text.slice(size);
      const [method, path] = head.split(' ', 2);
      const body = bodyFor(method, path);
      const close = /\r\nconnection: close/i.test(head);
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ndate: ${new Date().toUTCString()}\r\nconnection: ${close ? 'close' : 'keep-alive'}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        'latin1',
      );
      if (close) socket.end();
    }
  });
  socket.on('error', () => undefined);
}

const server = net.createServer({ noDelay: true }, serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
