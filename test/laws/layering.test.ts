// The rooms of src/ have one order: each imports only from itself and from those before it. No two files need each other,
// not even for a type or when they run, so that each can be read with those before it alone.

import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, it } from 'vitest';

const rooms = [
  'base',
  'fs',
  'server',
  'api',
  'sandbox',
  'config',
  'output',
  'prompts',
  'client',
  'history',
];
rooms.push('input', 'wait', 'batch', 'cli', 'commands');
/** The files beside the rooms, which may import from all of them. */
const places = [
  ...rooms,
  'kept-code.ts',
  'home.ts',
  'program.ts',
  'signals.ts',
  'main.ts',
  'start.ts',
];

const src = new URL('../../src/', import.meta.url);
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'));
const placeOf = (path: string) => places.indexOf(path.split('/')[0]!);

/** Returns the files that a source imports, types and `import()` included. */
const importsOf = (path: string, source: string): readonly string[] =>
  [...source.matchAll(/(?:\bfrom|\bimport)[\s(]*['"`](\.[^'"`]*)['"`]/g)].map(([, specifier]) =>
    posix.join(posix.dirname(path), specifier!),
  );

const wrongImports = (path: string, source: string): readonly string[] =>
  importsOf(path, source)
    .filter((target) => target !== '../package.json' && !target.startsWith('../node_modules/'))
    .filter((target) => placeOf(target) < 0 || placeOf(target) > placeOf(path))
    .map((target) => `${path} imports ${target}`);

it('every file of src is in a room, and imports only from its own and earlier rooms', () => {
  expect(files.filter((path) => placeOf(path) < 0)).toEqual([]);
  const wrong = files.flatMap((path) =>
    wrongImports(path, readFileSync(new URL(path, src), 'utf8')),
  );
  expect(wrong).toEqual([]);
});

it('no file needs itself, by whatever way', () => {
  const imports = new Map(
    files.map((path) => [path, importsOf(path, readFileSync(new URL(path, src), 'utf8'))] as const),
  );
  expect([...imports.keys()].flatMap((path) => wayBack(path, imports))).toEqual([]);
});

/** Returns the shortest way of imports from a file back to it. */
function wayBack(path: string, imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const seen = new Set<string>();
  const ways = [[path]];
  for (const way of ways)
    for (const next of imports.get(way.at(-1)!) ?? []) {
      if (next === path) return [[...way, path].join(' → ')];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  return [];
}
