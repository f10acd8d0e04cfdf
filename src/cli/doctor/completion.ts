// Whether the shell in use completes: looks at the usual places, and evaluates nothing.

import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { readIfPresent } from '../../files/regular.ts';
import { scripts } from '../completion/scripts.ts';
import { command, ok, warn, type Examination } from './finding.ts';
import { own } from '../../json.ts';

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

/** The usual places of each shell. */
function placesOf(shell: string, env: Env): Places {
  const home = env['HOME'] || homedir();
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

export const completion: Examination = async ({ world: { env } }) => {
  const name = basename(env['SHELL'] ?? '').replace(/^pwsh$/, 'powershell');
  const known = own(scripts, name);
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
