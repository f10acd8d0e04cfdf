// The shell test of docs/sandbox.md, run as it stands there by a plain `sh`: it passes, and it can fail.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshHome, plainShell, root } from '../support/program.ts';

const guide = readFileSync(join(root, 'docs/sandbox.md'), 'utf8');
const script = /```sh\n(#!\/bin\/sh\n.*?)```/s.exec(guide)![1]!;

/** Runs a script in an empty folder. */
async function run(text: string) {
  const { exitCode: code, stdout, stderr } = await plainShell(text, freshHome());
  return { code, stdout, stderr };
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
