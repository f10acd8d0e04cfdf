// No source file composes a line to type as a text: a value in it could be read as more than a word. Lines are lists of
// words, and `src/base/shell.ts` alone quotes them.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Files that compose usage, help, names of commands, or the scripts of completion, which are not lines to type. */
const notTyped = new Set([
  'base/shell.ts',
  'cli/add-command.ts',
  'cli/command-tree.ts',
  'cli/help.ts',
  'cli/unknown-words.ts',
  'commands/schema.ts',
  'commands/completion/completion.ts',
]);

const composed = {
  // `social ${version}` is the program, and not a command.
  'a command with a value in a template': /\bsocial (?:[-\w]+ )*\$\{(?!version\})[^\n]*/g,
  // A constant has capital letters.
  'a flag before a value in a template':
    /(?<=[\s`}])(?:--[a-z-]+|-[CaHfFn])[ =]'?\$\{(?![A-Z_]+\})[^\n]*/g,
  'a command or a flag before a plus':
    /(?<=['"](?:[^'"\n]* )?)(?:social [^'"\n]*|--?[a-z][a-z-]*[ =])['"]\s*\+[^\n]*/g,
  'joined words of a command': /\[\s*'(?:social|--[a-z-]+)'[^\]]*\]\s*\.join\([^\n]*/g,
};

const composedIn = (source: string): readonly string[] =>
  Object.entries(composed).flatMap(([what, pattern]) =>
    Array.from(source.matchAll(pattern), ([text]) => `${what}: ${text}`),
  );

it('no line to type is composed as a text', () => {
  const src = new URL('../../src/', import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !notTyped.has(path));
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((path) =>
    composedIn(readFileSync(new URL(path, src), 'utf8')).map((text) => `${path}: ${text}`),
  );
  expect(found).toEqual([]);
});
