// `sandbox show` and `sandbox reset`: the contents of the sandbox, and a new start.

import { join } from 'node:path';
import type { Post, Target } from '../../api/schema/post.ts';
import { usageFailure } from '../../base/errors.ts';
import { toJson } from '../../base/json.ts';
import { fileNames } from '../../base/paths.ts';
import type { Call } from '../../cli/command-spec.ts';
import { isJsonForm } from '../../config/flags.ts';
import { checkReplaceable, refuseForeignFile, saveFile } from '../../fs/atomic-write.ts';
import { makePrivateFolder } from '../../fs/permissions.ts';
import { printValue } from '../../output/write-result.ts';
import { type ContentsSummary, resetSandbox, summarizeSandbox } from '../../sandbox/contents.ts';
import { makeId } from '../../sandbox/handlers/handler.ts';
import type { StartName } from '../../sandbox/store/store.ts';
import { deliveryLine, recordOf } from '../webhooks/delivery.ts';
import { storeOptionsOf } from './serve.ts';

/** Resets the sandbox to the named state, and shows it. */
export async function resetSandboxState(call: Call): Promise<void> {
  const { runtime } = call;
  const { state: start = 'demo' } = call.flags as { readonly state?: StartName };
  const folder = exportFolder(call, start);
  // The check comes before the reset, because a path that cannot be written must not cost the old state.
  if (folder !== undefined) checkFiles(folder, call.flags['export'] !== undefined);
  const failedPosts = await resetSandbox({ ...storeOptionsOf(runtime), start });
  runtime.note(`sandbox: reset to ${start}`);
  const files = folder === undefined ? [] : writeFiles(folder, failedPosts);
  for (const path of files) runtime.note(`sandbox: wrote ${path}`);
  // With --quiet the state is shown only if a form was requested.
  if (call.settings.quiet && call.settings.output === undefined) return;
  await print(call, await summarizeSandbox(storeOptionsOf(runtime)), files);
}

/** Returns the folder for the files of an outage: that of --export, else one beside the sandbox's state. */
function exportFolder({ flags, runtime }: Call, start: StartName): string | undefined {
  const folder = flags['export'];
  if (start === 'outage')
    return typeof folder === 'string' ? folder : join(runtime.stateDir(), fileNames.outage);
  if (folder === undefined) return undefined;
  const fix = 'add --state outage';
  throw usageFailure({ field: '--export', problem: 'requires --state outage', fix });
}

/** Throws if a file could not be written, or would replace a file of the user. */
function checkFiles(folder: string, isUserFolder: boolean): void {
  // The names of the files are the same for any posts.
  const paths = outageFiles([]).map(([name]) => join(folder, name));
  if (isUserFolder) for (const path of paths) refuseForeignFile(path);
  makePrivateFolder(folder);
  paths.forEach(checkReplaceable);
}

function writeFiles(folder: string, failedPosts: readonly Post[]): readonly string[] {
  return outageFiles(failedPosts).map(([name, content]) => {
    const path = join(folder, name);
    saveFile(path, content);
    return path;
  });
}

export const showSandbox = async (call: Call): Promise<void> =>
  print(call, await summarizeSandbox(storeOptionsOf(call.runtime)));

async function print(
  call: Call,
  data: ContentsSummary,
  files: readonly string[] = [],
): Promise<void> {
  const { form, runtime, settings } = call;
  const { state, createdAt, posts, replies, samples } = data;
  const count = Object.entries(posts).map(([status, number]) => `${number} ${status}`);
  const pairs: [string, string][] = [
    ['state', state],
    ['createdAt', createdAt],
    ['posts', count.join(', ')],
    ['replies', String(replies)],
    ...Object.entries(samples),
  ];
  const { stdout } = runtime;
  // JSON has no columns.
  if (isJsonForm(form)) return printValue(call, [], files.length > 0 ? { ...data, files } : data);
  if (form === 'tsv' || settings.accessible) {
    const between = form === 'tsv' ? '\t' : ': ';
    return stdout.write(pairs.map((pair) => `${pair.join(between)}\n`).join(''));
  }
  const { fieldList } = await import('../../output/table.ts');
  await stdout.write(`${fieldList(pairs, stdout.columns ?? 80)}\n`);
}

/**
 * Makes the files that an operator has at the start of an outage: an export of the failed targets as CSV, and
 * the webhook deliveries about the failed posts, as `webhooks listen --append` stores them.
 */
function outageFiles(posts: readonly Post[]): readonly (readonly [string, string])[] {
  return [
    ['failed-posts.csv', csvOf(posts)],
    ['deliveries.ndjson', posts.map(storedDelivery).join('')],
  ];
}

/**
 * Makes the line that `webhooks listen` would have stored. The API document shows no body, so this one is an
 * assumption.
 */
function storedDelivery(post: Post): string {
  const event = post.status === 'partial' ? 'post.partial' : 'post.failed';
  const { id: subject, updatedAt: createdAt } = post;
  const id = makeId(`delivery ${event} ${subject} ${createdAt}`);
  return deliveryLine(
    recordOf({
      time: Date.parse(createdAt),
      target: '/',
      headers: { 'content-type': ['application/json'], 'user-agent': ['social-sandbox'] },
      body: Buffer.from(toJson({ id, event, createdAt, data: { post } })),
    }),
  );
}

type Column = readonly [name: string, cell: (post: Post, target: Target) => string | undefined];

const columns: readonly Column[] = [
  ['failed_at', (_post, { updatedAt }) => updatedAt],
  ['post_id', ({ id }) => id],
  ['title', ({ title }) => title],
  ['platform', (_post, { platform }) => platform],
  ['account_id', (_post, { accountId }) => accountId],
  ['error', (_post, { error }) => error],
];

function csvOf(posts: readonly Post[]): string {
  const rows = posts.flatMap((post) =>
    post.targets
      .filter(({ status }) => status === 'failed')
      .map((target) => columns.map(([, cell]) => csvCell(cell(post, target) ?? ''))),
  );
  return [columns.map(([name]) => name), ...rows].map((row) => `${row.join(',')}\n`).join('');
}

/** Quotes a cell as in RFC 4180 if it has a comma, a quote or a newline. */
const csvCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
