// The first file that runs: handles --version and a TAB at once, and loads everything else with the
// compiled code that is kept.

import { lstatSync, mkdirSync, readFileSync, statfsSync, type Stats, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirFrom } from './base/paths.ts';
import { version } from './base/version.ts';
import { homeFolder } from './home.ts';
import { attempt, isPrivate, keptRequire } from './kept-code.ts';
import type { CommandTree } from './cli/command-tree.ts';
import type { main as mainOfProgram } from './main.ts';

const words = process.argv.slice(2);
const { env } = process;

// With a listener, a write beyond the file size limit (ulimit -f) fails instead of ending the process silently.
process.on('SIGXFSZ', () => undefined);

/**
 * Writes to stdout without opening a stream, which costs more than all the rest of this file; `onFailure` handles a
 * failed write.
 */
function show(text: string, onFailure: () => void): void {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(1, bytes, done);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A stream waits for a full non-blocking pipe; a closed pipe is not an error.
    if (code === 'EAGAIN') process.stdout.write(bytes.subarray(done));
    else if (code !== 'EPIPE') onFailure();
  }
}

/**
 * Completes a line for a shell from the command tree that the build has prepared. A failure shows no message, which
 * would appear in the line that is typed; a failed write is only exit code 13.
 */
async function answerTab(line: string): Promise<void> {
  const tree = readFileSync(join(__dirname, 'completion.json'), 'utf8');
  const { complete, machineOf } = await import('./commands/completion/complete.ts');
  const machine = machineOf(env, homeFolder, process.platform);
  show(complete(line, JSON.parse(tree) as CommandTree, machine), () => (process.exitCode = 13));
}

/** On a disk with less room nothing is kept: it would take space from a journal or the settings. */
const MIN_ROOM = 64 * 1024 * 1024;

/** Makes the folder for compiled code, for this user alone; returns nothing if none should be kept there. */
function codeFolder(): string | undefined {
  const folder = cacheDirFrom(env, homeFolder, process.platform);
  // The superuser with the HOME of another user (sudo) would leave files that this user cannot write.
  if (process.getuid?.() === 0 && nearest(folder).uid !== 0) return undefined;
  makeAll(folder);
  const stats = lstatSync(folder);
  const { bavail, bsize } = statfsSync(folder);
  const isFit = stats.isDirectory() && isPrivate(stats, 0o022) && bavail * bsize >= MIN_ROOM;
  return isFit ? folder : undefined;
}

/** Returns the stats of the folder, or of its nearest existing parent. */
const nearest = (path: string): Stats =>
  lstatSync(path, { throwIfNoEntry: false }) ?? nearest(dirname(path));

/** Makes a folder and its parents. Node's `recursive` never ends where no folder can be made, as in /proc. */
function makeAll(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeAll(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Any of these turns kept code off: with it, V8 reports less of what a test covers. */
const switches = ['NODE_DISABLE_COMPILE_CACHE', 'NODE_TEST_CONTEXT', 'NODE_V8_COVERAGE'];

const keepsCode = (): boolean =>
  !switches.some((name) => env[name]) &&
  // With --enable-source-maps, Node itself has to load the files.
  !process.sourceMapsEnabled &&
  // The agent's server starts seldom, and may run for days.
  !words.includes('mcp') &&
  // Another program may have loaded this file.
  require.main?.path === join(__dirname, '..', 'bin');

async function start(): Promise<void> {
  const folder = keepsCode() ? attempt(codeFolder) : undefined;
  const mayKeep = () => attempt(codeFolder) === folder;
  const load = folder ? keptRequire(folder, words.slice(0, 2).join(' '), mayKeep) : require;
  // By the name of its chunk, because an `import()` is the `require` of Node.
  const { main } = load('./main.cjs') as { main: typeof mainOfProgram };
  await main(words);
}

/** Rejects only if the rest of the program cannot be loaded. */
export const started = run();

async function run(): Promise<void> {
  if (words[0] === '__complete') await answerTab(words[1] ?? '').catch(() => undefined);
  else if (words.length !== 1 || !['--version', '-V'].includes(words[0]!)) await start();
  // After a failed write the whole program tries again, and reports it.
  else show(`${version}\n`, () => void start());
}
