// What is written by the program and kept in the repository is what the program writes now; `vitest -u` rewrites it.

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { scripts } from '../../src/commands/completion/scripts.ts';
import { manual } from '../../tools/docs/man.ts';
import { reference } from '../../tools/docs/commands-md.ts';
import type { CommandTree } from '../../src/cli/read-command-tree.ts';
import { testCli } from '../support/test-cli.ts';

it.each(Object.entries(scripts))('the completion of %s', async (shell, { file, install }) => {
  const { social } = testCli();
  const { exitCode, stdout, stderr } = await social(['completion', shell]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: `install: ${install}\n` });
  await expect(stdout).toMatchFileSnapshot(`../../completions/${file}`);
  // It holds no word of the command line: those are the program's to say.
  expect(stdout.length).toBeLessThan(3000);
  expect(stdout).not.toMatch(/posts|--json/);
});

it('the reference of the commands', async () => {
  const { stdout } = await testCli().social(['commands', '--json', '--all']);
  const text = reference(JSON.parse(stdout) as CommandTree);
  await expect(text).toMatchFileSnapshot('../../docs/commands.md');
});

it('the pages of the manual, those and no others, each of them installed', async () => {
  const { stdout } = await testCli().social(['commands', '--json', '--all']);
  const pages = manual(JSON.parse(stdout) as CommandTree);
  for (const [file, page] of pages) await expect(page).toMatchFileSnapshot(`../../man/${file}`);
  const files = pages.map(([file]) => file).toSorted();
  expect(readdirSync(new URL('../../man/', import.meta.url)).toSorted()).toEqual(files);
  expect(manifest.man).toEqual(files.map((file) => `man/${file}`));
  expect(manifest.files).toContain('man');
});
