// "Did you mean", and how a line becomes words.

import { describe, expect, it } from 'vitest';
import { closestWord } from '../../src/base/suggestions.ts';
import { camelCase } from '../../src/config/flags.ts';
import { kebab } from '../../src/api/operations/fields.ts';
import { splitWords } from '../support/shell-words.ts';
import { shellLine } from '../../src/base/shell.ts';

describe('the closest word', () => {
  it.each([
    ['psots', 'posts'],
    ['post', 'posts'],
    ['retyr', 'retry'],
    ['--tagret', '--target'],
  ])('to %s is %s', (word, found) => {
    expect(closestWord(word, ['posts', 'retry', 'accounts', '--target'])).toBe(found);
  });

  it.each(['frobnicate', 'xx', ''])('to %j is undefined', (word) => {
    expect(closestWord(word, ['posts', 'retry', 'accounts', 'y'])).toBeUndefined();
  });

  it('of an empty list is undefined', () => {
    expect(closestWord('posts', [])).toBeUndefined();
  });
});

describe('names', () => {
  it.each([
    ['parentStatusId', 'parent-status-id'],
    ['text', 'text'],
  ])('%s is written %s and read back', (name, flag) => {
    expect(kebab(name)).toBe(flag);
    expect(camelCase(flag)).toBe(name);
  });
});

describe('the words of a line', () => {
  it.each([
    ['posts get  X', ['posts', 'get', 'X']],
    [`--text "a b" 'c "d"' e"f g"h`, ['--text', 'a b', 'c "d"', 'ef gh']],
    ['-a ""', ['-a', '']],
    ['', []],
  ])('%j', (line, words) => {
    expect(splitWords(line)).toEqual(words);
  });
});

describe('a word for a shell', () => {
  it.each([
    ['plain-1.2/x', 'plain-1.2/x'],
    ['a b', "'a b'"],
    ["it's", `'it'"'"'s'`],
    ['$HOME', "'$HOME'"],
    ['', "''"],
    ['a\nb', undefined],
    ['a\tb', undefined],
    ['a\u{1b}b', undefined],
    ['a\u202eb', undefined],
  ])('%j', (word, quoted) => {
    expect(shellLine([word])).toBe(quoted);
  });
});
