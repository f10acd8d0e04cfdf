// Contexts as they are made, changed and deleted: what is said, what asks first, what can be removed again.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import { atTerminal } from '../support/terminal.ts';

const run = (home: string, line: string) => socialInProcess(line.split(' '), { home });
const stored = (home: string) =>
  JSON.parse(readFileSync(join(home, '.config/social/config.json'), 'utf8')) as {
    context?: string;
    contexts: Record<string, unknown>;
  };

/** A home with the contexts `first`, which is in use, and `prod`, which is protected. */
async function twoContexts() {
  const home = freshHome();
  const made = [
    await run(home, 'context set first --base-url https://a.example.com'),
    await run(home, 'context set prod --base-url https://b.example.com --protected'),
  ];
  return { home, made };
}

describe('context set', () => {
  it('says whether it created or updated a context, and that the first one is switched to', async () => {
    const { home, made } = await twoContexts();
    expect(made.map(({ stderr }) => stderr)).toEqual([
      'Created context "first". Switched to context "first".\n',
      'Created context "prod".\n',
    ]);
    expect((await run(home, 'context set prod -o json')).stderr).toBe('Updated context "prod".\n');
    expect((await run(home, 'context use prod')).stderr).toBe('Switched to context "prod".\n');
    expect(stored(home).context).toBe('prod');
  });

  it.each([
    ['account', '--account AccountMastodonA', '--no-account'],
    ['output', '-o json', '--no-output'],
    ['tokenCommand', '--token-command true', '--no-token-command'],
  ])('removes %s again, and nothing else', async (key, given, flag) => {
    const { home } = await twoContexts();
    const before = stored(home).contexts['prod'];
    await run(home, `context set prod ${given}`);
    expect(stored(home).contexts['prod']).toHaveProperty(key);
    expect((await run(home, `context set prod ${flag}`)).exitCode).toBe(0);
    expect(stored(home).contexts['prod']).toEqual(before);
  });
});

describe('context delete', () => {
  it('of a protected context needs consent, and off a terminal names the line that gives it', async () => {
    const { home } = await twoContexts();
    const refused = await social(['context', 'delete', 'prod'], { home });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toBe(
      'error: confirmation required: context delete "prod", a protected context\n' +
        'try: social context delete prod --confirm prod\n',
    );
    expect(stored(home).contexts).toHaveProperty('prod');
    const wrong = await run(home, 'context delete prod --confirm first');
    expect(wrong.exitCode).toBe(2);
    const done = await run(home, 'context delete prod --confirm prod');
    expect([done.exitCode, done.stderr]).toEqual([
      0,
      'Deleted context "prod" and its stored token.\n',
    ]);
    expect(stored(home).contexts).not.toHaveProperty('prod');
  });

  it('of a protected context asks at a terminal, and a no leaves it', async () => {
    const { home } = await twoContexts();
    const screen = atTerminal(['context', 'delete', 'prod'], { home });
    await screen.waitFor('Delete the protected context "prod" and its stored token?');
    screen.type('n');
    screen.press('enter');
    expect((await screen.ended()).exitCode).toBe(3);
    expect(stored(home).contexts).toHaveProperty('prod');
  });

  it('of another context asks nothing', async () => {
    const { home } = await twoContexts();
    expect((await run(home, 'context delete first')).exitCode).toBe(0);
    expect(Object.keys(stored(home).contexts)).toEqual(['prod']);
  });
});
