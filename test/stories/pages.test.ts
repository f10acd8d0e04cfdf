// The console blocks of the README and the guides. The commands of a page run one after the other on one fresh sandbox,
// in a folder of their own; below `$ ` and the command is its output, stderr after stdout. A shell handles `> file` and
// `| …`. `…` stands for omitted lines. `vitest -u` writes the output into the page.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/program.ts';
import { splitWords } from '../support/shell-words.ts';
import { testCli } from '../support/test-cli.ts';
import { needsUnix } from '../support/unix.ts';

const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const guides = readdirSync(join(root, 'docs')).map((name) => `docs/${name}`);
const pages = ['README.md', ...guides.filter((name) => name.endsWith('.md'))];
const block = /(?<=^```console\n)\$ .*?(?=^```)/gms;
const shown = pages.filter((page) => textOf(page).search(block) !== -1);

/** Splits a command line into the words of the program, and the pipe or redirection after them. */
function partsOf(line: string): { words: string[]; shell: string } {
  const [command = ''] = /^(?:[^"'|>]|"[^"]*"|'[^']*')+/.exec(line)!;
  return { words: splitWords(command), shell: line.slice(command.length) };
}

const env = { SOCIAL_NO_INPUT: '1', NO_COLOR: '1' };

async function run(line: string, stage: ReturnType<typeof testCli>): Promise<string> {
  needsUnix('Unix shell');
  const { words, shell } = partsOf(line);
  expect(words.shift()).toBe('social');
  const columns = shell === '' ? 80 : undefined;
  const { stdout, stderr } = await stage.social(words, { columns, env });
  // A filter for a word that the program no longer prints would leave nothing.
  const isFiltered = shell !== '';
  expect(isFiltered && stdout === '').toBe(false);
  const printed =
    shell === ''
      ? stdout
      : execFileSync('sh', ['-c', `cat ${shell}`], { input: stdout }).toString();
  // The final content of the screen, after the progress bar was erased.
  const lines = stderr.replaceAll(/[^\n]*\u001b\[2K/g, '').split('\n');
  const said = lines.filter((each) => !/^(?:sandbox: this is|\+)/.test(each));
  return `${printed}${said.join('\n')}`.trimEnd();
}

/** Cuts the output to as many lines as the page shows on either side of its `…`. */
function cut(printed: string, inPage: readonly string[]): string[] {
  const lines = printed === '' ? [] : printed.split('\n');
  const at = inPage.indexOf('…');
  const after = inPage.length - at - 1;
  if (at === -1 || lines.length <= at + after) return lines;
  return [...lines.slice(0, at), '…', ...lines.slice(lines.length - after)];
}

test('the README shows the commands it describes', () => {
  expect(textOf('README.md').match(/^\$ social /gm)!.length).toBeGreaterThanOrEqual(8);
});

/** Returns the page with the output of its commands, which run in a folder of their own until the time is over. */
async function told(page: string, signal: AbortSignal): Promise<string> {
  const stage = testCli();
  const before = process.cwd();
  process.chdir(stage.folder);
  try {
    let text = textOf(page);
    for (const [body] of text.matchAll(block)) {
      const said: string[] = [];
      for (const entry of body.trimEnd().split(/^(?=\$ )/m)) {
        signal.throwIfAborted();
        const [line = '', ...lines] = entry.trimEnd().split('\n');
        said.push(line, ...cut(await run(line.slice(2), stage), lines));
      }
      text = text.replace(body, () => `${said.join('\n')}\n`);
    }
    return text;
  } finally {
    process.chdir(before);
  }
}

/** Resolves when the previous page has left its folder: one that ran out of time finishes its command first. */
let isLeft: Promise<unknown> = Promise.resolve();

test.for(shown)('%s shows real output', { timeout: 60_000 }, async (page, { signal }) => {
  await isLeft;
  const text = told(page, signal);
  isLeft = text.catch(() => undefined);
  await expect(await text).toMatchFileSnapshot(join(root, page));
});
