// A reply on Bluesky that does not say which comment it answers is sent with a warning.

import { describe, expect, it } from 'vitest';
import { testCli } from '../../support/test-cli.ts';

const reply = (target: string, ...flags: readonly string[]) =>
  `-C sandbox posts reply PostAutumnRecaps --target ${target} --text Hi`.split(' ').concat(flags);
const URI = 'at://did:plc:x/app.bsky.feed.post/3k';
const root = ['--root-uri', URI, '--root-cid', 'c'];
const parent = ['--parent-uri', URI, '--parent-cid', 'c'];
const MISSING =
  'warning: a reply on Bluesky needs --root-uri, --root-cid, --parent-uri, --parent-cid too, to answer a comment';

describe('a reply', () => {
  it('on a target that was shown to be on Bluesky warns of the missing fields, and is sent', async () => {
    const { social } = testCli();
    const first = await social(reply('TargetAutumnBlue'));
    expect([first.exitCode, first.stderr]).toEqual([0, '']);
    await social(['-C', 'sandbox', 'posts', 'get', 'PostAutumnRecaps'], { columns: 100 });
    const known = await social(reply('TargetAutumnBlue'));
    expect([known.exitCode, known.stderr]).toEqual([0, `${MISSING}\n`]);
    expect((await social(reply('TargetAutumnBlue', '-q'))).stderr).toBe('');
    expect((await social(reply('TargetAutumnBlue', ...root, ...parent))).stderr).toBe('');
    expect((await social(reply('TargetAutumnMast'))).stderr).toBe('');
  });

  it('with some of the fields warns of the others, wherever it goes', async () => {
    const { social } = testCli();
    const { exitCode, stderr } = await social(reply('TargetAutumnBlue', ...root));
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      'warning: a reply on Bluesky needs --parent-uri, --parent-cid too, to answer a comment\n',
    );
  });
});
