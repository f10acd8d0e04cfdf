// What a batch of posts suggests after it did not end well: it follows from the causes, and the line that is suggested does
// what it says.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idOf } from '../../support/counting-server.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { targets } from '../../support/posts.ts';
import { freshHome } from '../../support/program.ts';
import { publishingServer, type Script } from '../../support/publishing-server.ts';
import { splitWords } from '../../support/shell-words.ts';
import { serviceAt } from '../../support/terminal.ts';

const later = '2026-03-02T09:30:00Z';
const texts = {
  temporary: 'Service unavailable, try again later.',
  reconnect: 'The session has expired.',
  content: 'The text is too long.',
  platform: 'The daily posting quota is reached.',
  other: 'Computer says no.',
};
type Kind = keyof typeof texts;

/** A post whose target fails again for a cause, or goes out with the second retry. */
const fails = (kind: Kind, platform = 'linkedin', accountId = 'AccountLinkedInB'): Script => {
  const target = (status: string, at?: string) => ({
    ...targets.linkedin(status, status === 'failed' ? texts[kind] : undefined, at),
    platform,
    accountId,
  });
  return {
    before: [target('failed')],
    answer: [target('publishing')],
    after: [[target('failed', later)]],
  };
};
const moves: Script = {
  before: [targets.twitter('failed', texts.temporary)],
  answer: [targets.twitter('publishing')],
  after: [[targets.twitter('publishing')]],
};
const ends: Script = { ...moves, after: [[targets.twitter('published')]] };

/** Retries posts with these scripts, and whatever is suggested after that. */
async function night(scripts: readonly Script[], command = ['retry', '--wait']) {
  let now = scripts;
  const service = await publishingServer((id) => now.find((_script, i) => idOf(i) === id)!);
  const home = freshHome();
  const at = (name: string) => join(home, name);
  const ids = scripts.map((_script, i) => idOf(i));
  writeFileSync(at('ids'), `${ids.join('\n')}\n`);
  writeFileSync(at('csv'), `a,b\n${ids.map((id) => `1,${id}\n`).join('')}`);
  const line = (argv: readonly string[]) =>
    socialInProcess(argv, { home, env: serviceAt(service.url) });
  const fast = ['--interval', '30ms', '--wait-timeout', '200ms'];
  return {
    at,
    ids,
    /** From now on all posts go out. */
    mend: () => void (now = scripts.map(() => ends)),
    run: (...words: readonly string[]) => line(['posts', ...command, ...words, ...fast]),
    /** Types what was suggested. */
    type: (suggested: string) => line(splitWords(suggested).slice(1)),
  };
}

const tryOf = (stderr: string) => /^try: (.*)$/m.exec(stderr)?.[1];
const mixed = [
  fails('temporary'),
  fails('content', 'mastodon'),
  fails('reconnect', 'facebook', 'AccountFacebookB'),
  ends,
];
const headline = '1 of 4 published, 3 failed: 1 reconnect, 1 content, 1 temporary';

describe('the next line of a batch', () => {
  it('retries only what is temporary, from the file with the rest', async () => {
    const { run, type, at, mend } = await night(mixed);
    const { exitCode, stderr } = await run('--from', at('ids'), '--failures-to', at('left.ndjson'));
    expect(exitCode).toBe(11);
    expect(stderr).toContain(`error: ${headline}\n`);
    const next = tryOf(stderr)!;
    expect(next).toContain(`--from ${at('left.ndjson')} --failures-to ${at('left.2.ndjson')} `);
    expect(next).toMatch(/ --cause temporary$/);
    expect(stderr).toContain(
      '\n  content: change the content; retrying it unchanged fails again\n',
    );
    expect(stderr).toContain(
      '\n  reconnect: reconnect facebook AccountFacebookB in the service\n' +
        '  then check: social connect facebook pages -a AccountFacebookB\n' +
        '  then retry those: social posts retry ',
    );
    mend();
    const again = await type(next);
    expect(again.stderr).toMatch(/^0 of 3 published, 3 skipped$|^1 of 3 published, 2 skipped$/m);
    expect(readFileSync(at('left.2.ndjson'), 'utf8')).toBe('');
  });

  it.each([
    ['a list', 'ids', []],
    ['a column of a list', 'csv', ['--column', 'b']],
  ])('narrows %s where there is no such file', async (_what, name, more) => {
    const { run, at } = await night(mixed);
    const { stderr } = await run('--from', at(name), ...more);
    expect(tryOf(stderr)).toBe(
      `social posts retry --wait --from ${[at(name), ...more].join(' ')} --interval 30ms --wait-timeout 200ms --cause temporary`,
    );
    expect(stderr).toContain('\n  rerun with --failures-to FILE to save the failed IDs\n');
  });

  it('reads the saved records, which have no columns', async () => {
    const { run, type, at } = await night([fails('temporary'), ends]);
    const list = ['--from', at('csv'), '--column', 'b', '--failures-to', at('left')];
    const next = tryOf((await run(...list)).stderr)!;
    expect(next).not.toContain('--column');
    expect((await type(next)).exitCode).not.toBe(2);
  });

  it('is the same line with the journal where all is temporary, and has another journal where not', async () => {
    const one = await night([fails('temporary'), ends]);
    const journal = ['--journal', one.at('j.journal')];
    const same = tryOf((await one.run('--from', one.at('ids'), ...journal)).stderr)!;
    expect(same).toContain(`--journal ${one.at('j.journal')} `);
    expect(same).not.toContain('--cause');
    const two = await night(mixed);
    const other = await two.run('--from', two.at('ids'), '--journal', two.at('j.journal'));
    const next = tryOf(other.stderr)!;
    expect(next).toContain(`--journal ${two.at('j.2.journal')} `);
    two.mend();
    expect((await two.type(next)).exitCode).toBe(0);
    expect(existsSync(two.at('j.2.journal'))).toBe(true);
  });

  it('shows whether an account is ready where all have to be reconnected', async () => {
    const { run, at } = await night([fails('reconnect', 'facebook', 'AccountFacebookB'), ends]);
    const { stderr } = await run('--from', at('ids'));
    expect(stderr).toContain('1 of 2 published, 1 failed: 1 reconnect\n');
    expect(tryOf(stderr)).toBe('social connect facebook pages -a AccountFacebookB');
    expect(stderr).toContain('then retry those: social posts retry --wait --from');
  });

  it.each<readonly [Kind, string]>([
    ['content', 'content: change the content; retrying it unchanged fails again'],
    ['platform', 'platform: the platform rejects it and may reject it again'],
  ])('is none for %s, where the same fails again', async (kind, said) => {
    const { run, at } = await night([fails(kind), ends]);
    const { stderr } = await run('--from', at('ids'));
    expect(stderr).toContain(`\n  ${said}`);
    expect(tryOf(stderr)).toBeUndefined();
  });

  it('shows the posts where the cause is not known', async () => {
    const { run, at } = await night([fails('other'), ends]);
    const { stderr } = await run('--from', at('ids'));
    expect(tryOf(stderr)).toBe(`social posts triage ${idOf(0)}`);
  });

  it.each([
    ['one, with what it counts', [moves, ends], `posts wait ${idOf(0)} --target `],
    ['all of them, and no other', [moves, ends, moves], `posts wait Postal\\w+ Postal\\w+$`],
  ])('waits for what has not settled: %s', async (_what, scripts, words) => {
    const { run, at } = await night(scripts);
    const { exitCode, stderr } = await run('--from', at('ids'));
    expect(exitCode).toBe(8);
    expect(stderr).toContain(`error: 1 of ${scripts.length} published, `);
    expect(tryOf(stderr)).toMatch(new RegExp(words));
  });

  it('goes on waiting with the journal', async () => {
    const { run, type, at, mend } = await night([moves, ends]);
    const { exitCode, stderr } = await run('--from', at('ids'), '--journal', at('j'));
    expect(exitCode).toBe(8);
    mend();
    expect((await type(tryOf(stderr)!)).stderr).toContain('1 of 2 published, 1 already done\n');
  });

  it('after a wait is a retry of what is temporary, and not the wait again', async () => {
    const settled: Script = { ...fails('temporary'), answer: [], after: [] };
    const { run, ids } = await night([settled, { ...ends, before: ends.after[0]! }], ['wait']);
    const { stderr } = await run(...ids);
    expect(stderr).toContain('1 of 2 published, 1 failed: 1 temporary\n');
    expect(tryOf(stderr)).toBe(`social posts retry ${idOf(0)} --cause temporary --wait`);
  });

  it('is in the error object, with the counts and the causes', async () => {
    const { run, at } = await night([...mixed, moves]);
    const { stderr } = await run('--from', at('ids'), '--json');
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!) as { error: object };
    expect(error).toMatchObject({
      message: `${headline.replace('of 4', 'of 5')}; 1 still pending`,
      details: {
        ok: 1,
        failed: 3,
        pending: 1,
        skipped: 0,
        causes: [
          { cause: 'reconnect', count: 1, texts: [{ text: texts.reconnect, count: 1 }], more: 0 },
          { cause: 'content', count: 1 },
          { cause: 'temporary', count: 1 },
        ],
      },
      next: expect.stringMatching(/ --cause temporary$/) as string,
      hint: expect.stringContaining('reconnect: reconnect facebook AccountFacebookB') as string,
    });
  });
});
