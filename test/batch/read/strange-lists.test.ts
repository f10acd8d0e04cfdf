// Lists as spreadsheets, editors and services write them: each is read as its owner means it, or refused.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mastodonAction } from '../../../src/api/operations/accounts.ts';
import type { Operation } from '../../../src/api/operations/define-operation.ts';
import { fieldsOf } from '../../../src/api/operations/fields.ts';
import { get, retry } from '../../../src/api/operations/posts.ts';
import { parseList } from '../../../src/batch/read/list.ts';
import { countingServer, idOf } from '../../support/counting-server.ts';
import { freshHome, social } from '../../support/program.ts';

interface Case {
  readonly operation?: Operation;
  readonly column?: string;
}

function parse(list: string | Uint8Array, { operation = mastodonAction, column }: Case = {}) {
  const fields = fieldsOf(operation);
  const idField = fields.find(({ argument }) => argument !== undefined);
  const isChange = operation.method !== 'GET';
  return parseList(Buffer.from(list as string), { fields, idField, column, isChange });
}

/** The IDs of a list, or `line: fault` in place of each that has one. */
const idsIn = (list: string | Uint8Array, more?: Case) =>
  parse(list, more).parsed.map((record) =>
    'fault' in record ? `${record.line}: ${record.fault}` : String(Object.values(record.input)[0]),
  );

const DOUBTFUL = 'may be a comment or a row; put a header line above the first row';

describe('a line that begins with #', () => {
  it.each<readonly [text: string, column: string | undefined, ids: readonly string[]]>([
    ['tag,id\n#spring,1\nautumn,2\n', 'id', ['1', '2']],
    ['tag\tid\n#spring\t1\n', 'id', ['1']],
    ['#spring,x\nid,n\n1,2\n', 'id', ['1']],
    ['# by a, b\nstatusId,accountId\n#1,A\n', undefined, ['#1']],
    ['#,id\n1,2\n', 'id', ['2']],
    ['#,id\n1,12\n', '2', ['12']],
    ['"#","id"\n"#1","2"\n', 'id', ['2']],
    ['#id\tn\n1\t2\n', '#id', ['1']],
    ['#,id\n#1,2\n', 'id', ['2']],
    ['# a "quote\nid,n\n1,2\n', 'id', ['1']],
    ['#a,11\n#b,12\n', '2', [`1: ${DOUBTFUL}`, `2: ${DOUBTFUL}`]],
    ['#a,11\nb,12\n', '2', [`1: ${DOUBTFUL}`]],
    ['# a note\nb,12\n', '2', ['12']],
    ['id\n# old\n1\n', 'id', ['2: begins with #; comments stand above the header', '1']],
    ['# a\n1\n #b\n2\n', undefined, ['1', '2']],
    ['# a\n{"statusId":"1"}\n#b\n', undefined, ['1']],
  ])('is a comment only where it cannot be a row: %j --column %j', (text, column, ids) => {
    expect(idsIn(text, { column: column! })).toEqual(ids);
  });

  it('is counted, as blank rows are', () => {
    const text = '# a\n#b\nid,n\n,\n1,2\n , \n"",""\n';
    expect(parse(text, { column: 'id' })).toMatchObject({ comments: 2, blankRows: 3, headers: 0 });
    expect(parse('id,n\n1,2\n', { column: '1' })).toMatchObject({ headers: 1 });
    expect(parse('1\n# a\n')).toMatchObject({ comments: 1 });
  });
});

describe('a header', () => {
  const twice = (numbers: string) =>
    `1: has several columns "id" (${numbers}); use --column with a number`;
  const maybe = (name: string) =>
    `1: "${name}" may be a header or an ID; use --column ${name}, or put the header statusId above it`;

  it.each<readonly [text: string, column: string | undefined, ids: readonly string[]]>([
    ['id,n,id\n1,2,3\n', 'id', [twice('1, 3')]],
    ['id\t id \n1\t2\n', 'id', [twice('1, 2')]],
    ['id,n,id\n1,2,3\n', '3', ['3']],
    ['n,n,id\n1,2,3\n', 'id', ['3']],
    ['n,toot\n1,2\n', '2', [maybe('toot')]],
    ['n,Old Toot\n1,2\n', '2', [maybe('Old Toot').replace('Old Toot,', "'Old Toot',")]],
    ['toot\n1\n2\n', undefined, [maybe('toot'), '1', '2']],
    ['TootID\n1\n', undefined, [maybe('TootID'), '1']],
    ['statusUrl\n1\n', undefined, [maybe('statusUrl'), '1']],
    ['toot\n1\n2\n', 'toot', ['1', '2']],
    ['11,12\n', '1e0', ['1: has no column "1e0" (columns: 11, 12)']],
    ['toot\nstatus\n', undefined, ['toot', 'status']],
    ['aBcD\n1x\n', undefined, ['aBcD', '1x']],
    [
      '2,1\n3,4\n',
      '2',
      ['1: has a cell "2", and a column of that number; put a header line with names above it'],
    ],
    ['id,n\n1,2\nid,n\n3,4\n', 'id', ['1', '3: repeats the header', '3']],
    ['“id”,n\n1,2\n', 'id', ['1']],
  ])('is never guessed in silence: %j --column %j', (text, column, ids) => {
    expect(idsIn(text, { column: column! })).toEqual(ids);
  });

  it('that is missing is named, if the first row has an ID', () => {
    const [fault] = idsIn('113000000,AccountMastodonA\n');
    expect(fault).toMatch(
      /^1: unknown CSV columns .*; if this is a record, put a header line above/,
    );
    expect(idsIn('id\n113\n')[0]).toMatch(/unknown CSV column "id" .*; try: --column id$/);
  });
});

describe('the list of a page', () => {
  const post = { id: 'PostSpringLaunch', targets: [{ id: 'TargetSpringLink' }] };
  const records = [{ statusId: '1' }, { statusId: '2' }];

  it.each<
    readonly [name: string, value: unknown, column: string | undefined, ids: readonly string[]]
  >([
    ['with the list at a usual key', { data: records, next: null }, undefined, ['1', '2']],
    ['with IDs', { items: ['1', 2], total: 2 }, undefined, ['1', '2']],
    ['with IDs at the name of the field', { status_ids: ['1'] }, undefined, ['1']],
    [
      'with two lists, one at a usual key',
      { data: records, errors: [{ x: 1 }] },
      undefined,
      ['1', '2'],
    ],
    ['with one list', { page: 1, old: records }, undefined, ['1', '2']],
    ['with a list further in', { result: { found: records } }, undefined, ['1', '2']],
    ['that is empty', { data: [], next: null }, undefined, []],
    ['of --column', { data: [{ id: 1 }, { id: 2 }], next: null }, 'id', ['1', '2']],
    ['of --column, with one list', { old: [{ id: 1 }] }, 'id', ['1']],
    ['by its path', { old: [{ id: 1 }, { id: 2 }], new: [{ id: 3 }] }, 'old.id', ['1', '2']],
    ['by the path of its IDs', { old: ['1', '2'], new: ['3'] }, 'old', ['1', '2']],
    ['by an index', { old: [{ id: 1 }, { id: 2 }] }, 'old.1.id', ['2']],
    ['of edges', { data: { x: { edges: [{ node: { id: 1 } }] } } }, 'node.id', ['1']],
  ])('%s is read', (_name, value, column, ids) => {
    for (const indent of [0, 2])
      expect(idsIn(JSON.stringify(value, null, indent), { column: column! })).toEqual(ids);
  });

  it('is a saved answer of the service, and no error', () => {
    for (const value of [{ ok: true, data: post }, { ok: true, data: [post] }, { posts: [post] }])
      for (const indent of [0, 2])
        expect(idsIn(JSON.stringify(value, null, indent), { operation: get })).toEqual([post.id]);
    expect(
      idsIn(JSON.stringify({ ok: true, data: { post } }), { operation: get, column: 'post.id' }),
    ).toEqual([post.id]);
    expect(idsIn('{"ok":false,"error":{"code":"x"}}\n')).toEqual([
      '1: is an error response of the service, and no record',
    ]);
  });

  it('on each line is read, and on one line each record has a position', () => {
    expect(idsIn('{"data":["1"]}\n{"data":["2"]}\n')).toEqual(['1', '2']);
    const text = JSON.stringify({ data: [{ statusId: '1' }, { statusId: 'NULL' }] });
    expect(parse(text)).toMatchObject({ unit: 'record', parsed: [{ line: 1 }, { line: 2 }] });
  });

  it.each<readonly [name: string, text: string, column: string | undefined]>([
    ['with several lists', '{"a":[{"id":1}],"b":[{"id":1}]}', undefined],
    ['that is a record with words', '{"content":"x","tags":["a","b"]}', undefined],
    ['whose record has its own ID', JSON.stringify({ post }), undefined],
    ['whose record has its own ID, with --column', JSON.stringify({ post }), 'id'],
    ['that is one of several records', '{"id":"1"}\n{"mentions":[{"id":"6"}]}\n', 'id'],
    ['of rows', '[["1","x"],["2","y"]]', undefined],
  ])('is not looked for in an object %s', (_name, text, column) => {
    const faults = parse(text, { column: column! }).parsed.filter((record) => 'fault' in record);
    expect(faults.length).toBeGreaterThan(0);
    expect(idsIn(text, { column: column! }).join()).not.toMatch(/6|TargetSpringLink/);
  });
});

describe('JSON documents', () => {
  const [a, b] = ['{"statusId":"1"}', '{"statusId":"2"}'];
  const long = (text: string) => JSON.stringify(JSON.parse(text), null, 2);

  it.each([
    `["1"]["2"]`,
    `["1","2",]`,
    `["1"],\n["2"],\n`,
    `${a}${b}\n`,
    `${a},\n${b},\n`,
    `{"statusId":"1",}\n${b}\n`,
    long(a) + long(b),
    `${long(a)},\n${long(b)},\n`,
    `\u001e${a}\n\u001e${b}\n`,
    `${long(a)}\n"2"\n`,
    `[\r"1",\r"2"\r]\r`,
  ])('follow each other in any way: %j', (text) => {
    expect(idsIn(text)).toEqual(['1', '2']);
  });

  it.each([
    [`${long(a)}\n${long(a)}\n${long(a).slice(0, -2)}`, '7: is not valid JSON'],
    ['[\n"1"\n]\n[\n"1\n]\n', '4: is not valid JSON'],
    [`${a}\n{"statusId":"1"\n`, '2: is not valid JSON'],
    ['["1"]\n\nfoo\n', '3: is not valid JSON'],
    ['[1,,2]', '1: is not valid JSON'],
    [`${long(a)}\n]\n${long(a)}`, '4: is not valid JSON'],
  ])('that are cut are reported by their own line: %j', (text, fault) => {
    expect(idsIn(text).at(-1)).toBe(fault);
  });

  it.each([
    '{"statusId":"1","statusId":"2"}\n',
    '{"statusId":"1"}\n{"statusId":"2", "statusId" : "2"}\n',
    '[\n{"statusId":"1","a":{"b":1,"b":2}}\n]\n',
  ])('are refused if an object has a key twice: %j', (text) => {
    expect(idsIn(text).at(-1)).toMatch(/^[12]: has a key twice in one object; keep one of them$/);
    const other = '{"statusId":"1","x":"\\":{","y":":","__proto__":{"x":[":"]}}\n';
    expect(idsIn(other, { column: 'statusId' })).toEqual(['1']);
  });

  it('may have brackets in their texts', () => {
    const text = '{\n"statusId":"1",\n"x":"} [{\\"" }\n{\n"statusId":"2", "x":"]"}\n';
    expect(idsIn(text, { column: 'statusId' })).toEqual(['1', '2']);
  });
});

describe('a table', () => {
  it.each<readonly [text: string, column: string | undefined]>([
    ['sep=;\nid;n\n1;x\n2;y\n', 'id'],
    ['"sep=|"\r\nid|n\r\n1|x\r\n2|y\r\n', 'id'],
    ['SEP=\t\nid\tn\n1\tx\n2\ty\n', 'id'],
    ['sep=;;\nid;n\n1;x\n2;y\n', 'id'],
    ['id,n\r1,x\r2,y\r', 'id'],
    ['id|n\n1|x\n2|y\n', 'id'],
    ['a, b; c;id;n\n,;;1;x\n,;;2;y\n', 'id'],
    ['statusId;accountId\n1;x\n2;y\n', undefined],
    ['statusId|accountId\n1|x\n2|y\n', undefined],
    [' statusId , accountId \n 1 , x \n\u00a02,\u200by\n', undefined],
    ['id\tn\n1\t"x\ny"\n2\t"z"\n', 'id'],
    [',,\nid,n,\n1,x,\n,,\n2,y,\n', 'id'],
  ])('is read as it was exported: %j', (text, column) => {
    expect(idsIn(text, { column: column! })).toEqual(['1', '2']);
  });

  it('has the line numbers of an editor', () => {
    const text = 'sep=;\r\nid;n\r\n1;"a\r\n\rb"\r\nNULL;x\r\n2;"y\r\n';
    expect(idsIn(text, { column: 'id' })).toEqual([
      '1',
      '6: column "id" has no value: "NULL"',
      '7: has an unclosed quote',
    ]);
  });

  it('without a header is not a list of IDs with semicolons', () => {
    expect(idsIn('toot;n\n1;2\n')[0]).toMatch(/^1: unknown CSV columns "toot", "n"/);
    expect(idsIn('1;2\n')).toEqual(['1;2']);
  });
});

describe('a file', () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const asUtf8 = 'save the list as UTF-8 (in a spreadsheet: CSV UTF-8)';

  it('of UTF-16 is read', () => {
    const text = 'id\tname\r\n1\t"Grüße\r\nan alle"\r\n2\tx\r\n';
    for (const bytes of [utf16(text), utf16(text).swap16()])
      expect(idsIn(bytes, { column: 'id' })).toEqual(['1', '2']);
  });

  it.each<readonly [name: string, list: string | Uint8Array, fault: string]>([
    [
      'Windows-1252',
      Buffer.from('1\ncaf\xe9\n', 'latin1'),
      `2: is not valid UTF-8 (byte 6); ${asUtf8}`,
    ],
    ['cut UTF-16', utf16('1\n2').subarray(0, -1), `1: is not valid UTF-16; ${asUtf8}`],
    [
      'UTF-16 without a mark',
      Buffer.from('1\n', 'utf16le'),
      `1: has a zero byte, so it is no text; ${asUtf8}`,
    ],
    ['a zero byte', '1\r2\r\n\u0000', `3: has a zero byte, so it is no text; ${asUtf8}`],
    ['HTML', '\n <!doctype html>\n', '1: is HTML or XML; save the list as IDs, JSON, CSV or TSV'],
    ['XML', '<?xml version="1.0"?>', '1: is HTML or XML; save the list as IDs, JSON, CSV or TSV'],
    [
      'a workbook',
      'PK\u0003\u0004rest',
      '1: is a workbook or a ZIP archive; export the sheet as CSV',
    ],
    [
      'an old workbook',
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]),
      '1: is an Excel workbook; export the sheet as CSV',
    ],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), '1: is compressed with gzip; uncompress it first'],
    ['a PDF', '%PDF-1.7\n', '1: is a PDF'],
  ])('that is not a list is refused: %s', (_name, list, fault) => {
    expect(idsIn(list)).toEqual([fault]);
  });
});

it('the program counts in one line all that it skips, and refuses a file that is not a list', async () => {
  const service = await countingServer();
  const home = freshHome();
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 'canary' };
  const list = join(home, 'list');
  const run = (text: string | Uint8Array, ...more: readonly string[]) => {
    writeFileSync(list, text);
    return social(['posts', 'get', '--from', list, ...more], { home, env });
  };
  const table = `# export\npost_id,n\n${idOf(1)},#\n,\n${idOf(1)},x\nNULL,\n`;
  const read = await run(table, '--column', 'post_id', '--skip-missing');
  expect(read).toMatchObject({ exitCode: 0 });
  expect(read.stderr).toContain(
    '1 comment, 1 blank row, 1 duplicate record, 1 record without an ID ignored\n',
  );
  expect(service.total()).toBe(1);
  const page = await run('<html></html>', '--allow-empty');
  expect(page).toMatchObject({ exitCode: 2, stdout: '' });
  const missing = await run('{"a":1}\n{"a":2}\n', '--column', 'id');
  expect(missing.exitCode).toBe(2);
  expect(missing.stderr).not.toContain('--skip-missing');
  const retried = parse(`postId;target\n${idOf(1)};"a;b"\n`, { operation: retry });
  expect(retried.parsed).toEqual([{ line: 2, input: { postId: idOf(1), targetIds: ['a', 'b'] } }]);
  expect(service.total()).toBe(1);
});
