// What is shipped, and what ships it: the content and size of the package, and a workflow and a formula that name only
// what is there. Installed and removed once as the README says; used on every Node by `npm run package:test`.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as facts from '../../src/base/version.ts';
import { root, shell } from '../support/program.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  homepage: string;
  repository: { url: string };
  bugs: { url: string };
  scripts: Record<string, string>;
  engines: { node: string };
  dependencies?: object;
};
const workflow = read('.github/workflows/ci.yml');

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'social-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined;
const MAX_BYTES = Number(
  /MAX_BYTES = (\d+_000)/.exec(read('scripts/package-test.mjs'))![1]!.replace('_', ''),
);
const nodesIn = (text: string) => [...text.matchAll(/'(\d+(?:\.\d+)?)'/g)].map(([, node]) => node);

/** The package in a folder named `out`, packed once for all tests. */
const place = mkdtempSync(join(tmpdir(), 'social-package-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const run = (...words: [string, ...string[]]) =>
  spawnSync(words[0], words.slice(1), { cwd: root, encoding: 'utf8' }).stdout;
let tarball: string;
beforeAll(() => {
  tarball = run(process.execPath, 'scripts/pack.mjs', join(place, 'out')).trim();
});

it('installs a copy of the program that works without the checkout', async () => {
  // The README's lines, where `npm run pack` has left the package.
  const readme = read('README.md');
  const install = /npm install --global --ignore-scripts .*$/m.exec(readme)![0];
  const uninstall = /`(npm uninstall --global \S+)` removes it/.exec(readme)![1]!;
  const script = `cd ${place}
    export npm_config_prefix="$HOME/p" npm_config_offline=true npm_config_omit=optional
    ${install} >&2
    test ! -L "$HOME/p/lib/node_modules/@social-cli/social"
    "$HOME/p/bin/social" --version
    ${uninstall} >&2
    test ! -e "$HOME/p/bin/social"`;
  const { exitCode, stdout } = await shell(`set -e\n${script}`);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${facts.version}\n` });
}, 60_000);

it('is small, and holds the program, its notices and completions and nothing else', () => {
  expect(basename(tarball)).toBe(`social-cli-social-${facts.version}.tgz`);
  expect(statSync(tarball).size).toBeLessThanOrEqual(MAX_BYTES);
  expect(read('docs/package.md')).toContain(`over ${MAX_BYTES.toLocaleString('en')} bytes`);
  const listed = run('tar', '-tzf', tarball).split('\n');
  const paths = listed.filter((path) => path !== '').map((path) => path.replace('package/', ''));
  const own =
    /^(bin\/social\.js|dist\/[\w-]+\.cjs|dist\/(?:NOTICES|help)\.txt|dist\/completion\.json|completions\/[\w.]+|man\/social[\w-]*\.1|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/;
  expect(paths.filter((path) => !own.test(path))).toEqual([]);
  expect(paths).toEqual(
    expect.arrayContaining(['bin/social.js', 'dist/start.cjs', 'dist/completion.json', 'LICENSE']),
  );
  const published = JSON.parse(run('tar', '-xOzf', tarball, 'package/package.json')) as object;
  const keys =
    'name version private description license homepage repository bugs bin engines files optionalDependencies';
  expect(Object.keys(published)).toEqual(keys.split(' '));
  expect(published).toMatchObject({ name: '@social-cli/social', bin: { social: 'bin/social.js' } });
  expect(manifest.dependencies).toBeUndefined();
});

it('names one address of the project', () => {
  const { homepage } = manifest;
  expect(manifest.repository.url).toBe(`git+${homepage}.git`);
  expect(manifest.bugs.url).toBe(`${homepage}/issues`);
  expect(facts).toMatchObject({ homepage, bugs: manifest.bugs.url });
  const pages = ['.github', 'docs', 'packaging'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => statSync(join(root, path)).isFile()),
  );
  const named = [
    'package.json',
    'README.md',
    'AGENTS.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...pages,
  ].flatMap((path) =>
    [...read(path).matchAll(/github\.com\/[\w-]*social[\w-]*\/[\w-]+/g)].map(([found]) => found),
  );
  expect(new Set(named)).toEqual(new Set([homepage.replace('https://', '')]));
});

it('is checked on the same Nodes by the workflow and by the script, from the lowest on', () => {
  const matrix = nodesIn(/^ +node: \[(.*)\]$/m.exec(workflow)![1]!);
  const tried = nodesIn(/const usual = \[(.*)\];/.exec(read('scripts/package-test.mjs'))![1]!);
  expect(matrix.filter((node) => !tried.includes(node))).toEqual([]);
  expect(tried.filter((node) => node !== '20' && !matrix.includes(node))).toEqual([]);
  expect(manifest.engines.node).toBe(`>=${matrix[0]}`);
});

it('is made by scripts that exist, and described by a formula whose files are there', () => {
  const scripts = [...workflow.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
  expect(scripts.toSorted()).toEqual(
    ['files', 'linux', 'sea', 'test', 'try'].map((each) => `package:${each}`),
  );
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
  const installed = [...read('packaging/homebrew/social.rb').matchAll(/"(completions\/[\w.]+)"/g)];
  expect(installed).toHaveLength(3);
  for (const [, path] of installed) expect(existsSync(join(root, path!))).toBe(true);
});

it('is built by actions that are pinned by commit, with the version beside it', () => {
  const actions = [...workflow.matchAll(/uses: (.*)$/gm)].map(([, action]) => action!);
  expect(actions.length).toBeGreaterThan(10);
  const pinned = /^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(actions.filter((action) => !pinned.test(action))).toEqual([]);
  expect(new Set(actions).size).toBe(new Set(actions.map((each) => each.split('@')[0])).size);
});

it.skipIf(!isThere('jq') || !isThere('sha256sum'))(
  'is published by the workflow only when its owner has said so, as the version of the tag',
  () => {
    const [, block] = /name: May this be published\?\n +run: \|\n((?: {10}.*\n)+)/.exec(workflow)!;
    const ask = (published: object, tag: string) => {
      const folder = temporary();
      mkdirSync(join(folder, 'package'));
      mkdirSync(join(folder, 'out'));
      writeFileSync(join(folder, 'package/package.json'), JSON.stringify(published));
      const make = `tar -czf out/social-cli-social-1.2.3.tgz package && (cd out && sha256sum *.tgz > SHA256SUMS)\n`;
      const { status, stdout } = spawnSync('bash', ['-ec', make + block], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], GITHUB_REF_NAME: tag },
      });
      return [status, stdout];
    };
    const version = '1.2.3';
    const isPrivate = expect.stringMatching(
      /^::error::The package is private: nothing is published/,
    );
    expect(ask({ version, private: true }, 'v1.2.3')).toEqual([1, isPrivate]);
    const another = expect.stringContaining('The tag v1.2.4 is not the version');
    expect(ask({ version }, 'v1.2.4')).toEqual([1, another]);
    expect(ask({ version }, 'v1.2.3')).toEqual([0, '']);
  },
);

it('takes no line of a library on which the lowest Node cannot run, and is tried with all of them', () => {
  const [, list] = /const newest = \{(.*?)\};/s.exec(read('scripts/newest.mjs'))!;
  const tried = [...list!.matchAll(/^ {2}'?([@\w/-]+)'?: '(\d+)'/gm)].map(([, name]) => name);
  const held = [...read('.github/dependabot.yml').matchAll(/dependency-name: '?([@\w/-]+)/g)];
  expect(tried).toHaveLength(held.length);
  expect(new Set(tried)).toEqual(new Set(held.map(([, name]) => name)));
});

it('is locked to what was hashed, but for tools of other systems', () => {
  interface Locked {
    readonly integrity?: string;
    readonly optional?: true;
    readonly dev?: true;
    readonly os?: readonly string[];
    readonly cpu?: readonly string[];
    readonly libc?: readonly string[];
  }
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, Locked>;
  };
  const unhashed = Object.entries(packages).filter(
    ([path, { integrity }]) => path !== '' && !integrity,
  );
  // docs/package.md names the step that adds the hashes.
  expect(read('docs/package.md')).toContain(`${unhashed.length} entries`);
  const isElsewhere = ({ optional, dev, os, cpu, libc }: Locked) =>
    optional === true &&
    dev === true &&
    !(os?.includes('linux') === true && cpu?.includes('x64') === true && libc?.[0] !== 'musl');
  expect(unhashed.filter(([, each]) => !isElsewhere(each))).toEqual([]);
});

describe.skipIf(process.platform === 'win32')('packaging/install.sh', () => {
  const archive = `social-${facts.version}-${process.platform}-${process.arch}.tar.gz`;

  /** The script of a release whose archive holds a program that only says its version. */
  function released({ says = facts.version, sum }: { says?: string; sum?: string }) {
    const folder = temporary();
    const from = join(folder, 'release');
    const program = join(folder, 'bin/social');
    mkdirSync(join(folder, 'share/social'), { recursive: true });
    for (const each of [from, dirname(program)]) mkdirSync(each);
    writeFileSync(program, `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
    writeFileSync(join(folder, 'share/social/files'), 'bin/social\nshare/social/files\n');
    spawnSync('tar', ['-czf', join(from, archive), 'bin', 'share'], { cwd: folder });
    const right = createHash('sha256')
      .update(readFileSync(join(from, archive)))
      .digest('hex');
    const script = read('packaging/install.sh')
      .replaceAll('@VERSION@', facts.version)
      .replaceAll('@HOMEPAGE@', facts.homepage)
      .replace('@RELEASE@', `file://${from}`)
      .replace('@SUMS@', `${sum ?? right}  ${archive}`);
    const home = join(folder, 'home');
    mkdirSync(home);
    return (...words: string[]) => {
      const { status, stdout, stderr } = spawnSync('sh', ['-s', '--', ...words], {
        input: script,
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: home, TMPDIR: folder },
      });
      const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
      return {
        status,
        text: stdout + stderr,
        program: files.filter((path) => /social/.test(path)),
      };
    };
  }

  it('installs what has the right SHA-256, and removes it again', () => {
    const install = released({});
    const program = ['.local/bin/social', '.local/share/social', '.local/share/social/files'];
    expect(install()).toMatchObject({ status: 0, program });
    expect(install()).toMatchObject({ status: 0, program });
    expect(install('--uninstall')).toMatchObject({ status: 0, program: [] });
    const again = { status: 1, text: expect.stringContaining('error: nothing to remove') };
    expect(install('--uninstall')).toMatchObject(again);
  });

  it.each([
    [
      { sum: 'a'.repeat(64) },
      [],
      /^error: the SHA-256 of .* expected a{64}; nothing is installed\n$/,
    ],
    [{ says: '0.0.1' }, [], /^error: the program says 0\.0\.1, expected /],
    [{ says: 'no && exit 127' }, [], /^error: social does not start here: no; .*glibc/],
    [
      {},
      ['--from', 'file:///nowhere'],
      /^curl: .*\nerror: cannot download file:\/\/\/nowhere\/social/,
    ],
    [{}, ['--prefx', '/tmp'], /^error: unknown argument --prefx \(expected: --prefix, /],
  ])('installs nothing else: %j %j', (release, words, message) => {
    const { status, text, program } = released(release)(...words);
    expect(text).toMatch(message);
    expect({ status, program }).toEqual({ status: 1, program: [] });
  });

  it.skipIf(!isThere('shellcheck'))(
    'has nothing that shellcheck finds, like the shell lines of the workflow',
    () => {
      const blocks = [...workflow.matchAll(/run: \|\n((?: {10}.*\n)+)/g)].map(([, body]) => body!);
      expect(blocks.length).toBeGreaterThan(2);
      const check = (program: string, input: string) =>
        spawnSync('shellcheck', [`--shell=${program}`, '-'], { input, encoding: 'utf8' }).stdout;
      expect(check('sh', read('packaging/install.sh'))).toBe('');
      for (const block of blocks) expect(check('bash', block)).toBe('');
    },
  );
});

it('every file has a name that is legal, and its own, on every system', () => {
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  const names = stdout.split('\0').filter(Boolean);
  expect(names.length).toBeGreaterThan(500);
  const illegal = /[<>:"|?*\\]|[. ](?:\/|$)|(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|$)/i;
  expect(names.filter((name) => illegal.test(name) || name.length > 150)).toEqual([]);
  const seen = names.map((name) => name.toLowerCase());
  expect(seen.filter((name, i) => seen.indexOf(name) !== i)).toEqual([]);
});
