// The demo shows the whole story of a retry, and leaves no file behind.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { bareEnv, freshHome, root } from '../support/program.ts';

it('the demo shows a retry and one command of each area, and leaves no file behind', async () => {
  const home = freshHome();
  const own = join(home, '.config/social');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  writeFileSync(join(own, 'config.json'), '{"mine":true}\n', { mode: 0o600 });
  const { exitCode, stdout, stderr } = await execa(
    process.execPath,
    [join(root, 'scripts/demo.mjs')],
    {
      cwd: home,
      env: bareEnv(home, { SOCIAL_BASE_URL: 'https://never.invalid', SOCIAL_TOKEN: 'never' }),
      extendEnv: false,
      reject: false,
    },
  );
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('Error');
  for (const area of 'posts accounts connect discord ads credentials webhooks'.split(' '))
    expect(stdout).toContain(`\n$ social ${area} `);
  const [first = '', retried = '', after = '', last = ''] = stdout
    .split('$ social posts ')
    .slice(1);
  expect(first).toMatch(/^get PostSpringLaunch\n[^]*linkedin +✗ failed/);
  expect(retried).toMatch(/^retry PostSpringLaunch\n[^]*linkedin +◌ publishing/);
  expect(after).toMatch(/linkedin +✓ published[^]*mastodon +✗ failed/);
  expect(last).toMatch(/^retry PostSpringLaunch --failed --wait[^]*mastodon +✓ published/);
  expect(readdirSync(home, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
    '.config',
    '.config/social',
    '.config/social/config.json',
  ]);
  expect(readFileSync(join(own, 'config.json'), 'utf8')).toBe('{"mine":true}\n');
}, 60_000);
