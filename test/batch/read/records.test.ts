// From bytes to records: however the bytes are cut, the same records come out, and CSV keeps every cell.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../../src/batch/read/lines.ts';
import { recordReader, type RecordEntry } from '../../../src/batch/read/records.ts';
import { fieldsOf } from '../../../src/api/operations/fields.ts';
import { reply, retry } from '../../../src/api/operations/posts.ts';
import { create } from '../../../src/api/operations/webhooks.ts';
import type { Operation } from '../../../src/api/operations/define-operation.ts';

function read(operation: Operation, text: string | Uint8Array, size = 64 * 1024): RecordEntry[] {
  const bytes = Buffer.from(text as string);
  const reader = recordReader(fieldsOf(operation));
  const entries: RecordEntry[] = [];
  for (let at = 0; at < bytes.length; at += size)
    entries.push(...reader.push(bytes.subarray(at, at + size)));
  return [...entries, ...reader.end()];
}

const line = fc.oneof(
  fc.constantFrom(
    '',
    '  ',
    '# note',
    'PostPostPostPost',
    '{"postId":"x"}',
    '{"a":',
    'é🎉',
    '\ud800',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);

describe('records', () => {
  it('are the same however the bytes are cut [B1]', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        (lines, end, size) => {
          const text = lines.join(end);
          expect(read(retry, text, size)).toEqual(read(retry, text));
        },
      ),
    );
  });

  it.each([
    ['[{"postId":"x"},{"postId":"y"}]', 'starts a JSON array'],
    ['[\n  {"postId":"x"}\n]\n', 'starts a JSON array'],
    ['["x", "y"]', 'starts a JSON array'],
    ['{\n  "postId": "x"\n}\n', 'starts a JSON object of several lines'],
    ['postId;target\nx;y\n', 'is a header whose columns are not separated by commas'],
    ['"postId"\ttarget\nx\ty\n', 'is a header whose columns are not separated by commas'],
  ])('of another form are told as one fault: %j', (text, fault) => {
    const entries = read(retry, text);
    expect(entries).toEqual([{ line: 1, fault: expect.stringContaining(fault) as string }]);
  });

  it('are ids with any sign in them', () => {
    expect(read(retry, 'other;x\n[y')).toEqual([
      { line: 1, input: { postId: 'other;x' } },
      { line: 2, input: { postId: '[y' } },
    ]);
  });

  it('are ids and JSON objects, side by side', () => {
    const text = '\ufeffone two\n\n{"postId":"x","targetIds":["y"]}\r\n#\nlast';
    expect(read(retry, text)).toEqual([
      { line: 1, input: { postId: 'one two' } },
      { line: 3, input: { postId: 'x', targetIds: ['y'] } },
      { line: 5, input: { postId: 'last' } },
    ]);
  });

  it('of CSV keep commas, quotes and line breaks, and split lists at semicolons', () => {
    const text =
      '# replies\nid\n'.replace('id', 'postId,target,text') +
      'a,b,"Thanks, ""all""\nof you"\n\nc,d,\n';
    expect(read(reply, text)).toEqual([
      { line: 3, input: { postId: 'a', targetId: 'b', text: 'Thanks, "all"\nof you' } },
      { line: 6, input: { postId: 'c', targetId: 'd' } },
    ]);
    const hooks =
      'url,event,isActive,customHeaders\nhttps://a,post.failed;post.partial,false,X-A: b:c;X-D: e\n';
    expect(read(create, hooks)).toEqual([
      {
        line: 2,
        input: {
          url: 'https://a',
          events: ['post.failed', 'post.partial'],
          isActive: false,
          customHeaders: { 'X-A': 'b:c', 'X-D': 'e' },
        },
      },
    ]);
  });

  it.each([
    ['a\n"open\n', 'has an unclosed quote'],
    ['postId,postId\n', 'duplicate CSV column postId'],
  ])('of CSV are refused where they make no sense: %j [B5]', (text, fault) => {
    const [entry] = read(retry, text.replace('a\n', 'postId,target\n'));
    expect(entry).toMatchObject({ fault });
  });

  it('of a million bytes without an end are one fault, and hold nothing [B5]', () => {
    const reader = recordReader(fieldsOf(retry));
    const chunk = Buffer.alloc(64 * 1024, 0x61);
    for (let i = 0; i < 2000; i++) expect(reader.push(chunk)).toEqual([]);
    expect(reader.push(Buffer.from('\nPost\n'))).toEqual([
      { line: 1, fault: 'is longer than 64 KiB' },
      { line: 2, input: { postId: 'Post' } },
    ]);
  });
});

describe('a line of CSV', () => {
  const cell = fc.string({ unit: fc.constantFrom(',', '"', '\n', ' ', 'a', 'é', ';') });

  it('comes back as the cells it was made of', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
        const text = cells.map((each) => `"${each.replaceAll('"', '""')}"`).join(',');
        expect(cellsOf(text)).toEqual(cells);
      }),
    );
  });
});
