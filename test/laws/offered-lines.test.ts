// Every line that the program suggests can be run. Each operation is refused, fails, ends with an unknown outcome, stays
// pending and succeeds; so do batches, triage, logins and mistyped lines. Their suggestions (`try:`, `resume:`, `next`,
// a command in a hint) are typed again at the same service: none is a usage error, and a line that only reads ends with
// the exit code that a read has there.

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandVariants, operationLines } from '../support/command-lines.ts';
import { closedPort, misbehavingServer } from '../support/misbehaving-server.ts';
import { errorResponse, recordingServer, successResponse } from '../support/recording-server.ts';
import { splitWords } from '../support/shell-words.ts';
import { readSuggestion } from '../support/suggestions.ts';
import { type Outcome, temporaryFolder, testCli } from '../support/test-cli.ts';

const TOKEN = 'token-of-the-offered-lines';

/** Returns the commands that an output suggests: after a label, or at the end of a hint. */
function offeredIn({ stdout, stderr }: Outcome): readonly string[] {
  const text = `${stderr}\n${stdout}`;
  const labelled = [...text.matchAll(/^(?!\{)(?:.*: )?(social (?!commands?\b)[a-z-].*)$/gm)].map(
    ([, line]) => line!,
  );
  const fields = [...text.matchAll(/"(?:next|fix)":"(social (?:[^"\\]|\\.)*)"/g)].map(
    ([, line]) => JSON.parse(`"${line!}"`) as string,
  );
  return [...new Set([...labelled, ...fields])].filter((line) => !/ accepts | is |…/.test(line));
}

/** Fills in the values in angle brackets, as a user would. */
const filled = (line: string): string =>
  line
    .replace('<webhook-id>', 'WebhookAlertsOps')
    .replace('<post-id>', 'PostSpringLaunch')
    .replace('<name>', 'other');

type Cli = ReturnType<typeof testCli>;

/** Returns a command line that is logged in to a service, with a default account. */
async function machine(url: string): Promise<Cli> {
  const cli = testCli();
  const login = `auth login -C prod --base-url ${url} --insecure-storage --no-check`;
  await cli.social(splitWords(login), { stdin: TOKEN });
  await cli.social(splitWords('context set prod --account AccountMastodonA'));
  await cli.social(splitWords('context use prod'));
  return cli;
}

/** The answers at a terminal: an address without a server, the token, and no. */
const answers = {
  text: async () => 'http://127.0.0.1:9',
  secret: async () => TOKEN,
  confirm: async () => false,
};

/** The number of suggested lines that were typed again. */
const offers = { count: 0 };

interface Scene {
  readonly stdin?: string | undefined;
  /** The code that a read of one post ends with at this service. */
  readonly read?: number;
  /** The code that `history settle` ends with here. */
  readonly settle?: number;
  /** The line is a mistake: suggested changes are typed with --dry-run, and the same line may not be suggested. */
  readonly isDry?: boolean;
  /** Only reads may be suggested. */
  readonly mustRead?: boolean;
}

/** True if a suggested line may end with this exit code; a change may end with any but 2. */
function isRight(
  code: number,
  line: string,
  { read = 0, settle = 0, mustRead = false }: Scene,
): boolean {
  const reading = readSuggestion(line);
  if ('refusal' in reading) return false;
  const { path, isHelp } = reading;
  if (isHelp || /^(?:help|context (?:list|show)|history (?:list|show)|config list)/.test(path))
    return code === 0;
  if (/^(?:posts|accounts|connect|discord)/.test(path) && !reading.changes) {
    // A target of the post in the sandbox fails once more.
    if (path === 'posts wait' && line.includes('-C sandbox')) return code === 10;
    // A list of posts that cannot be read is repeated as it is.
    if (read === 9 && line.includes(' --from ')) return code === 11;
    return code === (line.includes('-C sandbox') ? 0 : read);
  }
  if (path === 'history settle') return code === settle;
  // A rejected token is not stored after a no.
  if (path === 'auth login' && read === 4) return code === (line.includes('--no-check') ? 0 : 3);
  return !mustRead && code !== 2;
}

/** Types a line, and every line that it suggests; returns a sentence for each that does not work. */
async function follow(cli: Cli, line: string, scene: Scene = {}): Promise<readonly string[]> {
  const { stdin = '', isDry = false } = scene;
  const first = await cli.social(splitWords(line), { stdin, inRealTime: true });
  const wrong: string[] = [];
  for (const offered of offeredIn(first)) {
    const next = filled(offered);
    const reading = readSuggestion(next);
    if ('refusal' in reading) {
      wrong.push(`"${line}" offers "${offered}": ${reading.refusal}`);
      continue;
    }
    if (/ (?:serve|listen)( |$)/.test(next)) continue;
    offers.count++;
    // At a terminal, a login asks for what is missing.
    const isLogin = reading.path === 'auth login';
    const words = splitWords(next).slice(1);
    const outcome = await cli.social(isDry && reading.isOperation ? [...words, '-n'] : words, {
      stdin: isLogin ? TOKEN : stdin,
      inRealTime: true,
      ...(isLogin ? { columns: 80, ask: answers } : {}),
    });
    if ((isDry && next === `social ${line}`) || !isRight(outcome.exitCode, next, scene))
      wrong.push(`"${line}" offers "${offered}": exit ${outcome.exitCode}, ${outcome.stderr}`);
  }
  return wrong;
}

/** A line for each operation, and those that read standard input. */
const lines = [...operationLines, ...commandVariants.filter(({ stdin }) => stdin !== undefined)];
const quick = '--retries 0 --timeout 300ms';

describe('every suggested line can be run', () => {
  it.each([
    [401, 4],
    [404, 5],
    [409, 6],
    [429, 7],
    [500, 9],
  ])('after HTTP %i', async (status, read) => {
    const { url } = await recordingServer(errorResponse(status));
    const cli = await machine(url);
    for (const { line, stdin } of lines)
      expect(await follow(cli, `${line} --yes ${quick}`, { stdin, read, settle: 11 })).toEqual([]);
  });

  it('after a lost response, in text and JSON: each only reads', async () => {
    const { url } = await misbehavingServer((socket) => socket.resetAndDestroy());
    const cli = await machine(url);
    const scene = { read: 9, settle: 11, mustRead: true };
    for (const { line, stdin } of lines)
      for (const form of ['', '--json'])
        expect(await follow(cli, `${line} --yes ${quick} ${form}`, { ...scene, stdin })).toEqual(
          [],
        );
  });

  it('after a success, or an empty result', async () => {
    const { url } = await recordingServer(successResponse());
    const cli = await machine(url);
    for (const { line, stdin } of lines)
      expect(await follow(cli, `${line} --yes ${quick}`, { stdin, read: 9 })).toEqual([]);
  });

  it('after a missing confirmation, and without a service', async () => {
    const { url } = await recordingServer(successResponse());
    const cli = await machine(url);
    for (const { line, stdin } of lines) {
      expect(await follow(cli, line, { stdin, read: 9 })).toEqual([]);
      expect(await follow(testCli(), line, { stdin })).toEqual([]);
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
    'posts triage --from - --json',
    'posts retry --from - --failed --wait --wait-timeout 1s',
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
  ])('in the sandbox: %s', async (line) => {
    const stdin = 'PostSpringLaunch\nPostAutumnRecaps\n';
    expect(await follow(testCli(), `-C sandbox ${line}`, { stdin })).toEqual([]);
  });

  it.each([
    [401, 4],
    [404, 5],
    [503, 9],
    ['no', 9],
  ])('for a list, at HTTP %s', async (status, read) => {
    const { url } =
      typeof status === 'number'
        ? await recordingServer(errorResponse(status))
        : await misbehavingServer((socket) => socket.resetAndDestroy());
    const stdin = 'PostSpringLaunch\nPostAutumnRecaps\n';
    for (const words of [
      'retry --from LIST',
      'retry --from -',
      'retry --from LIST --journal JOURNAL',
      'retry --from - --max-failures 1',
      'retry --from LIST --json',
      'triage --from LIST',
      'triage --from -',
    ]) {
      const cli = await machine(url);
      const at = (name: string) => join(cli.folder, name);
      writeFileSync(at('ids.txt'), stdin);
      const line = words.replace('JOURNAL', at('list.journal')).replace('LIST', at('ids.txt'));
      // The posts of unknown records cannot be read.
      const settle = read === 9 && words.includes('--journal') ? 11 : 0;
      const scene = { stdin, read, settle };
      expect(await follow(cli, `posts ${line} ${quick}`, scene)).toEqual([]);
      for (const word of ['list', 'settle', 'report'])
        expect(await follow(cli, `history ${word} --timeout 300ms`, scene)).toEqual([]);
    }
  });

  it('for logins, token checks and doctor', async () => {
    const refusing = await recordingServer(errorResponse(401));
    const dead = `http://127.0.0.1:${await closedPort()}`;
    for (const [url, read] of [
      [refusing.url, 4],
      [dead, 9],
    ] as const) {
      const cli = await machine(url);
      for (const line of [
        `auth login -C new --base-url ${url} --insecure-storage`,
        'auth status --check',
        'doctor',
        'doctor --json',
        'context delete prod',
      ])
        expect(await follow(cli, line, { stdin: TOKEN, read })).toEqual([]);
    }
    for (const line of ['doctor', 'auth status', 'auth token', 'context current', 'auth logout'])
      expect(await follow(testCli(), line)).toEqual([]);
  });

  it('and some lines were suggested', () => expect(offers.count).toBeGreaterThan(80));
});

/** Mistyped lines on a machine with the contexts prod, guarded (protected) and empty (no token). */
const mistaken = `
  posts get
  posts get x
  posts get PostSpringLaunch --nope
  posts get PostSpringLaunch --concurrency 99
  post get PostSpringLaunch
  posts retry PostSpringLaunch --target x
  posts retry PostSpringLaunch --target TargetSpringLink --failed
  posts retry --from /nowhere/at/all
  posts reply PostAutumnRecaps --target TargetAutumnMast
  posts list
  posts delete PostSpringLaunch
  webhooks list
  webhooks delete WebhookAlertsOps
  webhooks create
  accounts list
  accounts bluesky send 1 -a x --text hi
  login
  get PostSpringLaunch
  mastodon
  discord channels
  whoami
  posts get PostSpringLaunch --watch
  posts get PostSpringLaunch --format json
  posts get PostSpringLaunch --json id,status
  posts get PostSpringLaunch --fields nope -C sandbox
  posts get PostSpringLaunch --timeout soon
  credentials disable CredentialSystem
  ads audiences delete 23850000000000001 -a AccountMetaAdsAa
  -C nowhere posts get PostSpringLaunch
  -C guarded posts retry PostSpringLaunch
  -C guarded ads audiences delete 23850000000000001 -a AccountMetaAdsAa --yes
  api
  api NOPE /v1/posts
  config set timeot 5s
  config set timeout soon
  config get timeout
  config unset timeout
  context use nowhere
  context set two words
  context delete guarded
  context list all
  auth login
  auth login -C fresh
  auth token -C empty
  auth status -C empty --check
  posts get PostSpringLaunch -C empty
  history show nope
  history list --limit none
  history clear
  schema posts gett
  help posts gett
  completion tcsh
  sandbox reset nope
  sandbox serve --chaos nope
  doctor --base-url nope
`
  .trim()
  .split(/\n +/);

it('the line suggested for a typing mistake can be run, and changes nothing', async () => {
  const { url, requests } = await recordingServer();
  const { social, folder } = await machine(url);
  const guarded = `auth login -C guarded --base-url ${url} --insecure-storage --no-check`;
  await social(splitWords(guarded), { stdin: TOKEN });
  await social(splitWords('context set guarded --protected'));
  await social(splitWords(`context set empty --base-url ${url}`));
  const wrong: string[] = [];
  for (const line of mistaken) {
    const copy = temporaryFolder();
    cpSync(join(folder, 'config'), join(copy, 'config'), { recursive: true });
    const cli = testCli(copy);
    const { exitCode } = await cli.social(splitWords(line), { stdin: '' });
    if (exitCode === 0) wrong.push(`"${line}" is no mistake`);
    wrong.push(...(await follow(cli, line, { isDry: true })));
  }
  expect(wrong).toEqual([]);
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});
