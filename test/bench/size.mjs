// What a user downloads: the packed package and what is in it.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const KINDS = [
  ['built program', /^dist\/.*\.cjs$/],
  ['notices of what is bundled', /^dist\/NOTICES/],
  ['completion', /^completions\/|^dist\/completion\.json$/],
  ['everything else', /./],
];

const kb = (bytes) => (bytes / 1000).toFixed(0);

/** Sizes by kind, and of the whole, packed and unpacked. */
export function packedSize() {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  });
  const [{ files, size, unpackedSize }] = JSON.parse(stdout);
  const rows = KINDS.map(([kind, pattern], at) => {
    const own = files.filter(
      ({ path }) => KINDS.findIndex(([, each]) => each.test(path)) === at && pattern.test(path),
    );
    return {
      what: kind,
      files: own.length,
      'unpacked kB': kb(own.reduce((sum, { size: bytes }) => sum + bytes, 0)),
      'packed kB': '',
    };
  });
  rows.push({
    what: 'all',
    files: files.length,
    'unpacked kB': kb(unpackedSize),
    'packed kB': kb(size),
  });
  return { title: 'the package', rows: rows.filter((row) => row.files > 0) };
}
