// Scores the reading of causes on a file of errors, a line each: platform, text, cause, and where there is one a second
// cause that is as good, with tabs between. Prints what was misread, and ends with 1 where that is more than a tenth or
// more than four readings are harmful. npm run causes -- test/client/remedies.tsv

import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { load } from './dev-loader.mjs';

if (modules.registerHooks === undefined) modules.register('./dev-loader.mjs', import.meta.url);
else modules.registerHooks({ load });
const { readCause } = await import('../src/client/cause.ts');

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('which file? npm run causes -- errors.tsv');
const cases = readFileSync(path, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t'));

/** A retry in vain, a reconnection that cannot help, an author asked to change what only needs waiting. */
const isHarmful = (read, cause) =>
  read === 'temporary' ||
  read === 'reconnect' ||
  (read === 'content' && (cause === 'temporary' || cause === 'platform'));

const misread = [];
let right = 0;
for (const [platform, text, cause, second] of cases) {
  const { cause: read, readFrom = 'nothing known' } = readCause(platform, text);
  if (read === cause) right++;
  else if (read !== second) misread.push({ platform, text, cause, read, readFrom });
}
for (const { platform, text, cause, read, readFrom } of misread) {
  const mark = isHarmful(read, cause) ? 'harmful' : '       ';
  console.log(`${mark} ${read} for ${cause}, from ${readFrom}: ${platform}: ${text}`);
}
const harmful = misread.filter(({ read, cause }) => isHarmful(read, cause)).length;
const percent = (count) => `${count} (${Math.floor((100 * count) / cases.length)} %)`;
console.log(
  `${cases.length} errors: ${percent(right)} right, ${percent(cases.length - misread.length)} acceptable, ${harmful} harmful`,
);
if (misread.length * 10 > cases.length || harmful > 4) process.exitCode = 1;
