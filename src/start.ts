// The first file that runs: tells the version at once, and loads everything else through the code cache.

import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { version } from './version.ts';

/** Replaced by the build with a hash of the built files. */
const BUILD = '__SOCIAL_BUILD__';

function showVersion(): void {
  try {
    // A stream costs more to open than all the rest of this.
    writeSync(1, `${version}\n`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') process.exitCode = 13;
  }
}

async function start(): Promise<void> {
  const { env, arch, version: node } = process;
  if ((env['NODE_DISABLE_COMPILE_CACHE'] ?? '') === '') {
    const { useCodeCache } = await import('./code-cache.ts');
    const caches = env['XDG_CACHE_HOME'];
    useCodeCache({
      dist: __dirname,
      build: BUILD,
      userCache: join(
        caches !== undefined && isAbsolute(caches) ? caches : join(homedir(), '.cache'),
        'social',
      ),
      platform: `${node}-${arch}`,
      uid: process.getuid?.(),
      warm: env['SOCIAL_WARM_CACHE'] === '1',
      atExit: (work) => void process.once('exit', work),
    });
  }
  await import('./main.ts');
}

const [only, ...others] = process.argv.slice(2);
if (others.length === 0 && (only === '--version' || only === '-V')) showVersion();
else void start();
