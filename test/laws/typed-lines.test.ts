// Every line that a failure offers is typed as it stands, in bash, in its order, against the same service: none is a usage
// error, none asks another service, none sends again what may be done, and each keeps the context, the account, the
// journal and the note of the line that failed. The built program runs, with files whose names a shell would split.

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { launcher } from '../support/launcher.ts';
import { linesToPaste } from '../support/lines-to-paste.ts';
import { misbehavingServer } from '../support/misbehaving-server.ts';
import { bareEnv, freshHome } from '../support/program.ts';
import {
  errorResponse,
  type RecordedRequest,
  recordingServer,
  type StubResponse,
  successResponse,
} from '../support/recording-server.ts';
import { needsUnix } from '../support/unix.ts';

const TOKEN = 'token-of-the-typist';

/** Types a line into bash, in this folder. */
function typed(line: string, cwd: string, env: Readonly<Record<string, string | undefined>>) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const shell = spawn('/bin/bash', ['--norc', '-c', line], { cwd, env });
    let [stdout, stderr] = ['', ''];
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    shell.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    // A login reads a token.
    shell.stdin.on('error', () => undefined).end(`${TOKEN}\n`);
    shell.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Makes a home with a context for the service, and another one that is in use: a line without its context goes there. */
function homeFor(url: string, other: string) {
  needsUnix('bash');
  const home = freshHome();
  const bin = join(home, 'bin');
  const cwd = join(home, "an operator's files");
  const settings = join(home, '.config/social');
  for (const folder of [bin, cwd, settings]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 });
  file(join(bin, 'social'), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`);
  chmodSync(join(bin, 'social'), 0o700);
  const contexts = { prod: { baseUrl: url }, other: { baseUrl: other } };
  file(join(settings, 'config.json'), JSON.stringify({ context: 'other', contexts }));
  file(join(cwd, 'my list.txt'), 'PostSpringLaunch\nPostAutumnRecaps\n');
  const path = `${bin}:${process.env['PATH']}`;
  const env: Record<string, string | undefined> = bareEnv(home, { PATH: path });
  env['SOCIAL_TOKEN'] = TOKEN;
  return { cwd, env };
}

const target = (id: string, status: string, error?: string) => ({
  id,
  platform: id === 'TargetOnMastodon' ? 'mastodon' : 'twitter',
  accountId: 'AccountTwitterAa',
  status,
  error,
  updatedAt: new Date().toISOString(),
});
const post = (target_: string, status = 'failed', error?: string) =>
  successResponse(
    JSON.stringify({
      id: /posts\/(\w+)/.exec(target_)?.[1] ?? 'PostSpringLaunch',
      status,
      targets: [target('TargetOnTwitterA', status, error), target('TargetOnMastodon', 'published')],
    }),
  );

type Answer = StubResponse | ((number: number, request: RecordedRequest) => StubResponse);

/** Answers reads with a post that has failed, and changes with this. */
const toChanges =
  (answer: StubResponse): Answer =>
  (_number, { method, target: path }) =>
    method === 'GET' ? post(path, 'failed', 'HTTP 503') : answer;

/** Makes a change, and loses its answer at a gateway. */
function losingAnswers(): Answer {
  let isDone = false;
  return (_number, { method, target: path }) => {
    if (method === 'GET') return post(path, isDone ? 'published' : 'failed', 'HTTP 503');
    isDone = true;
    return { status: 502, body: 'Bad gateway' };
  };
}

type Service = Answer | 'closes' | 'loses answers';

const services: Readonly<Record<string, Service>> = {
  'refuses the token': errorResponse(401),
  'finds nothing': errorResponse(404),
  'has a conflict': toChanges(errorResponse(409)),
  'has a limit': toChanges(errorResponse(429)),
  'is down': errorResponse(503),
  'makes a change and loses the answer': 'loses answers',
  'is a login page': { headers: { 'content-type': 'text/html' }, body: '<title>Sign in</title>' },
  'closes each connection': 'closes',
  'never finishes': (_number, { target: path }) => post(path, 'publishing'),
  'fails again': (number, { target: path }) =>
    post(path, 'failed', number === 1 ? 'HTTP 503' : 'The session has expired'),
};

const NOTE = `--note "INC 1"`;
const WAIT = '--wait --wait-timeout 300ms';
const lines = [
  `posts retry PostSpringLaunch --platfrom twitter ${WAIT} ${NOTE}`,
  `posts rety PostSpringLaunch --failed ${NOTE}`,
  'posts get PostSpringLaunch -o table',
  `posts retry PostSpringLaunch --failed ${WAIT} ${NOTE}`,
  `posts retry PostSpringLaunch --target TargetOnTwitterA ${NOTE}`,
  'posts wait PostSpringLaunch --wait-timeout 300ms',
  `posts retry --from "my list.txt" --journal "it's a journal" ${WAIT} ${NOTE}`,
  `posts retry --from "my list.txt" --failures-to "left over" ${NOTE}`,
  `posts reply PostSpringLaunch --target TargetOnMastodon --text hi ${NOTE}`,
  `accounts mastodon favourite 113 -a AccountTypedByMe ${NOTE}`,
  `discord pins add 112233 998877 -a AccountTypedByMe ${NOTE}`,
  'connect telegram access-code TG-1 --wait --wait-timeout 300ms',
  `credentials disable CredentialSystem --yes ${NOTE}`,
  `ads audiences delete AudienceTypedByM ${NOTE}`,
  `webhooks update WebhookAlertsOps --inactive ${NOTE}`,
  'api PUT /v1/things/1 -f name=x',
  'history settle --journal "it\'s a journal"',
  'doctor',
];

/** The words of a failure of the line as such: of the shell, or of a command, a flag or a value that does not exist. */
const UNTYPEABLE = /syntax error|unexpected EOF|command not found|unknown (?:command|flag)|missing/;
const isConsent = (stderr: string) => /confirmation required/.test(stderr);

/** Types a line at such a service, then each line that is offered. Returns what is wrong with those. */
async function faultsAfter(
  line: string,
  name: string,
  answer: Service,
): Promise<readonly string[]> {
  const other = await recordingServer(post('/posts/PostSpringLaunch', 'published'));
  const { url, requests } =
    answer === 'closes'
      ? { ...(await misbehavingServer((socket) => void socket.resetAndDestroy())), requests: [] }
      : await recordingServer(answer === 'loses answers' ? losingAnswers() : answer);
  const { cwd, env } = homeFor(url, other.url);
  // A token in a variable cannot be replaced by a line of this program.
  if (name === 'refuses the token') {
    await typed('social auth login -C prod --no-check --insecure-storage', cwd, env);
    delete env['SOCIAL_TOKEN'];
  }
  const first = await typed(`social -C prod ${line} --retries 0 --timeout 400ms`, cwd, env);
  const faults: string[] = [];
  const posted = () => requests.filter(({ method }) => method === 'POST').length;
  const atFirst = posted();
  for (const offered of linesToPaste(first)) {
    const { code, stderr } = await typed(`timeout 5 ${offered}`, cwd, env);
    const fault = (what: string) => faults.push(`${line}: ${what}: ${offered}\n${stderr}`);
    if (code === 2 && !isConsent(stderr)) fault('a usage error');
    if (UNTYPEABLE.test(stderr)) fault('cannot be typed');
    if (answer === 'loses answers' && atFirst > 0 && posted() > atFirst)
      fault('sends again what may be done');
    // Help asks no service.
    if (offered.endsWith(' --help')) continue;
    if (!/ (?:-C|--context) prod\b/.test(offered)) fault('loses the context');
    const isSame = offered.includes(` ${line.split(' ').slice(0, 2).join(' ')} `);
    for (const kept of [NOTE.replaceAll('"', "'"), `-a AccountTypedByMe`, '--journal'])
      if (isSame && line.includes(kept.replaceAll("'", '"')) && !offered.includes(kept))
        fault(`loses ${kept}`);
  }
  if (other.requests.length > 0) faults.push(`${line}: another service is asked`);
  return faults;
}

it.each(Object.entries(services))(
  'each line that is offered at a service that %s can be typed',
  async (name, answer) => {
    // The machine has few cores, and these lines wait more than they compute.
    const faults: string[] = [];
    for (let i = 0; i < lines.length; i += 6) {
      const some = lines.slice(i, i + 6).map(async (line) => faultsAfter(line, name, answer));
      faults.push(...(await Promise.all(some)).flat());
    }
    expect(faults).toEqual([]);
  },
);
