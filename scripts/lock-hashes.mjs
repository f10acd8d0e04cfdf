// Adds to the lock file the hashes that the registry at hand did not have: node scripts/lock-hashes.mjs [lock file].
// Run it once with a full registry, before the first release, and look at the diff: it adds lines `integrity` alone.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runNpm } from './package-run.mjs';

const file = process.argv[2] ?? join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const unknown = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.integrity !== undefined) continue;
  const name = `${entry.name ?? path.replace(/^.*node_modules\//, '')}@${entry.version}`;
  try {
    entry.integrity = JSON.parse(runNpm(['view', name, 'dist.integrity', '--json']).stdout);
    // In its usual place, after the version.
    const { version, integrity, ...rest } = entry;
    lock.packages[path] = { version, integrity, ...rest };
  } catch {
    unknown.push(name);
  }
}
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
for (const name of unknown) console.error(`the registry does not have ${name}`);
if (unknown.length > 0) process.exitCode = 1;
