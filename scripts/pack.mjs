// Packs what was built: npm run pack [-- folder]. Writes social-cli-social-<version>.tgz into the folder (out/ without
// one) and prints its path.
// The files are those that `npm pack` takes from the checkout. The manifest is reduced to what an installed package
// needs: no scripts, no development dependencies, no settings of tools. That is done in a copy: a manifest that is
// changed in place for the moment of packing stays changed when the packing is interrupted.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, runNpm } from './package-run.mjs';

/** What package.json holds for the checkout alone. */
const ofCheckout = ['scripts', 'devDependencies', 'prettier', 'knip'];

/** The manifest of the package, from that of the checkout. */
function reduced(manifest) {
  const entries = Object.entries(manifest).filter(([key]) => !ofCheckout.includes(key));
  return Object.fromEntries(entries);
}

/** Packs into a folder; returns what `npm pack --json` says, and the path of the file. */
export function pack(folder = join(root, 'out')) {
  mkdirSync(folder, { recursive: true });
  const staged = mkdtempSync(join(tmpdir(), 'social-pack-'));
  try {
    const dryRun = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const [{ files }] = JSON.parse(runNpm(dryRun).stdout);
    for (const { path } of files) cpSync(join(root, path), join(staged, path));
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    writeFileSync(
      join(staged, 'package.json'),
      `${JSON.stringify(reduced(manifest), undefined, 2)}\n`,
    );
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(folder)];
    const [packed] = JSON.parse(runNpm(args, { cwd: staged }).stdout);
    return { ...packed, tarball: join(resolve(folder), packed.filename) };
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(pack(process.argv[2]).tarball);
