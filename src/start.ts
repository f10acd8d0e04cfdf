// The first file that runs: tells the version, the help, and what completes a word at once, and loads everything else
// through the code cache.

import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { main } from './main.ts';
import { version } from './base/version.ts';
import type { CompletionTree } from './commands/completion/completion-tree.ts';

/** Replaced by the build with a hash of the built files. */
const BUILD = '__SOCIAL_BUILD__';
/** The width for which the build has prepared the help; wider terminals get the same. */
const PREPARED_COLUMNS = 80;

const words = process.argv.slice(2);
const { env } = process;
const warm = env['SOCIAL_WARM_CACHE'] === '1';

/** Whether the line is one word and the word one of these. */
const isOnly = (...names: readonly string[]) => words.length === 1 && names.includes(words[0]!);

// A file that has reached its limit (ulimit -f) is a write that fails, and no end without a word.
process.on('SIGXFSZ', () => undefined);

/** A stream costs more to open than all the rest of this. What cannot be written `failed` deals with. */
function show(text: string, failed: () => void): void {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(1, bytes, done);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A pipe that is full and does not wait is for a stream to wait for; one that nobody reads is no fault.
    if (code === 'EAGAIN') process.stdout.write(bytes.subarray(done));
    else if (code !== 'EPIPE') failed();
  }
}

/** Whether stdout is a terminal with less room than the prepared help needs. */
function isNarrow(): boolean {
  try {
    if (!fstatSync(1).isCharacterDevice()) return false;
    const { isatty } = process.getBuiltinModule('node:tty');
    return isatty(1) && process.stdout.columns < PREPARED_COLUMNS;
  } catch {
    return true;
  }
}

/** The help that the build has prepared, where this terminal can show it. */
async function showHelp(): Promise<void> {
  const { isUnicode } = await import('./output/locale.ts');
  if (!isUnicode(env) || isNarrow()) return start();
  let text: string;
  try {
    text = readFileSync(join(__dirname, 'help.txt'), 'utf8');
  } catch {
    return start();
  }
  show(text, () => void start());
}

/**
 * The home folder of the user: `HOME` where it names a place, else what the system says; a relative one would lead to
 * settings that came with the folder of the day. `/` for a user with a number and no name, as in a container.
 */
function home(): string {
  const isPosix = process.platform !== 'win32';
  const { HOME } = env;
  // What the module would say, without loading it.
  if (isPosix && HOME !== undefined && isAbsolute(HOME)) return HOME;
  const { homedir, userInfo } = process.getBuiltinModule('node:os');
  try {
    return isPosix ? userInfo().homedir : homedir();
  } catch {
    return '/';
  }
}

/** What a shell asks at a TAB, by the command line that the build has prepared; without it the program builds its own. */
async function complete(asked: readonly string[]): Promise<void> {
  let tree: CompletionTree;
  try {
    tree = JSON.parse(readFileSync(join(__dirname, 'completion.json'), 'utf8')) as CompletionTree;
  } catch {
    return start();
  }
  const { complete: answer, machineOf } = await import('./commands/completion/complete.ts');
  // A shell that waits for candidates is told of no fault.
  show(answer(asked, tree, machineOf(env, home)), () => (process.exitCode = 13));
}

const asNode = (id: string): unknown => module.require(id) as unknown;

/** What loads the built files: Node, or the cache of what they are compiled to. */
async function loader(): Promise<(id: string) => unknown> {
  if ((env['NODE_DISABLE_COMPILE_CACHE'] ?? '') !== '') return asNode;
  const { throughCodeCache } = await import('./code-cache.ts');
  const places = {
    dist: __dirname,
    build: BUILD,
    userCache: () => {
      const caches = env['XDG_CACHE_HOME'];
      if (caches !== undefined && isAbsolute(caches)) return join(caches, 'social');
      return join(home(), '.cache', 'social');
    },
    platform: `${process.version}-${process.arch}`,
    uid: process.getuid?.(),
    warm,
    atExit: (work: () => void) => void process.once('exit', work),
  };
  return throughCodeCache(places, asNode);
}

async function start(): Promise<void> {
  const load = await loader();
  // By name, and no `import()`: what loads it is only known now.
  await (load('./main.cjs') as { main: typeof main }).main(words);
}

if (isOnly('--version', '-V')) show(`${version}\n`, () => void start());
else if (words[0] === '__complete' && words.length > 1 && !warm)
  complete(words.slice(1)).catch(() => undefined);
else if ((words.length > 0 && !isOnly('--help', '-h')) || warm) void start();
else void showHelp();
