// The completion scripts by shell: how each is written, where it is kept, how it is installed.

import type { CommandTree } from '../../cli/command-tree.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { withReaders } from './complete.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

interface Script {
  readonly write: (tree: CommandTree) => string;
  /** Its name under completions/. */
  readonly file: string;
  /** The line that installs it for the user who types it: as a file, for asking the program costs each new shell 200 ms. */
  readonly install: string;
}

export const scripts: Readonly<Record<string, Script>> = {
  bash: {
    write: (tree) => bashScript(withReaders(tree)),
    file: 'social.bash',
    install: `social completion bash -q > ~/.social.bash && echo '. ~/.social.bash' >> ~/.bashrc`,
  },
  zsh: {
    write: (tree) => zshScript(withReaders(tree)),
    file: '_social',
    install: `social completion zsh -q > ~/.social.zsh && echo '. ~/.social.zsh' >> ~/.zshrc`,
  },
  fish: {
    write: (tree) => fishScript(withReaders(tree)),
    file: 'social.fish',
    install: 'social completion fish -q > ~/.config/fish/completions/social.fish',
  },
  powershell: {
    write: (tree) => powershellScript(withReaders(tree)),
    file: 'social.ps1',
    install: `Add-Content $PROFILE 'social completion powershell -q | Out-String | Invoke-Expression'`,
  },
};
