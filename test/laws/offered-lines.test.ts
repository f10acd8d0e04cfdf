// Every line that the program offers can be run: each operation is refused, fails, ends with an unknown outcome, stays
// pending and is done, beside batches, triage, logins and lines that are no commands; whatever they offer (`try:`,
// `resume:`, `next`, a command in a hint) is typed again at the same service. None is refused as typed wrongly, and
// what only reads ends as a read may end there.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operationLines } from '../support/command-lines.ts';
import { closedPort, misbehavingServer } from '../support/misbehaving-server.ts';
import { errorResponse, recordingServer, successResponse } from '../support/recording-server.ts';
import { splitWords } from '../support/shell-words.ts';
import { readSuggestion } from '../support/suggestions.ts';
import { type Outcome, testCli } from '../support/test-cli.ts';

const TOKEN = 'token-of-the-offered-lines';

/** The commands that a text offers: after a label, or at the end of a hint. */
function offeredIn({ stdout, stderr }: Outcome): readonly string[] {
  const text = `${stderr}\n${stdout}`;
  const labelled = [...text.matchAll(/^(?:.*: )?(social (?!commands?\b)[a-z-].*)$/gm)].map(
    ([, line]) => line!,
  );
  const fields = [...text.matchAll(/"(?:next|fix)":"(social (?:[^"\\]|\\.)*)"/g)].map(
    ([, line]) => JSON.parse(`"${line!}"`) as string,
  );
  return [...new Set([...labelled, ...fields])].filter((line) => !/ accepts | is |…/.test(line));
}

/** What stands in angle brackets, as a user would fill it in. */
const filled = (line: string): string =>
  line
    .replace('<session-id>', '5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718')
    .replace('<code>', 'TG-482913')
    .replace('<webhook-id>', 'WebhookAlertsOps')
    .replace('<post-id>', 'PostSpringLaunch')
    .replace('<name>', 'other');

type Cli = ReturnType<typeof testCli>;

/** A machine that is logged in to a service, with an account by default. */
async function machine(url: string): Promise<Cli> {
  const cli = testCli();
  const login = `auth login -C prod --base-url ${url} --insecure-storage --no-check`;
  await cli.social(splitWords(login), { stdin: TOKEN });
  await cli.social(splitWords('context set prod --account AccountMastodonA'));
  await cli.social(splitWords('context use prod'));
  return cli;
}

/** What is answered at a terminal: an address where nobody is, the token, and no. */
const answers = {
  text: async () => 'http://127.0.0.1:9',
  secret: async () => TOKEN,
  confirm: async () => false,
};

/** How many lines were offered and typed again. */
const offers = { count: 0 };

/** Types a line, and every line that it offers; what would not work, in words. */
async function follow(cli: Cli, line: string, stdin = ''): Promise<readonly string[]> {
  const first = await cli.social(splitWords(line), { stdin, inRealTime: true });
  const wrong: string[] = [];
  for (const offered of offeredIn(first)) {
    const next = filled(offered);
    const reading = readSuggestion(next);
    if ('refusal' in reading) {
      wrong.push(`"${line}" offers "${offered}": ${reading.refusal}`);
      continue;
    }
    if (/ (?:serve|listen)( |$)/.test(next) || / --from -( |$)/.test(next)) continue;
    offers.count++;
    // At a terminal, a login asks for what is missing.
    const scene = reading.path === 'auth login' ? { columns: 80, ask: answers } : {};
    const outcome = await cli.social(splitWords(next).slice(1), {
      stdin: TOKEN,
      inRealTime: true,
      ...scene,
    });
    const isHelp = reading.isHelp || reading.path === 'help';
    if (outcome.exitCode === 2 || (isHelp && outcome.exitCode !== 0))
      wrong.push(`"${line}" offers "${offered}": exit ${outcome.exitCode}, ${outcome.stderr}`);
  }
  return wrong;
}

/** The lines of all operations that need no standard input. */
const lines = operationLines.filter(({ stdin }) => stdin === undefined).map(({ line }) => line);
const quick = '--retries 0 --timeout 300ms';

describe('every line that is offered can be run', () => {
  it.each([400, 401, 403, 404, 409, 429, 500])('after HTTP %i', async (status) => {
    const { url } = await recordingServer(errorResponse(status));
    const cli = await machine(url);
    for (const line of lines) expect(await follow(cli, `${line} --yes ${quick}`)).toEqual([]);
  });

  it('where the answer is lost, in words and in JSON', async () => {
    const { url } = await misbehavingServer((socket) => socket.resetAndDestroy());
    const cli = await machine(url);
    for (const line of lines)
      for (const form of ['', '--json'])
        expect(await follow(cli, `${line} --yes ${quick} ${form}`)).toEqual([]);
  });

  it('where it is done, or shows nothing of what was asked for', async () => {
    const { url } = await recordingServer(successResponse());
    const cli = await machine(url);
    for (const line of lines) expect(await follow(cli, `${line} --yes ${quick}`)).toEqual([]);
  });

  it('without consent, and without a service', async () => {
    const { url } = await recordingServer(successResponse());
    const cli = await machine(url);
    for (const line of lines) {
      expect(await follow(cli, line)).toEqual([]);
      expect(await follow(testCli(), line)).toEqual([]);
    }
  });

  it.each([
    'posts wait PostSpringLaunch --wait-timeout 2s',
    'posts wait PostSpringLaunch PostAutumnRecaps --wait-timeout 2s',
    'posts get PostSpringLaunch',
    'posts get PostSpringLaunch PostNoSuchPostAa',
    'posts retry PostSpringLaunch --failed --wait --wait-timeout 1s',
    'posts retry PostSpringLaunch PostNoSuchPostAa --failed',
    'posts retry PostSpringLaunch --dry-run',
    'posts triage PostSpringLaunch PostAutumnRecaps',
    'posts triage PostSpringLaunch --json',
    'connect telegram session unanswered',
    'connect telegram session 5e551011a1b2c3d4e5f60718293a4b5c6d7e8f905e551011a1b2c3d4e5f60718 --wait --wait-timeout 1s',
    'connect telegram access-code TG-482913 --wait --wait-timeout 1s',
    'accounts discord channels -a AccountMastodonA',
    'discord pins remove 1 2',
    'webhooks list',
    'history list',
    'history settle',
    'help batches',
    'help contexts',
  ])('at the sandbox: %s', async (line) => {
    const cli = testCli();
    expect(await follow(cli, `-C sandbox ${line}`)).toEqual([]);
  });

  it.each([401, 404, 503])('of a list, at HTTP %i', async (status) => {
    const { url } = await recordingServer(errorResponse(status));
    const cli = await machine(url);
    const list = join(cli.folder, 'ids.txt');
    writeFileSync(list, 'PostSpringLaunch\nPostAutumnRecaps\n');
    const journal = join(cli.folder, 'list.journal');
    for (const flags of ['', `--journal ${journal}`, '--max-failures 1', '--json'])
      expect(await follow(cli, `posts retry --from ${list} ${flags} ${quick}`)).toEqual([]);
    expect(await follow(cli, `posts triage --from ${list} ${quick}`)).toEqual([]);
  });

  it('of a list whose answers are lost', async () => {
    const { url } = await misbehavingServer((socket) => socket.resetAndDestroy());
    const cli = await machine(url);
    const list = join(cli.folder, 'ids.txt');
    writeFileSync(list, 'PostSpringLaunch\nPostAutumnRecaps\n');
    for (const flags of ['', `--journal ${join(cli.folder, 'list.journal')}`])
      expect(await follow(cli, `posts retry --from ${list} ${flags} ${quick}`)).toEqual([]);
    for (const line of ['history list', 'history settle', 'history report'])
      expect(await follow(cli, `${line} --timeout 300ms`)).toEqual([]);
  });

  it('of logins, their check and doctor', async () => {
    const refusing = await recordingServer(errorResponse(401));
    const dead = `http://127.0.0.1:${await closedPort()}`;
    for (const url of [refusing.url, dead]) {
      const cli = await machine(url);
      for (const line of [
        `auth login -C new --base-url ${url} --insecure-storage`,
        'auth status --check',
        'doctor',
        'doctor --json',
        'context delete prod',
      ])
        expect(await follow(cli, line, TOKEN)).toEqual([]);
    }
    for (const line of ['doctor', 'auth status', 'auth token', 'context current', 'auth logout'])
      expect(await follow(testCli(), line)).toEqual([]);
  });

  it('there were lines to type', () => expect(offers.count).toBeGreaterThan(60));
});
