// Texts and secrets that come from files, standard input and variables: real files, real pipes, private copies.

import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, secretFrom } from '../../src/input/text-input.ts';
import { fieldsOf } from '../../src/api/operations/fields.ts';
import { create } from '../../src/api/operations/webhooks.ts';
import type { Runtime } from '../../src/base/runtime.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { needsUnix } from '../support/unix.ts';

const MiB = 1024 * 1024;

/** The part of the runtime that reading needs. */
const outside = (stdin: Uint8Array | string = '', more: Partial<Runtime> = {}): Runtime =>
  ({
    env: {},
    stdin: {
      isTTY: false,
      async *chunks() {
        const bytes = Buffer.from(stdin as string);
        for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
      },
    },
    ...more,
  }) as Runtime;

const fromStdin = (bytes: Uint8Array | string) => readText('-', '--text-file', outside(bytes));

function file(content: Uint8Array | string): string {
  const path = join(temporaryFolder(), 'text');
  writeFileSync(path, content);
  return path;
}

describe('a text', () => {
  it.each([
    ['a\n', 'a'],
    ['a\r\n', 'a'],
    ['a\n\n', 'a\n'],
    ['\n', ''],
    ['', ''],
    ['a', 'a'],
    [' a \n', ' a '],
    ['a\r', 'a\r'],
  ])('%j loses at most one final newline', async (given, text) => {
    expect(await fromStdin(given)).toBe(text);
    expect(await readText(file(given), '--text-file', outside())).toBe(text);
  });

  it.each([
    [[0xff], 1],
    [[0x61, 0xc3], 3],
    [[0x61, 0xc3, 0x28], 3],
    [[0xc3, 0xa9, 0xed, 0xa0, 0x80], 4],
    [[0xf0, 0x9f, 0x8e, 0x89, 0xfe], 5],
    [[0xc0, 0x80], 1],
  ])('with the bytes %j is not UTF-8', async (bytes) => {
    const fault = await fromStdin(Uint8Array.from(bytes));
    expect(fault).toMatchObject({ field: '--text-file' });
    expect((fault as { problem: string }).problem).toMatch(
      /^standard input is not valid UTF-8 \(byte \d+\)$/,
    );
  });

  it('with an invalid byte is reported with its position', async () => {
    const bytes = Buffer.concat([Buffer.from('é'.repeat(5000)), Buffer.from([0xff, 0x61])]);
    expect(await fromStdin(bytes)).toMatchObject({
      problem: 'standard input is not valid UTF-8 (byte 10001)',
    });
  });

  it('in UTF-16 is reported with how to convert it', async () => {
    expect(await fromStdin(Buffer.from('\ufeffa', 'utf16le'))).toMatchObject({
      problem: 'standard input is UTF-16',
      fix: 'save it as UTF-8',
    });
  });

  it('has 1 MiB at most', async () => {
    expect(await fromStdin('x'.repeat(MiB))).toHaveLength(MiB);
    expect(await fromStdin('x'.repeat(MiB + 1))).toMatchObject({
      problem: 'standard input is larger than 1 MiB',
    });
    const path = file('x'.repeat(MiB + 1));
    expect(await readText(path, '--text-file', outside())).toMatchObject({
      problem: `${path} is larger than 1 MiB`,
    });
    // A gigabyte is not read to find that out.
    truncateSync(path, 1024 * MiB);
    const before = process.memoryUsage().rss;
    expect(await readText(path, '--text-file', outside())).toMatchObject({
      problem: `${path} is larger than 1 MiB`,
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MiB);
  });

  it('is not read from a folder, a pipe, a device or a missing file', async () => {
    needsUnix('named pipes');
    const folder = temporaryFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [folder, pipe, '/dev/zero'])
      expect(await readText(path, '--text-file', outside())).toMatchObject({
        problem: `${path} is not a regular file`,
      });
    expect(await readText(pipe, '--text-file', outside())).toMatchObject({
      fix: 'to read from a pipe, use --text-file - and pipe it to stdin',
    });
    expect(await readText(join(folder, 'none'), '--text-file', outside())).toMatchObject({
      problem: `${folder}/none does not exist`,
    });
  });

  it('may be read through a link', async () => {
    const path = file('linked\n');
    symlinkSync(path, `${path}.link`);
    expect(await readText(`${path}.link`, '--text-file', outside())).toBe('linked');
  });

  it('is not read from a terminal', async () => {
    const runtime = outside('', { stdin: { isTTY: true, async *chunks() {} } });
    expect(await readText('-', '--text-file', runtime)).toMatchObject({
      fix: 'pipe the text to stdin',
    });
  });
});

const fields = fieldsOf(create);
const secret = fields.find(({ name }) => name === 'secret')!;
const from = (flags: Record<string, unknown>, runtime = outside()) =>
  secretFrom(secret, flags, runtime);

describe('a secret', () => {
  it('comes from a file, from standard input or from a variable', async () => {
    expect(await from({ secretFile: file('correct horse\n') })).toBe('correct horse');
    expect(await from({ secretFile: '-' }, outside('correct horse\n'))).toBe('correct horse');
    const runtime = outside('', { env: { HOOK: 'correct horse' } });
    expect(await from({ secretEnv: 'HOOK' }, runtime)).toBe('correct horse');
  });

  it('is not read from a variable that is not set', async () => {
    expect(await from({ secretEnv: 'HOOK' })).toMatchObject({
      problem: 'refers to HOOK, which is not set',
    });
  });
});
