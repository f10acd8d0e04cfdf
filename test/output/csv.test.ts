// `-o csv`: for a spreadsheet, and back by `--from`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rowsOf } from '../../src/batch/read/csv.ts';
import { targetPost, targets } from '../support/posts.ts';
import { freshHome } from '../support/program.ts';
import { socialInProcess } from '../support/in-process.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';

const run = async (post: object, ...words: readonly string[]) => {
  const { url } = await recordingServer((_number, { target }) =>
    successResponse(JSON.stringify({ ...post, id: /\w+$/.exec(target)![0] })),
  );
  const home = freshHome();
  const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token' };
  const outcome = await socialInProcess(['posts', ...words, '-o', 'csv'], { home, env });
  expect(outcome.exitCode).toBe(0);
  return { ...outcome, home, env };
};
const post = (title: string) => ({
  ...targetPost([targets.linkedin('published'), targets.twitter('failed', 'No, "never"\nagain')]),
  title,
});
const id = 'PostForTheTestsA';

it('has a heading, all columns and the shared fields on each row, quoted as RFC 4180 says', async () => {
  const { stdout } = await run(post('Größe 🌱'), 'get', id);
  const [heading, first, ...rest] = stdout.split('\r\n');
  expect(heading).toMatch(/^title,id,status,.*,targets\.platform,targets\.status,targets\.id,/);
  expect(first).toMatch(/^Größe 🌱,PostForTheTestsA,.*,linkedin,published,TargetOnLinkedIn,/);
  expect(rest.join('\r\n')).toContain(',"No, ""never""\nagain",');
  expect(stdout.endsWith('\r\n')).toBe(true);
});

it.each(['=1+1', '+49 89', '-50% today', '@riverbank', '\tTab'])(
  'makes %j text, which comes back as it was',
  async (title) => {
    const { stdout } = await run(post(title), 'get', id, '--fields', 'title');
    expect(stdout.split('\r\n')[1]).toMatch(/^"?'/);
    const lines = stdout.split('\r\n').map((text, i) => ({ number: i + 1, text }));
    expect(rowsOf(lines, ',')[1]!.cells).toEqual([title]);
  },
);

it('of many records has one heading, and is a list of them', async () => {
  const { stdout, home, env } = await run(post('='), 'get', id, 'PostForTheTestsB');
  expect(stdout.match(/targets\.id/g)).toHaveLength(1);
  expect(stdout.startsWith('postId,title,status,')).toBe(true);
  const file = join(home, 'posts.csv');
  writeFileSync(file, stdout);
  const again = ['posts', 'get', '--from', file, '--column', 'postId', '--json'];
  const { stdout: lines } = await socialInProcess(again, { home, env });
  const inputs = lines
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { input: unknown }).input);
  expect(inputs).toEqual([{ postId: id }, { postId: 'PostForTheTestsB' }]);
});
