// The parts that the scripts of this folder share: runs of the program, posts as the service sends them, the counts of a
// journal, and rounds by their seeds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The program that is tried if no other build is named with `--binary`. */
const launcher = fileURLToPath(new URL('../../bin/social.js', import.meta.url));
const clock = fileURLToPath(new URL('clock.cjs', import.meta.url));

export const pause = (ms) => new Promise((wake) => setTimeout(wake, ms));

/** Makes an ID of 16 letters from the start of it and a number. */
export const idOf = (start, number) =>
  `${start}${Array.from({ length: 16 - start.length }, (_, at) => String.fromCodePoint(97 + (Math.floor(number / 26 ** at) % 26))).join('')}`;

/**
 * Makes a folder that is the home of a program, and returns how to run the program there against a service. `binary` is
 * its `bin/social.js`.
 */
export function programIn(url, binary = launcher) {
  const folder = mkdtempSync(join(tmpdir(), 'social-torture-'));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SOCIAL_BASE_URL: url,
    SOCIAL_TOKEN: 'torture',
  };
  /** Starts the program; `clockMs` is by how much its clock differs from that of this machine. */
  const start = (argv, clockMs = 0) => {
    const isSet = { TORTURE_CLOCK_MS: String(clockMs) };
    const words = clockMs === 0 ? [] : ['--require', clock];
    return spawn(process.execPath, [...words, resolve(binary), ...argv], {
      env: { ...env, ...isSet },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  /** Resolves to what a started program said, and how it ended. */
  const ended = async (child) => {
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    const [code, signal] = await once(child, 'close');
    return { code, signal, stdout, stderr };
  };
  /** Runs the program; kills it after this many milliseconds if a number is given. */
  const run = async (argv, killAfterMs) => {
    const child = start(argv);
    const kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs ?? 120_000);
    const said = await ended(child);
    clearTimeout(kill);
    return said;
  };
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  return { folder, start, ended, run, remove };
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

/** Returns the counts that a batch with --json shows at its end; `undefined` if it ended before it had any. */
export function countsIn({ stderr }) {
  const lines = stderr.split('\n').filter(Boolean);
  const failure = lines.findLast((line) => line.startsWith('{'));
  if (failure !== undefined) {
    const { details } = JSON.parse(failure).error;
    if (details?.notStarted === undefined) return undefined;
    const { ok, failed, unknown, accepted, skipped, notStarted, before } = details;
    return { ok, failed, unknown, accepted, skipped, notStarted, before };
  }
  const all = /^all (\d+) already done$/m.exec(stderr);
  if (all !== null) return { ok: 0, notStarted: 0, before: Number(all[1]) };
  const headline = /^(\d+) (?:of (\d+) )?(?:published|accepted|done)\b.*$/m.exec(stderr)?.[0];
  if (headline === undefined) return undefined;
  const numberOf = (word) => Number(new RegExp(`(\\d+) ${word}`).exec(headline)?.[1] ?? 0);
  const accepted = Number(/[,;] (\d+) accepted/.exec(headline)?.[1] ?? 0);
  const skipped = numberOf('skipped');
  return {
    ok: Number.parseInt(headline),
    accepted,
    skipped,
    notStarted: 0,
    before: numberOf('published before'),
  };
}

/** Reads the options of a script; they may also be given by position, in the order in which they are declared. */
export function optionsOf(options) {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const names = Object.keys(options);
  return { ...values, ...Object.fromEntries(positionals.map((value, i) => [names[i], value])) };
}

/**
 * Runs a round for each seed, some at once. Prints what rounds tell, the sum of their figures, and how many rounds had
 * each kind of fault; ends with 1 if one was faulty.
 */
export async function eachSeed(round, { rounds, first, atOnce }) {
  console.log(`seeds ${first} to ${first + rounds - 1}, ${atOnce} at once`);
  const sum = {};
  const kinds = {};
  const seeds = [];
  let next = first;
  const worker = async () => {
    while (next < first + rounds) {
      const seed = next++;
      const { figures, faults, told } = await round(seed);
      for (const [name, count] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + count;
      for (const kind of new Set(faults)) kinds[kind] = (kinds[kind] ?? 0) + 1;
      if (faults.length > 0) seeds.push(seed);
      if (told !== '') console.error(told);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, rounds) }, worker));
  console.log(JSON.stringify({ rounds, ...sum, faulty: seeds.length, seeds, kinds }));
  process.exitCode = seeds.length > 0 ? 1 : 0;
}
