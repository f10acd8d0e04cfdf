// The parts that the scripts of this folder share: runs of the program, posts as the service sends them, the counts of a
// journal, and rounds by their seeds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/social.js', import.meta.url));

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Makes an ID of 16 letters from the start of it and a number. */
export const idOf = (start, number) =>
  `${start}${Array.from({ length: 16 - start.length }, (_, at) => String.fromCodePoint(97 + (Math.floor(number / 26 ** at) % 26))).join('')}`;

/** Makes a folder that is the home of a program, and returns how to run the program there against a service. */
export function programIn(url) {
  const folder = mkdtempSync(join(tmpdir(), 'social-torture-'));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SOCIAL_BASE_URL: url,
    SOCIAL_TOKEN: 'torture',
  };
  /** Runs the program; kills it after this many milliseconds if a number is given. */
  const run = async (argv, killAfterMs) => {
    const child = spawn(process.execPath, [launcher, ...argv], { env, cwd: folder });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    const kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs ?? 120_000);
    const [code, signal] = await once(child, 'close');
    clearTimeout(kill);
    return { code, signal, stdout, stderr };
  };
  return { folder, run, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A response of the service with a post, whose targets have an `updatedAt` in milliseconds. */
export function responseOf(id, status, targets) {
  const createdAt = new Date(Date.now() - 7_200_000).toISOString();
  const own = targets.map(({ updatedAt, ...target }) => ({
    ...target,
    postId: id,
    accountId: 'AccountAccountAA',
    createdAt,
    updatedAt: new Date(updatedAt).toISOString(),
  }));
  const lists = { mediaItems: [], tags: [], hashtags: [], mentions: [], metadata: {} };
  const rest = { organizationId: 'o', createdBy: 'u', title: id, crosspostingEnabled: false };
  const times = { createdAt, updatedAt: createdAt };
  return JSON.stringify({
    ok: true,
    data: { id, status, ...rest, ...lists, ...times, targets: own },
  });
}

/** Counts the records of a journal, those that are done or accepted, and those whose outcome is unknown. */
export function tally(journal) {
  const keys = new Map();
  const ends = new Map();
  const set = (key, end) => {
    if (ends.get(key) !== 'done') ends.set(key, end);
  };
  for (const line of readFileSync(journal, 'utf8').split('\n').filter(Boolean)) {
    const entry = JSON.parse(line.slice(9));
    if (entry.sent) {
      keys.set(entry.requestId, entry.sent);
      set(entry.sent, 'unknown');
    }
    if (entry.ended) set(keys.get(entry.ended), entry.as);
    if (entry.done) set(entry.done, 'done');
  }
  const count = (as) => [...ends.values()].filter((end) => end === as).length;
  return {
    keys: ends.size,
    done: count('done'),
    accepted: count('accepted'),
    unknown: count('unknown'),
  };
}

/** Runs a round for each seed, some at once; prints the sum of their figures, and ends with 1 if one was faulty. */
export async function eachSeed(round, { rounds, first, atOnce }) {
  console.log(`seeds ${first} to ${first + rounds - 1}, ${atOnce} at once`);
  const sum = {};
  const seeds = [];
  let next = first;
  const worker = async () => {
    while (next < first + rounds) {
      const seed = next++;
      const { figures, wrong } = await round(seed);
      for (const [name, count] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + count;
      if (wrong.length > 0) seeds.push(seed);
      for (const each of wrong) console.error(each);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, rounds) }, worker));
  console.log(JSON.stringify({ rounds, ...sum, faulty: seeds.length, seeds }));
  process.exitCode = seeds.length > 0 ? 1 : 0;
}
