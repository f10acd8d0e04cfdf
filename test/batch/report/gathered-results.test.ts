// Several results on a terminal: whole tables, each apart from the next, in the order in which they were typed.

import { expect, it } from 'vitest';
import { testCli } from '../../support/test-cli.ts';

const get = ['-C', 'sandbox', 'posts', 'get'];

it('an empty line stands between whole tables, not before the first and not within a list', async () => {
  const { social } = testCli();
  const several = [...get, 'PostSpringLaunch', 'PostNowhereToSee', 'PostAutumnRecaps'];
  const { stdout } = await social(several, { columns: 80 });
  expect(stdout).toMatch(/^title: +Spring launch[^]*[^\n]\n\ntitle: +Autumn recap/);
  expect(stdout.match(/^title:/gm)).toHaveLength(2);
  expect(stdout).not.toMatch(/\n\n\n|\n\n$/);
  const list = await social([...get, '--from', '-'], {
    columns: 80,
    stdin: 'PostSpringLaunch\nPostAutumnRecaps\n',
  });
  expect(list.stdout).not.toContain('\n\n');
});
