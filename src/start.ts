// The first file that runs: answers --version and a TAB at once, and loads everything else through Node's compile cache.

import { lstatSync, mkdirSync, readFileSync, statfsSync, writeSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { version } from './base/version.ts';
import { homeFolder } from './home.ts';
import type { CommandTree } from './cli/command-tree.ts';

const words = process.argv.slice(2);
const { env } = process;

// With a listener, a file at its size limit (ulimit -f) is a failed write instead of a silent end.
process.on('SIGXFSZ', () => undefined);

/**
 * Writes without opening a stream, which costs more than all the rest of this file; `failed` handles a failed write.
 */
function show(text: string, failed: () => void): void {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(1, bytes, done);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A stream waits for a full non-blocking pipe; a closed pipe is no fault.
    if (code === 'EAGAIN') process.stdout.write(bytes.subarray(done));
    else if (code !== 'EPIPE') failed();
  }
}

/** Answers a shell at a TAB from the command tree that the build has prepared. A shell gets no message. */
async function answerTab(line: string): Promise<void> {
  const prepared = readFileSync(join(__dirname, 'completion.json'), 'utf8');
  const { complete, machineOf } = await import('./commands/completion/complete.ts');
  const machine = machineOf(env, homeFolder, process.platform);
  show(complete(line, JSON.parse(prepared) as CommandTree, machine), () => (process.exitCode = 13));
}

/** A relative path would lead to wherever the command runs. */
const absolute = (path = '') => (isAbsolute(path) ? path : undefined);

/** Where compiled code is kept: a folder of this user. Node's own choice is shared by all users of the machine. */
function cacheFolder(): string {
  const { LOCALAPPDATA: local, XDG_CACHE_HOME: caches } = env;
  return process.platform === 'win32'
    ? join(absolute(local) ?? join(homeFolder(), 'AppData', 'Local'), 'social', 'cache')
    : join(absolute(caches) ?? join(homeFolder(), '.cache'), 'social');
}

/** On a disk with less room nothing is kept: the cache would take what a journal or the settings need. */
const MIN_ROOM = 64 * 1024 * 1024;

/** Makes the folder for compiled code; false where nothing should be kept there. */
function makeCacheFolder(folder: string): boolean {
  const user = process.getuid?.();
  // The superuser with the HOME of somebody else (sudo) would leave there what that user cannot write.
  if (user === 0 && nearest(folder).uid !== 0) return false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  const { bavail, bsize } = statfsSync(folder);
  // What others may write there would run as this user.
  const isPrivate = user === undefined || (uid === user && !(mode & 0o022));
  return isPrivate && bavail * bsize >= MIN_ROOM;
}

/** The folder or, as long as it is not there, the nearest one above it. */
const nearest = (path: string): Stats =>
  lstatSync(path, { throwIfNoEntry: false }) ?? nearest(dirname(path));

/** Has Node keep compiled code, where it can (22.1 and newer); without it everything works, only slower. */
function enableCompileCache(): void {
  const { enableCompileCache: enable } = process.getBuiltinModule('node:module') as {
    enableCompileCache?: (folder: string) => unknown;
  };
  if (enable === undefined || env['NODE_DISABLE_COMPILE_CACHE']) return;
  try {
    const folder = cacheFolder();
    if (!makeCacheFolder(folder)) return;
    enable(folder);
    // Node writes the cache as its last act. Without `process.exit` it has given up the listeners of signals by then, and
    // a file at its size limit would kill it.
    process.once('beforeExit', () => process.exit());
  } catch {
    // A home that is missing or read-only.
  }
}

async function start(): Promise<void> {
  enableCompileCache();
  const { main } = await import('./main.ts');
  await main(words);
}

if (words.length === 1 && ['--version', '-V'].includes(words[0]!))
  show(`${version}\n`, () => void start());
else if (words[0] === '__complete') answerTab(words[1] ?? '').catch(() => undefined);
else void start();
