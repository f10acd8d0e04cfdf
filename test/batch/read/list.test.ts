// From the bytes of a list to records, in each format that it may have.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ParsedRecord } from '../../../src/batch/read/list-ids.ts';
import { parseList } from '../../../src/batch/read/list.ts';
import { LIST_MARK } from '../../../src/fs/atomic-write.ts';
import { fieldsOf } from '../../../src/api/operations/fields.ts';
import { discordChannels, mastodonAction } from '../../../src/api/operations/accounts.ts';
import { get, reply, retry } from '../../../src/api/operations/posts.ts';
import { create } from '../../../src/api/operations/webhooks.ts';
import {
  isChange,
  operation as defineOperation,
  type Operation,
} from '../../../src/api/operations/define-operation.ts';

function read(
  operation: Operation,
  text: string | Uint8Array,
  column?: string,
): readonly ParsedRecord[] {
  const fields = fieldsOf(operation);
  const idField = fields.find(({ argument }) => argument !== undefined);
  const format = { fields, idField, column, isChange: isChange(operation) };
  return parseList(Buffer.from(text as string), format).parsed;
}

it('the first line of a list that this program saved is no comment of a user', () => {
  const fields = fieldsOf(retry);
  const format = { fields, idField: fields[0], column: undefined, isChange: true };
  const list = `${LIST_MARK}# mine\nPostSpringLaunch\n`;
  expect(parseList(Buffer.from(list), format)).toMatchObject({
    comments: 1,
    parsed: [{ line: 3, input: { postId: 'PostSpringLaunch' } }],
  });
});

describe('records', () => {
  it('may be ids with any punctuation', () => {
    expect(read(retry, 'other;x\n[y')).toEqual([
      { line: 1, input: { postId: 'other;x' } },
      { line: 2, input: { postId: '[y' } },
    ]);
  });

  it('may be ids and JSON objects, mixed', () => {
    const text = '\ufeff one-two \n\n{"postId":"x","targetIds":["y"]}\r\n#\nlast';
    expect(read(retry, text)).toEqual([
      { line: 1, input: { postId: 'one-two' } },
      { line: 3, input: { postId: 'x', targetIds: ['y'] } },
      { line: 5, input: { postId: 'last' } },
    ]);
  });

  it('of CSV keep commas, quotes and line breaks, and split lists at semicolons', () => {
    const text = '# replies\npostId,target,text\na,b,"Thanks, ""all""\nof you"\n\nc,d,\n';
    expect(read(reply, text)).toEqual([
      { line: 3, input: { postId: 'a', targetId: 'b', text: 'Thanks, "all"\nof you' } },
      { line: 6, input: { postId: 'c', targetId: 'd' } },
    ]);
  });
});

const X = { postId: 'PostSpringLaunch' };
const Y = { postId: 'PostAutumnRecaps' };
const post = { id: X.postId, status: 'failed', targets: [{ id: 'TargetSpringLink' }] };
const result = { line: 7, input: X, ok: false, exitCode: 10, cause: 'content', data: post };
const triage = {
  posts: 2,
  failedTargets: 2,
  groups: [
    { cause: 'content', records: [{ ...X, targetIds: ['TargetSpringLink'] }] },
    { cause: 'reconnect', records: [{ ...Y, targetIds: ['TargetSpringMast'] }] },
  ],
};
const inputsOf = (entries: readonly ParsedRecord[]) =>
  entries.map((entry) => ('input' in entry ? entry.input : entry.fault));

describe('a list in any format', () => {
  it('may have IDs as JSON numbers, except those that JSON readers round', () => {
    const ids = ['7', '9007199254740991', '5'];
    expect(inputsOf(read(mastodonAction, `[${ids.join(', ')}]`))).toEqual(
      ids.map((statusId) => ({ statusId })),
    );
    const changed = (shown: string) =>
      `statusId has the number "${shown}", whose digits JSON readers change; write IDs in quotes`;
    expect(inputsOf(read(mastodonAction, '[7, 112233445566778899001, -1, 5.5]'))).toEqual([
      { statusId: '7' },
      changed('112233445566778900000'),
      changed('-1'),
      changed('5.5'),
    ]);
    expect(inputsOf(read(mastodonAction, '{"statusId":7}\n{"statusId":1e400}'))).toEqual([
      { statusId: '7' },
      expect.stringContaining('"1e+400": a spreadsheet changed this ID') as string,
    ]);
    // A value that is not a number in JSON is not an ID either.
    expect(read(mastodonAction, '[7, 08]')).toEqual([{ line: 1, fault: 'is not valid JSON' }]);
  });

  it.each([
    ['an array of ids', JSON.stringify([X.postId, Y.postId]), [X, Y]],
    ['an array of objects', JSON.stringify([X, Y], null, 2), [X, Y]],
    ['arrays one after the other', `${JSON.stringify([X])}\n${JSON.stringify([Y])}`, [X, Y]],
    ['an empty array', '[]\n', []],
    ['quoted ids', `"${X.postId}"\n'${Y.postId}'\n`, [X, Y]],
    [
      'results of a batch',
      `${JSON.stringify(result)}\n${JSON.stringify({ ...result, ok: true, input: Y })}\n`,
      [X, Y],
    ],
    ['posts', `${JSON.stringify(post)}\n`, [X]],
    ['a post on several lines', JSON.stringify(post, null, 2), [X]],
    ['an array of posts', JSON.stringify([post]), [X]],
    ['a triage', JSON.stringify(triage), triage.groups.flatMap(({ records }) => records)],
    [
      'a triage on several lines',
      JSON.stringify(triage, null, 2),
      triage.groups.flatMap(({ records }) => records),
    ],
  ])('is accepted: %s', (_name, text, inputs) => {
    expect(inputsOf(read(retry, text))).toEqual(inputs);
  });

  it.each([
    ['a column by its name', 'post_id', 'shop,post_id\n1,PostSpringLaunch\n2,PostAutumnRecaps\n'],
    ['a column by its number', '2', 'shop,post_id\n1,PostSpringLaunch\n2,PostAutumnRecaps\n'],
    ['a number without a header', '2', '1,PostSpringLaunch\n2,PostAutumnRecaps\n'],
    ['semicolons', 'post_id', 'shop;post_id\n1;PostSpringLaunch\n2;PostAutumnRecaps\n'],
    ['tabs', 'Post ID', 'shop\tPost ID\n1\tPostSpringLaunch\n2\t"PostAutumnRecaps"\n'],
    [
      'a path in NDJSON',
      'data.post.id',
      '{"event":"post.failed","data":{"post":{"id":"PostSpringLaunch"}}}\n{"data":{"post":{"id":"PostAutumnRecaps"}}}\n',
    ],
    [
      'a path in an array',
      'data.0.id',
      '[{"data":[{"id":"PostSpringLaunch"}]},{"data":[{"id":"PostAutumnRecaps"}]}]',
    ],
  ])('gives the IDs of --column: %s', (_name, column, text) => {
    expect(inputsOf(read(retry, text, column))).toEqual([X, Y]);
  });

  it.each([
    [
      'post_id\nPostSpringLaunch\n',
      undefined,
      1,
      'unknown CSV column "post_id" (expected: postId, targetIds); try: --column post_id',
    ],
    [
      '{"event":"account.connected","data":{"account":{"accountId":"AccountMastodonA"}}}\n',
      undefined,
      1,
      'unknown fields "event", "data" (expected: postId, targetIds)',
    ],
    [
      '{"receivedAt":"x","event":"account.connected","headers":{},"data":{},"body":"{}"}\n',
      undefined,
      1,
      'has no "postId" (fields: receivedAt, event, body)',
    ],
    [
      '{"receivedAt":"x","event":"post.failed","postId":"a","headers":{},"data":{},"body":"{}"}\n',
      'data.post.id',
      1,
      'has no "data.post.id" (fields: receivedAt, event, postId, body)',
    ],
    ['a,b\n1,2\n', 'post_id', 1, 'has no column "post_id" (columns: a, b)'],
    ['a,post_id\n1,\n', 'post_id', 2, 'has a blank column "post_id" (columns: a, post_id)'],
    ['a,post_id\n1,  \n', 'post_id', 2, 'has a blank column "post_id" (columns: a, post_id)'],
    ['a,post_id\n1\n', 'post_id', 2, 'has 1 cell, the first row 2'],
    ['{"a":1,"b":{"c":2}}\n', 'b.id', 1, 'has no "b.id" (fields: a, b.c)'],
    ['{"id":""}\n', 'id', 1, 'has a blank "id" (fields: id)'],
    ['{"id":null}\n', 'id', 1, 'has a blank "id" (fields: id)'],
    ['{"id":{"x":1}}\n', 'id', 1, 'has no ID in quotes in "id" (fields: id.x)'],
    ['{"id":"PostSpringLaunch"}\nPostAutumnRecaps\n', 'id', 2, 'is not a JSON object'],
    ['["PostSpringLaunch",\n ""]', undefined, 2, 'has a blank ID'],
    ['["PostSpringLaunch",\n true]', undefined, 2, 'is neither an ID in quotes nor a JSON object'],
    ['["PostSpringLaunch",', undefined, 1, 'is not valid JSON'],
    ['[]\n\n["PostSpringLaunch"', undefined, 3, 'is not valid JSON'],
  ])('reports the fault and its line: %j --column %j', (text, column, number, fault) => {
    expect(read(retry, text, column).at(-1)).toMatchObject({ line: number, fault });
  });

  it('in JSON may be formatted in any way', () => {
    const text = fc.string({ unit: fc.constantFrom(...'"\\[]{},: \n\ta1.e'.split('')) });
    const value = fc.record({ postId: fc.constant('p'), text });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 2, '\t'),
        fc.constantFrom('', '\ufeff', ' \n'),
        (values, indent, start) => {
          const array = start + JSON.stringify(values, null, indent);
          expect(inputsOf(read(reply, array))).toEqual(values);
          const each = values.map((one) => JSON.stringify(one, null, indent));
          for (const between of ['\n', '', ',\n'])
            expect(inputsOf(read(reply, start + each.join(between)))).toEqual(values);
        },
      ),
    );
  });

  it.each([
    [' \n [ \n "a"\n]', 'record'],
    ['[["a"]]', 'record'],
    ['{ \t \n"postId":"a"}', 'record'],
    ['{"posts":7,"failedTargets":1,"groups":[{"records":["a","b"]}]}', 'record'],
    ['{"data":["a","b"]}', 'record'],
    ['{"data":["a","b"]}\n{"data":["c"]}', 'line'],
    ['x\n["a"]', 'line'],
    ['[a', 'line'],
    ['{"postId":"a"}\n', 'line'],
  ])('has positions by its format: %j', (text, unit) => {
    const format = {
      fields: fieldsOf(retry),
      idField: undefined,
      column: undefined,
      isChange: true,
    };
    expect(parseList(Buffer.from(text), format).unit).toBe(unit);
  });

  it('in JSON reports each invalid value by its position among the records', () => {
    const neither = 'is neither an ID in quotes nor a JSON object';
    const text = '["a", 1,\ntrue,"p", null\n,["q"], -1.5e3\n]\n';
    expect(read(retry, text)).toEqual([
      { line: 1, input: { postId: 'a' } },
      { line: 2, input: { postId: '1' } },
      { line: 3, fault: neither },
      { line: 4, input: { postId: 'p' } },
      { line: 5, fault: neither },
      { line: 6, input: { postId: 'q' } },
      { line: 7, fault: expect.stringContaining('"-1.5e+3": a spreadsheet') as string },
    ]);
    const bad = Buffer.concat([Buffer.from('["p",\n"'), Buffer.from([0xff]), Buffer.from('"]')]);
    const fault =
      'is not valid UTF-8 (byte 8); save the list as UTF-8 (in a spreadsheet: CSV UTF-8)';
    expect(read(retry, bad)).toEqual([{ line: 2, fault }]);
  });

  it('keeps a first record whose ID ends like a column name', () => {
    const ids = ['PostOfWhatIsPaid', 'PostWithThePosID', 'PostOfEachPostId'];
    for (const id of ids)
      expect(read(retry, `${id},n\n`, '1')).toEqual([{ line: 1, input: { postId: id } }]);
    for (const name of ['id', 'ID', 'post_id', 'Post ID', 'the-id', 'a.id', 'postID', 'postid'])
      expect(read(retry, `${name},n\nx,1\n`, '1')).toEqual([{ line: 2, input: { postId: 'x' } }]);
    for (const none of ['ids', 'id_1', 'idea'])
      expect(read(retry, `${none},n\n`, '1')).toEqual([{ line: 1, input: { postId: none } }]);
  });

  const unknown = (names: string, hint = '', word = 'columns') =>
    `unknown ${word} ${names} (expected: postId, targetIds)${hint}`;
  it.each([
    ['x,postId_', '"x", "postId_"', 'postId_'],
    ['id,the postid', '"id", "the postid"', `'the postid'`],
    ['x,my id,ID', '"x", "my id", "ID"', 'ID'],
    ['x,idx,ids,PID,theId', undefined, undefined],
    ['a,b,c,d,e,f,g,h,i,j', '"a", "b", "c", "d", "e", "f", "g", "h", … 2 more', undefined],
    ['a,b,c,d,e,f,g,h', undefined, undefined],
  ])('suggests the column that has the ID: %s', (header, names, guess) => {
    const [entry] = read(retry, `${header}\n1,2\n`);
    const shown =
      names ??
      header
        .split(',')
        .map((each) => JSON.stringify(each))
        .join(', ');
    const hint = guess === undefined ? '' : `; try: --column ${guess}`;
    expect(entry).toEqual({ line: 1, fault: unknown(shown, hint, 'CSV columns') });
  });

  it.each<readonly [text: string, wanted: string | readonly string[]]>([
    ['{"a":{"b":{"id":2,"c":{"post_id":1}}}}', 'a.b.c.post_id'],
    ['{"a":["id"]}', ''],
    ['{"input":{"postId":"p"},"ok":1}', 'input.postId'],
    ['{"input":5,"ok":true}', ''],
    ['{"groups":[{"records":[{"postId":"p"}]},{"records":["q"]}]}', ['p', 'q']],
    ['{"groups":[5]}', ''],
    ['{"groups":{"records":{}}}', ''],
    ['{"id":"p","targets":[]}', ['p']],
    ['{"id":7,"targets":[]}', 'id'],
    ['{"id":"p","targets":5}', 'id'],
    ['{"postId":"p","other":[]}', 'postId'],
    ['{"postId":"p","targets":["a"]}', ''],
  ])('recognises each kind of object: %s', (text, wanted) => {
    const keys = Object.keys(JSON.parse(text) as object).filter((key) => key !== 'postId');
    const names = keys.map((key) => JSON.stringify(key)).join(', ');
    const hint = wanted === '' ? '' : `; try: --column ${String(wanted)}`;
    const fault = { fault: unknown(names, hint, keys.length === 1 ? 'field' : 'fields') };
    const entries =
      typeof wanted === 'string' ? [fault] : wanted.map((postId) => ({ input: { postId } }));
    // All records of a page on one line have positions of their own.
    expect(read(retry, text)).toEqual(entries.map((each, i) => ({ line: i + 1, ...each })));
  });

  it('takes the names of flags, as a table does', () => {
    const inputs = ['{"postId":"p","target":"a"}', '{"postId":"p","target":["a"]}'];
    for (const text of inputs)
      expect(read(retry, text)).toEqual([{ line: 1, input: { postId: 'p', targetIds: ['a'] } }]);
    expect(read(retry, '{"postId":"p","target":"a","targetIds":["b"]}')).toMatchObject([
      { fault: unknown('"target"', '', 'field') },
    ]);
  });

  it('of failed targets gives the post, for commands that read posts only', () => {
    expect(read(get, '{"postId":"p","targetIds":["a"]}')).toEqual([
      { line: 1, input: { postId: 'p' } },
    ]);
    for (const text of ['{"postId":7,"targetIds":["a"]}', '{"postId":"p","targetIds":["a"],"x":1}'])
      expect(read(get, text)[0]).toMatchObject({
        fault: expect.stringContaining('unknown') as string,
      });
    expect(read(get, '{"id":" ","targets":[]}')).toMatchObject([
      { line: 1, fault: 'has a blank id' },
    ]);
    const [other] = read(create, '{"id":"p","targets":[]}');
    expect(other).toMatchObject({
      fault: expect.stringContaining('unknown fields "id"') as string,
    });
    expect(read(create, '["abc"]')).toEqual([
      { line: 1, fault: 'is neither an ID in quotes nor a JSON object' },
    ]);
    expect(read(create, 'abc')[0]).toMatchObject({
      fault: expect.stringContaining('is neither a JSON object nor CSV; inputs: url, ') as string,
    });
  });

  it('of failed targets gives no post to other commands', () => {
    const text = '{"postId":"p","targetIds":["a"]}';
    for (const operation of [discordChannels, reply])
      expect(read(operation, text)).toEqual([
        {
          line: 1,
          fault: expect.stringMatching(/^unknown field.* "targetIds" \(expected: /) as string,
        },
      ]);
    expect(read(get, '{"postId":" ","targetIds":["a"]}')).toMatchObject([
      { line: 1, fault: 'has a blank postId' },
    ]);
  });

  it('accepts the fields of the operation for a change, and rejects every other key', () => {
    const cancel = (input: typeof retry.input.shape) =>
      defineOperation({
        command: 'posts cancel',
        summary: 'Cancel a post',
        method: 'POST',
        path: '/v1/posts/{postId}/cancel',
        input,
        result: retry.result,
        columns: ['status'],
        inspect: { words: ['posts', 'get'], ids: ['{postId}'] },
        examples: [],
      } as never);
    const { postId, targetIds } = retry.input.shape;
    const record = '{"postId":"p","targetIds":["a"]}';
    const results = `{"line":1,"input":${record},"ok":false}`;
    for (const text of [record, results, `[${record}]`]) {
      expect(inputsOf(read(cancel({ postId, targetIds }), text))).toEqual([
        { postId: 'p', targetIds: ['a'] },
      ]);
      expect(inputsOf(read(cancel({ postId } as never), text))).toEqual([
        'unknown field "targetIds" (expected: postId)',
      ]);
    }
  });

  it('of stored deliveries gives the post of each', () => {
    const delivery = { receivedAt: 'x', event: 'post.failed', headers: {}, body: '{}' };
    const lines = [{ ...delivery, postId: 'p' }, delivery].map((each) => JSON.stringify(each));
    expect(read(retry, lines.join('\n'))).toEqual([
      { line: 1, input: { postId: 'p' } },
      { line: 2, fault: 'has no "postId" (fields: receivedAt, event, body)', isMissing: true },
    ]);
  });

  it('of delivered JSON gives the post of each', () => {
    const delivery = { receivedAt: 'x', headers: {} };
    const body = (id: string) => `\ufeff${JSON.stringify({ data: { post: { id } } })}`;
    const lines = [
      { ...delivery, body: body('a') },
      { ...delivery, data: { post: { id: 'own' } }, body: body('c') },
      { ...delivery, body: '{"data":{"account":{"id":"d"}}}' },
      { ...delivery, body: 'no JSON' },
      // No delivery: its text is not looked into.
      { body: body('e') },
    ].map((each) => JSON.stringify(each));
    lines.push(
      JSON.stringify({
        ...delivery,
        body: `[${[body('f'), '{}', body('g')].join(',').replaceAll('\ufeff', '')}]`,
      }),
    );
    const missing = 'has no "data.post.id"';
    expect(read(retry, lines.join('\n'), 'data.post.id')).toEqual([
      { line: 1, input: { postId: 'a' } },
      { line: 2, input: { postId: 'own' } },
      {
        line: 3,
        fault: `${missing} (fields: data.account.id, receivedAt, body)`,
        isMissing: true,
      },
      { line: 4, fault: `${missing} (fields: receivedAt, body)`, isMissing: true },
      { line: 5, fault: `${missing} (fields: body)`, isMissing: true },
      { line: 6, input: { postId: 'f' } },
      { line: 6, fault: `${missing} (fields: receivedAt, body)`, isMissing: true },
      { line: 6, input: { postId: 'g' } },
    ]);
  });

  it.each([
    ['c', 'a;b,c\n1;2,p\n'],
    ['id', 'shop, id \n1,p\n'],
    ['post', 'post,n\np,1\n'],
    ['post', 'n\tpost\n1"\tp\n'],
    ['post', '# no\nn\tpost\n\n"1\tp\n'],
  ])('is read from the column %s only: %j', (column, text) => {
    expect(inputsOf(read(retry, text, column))).toEqual([{ postId: 'p' }]);
  });

  it.each(['x{', 'x"p"', `p'`])('is an ID, unchanged: %s', (postId) => {
    expect(read(retry, `${postId}\n`)).toEqual([{ line: 1, input: { postId } }]);
  });

  it('omits the fields of empty cells', () => {
    expect(inputsOf(read(retry, 'postId,target\np,\n'))).toStrictEqual([{ postId: 'p' }]);
  });

  const deep =
    '{"id":"p","a":["q",{"id":"r"}],"n":12,"b":12345678901234567890,"o":{},"k.l":"dot","z":{}}';
  it.each([
    ['id', 'p'],
    ['a.0', 'q'],
    ['a.1.id', 'r'],
    ['n', '12'],
    ['k.l', 'dot'],
    ['a.x', undefined],
    ['z.toString', undefined],
    ['id.length', undefined],
  ])('finds --column %s in an object: %s', (column, postId) => {
    const fault = `has no ${JSON.stringify(column)} (fields: id, n, b, k.l)`;
    const found = postId === undefined ? { line: 1, fault } : { line: 1, input: { postId } };
    expect(read(retry, deep, column)).toMatchObject([found]);
    expect(read(retry, deep, 'b')).toEqual([
      { line: 1, fault: expect.stringContaining('column "b" has the number "123') as string },
    ]);
  });

  it.each<readonly [text: string, operation: Operation, entries: readonly object[]]>([
    [
      'postId,target\np,a;;b\nq,\nr\n',
      retry,
      [
        { line: 2, input: { postId: 'p', targetIds: ['a', 'b'] } },
        { line: 3, input: { postId: 'q' } },
        { line: 4, fault: 'has 1 cell, the first row 2' },
      ],
    ],
    [
      'postId\tpostId\na\tb\n',
      retry,
      [
        {
          line: 1,
          fault: 'duplicate CSV column postId (1, 2); use --column with a number',
        },
      ],
    ],
    [
      '# no\n\n postId \ttarget\np\ta; b\n',
      retry,
      [{ line: 4, input: { postId: 'p', targetIds: ['a', 'b'] } }],
    ],
    [
      '"p"\n"r\nr"\n" "\nq\'q\'\n',
      retry,
      [
        { line: 1, input: { postId: 'p' } },
        { line: 2, fault: 'postId has ""r", with a quote or a bracket; write the ID alone' },
        { line: 3, fault: 'postId has "r"", with a quote or a bracket; write the ID alone' },
        { line: 4, fault: 'has a blank ID' },
        { line: 5, input: { postId: `q'q'` } },
      ],
    ],
    [
      'name,url,isActive\nn,u,true\nn,u,false\nn,u,maybe\n',
      create,
      [true, false, 'maybe'].map((isActive, i) => ({
        line: i + 2,
        input: { name: 'n', url: 'u', isActive },
      })),
    ],
    [
      'postId,targetIds\n"a""b",c\n"x" y,z\n"two\nlines",t\nq"r"x,s\n',
      retry,
      [
        { line: 2, input: { postId: 'a"b', targetIds: ['c'] } },
        { line: 3, fault: 'has a quote that neither encloses a cell nor is doubled' },
        { line: 4, fault: 'postId has "two⏎lines", with an invisible character; remove it' },
        { line: 6, fault: 'has a quote that neither encloses a cell nor is doubled' },
      ],
    ],
  ])('gives these records: %j', (text, operation, entries) => {
    expect(read(operation, text)).toMatchObject(entries);
  });

  it('is not sent when it has a mask instead of a value', () => {
    const plain = { url: 'https://a.example/', events: ['post.failed'] };
    expect(read(create, `${JSON.stringify({ line: 1, input: plain, ok: false })}\n`)).toEqual([
      { line: 1, input: plain },
    ]);
    const input = { ...plain, secret: '***' };
    const [entry] = read(create, `${JSON.stringify({ line: 1, input, ok: false })}\n`);
    expect(entry).toEqual({
      line: 1,
      fault: 'is a result, which does not show its secret; use the records it came from',
    });
  });
});
