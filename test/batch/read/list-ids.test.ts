// The IDs of a list beside those that a spreadsheet, an editor or an export has changed.

import { describe, expect, it } from 'vitest';
import { mastodonAction } from '../../../src/api/operations/accounts.ts';
import { telegramAccessCode } from '../../../src/api/operations/connect.ts';
import type { Operation } from '../../../src/api/operations/define-operation.ts';
import { fieldsOf } from '../../../src/api/operations/fields.ts';
import { retry } from '../../../src/api/operations/posts.ts';
import { parseList } from '../../../src/batch/read/list.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome } from '../../support/program.ts';

function read(text: string, column?: string, operation: Operation = mastodonAction) {
  const fields = fieldsOf(operation);
  const idField = fields.find(({ argument }) => argument !== undefined);
  const format = { fields, idField, column, isChange: true };
  return parseList(Buffer.from(text), format).parsed;
}

const ofSpreadsheet = (id: string, words: string) =>
  `${JSON.stringify(id)}: a spreadsheet changed this ID (${words}); open the original with this column as text, and export it again`;

describe('an ID that a spreadsheet changed', () => {
  it.each([
    [
      'scientific notation',
      ['1.13E+17', '1,13E+17', '1.13e17', '1E+17', '1e5', '-1.13E+17', '12.5e+16'],
    ],
    ['decimal places', ['113000000000000001.0', '113.00', '113,0', '113,5']],
    [
      'thousands separators',
      ['113,000,000', '113.000.000', '113 000', '113\u00a0000', '113\u202f000', "1'130", '1,130.5'],
    ],
    ['thousands separators', ['11,30,000']],
    ['an apostrophe before it', ["'113", '’113']],
    ['a formula', ['=113']],
    ['an error value', ['#NAME?', '#REF!', '#N/A', '#DIV/0!', '#BEZUG!', '#NV', '#N/D']],
    ['a date', ['3-Jan', '03-Jan-2026', 'Jan-26', '3. Jan', '03.01.2026', '1/3/26', '2026-01-03']],
    ['a truth value', ['TRUE', 'FALSE', 'WAHR']],
    ['a number format', ['50%', '12,5 %', '$113', '113 €', '€ 113']],
  ])('%s is refused in each format', (words, ids) => {
    for (const id of ids) {
      const fault = ofSpreadsheet(id, words);
      expect(read(`112\n${id}\n`)).toEqual([
        { line: 1, input: { statusId: '112' } },
        { line: 2, fault: `statusId has ${fault}` },
      ]);
      expect(read(`n\tstatus\n1\t${id}\n`, 'status')).toEqual([
        { line: 2, fault: `column "status" has ${fault}` },
      ]);
      for (const text of [JSON.stringify([id]), JSON.stringify({ statusId: id })])
        expect(read(text)).toEqual([{ line: 1, fault: `statusId has ${fault}` }]);
    }
  });

  it('is refused in the first line, and in a cell of a column that was too narrow', () => {
    for (const id of ['1,13E+17', '113,000,000'])
      expect(read(`${id}\n112\n`)[0]).toMatchObject({
        fault: expect.stringContaining('a spreadsheet changed this ID') as string,
      });
    expect(read('id,n\n####,1\n', 'id')).toMatchObject([
      { fault: expect.stringContaining('(a column that was too narrow)') as string },
    ]);
  });

  it('is refused in every column and every list of IDs, with all others', () => {
    const text = 'statusId,accountId\n113,1.13E+17\nTRUE,3-Jan\n';
    expect(read(text)).toEqual([
      { line: 2, fault: `accountId has ${ofSpreadsheet('1.13E+17', 'scientific notation')}` },
      {
        line: 3,
        fault: `statusId has ${ofSpreadsheet('TRUE', 'a truth value')}; accountId has ${ofSpreadsheet('3-Jan', 'a date')}`,
      },
    ]);
    const targets = '{"postId":"p","targetIds":["t",1.5e3,"NULL"]}';
    expect(read(targets, undefined, retry)).toMatchObject([
      {
        fault: expect.stringMatching(
          /^targetIds has "1.5e\+3": .*; targetIds has no value: "NULL"$/,
        ) as string,
      },
    ]);
  });

  it('is no number of JSON either, whose digits are those of the list', () => {
    expect(read('[1.13e5, 5.0, {"statusId": 5.00}]')).toMatchObject([
      { fault: `statusId has ${ofSpreadsheet('1.13e+5', 'scientific notation')}` },
      { fault: `statusId has ${ofSpreadsheet('5.0', 'decimal places')}` },
      { fault: `statusId has ${ofSpreadsheet('5.00', 'decimal places')}` },
    ]);
    const others = '{"id":"113","n":1.5e3,"t":"2026-01-01T10:00:00.000Z","x":"1.5e3, ]"}';
    expect(read(others, 'id')).toEqual([{ line: 1, input: { statusId: '113' } }]);
  });

  it('that is a credential is not quoted', () => {
    expect(read('1.13E+17\n', undefined, telegramAccessCode)).toEqual([
      { line: 1, fault: expect.stringMatching(/^code has: a spreadsheet/) as string },
    ]);
  });

  it('may be typed, because some IDs have this form', async () => {
    const line = ['accounts', 'mastodon', 'favourite', '1e5', '-a', 'AccountMastodonA'];
    const argv = [...line, '--dry-run', '-C', 'sandbox'];
    const { exitCode, stdout } = await socialInProcess(argv, { home: freshHome() });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('/1e5/')]);
  });
});

it.each([
  '113000000000000000',
  '100000000000000000000',
  '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
  '12e4567',
  '1e10a',
  '0.5.1',
  'act_113',
  'ag:113|456',
  '1503435956.000247',
  'marketing-2024',
  '10-march-sale',
  'true',
  'a&b=c;d/e?f%20#g',
  'Annas’s',
  '❤️',
])('an ID that only looks odd stays as it is: %s', (statusId) => {
  for (const text of [`113\n${statusId}\n`, JSON.stringify(['113', statusId])])
    expect(read(text).at(-1)).toEqual({ line: 2, input: { statusId } });
});

it.each([
  '\u00a0113\u00a0',
  '\u200b113\u200b',
  '\ufeff113\u2060',
  '“113”',
  '„113“',
  '‘113’',
  '«113»',
  '"113"',
  "'113'",
  ' “ 113 ” ',
])('spaces and quotes of an editor around an ID are removed: %j', (text) => {
  const wanted = { input: { statusId: '113' } };
  expect(read(`112\n${text}\n`)[1]).toMatchObject(wanted);
  expect(read(`n;statusId\n1;${text}\n`, 'statusId')).toMatchObject([wanted]);
  expect(read(JSON.stringify({ statusId: text }))).toMatchObject([wanted]);
});

it.each([
  ['11\u200b3', 'has "11\\u{200b}3", with an invisible character; remove it'],
  ['“113', 'has "“113", with a quote or a bracket; write the ID alone'],
  ['"113', 'has ""113", with a quote or a bracket; write the ID alone'],
  ['[“a”]', 'has "[“a”]", with a quote or a bracket; write the ID alone'],
  ['NULL', 'has no value: "NULL"'],
  ['\\N', 'has no value: "\\N"'],
])('text that is not an ID is refused: %j', (text, fault) => {
  const [, found] = read(`112\n${text}\n`);
  expect(found).toMatchObject({ line: 2, fault: `statusId ${fault}` });
});

it.each(['113 # retried', '- 113', 'some words', '(1 row)'])(
  'a line of words is refused, and not read as an ID: %s',
  (text) => {
    const fault = 'has a space; write one ID per line, in quotes if it has spaces';
    expect(read(`112\n${text}\n`)[1]).toEqual({ line: 2, fault });
    expect(read(`112\n"${text}"\n`)[1]).not.toMatchObject({ fault });
  },
);

it('an empty value of an export is missing, so --skip-missing leaves it out', () => {
  expect(read('id,n\nNULL,1\n', 'id')).toEqual([
    { line: 2, fault: 'column "id" has no value: "NULL"', isMissing: true },
  ]);
});
