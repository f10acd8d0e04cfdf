// The layout of src/ as a law: the line of the rooms, where each package lives, who may touch the process, how large
// a file is, and that no two things bear one name.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moduleFacts } from './module-facts.ts';

/** The rooms of src/ in one line. A room imports from itself and from those before it, in whatever way. */
const rooms = [
  'base',
  'fs',
  'api',
  'sandbox',
  'config',
  'output',
  'prompts',
  'client',
  'history',
  'input',
  'wait',
  'batch',
  'cli',
  'commands',
] as const;

/** The files beside the rooms: each may import from every room and from those before it. */
const rootFiles = ['program.ts', 'signals.ts', 'main.ts', 'code-cache.ts', 'start.ts'];
const places: readonly string[] = [...rooms, ...rootFiles];

/** Where each package may be imported; `*` stands for anything. */
const homes: Readonly<Record<string, readonly string[]>> = {
  '@inquirer/*': ['prompts/terminal.ts'],
  '@modelcontextprotocol/*': [
    'commands/mcp/serve-tools.ts',
    'commands/mcp/server.ts',
    'commands/mcp/transport.ts',
  ],
  chalk: ['output/color.ts'],
  'cli-table3': ['output/table.ts'],
  commander: ['cli/*', 'commands/*', 'program.ts'],
  conf: ['config/file.ts'],
  execa: ['config/auth/*', 'prompts/editor.ts'],
  'fastest-levenshtein': ['base/closest.ts'],
  ora: ['wait/live-view.ts'],
  'string-width': ['output/*', 'batch/report/*'],
  undici: ['client/transport/*'],
  'wrap-ansi': ['output/*'],
  // Single fields of an input, the settings file and the stored tokens are judged by schemas too.
  zod: [
    'api/*',
    'sandbox/store/tables.ts',
    'config/file.ts',
    'config/auth/token-store.ts',
    'input/*',
  ],
};

/** Who may touch the process: everyone else gets the world as an argument. */
const processHomes = ['src/start.ts', 'src/main.ts', 'src/signals.ts', 'src/fs/lock-owner.ts'];

const MOST_LINES = 300;
const MOST_PARAMETERS = 4;
/** Of a line of comment; prettier sees to the code, and leaves long texts as they are. */
const MOST_COLUMNS = 120;
/** Files beside each other in one folder. */
const MOST_FILES = 22;
const bannedNames = ['utils', 'util', 'helpers', 'helper', 'common', 'manager', 'index'];

/** What a file does against the layout, a sentence each. `path` is like `src/client/retry.ts`. */
function faultsOf(path: string, source: string): string[] {
  const facts = moduleFacts(path, source);
  const faults = facts.imports.flatMap((specifier) => importFaults(path, specifier));
  if (!places.includes(placeOf(path))) faults.push(`${path} has no place in the layout`);
  if (facts.usesProcess && !processHomes.includes(path)) faults.push(`${path} uses process`);
  if (facts.hasDefaultExport) faults.push(`${path} has a default export`);
  if (facts.isBarrel) faults.push(`${path} only passes on what others export`);
  const lines = source.trimEnd().split('\n');
  if (lines.length > MOST_LINES) faults.push(`${path} has ${lines.length} lines`);
  const long = lines.findIndex((line) => isComment(line) && line.length > MOST_COLUMNS);
  if (long >= 0) faults.push(`${path}:${long + 1} has a comment over ${MOST_COLUMNS} columns`);
  const most = Math.max(0, ...facts.parameters);
  if (most > MOST_PARAMETERS) faults.push(`${path} has a function of ${most} parameters`);
  if (bannedNames.includes(basename(path, '.ts')))
    faults.push(`${path} has a name that says nothing`);
  return faults;
}

const isComment = (line: string) => /^\s*(?:\/\/|\/\*|\* )/.test(line);

function importFaults(path: string, specifier: string | undefined): string[] {
  if (specifier === undefined) return [`${path} imports something computed`];
  const wrong = specifier.startsWith('.')
    ? wrongEdge(path, posix.join(posix.dirname(path), specifier))
    : wrongPackage(path, specifier);
  return wrong === undefined ? [] : [wrong];
}

function wrongEdge(from: string, to: string): string | undefined {
  if (from === 'src/base/version.ts' && to === 'package.json') return undefined;
  if (!to.startsWith('src/')) return `${from} imports ${to} (outside src)`;
  if (!to.endsWith('.ts')) return `${from} imports ${to} (without .ts)`;
  const [here, there] = [placeOf(from), placeOf(to)];
  if (places.indexOf(there) <= places.indexOf(here)) return undefined;
  return `${from} imports ${to} (${there} stands after ${here})`;
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

function matches(pattern: string, text: string): boolean {
  const [start = '', end] = pattern.split('*');
  return end === undefined ? text === start : text.startsWith(start) && text.endsWith(end);
}

const root = new URL('../../', import.meta.url);
const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .toSorted();

const texts = Object.fromEntries(
  sources.map((path) => [path, readFileSync(new URL(path, root), 'utf8')]),
);

/** Circles of files that import each other, in the order of the imports; each circle once. */
function circlesIn(files: Readonly<Record<string, string>>): readonly string[] {
  const targets = new Map(
    Object.entries(files).map(([path, source]) => [
      path,
      moduleFacts(path, source)
        .imports.filter((specifier) => specifier?.startsWith('.'))
        .map((specifier) => posix.join(posix.dirname(path), specifier!)),
    ]),
  );
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) circles.push(trail.slice(at).join(' > '));
    if (at >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  return circles;
}

describe('the layout of src', () => {
  it('is kept by every file', () => {
    const faults = Object.entries(texts).flatMap(([path, source]) => faultsOf(path, source));
    expect(sources).not.toEqual([]);
    expect(faults).toEqual([]);
  });

  it('has no circle of imports', () => {
    expect(circlesIn(texts)).toEqual([]);
  });

  it('gives no name to two things', () => {
    const homesOf = new Map<string, string[]>();
    for (const [path, source] of Object.entries(texts))
      for (const name of moduleFacts(path, source).exports)
        homesOf.set(name, [...(homesOf.get(name) ?? []), path]);
    // Each file of a command adds itself below the program.
    const twice = [...homesOf].filter(([name, paths]) => paths.length > 1 && name !== 'add');
    expect(Object.fromEntries(twice)).toEqual({});
  });

  it('keeps folders small enough to be read', () => {
    const folders = sources.map((path) => posix.dirname(path));
    const large = folders.filter(
      (folder) => folders.filter((other) => other === folder).length > MOST_FILES,
    );
    expect([...new Set(large)]).toEqual([]);
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
      'src/client/retry.ts',
      edge('../wait/poll.ts'),
      'src/client/retry.ts imports src/wait/poll.ts (wait stands after client)',
    ],
    [
      'src/base/errors.ts',
      edge('../api/schema/ids.ts'),
      'src/base/errors.ts imports src/api/schema/ids.ts (api stands after base)',
    ],
    [
      'src/api/operations/posts.ts',
      edge('../../sandbox/handlers/posts.ts'),
      'src/api/operations/posts.ts imports src/sandbox/handlers/posts.ts (sandbox stands after api)',
    ],
    [
      'src/commands/doctor/doctor.ts',
      edge('../../main.ts'),
      'src/commands/doctor/doctor.ts imports src/main.ts (main.ts stands after commands)',
    ],
    [
      'src/program.ts',
      edge('./main.ts'),
      'src/program.ts imports src/main.ts (main.ts stands after program.ts)',
    ],
    [
      'src/wait/poll.ts',
      edge('../../test/x.ts'),
      'src/wait/poll.ts imports test/x.ts (outside src)',
    ],
    ['src/wait/poll.ts', edge('./watch'), 'src/wait/poll.ts imports src/wait/watch (without .ts)'],
    [
      'src/wait/poll.ts',
      edge('chalk'),
      'src/wait/poll.ts imports chalk (its home is output/color.ts)',
    ],
    [
      'src/wait/poll.ts',
      edge('undici/lib/api.js'),
      'src/wait/poll.ts imports undici (its home is client/transport/*)',
    ],
    [
      'src/cli/help.ts',
      edge('@inquirer/core'),
      'src/cli/help.ts imports @inquirer/core (its home is prompts/terminal.ts)',
    ],
    [
      'src/cli/help.ts',
      edge('left-pad'),
      'src/cli/help.ts imports left-pad (a package without a home)',
    ],
    ['src/cli/help.ts', edge('node:process'), 'src/cli/help.ts imports node:process'],
    ['src/stray/x.ts', 'export const x = 1;', 'src/stray/x.ts has no place in the layout'],
    ['src/cli/utils.ts', 'export const x = 1;', 'src/cli/utils.ts has a name that says nothing'],
    [
      'src/cli/help.ts',
      `export const x = 1;\n// ${'x'.repeat(118)}`,
      'src/cli/help.ts:2 has a comment over 120 columns',
    ],
    ['src/cli/help.ts', 'export default 1;', 'src/cli/help.ts has a default export'],
    [
      'src/cli/help.ts',
      'const x = 1;\nexport { x as default };',
      'src/cli/help.ts has a default export',
    ],
    [
      'src/cli/help.ts',
      'export const f = ([a]: X, { b }: X, c: X, d: X, e: X) => a + b + c + d + e;',
      'src/cli/help.ts has a function of 5 parameters',
    ],
    ['src/cli/help.ts', 'export const x = 1;\n'.repeat(301), 'src/cli/help.ts has 301 lines'],
  ])('%s: %#', (path, source, fault) => {
    expect(faultsOf(path, source)).toEqual([fault]);
  });

  it.each([
    "import type { View } from '../wait/watch.ts';",
    "import '../wait/watch.ts';",
    "export { view } from '../wait/watch.ts';\nexport const x = 1;",
    "export type V = import('../wait/watch.ts').View;",
    "export const load = () => import('../wait/watch.ts');",
    'export const load = () => import(`../wait/watch.ts`);',
  ])('sees through %s', (source) => {
    expect(faultsOf('src/client/retry.ts', source)).toHaveLength(1);
  });

  it.each([
    'export const x = process.env;',
    'export const { env } = process;',
    'export const x = globalThis.process.env;',
    "export const x = globalThis['process'];",
  ])('sees the process in %s', (source) => {
    expect(faultsOf('src/cli/help.ts', source)).toEqual(['src/cli/help.ts uses process']);
    expect(faultsOf('src/main.ts', source)).toEqual([]);
  });

  it.each([
    "export * from './watch.ts';",
    "export { wait } from './watch.ts';",
    "import { wait } from './watch.ts';\nexport { wait };",
  ])('sees a barrel in %s', (source) => {
    expect(faultsOf('src/wait/poll.ts', source)).toEqual([
      'src/wait/poll.ts only passes on what others export',
    ]);
  });

  it.each([
    ['src/client/retry.ts', "import { f } from '../api/operations/posts.ts';\nexport const x = f;"],
    [
      'src/client/retry.ts',
      "import { f } from './transport/open-transport.ts';\nexport const x = f;",
    ],
    ['src/commands/help.ts', "import { f } from '../cli/help.ts';\nexport const x = f;"],
    ['src/base/json.ts', "import { f } from './errors.ts';\nexport const x = f;"],
    [
      'src/base/version.ts',
      "import p from '../../package.json' with { type: 'json' };\nexport const v = p;",
    ],
    [
      'src/client/transport/open-transport.ts',
      "import { request } from 'undici';\nexport const x = request;",
    ],
    ['src/cli/help.ts', 'export const x = { process: 1, say: "process.env" }.process;'],
    ['src/main.ts', "import './cli/help.ts';\nprocess.exitCode = 1;"],
    ['src/start.ts', "import './main.ts';\nprocess.exitCode = 1;"],
  ])('lets %s do %s', (path, source) => {
    expect(faultsOf(path, source)).toEqual([]);
  });

  it('finds a circle, in whatever way its files import each other', () => {
    const circle = {
      'src/a/one.ts': "import type { Two } from '../b/two.ts';",
      'src/b/two.ts': "export const load = () => import('../c/three.ts');",
      'src/c/three.ts': "import { one } from '../a/one.ts';",
      'src/c/four.ts': "import { one } from '../a/one.ts';",
    };
    expect(circlesIn(circle)).toEqual(['src/a/one.ts > src/b/two.ts > src/c/three.ts']);
  });
});
