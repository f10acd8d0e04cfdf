// What is shipped, and what ships it: the content and size of the package, and a workflow and a formula that name only
// what is there. The package is used on every Node by `npm run package:test`.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as facts from '../../src/base/version.ts';
import { root } from '../support/program.ts';

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
const MAX_BYTES = 600_000;
const nodesIn = (text: string) => [...text.matchAll(/'(\d+(?:\.\d+)?)'/g)].map(([, node]) => node);

it('is small, and holds the program, its notices and completions and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'social-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (...words: [string, ...string[]]) =>
    spawnSync(words[0], words.slice(1), { cwd: root, encoding: 'utf8' }).stdout;
  const tarball = run(process.execPath, 'scripts/pack.mjs', folder).trim();
  expect(basename(tarball)).toBe(`social-cli-social-${facts.version}.tgz`);
  expect(statSync(tarball).size).toBeLessThanOrEqual(MAX_BYTES);
  expect(read('scripts/package-test.mjs')).toContain('MAX_BYTES = 600_000');
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
    'name version private description license homepage repository bugs bin man engines files optionalDependencies';
  expect(Object.keys(published)).toEqual(keys.split(' '));
  expect(published).toMatchObject({ name: '@social-cli/social', bin: { social: 'bin/social.js' } });
  expect(manifest.dependencies).toBeUndefined();
});

it('names one address of the project', () => {
  const { homepage } = manifest;
  expect(manifest.repository.url).toBe(`git+${homepage}.git`);
  expect(manifest.bugs.url).toBe(`${homepage}/issues`);
  expect(facts).toMatchObject({ homepage, bugs: manifest.bugs.url });
  const pages = ['.github', 'docs', 'packaging', 'man'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => statSync(join(root, path)).isFile()),
  );
  const named = ['package.json', 'README.md', 'CONTRIBUTING.md', ...pages].flatMap((path) =>
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
  expect(scripts).toEqual(['package:test', 'package:sea']);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
  const installed = [...read('packaging/homebrew/social.rb').matchAll(/"(completions\/[\w.]+)"/g)];
  expect(installed).toHaveLength(3);
  for (const [, path] of installed) expect(existsSync(join(root, path!))).toBe(true);
});
