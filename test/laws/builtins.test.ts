// What the build puts in the place of Node's modules: getters, which are tried by everything else, and no HTTP/2 for
// undici, as long as undici says itself what it does without.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../support/program.ts';

/** Builds a program of one package called undici, which is this text, and runs it. */
async function built(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'social-builtins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const inside = join(folder, 'node_modules/undici');
  mkdirSync(inside, { recursive: true });
  writeFileSync(join(inside, 'index.js'), text);
  const plugin = pathToFileURL(join(root, 'scripts/lazy-builtins.mjs')).href;
  const config = join(folder, 'config.mjs');
  writeFileSync(
    config,
    `import { lazyBuiltins } from ${JSON.stringify(plugin)};
    export default {
      input: ${JSON.stringify(join(inside, 'index.js'))},
      platform: 'node',
      plugins: [lazyBuiltins],
      output: { file: ${JSON.stringify(join(folder, 'out.cjs'))}, format: 'cjs' },
    };`,
  );
  const rolldown = join(root, 'node_modules/rolldown/bin/cli.mjs');
  const build = await execa(process.execPath, [rolldown, '-c', config], { reject: false });
  if (build.exitCode !== 0) return `no build: ${build.stderr}`;
  return (await execa(process.execPath, [join(folder, 'out.cjs')])).stdout;
}

const guarded = `
let http2
try {
  http2 = require('node:http2')
} catch {
  // @ts-ignore
  http2 = { constants: {} }
}
console.log(JSON.stringify(http2))`;

it('gives undici no HTTP/2 where undici says what it does without', async () => {
  expect(await built(guarded)).toBe('{"constants":{}}');
});

it.each([
  ['at once', `const http2 = require('node:http2'); console.log(typeof http2.connect)`],
  ['with another answer to its absence', guarded.replace('constants: {}', 'isMissing: true')],
  ['twice', `${guarded}\nconsole.log(require('node:http2').connect)`],
])('builds nothing where undici needs it %s', async (_what, text) => {
  expect(await built(text)).toMatch(/no build: [^]*undici.index\.js needs HTTP\/2 in a way that/);
});
