// The shell test of docs/sandbox.md passes as it is written there, run by a plain `sh`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshHome, plainShell, root } from '../support/program.ts';

const guide = readFileSync(join(root, 'docs/sandbox.md'), 'utf8');
const script = /```sh\n(#!\/bin\/sh\n.*?)```/s.exec(guide)![1]!;

it('the script of the guide passes, and fails when a reply is sent twice', async () => {
  const before = ['--quiet >', '7 | 9 | 11)'];
  for (const text of before) expect(script).toContain(text);
  const careless = script
    .replace('--quiet >', '--quiet --retry-unknown >')
    .replace('7 | 9 | 11)', '7 | 9 | 11 | 12)');
  // Both wait most of the time until the service responds again.
  const [right, wrong] = await Promise.all(
    [script, careless].map((text) => plainShell(text, freshHome())),
  );
  expect(right).toMatchObject({ exitCode: 0, stdout: 'ok\n', stderr: '' });
  expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
  expect(wrong!.stderr).toContain('FAILED: thanked twice');
}, 60_000);
