// Tables and lists of fields: whatever is in them, no line is wider than the terminal and no id is cut.

import * as fc from 'fast-check';
import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';
import { fieldList, fitTable, tableText } from '../../src/output/table.ts';
import { toTsv } from '../../src/output/write-result.ts';
import { makeColors } from '../../src/output/color.ts';
import { layoutOf } from '../../src/output/table-view.ts';
import { cpuTimer } from '../support/cpu-time.ts';

const table = (head: readonly string[], body: readonly (readonly string[])[], width: number) =>
  fitTable(
    head.map((heading) => ({ heading })),
    body,
    width,
  ).text;

const run = { seed: 20260302, numRuns: 60 };
const reading = { colors: makeColors(false), now: 0, utc: true };

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.constantFrom(
    '春の新作',
    '👩‍👩‍👧',
    '🎉🎉🎉',
    'e\u0301'.repeat(5),
    '日本語のとても長いひとつの言葉です',
    '🫶🏽 🧑🏽‍💻',
    'ที่นี่',
    'नमस्ते',
    'x'.repeat(60),
    '/v1/posts/PostSpringLaunch/comments/reply',
    `https://example.com/${'y'.repeat(40)}/z`,
  ),
);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const rows = fc.integer({ min: 1, max: 6 }).chain((columns) =>
  fc.record({
    head: fc.array(fc.stringMatching(/^[A-Z]{1,10}$/), { minLength: columns, maxLength: columns }),
    rows: fc.array(fc.array(text, { minLength: columns, maxLength: columns }), {
      minLength: 1,
      maxLength: 5,
    }),
    width: fc.integer({ min: 60, max: 200 }),
  }),
);

const widest = (shown: string) => Math.max(...shown.split('\n').map((line) => stringWidth(line)));

describe('a table', () => {
  it('is never wider than the terminal', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async ({ head, rows: body, width }) => {
        expect(widest(table(head, body, width))).toBeLessThanOrEqual(width);
      }),
      run,
    );
  });

  it('drops columns from the end, and keeps every word of the others', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async ({ head, rows: body, width }) => {
        const shown = table(head, body, width);
        const kept = head.filter((_label, i) => {
          const first = shown.split('\n')[0]!.split(/ {2,}/);
          return first[i] === head[i];
        });
        expect(head.slice(0, kept.length)).toEqual(kept);
        expect(kept.length).toBeGreaterThan(0);
        for (const row of body)
          for (const cell of row.slice(0, kept.length))
            for (const character of cell.normalize().replaceAll(' ', ''))
              expect(shown).toContain(character);
      }),
      run,
    );
  });

  it('keeps every id whole, and drops columns without room', async () => {
    const id = 'TargetSpringLink';
    const body = [
      ['linkedin', 'failed', id, 'The LinkedIn access token had expired since', 'https://h'],
    ];
    for (let width = 60; width <= 140; width++) {
      const shown = table(['PLATFORM', 'STATUS', 'ID', 'ERROR', 'URL'], body, width);
      expect(shown).toContain(id);
      expect(widest(shown)).toBeLessThanOrEqual(width);
    }
  });

  it('aligns columns by display width, not by length', async () => {
    const shown = table(
      ['A', 'B'],
      [
        ['春の', 'x'],
        ['e\u0301e\u0301', 'x'],
        ['👩‍👩‍👧', 'x'],
        ['🫶', 'x'],
        ['🧑🏽‍💻', 'x'],
        ['ที่นี่', 'x'],
        ['नमस्ते', 'x'],
        ['مَرْحَبًا', 'x'],
      ],
      80,
    );
    // Written out by hand: a terminal shows the widest, of five letters, with two spaces after it.
    const spaces = shown
      .split('\n')
      .slice(1)
      .map((line) => / *(?=x)/.exec(line)![0].length);
    expect(spaces).toEqual([3, 5, 5, 5, 5, 5, 3, 2]);
  });

  it('has no trailing spaces', async () => {
    expect(
      table(
        ['A', 'B'],
        [
          ['1', ''],
          ['222', '3'],
        ],
        80,
      ),
    ).not.toMatch(/ $/m);
  });
});

describe('a list of fields', () => {
  const pairs = fc.array(fc.tuple(fc.stringMatching(/^[a-z ]{1,14}:$/), text), {
    minLength: 1,
    maxLength: 6,
  });

  it.each([20, 30, 40, 50, 59, 80])('is never wider than %i columns', async (width) => {
    await fc.assert(
      fc.asyncProperty(pairs, async (fields) => {
        const label = Math.max(...fields.map(([name]) => name.length));
        // One long word is not cut: it has a line of its own.
        const words = fields.map(([, value]) => (value.includes(' ') ? 0 : 2 + stringWidth(value)));
        const most = Math.max(width, label + 2 + 8, ...words);
        expect(widest(fieldList(fields, width))).toBeLessThanOrEqual(most);
      }),
      run,
    );
  });

  it('keeps the longest API id whole on a usual terminal', async () => {
    const id = '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718';
    const labels = ['status:', 'attached to profile id:', 'session id:'];
    const shown = fieldList(
      labels.map((label) => [label, id]),
      80,
    );
    expect(shown.split(id)).toHaveLength(4);
    expect(widest(shown)).toBeLessThanOrEqual(80);
  });

  it('puts values below their labels when narrow', async () => {
    expect(
      fieldList(
        [
          ['a:', '1'],
          ['long:', 'two words'],
        ],
        12,
      ),
    ).toBe('a:     1\nlong:  two\n       words');
  });
});

const shownAs = {
  rows: 'targets',
  header: ['title', 'status'],
  columns: ['platform', 'status', 'id'],
} as const;
const data = {
  title: 'Spring',
  status: 'partial',
  targets: [
    { platform: 'twitter', status: 'published', id: 'TargetSpringTwit' },
    { platform: 'snapchat', status: 'failed' },
  ],
};

describe('a result', () => {
  it('is a table with a header on a wide terminal', async () => {
    expect(tableText(layoutOf(shownAs)(data), 60, reading)).toBe(
      [
        'title:   Spring',
        'status:  ✗ partial',
        '',
        'PLATFORM  STATUS       ID',
        'twitter   ✓ published  TargetSpringTwit',
        'snapchat  ✗ failed     -',
        '',
      ].join('\n'),
    );
  });

  it('is a table on a narrow one where it fits, else blocks of fields without missing ones', async () => {
    expect(tableText(layoutOf(shownAs)(data), 39, reading)).toContain('PLATFORM');
    expect(tableText(layoutOf(shownAs)(data), 38, reading)).toBe(
      [
        'title:   Spring',
        'status:  ✗ partial',
        '',
        'platform:  twitter',
        'status:    ✓ published',
        'id:        TargetSpringTwit',
        '',
        'platform:  snapchat',
        'status:    ✗ failed',
        '',
      ].join('\n'),
    );
  });

  it('without rows says so', async () => {
    const none = tableText(layoutOf(shownAs)({ title: 'Spring', targets: [] }), 80, reading);
    expect(none).toBe('title:  Spring\n\n(none)\n');
    expect(toTsv(layoutOf(shownAs)({ targets: [] }))).toBe('');
  });

  it('of an unexpected shape is still shown', async () => {
    for (const odd of [
      {},
      { targets: {} },
      { targets: 'x' },
      { targets: [null, 5, 'x'] },
      null,
      'x',
    ])
      expect(tableText(layoutOf(shownAs)(odd), 80, reading)).toMatch(/\n$/);
  });

  it.each([0, 1, 20, 38])('at %i columns is lines of fields, whatever is in it', async (width) => {
    const shown = tableText(layoutOf(shownAs)(data), width, reading);
    expect(shown.replaceAll(/\s/g, '')).toContain('TargetSpringTwit');
    expect(shown).not.toContain('PLATFORM');
  });

  it('at ten thousand columns is a table no wider than its content', async () => {
    const shown = tableText(layoutOf(shownAs)(data), 10_000, reading);
    expect(shown).toContain('PLATFORM  STATUS       ID\n');
    expect(widest(shown)).toBeLessThan(60);
  });

  it.each([
    ['words', 'some words here '],
    ['one word', 'x'],
    ['wide characters', '日本語 '],
    ['families', '👩‍👩‍👧'],
  ])('with megabytes of text is laid out quickly, cut and counted: %s', async (_what, unit) => {
    const long = unit.repeat(Math.ceil(3_000_000 / unit.length));
    const targets = Array.from({ length: 20 }, () => ({
      platform: long,
      id: 'TargetSpringLink',
    }));
    const usedMs = cpuTimer();
    const view = layoutOf(shownAs)({ title: long, targets });
    const shown = tableText(view, 80, reading);
    tableText(view, 80, { ...reading, wide: true });
    expect(usedMs()).toBeLessThan(10_000);
    const [title = '', ...rest] = shown.split('\n\n');
    expect(title.replaceAll(/\n +/g, ' ')).toContain(`(${long.length} characters, use --json)`);
    expect(rest.join()).toContain('characters, use');
    // No half of a character.
    expect(shown.isWellFormed()).toBe(true);
    expect(toTsv(layoutOf(shownAs)({ targets: targets.slice(0, 1) }))).toContain(long);
  });

  it('of very many rows is cut, with a note about the rest', async () => {
    const targets = Array.from({ length: 1500 }, (_, i) => ({ id: `${i}` }));
    const shown = tableText(layoutOf(shownAs)({ targets }), 80, reading);
    expect(shown).toMatch(/\n… 500 more, use --json\n$/);
    expect(toTsv(layoutOf(shownAs)({ targets })).split('\n')).toHaveLength(1501);
  });
});

describe('a cell', () => {
  it('keeps a time whole', async () => {
    const items = [
      { id: 'a b', createdAt: new Date(-900_000).toISOString(), text: 'x y '.repeat(30) },
    ];
    const layout = layoutOf({ header: [], rows: 'items', columns: ['id', 'createdAt', 'text'] });
    const view = layout({ items });
    expect(tableText(view, 60, { ...reading, utc: false })).toContain('15 minutes ago');
  });
});
