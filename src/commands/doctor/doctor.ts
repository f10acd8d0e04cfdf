// `doctor [--offline]`: checks the requirements of every call (program, settings, context, token, keychain, service),
// and suggests a command for each fault. A skipped check says so (`skip`). No part of a token is shown.

import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs';
import { Failure, type Fault, ifPossible, usageFailure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { shellQuote, unsetVariableLine } from '../../base/shell.ts';
import { version } from '../../base/version.ts';
import type { Call, CommandBody } from '../../cli/command-spec.ts';
import { causeRulesPath, readSavedRules } from '../../client/cause-rules.ts';
import { openServiceAt } from '../../client/open-client.ts';
import { checkInWords, checkToken } from '../../client/token-probe.ts';
import { credentialsPath, loadToken } from '../../config/auth/token-store.ts';
import {
  adviceOnRefusedToken,
  checkTokenMayGo,
  checkTokenOrigin,
  findToken,
  type FoundToken,
  loginCommand,
  tokenSources,
} from '../../config/auth/token.ts';
import { type Config, configPath, readConfig } from '../../config/file.ts';
import { type Resolved, resolveSettings, SANDBOX, withSettings } from '../../config/settings.ts';
import { colorsFor } from '../../output/color.ts';
import { wrapText } from '../../output/wrap.ts';
import { formOf, printValue } from '../../output/write-result.ts';

export const doctorCommand: CommandBody = {
  details:
    'Checks the program, the settings files, the context, the token, the keychain, and the service: it sends the same harmless request as auth login, unless --offline. Shows no token and leaves nothing behind. Exits with 13 if a check fails. For a bug report paste the output of social doctor --json, which contains paths and the address of the service.',
  example: 'social doctor',
  examples: {
    'Show what to paste into a bug report': 'social doctor --json',
    'Check the setup without the network': 'social doctor --offline',
  },
  flags: [{ flags: '--offline', description: 'Do not send a request to the service' }],
  config: 'own',
  run: runChecks,
};

/** Runs the checks. Throws `local_io` if one fails, `usage` for an invalid flag. */
async function runChecks(call: Call): Promise<void> {
  const { flags } = call;
  // Settings that cannot be read are reported by their check.
  const config = ifPossible(() => readConfig(call.runtime)) ?? {};
  const resolved = resolveSettings(flags, call.runtime.env, config);
  const { settings, faults, unknownContext } = resolved;
  const runtime = withSettings(call.runtime, settings);
  // Faults of the line end the command; those of variables and files are findings.
  const typed = faults.filter(({ field }) => field.startsWith('-'));
  if (unknownContext !== undefined && settings.contextOrigin === 'flag') typed.push(unknownContext);
  if (typed.length > 0) throw usageFailure(typed, 'social doctor --help');
  const findings: Finding[] = [];
  const setup = { ...resolved, runtime, config, offline: flags['offline'] === true };
  for (const [name, check] of Object.entries(checks)) {
    let found: Found | readonly Found[];
    try {
      found = await check(setup);
    } catch (error) {
      found = failed(error);
    }
    runtime.signal.throwIfAborted();
    findings.push(...[found].flat().map((finding) => ({ check: name, ...finding })));
  }
  const shown = { ...call, runtime, settings, config, form: formOf(settings, runtime.stdout) };
  if (shown.form === 'table') await printFindings(findings, shown);
  else await printValue(shown, ['check', 'status', 'what', 'fix'], findings);
  const failing = findings.filter(({ status }) => status === 'fail').length;
  const what = `${failing} ${failing === 1 ? 'check' : 'checks'} failed`;
  if (failing > 0) throw new Failure('local_io', { what });
}

/** Prints each finding: sign, status, check, result, wrapped; below it the suggested command, whole, for copying. */
async function printFindings(
  findings: readonly Finding[],
  { runtime, settings }: Call,
): Promise<void> {
  const { stdout, secrets } = runtime;
  const colors = colorsFor(stdout, settings, runtime);
  const paint = { ok: colors.good, skip: colors.moving, warn: colors.moving, fail: colors.bad };
  const signs = { ok: colors.signs.good, skip: '-', warn: '!', fail: colors.signs.bad };
  const width = Math.max(...findings.map(({ check }) => check.length));
  const margin = ' '.repeat(2 + 'warn'.length + 2 + width + 2);
  const lines: string[] = [];
  for (const { check, status, what, fix } of findings) {
    const head = paint[status](`${signs[status]} ${status.padEnd('warn'.length)}  `);
    const text = wrapText(sanitizeLine(secrets.mask(what)), stdout.columns, margin);
    lines.push(`${head}${check.padEnd(width)}  ${text.slice(margin.length)}`);
    if (fix !== undefined)
      lines.push(`${margin}${colors.strong('try:')} ${sanitizeLine(secrets.mask(fix))}`);
  }
  await stdout.write(`${lines.join('\n')}\n`);
}

interface Found {
  /** `skip`: it was not checked. `warn`: it works, with a limitation. `fail`: it does not work. */
  readonly status: 'ok' | 'skip' | 'warn' | 'fail';
  /** The result as a clause. It has no part of a secret. */
  readonly what: string;
  /** The command that fixes it. */
  readonly fix?: string | undefined;
}

export interface Finding extends Found {
  readonly check: string;
}

interface Setup extends Resolved {
  readonly runtime: Runtime;
  readonly config: Config;
  readonly offline: boolean;
}

/** Checks one part of the setup. A `Failure` that it throws is its finding. */
type Check = (setup: Setup) => Found | readonly Found[] | Promise<Found>;

const ok = (what: string): Found => ({ status: 'ok', what });
const skip = (what: string): Found => ({ status: 'skip', what });
const warn = (what: string, fix?: string): Found => ({ status: 'warn', what, fix });
const fail = (what: string, fix?: string): Found => ({ status: 'fail', what, fix });

/** Makes a finding of a failure. A `fix` replaces its hint and its next step. Rethrows any other error. */
function failed(error: unknown, fix?: string): Found {
  if (!(error instanceof Failure)) throw error;
  const { what, why = [], hint, next } = error.facts;
  const lines = [what, ...why, fix === undefined ? hint : undefined];
  return fail(lines.filter(Boolean).join('; '), fix ?? next);
}

/** Makes a command line of words, each quoted if a shell needs it. */
const command = (...words: readonly string[]): string => words.map(shellQuote).join(' ');

const checkProgram: Check = ({ runtime: { program } }) =>
  ok(`social ${version} on Node ${program.node}, ${program.platform} ${program.arch}`);

/** The permissions of the group and of others: all, and writing. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/**
 * Checks the values of the settings, the folder of their files, these files, and the folder of the state: private,
 * readable and writable.
 */
const checkSettings: Check = (setup) => [...valueFindings(setup), ...filesFindings(setup)];

/** Checks the values of variables, of the context and of the settings, and that the current context exists. */
function valueFindings({ faults, unknownContext, settings, runtime }: Setup): readonly Found[] {
  const { platform } = runtime.program;
  // A fault names its source: a variable, or `config` and a setting.
  const fixOf = ({ field }: Fault) => {
    if (/^SOCIAL_\w+$/.test(field)) return unsetVariableLine(field, platform);
    const stored = /^config (\w+)$/.exec(field)?.[1];
    return stored === undefined ? undefined : `social config set ${stored} ''`;
  };
  const wrong = faults.map((fault) => failed(usageFailure(fault), fixOf(fault)));
  if (unknownContext === undefined) return wrong;
  const fix =
    settings.contextOrigin === 'environment'
      ? unsetVariableLine('SOCIAL_CONTEXT', platform)
      : 'social context list';
  return [...wrong, failed(usageFailure(unknownContext), fix)];
}

function filesFindings({ runtime }: Setup): readonly Found[] {
  const path = configPath(runtime);
  const faults = [
    // Others may list this folder. They must not put a file there.
    folderFault(runtime.configDir(), OTHERS_WRITE, runtime),
    fileFault(path, runtime),
    fileFault(credentialsPath(runtime), runtime),
    folderFault(runtime.stateDir(), OTHERS, runtime),
  ].filter((fault) => fault !== undefined);
  if (faults.length > 0) return faults;
  try {
    readConfig(runtime);
    // An invalid line stops every command that shows a cause.
    const { length } = readSavedRules(runtime);
    const rules = length === 0 ? [] : [ok(`${causeRulesPath(runtime)}, rules: ${length}`)];
    return [ok(existsSync(path) ? path : `none yet; path: ${path}`), ...rules];
  } catch (error) {
    return [failed(error)];
  }
}

function folderFault(path: string, bits: number, runtime: Runtime): Found | undefined {
  const stats = ifPossible(() => statSync(path));
  if (stats === undefined) return undefined;
  if (isOpenTo(stats, bits, runtime))
    return fail(`others can use ${path}`, command('chmod', '700', path));
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    // Commands that only read still work.
    return warn(`${path} is not writable`, command('chmod', 'u+rwx', path));
  }
}

function fileFault(path: string, runtime: Runtime): Found | undefined {
  const stats = ifPossible(() => statSync(path));
  return stats !== undefined && isOpenTo(stats, OTHERS, runtime)
    ? fail(`others can read ${path}`, command('chmod', '600', path))
    : undefined;
}

/** True if others have one of these permissions. Modes mean nothing on Windows. */
const isOpenTo = ({ mode }: Stats, bits: number, { program }: Runtime): boolean =>
  program.platform !== 'win32' && (mode & bits) !== 0;

/** Shows the service that calls use without further flags. */
const checkContext: Check = ({ settings }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return ok('the embedded sandbox');
  if (baseUrl === undefined)
    return warn(
      'no service is configured; -C sandbox needs none',
      loginCommand(context, undefined),
    );
  checkTokenMayGo(baseUrl);
  const mark = stored?.protected === true ? ', protected' : '';
  return ok(`${baseUrl}${context === undefined ? '' : `, context ${context}`}${mark}`);
};

/** Shows the source of the token, and checks that it belongs to the origin in use. Runs no token command. */
const checkTokenSource: Check = async ({ settings, runtime }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return ok('the sandbox creates its own');
  if (baseUrl === undefined) return skip('not checked: no service is configured');
  const [source, ...others] = tokenSources(stored, runtime);
  const { origin } = new URL(baseUrl);
  if (source === undefined) return fail(`none for ${origin}`, loginCommand(context, baseUrl));
  const rest = others.length === 0 ? '' : `; takes precedence over ${others.join(', ')}`;
  checkTokenOrigin(source, stored, baseUrl, runtime);
  if (source === 'token-command') return ok(`from the command ${stored!.tokenCommand![0]}${rest}`);
  await findToken(context, stored, baseUrl, runtime);
  const bound = source === 'SOCIAL_TOKEN' ? '' : `, bound to ${origin}`;
  return ok(`from ${source}${bound}${rest}`);
};

/** Looks up the tokens that are in the keychain. */
const checkKeychain: Check = async ({ runtime, config }) => {
  const names = Object.entries(config.contexts ?? {})
    .filter(([, { tokenIn }]) => tokenIn === 'keychain')
    .map(([name]) => name);
  if (names.length === 0) return ok('stores no token');
  for (const name of names)
    if ((await loadToken(name, 'keychain', runtime)) === undefined)
      return fail(`the token of ${name} is missing`, loginCommand(name, undefined));
  return ok(`stores the token of ${names.join(', ')}`);
};

/** Sends the request of `auth login`, and judges the response with the same function. */
const checkService: Check = async ({ settings, runtime, offline }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return skip('not asked: the sandbox runs on this machine');
  if (baseUrl === undefined) return skip('not asked: no service is configured');
  if (offline) return skip('not asked: --offline');
  const [source] = tokenSources(stored, runtime);
  if (source === undefined) return skip('not asked: there is no token to send');
  let token: FoundToken;
  try {
    checkTokenMayGo(baseUrl);
    token = await findToken(context, stored, baseUrl, runtime);
  } catch (error) {
    // The checks of the context and the token have reported this, but they run no token command.
    return source === 'token-command' ? failed(error) : skip('not asked: the token cannot be sent');
  }
  // `checkToken` closes the service.
  const service = await openServiceAt(baseUrl, token, settings, runtime);
  const failure = await checkToken(service, settings, runtime);
  const words = checkInWords(failure);
  if (failure === undefined) return ok(words);
  if (failure.facts.status !== 401) return fail(words);
  const { hint, next } = adviceOnRefusedToken(settings, {}, source);
  return fail([words, hint].filter(Boolean).join('; '), next);
};

/** The checks by name, in the order in which they are shown. */
const checks: Readonly<Record<string, Check>> = {
  program: checkProgram,
  settings: checkSettings,
  context: checkContext,
  token: checkTokenSource,
  keychain: checkKeychain,
  service: checkService,
};
