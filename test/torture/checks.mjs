// The checks of a history: after each run what it said, and at the end what the service saw.

import { existsSync } from 'node:fs';
import { recordsIn } from './history-plan.mjs';
import { countsIn } from './kit.mjs';
import { harmsOf, reasonsAgainst, wasPermitted } from './knowledge.mjs';

/** Ends of a run that has done what it should: the codes of `social help exit-codes` that these services can cause. */
const EXIT_CODES = [0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 130];
/** What a machine under load may add to a wait. */
const LATE_MS = 5000;

/** Checks a run that has ended; returns `[kind, what]` for each fault. */
export function faultsOfRun(run, service) {
  const { said } = run;
  const faults = [];
  const isOtherJob = said.code === 13 && said.stderr.includes('belongs to another job');
  const isMeant =
    said.signal === null ? EXIT_CODES.includes(said.code) : said.signal === run.signal;
  // All that belongs to the job stays the same in a history; with a journal --failed goes without saying.
  if (isOtherJob) faults.push(['another job', 'the same list with the same flags, but --failed']);
  if (!isMeant && !isOtherJob) faults.push(['wrong end', `${said.signal ?? said.code}`]);
  const lateMs = run.endedAt - run.workUntil - run.waitMs;
  if (run.signal === undefined && lateMs > LATE_MS)
    faults.push(['outlived its waits', `${lateMs} ms`]);
  if (run.kind === 'batch' && said.signal === null && !isOtherJob)
    faults.push(...wrongSums(run), ...falselyDone(run, service));
  return faults;
}

const byText = (a, b) => (a < b ? -1 : 1);

/** Compares the counts that a run shows with its list. */
function wrongSums({ said, records, isSharded }) {
  const count = new Set(
    records.map(({ postId, targetIds = [] }) => [postId, ...targetIds.toSorted(byText)].join()),
  ).size;
  const counts = countsIn(said);
  if (counts === undefined || records.length === 0) return [];
  const sum = Object.values(counts).reduce((total, one) => total + one, 0);
  const lines = sum - counts.before - counts.notStarted;
  const results = said.stdout.split('\n').filter(Boolean).length;
  const faults = [];
  if (!isSharded && sum !== count)
    faults.push(['wrong sum', `${JSON.stringify(counts)} for ${count} records`]);
  // `7 of 7 published (5 now)`: of those that earlier runs have sent, only the ones that were read have a result.
  const now = Number(/\((\d+) now\)/.exec(said.stderr)?.[1] ?? counts.ok);
  if (results > lines + counts.before || results < lines - (counts.ok - now))
    faults.push(['wrong sum', `${results} results for ${JSON.stringify(counts)}`]);
  return faults;
}

/** A run that calls a whole list done says so of each of its targets. */
function falselyDone({ said, scope, isSharded }, { posts }) {
  if (isSharded || !/^all \d+ already done$/m.test(said.stderr)) return [];
  const targets = [...posts.values()].flatMap((post) => post.targets);
  return targets
    .filter(
      ({ id, start, publishedBy }) =>
        scope.has(id) && start === 'failed' && publishedBy.length === 0,
    )
    .map(({ id }) => ['called done', id]);
}

/** Checks the file that a run has written with --failures-to, with the log as it is now. */
export function faultsOfFailures(run, path, { log, posts }) {
  if (!run.argv.includes('--failures-to') || run.said.signal !== null || !existsSync(path))
    return [];
  const isOwn = (request) =>
    request.run === run || (run.journal !== undefined && request.run.journal !== undefined);
  return recordsIn(path).flatMap(({ postId, targetIds }) => {
    const ids = targetIds ?? posts.get(postId).targets.map(({ id }) => id);
    return ids.flatMap((id) => {
      const reasons = reasonsAgainst(log, id, log.length, run, { isOwn, repeats: false });
      const kinds = [...reasons].filter((kind) => kind !== 'permitted');
      const how = targetIds === undefined ? ', named with its post' : '';
      return kinds.map((kind) => ['failures file', `${id} is ${kind}${how}`]);
    });
  });
}

/** Checks a whole history by the log of its service. */
export function faultsOfHistory({ log, posts }) {
  const harms = log
    .filter(({ kind }) => kind === 'request')
    .flatMap((request) =>
      harmsOf(log, request).map(([kind, what]) => [
        kind,
        `run ${request.run.number}: ${what}`,
        what,
      ]),
    );
  const harmed = new Map(harms.map(([kind, , id]) => [id, kind]));
  const doubles = [...posts.values()].flatMap(({ id: post, targets }) =>
    targets.filter(({ publishedBy }) => publishedBy.length > 1).map(({ id }) => ({ id, post })),
  );
  const faults = harms.map(([kind, what]) => [kind, what]);
  let permitted = 0;
  for (const { id } of doubles) {
    const cause = harmed.get(id);
    if (cause === undefined && wasPermitted(log, id)) permitted++;
    else faults.push([`DOUBLE (${cause ?? 'unforeseen'})`, id]);
  }
  return { faults, permitted };
}
