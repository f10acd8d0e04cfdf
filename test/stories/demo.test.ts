// The demo shows the whole story of a retry, and leaves no file behind.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { bareEnv, freshHome, root } from '../support/program.ts';

const isCheckout = readdirSync(root).includes('.git');
const treeState = () =>
  isCheckout ? execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }) : '';

describe('the demo', () => {
  it(
    'shows a post, retries it, shows the outcome, and one command of each area',
    { timeout: 60_000 },
    async () => {
      const home = freshHome();
      const own = join(home, '.config/social');
      mkdirSync(own, { recursive: true, mode: 0o700 });
      writeFileSync(join(own, 'config.json'), '{"mine":true}\n', { mode: 0o600 });
      const before = treeState();

      const { exitCode, stdout, stderr } = await execa(process.execPath, ['scripts/demo.mjs'], {
        cwd: root,
        env: bareEnv(home, { SOCIAL_BASE_URL: 'https://never.invalid', SOCIAL_TOKEN: 'never' }),
        extendEnv: false,
        reject: false,
      });
      expect({ exitCode, stderr: stderr.includes('Error') }).toEqual({
        exitCode: 0,
        stderr: false,
      });

      const typed = stdout.split('\n').filter((line) => line.startsWith('$ social '));
      const order = ['posts get PostSpringLaunch', 'posts retry PostSpringLaunch'];
      expect(typed.slice(0, 2)).toEqual(order.map((line) => `$ social ${line}`));
      for (const area of 'posts accounts connect discord ads credentials webhooks'.split(' '))
        expect(typed.some((line) => line.startsWith(`$ social ${area} `))).toBe(true);
      const [first = '', retried = '', after = '', last = ''] = stdout
        .split('$ social posts ')
        .slice(1);
      expect(first).toMatch(/linkedin +✗ failed/);
      expect(retried).toMatch(/linkedin +◌ publishing/);
      expect(after).toMatch(/linkedin +✓ published/);
      expect(after).toMatch(/mastodon +✗ failed/);
      expect(last).toMatch(/^retry PostSpringLaunch --failed --wait[^]*mastodon +✓ published/);

      expect(new Set(readdirSync(home, { recursive: true, encoding: 'utf8' }))).toEqual(
        new Set(['.config', '.config/social', '.config/social/config.json']),
      );
      expect(readFileSync(join(own, 'config.json'), 'utf8')).toBe('{"mine":true}\n');
      expect(treeState()).toBe(before);
    },
  );
});
