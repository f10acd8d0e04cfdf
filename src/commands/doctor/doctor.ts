// `doctor [--offline]`: checks the requirements of every call (program, settings, context, token, keychain, service),
// and suggests a command for each fault. A skipped check says so (`skip`). No part of a token is shown.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { Failure, type FailureKind, ifPossible, usageFailure } from '../../base/errors.ts';
import type { Fault } from '../../base/fault.ts';
import type { Runtime } from '../../base/runtime.ts';
import { type CommandLine, NOT_SHOWN, shellLine, unsetVariableLine } from '../../base/shell.ts';
import { versionHint } from '../../base/url.ts';
import { version } from '../../base/version.ts';
import type { Invocation, CommandBody } from '../../cli/command-spec.ts';
import { findRow } from '../auth/status.ts';
import { causeRulesPath, readSavedRules } from '../../client/taught-causes.ts';
import { openServiceAt } from '../../client/open-client.ts';
import { checkInWords, checkToken } from '../../client/token-probe.ts';
import { credentialsPath, loadToken } from '../../config/auth/token-store.ts';
import {
  adviceOnRefusedToken,
  checkTokenMayGo,
  findToken,
  loginCommand,
} from '../../config/auth/token.ts';
import { type Config, configPath, readConfig } from '../../config/file.ts';
import { type Resolved, resolveSettings, SANDBOX, withSettings } from '../../config/settings.ts';
import { formOf, printValue } from '../../output/write-result.ts';

export const doctorCommand: CommandBody = {
  details:
    'Checks the program, the settings files, the context, the token, the keychain, and the service: it sends the same harmless requests as auth login, unless --offline. Shows no token and leaves nothing behind. The exit code is that of the first failed check: 4 for a token that is missing or rejected, 9 for a service without a usable response, 13 for a file or a setting. For a bug report paste the output of social doctor --json, which contains paths and the address of the service.',
  example: 'social doctor',
  examples: {
    'Show what to paste into a bug report': 'social doctor --json',
    'Check the setup without the network': 'social doctor --offline',
  },
  flags: [{ flags: '--offline', description: 'Do not send a request to the service' }],
  config: 'own',
  run: runChecks,
};

/** Runs the checks. Throws the kind of the first that fails, `usage` for an invalid flag. */
async function runChecks(call: Invocation): Promise<void> {
  const { flags } = call;
  // Settings that cannot be read are reported by their check.
  const read = ifPossible(() => readConfig(call.runtime));
  const config = read ?? {};
  const resolved = resolveSettings(flags, call.runtime.env, config);
  const { settings, faults, unknownContext } = resolved;
  const runtime = withSettings(call.runtime, settings);
  // Faults of the line end the command; those of variables and files are findings.
  const typed = faults.filter(({ field }) => field.startsWith('-'));
  if (unknownContext !== undefined && settings.contextOrigin === 'flag') typed.push(unknownContext);
  if (typed.length > 0) throw usageFailure(typed, ['social', 'doctor', '--help']);
  const findings: Finding[] = [];
  const setup = { ...resolved, runtime, config, offline: flags['offline'] === true, findings };
  for (const [name, check] of checks) {
    let found: readonly Found[];
    try {
      // Every call fails at such a file, also one to the sandbox.
      const isUnread = read === undefined && !['program', 'settings'].includes(name);
      const skipped = skip('not checked: the settings cannot be read');
      found = isUnread ? [skipped] : [await check(setup)].flat();
    } catch (error) {
      found = [failed(error)];
    }
    runtime.signal.throwIfAborted();
    // A file that two checks read is one fault.
    const seen = findings.map(({ fix }) => fix && shellLine(fix));
    found = found.map((finding) => {
      const { fix, what } = finding;
      return fix?.[0] === 'chmod' && seen.includes(shellLine(fix)) ? skip(what) : finding;
    });
    findings.push(...found.map((finding) => ({ check: name, ...finding })));
  }
  const shown = { ...call, runtime, settings, config, form: formOf(settings, runtime.stdout) };
  const rows = findings.map(({ fix, kind: _kind, ...finding }) => ({
    ...finding,
    fix: fix && (shellLine(fix) ?? NOT_SHOWN),
  }));
  // A table has no room for a line to type: in a cell it would be cut or wrapped.
  const isTable = shown.form === 'table' && shown.settings.fields.length === 0;
  const columns = ['check', 'status', 'what', ...(isTable ? [] : ['fix'])];
  await printValue(shown, columns, rows);
  const fixes = rows.flatMap(({ check, fix }) => (fix ? [`\nTo fix ${check}:\n${fix}\n`] : []));
  if (isTable) await runtime.stdout.write(fixes.join(''));
  const failing = findings.filter(({ status }) => status === 'fail');
  const [first] = failing;
  if (first === undefined) return;
  const what = `${failing.length} ${failing.length === 1 ? 'check' : 'checks'} failed`;
  // Others are lines of a shell.
  const next = failing.map(({ fix }) => fix).find((fix) => fix?.[0] === 'social');
  throw new Failure(first.kind ?? 'local_io', { what, next, code: 'checks_failed' });
}

interface Found {
  /** `skip`: it was not checked. `warn`: it works, with a limitation. `fail`: it does not work. */
  readonly status: 'ok' | 'skip' | 'warn' | 'fail';
  /** The result as a clause. It has no part of a secret. */
  readonly what: string;
  /** The command that fixes it. */
  readonly fix?: CommandLine | undefined;
  /** The kind of a fault that is not of a file or a setting. */
  readonly kind?: FailureKind | undefined;
}

export interface Finding extends Found {
  readonly check: string;
}

interface Setup extends Resolved {
  readonly runtime: Runtime;
  readonly config: Config;
  readonly offline: boolean;
  /** The findings of the checks so far. */
  readonly findings: readonly Finding[];
}

/** Checks one part of the setup. A `Failure` that it throws is its finding. */
type Check = (setup: Setup) => Found | readonly Found[] | Promise<Found>;

const ok = (what: string): Found => ({ status: 'ok', what });
const skip = (what: string): Found => ({ status: 'skip', what });
const warn = (what: string, fix?: CommandLine): Found => ({ status: 'warn', what, fix });
const fail = (what: string, fix?: CommandLine, kind?: FailureKind): Found => ({
  status: 'fail',
  what,
  fix,
  kind,
});

/** Makes a finding of a failure. A `fix` replaces its hint and its next step. Rethrows any other error. */
function failed(error: unknown, fix?: CommandLine): Found {
  if (!(error instanceof Failure)) throw error;
  const { what, why = [], hint, next } = error.facts;
  const lines = [what, ...why, fix === undefined ? hint : undefined];
  // A bad value is a fault of the setting here, because other checks may have sent requests.
  const kind = error.kind === 'usage' ? undefined : error.kind;
  return fail(lines.filter(Boolean).join('; '), fix ?? next, kind);
}

const checkProgram: Check = ({ runtime: { program } }) =>
  ok(`social ${version} on Node ${program.node}, ${program.platform} ${program.arch}`);

/** Checks the values of variables, of the context and of the settings, and that the current context exists. */
const checkValues: Check = ({ faults, unknownContext, settings, runtime }) => {
  const { platform } = runtime.program;
  const fixOf = ({ field }: Fault) => {
    if (field === unknownContext?.field)
      return settings.contextOrigin === 'environment'
        ? unsetVariableLine('SOCIAL_CONTEXT', platform)
        : ['social', 'context', 'list'];
    // Other faults name their source: a variable, or `config` and a setting.
    if (/^SOCIAL_\w+$/.test(field)) return unsetVariableLine(field, platform);
    const stored = /^config (\w+)$/.exec(field)?.[1];
    return stored === undefined ? undefined : ['social', 'config', 'set', stored, ''];
  };
  const all = unknownContext === undefined ? faults : [...faults, unknownContext];
  return all.map((fault) => failed(usageFailure(fault), fixOf(fault)));
};

/** Checks that the files of the settings and of the state are private, readable and writable. */
const checkFiles: Check = ({ runtime }) => {
  const path = configPath(runtime);
  const faults = [
    // Others may list this folder. They must not put a file there.
    accessFault(runtime.configDir(), GROUP_OR_OTHERS_WRITE, runtime),
    accessFault(path, GROUP_OR_OTHERS, runtime),
    accessFault(credentialsPath(runtime), GROUP_OR_OTHERS, runtime),
    accessFault(runtime.stateDir(), GROUP_OR_OTHERS, runtime),
  ].filter((fault) => fault !== undefined);
  if (faults.length > 0) return faults;
  readConfig(runtime);
  // An invalid line stops every command that shows a cause.
  const { length } = readSavedRules(runtime);
  const rules = length === 0 ? [] : [ok(`${causeRulesPath(runtime)}, rules: ${length}`)];
  return [ok(existsSync(path) ? path : `none yet; path: ${path}`), ...rules];
};

const GROUP_OR_OTHERS = 0o077;
const GROUP_OR_OTHERS_WRITE = 0o022;

/** Checks that other users have none of these permissions, and that a folder is writable; it may be missing. */
function accessFault(path: string, others: number, { program }: Runtime): Found | undefined {
  const stats = ifPossible(() => statSync(path));
  if (stats === undefined) return undefined;
  const isFolder = stats.isDirectory();
  // Modes mean nothing on Windows.
  if (program.platform !== 'win32' && (stats.mode & others) !== 0)
    return fail(`others can ${isFolder ? 'use' : 'read'} ${path}`, [
      'chmod',
      isFolder ? '700' : '600',
      path,
    ]);
  try {
    if (isFolder) accessSync(path, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    // Commands that only read still work.
    return warn(`${path} is not writable`, ['chmod', 'u+rwx', path]);
  }
}

/** Shows the service that calls use without further flags. */
const checkContext: Check = ({ settings, unknownContext, faults }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return ok('the embedded sandbox');
  // Its fix is beside the fault.
  if (unknownContext !== undefined) return skip('not checked: the context is unknown');
  if (faults.some(({ field }) => /base_?url/i.test(field)))
    return skip('not checked: the base URL is invalid');
  if (baseUrl === undefined)
    return warn('no service is configured; -C sandbox needs none', [
      ...loginCommand(context, undefined),
      '--base-url',
      { gap: 'https://…' },
    ]);
  checkTokenMayGo(baseUrl);
  const mark = stored?.protected === true ? ', protected' : '';
  const what = `${baseUrl}${context === undefined ? '' : `, context ${context}`}${mark}`;
  const hint = versionHint(baseUrl);
  return hint === undefined ? ok(what) : warn(`${what}; ${hint}`);
};

/** Finds the token as `auth status` does, which runs no token command. */
const checkTokenSource: Check = async (setup) => {
  const { context, baseUrl } = setup.settings;
  if (context === SANDBOX) return ok('the sandbox creates its own');
  if (baseUrl === undefined) return skip('not checked: no service is configured');
  const { row, failure } = await findRow(context, setup);
  return failure === undefined ? ok(`from ${row.tokenSource!}: ${row.why}`) : failed(failure);
};

/** Looks up the tokens that are in the keychain. */
const checkKeychain: Check = async ({ runtime, config }) => {
  const names = Object.entries(config.contexts ?? {})
    .filter(([, { tokenIn }]) => tokenIn === 'keychain')
    .map(([name]) => name);
  // There may be no keychain at all: asking it could prompt.
  if (names.length === 0) return ok('not needed: no context has its token there');
  for (const name of names)
    if ((await loadToken(name, 'keychain', runtime)) === undefined)
      return fail(`the token of ${name} is missing`, loginCommand(name, undefined), 'unauthorized');
  return ok(`stores the token of ${names.join(', ')}`);
};

/** Sends the requests of `auth login`, and judges the response with the same function. */
const checkService: Check = async ({ settings, runtime, offline, findings }) => {
  const { context, baseUrl, stored } = settings;
  if (context === SANDBOX) return skip('not asked: the sandbox runs on this machine');
  if (baseUrl === undefined) return skip('not asked: no service is configured');
  if (offline) return skip('not asked: --offline');
  const blocking = ['context', 'token'];
  if (findings.some(({ check, status }) => status === 'fail' && blocking.includes(check)))
    return skip('not asked: no token can be sent');
  const token = await findToken(context, stored, baseUrl, runtime);
  // `checkToken` closes the service.
  const service = await openServiceAt(baseUrl, token, settings, runtime);
  const failure = await checkToken(service, settings, runtime);
  const words = checkInWords(failure);
  if (failure === undefined) return ok(words);
  if (failure.facts.status !== 401) return fail(words, undefined, failure.kind);
  const { hint, next } = adviceOnRefusedToken(settings, {}, token.source);
  return fail([words, hint].filter(Boolean).join('; '), next, failure.kind);
};

/** The checks with their names, in the order in which they run and are shown. */
const checks: readonly (readonly [name: string, check: Check])[] = [
  ['program', checkProgram],
  ['settings', checkValues],
  ['settings', checkFiles],
  ['context', checkContext],
  ['token', checkTokenSource],
  ['keychain', checkKeychain],
  ['service', checkService],
];
