// What is written by the program and kept in the repository is what the program writes now; `vitest -u` rewrites it.

import { expect, it } from 'vitest';
import { scripts } from '../../src/cli/completion/scripts.ts';
import { reference } from '../../src/cli/reference.ts';
import type { Tree } from '../../src/cli/tree.ts';
import { theatre } from '../support/world.ts';

it.each(Object.entries(scripts))('the completion of %s', async (shell, { file, install }) => {
  const { social } = theatre();
  const { exitCode, stdout, stderr } = await social(['completion', shell]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `install: ${install}\n` });
  await expect(stdout).toMatchFileSnapshot(`../../completions/${file}`);
});

it('the reference of the commands', async () => {
  const { stdout } = await theatre().social(['commands', '--json']);
  const text = reference(JSON.parse(stdout) as Tree);
  await expect(text).toMatchFileSnapshot('../../docs/commands.md');
});
