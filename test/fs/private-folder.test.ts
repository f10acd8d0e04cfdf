import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { makePrivateFolder } from '../../src/fs/permissions.ts';
import { freshHome } from '../support/program.ts';

/** Makes `<root>/<n>/a/b` as soon as `<root>/<n>` exists, for n from 0 to 499. */
const rival = `
const { existsSync, mkdirSync } = require('node:fs');
const { parentPort, workerData: root } = require('node:worker_threads');
parentPort.postMessage('ready');
for (let n = 0; n < 500; n += 1) {
  while (!existsSync(root + '/' + n)) if (existsSync(root + '/end')) process.exit(0);
  for (const path of ['/a', '/a/b']) try { mkdirSync(root + '/' + n + path); } catch {}
}`;

describe('a private folder', () => {
  it('is created while another process creates the same one', async () => {
    const root = freshHome();
    const worker = new Worker(rival, { eval: true, workerData: root });
    await new Promise((ready) => worker.once('message', ready));
    try {
      for (let n = 0; n < 500; n += 1) makePrivateFolder(join(root, `${n}`, 'a', 'b'));
      expect(existsSync(join(root, '499', 'a', 'b'))).toBe(true);
    } finally {
      writeFileSync(join(root, 'end'), '');
      await worker.terminate();
    }
  });

  it.each([
    ['is a file', 'file', 'something else has that name'],
    ['has a file above it', 'file/a/b', 'a part of the path is not a folder'],
  ])('is named in the error when it %s', (_, path, why) => {
    const root = freshHome();
    writeFileSync(join(root, 'file'), '');
    expect(() => makePrivateFolder(join(root, path))).toThrow(
      `cannot write ${join(root, path)}: ${why}`,
    );
  });
});
