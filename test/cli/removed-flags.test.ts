// Flags that earlier versions had: each is an unknown flag, with a word on what to do instead.

import { expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';

const read = 'posts get --from /dev/null';

it.each([[`${read} --report junit=a`, '--report', 'use --json: one line for each record']])(
  'says what to do instead: %s',
  async (line, flag, said) => {
    const { exitCode, stderr } = await socialInProcess(line.split(' '));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error: unknown flag "${flag}"\n  ${said}\n`);
  },
);
