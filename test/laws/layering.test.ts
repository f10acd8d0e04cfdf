// The layout of src/ as a law: who may import whom, where each package lives, who may touch the process.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moduleFacts } from './module-facts.ts';

/** From the ground up. A place imports from itself and from the floors below it. */
const floors: readonly (readonly string[])[] = [
  [
    'http.ts',
    'errors.ts',
    'invisible.ts',
    'json.ts',
    'world.ts',
    'version.ts',
    'folders.ts',
    'running-time.ts',
  ],
  ['schema', 'files'],
  ['operations'],
  ['call', 'output', 'sandbox'],
  ['cli'],
  ['signals.ts'],
  ['main.ts', 'code-cache.ts'],
  // Before everything: loads the cache, then the program.
  ['start.ts'],
];

/** Where each package may be imported; `*` stands for anything. */
const homes: Readonly<Record<string, readonly string[]>> = {
  '@inquirer/*': ['cli/ask*'],
  '@modelcontextprotocol/*': ['cli/mcp/serve.ts', 'cli/mcp/transport.ts'],
  chalk: ['output/tone.ts'],
  'cli-table3': ['output/table.ts'],
  commander: [
    'cli/help-page.ts',
    'cli/path.ts',
    'cli/read-tree.ts',
    'cli/program.ts',
    'cli/verb.ts',
    'cli/group.ts',
    'cli/leaf.ts',
    'cli/options.ts',
    'cli/unknown.ts',
    'cli/commands/*',
  ],
  conf: ['cli/settings*'],
  execa: ['cli/*'],
  'fastest-levenshtein': ['cli/*'],
  ora: ['output/progress.ts'],
  'string-width': ['output/*'],
  undici: ['call/network*'],
  'wrap-ansi': ['output/*'],
  // The command line judges single fields, its settings file and its stored tokens.
  zod: [
    'schema/*',
    'operations/*',
    'sandbox/kinds.ts',
    'cli/ask-field.ts',
    'cli/config.ts',
    'cli/judge.ts',
    'cli/token-store.ts',
  ],
};

/** Who may touch the process: everyone else gets the world as an argument. */
const processHomes = ['src/start.ts', 'src/main.ts', 'src/signals.ts', 'src/files/holder.ts'];

const bannedNames = ['utils', 'util', 'helpers', 'helper', 'common', 'manager', 'index'];

/** What a file does against the layout, a sentence each. `path` is like `src/call/run.ts`. */
function faultsOf(path: string, source: string): string[] {
  const facts = moduleFacts(path, source);
  const faults = facts.imports.flatMap((specifier) => importFaults(path, specifier));
  if (floorOf(placeOf(path)) < 0) faults.push(`${path} has no place in the layout`);
  if (facts.usesProcess && !processHomes.includes(path)) faults.push(`${path} uses process`);
  if (facts.hasDefaultExport) faults.push(`${path} has a default export`);
  if (facts.isBarrel) faults.push(`${path} only passes on what others export`);
  if (bannedNames.includes(basename(path, '.ts')))
    faults.push(`${path} has a name that says nothing`);
  return faults;
}

function importFaults(path: string, specifier: string | undefined): string[] {
  if (specifier === undefined) return [`${path} imports something computed`];
  const wrong = specifier.startsWith('.')
    ? wrongEdge(path, posix.join(posix.dirname(path), specifier))
    : wrongPackage(path, specifier);
  return wrong === undefined ? [] : [wrong];
}

function wrongEdge(from: string, to: string): string | undefined {
  if (from === 'src/version.ts' && to === 'package.json') return undefined;
  if (!to.startsWith('src/')) return `${from} imports ${to} (outside src)`;
  if (!to.endsWith('.ts')) return `${from} imports ${to} (without .ts)`;
  const [here, there] = [floorOf(placeOf(from)), floorOf(placeOf(to))];
  if (there < here || placeOf(from) === placeOf(to) || (here === 0 && there === 0))
    return undefined;
  return `${from} imports ${to} (${there === here ? 'sideways' : 'up'})`;
}

function wrongPackage(path: string, specifier: string): string | undefined {
  if (/^(?:node:)?process$/.test(specifier)) return `${path} imports ${specifier}`;
  if (specifier.startsWith('node:')) return undefined;
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  const home = Object.entries(homes).find(([pattern]) => matches(pattern, name))?.[1];
  if (home === undefined) return `${path} imports ${name} (a package without a home)`;
  if (home.some((pattern) => matches(`src/${pattern}`, path))) return undefined;
  return `${path} imports ${name} (its home is ${home.join(', ')})`;
}

function placeOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function floorOf(place: string): number {
  return floors.findIndex((floor) => floor.includes(place));
}

function matches(pattern: string, text: string): boolean {
  const [start = '', end] = pattern.split('*');
  return end === undefined ? text === start : text.startsWith(start) && text.endsWith(end);
}

const root = new URL('../../', import.meta.url);
const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .toSorted();

describe('the layout of src', () => {
  it('is kept by every file', () => {
    const faults = sources.flatMap((path) =>
      faultsOf(path, readFileSync(new URL(path, root), 'utf8')),
    );
    expect(sources).not.toEqual([]);
    expect(faults).toEqual([]);
  });

  it('names only homes that are there', () => {
    const patterns = Object.values(homes).flat();
    const empty = patterns.filter((home) => !sources.some((path) => matches(`src/${home}`, path)));
    expect(empty).toEqual([]);
  });
});

function edge(specifier: string): string {
  return `import { x } from '${specifier}';\nexport const y = x;`;
}

describe('the checker', () => {
  it.each([
    [
      'src/call/run.ts',
      edge('../output/view.ts'),
      'src/call/run.ts imports src/output/view.ts (sideways)',
    ],
    [
      'src/schema/post.ts',
      edge('../files/save.ts'),
      'src/schema/post.ts imports src/files/save.ts (sideways)',
    ],
    ['src/errors.ts', edge('./schema/ids.ts'), 'src/errors.ts imports src/schema/ids.ts (up)'],
    [
      'src/operations/posts.ts',
      edge('../call/run.ts'),
      'src/operations/posts.ts imports src/call/run.ts (up)',
    ],
    [
      'src/cli/commands/doctor.ts',
      edge('../../main.ts'),
      'src/cli/commands/doctor.ts imports src/main.ts (up)',
    ],
    ['src/call/run.ts', edge('../../test/x.ts'), 'src/call/run.ts imports test/x.ts (outside src)'],
    ['src/call/run.ts', edge('./wait'), 'src/call/run.ts imports src/call/wait (without .ts)'],
    [
      'src/call/run.ts',
      edge('chalk'),
      'src/call/run.ts imports chalk (its home is output/tone.ts)',
    ],
    [
      'src/call/run.ts',
      edge('undici/lib/api.js'),
      'src/call/run.ts imports undici (its home is call/network*)',
    ],
    [
      'src/cli/verb.ts',
      edge('@inquirer/core'),
      'src/cli/verb.ts imports @inquirer/core (its home is cli/ask*)',
    ],
    [
      'src/cli/verb.ts',
      edge('left-pad'),
      'src/cli/verb.ts imports left-pad (a package without a home)',
    ],
    ['src/cli/verb.ts', edge('node:process'), 'src/cli/verb.ts imports node:process'],
    ['src/stray/x.ts', 'export const x = 1;', 'src/stray/x.ts has no place in the layout'],
    ['src/cli/utils.ts', 'export const x = 1;', 'src/cli/utils.ts has a name that says nothing'],
    ['src/cli/verb.ts', 'export default 1;', 'src/cli/verb.ts has a default export'],
    [
      'src/cli/verb.ts',
      'const x = 1;\nexport { x as default };',
      'src/cli/verb.ts has a default export',
    ],
  ])('%s: %s', (path, source, fault) => {
    expect(faultsOf(path, source)).toEqual([fault]);
  });

  it.each([
    "import type { View } from '../output/view.ts';",
    "import '../output/view.ts';",
    "export { view } from '../output/view.ts';\nexport const x = 1;",
    "export type V = import('../output/view.ts').View;",
    "export const load = () => import('../output/view.ts');",
    'export const load = () => import(`../output/view.ts`);',
  ])('sees through %s', (source) => {
    expect(faultsOf('src/call/run.ts', source)).toHaveLength(1);
  });

  it.each([
    'export const x = process.env;',
    'export const { env } = process;',
    'export const x = globalThis.process.env;',
    "export const x = globalThis['process'];",
  ])('sees the process in %s', (source) => {
    expect(faultsOf('src/cli/verb.ts', source)).toEqual(['src/cli/verb.ts uses process']);
    expect(faultsOf('src/main.ts', source)).toEqual([]);
  });

  it.each([
    "export * from './wait.ts';",
    "export { wait } from './wait.ts';",
    "import { wait } from './wait.ts';\nexport { wait };",
  ])('sees a barrel in %s', (source) => {
    expect(faultsOf('src/call/run.ts', source)).toEqual([
      'src/call/run.ts only passes on what others export',
    ]);
  });

  it.each([
    ['src/call/run.ts', "import { f } from '../operations/posts.ts';\nexport const x = f;"],
    ['src/call/run.ts', "import { f } from './sub/wait.ts';\nexport const x = f;"],
    ['src/cli/commands/doctor.ts', "import { f } from '../report.ts';\nexport const x = f;"],
    ['src/json.ts', "import { f } from './errors.ts';\nexport const x = f;"],
    [
      'src/version.ts',
      "import p from '../package.json' with { type: 'json' };\nexport const v = p;",
    ],
    ['src/call/network.ts', "import { request } from 'undici';\nexport const x = request;"],
    ['src/cli/verb.ts', 'export const x = { process: 1, say: "process.env" }.process;'],
    ['src/main.ts', "import './cli/program.ts';\nprocess.exitCode = 1;"],
  ])('lets %s do %s', (path, source) => {
    expect(faultsOf(path, source)).toEqual([]);
  });
});
