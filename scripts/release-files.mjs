// Writes what goes with the packages in out/ into a release: npm run package:files, after the packages were built.
//   sbom.cdx.json   what is inside the program (CycloneDX), with what is optional
//   install.sh, social.rb, social.json   from packaging/, with the version, the addresses and the SHA-256 sums
//   SHA256SUMS      of everything

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, runNpm } from './package-run.mjs';
import { manifest, out } from './package-tree.mjs';

const { name, version, homepage, optionalDependencies } = manifest;
const release = `${homepage}/releases/download/v${version}`;

const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** What `npm sbom` knows of the packages that are bundled or optional; the tools of the checkout are in no package. */
function writeSbom() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const sbom = JSON.parse(runNpm(args).stdout);
  const notices = readFileSync(join(root, 'dist/NOTICES.txt'), 'utf8');
  const lists = [...notices.matchAll(/^-{80}\n\n((?:\S+ \S+ \(.*\)\n)+)/gm)].map(
    ([, list]) => list,
  );
  const bundled = [...lists.join('').matchAll(/^(\S+) (\S+) \(/gm)].map(
    ([, each, itsVersion]) => `${each}@${itsVersion}`,
  );
  const optional = Object.entries(optionalDependencies).map((each) => each.join('@'));
  const kept = new Set([...bundled, ...optional]);
  const described = `${name}@${version}`;
  sbom.components = sbom.components
    .filter((each) => kept.delete(each['bom-ref']))
    .map(({ properties: _ofCheckout, ...each }) => ({
      ...each,
      scope: optional.includes(each['bom-ref']) ? 'optional' : 'required',
    }));
  assert.deepEqual([...kept], [], 'the lock file has every bundled package');
  const isIn = new Set([...bundled, ...optional, described]);
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => isIn.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => isIn.has(on)) }));
  // npm takes the name of the folder.
  Object.assign(sbom.metadata.component, { name, type: 'application' });
  sbom.metadata.component.properties = [];
  writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify(sbom, undefined, 2)}\n`);
}

/** Replaces each @WORD@ of a template; one that has no value is an error. */
function fill(template, values) {
  const text = readFileSync(join(root, 'packaging', template), 'utf8').replaceAll(
    /@([A-Z\d_]+)@/g,
    (_word, key) => values[key] ?? assert.fail(`${template} asks for ${key}`),
  );
  writeFileSync(join(out, basename(template)), text);
}

const packages = readdirSync(out).filter((each) => /\.(?:tgz|tar\.gz|deb|rpm)$/.test(each));
const tarball = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
assert.ok(packages.includes(tarball), `${tarball} is missing in out/: npm run pack`);
const old = packages.filter(
  (each) => !each.includes(version.replace('-', '~')) && !each.includes(version),
);
assert.deepEqual(old, [], `out/ has packages of another version than ${version}`);

writeSbom();
const singles = packages.filter((each) => each.endsWith('.tar.gz'));
const values = {
  VERSION: version,
  HOMEPAGE: homepage,
  RELEASE: release,
  PACKAGE: tarball,
  PACKAGE_SHA256: sha256(join(out, tarball)),
  SUMS: singles.map((each) => `${sha256(join(out, each))}  ${each}`).join('\n'),
};
const templates = ['install.sh', 'homebrew/social.rb', 'scoop/social.json'];
for (const template of templates) fill(template, values);
const all = [...packages, ...templates.map((each) => basename(each)), 'sbom.cdx.json'];
const sums = all.map((each) => `${sha256(join(out, each))}  ${each}\n`);
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));
