// The list below a question for an ID at a real terminal: it filters as one types, accepts free text, and never replaces
// an ID that was typed in full. The IDs that are offered are in input/offers.test.ts and history/seen-ids.test.ts.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome } from '../support/program.ts';
import { atTerminal } from '../support/terminal.ts';

const sandbox = ['-C', 'sandbox', '-q'];

/** Makes a home in which two posts of the sandbox were seen. */
function homeWithPosts(): string {
  const home = freshHome();
  const folder = join(home, '.local/state/social');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = [
    'sandbox\tpost\tPostAutumnRecaps\tAutumn recap\u001b]0;pwned\u0007, published',
    'sandbox\tpost\tPostSpringLaunch\tSpring launch, partial',
  ];
  writeFileSync(join(folder, 'seen.tsv'), `${lines.join('\n')}\n`, { mode: 0o600 });
  return home;
}

describe('a prompt for an ID', () => {
  it('filters earlier IDs, and uses the selected one', async () => {
    const terminal = atTerminal([...sandbox, 'posts', 'get'], { home: homeWithPosts(), cols: 40 });
    const list = await terminal.waitFor(/^❯ PostSpringLaunch/m);
    expect(list).toMatch(/^ {2}PostAutumnRecaps/m);
    terminal.type('autumn publ');
    await terminal.waitFor(/^❯ PostAutumnRecaps/m);
    expect(terminal.screen()).not.toContain('PostSpringLaunch');
    terminal.press('enter');
    const { exitCode, text, said, cursor, cooked } = await terminal.ended();
    expect({ exitCode, cursor, cooked }).toEqual({ exitCode: 0, cursor: true, cooked: true });
    expect(text).toMatch(/^✓ Post ID PostAutumnRecaps$/m);
    expect(text).toContain('TargetAutumnMast');
    expect(said).not.toContain('\u001b]0;');
  });

  it('accepts another ID, pasted with spaces around it', async () => {
    const terminal = atTerminal([...sandbox, 'posts', 'get'], { home: homeWithPosts() });
    await terminal.waitFor('⏎ select');
    terminal.type(' PostWinterTeaser  ');
    await terminal.waitFor(/^❯ PostWinterTeaser {2}as typed/m);
    terminal.press('enter');
    const { text } = await terminal.ended();
    expect(text).toMatch(/^✓ Post ID PostWinterTeaser$/m);
  });

  it('completes the first match, and accepts it at the second Enter', async () => {
    const terminal = atTerminal([...sandbox, 'posts', 'get'], { home: homeWithPosts() });
    await terminal.waitFor('⏎ select');
    terminal.type('Post');
    await terminal.waitFor(/^\? Post ID Post$/m);
    terminal.press('enter');
    await terminal.waitFor(/^\? Post ID PostSpringLaunch {2}Spring launch, partial$/m);
    await expect.poll(terminal.screen).not.toContain('PostAutumnRecaps');
    expect(terminal.screen()).toMatch(/^❯ PostSpringLaunch {2}Spring launch, partial$/m);
    terminal.press('enter');
    const { text, exitCode } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(text).toMatch(/^✓ Post ID PostSpringLaunch$/m);
  });

  it('never replaces a typed ID by a longer one', async () => {
    const home = homeWithPosts();
    const line = 'sandbox\taudience\t238000000000000099\tLookalike\n';
    writeFileSync(join(home, '.local/state/social/seen.tsv'), line, { mode: 0o600 });
    const argv = [...sandbox, 'ads', 'audiences', 'delete', '--dry-run'];
    const terminal = atTerminal(argv, { home });
    await terminal.waitFor('⏎ select');
    terminal.type('238');
    const list = await terminal.waitFor(/^❯ 238 {2}as typed/m);
    expect(list).toMatch(/^ {2}238000000000000099 {2}Lookalike/m);
    terminal.press('enter');
    expect((await terminal.ended()).text).toContain('DELETE http');
  });

  it('is a numbered list with TERM=dumb, and accepts another ID too', async () => {
    const terminal = atTerminal([...sandbox, 'posts', 'get'], {
      home: homeWithPosts(),
      env: { TERM: 'dumb' },
    });
    const list = await terminal.waitFor('Number from 1 to 2, or type another, then Enter:');
    expect(list).toContain('1. PostSpringLaunch: Spring launch, partial');
    expect(list).toContain('2. PostAutumnRecaps: Autumn recap');
    terminal.type('3\r');
    await terminal.waitFor('Invalid: must be exactly 16 letters');
    terminal.type(' 2 \r');
    const { exitCode, text, said } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(text).toContain('TargetAutumnMast');
    // Only colours are set: no sequence moves the cursor.
    expect(said).not.toMatch(/\u001b(?!\[[0-9;]*m)/);
  });
});
