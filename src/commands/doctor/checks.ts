// The six checks of `doctor`: program, settings files, context, token, keychain, service. A check that does not ask says
// so (`skip`). None of them shows anything of a token.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { Failure, type Fault, ifPossible, usageFailure } from '../../base/errors.ts';
import { fileNames } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { shellQuote, unsetVariableLine } from '../../base/shell.ts';
import { version } from '../../base/version.ts';
import { afterRefusedToken, loginCommand } from '../../config/auth/login-command.ts';
import { keychainWorks, loadToken } from '../../config/auth/token-store.ts';
import {
  checkTokenMayGo,
  checkTokenOrigin,
  findToken,
  type FoundToken,
  tokenSources,
  type TokenSource,
} from '../../config/auth/token.ts';
import { type Config, configPath, readConfig } from '../../config/file.ts';
import { type Resolved, SANDBOX, type Settings } from '../../config/settings.ts';
import { openServiceAt } from '../../client/open-service.ts';
import { checkInWords, checkToken } from '../../client/token-check.ts';
import { asFailure } from '../../output/error-report.ts';

export interface Finding {
  readonly check: string;
  /** `skip`: it was not asked. `warn`: it works, but not as well as it could. `fail`: something does not work. */
  readonly status: 'ok' | 'skip' | 'warn' | 'fail';
  /** A clause. Holds no secret, nor anything of one. */
  readonly what: string;
  /** The exact command that mends it. */
  readonly fix?: string | undefined;
}

type Found = Omit<Finding, 'check'>;

interface DoctorContext {
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly config: Config;
  readonly offline: boolean;
}

/** Looks at one part of the setup. A `Failure` that it throws is what it found. */
export type Check = (context: DoctorContext) => Found | readonly Found[] | Promise<Found>;

const ok = (what: string): Found => ({ status: 'ok', what });
const skip = (what: string): Found => ({ status: 'skip', what });
const warn = (what: string, fix?: string): Found => ({ status: 'warn', what, fix });
const fail = (what: string, fix?: string): Found => ({ status: 'fail', what, fix });

/** A failure as a finding, with its own next step where no fix is given. Rethrows any other error. */
export function failed(error: unknown, fix?: string): Found {
  if (!(error instanceof Failure)) throw error;
  const { what, why = [], hint, next } = error.facts;
  const lines = [what, ...why, ...(hint === undefined || fix !== undefined ? [] : [hint])];
  return fail(lines.join('; '), fix ?? next);
}

/** A command line of words, each quoted where a shell needs it. */
const command = (...words: readonly string[]): string => words.map(shellQuote).join(' ');

const checkProgram: Check = ({ runtime: { program } }) =>
  ok(`social ${version} on Node ${program.node}, ${program.platform} ${program.arch}`);

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** The folder of the settings, its files, and the folder of the state: for this user alone, readable and writable. */
const checkSettingsFiles: Check = ({ runtime }) => {
  const path = configPath(runtime);
  const findings = [
    ...folderFindings(runtime.configDir(), OTHERS_WRITE, runtime),
    ...[fileNames.config, fileNames.credentials].flatMap((name) =>
      fileFindings(join(runtime.configDir(), name), runtime),
    ),
    ...folderFindings(runtime.stateDir(), OTHERS, runtime),
  ];
  if (findings.length > 0) return findings;
  try {
    readConfig(runtime);
  } catch (error) {
    const isDamaged = asFailure(error).facts.what.includes('is damaged');
    return failed(error, isDamaged ? command('mv', path, `${path}.damaged`) : undefined);
  }
  return ok(ifPossible(() => statSync(path)) === undefined ? `none yet; path: ${path}` : path);
};

/** Whether others have one of these permissions. On Windows modes say nothing. */
function isOpenTo(path: string, bits: number, { program }: Runtime): boolean {
  const mode = ifPossible(() => statSync(path).mode) ?? 0;
  return program.platform !== 'win32' && (mode & bits) !== 0;
}

function folderFindings(path: string, bits: number, runtime: Runtime): readonly Found[] {
  const found = ifPossible(() => statSync(path));
  if (found === undefined) return [];
  if (!found.isDirectory()) return [fail(`${path} is not a folder`)];
  if (isOpenTo(path, bits, runtime))
    return [fail(`others can use ${path}`, command('chmod', '700', path))];
  if (canAccess(path, constants.W_OK | constants.X_OK)) return [];
  return [warn(`${path} is not writable`, command('chmod', 'u+rwx', path))];
}

const fileFindings = (path: string, runtime: Runtime): readonly Found[] =>
  isOpenTo(path, OTHERS, runtime)
    ? [fail(`others can read ${path}`, command('chmod', '600', path))]
    : [];

function canAccess(path: string, use: number): boolean {
  try {
    accessSync(path, use);
    return true;
  } catch {
    return false;
  }
}

/** Invalid values of variables, of the context and of the settings, and a current context that does not exist. */
export function checkValues(
  { faults, unknownContext, settings }: Resolved,
  { runtime, config }: DoctorContext,
): readonly Finding[] {
  const { platform } = runtime.program;
  const fixOf = ({ field }: Fault) => {
    if (/^SOCIAL_\w+$/.test(field)) return unsetVariableLine(field, platform);
    const stored = /^config (\w+)$/.exec(field)?.[1];
    return stored === undefined ? undefined : `social config set ${stored} ''`;
  };
  const wrong = faults.map((fault) => failed(usageFailure(fault), fixOf(fault)));
  if (unknownContext !== undefined) {
    const [first = SANDBOX] = Object.keys(config.contexts ?? {});
    const fix =
      settings.contextFrom === 'environment'
        ? unsetVariableLine('SOCIAL_CONTEXT', platform)
        : command('social', 'context', 'use', first);
    wrong.push(failed(usageFailure(unknownContext), fix));
  }
  return wrong.map((finding) => ({ check: 'settings', ...finding }));
}

/** Where calls go without further flags. */
const checkContext: Check = ({ settings, config }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return ok('the embedded sandbox');
  if (baseUrl === undefined) {
    const [first] = Object.keys(config.contexts ?? {});
    return context === undefined && first !== undefined
      ? warn('no current context', command('social', 'context', 'use', first))
      : warn('no service is configured; -C sandbox needs none', loginCommand(context, undefined));
  }
  checkTokenMayGo(baseUrl);
  const mark = stored?.protected === true ? ', protected' : '';
  return ok(`${baseUrl}${context === undefined ? '' : `, context ${context}`}${mark}`);
};

/** Which source the token comes from, and that it belongs to the origin in use. Runs no token command. */
const checkTokenSource: Check = async ({ settings, runtime }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return ok('the sandbox creates its own');
  if (baseUrl === undefined) return skip('not checked: no service is configured');
  const [source, ...others] = tokenSources(stored, runtime);
  const { origin } = new URL(baseUrl);
  const login = loginCommand(context, baseUrl);
  if (source === undefined) return fail(`none for ${origin}`, login);
  const rest = others.length === 0 ? '' : `; takes precedence over ${others.join(', ')}`;
  try {
    checkTokenOrigin(source, stored, baseUrl, runtime);
    if (source === 'token-command') {
      const [program = ''] = stored?.tokenCommand ?? [];
      if (isInstalled(program, runtime)) return ok(`from the command ${program}${rest}`);
      const set = ['social', 'context', 'set', context!, '--token-command', 'pass show social'];
      return fail(`the token command ${program} was not found on this machine`, command(...set));
    }
    await findToken(context, stored, baseUrl, runtime);
  } catch (error) {
    const hasOwn = asFailure(error).facts.next !== undefined;
    return failed(error, source === 'file' && !hasOwn ? login : undefined);
  }
  const bound = source === 'SOCIAL_TOKEN' ? '' : `, bound to ${origin}`;
  return ok(`from ${source}${bound}${rest}`);
};

function isInstalled(program: string, { env }: Runtime): boolean {
  const folders = isAbsolute(program) ? [''] : (env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => canAccess(join(folder, program), constants.X_OK));
}

/** Whether a login would use the keychain, by the function that `auth login` uses, and has the tokens stored there. */
const checkKeychain: Check = async ({ runtime, config }) => {
  const names = Object.entries(config.contexts ?? {})
    .filter(([, { tokenIn }]) => tokenIn === 'keychain')
    .map(([name]) => name);
  if (!(await keychainWorks(runtime)))
    return names.length === 0
      ? ok('not available; tokens are stored in a private file')
      : fail(
          `not available, but it stores the token of ${names.join(', ')}`,
          `${loginCommand(names[0], undefined)} --insecure-storage`,
        );
  for (const name of names)
    if ((await loadToken(name, 'keychain', runtime)) === undefined)
      return fail(`the token of ${name} is missing`, loginCommand(name, undefined));
  const stores = names.length === 0 ? 'no token stored' : `stores the token of ${names.join(', ')}`;
  return ok(`available; ${stores}`);
};

/** Whether the service answers and accepts the token, judged as `auth login` does. */
const checkService: Check = async ({ settings, runtime, offline }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return skip('not asked: the sandbox runs on this machine');
  if (baseUrl === undefined) return skip('not asked: no service is configured');
  if (offline) return skip('not asked: --offline');
  const [source] = tokenSources(stored, runtime);
  if (source === undefined) return skip('not asked: there is no token to send');
  const found = await tokenToSend(source, settings, runtime);
  if ('status' in found) return found;
  const service = await openServiceAt({ found, baseUrl }, settings, runtime);
  const check = await checkToken(service, settings, runtime);
  const words = checkInWords(check);
  if ('accepted' in check) return ok(words);
  if (check.failure.facts.status !== 401) return fail(words);
  const { hint, next } = afterRefusedToken(settings, {}, source);
  return fail([words, hint].filter(Boolean).join('; '), next);
};

/** Why the token cannot be sent is a finding of the check before; a token command is run only here. */
async function tokenToSend(
  source: TokenSource,
  { context, baseUrl, stored }: Settings,
  runtime: Runtime,
): Promise<FoundToken | Found> {
  try {
    checkTokenMayGo(baseUrl!);
    return await findToken(context, stored, baseUrl!, runtime);
  } catch (error) {
    if (runtime.signal.aborted) throw error;
    return source === 'token-command' ? failed(error) : skip('not asked: the token cannot be sent');
  }
}

/** The checks by their names, in the order in which they are shown. */
export const checks: Readonly<Record<string, Check>> = {
  program: checkProgram,
  settings: checkSettingsFiles,
  context: checkContext,
  token: checkTokenSource,
  keychain: checkKeychain,
  service: checkService,
};
