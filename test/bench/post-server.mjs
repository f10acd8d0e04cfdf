// Answers every request with a post that has every field of the API document, as fast as one Node process can: off the
// socket, with no more of HTTP than the clients here need, so that it is they who are measured. Prints its address;
// below /brief/ the post is the smallest that there can be.
//   node post-server.mjs [<key.pem> <certificate.pem>]

import { readFileSync } from 'node:fs';
import * as net from 'node:net';
import * as tls from 'node:tls';

const mediaItem = {
  type: 'image',
  url: 'https://media.example/spring/launch.jpg',
  title: 'Launch',
  altText: 'Red crocuses in the snow',
  filename: 'launch.jpg',
  mimeType: 'image/jpeg',
  size: 482133,
  thumbnail: 'https://media.example/spring/launch-small.jpg',
  durationMs: 4200,
  durationSeconds: 4.2,
  width: 1600,
  height: 900,
  frameRate: 25,
  frameCount: 105,
};
const target = {
  id: 'TargetNumberAaaa',
  postId: 'PostSpringLaunch',
  accountId: 'AccountMastodonA',
  platform: 'mastodon',
  status: 'published',
  createdAt: '2026-03-02T12:00:00.000Z',
  updatedAt: '2026-03-02T12:00:00.000Z',
  customContent: 'The new season is here.',
  customMedia: [mediaItem],
  scheduledFor: '2026-03-02T12:00:00Z',
  platformSpecificData: {
    replyToTweetId: '1790000000000000001',
    quoteTweetId: '1790000000000000002',
    mediaIds: ['1790000000000000003'],
    replySettings: 'following',
    threadItems: [{ content: 'And more to come.', mediaItems: [] }],
    poll: { options: ['Red', 'Blue'], duration_minutes: 1440 },
    longVideo: false,
    paidPartnership: false,
    madeWithAi: false,
    firstComment: 'Which one is yours?',
    sensitiveMedia: { adultContent: false, graphicViolence: false, other: false },
  },
  platformPostId: '102423442194735738',
  nativeUrl: 'https://social.example/@riverbank/102423442194735738',
  error: 'HTTP 502 on the first attempt',
};
const brief = {
  organizationId: 'org_riverbank',
  createdBy: 'user_mira',
  status: 'published',
  mediaItems: [],
  tags: [],
  hashtags: [],
  mentions: [],
  metadata: {},
  crosspostingEnabled: true,
  createdAt: '2026-03-01T12:00:00.000Z',
  updatedAt: '2026-03-02T12:00:00.000Z',
  targets: [],
};
const whole = {
  ...brief,
  profileId: 'ProfileMainBrand',
  title: 'Spring launch',
  content: 'The new season is here.',
  mediaItems: [mediaItem],
  tags: ['spring'],
  hashtags: ['#spring'],
  mentions: ['@riverbank'],
  metadata: { campaign: 'spring' },
  scheduledFor: '2026-03-02T12:00:00Z',
  publishedAt: '2026-03-02T12:00:00.000Z',
  timezone: 'Europe/Berlin',
  queuedFromProfile: 'ProfileMainBrand',
  queueId: 'QueueEveryMonday',
  recycling: {
    enabled: true,
    interval: 'monthly',
    frequency: 'monthly',
    every: 2,
    maxOccurrences: 12,
    endsAt: '2026-12-31T00:00:00Z',
    expiresAt: '2026-12-31T00:00:00Z',
    until: '2026-12-31T00:00:00Z',
    endDate: '2026-12-31T00:00:00Z',
    preserveQueue: true,
    allowDuplicateForRecycling: false,
  },
  targets: [target],
};
/** What follows the id of a post. */
const restOf = (post) => `,${JSON.stringify(post).slice(1)}}`;
const [briefRest, wholeRest] = [restOf(brief), restOf(whole)];

/** The bytes that a request takes whose head ends at `end`. */
function sizeOf(text, end) {
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0;
  return end + 4 + Number(length);
}

function answerTo(request) {
  const words = request.slice(0, request.indexOf(' HTTP/')).split('/');
  const isBrief = words[1] === 'brief';
  const body = `{"ok":true,"data":{"id":"${words[isBrief ? 4 : 3]}"${isBrief ? briefRest : wholeRest}`;
  const close = /\r\nconnection: close/i.test(request);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ndate: ${new Date().toUTCString()}\r\n`;
  const tail = `connection: ${close ? 'close' : 'keep-alive'}\r\ncontent-length: ${body.length}\r\n\r\n`;
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
      socket.write(answer.text, 'latin1');
      if (answer.close) socket.end();
    }
  });
  socket.on('error', () => undefined);
}

const [, , key, cert] = process.argv;
const server =
  key === undefined
    ? net.createServer({ noDelay: true }, serve)
    : tls.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, serve);
const scheme = key === undefined ? 'http' : 'https';
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () =>
  console.log(`${scheme}://127.0.0.1:${server.address().port}`),
);
