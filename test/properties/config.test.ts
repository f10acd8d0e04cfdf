// Any content of the settings file: read or refused, never destroyed.

import * as fc from 'fast-check';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testCli } from '../support/test-cli.ts';
import { retryPolicy, tell, times } from './times.ts';

const good = JSON.stringify({
  format: 1,
  context: 'prod',
  contexts: { prod: { baseUrl: 'https://a.example', tint: 'red' }, b: {} },
  timeout: '30s',
  future: { kept: [1, 2] },
});
const contents = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc.json({ maxDepth: 3 }).map((text) => Buffer.from(text)),
  fc
    .dictionary(
      fc.constantFrom('format', 'context', 'contexts', 'timeout', 'output', 'future', '__proto__'),
      fc.jsonValue(),
    )
    .map((value) => Buffer.from(JSON.stringify(value))),
  fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, byte]) => {
    const bytes = Buffer.from(good);
    bytes[at] = byte;
    return bytes;
  }),
  fc.nat(good.length).map((length) => Buffer.from(good.slice(0, length))),
);

it('any settings file is read or rejected, never destroyed', retryPolicy, async () => {
  const { social, folder } = testCli();
  mkdirSync(join(folder, 'config'), { recursive: true, mode: 0o700 });
  const path = join(folder, 'config', 'config.json');
  let [kept, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(contents, async (bytes) => {
      writeFileSync(path, bytes, { mode: 0o600 });
      const listed = await social(['config', 'list', '--json']);
      if (!readFileSync(path).equals(bytes)) throw new Error('reading wrote');
      const { exitCode, stderr } = await social(['config', 'set', 'retries', '4', '-q']);
      const after = readFileSync(path);
      if (exitCode === 0) {
        kept++;
        const [old, now] = [bytes, after].map(
          (each) => JSON.parse(each.toString().replace(/^\ufeff/, '')) as object,
        );
        // A key `__proto__` is not a setting and is dropped: it could only do harm.
        for (const [key, value] of Object.entries(old!)) {
          const same =
            JSON.stringify((now as Record<string, unknown>)[key]) === JSON.stringify(value);
          if (!same && !['retries', 'format', '__proto__'].includes(key))
            throw new Error(`lost ${key}`);
        }
      } else {
        refused++;
        if (!after.equals(bytes)) throw new Error('refused, and changed all the same');
        if (![2, 13].includes(exitCode) || /\n\s+at /.test(stderr))
          throw new Error(`${exitCode}: ${stderr}`);
      }
      if (![0, 2, 13].includes(listed.exitCode))
        throw new Error(`list ended with ${listed.exitCode}`);
    }),
    times(300, 20_000),
  );
  expect(kept + refused).toBeGreaterThan(0);
  tell(`${kept} settings files read and changed, ${refused} refused and left as they were`);
});
