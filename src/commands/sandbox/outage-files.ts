// What an operator has in hand when an outage begins: an export of the failed targets as CSV, and the webhook
// deliveries that told of the failed posts, as `webhooks listen --append` stores them.

import type { Post, TargetSchema } from '../../api/schema/post.ts';
import { toJson } from '../../base/json.ts';
import { makeId } from '../../sandbox/handlers/lookup.ts';
import { deliveryLine, recordOf } from '../webhooks/delivery.ts';

/** Names and contents of the files, for posts with failed targets. */
export function outageFiles(posts: readonly Post[]): readonly (readonly [string, string])[] {
  return [
    ['failed-posts.csv', exportOf(posts)],
    ['deliveries.ndjson', posts.map(storedDelivery).join('')],
  ];
}

/** The line that `webhooks listen` would have stored. The API document shows no body: this one is an assumption. */
function storedDelivery(post: Post): string {
  const event = post.status === 'partial' ? 'post.partial' : 'post.failed';
  const { id: subject, updatedAt: createdAt } = post;
  const id = makeId(`delivery ${event} ${subject} ${createdAt}`);
  return deliveryLine(
    recordOf({
      time: Date.parse(createdAt),
      target: '/',
      rawHeaders: ['content-type', 'application/json', 'user-agent', 'social-sandbox'],
      body: Buffer.from(toJson({ id, event, createdAt, data: { post } })),
    }),
  );
}

type Column = readonly [name: string, of: (post: Post, target: TargetSchema) => string | undefined];

const columns: readonly Column[] = [
  ['failed_at', (_post, { updatedAt }) => updatedAt],
  ['post_id', ({ id }) => id],
  ['title', ({ title }) => title],
  ['platform', (_post, { platform }) => platform],
  ['account_id', (_post, { accountId }) => accountId],
  ['error', (_post, { error }) => error],
];

function exportOf(posts: readonly Post[]): string {
  const rows = posts.flatMap((post) =>
    post.targets
      .filter(({ status }) => status === 'failed')
      .map((target) => columns.map(([, of]) => csvCell(of(post, target) ?? ''))),
  );
  return [columns.map(([name]) => name), ...rows].map((row) => `${row.join(',')}\n`).join('');
}

/** RFC 4180: quoted where it holds a comma, a quote or an end of line. */
const csvCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
