// `posts triage`: reads posts and groups what failed by cause. Sends nothing but reads.

import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { triageKeys, triagePosts } from '../../api/operations/post-reads.ts';
import { targetsOf } from '../../api/schema/target-states.ts';
import { usageFailure } from '../../base/errors.ts';
import { isObject, ownJson } from '../../base/json.ts';
import { unlistedFaults } from '../../base/suggestions.ts';
import { rememberShownIds } from '../../cli/run-operation.ts';
import type { CallContext, CommandHooks } from '../../client/call-context.ts';
import { makePrivateFolder, refuseForeignFile, saveFile } from '../../fs/atomic-write.ts';
import { cannotWrite, withIoFailure } from '../../fs/io-errors.ts';
import { toNdjson } from '../../output/format.ts';
import { formOf, showResult } from '../../output/write-result.ts';
import { targetCauses } from '../../client/platform-codes.ts';
import { createTriage, type GroupFacts, type TriageKey } from './triage-groups.ts';
import { readPost } from './read-post.ts';
import { nextOfGroup } from './triage-next.ts';

export const triageHooks: CommandHooks = {
  options: [
    {
      flags: '--by <key>',
      description: 'Group by cause, platform or account (default cause)',
      values: triageKeys,
    },
    {
      flags: '--save <dir>',
      description: 'Write the records of each group to a file, for posts retry --from',
      writes: true,
    },
  ],

  flagFaults: ({ by }) =>
    unlistedFaults('--by', by === undefined ? [] : [by as string], triageKeys),

  async before(input, callContext) {
    const instead = await readPost(input, callContext);
    // A post that says nothing of its targets counts as one that could not be read.
    targetsOf(instead.data);
    return { input, instead };
  },

  gather(callContext, argv) {
    const { flags, runtime } = callContext;
    const by = (flags['by'] ?? 'cause') as TriageKey;
    const folder = flags['save'] as string | undefined;
    if (folder !== undefined) prepareFolder(folder);
    const triage = createTriage(by, runtime.secrets.mask);
    const failed: object[] = [];
    return {
      add(data) {
        triage.add(data);
        const { status, id, title } = data as Readonly<Record<string, unknown>>;
        const isFailed = status === 'failed' || status === 'partial';
        if (isFailed && failed.length < REMEMBERED) failed.push({ id, title, status });
      },
      async end() {
        const groups = triage.groups();
        const files = folder === undefined ? undefined : saveGroups(folder, groups, by);
        const next = (group: GroupFacts) =>
          nextOfGroup(group, { file: files?.get(group), argv, callContext });
        await show({ ...triage.totals(), ...groupReport(groups, by, next) }, by, callContext);
        // A retry that comes next offers them.
        await rememberShownIds(callContext, triagePosts.path, {}, failed);
        for (const path of files?.values() ?? []) runtime.note(`saved ${path}`);
      },
    };
  },
};

/** The groups as the answer lists them. */
export const groupReport = (
  groups: readonly GroupFacts[],
  by: TriageKey,
  next: (group: GroupFacts) => string,
) => ({
  groups: groups.map((group) => {
    const key: Readonly<Partial<Record<TriageKey, string>>> = { [by]: group.key };
    return { ...key, ...group.counts, next: next(group), records: group.records };
  }),
});

/** How many failed posts are kept as IDs seen. */
const REMEMBERED = 10;

type Report = ReturnType<typeof groupReport> & { readonly posts: number };

/** A person reads the most frequent error alone. */
async function show(report: Report, by: TriageKey, callContext: CallContext): Promise<void> {
  const { operation, paths, settings, runtime } = callContext;
  const form = formOf(settings, runtime.stdout);
  const isForPeople = paths.length === 0 && (form === 'table' || form === 'tsv');
  const counts = form === 'table' ? countsLine : (count: Counts) => count;
  const groups = report.groups.map((group) => ({
    ...group,
    platforms: counts(group.platforms),
    accounts: counts(group.accounts),
    errors: topError(group.errors),
  }));
  const [, ...rest] = operation.columns;
  const columns = [by, ...rest.filter((path) => form !== 'table' || path !== 'next')];
  const shown = { operation: { ...operation, columns }, paths, settings, runtime };
  await showResult(shown, { data: isForPeople ? { ...report, groups } : report });
  // Of posts that could not be read nobody knows.
  if (isForPeople && groups.length === 0 && report.posts > 0) runtime.note('no failed targets');
  // A line to copy has no room in a table.
  if (isForPeople && form === 'table')
    for (const group of report.groups) runtime.note(`${String(group[by])}: ${group.next}`);
}

type Counts = GroupFacts['counts']['platforms'];

/** `mastodon 31, tiktok 30` */
const countsLine = (counts: Counts): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

function topError(errors: GroupFacts['counts']['errors']): string {
  const [first] = errors;
  if (first === undefined) return '';
  return `${first.count} × ${first.text}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}`;
}

/** Before anything is read: a list that cannot be saved is found out now. */
function prepareFolder(folder: string): void {
  if (folder.trim() === '') throw usageFailure({ field: '--save', problem: 'must not be empty' });
  makePrivateFolder(folder);
  withIoFailure(folder, cannotWrite, () => accessSync(folder, constants.W_OK));
}

/** Writes one file for each group; a list of an earlier triage whose group is gone becomes empty. */
function saveGroups(
  folder: string,
  groups: readonly GroupFacts[],
  by: TriageKey,
): ReadonlyMap<GroupFacts, string> {
  const files = new Map(
    groups.map((group, i) => {
      // Where capitals make no difference, two groups would be one file.
      const isAlike = ({ key }: GroupFacts) => key.toLowerCase() === group.key.toLowerCase();
      const name = fileName(groups.findIndex(isAlike) === i ? group.key : '', by, i);
      return [group, join(folder, `${name}.ndjson`)];
    }),
  );
  const written = new Set(files.values());
  const known = by === 'cause' ? targetCauses : [];
  const emptied = known
    .map((cause) => join(folder, `${cause}.ndjson`))
    .filter((path) => !written.has(path) && existsSync(path));
  for (const path of [...written, ...emptied]) refuseForeignFile(path, isSavedRecord);
  for (const [{ records }, path] of files) saveFile(path, toNdjson(records));
  for (const path of emptied) saveFile(path, '');
  return files;
}

/** Whether a line is a record as a triage saves it: a post with its targets, and nothing else. */
function isSavedRecord(line: string): boolean {
  const record = ownJson(line);
  return isObject(record) && Object.keys(record).join() === 'postId,targetIds';
}

/** Names of devices on Windows, with whatever ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** The key where it is a plain word that is a name for a file on every system. */
const fileName = (key: string, by: TriageKey, index: number): string =>
  /^\w{1,64}$/.test(key) && !DEVICE.test(key) ? key : `${by}-${index + 1}`;
