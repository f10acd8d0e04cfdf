// The console blocks of the README and the guides, typed on a fresh sandbox and compared: `$ ` a command, below it
// what it prints, stderr after stdout. A line that is only `…` stands for the rest of the output.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { testCli } from '../support/test-cli.ts';
import { splitWords } from '../support/shell-words.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const guides = existsSync(`${root}docs`)
  ? readdirSync(`${root}docs`).map((name) => `docs/${name}`)
  : [];
const pages = ['README.md', ...guides.filter((name) => name.endsWith('.md'))];

/** The commands of a page with what it says they print. */
function blocksOf(page: string): { command: string; printed: string }[] {
  const text = readFileSync(root + page, 'utf8');
  const blocks = [...text.matchAll(/```console\n(.*?)```/gs)].map(([, body]) => body!);
  return blocks.flatMap((body) =>
    body
      .split(/^\$ /m)
      .slice(1)
      .map((entry) => {
        const [command = '', ...lines] = entry.trimEnd().split('\n');
        return { command, printed: lines.join('\n') };
      }),
  );
}

test('the README shows what it speaks of', () => {
  expect(blocksOf('README.md').length).toBeGreaterThanOrEqual(4);
});

describe.each(pages.filter((page) => blocksOf(page).length > 0))('%s', (page) => {
  test.each(blocksOf(page))('$command', async ({ command, printed }) => {
    const [program, ...words] = splitWords(command);
    expect(program).toBe('social');
    const { stdout, stderr } = await testCli().social(words, {
      columns: 80,
      env: { SOCIAL_NO_INPUT: '1', NO_COLOR: '1' },
    });
    const said = stderr
      .split('\n')
      .filter((line) => !line.startsWith('sandbox: this is') && !line.startsWith('+'));
    const actual = `${stdout}${said.join('\n')}`.trimEnd();
    const whole = printed.replace(/\n…$/, '');
    expect(whole === printed ? actual : actual.slice(0, whole.length)).toBe(whole);
  });
});
