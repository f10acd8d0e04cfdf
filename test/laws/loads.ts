// What a run of the built program has loaded: its files, the packages in them, Node's modules.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { root } from '../support/program.ts';

export interface Loads {
  /** From the root of the project: `dist/start.cjs`. */
  readonly files: readonly string[];
  readonly packages: readonly string[];
  /** The sources in its built files: `src/main.ts`. */
  readonly sources: readonly string[];
  /** Without the prefix: `fs`. */
  readonly builtins: readonly string[];
}

type Chunks = Readonly<Record<string, Record<'packages' | 'sources', readonly string[]>>>;

/** An environment under which a run is recorded, and what it has loaded when it is over. */
export function recording(): { env: Record<string, string>; loads(): Loads } {
  const folder = mkdtempSync(join(tmpdir(), 'social-loads-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const hook = fileURLToPath(new URL('record-loads.cjs', import.meta.url));
  const record = join(folder, 'loads.json');
  return {
    env: { LOADS: record, NODE_OPTIONS: `--require "${hook}"` },
    loads() {
      const seen = JSON.parse(readFileSync(record, 'utf8')) as {
        files: string[];
        builtins: string[];
      };
      const files = seen.files.map((file) => relative(root, file).replaceAll('\\', '/'));
      return {
        files,
        packages: [...new Set(files.flatMap(packagesIn))].toSorted(),
        sources: files.flatMap((file) => chunkOf(file)?.sources ?? []),
        builtins: seen.builtins.map((name) => name.slice('node:'.length)).toSorted(),
      };
    },
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
