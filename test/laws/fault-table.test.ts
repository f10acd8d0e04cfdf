// The table of faults in docs/testing.md: what is asserted of each row (fault-rows/<letter>.json, written by whoever
// read the row against its tests), and the tests that assert it, found by the row's name in theirs. A row without a
// test fails here, unless it is one that cannot be tried, with the reason.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** How many rows the catalogue has under each letter. */
const rows = {
  V: 35,
  T: 31,
  H: 40,
  A: 27,
  O: 18,
  C: 20,
  S: 21,
  X: 15,
  B: 25,
  W: 8,
  N: 38,
} as const;

/** Rows that cannot be tried here, and why. */
const untried: Readonly<Record<string, string>> = {
  O18: 'needs a Windows console',
};

/** Rows of which a part cannot be tried here, or is not offered. */
const inPart: Readonly<Record<string, string>> = {
  A14: 'JSON keeps the values, as the interface wants it; there is no --show-secrets',
  B2: 'there is no --skip-invalid',
  B10: 'there is no --repair',
  S8: 'ends with 0 instead of 141: a closed pipe counts as done',
  X10: 'there is no sandbox stop: the service ends with its command',
  C15: 'the errors are injected; no network folder was mounted',
  C16: 'line ends only; paths and renames of Windows need Windows',
  C17: 'both names are in one file; no file system that folds case was mounted',
  O13: 'CSV is not offered',
  S14: 'without a reference number to quote',
};

const root = new URL('../../', import.meta.url);
const files = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'))
  .toSorted();

interface Proof {
  readonly file: string;
  readonly name: string;
}

/** Every string of the tests that names rows in brackets, by row. */
function proofs(): ReadonlyMap<string, readonly Proof[]> {
  const found = new Map<string, Proof[]>();
  for (const file of files) {
    const text = readFileSync(new URL(file, root), 'utf8');
    for (const [, , name] of text.matchAll(
      /(['"`])((?:\\.|(?!\1)[^\\\n])*?\[[A-Z]\d+\](?:\\.|(?!\1)[^\\\n])*)\1/g,
    )) {
      for (const [, row] of name!.matchAll(/\[([A-Z]\d+)\]/g)) {
        const plain = name!.replaceAll(/ ?\[[A-Z]\d+\]/g, '').replaceAll('\\', '');
        const before = found.get(row!) ?? [];
        if (before.every((each) => each.file !== file || each.name !== plain))
          found.set(row!, [...before, { file, name: plain }]);
      }
    }
  }
  return found;
}

/** What the tests of each row assert, one sentence a row. */
const asserted: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.keys(rows).map((letter) =>
    JSON.parse(readFileSync(new URL(`test/laws/fault-rows/${letter}.json`, root), 'utf8')),
  ),
);

const ids = Object.entries(rows).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
);

const MARK =
  '<!-- Made by test/laws/fault-table.test.ts from the names of the tests; run it with -u. -->';
const MOST_SHOWN = 3;

const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;');

function table(found: ReadonlyMap<string, readonly Proof[]>): string {
  const lines = ids.map((id) => {
    const all = found.get(id) ?? [];
    const shown = all
      .slice(0, MOST_SHOWN)
      .map(({ file, name }) => `${file.slice(5)}: ${cell(name)}`);
    const more = all.length > MOST_SHOWN ? [`and ${all.length - MOST_SHOWN} more`] : [];
    const part = inPart[id] === undefined ? [] : [`_in part: ${inPart[id]}_`];
    const none = `_not tried: ${untried[id] ?? ''}_`;
    const said = all.length === 0 ? none : [...shown, ...more, ...part].join('<br>');
    return `| ${id} | ${cell(asserted[id] ?? '')} | ${said} |`;
  });
  return [
    '<!-- prettier-ignore -->',
    '| row | what is asserted | proved by |',
    '|---|---|---|',
    ...lines,
  ].join('\n');
}

describe('the faults of the catalogue', () => {
  const found = proofs();

  it('each have a test, or a reason for having none', () => {
    const without = ids.filter((id) => !found.has(id) && untried[id] === undefined);
    expect(without).toEqual([]);
  });

  it('each say what is asserted of them', () => {
    expect(ids.filter((id) => !asserted[id] && untried[id] === undefined)).toEqual([]);
    expect(Object.keys(asserted).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('are the only rows that tests name', () => {
    expect([...found.keys()].filter((id) => !ids.includes(id))).toEqual([]);
    expect(Object.keys(untried).filter((id) => found.has(id))).toEqual([]);
    expect(Object.keys(inPart).filter((id) => !found.has(id))).toEqual([]);
  });

  it('stand with their tests in docs/testing.md', async () => {
    const path = new URL('docs/testing.md', root);
    const [before = ''] = readFileSync(path, 'utf8').split(MARK);
    const whole = `${before}${MARK}\n\n${table(found)}\n`;
    await expect(whole).toMatchFileSnapshot(fileURLToPath(path));
  });
});
