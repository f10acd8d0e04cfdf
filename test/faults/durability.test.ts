// A file counts as written only when it is on the disk: its content, and its name in the folder. Tested from outside,
// by the system calls of the built program.

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failedPostsServer, idList, refused } from '../support/counting-server.ts';
import { freshHome, launcher, noCompileCache, shell } from '../support/program.ts';
import { needsUnix } from '../support/unix.ts';

const quiet = ['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'];
const canTrace = spawnSync('strace', [...quiet, '-e', 'trace=fsync', 'true']).status === 0;

const SYNCS = 'fsync,fdatasync,rename,renameat,renameat2';

/** Runs a command line under strace; gives what was synced and renamed below the home, `~`, in its order. */
async function traced(home: string, line: string, env: Record<string, string> = {}) {
  needsUnix('tracing, namespaces and limits');
  const outcome = await shell(
    `strace -f --seccomp-bpf -qq -y -o "$HOME/trace" -e trace=${SYNCS} "${process.execPath}" "${launcher}" ${line}`,
    { home, env: { ...env, TMPDIR: home, ...noCompileCache } },
  );
  const calls = fs.readFileSync(join(home, 'trace'), 'utf8').split('\n');
  const steps = calls.flatMap((each) => {
    const [, call, what = ''] = /^\d+\s+(?:<\.\.\. )?(\w+)\((.*)\)\s+= 0$/.exec(each) ?? [];
    if (call === undefined || !what.includes(home)) return [];
    const names = [...what.matchAll(/[<"]([^<>"]+)[>"]/g)]
      .map(([, name]) =>
        name!.replace(home, '~').replace(/\d+-[-0-9a-f]+\.tmp(?=$|\/)/, 'TEMPORARY'),
      )
      .filter((name) => name.startsWith('~'));
    return [`${call.replace(/^rename\w*/, 'rename')} ${names.join(' ')}`];
  });
  return { outcome, steps };
}

describe.runIf(canTrace)('a saved file', () => {
  it('is synced before it is renamed, and its folder after it', async () => {
    const home = freshHome();
    const { outcome, steps } = await traced(home, 'config set timeout 1m -q');
    expect(outcome.exitCode).toBe(0);
    // conf writes in a folder of its own, and what it wrote is synced after it was read back.
    const folder = '~/.config/social/.config.json.TEMPORARY';
    expect(steps.slice(2)).toEqual([
      `fsync ${folder}/config.json`,
      `rename ${folder}/config.json ~/.config/social/config.json`,
      'fsync ~/.config/social',
    ]);
  });

  it('of batch failures is synced too; a new journal and its folder are before anything is sent', async () => {
    const service = await failedPostsServer(() => ({ status: 422, body: refused('no', 'No.') }));
    const home = freshHome();
    fs.mkdirSync(join(home, 'j'));
    fs.mkdirSync(join(home, 'f'));
    fs.writeFileSync(join(home, 'ids'), idList(1));
    const line = `posts retry --from "$HOME/ids" --journal "$HOME/j/journal" --failures-to "$HOME/f/left" -q`;
    const env = { SOCIAL_TOKEN: 'canary', SOCIAL_BASE_URL: service.url };
    const { outcome, steps } = await traced(home, line, env);
    expect(outcome.exitCode).toBe(11);
    expect(steps.filter((step) => step.includes('~/j'))).toEqual([
      // The whole file with its heading, the folder, the intent, the outcome.
      'fsync ~/j/.journal.TEMPORARY',
      'rename ~/j/.journal.TEMPORARY ~/j/journal',
      'fsync ~/j',
      'fdatasync ~/j/journal',
      'fdatasync ~/j/journal',
    ]);
    expect(steps.filter((step) => step.includes('~/f'))).toEqual([
      'fsync ~/f/.left.TEMPORARY',
      'rename ~/f/.left.TEMPORARY ~/f/left',
      'fsync ~/f',
    ]);
  });
});
