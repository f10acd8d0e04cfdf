// The launcher, and what the build has prepared for a TAB.

import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandTree } from '../src/cli/command-tree.ts';
import { launcher } from './support/launcher.ts';
import { freshHome, root, social } from './support/program.ts';
import { needsUnix } from './support/unix.ts';

describe('the launcher', () => {
  it.each(['0.10.48', '20.18.3'])('refuses Node %s in one sentence', (old) => {
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

// Node 20 keeps no compiled code.
describe.runIf('enableCompileCache' in nodeModule)('compiled code', () => {
  const kept = (home: string) => readdirSync(join(home, '.cache/social'));

  it('is kept in a private folder of the user, and nothing else is', async () => {
    needsUnix('modes');
    const home = freshHome();
    expect((await social(['--help'], { home })).exitCode).toBe(0);
    expect(readdirSync(home)).toEqual(['.cache']);
    expect(kept(home)).toHaveLength(1);
    expect(statSync(join(home, '.cache/social')).mode & 0o777).toBe(0o700);
  });

  it('is not read from a folder that others may write', async () => {
    needsUnix('modes');
    const home = freshHome();
    mkdirSync(join(home, '.cache/social'), { recursive: true });
    chmodSync(join(home, '.cache/social'), 0o777);
    expect((await social(['--help'], { home })).exitCode).toBe(0);
    expect(kept(home)).toEqual([]);
  });
});

describe('the command line that the build has prepared for completion', () => {
  it('is that of the program', async () => {
    const { stdout } = await social(['__tree']);
    const kept = JSON.parse(readFileSync(join(root, 'dist/completion.json'), 'utf8')) as unknown;
    expect(kept).toEqual(JSON.parse(stdout) as CommandTree);
  });
});
