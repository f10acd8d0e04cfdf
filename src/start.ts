// The first file that runs: handles --version and a TAB at once, and loads everything else through Node's compile
// cache.

import { lstatSync, mkdirSync, readFileSync, statfsSync, writeSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirFrom } from './base/paths.ts';
import { version } from './base/version.ts';
import { homeFolder } from './home.ts';
import type { CommandTree } from './cli/command-tree.ts';

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

/** On a disk with less room nothing is cached: the cache would take space from a journal or the settings. */
const MIN_ROOM = 64 * 1024 * 1024;

/**
 * Makes the folder for compiled code, which belongs to this user: Node's default is shared by all users of the machine.
 * Returns false if nothing should be stored there.
 */
function makeCacheFolder(folder: string): boolean {
  const user = process.getuid?.();
  // The superuser with the HOME of another user (sudo) would leave files that this user cannot write.
  if (user === 0 && nearest(folder).uid !== 0) return false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  const { bavail, bsize } = statfsSync(folder);
  // Code that others write there would run as this user.
  const isPrivate = user === undefined || (uid === user && !(mode & 0o022));
  return isPrivate && bavail * bsize >= MIN_ROOM;
}

/** Returns the stats of the folder, or of its nearest existing parent. */
const nearest = (path: string): Stats =>
  lstatSync(path, { throwIfNoEntry: false }) ?? nearest(dirname(path));

/** Lets Node cache compiled code if it can (22.1 and newer); without it the program is only slower. */
function enableCompileCache(): void {
  const { enableCompileCache: enable } = process.getBuiltinModule('node:module') as {
    enableCompileCache?: (folder: string) => unknown;
  };
  if (enable === undefined || env['NODE_DISABLE_COMPILE_CACHE']) return;
  try {
    const folder = cacheDirFrom(env, homeFolder, process.platform);
    if (!makeCacheFolder(folder)) return;
    enable(folder);
    // Node writes the cache as its last act. Without `process.exit` it has removed the signal listeners by then, and a
    // file at its size limit would kill it.
    process.once('beforeExit', () => process.exit());
  } catch {
    // The home is missing or read-only.
  }
}

async function start(): Promise<void> {
  enableCompileCache();
  const { main } = await import('./main.ts');
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
