// A reply on Bluesky that does not say which comment it answers is sent with a warning.

import { describe, expect, it } from 'vitest';
import { testCli } from '../../support/test-cli.ts';

const reply = (target: string, ...flags: readonly string[]) =>
  `-C sandbox posts reply PostAutumnRecaps --target ${target} --text Hi`.split(' ').concat(flags);
const URI = 'at://did:plc:x/app.bsky.feed.post/3k';
const root = ['--root-uri', URI, '--root-cid', 'c'];
const parent = ['--parent-uri', URI, '--parent-cid', 'c'];
const warning = (flags: string) =>
  `warning: this reply on Bluesky had no ${flags}; a reply to a comment needs all four\n`;

describe('a reply', () => {
  it.each([
    ['TargetAutumnBlue', [], warning('--root-uri, --root-cid, --parent-uri, --parent-cid')],
    ['TargetAutumnBlue', root, warning('--parent-uri, --parent-cid')],
    ['TargetAutumnBlue', ['-q'], ''],
    ['TargetAutumnBlue', [...root, ...parent], ''],
    ['TargetAutumnMast', [], ''],
  ])('to %s with %j is sent, and answered with: %s', async (target, flags, stderr) => {
    const answered = await testCli().social(reply(target, ...flags));
    expect([answered.exitCode, answered.stderr]).toEqual([0, stderr]);
  });
});
