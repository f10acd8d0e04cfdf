// The notice of the accessible mode: once a machine.

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testCli } from '../support/test-cli.ts';

const NOTICE = 'accessible mode is on: plain lines, numbered questions, no redrawing\n';
const line = ['context', 'list', '--accessible'];

describe('the notice of the accessible mode', () => {
  it('is written once per machine', async () => {
    const { social, folder } = testCli();
    expect((await social([...line, '-o', 'tsv'])).stderr).toBe(NOTICE);
    const kept = readdirSync(join(folder, 'state'));
    expect(kept).toHaveLength(1);
    expect(statSync(join(folder, 'state', kept[0]!)).size).toBe(0);
    expect((await social(line)).stderr).toBe('');
  });

  it('is not written, and not recorded, with --quiet, with JSON output, or without the mode', async () => {
    const { social } = testCli();
    const quiet = [
      [...line, '-q'],
      [...line, '--json'],
      [...line, '-o', 'ndjson'],
      line.slice(0, -1),
    ];
    for (const argv of quiet) expect((await social(argv)).stderr).toBe('');
    expect((await social(line)).stderr).toBe(NOTICE);
  });

  it('is written each time when that cannot be recorded', async () => {
    const { social, folder } = testCli();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'state'), '');
    for (let time = 0; time < 2; time++) expect((await social(line)).stderr).toBe(NOTICE);
  });
});
