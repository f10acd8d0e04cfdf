// Builds the .deb and the .rpm around the single file: npm run package:linux, after npm run package:sea.
// Needs dpkg-deb and rpmbuild.

import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './package-run.mjs';
import { manifest, out, writeTree, ZSH, ZSH_DEBIAN } from './package-tree.mjs';

const { version, description, homepage, bugs, license } = manifest;
/** `social` alone is too common a name for the packages of a distribution. */
const NAME = 'social-cli';
const work = join(out, 'linux');
const [debian, rpm] = { x64: ['amd64', 'x86_64'], arm64: ['arm64', 'aarch64'] }[process.arch];
/** A version like 1.0.0-rc.1 comes before 1.0.0 in both. */
const systemVersion = version.replace('-', '~');

function buildDeb() {
  const folder = join(work, 'deb');
  const paths = writeTree(join(folder, 'usr'), { zsh: ZSH_DEBIAN });
  // What Node's own file asks for.
  const needs = 'libc6 (>= 2.28), libgcc-s1, libstdc++6, libatomic1';
  const bytes = paths.reduce((sum, path) => sum + statSync(join(folder, 'usr', path)).size, 0);
  const control = [
    `Package: ${NAME}`,
    `Version: ${systemVersion}`,
    `Architecture: ${debian}`,
    `Maintainer: The social contributors <${bugs.url}>`,
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: ${needs}`,
    'Section: utils',
    'Priority: optional',
    `Homepage: ${homepage}`,
    'Description: command line for a social publishing service',
    ` ${description}`,
    '',
  ];
  mkdirSync(join(folder, 'DEBIAN'));
  writeFileSync(join(folder, 'DEBIAN/control'), control.join('\n'));
  const file = join(out, `${NAME}_${systemVersion}_${debian}.deb`);
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', folder, file]);
  return file;
}

function buildRpm() {
  const folder = join(work, 'rpm');
  const files = writeTree(join(folder, 'files/usr'), { zsh: ZSH });
  // The single file must not be stripped, and has nothing to debug.
  const spec = `%global debug_package %{nil}
%global __os_install_post %{nil}
%global _build_id_links none
%global _binary_payload w1.xzdio
Name: ${NAME}
Version: ${systemVersion}
Release: 1
Summary: Command line for a social publishing service
License: ${license}
URL: ${homepage}
AutoProv: no

%description
${description}

%install
cp -a ${join(folder, 'files')}/. %{buildroot}

%files
%dir /usr/share/doc/social
${files.map((path) => `/usr/${path}`).join('\n')}
`;
  writeFileSync(join(folder, 'social.spec'), spec);
  const target = ['--target', rpm, '--define', `_topdir ${join(folder, 'build')}`];
  run('rpmbuild', ['-bb', ...target, join(folder, 'social.spec')]);
  const built = join(folder, 'build/RPMS', rpm);
  const [name] = readdirSync(built);
  const file = join(out, name);
  run('mv', [join(built, name), file]);
  return file;
}

for (const build of [buildDeb, buildRpm]) {
  const file = build();
  console.log(`ok  ${file}: ${statSync(file).size} bytes`);
}
rmSync(work, { recursive: true });
