// Tries each way to install what is in out/ in a clean root folder, from nothing to an answer of the sandbox, and its
// removal: the .deb, the .rpm, install.sh (with a wrong SHA-256 too), npm and a container.
// npm run package:try -- <folder> [deb|rpm|dnf|script|node|container …], as root, after package:sea, package:linux,
// pack and package:files. The folder:
//   debootstrap --variant=minbase --include=man-db,bash-completion,curl,ca-certificates bookworm <folder>
// There is no root folder with rpm's own system: rpm and dnf install into this one, dnf from a repository that has the
// folder's libraries as a package. The base image of the container is this folder with Node in it.

import assert from 'node:assert/strict';
import {
  cpSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { nodeFolder, root, run } from './package-run.mjs';
import { manifest, out } from './package-tree.mjs';

const [folder, ...asked] = process.argv.slice(2);
assert.ok(
  folder !== undefined && existsSync(join(folder, 'bin/sh')),
  'usage: package-try <folder>',
);
const clean = resolve(folder);
const { version, name } = manifest;
const made = (pattern) => {
  const found = readdirSync(out).filter((each) => pattern.test(each));
  assert.equal(found.length, 1, `one ${pattern} in out/`);
  return join(out, found[0]);
};

/** A shell script inside the folder. Asynchronous, so that a server of this process can answer it. */
async function inside(script, { code = 0, user = 'root' } = {}) {
  const home = user === 'root' ? '/root' : `/home/${user}`;
  const env = [
    'env',
    '-i',
    `HOME=${home}`,
    'LANG=C.UTF-8',
    'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  ];
  const own = ['unshare', '--mount', '--pid', '--fork', `--mount-proc=${clean}/proc`];
  const shell = [
    'chroot',
    `--userspec=${user}`,
    clean,
    ...env,
    'bash',
    '-euc',
    `cd "$HOME"\n${script}`,
  ];
  const [file, ...args] = [...own, ...shell];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  const [status] = await once(child, 'close');
  assert.equal(status, code, `${script}\n${text}`);
  return text;
}

/** Uses an installed program, its manual page and its completion, as a new shell finds them. */
const PROOF = `
test "$(social --version)" = '${version}'
social -C sandbox posts get PostSpringLaunch >/dev/null
test "$(social -q -C sandbox posts get PostSpringLaunch --fields id --json)" = '{"id":"PostSpringLaunch"}'
rm -r "$HOME/.local/state/social"
`;
const PROOF_OF_PAGES = `
man social-posts | grep -q 'social posts retry'
bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader social; complete -p social' | grep -q _social
`;
/** Nothing of the program is left where it was installed. */
const gone = async (...where) => {
  const found = await inside(
    `hash -r; ! command -v social; find ${where.join(' ')} -not -type d -path '*social*' 2>/dev/null || true`,
  );
  assert.equal(found, '');
};
const bring = (file) => copyFileSync(file, join(clean, 'tmp', basename(file)));
const ok = (what) => console.log(`ok  ${what}`);

async function tryDeb() {
  const deb = made({ x64: /_amd64\.deb$/, arm64: /_arm64\.deb$/ }[process.arch]);
  bring(deb);
  // apt brings what the package needs.
  await inside(
    `export DEBIAN_FRONTEND=noninteractive; apt-get update; apt-get install --yes --no-install-recommends /tmp/${basename(deb)}`,
  );
  await inside(PROOF + PROOF_OF_PAGES);
  await inside('apt-get purge --yes social-cli');
  await gone('/usr', '/etc');
  ok('.deb: apt-get install, apt-get purge');
}

async function tryRpm() {
  const into = ['--root', clean, '--dbpath', '/tmp/rpmdb'];
  const rpm = made({ x64: /x86_64\.rpm$/, arm64: /aarch64\.rpm$/ }[process.arch]);
  run('rpm', [...into, '--install', '--nodeps', rpm]);
  await inside(PROOF + PROOF_OF_PAGES);
  const { stdout } = run('rpm', ['--query', '--package', '--requires', rpm]);
  assert.match(stdout, /libc\.so\.6\(GLIBC_2\.28\)/);
  run('rpm', [...into, '--erase', 'social-cli']);
  rmSync(join(clean, 'tmp/rpmdb'), { recursive: true });
  await gone('/usr', '/etc');
  ok('.rpm: rpm --install --nodeps, rpm --erase');
}

/** The libraries of the folder as a package that provides what they provide. */
const LIBRARIES = `%global debug_package %{nil}
%global __os_install_post %{nil}
%global _build_id_links none
Name: system-libraries
Version: 1
Release: 1
Summary: Libraries
License: none
AutoReq: no
Provides: rtld(GNU_HASH)
%description
Libraries.
%files
/usr
`;

/** After \`deb\`, with which apt has brought libatomic. */
async function tryDnf() {
  const work = mkdtempSync(join(tmpdir(), 'social-dnf-'));
  const [repository, files] = ['repository', 'files'].map((each) => join(work, each));
  const spec = join(work, 'libraries.spec');
  writeFileSync(spec, LIBRARIES);
  const defined = ['_topdir', '_rpmdir'].flatMap((macro) => ['--define', `${macro} ${repository}`]);
  const from = [`--repofrompath=made,${repository}`, '--repo=made', '--setopt=reposdir=/dev/null'];
  const settings = [
    '--nogpgcheck',
    '--releasever=1',
    '--setopt=clean_requirements_on_remove=False',
  ];
  const dnf = (words, options) =>
    run('dnf', [`--installroot=${clean}`, ...from, ...settings, '--assumeyes', ...words], options);
  const offer = (paths) => {
    for (const path of paths)
      cpSync(join(clean, 'usr', path), join(files, 'usr', path), { dereference: true });
    run('rpmbuild', ['--quiet', ...defined, '--noclean', '--buildroot', files, '-bb', spec]);
    copyFileSync(rpm, join(repository, basename(rpm)));
    run('createrepo_c', ['--quiet', repository]);
  };
  const rpm = made({ x64: /x86_64\.rpm$/, arm64: /aarch64\.rpm$/ }[process.arch]);
  const libraryFolder = `lib/${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch]}-linux-gnu`;
  const loader = { x64: 'lib64/ld-linux-x86-64.so.2', arm64: 'lib/ld-linux-aarch64.so.1' };
  const libraries = ['c.so.6', 'm.so.6', 'dl.so.2', 'pthread.so.0', 'gcc_s.so.1', 'stdc++.so.6'];
  try {
    offer([loader[process.arch], ...libraries.map((library) => `${libraryFolder}/lib${library}`)]);
    const { stdout, stderr } = dnf(['install', 'social-cli'], { code: 1 });
    assert.match(stdout + stderr, /nothing provides libatomic\.so\.1.* needed by social-cli/);
    offer([`${libraryFolder}/libatomic.so.1`]);
    dnf(['--refresh', 'install', 'social-cli']);
    await inside(PROOF + PROOF_OF_PAGES);
    dnf(['remove', 'social-cli']);
    await gone('/usr', '/etc');
  } finally {
    rmSync(work, { recursive: true });
    for (const each of [
      'root/.rpmdb',
      'var/lib/rpm',
      'var/lib/dnf',
      'var/cache/dnf',
      'usr/lib/sysimage/rpm',
    ])
      rmSync(join(clean, each), { recursive: true, force: true });
  }
  ok('.rpm: dnf refuses a system without libatomic, dnf install, dnf remove');
}

/** Serves the files of the release; `spoil` changes one on the way. */
async function serving(spoil, use) {
  const server = createServer((request, response) => {
    const path = join(out, basename(request.url));
    if (request.url === `/${basename(path)}` && existsSync(path))
      response.end(spoil(readFileSync(path)));
    else response.writeHead(404).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.close();
  }
}

async function tryScript() {
  const user = 'nobody-yet';
  bring(join(out, 'install.sh'));
  await inside(`id ${user} 2>/dev/null || useradd --create-home --shell /bin/bash ${user}`);
  const install = (from) => `sh /tmp/install.sh --from ${from}`;
  const refused = async (from, message) => {
    assert.match(await inside(install(from), { user, code: 1 }), message);
    assert.equal(
      await inside('find . -iname "*social*"; ls /tmp | grep "^tmp" || true', { user }),
      '',
    );
  };
  // One byte at the end, which the archive alone would not show; a file cut short; none.
  const longer = (bytes) => Buffer.concat([bytes, Buffer.from('x')]);
  await serving(longer, (from) => refused(from, /error: the SHA-256 of .* nothing is installed/));
  await serving(
    (bytes) => bytes.subarray(0, 9e6),
    (from) => refused(from, /error: the SHA-256 of /),
  );
  await serving(
    (bytes) => bytes,
    (from) => refused(`${from}/nowhere`, /error: cannot download/),
  );
  await serving(
    (bytes) => bytes,
    async (from) => {
      assert.match(await inside(install(from), { user }), /add it to your PATH/);
      const path = 'export PATH="$HOME/.local/bin:$PATH"\n';
      await inside(path + PROOF + PROOF_OF_PAGES, { user });
      // Once more over the first, as for a newer version.
      assert.doesNotMatch(await inside(path + install(from), { user }), /PATH=/);
    },
  );
  await inside('sh /tmp/install.sh --uninstall', { user });
  assert.equal(await inside('find . -type f -path "*social*"', { user }), '');
  assert.match(
    await inside('sh /tmp/install.sh --uninstall', { user, code: 1 }),
    /nothing to remove/,
  );
  await inside(`userdel --remove ${user} 2>/dev/null`);
  ok('install.sh: refuses a wrong SHA-256, installs, again, --uninstall');
}

const OFFLINE = 'export npm_config_offline=true npm_config_update_notifier=false\n';

/** Puts Node and npm where the image of Node has them, and its user. */
async function withNode(use) {
  const bin = join(clean, 'usr/local/bin');
  const modules = join(clean, 'usr/local/lib/node_modules');
  mkdirSync(modules, { recursive: true });
  copyFileSync(join(nodeFolder('24'), 'node'), join(bin, 'node'));
  const npm = resolve(dirname(process.env.npm_execpath), '..');
  rmSync(join(modules, 'npm'), { recursive: true, force: true });
  cpSync(npm, join(modules, 'npm'), { recursive: true, verbatimSymlinks: true });
  await inside('ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm');
  await inside('id node 2>/dev/null || useradd --create-home --shell /bin/bash node');
  await use(made(/^social-cli-social-.*\.tgz$/));
  await inside(
    'rm -r /usr/local/bin/n* /usr/local/lib/node_modules; userdel --remove node 2>/dev/null',
  );
}

const tryNode = () =>
  withNode(async (tarball) => {
    bring(tarball);
    await inside(`${OFFLINE}npm install --global --ignore-scripts /tmp/${basename(tarball)}`);
    await inside(PROOF, { user: 'node' });
    await inside(`${OFFLINE}npm uninstall --global ${name}`);
    await gone('/usr');
    ok('npm install --global, npm uninstall --global');

    // What the formula does: std_npm_args pack the unpacked tarball again and install that.
    await inside(`${OFFLINE}
mkdir /tmp/brew; cd /tmp/brew; tar -xzf /tmp/${basename(tarball)}; cd package
npm install --global --prefix=/tmp/brew/libexec "$(npm pack --ignore-scripts --silent)"
test -f completions/social.bash -a -f completions/_social -a -f completions/social.fish -a -f man/social.1
export PATH="/tmp/brew/libexec/bin:$PATH"
${PROOF}
rm -r /tmp/brew`);
    ok('Homebrew formula: its npm lines');
  });

/**
 * Builds the image and runs it as the Dockerfile says. `podman` reads storage, runtime and limits from its own files.
 */
const tryContainer = () =>
  withNode(async () => {
    const [store, volume] = [mkdtempSync(join(tmpdir(), 'social-podman-')), 'social-try'];
    const at = ['--root', join(store, 'root'), '--runroot', join(store, 'run')];
    const podman = (...words) => run('podman', [...at, '--storage-driver', 'vfs', ...words]).stdout;
    const social = (...words) =>
      podman(
        'run',
        '--rm',
        '--network=none',
        '--ulimit=host',
        `--volume=${volume}:/home/node`,
        ...words,
      );
    try {
      const base = join(store, 'base.tar');
      run('tar', ['--directory', clean, '--exclude=./proc/*', '--create', '--file', base, '.']);
      podman(
        'import',
        '--quiet',
        '--change=ENV npm_config_offline=true npm_config_update_notifier=false',
        base,
        'docker.io/library/node:24-slim',
      );
      rmSync(base);
      const build = ['build', '--isolation=chroot', '--pull-never', '--tag=social', '--file'];
      podman(...build, join(root, 'packaging/Dockerfile'), out);
      assert.equal(social('social', '--version').trim(), version);
      const post = '-q -C sandbox posts get PostSpringLaunch --fields id --json'.split(' ');
      assert.equal(social('social', ...post).trim(), '{"id":"PostSpringLaunch"}');
      // The volume keeps what a run wrote, and the user of the image may write there.
      social('social', '-q', '-C', 'sandbox', 'posts', 'retry', 'PostSpringLaunch');
      assert.match(social('social', 'history', 'list', '--json'), /"PostSpringLaunch"/);
    } finally {
      rmSync(store, { recursive: true, force: true });
    }
    ok('Dockerfile: podman build, podman run with a volume');
  });

const ways = {
  deb: tryDeb,
  rpm: tryRpm,
  dnf: tryDnf,
  script: tryScript,
  node: tryNode,
  container: tryContainer,
};
for (const way of asked.length > 0 ? asked : Object.keys(ways)) await ways[way]();
