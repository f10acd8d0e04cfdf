// Answers every request with a whole post, as fast as one Node process can. Prints its address.
//   node post-server.mjs [<key.pem> <certificate.pem>]

import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';

const target = (i) => ({
  id: `TargetNumberAaa${'abcd'[i]}`,
  postId: 'PostSpringLaunch',
  accountId: 'AccountMastodonA',
  platform: ['twitter', 'linkedin', 'mastodon', 'bluesky'][i],
  status: 'published',
  platformPostId: '102423442194735738',
  nativeUrl: 'https://social.example/@riverbank/102423442194735738',
  createdAt: '2026-03-02T12:00:00.000Z',
  updatedAt: '2026-03-02T12:00:00.000Z',
});
const post = {
  organizationId: 'org_riverbank',
  createdBy: 'user_mira',
  profileId: 'ProfileMainBrand',
  title: 'Spring launch',
  content: 'The new season is here. '.repeat(6),
  status: 'published',
  mediaItems: [],
  tags: ['spring'],
  hashtags: [],
  mentions: [],
  metadata: {},
  crosspostingEnabled: true,
  publishedAt: '2026-03-02T12:00:00.000Z',
  createdAt: '2026-03-01T12:00:00.000Z',
  updatedAt: '2026-03-02T12:00:00.000Z',
  targets: [0, 1, 2].map(target),
};
const rest = `,${JSON.stringify(post).slice(1)}}`;
const [, , key, cert] = process.argv;
const answer = (request, response) => {
  const id = request.url.split('/')[3];
  const body = Buffer.from(`{"ok":true,"data":{"id":"${id}"${rest}`);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
  request.resume();
};
const server =
  key === undefined
    ? http.createServer(answer)
    : https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer);
const scheme = key === undefined ? 'http' : 'https';
server.listen(0, '127.0.0.1', () => console.log(`${scheme}://127.0.0.1:${server.address().port}`));
