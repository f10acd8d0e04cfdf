// Which files of a batch are one file where one of them is written, and what is said of it.

import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileFaults } from '../../src/batch/file-faults.ts';
import { parseBatchSettings } from '../../src/batch/options.ts';
import { temporaryFolder } from '../support/test-cli.ts';

describe('the files of a batch', () => {
  /** A folder, and what is wrong with these files of a batch in it. */
  function files() {
    const home = temporaryFolder();
    const at = (name: string) => join(home, name);
    const faults = (
      flags: Readonly<Record<string, unknown>>,
      env: Readonly<Record<string, string>> = {},
    ) => {
      const { batch } = parseBatchSettings(flags);
      const runtime = { env, configDir: () => home, stateDir: () => home };
      return fileFaults(batch, flags as never, runtime as never).map(
        ({ field, problem, fix }) => `${field} ${problem}; ${fix}`,
      );
    };
    return { at, faults };
  }
  const fix = '; use a different file for each';

  it.each<readonly [string, (at: (name: string) => string) => object, readonly string[]]>([
    [
      'all are others',
      (at) => ({
        from: at('a'),
        journal: at('b'),
        failuresTo: at('c'),
        unknownTo: at('d'),
        report: [`junit=${at('e')}`],
      }),
      [],
    ],
    [
      'a list is written',
      (at) => ({ from: at('a'), failuresTo: at('a') }),
      ['--failures-to is the same file as --from'],
    ],
    [
      'a text is written',
      (at) => ({ textFile: at('a'), unknownTo: at('a') }),
      ['--unknown-to is the same file as --text-file'],
    ],
    [
      'a text is the journal',
      (at) => ({ signingSecretFile: at('a'), journal: at('a') }),
      ['--journal is the same file as --signing-secret-file'],
    ],
    [
      'a secret is written',
      (at) => ({ secretOut: at('a'), failuresTo: at('a') }),
      ['--failures-to is the same file as --secret-out'],
    ],
    [
      'a certificate is written',
      (at) => ({ cacert: at('a'), failuresTo: at('a') }),
      ['--failures-to is the same file as --cacert'],
    ],
    [
      'two outputs are one',
      (at) => ({ failuresTo: at('a'), unknownTo: at('a') }),
      ['--unknown-to is the same file as --failures-to'],
    ],
    [
      'a report is the journal',
      (at) => ({ journal: at('a'), report: [`junit=${at('a')}`] }),
      ['--report is the same file as --journal'],
    ],
    [
      'an output is the lock of another',
      (at) => ({ failuresTo: at('a'), unknownTo: at('a.lock') }),
      ['--unknown-to is the same file as the lock of --failures-to'],
    ],
    [
      'a list is the lock of an output',
      (at) => ({ from: at('a.lock'), journal: at('a') }),
      ['--from is the same file as the lock of --journal'],
    ],
    [
      'a journal is the settings',
      (at) => ({ journal: at('config.json') }),
      ['--journal is the same file as the settings of this tool'],
    ],
    [
      'a journal is the tokens',
      (at) => ({ journal: at('credentials.json') }),
      ['--journal is the same file as the file of stored tokens'],
    ],
    [
      'an output is the history',
      (at) => ({ failuresTo: at('history.ndjson') }),
      ['--failures-to is the same file as the history of this tool'],
    ],
    [
      'an output is the sandbox',
      (at) => ({ unknownTo: at('sandbox.ndjson') }),
      ['--unknown-to is the same file as the sandbox'],
    ],
    [
      'a list is the settings',
      (at) => ({ from: at('config.json') }),
      ['--from is the same file as the settings of this tool'],
    ],
    [
      'what is read is read twice',
      (at) => ({ from: at('a'), textFile: at('a'), cacert: at('a') }),
      [],
    ],
    ['standard input twice', () => ({ textFile: '-', failuresTo: '-' }), []],
    [
      'no path',
      () => ({ journal: 'auto', failuresTo: 'auto', textFile: '-', postId: ['x'], json: true }),
      [],
    ],
    ['a flag called File', (at) => ({ File: at('a'), Out: at('a'), failuresTo: at('a') }), []],
  ])('%s', (_what, flags, faults) => {
    const { at, faults: faultsOf } = files();
    expect(faultsOf({ ...flags(at) })).toEqual(faults.map((fault) => fault + fix));
  });

  it('are named by their locks where these alone are one', () => {
    const { at, faults } = files();
    symlinkSync(at('a.lock'), at('b.lock'));
    writeFileSync(at('a.lock'), '');
    expect(faults({ failuresTo: at('a'), unknownTo: at('b') })).toEqual([
      `the lock of --failures-to is the same file as the lock of --unknown-to${fix}`,
    ]);
  });

  it('are compared with the file of the token', () => {
    const { at, faults } = files();
    const same = '--failures-to is the same file as SOCIAL_TOKEN_FILE';
    expect(faults({ failuresTo: at('a') }, { SOCIAL_TOKEN_FILE: at('a') })).toEqual([same + fix]);
    expect(faults({ from: at('a') }, { SOCIAL_TOKEN_FILE: at('a') })).toEqual([]);
    expect(faults({ failuresTo: at('a') }, { SOCIAL_TOKEN_FILE: '' })).toEqual([]);
  });

  it('are each named once where three are one', () => {
    const { at, faults } = files();
    const [one, two] = [at('a'), at('link')];
    writeFileSync(one, '');
    symlinkSync(one, two);
    expect(faults({ from: one, failuresTo: two, unknownTo: one })).toEqual(
      ['--failures-to', '--unknown-to'].map((field) => `${field} is the same file as --from${fix}`),
    );
  });
});
