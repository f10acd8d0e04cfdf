// Runs the built program as a separate process, with an environment that has only what the test sets.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import { onTestFinished } from 'vitest';
import { launcher, root } from './launcher.ts';
import { assertExitCodeIsListed, assertSuggestionsWork } from './suggestions.ts';
import { assertNoToken } from './token-leak-check.ts';
import { needsUnix } from './unix.ts';

export { launcher, root };

if (!existsSync(join(root, 'dist'))) throw new Error('not built: run npm run build first');

/** Makes a home that is as empty as on a fresh machine, and deletes it after the test. */
export function freshHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'social-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Makes a home with a private settings file of this content, or of this value as JSON. */
export function homeWith(config: string | Uint8Array | object) {
  const home = freshHome();
  const folder = join(home, '.config/social');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'config.json');
  const isContent = typeof config === 'string' || config instanceof Uint8Array;
  writeFileSync(path, isContent ? config : JSON.stringify(config), { mode: 0o600 });
  return { home, folder, path };
}

export interface Setting {
  readonly home?: string;
  /** The launcher of another build than the one in this folder. */
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Disables Node's cache of compiled code, for tests of the files that a command makes. */
export const noCompileCache = { NODE_DISABLE_COMPILE_CACHE: '1' };

/** The environment of a fresh machine. */
export const bareEnv = (home: string, env: Setting['env'] = {}) => ({
  PATH: process.env['PATH'],
  HOME: home,
  ...(process.platform === 'win32' ? profileOf(home) : {}),
  LANG: 'C.UTF-8',
  ...env,
});

/** The variables that Windows uses instead of HOME, so that files are where the tests expect them on every system. */
const profileOf = (home: string) => ({
  USERPROFILE: home,
  APPDATA: join(home, '.config'),
  LOCALAPPDATA: join(home, '.local', 'state'),
});

interface Options {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly extendEnv: false;
  readonly input: string;
  readonly reject: false;
  readonly stripFinalNewline: false;
}
type Started = ResultPromise<Options>;
export type Outcome = Awaited<Started>;

const options = ({ home = freshHome(), env, input = '' }: Setting): Options => ({
  env: bareEnv(home, env),
  extendEnv: false,
  input,
  reject: false,
  stripFinalNewline: false,
});

/** Starts `social` with these words. */
export const begin = (argv: readonly string[], setting: Setting = {}): Started =>
  execa(process.execPath, [programOf(setting), ...argv], options(setting));

const programOf = ({ program = launcher }: Setting) => program;

const isThisBuild = ({ program = launcher }: Setting) => program === launcher;

/** Runs `social` until it ends, with any exit code. Rejects only if the output shows a token. */
export async function social(argv: readonly string[], setting: Setting = {}): Promise<Outcome> {
  const outcome = await watched(begin(argv, setting), argv, setting);
  if (isThisBuild(setting)) assertExitCodeIsListed(argv, outcome.exitCode);
  return outcome;
}

async function watched(
  started: Started,
  argv: readonly string[],
  setting: Setting,
): Promise<Outcome> {
  const outcome = await started;
  const { stdout, stderr } = outcome;
  assertNoToken({ stdout, stderr, argv, env: setting.env });
  // Another build has other commands.
  if (isThisBuild(setting)) assertSuggestionsWork(argv, stderr);
  return outcome;
}

/**
 * Runs `social` in a Linux namespace of its own, after a script that sets it up: its mounts are not seen outside, and
 * with `-rnm` it has no network but a loopback.
 */
export async function apart(
  flags: '-rm' | '-rnm',
  setup: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  needsUnix('tracing, namespaces and limits');
  const words = ['bash', process.execPath, launcher, ...argv];
  const started = [flags, 'bash', '-c', `${setup}\nexec "$@"`, ...words];
  return watched(execa('unshare', started, options({ env })), argv, { env });
}

/** Runs a script by a plain `sh` in a home that has `social` on the path; `$1` is the home. */
export function plainShell(script: string, home: string, env: Setting['env'] = {}) {
  needsUnix('Unix shell');
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`;
  writeFileSync(join(bin, 'social'), program, { mode: 0o755 });
  const path = { PATH: `${bin}:${process.env['PATH']}` };
  return execa('sh', ['-c', script, 'sh', home], {
    ...options({ home, env: { ...path, ...env } }),
    cwd: home,
  });
}

/** Runs a script of a shell in which `social` is the built program. */
export function shell(script: string, setting: Setting = {}): Promise<Outcome> {
  needsUnix('Unix shell');
  const program = [process.execPath, programOf(setting)]
    .map((word) => JSON.stringify(word))
    .join(' ');
  const whole = `social() { ${program} "$@"; }\n${script}`;
  return watched(execa('bash', ['-c', whole], options(setting)), [script], setting);
}
