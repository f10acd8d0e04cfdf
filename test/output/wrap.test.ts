// A note on stderr is one line in a pipe, and is wrapped between words on a narrower terminal.

import { expect, it } from 'vitest';
import { testCli } from '../support/test-cli.ts';

const create = ['-C', 'sandbox', 'webhooks', 'create', '--event', 'post.failed'];
const url = ['--url', 'https://hooks.example.com/social'];

it('a note is one line in a pipe, and wrapped between words on a terminal', async () => {
  const note = 'name set to hooks.example.com, the host of the URL; use --name for another';
  const { social } = testCli();
  const piped = await social([...create, ...url]);
  expect(piped.exitCode).toBe(0);
  expect(piped.stderr).toBe(`${note}\n`);
  const narrow = await social([...create, ...url], { columns: 50 });
  expect(narrow.stderr).toContain(
    'name set to hooks.example.com, the host of the\n  URL; use --name for another\n',
  );
  const wide = await social([...create, ...url], { columns: 80 });
  expect(wide.stderr).toContain(`${note}\n`);
});

it('a command in a note is not wrapped, and the text before it is', async () => {
  const { social } = testCli();
  const line = ['-C', 'sandbox', 'posts', 'triage', 'PostSpringLaunch', 'PostFlashSaleOne'];
  const { stdout, stderr } = await social(line, { columns: 50 });
  const commands = (stdout + stderr).split('\n').filter((each) => each.includes('social -C'));
  expect(commands.length).toBeGreaterThan(0);
  for (const each of commands) expect(each).toMatch(/^ {2}(?:next: )?social -C sandbox .*[^-]\w$/);
});

it('a command in a note stays whole, for copying', async () => {
  const { stderr } = await testCli().social(['completion', 'bash'], { columns: 50 });
  const lines = stderr.split('\n').filter((line) => line.length > 50);
  for (const line of lines) expect(line).toMatch(/^install: /);
  expect(stderr).toMatch(/^install: /m);
});
