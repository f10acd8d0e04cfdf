// Checks of the program itself: what it runs on, the cache of its compiled files, the clock of this machine, what the
// terminal can show, and whether the shell in use has the completion script.

import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { ifPossible } from '../../base/errors.ts';
import { ownProperty } from '../../base/json.ts';
import { version } from '../../base/version.ts';
import { setVariableLine, unsetVariableLine } from '../../base/shell.ts';
import { readIfPresent } from '../../fs/safe-read.ts';
import { wantsColor } from '../../output/color.ts';
import { MIN_TABLE_WIDTH } from '../../output/format.ts';
import { scripts } from '../completion/scripts.ts';
import { accessTo, isOpen } from './check-files.ts';
import { command, type Check, fail, ok, warn, seen, shareable } from './finding.ts';
import { isUnicode } from '../../output/locale.ts';

const DAY_MS = 86_400_000;
/** A longer file is no completion script. */
const MAX_BYTES = 1024 * 1024;

export const checkProgram: Check = ({ runtime: { program } }) =>
  ok(
    seen`social ${shareable(version)} on Node ${shareable(program.node)}, ${shareable(program.platform)} ${shareable(program.arch)}`,
  );

/** Compiled files are beside the program, put there by its build, or else in the user's cache. */
export const checkCache: Check = ({ runtime: { program, env } }) => {
  if ((env['NODE_DISABLE_COMPILE_CACHE'] ?? '') !== '')
    return warn(
      seen`NODE_DISABLE_COMPILE_CACHE disables it`,
      unsetVariableLine('NODE_DISABLE_COMPILE_CACHE', program.platform),
    );
  const shipped = join(program.folder, 'cache', `${program.node}-${program.arch}`);
  if (accessTo(shipped) !== undefined) return ok(seen`${shipped}`);
  const folder = cacheFolder(program.platform, env);
  const access = accessTo(folder);
  if (access === undefined) return ok(seen`none yet; path: ${folder}`);
  if (!isOpen(access, program.platform) && access.writable) return ok(seen`${folder}`);
  return warn(seen`${folder} is not used: it must be private`, command('chmod', '700', folder));
};

/** As `start.ts` has it. */
function cacheFolder(platform: string, env: Env): string {
  if (platform === 'win32')
    return join(env['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local'), 'social', 'cache');
  const base = env['XDG_CACHE_HOME'] ?? '';
  return join(isAbsolute(base) ? base : join(homeFrom(env), '.cache'), 'social');
}

/** Certificates are judged by this clock. Without the network it is only compared with the age of the program. */
export const checkClock: Check = ({ runtime: { program, now } }) => {
  const time = new Date(now()).toISOString();
  const installed = statSync(program.folder, { throwIfNoEntry: false })?.mtimeMs;
  if (installed === undefined || now() >= installed - DAY_MS) return ok(seen`${shareable(time)}`);
  return fail(
    seen`${shareable(time)} is before the day this program was installed`,
    clockFix(program.platform),
  );
};

/** The command that lets a machine set its clock. */
export function clockFix(platform: string): string | undefined {
  if (platform === 'linux') return 'sudo timedatectl set-ntp true';
  return platform === 'darwin' ? 'sudo sntp -sS time.apple.com' : undefined;
}

export const checkTerminal: Check = ({ runtime: { stdout, env, program }, settings }) => {
  const set = (name: string, value: string) => setVariableLine(name, value, program.platform);
  if (!stdout.isTTY) return ok(seen`none: stdout is a pipe or a file; output is TSV`);
  const { columns } = stdout;
  const what = shareable(
    [
      columns === undefined ? 'unknown width' : `${columns} columns`,
      wantsColor(settings.color, true, env) ? 'colour' : 'no colour',
      isUnicode(env) ? 'UTF-8' : 'ASCII only',
    ].join(', '),
  );
  if (!isUnicode(env)) return warn(seen`${what}: signs are ASCII`, set('LC_ALL', 'C.UTF-8'));
  if (env['TERM'] === 'dumb' || env['TERM'] === undefined)
    return warn(seen`${what}; TERM is not set`, set('TERM', 'xterm-256color'));
  const narrow = columns !== undefined && columns < MIN_TABLE_WIDTH;
  return ok(
    narrow
      ? seen`${what}: tables become key: value blocks below ${MIN_TABLE_WIDTH}`
      : seen`${what}`,
  );
};

/** Whether the shell in use completes: reads the usual files, and evaluates nothing. */
export const checkCompletion: Check = ({ runtime: { env } }) => {
  const shell = basename(env['SHELL'] ?? '').replace(/^pwsh$/, 'powershell');
  const script = ownProperty(scripts, shell);
  if (script === undefined)
    return ok(shell === '' ? seen`SHELL is not set` : seen`not supported for ${shell}`);
  const { startup, files } = completionFiles(env)[shell]!;
  const asking = startup.find((path) => /social completion/.test(textOf(path) ?? ''));
  if (asking !== undefined) return ok(seen`${shareable(shell)}, loaded in ${asking}`);
  const installed = files.find((path) => textOf(path) !== undefined);
  if (installed === undefined)
    return warn(seen`not installed for ${shareable(shell)}`, script.install);
  if (textOf(installed) === script.text) return ok(seen`${shareable(shell)}, ${installed}`);
  const fix = `social completion ${shell} -q > ${command(installed)}`;
  return warn(seen`${installed} is from another version`, fix);
};

interface CompletionFiles {
  /** Files of the shell itself, in which a line may ask for the script. */
  readonly startup: readonly string[];
  /** Where the script may be as a file. */
  readonly files: readonly string[];
}

const within = (folder: string, ...names: readonly string[]) =>
  names.map((name) => join(folder, name));

type Env = Readonly<Record<string, string | undefined>>;

/** The home folder of the environment, or else of the system. */
const homeFrom = ({ HOME }: Env): string =>
  HOME !== undefined && isAbsolute(HOME) ? HOME : homedir();

/** The usual places of each shell. */
function completionFiles(env: Env): Readonly<Record<string, CompletionFiles>> {
  const home = homeFrom(env);
  const data = env['XDG_DATA_HOME'] || join(home, '.local/share');
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config');
  return {
    bash: {
      startup: within(home, '.bashrc', '.bash_profile', '.profile', '.bash_completion'),
      files: [
        join(home, '.social.bash'),
        join(data, 'bash-completion/completions/social'),
        '/usr/share/bash-completion/completions/social',
        '/usr/local/share/bash-completion/completions/social',
        '/etc/bash_completion.d/social',
      ],
    },
    zsh: {
      startup: within(env['ZDOTDIR'] || home, '.zshrc', '.zprofile', '.zshenv'),
      files: [
        ...within(home, '.social.zsh', '.zfunc/_social', '.zsh/completions/_social'),
        join(home, '.oh-my-zsh/completions/_social'),
        join(data, 'zsh/site-functions/_social'),
        '/usr/local/share/zsh/site-functions/_social',
        ...within('/usr/share/zsh', 'site-functions/_social', 'vendor-completions/_social'),
      ],
    },
    fish: {
      startup: [join(config, 'fish/config.fish')],
      files: [
        join(config, 'fish/completions/social.fish'),
        join(data, 'fish/vendor_completions.d/social.fish'),
        '/usr/share/fish/vendor_completions.d/social.fish',
      ],
    },
    powershell: {
      startup: within(
        config,
        'powershell/Microsoft.PowerShell_profile.ps1',
        'powershell/profile.ps1',
      ),
      files: [],
    },
  };
}

const textOf = (path: string): string | undefined =>
  ifPossible(() => readIfPresent(path, MAX_BYTES))?.toString('utf8');
