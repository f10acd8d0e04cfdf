// Lines that are pasted at once, at the plain questions: each answers the question that it was meant for.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshHome } from '../support/program.ts';
import { atTerminal } from '../support/terminal.ts';

const token = 'canary-secret-9f3b2';

it.each([
  ['at the first question', 'Base URL', []],
  ['at the hidden one', 'Token for', ['not an address', 'a.example']],
])('lines pasted %s also answer the later prompts', async (_what, question, before) => {
  const home = freshHome();
  const argv = ['auth', 'login', '-C', 'prod', '--no-check', '--insecure-storage', '--accessible'];
  const terminal = atTerminal(argv, { home, env: { NO_COLOR: '1' }, cols: 120 });
  const all = ['not an address', 'a.example', 'a token with blanks', token];
  if (before.length > 0) {
    await terminal.waitFor('Base URL');
    terminal.type(before.map((line) => `${line}\r`).join(''));
  }
  await terminal.waitFor(question);
  const rest = all.slice(before.length);
  terminal.type(rest.map((line) => `${line}\r`).join(''));
  const { exitCode, cooked, said } = await terminal.ended();
  expect({ exitCode, cooked }).toEqual({ exitCode: 0, cooked: true });
  expect(said).toContain('token stored, not checked: https://a.example, context "prod"');
  const stored = readFileSync(join(home, '.config', 'social', 'credentials.json'), 'utf8');
  expect(stored).toContain(token);
});
