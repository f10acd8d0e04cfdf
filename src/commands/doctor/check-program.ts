// Whether the shell in use completes: looks at the usual places, and evaluates nothing.

import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { ownProperty } from '../../base/json.ts';
import { version } from '../../base/version.ts';
import { readIfPresent } from '../../fs/safe-read.ts';
import { wantsColor } from '../../output/color.ts';
import { MIN_TABLE_WIDTH } from '../../output/format.ts';
import { scripts } from '../completion/scripts.ts';
import { accessTo, isOpen } from './check-files.ts';
import { command, type Check, fail, ok, warn } from './finding.ts';
import { isUnicode } from '../../output/locale.ts';

const MAX_BYTES = 1024 * 1024;

interface Places {
  /** Files of the shell itself, in which a line may ask for the script. */
  readonly startup: readonly string[];
  /** Where the script may be as a file. */
  readonly files: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

const at = (folder: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => join(folder, name));

/** The system gives the user's where the environment names none. */
const homeFrom = ({ HOME }: Env): string =>
  HOME !== undefined && isAbsolute(HOME) ? HOME : homedir();

/** The usual places of each shell. */
function placesOf(shell: string, env: Env): Places {
  const home = homeFrom(env);
  const data = env['XDG_DATA_HOME'] || join(home, '.local/share');
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config');
  if (shell === 'bash')
    return {
      startup: at(home, '.bashrc', '.bash_profile', '.profile', '.bash_completion'),
      files: [
        join(home, '.social.bash'),
        join(data, 'bash-completion/completions/social'),
        ...at('/usr/share/bash-completion/completions', 'social'),
        ...at('/usr/local/share/bash-completion/completions', 'social'),
        ...at('/etc/bash_completion.d', 'social'),
      ],
    };
  if (shell === 'zsh')
    return {
      startup: at(env['ZDOTDIR'] || home, '.zshrc', '.zprofile', '.zshenv'),
      files: [
        join(home, '.social.zsh'),
        ...at(home, '.zfunc/_social', '.zsh/completions/_social', '.oh-my-zsh/completions/_social'),
        join(data, 'zsh/site-functions/_social'),
        ...at('/usr/local/share/zsh/site-functions', '_social'),
        ...at('/usr/share/zsh', 'site-functions/_social', 'vendor-completions/_social'),
      ],
    };
  if (shell === 'fish')
    return {
      startup: [join(config, 'fish/config.fish')],
      files: [
        join(config, 'fish/completions/social.fish'),
        join(data, 'fish/vendor_completions.d/social.fish'),
        '/usr/share/fish/vendor_completions.d/social.fish',
      ],
    };
  return {
    startup: at(config, 'powershell/Microsoft.PowerShell_profile.ps1', 'powershell/profile.ps1'),
    files: [],
  };
}

export const checkCompletion: Check = async ({ runtime: { env } }) => {
  const name = basename(env['SHELL'] ?? '').replace(/^pwsh$/, 'powershell');
  const known = ownProperty(scripts, name);
  if (known === undefined)
    return [ok('completion', name === '' ? 'SHELL names no shell' : `there is none for ${name}`)];
  const { startup, files } = placesOf(name, env);
  const asked = startup.find((path) => /social completion/.test(textOf(path) ?? ''));
  if (asked !== undefined) return [ok('completion', `${name}, asked for in ${asked}`)];
  const kept = files.find((path) => textOf(path) !== undefined);
  if (kept === undefined) return [warn('completion', `not installed for ${name}`, known.install)];
  if (textOf(kept) === known.text) return [ok('completion', `${name}, ${kept}`)];
  const again = `social completion ${name} -q > ${command(kept)}`;
  return [warn('completion', `${kept} is of another version`, again)];
};

function textOf(path: string): string | undefined {
  try {
    return readIfPresent(path, MAX_BYTES)?.toString('utf8');
  } catch {
    return undefined;
  }
}

// The program itself: what it runs on, the cache of its compiled files, and the clock of this machine.

const DAY_MS = 86_400_000;

export const checkProgram: Check = ({
  runtime: {
    program: { node, platform, arch },
  },
}) => [ok('program', `social ${version} on Node ${node}, ${platform} ${arch}`)];

/** Compiled files are kept beside the program by its build, or else in the user's cache. */
export const checkCache: Check = ({ runtime: { program: host, env } }) => {
  const off = env['NODE_DISABLE_COMPILE_CACHE'] ?? '';
  if (off !== '')
    return [
      warn('cache', 'NODE_DISABLE_COMPILE_CACHE turns it off', 'unset NODE_DISABLE_COMPILE_CACHE'),
    ];
  const shipped = join(host.folder, 'cache', `${host.node}-${host.arch}`);
  if (accessTo(shipped) !== undefined) return [ok('cache', `beside the program, ${shipped}`)];
  const base = env['XDG_CACHE_HOME'];
  const home = base !== undefined && isAbsolute(base) ? base : join(homeFrom(env), '.cache');
  const folder = join(home, 'social');
  const found = accessTo(folder);
  if (found === undefined) return [ok('cache', `none yet; it is kept in ${folder}`)];
  if (isOpen(found, host.platform) || !found.writable)
    return [
      warn(
        'cache',
        `${folder} is not used: it must be this user's alone`,
        command('chmod', '700', folder),
      ),
    ];
  return [ok('cache', folder)];
};

/** Certificates are judged by this clock. Without the network it is only compared with the age of the program. */
export const checkClock: Check = ({ runtime }) => {
  const { folder, platform } = runtime.program;
  const [now, built] = [runtime.now(), builtAt(folder)];
  const time = new Date(now).toISOString();
  if (built !== undefined && now < built - DAY_MS)
    return [
      fail(
        'clock',
        `${time} is before the day on which this program was installed`,
        setClock(platform),
      ),
    ];
  return [ok('clock', time)];
};

/** The command that lets a machine set its clock. */
export function setClock(platform: string): string | undefined {
  if (platform === 'linux') return 'sudo timedatectl set-ntp true';
  return platform === 'darwin' ? 'sudo sntp -sS time.apple.com' : undefined;
}

function builtAt(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
}

// What this terminal shows: its width, colour, more than ASCII.

export const checkTerminal: Check = ({ runtime, settings }) => {
  const { stdout, env } = runtime;
  if (!stdout.isTTY) return [ok('terminal', 'none: stdout is a pipe or a file, results are TSV')];
  const { columns } = stdout;
  const colored = wantsColor(settings.color, true, env);
  const told = [
    columns === undefined ? 'of unknown width' : `${columns} columns`,
    colored ? 'colour' : 'no colour',
    isUnicode(env) ? 'UTF-8' : 'ASCII alone',
  ].join(', ');
  if (!isUnicode(env))
    return [warn('terminal', `${told}: signs are plain`, 'export LC_ALL=C.UTF-8')];
  if (env['TERM'] === 'dumb' || env['TERM'] === undefined)
    return [
      warn('terminal', `${told}; TERM does not say what it is`, 'export TERM=xterm-256color'),
    ];
  if (columns !== undefined && columns < MIN_TABLE_WIDTH)
    return [ok('terminal', `${told}: tables become blocks of fields below ${MIN_TABLE_WIDTH}`)];
  return [ok('terminal', told)];
};
