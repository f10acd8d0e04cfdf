// Which files of a batch are one file where one of them is written, and what is said of it.

import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileFaults } from '../../src/batch/files.ts';
import { parseBatchSettings } from '../../src/batch/options.ts';
import { temporaryFolder } from '../support/test-cli.ts';

describe('the files of a batch', () => {
  /** A folder, and what is wrong with these files of a batch in it. */
  function files() {
    const home = temporaryFolder();
    const at = (name: string) => join(home, name);
    const faults = (flags: Readonly<Record<string, unknown>>) =>
      fileFaults(parseBatchSettings(flags).batch, flags as never).map(
        ({ field, problem, fix }) => `${field} ${problem}; ${fix}`,
      );
    return { at, faults };
  }
  const fix = '; use a different file for each';

  it.each<readonly [string, (at: (name: string) => string) => object, readonly string[]]>([
    ['all are others', (at) => ({ from: at('a'), journal: at('b'), failuresTo: at('c') }), []],
    [
      'a list is written',
      (at) => ({ from: at('a'), failuresTo: at('a') }),
      ['--failures-to is the same file as --from'],
    ],
    [
      'a text is the journal',
      (at) => ({ signingSecretFile: at('a'), journal: at('a') }),
      ['--journal is the same file as --signing-secret-file'],
    ],
    [
      'two outputs are one',
      (at) => ({ journal: at('a'), failuresTo: at('a') }),
      ['--failures-to is the same file as --journal'],
    ],
    ['what is read is read twice', (at) => ({ from: at('a'), textFile: at('a') }), []],
    ['standard input twice', () => ({ textFile: '-', from: '-' }), []],
    ['no path', () => ({ textFile: '-', postId: ['x'], json: true }), []],
    ['a flag called File', (at) => ({ File: at('a'), failuresTo: at('a') }), []],
  ])('%s', (_what, flags, faults) => {
    const { at, faults: faultsOf } = files();
    expect(faultsOf({ ...flags(at) })).toEqual(faults.map((fault) => fault + fix));
  });

  it('are each named once where three are one', () => {
    const { at, faults } = files();
    const [one, two] = [at('a'), at('link')];
    writeFileSync(one, '');
    symlinkSync(one, two);
    expect(faults({ from: one, failuresTo: two, journal: one })).toEqual(
      ['--journal', '--failures-to'].map((field) => `${field} is the same file as --from${fix}`),
    );
  });
});
