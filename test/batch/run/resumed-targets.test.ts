// A batch that is run again with its journal and a changed list: a target that the request of the first run did not name
// is retried once, and one that it may have retried never again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countingServer, idOf } from '../../support/counting-server.ts';
import { targetPost, targets } from '../../support/posts.ts';
import { freshHome, social } from '../../support/program.ts';

const { linkedin, twitter } = targets;
const [A, B] = [twitter('failed').id, linkedin('failed').id];
const P = idOf(1);
const both = JSON.stringify({ postId: P, targetIds: [A, B] });
const second = JSON.stringify({ postId: P, targetIds: [B] });

/** Retries A, whose wait runs out of time; then B fails, and the second list is run with the same journal. */
async function resumed(flags: readonly string[], first: string, timeout: string) {
  const status = { [A]: 'failed', [B]: 'publishing' };
  let isOpen = false;
  const service = await countingServer((_id, method) => {
    if (method === 'POST')
      for (const id of [A, B]) if (status[id] === 'failed') status[id] = 'publishing';
    if (isOpen) for (const id of [A, B]) if (status[id] === 'publishing') status[id] = 'published';
    const of = [twitter(status[A]!, 'HTTP 503'), linkedin(status[B]!, 'HTTP 503')];
    return { body: JSON.stringify({ ok: true, data: { ...targetPost(of), id: P } }) };
  });
  const home = freshHome();
  const [records, journal] = [join(home, 'records'), join(home, 'journal')];
  const argv = ['posts', 'retry', '--from', records, '--journal', journal, '--wait', '--json'];
  const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: 't' };
  const run = (text: string, limit: string) => {
    writeFileSync(records, `${text}\n`);
    const waiting = ['--interval', '50ms', '--wait-timeout', limit];
    return social([...argv, ...waiting, ...flags], { home, env });
  };
  const before = await run(first, '300ms');
  expect(before.exitCode).toBe(8);
  if (status[B] === 'publishing') status[B] = 'failed';
  isOpen = true;
  const { exitCode, stdout, stderr } = await run(second, timeout);
  const sent = (service.bodies.get(`POST ${P}`) ?? []).map(
    (body) => (JSON.parse(body) as { targetIds?: readonly string[] }).targetIds,
  );
  return { exitCode, stderr, ok: (JSON.parse(stdout) as { ok: boolean }).ok, sent };
}

it.each([
  ['that the request for the post did not name', P],
  ['that the request of its record left alone', both],
])('a target %s is retried, and not only waited for', async (_what, first) => {
  expect(await resumed(['--failed'], first, '30s')).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining('1 of 1 published'),
    ok: true,
    sent: [[A], [B]],
  });
});

it('a target that a request for the whole post may have retried is waited for, and not retried', async () => {
  expect(await resumed([], P, '400ms')).toMatchObject({
    exitCode: 8,
    ok: false,
    sent: [undefined],
  });
});
