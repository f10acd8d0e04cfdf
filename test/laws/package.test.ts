// The content of the package and of the repository, and the workflow that publishes it. `npm run pack` installs the
// package and uses it.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
    /^(bin\/social\.js|dist\/[\w-]+\.cjs|dist\/NOTICES\.txt|dist\/completion\.json|completions\/[\w.]+|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/;
  const paths = files.map(({ path }) => path);
  expect(paths.filter((path) => !own.test(path))).toEqual([]);
  const needed = ['bin/social.js', 'dist/start.cjs', 'dist/completion.json', 'dist/NOTICES.txt'];
  expect(paths).toEqual(expect.arrayContaining([...needed, 'LICENSE']));
  expect(size).toBeLessThan(1_000_000);
  expect(manifest).not.toHaveProperty('dependencies');
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
  const found = files.flatMap((path) => addressesIn(read(path)).map((each) => `${path}: ${each}`));
  expect(found).toEqual([]);
});
