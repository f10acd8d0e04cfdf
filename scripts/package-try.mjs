// Tries each way to install what is in out/ in a clean root folder, from nothing to an answer of the sandbox, and its
// removal: the .deb, the .rpm, install.sh (with a wrong SHA-256 too), npm and the Dockerfile's lines.
// npm run package:try -- <folder> [deb|rpm|script|node …], as root, after package:sea, package:linux, pack and
// package:files. The folder:
//   debootstrap --variant=minbase --include=man-db,bash-completion,curl,ca-certificates bookworm <folder>
// There is no root folder with rpm's own system: rpm installs into this one, without judging what it needs.

import assert from 'node:assert/strict';
import {
  cpSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

/** The lines of the Dockerfile that make the image, with Node where its base image has it. */
async function tryNode() {
  const bin = join(clean, 'usr/local/bin');
  const modules = join(clean, 'usr/local/lib/node_modules');
  mkdirSync(modules, { recursive: true });
  copyFileSync(join(nodeFolder('24'), 'node'), join(bin, 'node'));
  const npm = resolve(dirname(process.env.npm_execpath), '..');
  rmSync(join(modules, 'npm'), { recursive: true, force: true });
  cpSync(npm, join(modules, 'npm'), { recursive: true, verbatimSymlinks: true });
  const offline = 'export npm_config_offline=true npm_config_update_notifier=false';
  await inside('ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm');
  await inside('id node 2>/dev/null || useradd --create-home --shell /bin/bash node');
  const tarball = made(/^social-cli-social-.*\.tgz$/);

  bring(tarball);
  const steps = [
    ...readFileSync(join(root, 'packaging/Dockerfile'), 'utf8').matchAll(
      /^(RUN|ENTRYPOINT) (.*)$/gm,
    ),
  ];
  assert.deepEqual(
    steps.map(([, word]) => word),
    ['RUN', 'ENTRYPOINT'],
  );
  await inside(`${offline}\n${steps[0][2]}`);
  assert.deepEqual(JSON.parse(steps[1][2]), ['social']);
  await inside(PROOF, { user: 'node' });
  await inside(`${offline}\nnpm uninstall --global ${name}`);
  await gone('/usr');
  ok('Dockerfile: its RUN line, its user; npm uninstall --global');

  // What the formula does: std_npm_args pack the unpacked tarball again and install that.
  bring(tarball);
  await inside(`${offline}
mkdir /tmp/brew; cd /tmp/brew; tar -xzf /tmp/${basename(tarball)}; cd package
npm install --global --prefix=/tmp/brew/libexec "$(npm pack --ignore-scripts --silent)"
test -f completions/social.bash -a -f completions/_social -a -f completions/social.fish -a -f man/social.1
export PATH="/tmp/brew/libexec/bin:$PATH"
${PROOF}
rm -r /tmp/brew`);
  ok('Homebrew formula: its npm lines');
  await inside(
    'rm -r /usr/local/bin/n* /usr/local/lib/node_modules; userdel --remove node 2>/dev/null',
  );
}

const ways = { deb: tryDeb, rpm: tryRpm, script: tryScript, node: tryNode };
for (const way of asked.length > 0 ? asked : Object.keys(ways)) await ways[way]();
