// What each kind of start loads, as a law: nothing that the start does not use. Times are for test/bench.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../src/version.ts';
import { launcher, loadsOf } from './loads.ts';

/** Node's modules that cost milliseconds each. commander brings the first. */
const costly = [
  'child_process',
  'crypto',
  'http',
  'http2',
  'https',
  'net',
  'tls',
  'worker_threads',
];

describe('a start loads no more than it uses', () => {
  it('--version: the launcher and one file', () => {
    expect(loadsOf('--version')).toMatchObject({
      stdout: `${version}\n`,
      stderr: '',
      exitCode: 0,
      files: ['bin/social.js', 'dist/start.cjs'],
      packages: [],
    });
  });

  it.each([
    { args: ['--help'], packages: ['commander', 'zod'], builtins: ['child_process'] },
    {
      args: ['posts', 'retry', '--help'],
      packages: ['commander', 'zod'],
      builtins: ['child_process'],
    },
  ])('$args', ({ args, packages, builtins }) => {
    const loads = loadsOf(...args);
    expect(loads).toMatchObject({ stderr: '', exitCode: 0 });
    expect(loads.packages.filter((name) => !packages.includes(name))).toEqual([]);
    const heavy = costly.filter((name) => loads.builtins.includes(`node:${name}`));
    expect(heavy.filter((name) => !builtins.includes(name))).toEqual([]);
  });
});

describe('what reads the whole command line', () => {
  const whole = /^src\/cli\/(?:completion\/|read-tree\.ts|commands\/(?:commands|completion)\.ts)/;

  it.each([
    ['--version'],
    ['--help'],
    ['posts', 'get', '--help'],
    ['posts', 'get', 'PostSpringLaunch', '-n'],
  ])('is not loaded by %s', (...args) => {
    const { exitCode, sources } = loadsOf(...args);
    expect(exitCode).toBe(0);
    expect(sources.filter((source) => whole.test(source))).toEqual([]);
  });

  it('is loaded by completion', () => {
    expect(loadsOf('completion', 'bash').sources).toContain('src/cli/read-tree.ts');
  });
});

describe('the record of changes', () => {
  const record = /^src\/(?:cli\/history\/(?!recorded)|files\/append)/;
  const sandbox = ['-C', 'sandbox', '-q'];

  it.each([['--help'], [...sandbox, 'posts', 'get', 'PostSpringLaunch', '--json']])(
    'is not loaded by %s %s',
    (...args) => {
      const { exitCode, sources } = loadsOf(...args);
      expect(exitCode).toBe(0);
      expect(sources.filter((source) => record.test(source))).toEqual([]);
    },
  );

  it('is loaded by a change', () => {
    const mute = ['accounts', 'mastodon', 'mute', '113000000000000001', '-a', 'AccountMastodonA'];
    expect(loadsOf(...sandbox, ...mute).sources).toContain('src/cli/history/record.ts');
  });
});

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
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  it('says so when the program is not built', () => {
    const folder = mkdtempSync(join(tmpdir(), 'social-'));
    try {
      const lone = join(folder, 'bin', 'social.js');
      mkdirSync(join(folder, 'bin'));
      copyFileSync(launcher, lone);
      const { status, stderr } = spawnSync(process.execPath, [lone], { encoding: 'utf8' });
      expect(stderr).toBe('social is not built: run npm ci\n');
      expect(status).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
