// What an operator may type in the history of one journal: lists, flags, and what comes between two runs.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIST = 'list';
export const FAILURES = 'failures';
export const JOURNAL = 'journal';

/** What stays the same in a history: the flags that belong to the job of its journal. */
export function jobOf(random, { theme }) {
  const filter = random.chance(0.12)
    ? random.pick([
        ['--platform', 'mastodon'],
        ['--cause', 'temporary'],
      ])
    : [];
  const typesFailed = random.pick([0, 0, 0, 1, 1, 0.5]);
  return { filter, typesFailed, isSharded: random.chance(0.06), theme };
}

/** Returns a list without overlaps: for each post the whole, some targets, or several records of some targets. */
export function listOf(posts, random) {
  const records = random.shuffled([...posts.values()]).flatMap(({ id: postId, targets }) => {
    if (random.chance(0.1)) return [];
    if (random.chance(0.5)) return [{ postId }];
    const ids = random.shuffled(targets.map(({ id }) => id));
    const parts = Array.from({ length: random.between(1, 2) }, () => []);
    for (const id of ids) if (random.chance(0.85)) random.pick(parts).push(id);
    return parts.filter(({ length }) => length > 0).map((targetIds) => ({ postId, targetIds }));
  });
  const again = records.filter(() => random.chance(0.1));
  return random.shuffled([...records, ...again]);
}

/** What an operator types at the end, until nothing is left: a settle, and the list of everything. */
export const lastSettle = () => settleRun(['--journal', JOURNAL]);

export function lastRun(posts, job, isFailedTyped, folder) {
  const records = [...posts.keys()].map((postId) => ({ postId }));
  const flags = [
    ...(isFailedTyped ? ['--failed'] : []),
    '--interval',
    '50ms',
    '--wait-timeout',
    '3s',
  ];
  const argv = [...argvFor(records, job, folder), '--journal', JOURNAL, '--wait', ...flags];
  return { kind: 'batch', argv, records, hasJournal: true, waitMs: 3000 };
}

/** Returns the targets of a list that its run may remember; a filter narrows them in a way that is not known here. */
export function scopeOf({ records = [] }, { filter }, posts) {
  if (filter.length > 0) return new Set();
  const all = (postId) => posts.get(postId).targets.map(({ id }) => id);
  return new Set(records.flatMap(({ postId, targetIds }) => targetIds ?? all(postId)));
}

/** Draws the next run; `state` has the list and the exit code of the last one. */
export function nextRun(random, { posts, folder, job, state }) {
  const kind = kindOf(random, state, job);
  if (kind === 'settle') {
    const journal = existsSync(join(folder, JOURNAL)) && random.chance(0.75);
    return settleRun(journal ? ['--journal', JOURNAL] : []);
  }
  if (kind === 'batch') return batchRun(random, { posts, folder, job, state });
  const wait = random.chance(0.7) || kind === 'wait' ? waitFlags(random) : { argv: [] };
  const id = random.pick([...posts.keys()]);
  const argv =
    kind === 'wait'
      ? ['posts', 'wait', id, ...wait.argv.slice(1)]
      : ['posts', 'retry', id, '--failed', ...wait.argv];
  return { kind, argv: [...argv, '--json'], waitMs: wait.waitMs };
}

const settleRun = (flags) => ({
  kind: 'settle',
  argv: ['history', 'settle', ...flags, '--json'],
  waitMs: 0,
});

/** Writes a list, and returns the line that retries it. */
function argvFor(records, { filter, isSharded }, folder) {
  writeFileSync(join(folder, LIST), records.map((record) => `${lineOf(record)}\n`).join(''));
  const shard = isSharded ? ['--shard', '1/2'] : [];
  return ['posts', 'retry', '--from', LIST, '--allow-empty', '--json', ...filter, ...shard];
}

/** Most are batches; after an unknown outcome an operator goes on with it. */
function kindOf(random, { code }, { theme }) {
  if (theme !== 'any' && random.chance(0.8)) return 'batch';
  if (code === 12) return random.pick(['batch', 'batch', 'batch', 'settle', 'single']);
  return random.pick([...Array.from({ length: 6 }, () => 'batch'), 'settle', 'single', 'wait']);
}

const waitFlags = (random) => {
  const waitMs = random.pick([200, 600, 1500, 3000]);
  const times = ['--interval', '50ms', '--wait-timeout', `${waitMs}ms`];
  return { argv: ['--wait', ...times], waitMs };
};

function batchRun(random, { posts, folder, job, state }) {
  const failures = join(folder, FAILURES);
  const newListPart = state.code === 12 || job.theme !== 'any' ? 0.2 : 0.5;
  const repeatsPart = job.theme === 'unknown outcomes' ? 0.9 : 0.5;
  const isFedBack = existsSync(failures) && random.chance(0.4);
  if (isFedBack) state.records = recordsIn(failures);
  else if (state.records === undefined || random.chance(newListPart)) {
    state.records = listOf(posts, random);
  }
  const { records } = state;
  const hasJournal = random.chance(0.9);
  const argv = argvFor(records, job, folder);
  if (hasJournal) argv.push('--journal', JOURNAL);
  // Without both, what is typed is sent, however often.
  if (random.chance(job.typesFailed) || !hasJournal) argv.push('--failed');
  const isCanary = random.chance(0.2);
  if (isCanary) argv.push('--canary', '1', '--max-failure-rate', random.pick(['10%', '100%']));
  const wait = random.chance(0.65) || isCanary ? waitFlags(random) : { argv: [] };
  argv.push(...(isCanary && random.chance(0.3) ? wait.argv.slice(1) : wait.argv));
  const retriesUnknown = hasJournal && random.chance(state.code === 12 ? repeatsPart : 0.05);
  if (retriesUnknown) argv.push('--retry-unknown', '--yes');
  if (random.chance(0.35)) argv.push('--failures-to', FAILURES);
  if (random.chance(0.1)) argv.push('--max-failures', '1');
  argv.push('--concurrency', String(random.between(1, 4)));
  if (random.chance(0.4)) argv.push('--retries', String(random.between(0, 1)));
  return { kind: 'batch', argv, records, hasJournal, retriesUnknown, waitMs: wait.waitMs };
}

/** A record without targets is a bare ID or an object; both mean the same. */
const lineOf = (record) => (record.targetIds ? JSON.stringify(record) : record.postId);

/** Returns the records of a file that a run has written with --failures-to. */
export function recordsIn(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (line.startsWith('{') ? JSON.parse(line) : { postId: line }));
}

/** Draws how a run is ended from outside: at a request, after its response, or at any time. */
export function interruptionOf(random, { theme }) {
  if (random.chance(theme === 'any' ? 0.6 : 0.8)) return undefined;
  const signal = random.chance(0.7) ? 'SIGKILL' : 'SIGINT';
  if (random.chance(0.25)) return { signal, afterMs: random.between(250, 1200) };
  const at = random.pick(['asked', 'answered']);
  return { signal, at, count: random.between(1, 5), afterMs: random.between(0, 20) };
}

/** Draws how long an operator waits between two runs, in milliseconds of the clock that all have. */
export const timeBetween = (random, { theme }) =>
  theme === 'old reads' && random.chance(0.7)
    ? random.pick([0, 1000, 6000])
    : random.pick([0, 0, 0, 0, 3000, 8000, 20_000, 40_000, 75_000, 1_200_000, 7_200_000]);
