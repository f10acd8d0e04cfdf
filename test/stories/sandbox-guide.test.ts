// The shell test of docs/sandbox.md, run as it stands there by a plain `sh`: it passes, and it can fail.

import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bareEnv, freshHome, launcher, root } from '../support/program.ts';
import { needsUnix } from '../support/unix.ts';

const guide = readFileSync(join(root, 'docs/sandbox.md'), 'utf8');
const script = /```sh\n(#!\/bin\/sh\n.*?)```/s.exec(guide)![1]!;

/** Runs a shell script in an empty folder, with `social` on the path. */
function run(text: string): Promise<{ code: number; stdout: string; stderr: string }> {
  needsUnix('Unix shell');
  const home = freshHome();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'social'), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`);
  chmodSync(join(bin, 'social'), 0o755);
  writeFileSync(join(home, 'test-thanks.sh'), text);
  const env = { ...bareEnv(home), PATH: `${bin}:${process.env['PATH']}` };
  return new Promise((resolve) => {
    execFile('sh', ['test-thanks.sh'], { cwd: home, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Scripts that must not pass, as changes of the one that does, and what their test says of them. */
const flawed = {
  'thanked twice': [
    ['--quiet >', '--quiet --retry-unknown >'],
    ['7 | 9 | 11)', '7 | 9 | 11 | 12)'],
  ],
  'only some were thanked': [['in 1 2 3 4 5;', 'in 1;']],
  'expected 4': [['*) exit "$code" ;;', '12) exit 12 ;; *) exit 0 ;;']],
} as const;

it('the script of the guide passes, and the wrong ones fail', async () => {
  const variants = Object.values(flawed).map((changes) =>
    changes.reduce((text, [before, after]) => {
      expect(text).toContain(before);
      return text.replace(before, after);
    }, script),
  );
  // All at once: most of the time they wait for the service to be well again.
  const [right, ...wrong] = await Promise.all([script, ...variants].map(run));
  expect(right).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
  for (const [i, why] of Object.keys(flawed).entries()) {
    expect(wrong[i]).toMatchObject({ code: 1, stdout: '' });
    expect(wrong[i]!.stderr).toContain(`FAILED: ${why}`);
  }
}, 60_000);
