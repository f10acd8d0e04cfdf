// The generated files in the repository are up to date; `vitest -u` rewrites them.

import { expect, it } from 'vitest';
import { scripts } from '../../src/commands/completion/completion.ts';
import { reference } from '../../tools/docs/commands-md.ts';
import type { CommandTree } from '../../src/cli/command-tree.ts';
import { testCli } from '../support/test-cli.ts';

it.each(Object.entries(scripts))('the completion of %s is up to date', async (shell, { file }) => {
  const { social } = testCli();
  const { exitCode, stdout, stderr } = await social(['completion', shell]);
  const install = `install: social completion install --shell ${shell}\n`;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: install });
  await expect(stdout).toMatchFileSnapshot(`../../completions/${file}`);
  // The script has no word of the command line: the program answers with those.
  expect(stdout.length).toBeLessThan(3000);
  expect(stdout).not.toMatch(/posts|--json/);
});

it('the reference of the commands is up to date', async () => {
  const { stdout } = await testCli().social(['__tree']);
  const text = reference(JSON.parse(stdout) as CommandTree);
  await expect(text).toMatchFileSnapshot('../../docs/commands.md');
});
