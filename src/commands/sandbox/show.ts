// `sandbox show` and `sandbox reset`: the contents of the sandbox, and a new start.

import { join } from 'node:path';
import type { Post, Target } from '../../api/schema/post.ts';
import { ifPossible, usageFailure } from '../../base/errors.ts';
import { hashOf } from '../../base/hash.ts';
import { toJson } from '../../base/json.ts';
import { fileNames } from '../../base/paths.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { isJsonForm } from '../../config/flags.ts';
import { checkReplaceable, refuseForeignFile, saveFile } from '../../fs/atomic-write.ts';
import { readIfPresent } from '../../fs/safe-read.ts';
import { makePrivateFolder } from '../../fs/permissions.ts';
import { forgetSandboxIds } from '../../history/seen-ids.ts';
import { printValue } from '../../output/write-result.ts';
import { resetSandbox, summarizeSandbox } from '../../sandbox/contents.ts';
import { makeId } from '../../sandbox/handlers/handler.ts';
import type { StartName } from '../../sandbox/store/store.ts';
import { deliveryLine, recordOf } from '../webhooks/delivery.ts';
import { storeOptionsOf } from './serve.ts';

/** Resets the sandbox to the named state, and shows it. */
export async function resetSandboxState(call: Invocation): Promise<void> {
  const { runtime } = call;
  const { state: start = 'demo' } = call.flags as { readonly state?: StartName };
  const folder = exportFolder(call, start);
  // The check comes before the reset, because a path that cannot be written must not cost the old state.
  // The hashes of the files that earlier resets wrote: only these may be replaced.
  const hashesPath = join(runtime.stateDir(), fileNames.outageHashes);
  const hashes = ifPossible(() => readIfPresent(hashesPath, MAX_BYTES)?.toString()) ?? '';
  if (folder !== undefined) checkFiles(folder, call.flags['export'] !== undefined, hashes);
  const failedPosts = await resetSandbox({ ...storeOptionsOf(runtime), start });
  await forgetSandboxIds(runtime);
  runtime.note(`sandbox: reset to ${start}`);
  const files = folder === undefined ? [] : outageFiles(folder, failedPosts);
  const added = files.map(([, content]) => `${hashOf(content)}\n`).join('');
  // It comes first: a reset that is cut off here leaves files that the next one may replace.
  if (added !== '') saveFile(hashesPath, (hashes + added).slice(-MAX_BYTES));
  for (const [path, content] of files) {
    saveFile(path, content);
    runtime.note(`sandbox: wrote ${path}`);
  }
  // With --quiet the state is shown only if a form was requested.
  if (call.settings.quiet && call.settings.output === undefined) return;
  const paths = files.map(([path]) => path);
  await print(call, paths);
}

/** Returns the folder for the files of an outage: that of --export, else one beside the sandbox's state. */
function exportFolder({ flags, runtime }: Invocation, start: StartName): string | undefined {
  const folder = flags['export'];
  if (start === 'outage')
    return typeof folder === 'string' ? folder : join(runtime.stateDir(), fileNames.outage);
  if (folder === undefined) return undefined;
  throw usageFailure({ field: '--export', problem: 'requires --state outage' });
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Throws if a file could not be written, or would replace another than those with these hashes. */
function checkFiles(folder: string, isUserFolder: boolean, hashes: string): void {
  // The names of the files are the same for any posts.
  const paths = outageFiles(folder, []).map(([path]) => path);
  const isOwn = (path: string) =>
    hashes.includes(hashOf(readIfPresent(path, MAX_BYTES)?.toString() ?? ''));
  if (isUserFolder) for (const path of paths) refuseForeignFile(path, () => isOwn(path));
  makePrivateFolder(folder);
  paths.forEach(checkReplaceable);
}

export const showSandbox = async (call: Invocation): Promise<void> => print(call, []);

async function print(call: Invocation, files: readonly string[]): Promise<void> {
  const data = await summarizeSandbox(storeOptionsOf(call.runtime));
  const { samples } = data;
  const columns = [
    'state',
    'createdAt',
    'posts',
    'replies',
    'onPlatforms',
    ...Object.keys(samples),
    'postIds',
  ];
  // JSON has the samples as one object, tables and TSV have a column for each.
  const shown = isJsonForm(call.form)
    ? { ...data, files: files.length === 0 ? undefined : files }
    : { ...data, onPlatforms: data.onPlatforms.map(onPlatformLine).join('; '), ...samples };
  // More fields than a person can count in one line of a pipe: there each has a line with its name.
  if (call.form !== 'tsv' || call.settings.fields.length > 0)
    return printValue(call, columns, shown);
  const named = Object.entries(shown).filter(([name]) => columns.includes(name));
  await printValue(
    call,
    ['name', 'value'],
    named.map(([name, value]) => ({ name, value })),
  );
}

/** Formats `the post of TargetHarveALink is on linkedin 2 times: https://… and https://…`. */
const onPlatformLine = ({
  platform,
  targetId,
  nativeUrls,
}: Awaited<ReturnType<typeof summarizeSandbox>>['onPlatforms'][number]): string =>
  `the post of ${targetId} is on ${platform} ${nativeUrls.length > 1 ? `${nativeUrls.length} times` : 'once'}: ${nativeUrls.join(' and ')}`;

/**
 * Makes the files that an operator has at the start of an outage: an export of the failed targets as CSV, and
 * the webhook deliveries about the failed posts, as `webhooks listen --append` stores them.
 */
function outageFiles(
  folder: string,
  posts: readonly Post[],
): readonly (readonly [path: string, content: string])[] {
  return [
    [join(folder, 'failed-posts.csv'), csvOf(posts)],
    [join(folder, 'deliveries.ndjson'), posts.map(storedDelivery).join('')],
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
