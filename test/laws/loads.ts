// Runs the built program and tells what it has loaded: its files, the packages in them, Node's modules.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const launcher = join(root, 'bin/social.js');

export interface Loads {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From the root of the project: `dist/main.cjs`. */
  readonly files: readonly string[];
  readonly packages: readonly string[];
  /** The sources in its built files: `src/main.ts`. */
  readonly sources: readonly string[];
  /** With the prefix: `node:fs`. */
  readonly builtins: readonly string[];
}

type Chunks = Readonly<Record<string, Record<'packages' | 'sources', readonly string[]>>>;

export function loadsOf(...args: readonly string[]): Loads {
  const hook = fileURLToPath(new URL('record-loads.cjs', import.meta.url));
  const nowhere = join(tmpdir(), 'social-loads');
  const { status, output } = spawnSync(process.execPath, ['--require', hook, launcher, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], SOCIAL_CONFIG_DIR: nowhere, SOCIAL_STATE_DIR: nowhere },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [, stdout = '', stderr = '', record = ''] = output.map((text) => text ?? '');
  const seen = JSON.parse(record) as { files: string[]; builtins: string[] };
  const files = seen.files.map((file) => relative(root, file).replaceAll('\\', '/'));
  return {
    exitCode: status,
    stdout,
    stderr,
    files,
    packages: [...new Set(files.flatMap(packagesIn))].toSorted(),
    sources: files.flatMap((file) => chunkOf(file)?.sources ?? []),
    builtins: seen.builtins.toSorted(),
  };
}

function packagesIn(file: string): readonly string[] {
  const outside = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  if (outside !== undefined) return [outside];
  return chunkOf(file)?.packages ?? [];
}

function chunkOf(file: string): Chunks[string] | undefined {
  if (!file.startsWith('dist/')) return undefined;
  const chunks = JSON.parse(readFileSync(join(root, 'dist/chunks.json'), 'utf8')) as Chunks;
  const chunk = chunks[file.slice('dist/'.length)];
  if (chunk === undefined) throw new Error(`${file} is not in dist/chunks.json`);
  return chunk;
}
