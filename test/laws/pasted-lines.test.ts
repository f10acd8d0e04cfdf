// A suggested line that is pasted into a shell starts `social` with the words that were meant, and nothing else. The
// service puts what a shell acts on into each text that a line may repeat: IDs, platforms, accounts, errors. So do the
// names of the user's files. Each line is pasted into an interactive bash with a `social` that only records its words.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NOT_SHOWN } from '../../src/base/shell.ts';
import { recordingServer } from '../support/recording-server.ts';
import { linesToPaste } from '../support/lines-to-paste.ts';
import { splitWords } from '../support/shell-words.ts';
import { temporaryFolder, testCli } from '../support/test-cli.ts';

const POST = 'PostSpringLaunch';

/** A shell that offers only these commands, in an empty folder. */
function shell() {
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  const here = join(folder, 'here');
  const log = join(folder, 'log');
  mkdirSync(bin);
  const program = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(bin, name), 0o700);
  };
  program('social', `printf '%s\\0' "$@" >> ${log}; printf '\\0' >> ${log}`);
  program('touch', `for name; do : > "$name"; done`);
  return {
    /** Pastes a line; returns the words that `social` got, and the files that were made. */
    paste(line: string) {
      rmSync(here, { recursive: true, force: true });
      rmSync(log, { force: true });
      mkdirSync(here);
      writeFileSync(log, '');
      const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: here, HISTFILE: '' };
      spawnSync('/bin/bash', ['--norc', '--noprofile', '-i'], {
        cwd: here,
        env,
        input: `${line}\n`,
      });
      const calls = readFileSync(log, 'utf8').split('\0\0').slice(0, -1);
      return { calls: calls.map((call) => call.split('\0')), made: readdirSync(here) };
    },
  };
}

const hostile = [
  'x;touch PWNED;#',
  'x`touch PWNED`',
  '$(touch PWNED)',
  "x';touch PWNED;'",
  'x";touch PWNED;"',
  'x\\',
  'x|touch PWNED',
  'x&touch PWNED&',
  'x>PWNED',
  '<(touch PWNED)',
  '--yes',
  '-x',
  '~',
  '!!',
  '{a,b}',
  '*',
  '=x',
  'two words',
];

const hidden = [
  'x\ntouch PWNED\n',
  'x\rtouch PWNED\r',
  'x\u0003touch PWNED\u000d',
  'x\u202ey',
  'x\u200by',
];

/** The answer to every request: a post with targets in each state, all of whose texts are hostile. */
function postOf(evil: string, id: string) {
  let count = 0;
  const target = (error: string | undefined, status: string, platform = evil) => ({
    id: `${evil}${count++}`,
    platform,
    status,
    accountId: evil,
    error: error && `${error} ${evil}`,
    updatedAt: '2026-03-02T11:00:00Z',
  });
  return {
    id,
    title: evil,
    status: 'partial',
    targets: [
      target('The session has expired', 'failed', 'facebook'),
      target('Rate limit exceeded', 'failed'),
      target('strange', 'failed', 'mastodon'),
      target('too long', 'failed', 'twitter'),
      target(undefined, 'publishing'),
      target(undefined, 'published'),
    ],
  };
}

const commands = [
  `posts get ${POST}`,
  `posts retry ${POST}`,
  `posts retry ${POST} --failed`,
  `posts retry ${POST} --failed --wait --wait-timeout 100ms`,
  `posts retry ${POST} --wait --wait-timeout 100ms`,
  `posts wait ${POST} --wait-timeout 100ms`,
  `posts triage ${POST}`,
  `posts triage ${POST} --by account`,
  `posts triage ${POST} --by platform`,
  `posts triage ${POST} --save SAVED`,
  `posts retry --from LIST --wait --wait-timeout 100ms`,
  `posts retry --from LIST --journal JOURNAL --wait --wait-timeout 100ms`,
  `posts get --from LIST --failures-to FAILED`,
  'history settle',
  'history settle --journal JOURNAL',
  'history report',
  'doctor',
];

/** Runs the commands at a service with hostile texts, and returns each line that they suggest. */
async function suggestedBy(evil: string, status: number): Promise<readonly string[]> {
  const refusal = { code: evil, message: evil, details: { [evil]: evil } };
  const { url } = await recordingServer((_number, { method, target }) => {
    const isRefused = method !== 'GET' && status !== 200;
    const data = postOf(evil, target.split('/')[3]!);
    const body = isRefused ? { ok: false, error: refusal } : { ok: true, data };
    return { status: isRefused ? status : 200, body: JSON.stringify(body) };
  });
  const cli = testCli();
  // A name of a file has no slash.
  const named = (name: string) => join(cli.folder, `${evil.replaceAll('/', '')}${name}`);
  writeFileSync(named('list'), `${POST}\nPostAutumnRecaps\n`);
  const words = { LIST: 'list', JOURNAL: 'journal', FAILED: 'failed', SAVED: 'saved' };
  const lines: string[] = [];
  for (const command of commands)
    for (const form of [[], ['--json']]) {
      const argv = splitWords(command).map((word) =>
        Object.hasOwn(words, word) ? named(words[word as keyof typeof words]) : word,
      );
      const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'token-of-the-pasted-lines' };
      const scene = { env, inRealTime: true };
      const fast = command.startsWith('posts') ? ['--retries', '0'] : [];
      lines.push(...linesToPaste(await cli.social([...argv, ...fast, ...form], scene)));
    }
  // A line for JSON repeats the words of the one for a table.
  return [...new Set(lines.map((line) => line.replace(/ --json$/, '')))];
}

/** Pastes each line: it makes no file, and a command starts `social` once, with its words. */
function pasteAll(lines: readonly string[]): void {
  const { paste } = shell();
  for (const line of lines) {
    // A sentence may end with a command.
    const isCommand = line.startsWith('social ') && !line.includes('; ');
    const calls = isCommand ? { calls: [splitWords(line).slice(1)] } : {};
    expect({ line, ...paste(line) }).toMatchObject({ line, made: [], ...calls });
  }
}

it.each([
  ...hostile.map((evil) => [evil, 200] as const),
  ...[409, 503].map((status) => ["x';touch PWNED;'", status] as const),
])('with %j in the texts of a service, and HTTP %i', async (evil, status) => {
  const lines = await suggestedBy(evil, status);
  const repeated = lines.flatMap(splitWords).filter((word) => word.includes(evil));
  expect(repeated.length).toBeGreaterThan(1);
  // Such a word would be another flag.
  expect(repeated.filter((word) => evil.startsWith('-') && word.startsWith(evil))).toEqual([]);
  pasteAll(lines);
});

it.each(hidden)('a line that would contain %j is not shown', async (evil) => {
  const lines = await suggestedBy(evil, 200);
  expect(lines.filter((line) => line.includes(evil))).toEqual([]);
  expect(lines).toContain(NOT_SHOWN);
  pasteAll(lines);
});
