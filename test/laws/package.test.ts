// The content of the package and of the repository, the release, and the workflow that publishes it. `npm run pack`
// installs the package and uses it.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const workflow = read('.github/workflows/ci.yml');

it('the package has the program, its notices and completions, and no dependencies', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ files, size }] = JSON.parse(stdout) as [{ files: { path: string }[]; size: number }];
  const own =
    /^(bin\/social\.js|dist\/[\w-]+\.cjs|dist\/(?:NOTICES\.txt|(?:completion|sbom\.cdx)\.json)|completions\/[\w.]+|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/;
  const paths = files.map(({ path }) => path);
  expect(paths.filter((path) => !own.test(path))).toEqual([]);
  const needed = ['start.cjs', 'completion.json', 'NOTICES.txt', 'sbom.cdx.json'];
  const inDist = needed.map((name) => `dist/${name}`);
  expect(paths).toEqual(expect.arrayContaining(['bin/social.js', ...inDist, 'LICENSE']));
  expect(size).toBeLessThan(1_000_000);
  expect(manifest).not.toHaveProperty('dependencies');
});

it('the bill of materials has the bundled packages with their hashes, and no tool', () => {
  interface Component {
    readonly 'bom-ref': string;
    readonly purl: string;
    readonly hashes: readonly { alg: string; content: string }[];
  }
  const { bomFormat, metadata, components } = JSON.parse(read('dist/sbom.cdx.json')) as {
    bomFormat: string;
    metadata: { component: { name: string; version: string } };
    components: Component[];
  };
  expect({ bomFormat, ...metadata.component }).toMatchObject({
    bomFormat: 'CycloneDX',
    name: manifest.name,
    version: manifest.version,
  });
  const noticed = [...read('dist/NOTICES.txt').matchAll(/^(@?[a-z]\S*) (\d\S*) \(\S.*\)$/gm)];
  const refs = components.map((each) => each['bom-ref']);
  expect(refs.toSorted()).toEqual(noticed.map(([, name, at]) => `${name}@${at}`).toSorted());
  expect(refs).toContain(`zod@${manifest.devDependencies.zod}`);
  expect(refs).not.toContain(`vitest@${manifest.devDependencies.vitest}`);
  for (const { purl, hashes } of components) {
    expect(purl).toMatch(/^pkg:npm\/.+@\d/);
    expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[\da-f]{128}$/) }]);
  }
});

/** A repository with what a release reads, and one that it is pushed to; `set` changes the files before the commit. */
function releaseOf(set: (files: Record<string, string>) => void) {
  const [copy, remote] = [temporaryFolder(), temporaryFolder()];
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd,
      encoding: 'utf8',
    });
  const names = ['package.json', 'package-lock.json', 'README.md', 'SECURITY.md', 'CHANGELOG.md'];
  const files = Object.fromEntries(names.map((name) => [name, read(name)]));
  set(files);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text);
  mkdirSync(join(copy, 'scripts'));
  copyFileSync(join(root, 'scripts/release.mjs'), join(copy, 'scripts/release.mjs'));
  git(remote, 'init', '--bare', '--quiet');
  git(copy, 'init', '--quiet');
  git(copy, 'remote', 'add', 'origin', remote);
  git(copy, 'add', '.');
  git(copy, 'commit', '--quiet', '--message', 'all');
  const run = (...args: readonly string[]) => {
    const options = { cwd: copy, encoding: 'utf8' } as const;
    return spawnSync(process.execPath, ['scripts/release.mjs', ...args], options);
  };
  return { copy, run, tags: () => git(remote, 'tag').trim() };
}

const pageOfOwner = 'https://github.com/example-owner/cli';
const owned = {
  ...manifest,
  name: '@example-owner/cli',
  private: undefined,
  author: 'Example Owner',
  homepage: pageOfOwner,
  bugs: { url: `${pageOfOwner}/issues` },
  repository: { type: 'git', url: `git+${pageOfOwner}.git` },
};

/** Takes out all that an owner has to set, which may be set in this repository. */
function disown(files: Record<string, string>) {
  const unset = { author: undefined, repository: undefined, homepage: undefined, bugs: undefined };
  files['package.json'] = JSON.stringify({ ...manifest, private: true, ...unset });
  files['SECURITY.md'] = '## Report a vulnerability\n\nTell whoever gave it to you.\n';
  files['CHANGELOG.md'] = '## Unreleased\n\nNew.\n';
}

/** Sets all that an owner has to set, but for the fields that are given. */
const own =
  (fields: object = {}, changelog = `## ${manifest.version} - 2027-01-31\n\nNew.\n`) =>
  (files: Record<string, string>) => {
    files['package.json'] = JSON.stringify({ ...owned, ...fields });
    for (const name of ['package-lock.json', 'README.md'])
      files[name] = files[name]!.replaceAll(manifest.name, owned.name);
    files['SECURITY.md'] = `## Report a vulnerability\n\n${pageOfOwner}/security\n`;
    files['CHANGELOG.md'] = changelog;
  };

/** The files and fields that are listed as not set. */
const namedIn = (text: string) => [...text.matchAll(/^ {2}(\S+, \w+)/gm)].map(([, named]) => named);

it('a release says all that its owner has to set, and pushes nothing', () => {
  const { run, tags } = releaseOf(disown);
  const { status, stdout } = run();
  const fields = ['name', 'author', 'repository', 'homepage', 'bugs', 'private'];
  expect(namedIn(stdout)).toEqual([
    ...fields.map((field) => `package.json, ${field}`),
    'SECURITY.md, Report',
    'CHANGELOG.md, heading',
  ]);
  expect({ status, tags: tags() }).toEqual({ status: 1, tags: '' });
});

it('a release whose owner has set everything pushes its tag, from a clean folder only', () => {
  const { copy, run, tags } = releaseOf(own());
  writeFileSync(join(copy, 'README.md'), 'changed');
  expect(run()).toMatchObject({ status: 1, stdout: expect.stringContaining('README.md') });
  execFileSync('git', ['checkout', '--quiet', 'README.md'], { cwd: copy });
  writeFileSync(join(copy, 'stray'), '');
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('git status') });
  execFileSync('git', ['clean', '--quiet', '--force'], { cwd: copy });
  expect(run('--dryrun')).toMatchObject({ status: 1, stdout: '' });
  expect(tags()).toBe('');
  expect(run()).toMatchObject({ status: 0, stdout: expect.stringContaining(pageOfOwner) });
  expect(tags()).toBe(`v${manifest.version}`);
});

it.each([
  ['package.json, repository', own({ repository: { type: 'git', url: pageOfOwner } })],
  ['package.json, homepage', own({ homepage: 'https://github.com/<owner>/<repository>' })],
  ['package.json, bugs', own({ bugs: { url: 'http://cli.example' } })],
  ['package.json, author', own({ author: { name: ' ' } })],
  ['package.json, publishConfig', own({ publishConfig: { access: 'restricted' } })],
  ['package-lock.json, version', own({ version: '9.9.9' }, '## 9.9.9 - 2027-01-31\n\nNew.\n')],
  ['CHANGELOG.md, heading', own({}, `## ${manifest.version} - 2027-02-30\n\nNew.\n`)],
  [
    'CHANGELOG.md, heading',
    own({}, `## ${manifest.version} - 2027-01-31\n\n## 0.0.1 - 2026-01-01\n\nOld.\n`),
  ],
])('a release is refused for %s alone', (field, set) => {
  const { run, tags } = releaseOf(set);
  const { status, stdout } = run();
  expect(namedIn(stdout)).toEqual([field]);
  expect({ status, tags: tags() }).toEqual({ status: 1, tags: '' });
});

it('no tracked file contains the name of the packed file, which changes with that of the package', () => {
  const packed = manifest.name.replace('@', '').replace('/', '-');
  const found = spawnSync('git', ['grep', '--files-with-matches', '--fixed-strings', packed], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(found).toMatchObject({ stdout: '', status: 1 });
});

it('the package omits stray files beside the program', () => {
  const copy = temporaryFolder();
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'])
    writeFileSync(join(copy, name), read(name));
  const program = ['bin/social.js', 'completions/social.bash', 'dist/start.cjs'];
  const strays = ['bin/.env', 'bin/social.js.orig', 'completions/notes', 'dist/notes.txt', 'x.js'];
  for (const path of [...program, ...strays]) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), '');
  }
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: copy,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const always = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
  expect(files.map(({ path }) => path).toSorted()).toEqual([...always, ...program].toSorted());
});

it('the workflow runs the whole check on the lowest supported Node and later', () => {
  const [, lowest] = /node: \['([\d.]+)'/.exec(workflow)!;
  expect(manifest.engines.node).toBe(`>=${lowest}`);
  const scripts = [...workflow.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
});

it('the workflow publishes by a trusted publisher, without a token, and never a file of a fixed name', () => {
  const release = workflow.slice(workflow.indexOf('\n  release:'));
  expect(release).toContain('id-token: write');
  expect(release).toContain('environment: release');
  expect(release).toMatch(/npm publish \.\/\*\.tgz/);
  expect(workflow.replace(release, '')).not.toMatch(/: write\b/);
  expect(workflow).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN|registry-url|secrets\./);
  expect(workflow).toMatch(/^concurrency:$/m);
});

it('the workflow pins actions by commit, with the version beside it', () => {
  const actions = [...workflow.matchAll(/uses: (.*)$/gm)].map(([, action]) => action!);
  const pinned = /^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(actions.length).toBeGreaterThan(5);
  expect(actions.filter((action) => !pinned.test(action))).toEqual([]);
});

it('the lock file has the hash of every package', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { readonly integrity?: string }>;
  };
  const others = Object.entries(packages).filter(([path]) => path !== '');
  expect(others.length).toBeGreaterThan(100);
  expect(others.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
});

it('no tracked file names an address that a stranger could register', () => {
  const repository = /github\.com[/:][\w.-]*social[\w.-]*/gi;
  const email = /[\w.%+-]+@(?:[a-z\d-]+\.)+[a-z]{2,}/gi;
  const reserved = /[@.](?:example|test|invalid|localhost|example\.(?:com|net|org))$/i;
  const addressesIn = (text: string) => [
    ...(text.match(repository) ?? []),
    ...(text.match(email) ?? []).filter((address) => !reserved.test(address)),
  ];
  const real = ['somebody', 'social.dev'].join('@');
  expect(addressesIn(`${real}, user@a.example`)).toEqual([real]);
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  const files = paths.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
  expect(files).toContain('package.json');
  // The owner of the package writes real addresses into these.
  const theirs = 'private' in manifest ? [] : ['package.json', 'SECURITY.md'];
  const strangers = files.filter((path) => !theirs.includes(path));
  const found = strangers.flatMap((path) =>
    addressesIn(read(path)).map((each) => `${path}: ${each}`),
  );
  expect(found).toEqual([]);
});
