// The work of `posts triage`: reads posts and groups failed targets by cause. Sends only reads.

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { get } from '../../api/operations/posts.ts';
import { Platform } from '../../api/schema/platforms.ts';
import { targetsOf } from '../../api/schema/post.ts';
import { toJson } from '../../base/json.ts';
import { excerpt, sanitizeLine } from '../../base/sanitize.ts';
import { labelledLine, shellLine, UNTYPEABLE } from '../../base/shell.ts';
import { repeatable } from '../../batch/options.ts';
import { rememberShownIds } from '../../cli/run-operation.ts';
import type { Session, CommandHooks, ResultGatherer } from '../../client/session.ts';
import { callOperation } from '../../client/call-operation.ts';
import { MAY_BE_PUBLISHED, shortly, skippedLine } from '../../client/remedies.ts';
import { causeRulesPath, targetCauses } from '../../client/taught-causes.ts';
import { isJsonForm } from '../../config/flags.ts';
import { refuseForeignFile, saveList } from '../../fs/atomic-write.ts';
import { makePrivateFolder } from '../../fs/permissions.ts';
import { cannotWrite, withIoFailure } from '../../fs/io-errors.ts';
import { barFor } from '../../output/bars.ts';
import { colorsFor } from '../../output/color.ts';
import { wrapProse, wrapText } from '../../output/wrap.ts';
import { formOf, showResult, writeResult } from '../../output/write-result.ts';
import { nextOfGroup } from './next-step.ts';
import { targetFilter } from './select-targets.ts';
import {
  groupTargets,
  riskLine,
  type TriageGroup,
  type TriageKey,
  type TriageReport,
  triageReport,
  type UnpublishedTarget,
  unpublishedTargetsOf,
} from './triage-groups.ts';

export const triageHooks: CommandHooks = {
  async before(input, session) {
    const shown = await callOperation(session, get, { postId: input['postId'] });
    // A post without target data counts as one that could not be read.
    targetsOf(shown.data);
    return { do: 'nothing', because: 'read', input, shown };
  },

  gather,
};

/** Collects the posts as they are read, and shows the groups of all. */
function gather(
  session: Session,
  { argv, paths }: Parameters<NonNullable<CommandHooks['gather']>>[1],
): ResultGatherer {
  const { flags, runtime } = session;
  const by = (flags['by'] ?? 'cause') as TriageKey;
  const folder = flags['save'] as string | undefined;
  if (folder !== undefined) prepareFolder(folder, by);
  const { isOn } = targetFilter(flags);
  let posts = 0;
  const targets: UnpublishedTarget[] = [];
  const failedPosts: object[] = [];
  return {
    add(data) {
      posts++;
      targets.push(...unpublishedTargetsOf(data, session).filter(isOn));
      const { status, id, title } = data as Readonly<Record<string, unknown>>;
      const isFailed = status === 'failed' || status === 'partial';
      if (isFailed && failedPosts.length < REMEMBERED) failedPosts.push({ id, title, status });
    },
    async end() {
      // Without any readable post it is unknown what failed: there is no result, and an earlier list stays.
      if (posts === 0) return;
      const groups = groupTargets(targets, by);
      const files = folder === undefined ? undefined : saveGroups(folder, groups, by);
      const line = ['social', ...repeatable(argv, flags['from'] as string | undefined)];
      const report = triageReport(posts, groups, by, (group) =>
        nextOfGroup(group, { by, line, where: session, file: files?.get(group) }),
      );
      await show(report, by, { ...session, paths, risk: riskLine(targets) });
      noteUnknown(targets, session);
      // The prompt of a later retry offers these posts.
      await rememberShownIds(session, get, {}, failedPosts);
      for (const [{ key }, path] of files ?? [])
        runtime.note(`saved ${path}${key === 'unsure' ? `; ${MAY_BE_PUBLISHED}: look first` : ''}`);
      const unsure = targets.filter(({ cause, isPosted }) => cause === 'unsure' && !isPosted);
      // By cause these are a group of their own.
      if (by !== 'cause' && unsure.length > 0)
        runtime.note(skippedLine(MAY_BE_PUBLISHED, unsure.length));
    },
  };
}

/** Shows the line that says the cause of the first error that was not understood, for the file of such rules. */
function noteUnknown(targets: readonly UnpublishedTarget[], { settings, runtime }: Session): void {
  const unknown = targets.find(({ cause, hasError }) => cause === 'other' && hasError);
  if (unknown === undefined || formOf(settings, runtime.stdout) !== 'table') return;
  const text = ruleText(unknown.error);
  if (text === '') return;
  const isListed = Platform.options.some((platform) => platform === unknown.platform);
  const row = [isListed ? unknown.platform : '*', { gap: '<cause>' }, text];
  const path = causeRulesPath(runtime);
  const folder = dirname(path);
  const make = existsSync(folder) ? [] : ['mkdir', '-p', folder, { gap: '&&' }];
  // A file whose last line has no end would take the rule for a part of that line.
  const line = [...make, 'printf', String.raw`\n%s\t%s\t%s\n`, ...row, { gap: '>>' }, path];
  runtime.note(labelledLine('if you know the cause of such an error, tell it', line));
}

/**
 * Returns the longest part of an error that can be typed, and is valid as the text of a rule: at most 80 characters,
 * because long errors often end in an ID.
 */
function ruleText(error: string): string {
  const [longest = ''] = error
    .split(UNTYPEABLE)
    .toSorted((one, other) => other.length - one.length);
  // By code points, because half of an emoji cannot be typed. Text between slashes is refused as an expression.
  return /^\/*(.{0,80})/su.exec(longest)![1]!.trim();
}

/** The maximum number of failed posts whose IDs are remembered. */
const REMEMBERED = 10;

interface ShowOptions extends Session {
  readonly paths: readonly string[];
  /** The risk of a retry of the targets. */
  readonly risk: string;
}

/** Shows the groups; for people as bars, or with --wide as a table with the most frequent error of each. */
async function show(report: TriageReport, by: TriageKey, options: ShowOptions): Promise<void> {
  const { operation, paths, settings, runtime } = options;
  const form = formOf(settings, runtime.stdout);
  const isTable = form === 'table';
  if (isTable && !settings.wide && paths.length === 0 && report.groups.length > 0) {
    const text = report.groups
      .map((group) => groupText(group, report, { by, ...options }))
      .join('');
    const risk = wrapText(options.risk, runtime.stdout.columns);
    return writeResult(report, false, () => runtime.stdout.write(`${text}${risk}\n`));
  }
  const isForPeople = paths.length === 0 && !isJsonForm(form);
  const groups = report.groups.map((group) => ({
    ...group,
    platforms: isTable ? countsLine(group.platforms) : group.platforms,
    accounts: isTable ? countsLine(group.accounts) : group.accounts,
    errors: topError(group.errors),
    readFrom: topReading(group.readFrom),
  }));
  // The first column, the key of the groups, is the one that --by names.
  const [, ...rest] = operation.columns;
  // A table has no room for a command to copy.
  const columns = [by, ...rest.filter((path) => !isTable || path !== 'next')];
  const shown = { operation: { ...operation, columns }, paths, settings, runtime };
  await writeResult(report, false, () =>
    showResult(shown, { data: isForPeople ? { ...report, groups } : report }),
  );
  if (!isForPeople) return;
  if (groups.length === 0) runtime.note('no failed targets');
  // An account or a platform is a text of the service.
  const keyOf = (group: (typeof groups)[number]) => shellLine([String(group[by])]) ?? by;
  if (!isTable) return;
  for (const group of groups) {
    const key = keyOf(group);
    // Some advice begins with the name of its group.
    runtime.note(group.next.startsWith(`${key} `) ? group.next : `${key}: ${group.next}`);
  }
}

const MOST_ERRORS = 8;
const [BAR, SHORT_BAR] = [20, 10];
/** From this width on, the counts of the platforms stand beside the bar. */
const WIDE = 60;

/** Formats a group: its bar, its platforms, each of its errors with the number, and the next step, which is never cut. */
function groupText(
  group: TriageReport['groups'][number],
  report: TriageReport,
  { by, settings, runtime }: ShowOptions & { readonly by: TriageKey },
): string {
  const { stdout } = runtime;
  const { columns = 80 } = stdout;
  const { strong, bad } = colorsFor(stdout, settings, runtime);
  const isSpoken = settings.accessible;
  const nameOf = (one: typeof group) => sanitizeLine(excerpt(String(one[by]), LONGEST_KEY));
  const nameWidth = Math.max(...report.groups.map((one) => nameOf(one).length));
  const width = columns < WIDE ? SHORT_BAR : BAR;
  const bar = isSpoken ? '' : ` ${barFor(runtime)(group.targets, report.failedTargets, width)}`;
  const name = isSpoken ? `${nameOf(group)}:` : nameOf(group).padEnd(nameWidth);
  const counts = ` ${group.targets} of ${report.failedTargets} ${report.failedTargets === 1 ? 'target' : 'targets'}, ${group.posts} ${group.posts === 1 ? 'post' : 'posts'}`;
  const where = by === 'platform' ? group.accounts : group.platforms;
  const timesOf = (count: number) => (!isSpoken ? '×' : count === 1 ? 'time:' : 'times:');
  const errors = group.errors
    .slice(0, MOST_ERRORS)
    .map(({ text, count }) => `${count} ${timesOf(count)} ${excerpt(text, LONGEST_ERROR)}`);
  const more = group.errors.length - errors.length;
  const lines = [countsLine(where), ...errors, ...(more > 0 ? [`and ${more} more`] : [])];
  const wrapped = lines.map((line) =>
    wrapText(sanitizeLine(line), columns - 2, '  ').replaceAll('\n', '\n  '),
  );
  const next = sanitizeLine(`next: ${group.next}`);
  return [
    `${strong(name)}${isSpoken ? '' : bad(bar)}${counts}`,
    ...wrapped,
    // A command is one line, however long.
    group.next.startsWith('social ') ? `  ${next}` : wrapProse(next, columns, '  '),
    '',
    '',
  ].join('\n');
}

const LONGEST_KEY = 20;
const LONGEST_ERROR = 300;

/** Formats `mastodon 31, tiktok 30`. */
const countsLine = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

function topError([first, ...more]: TriageReport['groups'][number]['errors']): string {
  if (first === undefined) return '';
  return `${first.count} × ${first.text}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
}

/** Formats `code 190`, `"token" and 3 more`. */
function topReading(readFrom: Readonly<Record<string, number>>): string {
  const [first, ...more] = Object.keys(readFrom);
  if (first === undefined) return 'nothing known';
  return `${shortly(first)}${more.length > 0 ? ` and ${more.length} more` : ''}`;
}

/** Checks the folder before anything is read, because a list that cannot be saved is an early error. */
function prepareFolder(folder: string, by: TriageKey): void {
  makePrivateFolder(folder);
  withIoFailure(folder, cannotWrite, () => accessSync(folder, constants.W_OK));
  causeFiles(folder, by).forEach((path) => refuseForeignFile(path));
}

/** The lists of the causes; the keys of other groups are not known before their posts are read. */
const causeFiles = (folder: string, by: TriageKey): readonly string[] =>
  (by === 'cause' ? targetCauses : []).map((cause) => join(folder, `${cause}.ndjson`));

/** Writes one file for each group; an earlier list of a cause that no longer occurs is emptied. */
function saveGroups(
  folder: string,
  groups: readonly TriageGroup[],
  by: TriageKey,
): ReadonlyMap<TriageGroup, string> {
  const files = new Map<TriageGroup, string>();
  for (const [i, group] of groups.entries()) {
    // Accounts and platforms are the service's text, and may not be names of files.
    const name = /^\w{1,64}$/.test(group.key) ? group.key : `${by}-${i + 1}`;
    files.set(group, join(folder, `${name}.ndjson`));
  }
  const written = new Set(files.values());
  const emptied = causeFiles(folder, by).filter((path) => !written.has(path) && existsSync(path));
  for (const path of [...written, ...emptied]) refuseForeignFile(path);
  for (const [{ records }, path] of files)
    saveList(
      path,
      records.map((record) => `${toJson(record)}\n`),
    );
  for (const path of emptied) saveList(path, []);
  return files;
}
