// The first file that runs: answers --version, the prepared help and `__complete` at once, and loads everything else
// through the code cache.

import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { throughCodeCache } from './code-cache.ts';
import type { main } from './main.ts';
import { version } from './base/version.ts';
import type { CompletionTree } from './commands/completion/completion-tree.ts';

/** Replaced by the build with a hash of the built files. */
const BUILD = '__SOCIAL_BUILD__';

const words = process.argv.slice(2);
const { env } = process;
const warm = env['SOCIAL_WARM_CACHE'] === '1';

/** Whether the line is one word and the word one of these. */
const isOnly = (...names: readonly string[]) => words.length === 1 && names.includes(words[0]!);

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

/**
 * The help that the build has prepared, for pipes and files; a terminal has a width, colours and settings of its own.
 */
async function showHelp(): Promise<void> {
  const { isUnicode } = await import('./output/locale.ts');
  if (!isUnicode(env) || isTerminal()) return start();
  let text: string;
  try {
    text = readFileSync(join(__dirname, 'help.txt'), 'utf8');
  } catch {
    return start();
  }
  show(text, () => void start());
}

/** Whether stdout is a terminal, or may be one. The module is only loaded for a device, such as /dev/null. */
function isTerminal(): boolean {
  try {
    return fstatSync(1).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(1);
  } catch {
    return true;
  }
}

/**
 * The home folder of the user: `HOME` if it is absolute, else what the system says; a relative one would lead to
 * settings that came with the current folder. `/` for a user with a number and no name, as in a container.
 */
function homeFolder(): string {
  const isPosix = process.platform !== 'win32';
  const { HOME } = env;
  // As node:os would answer, without loading it.
  if (isPosix && HOME !== undefined && isAbsolute(HOME)) return HOME;
  const { homedir, userInfo } = process.getBuiltinModule('node:os');
  try {
    return isPosix ? userInfo().homedir : homedir();
  } catch {
    return '/';
  }
}

/** Answers a shell at a TAB from the prepared command tree; without that the whole program answers. */
async function complete(asked: readonly string[]): Promise<void> {
  let tree: CompletionTree;
  try {
    tree = JSON.parse(readFileSync(join(__dirname, 'completion.json'), 'utf8')) as CompletionTree;
  } catch {
    return start();
  }
  const { complete: answer, machineOf } = await import('./commands/completion/complete.ts');
  // A shell that waits for candidates gets no message.
  show(
    answer(asked, tree, machineOf(env, homeFolder, process.platform)),
    () => (process.exitCode = 13),
  );
}

const asNode = (id: string): unknown => module.require(id) as unknown;

/** Loads the built files: through the code cache, or through Node where the user has disabled caches. */
function loader(): (id: string) => unknown {
  if ((env['NODE_DISABLE_COMPILE_CACHE'] ?? '') !== '') return asNode;
  const places = {
    dist: __dirname,
    build: BUILD,
    userCache: () => {
      const local = env['LOCALAPPDATA'];
      // Nothing there says whose a folder is: no other place is as certain to be this user's.
      if (process.platform === 'win32')
        return join(local || join(homeFolder(), 'AppData', 'Local'), 'social', 'cache');
      const caches = env['XDG_CACHE_HOME'];
      if (caches !== undefined && isAbsolute(caches)) return join(caches, 'social');
      return join(homeFolder(), '.cache', 'social');
    },
    platform: `${process.version}-${process.arch}`,
    uid: process.getuid?.(),
    warm,
    Script: process.getBuiltinModule('node:vm').Script,
    atExit: (work: () => void) => void process.once('exit', work),
  };
  return throughCodeCache(places, asNode);
}

async function start(): Promise<void> {
  const load = loader();
  // Not `import()`: the loader is only known at run time.
  await (load('./main.cjs') as { main: typeof main }).main(words);
}

if (isOnly('--version', '-V')) show(`${version}\n`, () => void start());
else if (words[0] === '__complete' && words.length > 1 && !warm)
  complete(words.slice(1)).catch(() => undefined);
else if ((words.length > 0 && !isOnly('--help', '-h')) || warm) void start();
else void showHelp();
