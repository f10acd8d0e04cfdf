// The launcher, and what the build has prepared for a TAB.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandTree } from '../src/cli/read-command-tree.ts';
import { launcher } from './support/launcher.ts';
import { freshHome, root, social } from './support/program.ts';

describe('the launcher', () => {
  it.each(['0.10.48', '18.20.4', '20.18.3'])('refuses Node %s in one sentence', (old) => {
    const pretend = `
      Object.defineProperty(process.versions, 'node', { value: '${old}' });
      Object.defineProperty(process, 'version', { value: 'v${old}' });
      require(${JSON.stringify(launcher)});`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', pretend], {
      encoding: 'utf8',
    });
    expect(stderr).toBe(`social needs Node 20.19 or newer; this is v${old}\n`);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  it('says so when the program is not built', () => {
    const folder = freshHome();
    const lone = join(folder, 'bin', 'social.js');
    mkdirSync(join(folder, 'bin'));
    copyFileSync(launcher, lone);
    const { status, stderr } = spawnSync(process.execPath, [lone], { encoding: 'utf8' });
    expect(stderr).toBe('social is not built: npm run build\n');
    expect(status).toBe(1);
  });
});

describe('the command line that the build has prepared for completion', () => {
  it('is that of the program', async () => {
    const { stdout } = await social(['commands', '--json', '--all']);
    const kept = JSON.parse(readFileSync(join(root, 'dist/completion.json'), 'utf8')) as unknown;
    expect(kept).toEqual(JSON.parse(stdout) as CommandTree);
  });
});
