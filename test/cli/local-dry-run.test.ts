// `--dry-run` and `--curl` of commands that change something on this machine: never ignored.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testCli } from '../support/test-cli.ts';

/** A line of each command that changes something here. */
const lines = [
  'sandbox serve',
  'webhooks listen --port 0',
  'webhooks replay --from x --forward-to http://127.0.0.1:9',
  'sandbox reset --state outage',
  'history clear --yes',
  'history settle',
  'auth login --context new --base-url https://api.example.com --no-check',
  'auth logout --context prod',
  'config set utc true',
  'context set prod --account AccountMastodonA',
  'context use sandbox',
  'context delete prod --yes',
];

/** Those that show what they would send or write. */
const showing = ['api', 'mcp serve', 'skill install', 'completion install'];

/** Every file below a folder, with its text. */
const filesIn = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .toSorted()
    .map((path) => [path, readFileSync(path, 'utf8')]);

describe('a dry run of a command that changes this machine', () => {
  it.each([...lines.map((line) => `${line} --dry-run`), `${lines[0]!} --curl`])(
    'is rejected: %s',
    async (line) => {
      const { social, folder } = testCli();
      await social('context set prod --base-url https://api.example.com'.split(' '));
      await social('config set color never'.split(' '));
      const before = filesIn(folder);
      const { exitCode, stdout, stderr } = await social(line.split(' '));
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      const flag = line.split(' ').at(-1)!;
      const does = /webhooks listen/.test(line)
        ? 'receive deliveries'
        : /replay/.test(line)
          ? 'send the deliveries'
          : 'make its changes on this machine';
      expect(stderr).toContain(`${flag} is not supported here: the command would still ${does}\n`);
      expect(filesIn(folder)).toEqual(before);
    },
  );

  it('is rejected by every one of them', async () => {
    const { stdout } = await testCli().social(['__tree']);
    const { commands } = JSON.parse(stdout) as {
      commands: readonly { path: string; effect: string; operation?: object | null }[];
    };
    const changing = commands
      .filter(({ effect, operation }) => effect !== 'reads' && operation == null)
      .map(({ path }) => path)
      .filter((path) => !showing.includes(path));
    const tried = changing.filter((path) => lines.some((line) => line.startsWith(path)));
    expect(changing).not.toEqual([]);
    expect(tried).toEqual(changing);
  });
});
