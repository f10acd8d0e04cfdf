// Every command prints every output format so that it can be read, or prints nothing on stdout. `--jq .` prints the same
// as `--json`: a result, one of many lines, a list, a string, and a response as the service sent it show that.

import { expect, it } from 'vitest';
import type { CommandTree } from '../../src/cli/command-tree.ts';
import { operationLines } from '../support/command-lines.ts';
import { testCli } from '../support/test-cli.ts';
import { splitWords } from '../support/shell-words.ts';

const listed = await testCli('/nowhere').social(['__tree']);
const tree = JSON.parse(listed.stdout) as CommandTree;

/** Runs a line on a fresh sandbox. */
const social = (argv: readonly string[], columns?: number) =>
  testCli().social(argv, {
    columns,
    env: { SOCIAL_CONTEXT: 'sandbox', SOCIAL_NO_INPUT: '1', NO_COLOR: '1' },
  });

/** These commands have no output format: pages for reading, and servers that run until they are stopped. */
const without = ['help', 'sandbox serve', 'webhooks listen'];

const local = tree.commands
  .filter(
    ({ group, operation, path }) => !group && operation === undefined && !without.includes(path),
  )
  .flatMap(({ examples }) => examples.slice(0, 1))
  .map(({ line }) => line.replace(/^social /, '').replace(/ \|.*$/, ''));

const operations = operationLines.map(({ line }) => line);
const typed = [...operations, ...local];

const drivesTerminal = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;

const isJson = (text: string): boolean => {
  JSON.parse(text);
  return true;
};
const whole = (text: string) => text.endsWith('\n') && text.split('\n').slice(0, -1);

/** Each is true if a text can be read in a format. */
const isLines = (text: string) => whole(text) !== false && !drivesTerminal.test(text);
const readable = {
  json: (text: string) => isJson(text) && text.endsWith('\n'),
  ndjson: (text: string) => (whole(text) || ['']).every(isJson),
  tsv: isLines,
  table: isLines,
};

/** The formats, with the width of a terminal for JSON and tables; the others go to a pipe. */
const ways = [
  { form: 'table', columns: 80 },
  { form: 'json', columns: 80 },
  { form: 'ndjson', columns: undefined },
  { form: 'tsv', columns: undefined },
] as const;

it('the list of commands is complete', () => {
  const leaves = tree.commands.filter(({ group }) => !group);
  const distinct = new Set(
    leaves.map(({ operation, path }) =>
      operation === undefined ? path : `${operation.method} ${operation.path}`,
    ),
  );
  expect(typed).toHaveLength(distinct.size - without.length);
});

it.each(typed)('social %s is available in every format', async (line) => {
  const argv = splitWords(line);
  for (const { form, columns } of ways) {
    // Flags go before a `--`.
    const { stdout } = await social(['-o', form, ...argv], columns);
    expect({ form, isReadable: stdout === '' || readable[form](stdout) }).toEqual({
      form,
      isReadable: true,
    });
  }
  if (!operations.includes(line)) return;
  const { exitCode, stdout } = await social(['--json', ...argv]);
  expect({ exitCode, isSilent: stdout === '' }).toEqual({ exitCode: 0, isSilent: false });
});

/** Commands whose results differ in shape. */
const shapes = ['posts get', 'commands', 'history list', 'context current', 'api'];
const shaped = shapes.map((path) => typed.find((line) => line.startsWith(path))!);

it.each(shaped)('social %s prints the same with jq', async (line) => {
  const argv = splitWords(line);
  const json = await social(['--json', ...argv]);
  const same = await social(['--jq', '.', ...argv]);
  expect([json.exitCode, same.exitCode]).toEqual([0, 0]);
  // jq prints a string without quotes.
  const wanted = json.stdout.startsWith('"')
    ? `${JSON.parse(json.stdout) as string}\n`
    : json.stdout;
  expect(same.stdout).toBe(wanted);
});
