// What is shipped, and what ships it: the content and size of the package, and a workflow and a formula that name only
// what is there. The package is used on every Node by `npm run package:test`.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/program.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>;
  engines: { node: string };
  dependencies?: object;
};
const workflow = read('.github/workflows/ci.yml');
const MAX_BYTES = 600_000;
const nodesIn = (text: string) => [...text.matchAll(/'(\d+(?:\.\d+)?)'/g)].map(([, node]) => node);

it('is small, and holds the program, its notices and completions and nothing else', () => {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = spawnSync('npm', pack, { cwd: root, encoding: 'utf8' });
  const [{ size, files }] = JSON.parse(stdout) as [{ size: number; files: { path: string }[] }];
  expect(size).toBeLessThanOrEqual(MAX_BYTES);
  expect(read('scripts/package-test.mjs')).toContain('MAX_BYTES = 600_000');
  const paths = files.map(({ path }) => path);
  const own =
    /^(bin\/social\.js|dist\/[\w-]+\.cjs|dist\/(?:NOTICES|help)\.txt|dist\/completion\.json|completions\/[\w.]+|man\/social[\w-]*\.1|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/;
  expect(paths.filter((path) => !own.test(path))).toEqual([]);
  expect(paths).toEqual(
    expect.arrayContaining(['bin/social.js', 'dist/start.cjs', 'dist/completion.json', 'LICENSE']),
  );
  expect(manifest.dependencies).toBeUndefined();
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
