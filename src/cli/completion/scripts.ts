// The completion scripts by shell: how each is written, where it is kept, how it is installed.

import type { Tree } from '../tree.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { withReaders } from './place.ts';
import { powershellScript } from './powershell.ts';
import { zshScript } from './zsh.ts';

interface Script {
  readonly write: (tree: Tree) => string;
  /** Its name under completions/. */
  readonly file: string;
  /** The line that installs it for the user who types it. */
  readonly install: string;
}

export const scripts: Readonly<Record<string, Script>> = {
  bash: {
    write: (tree) => bashScript(withReaders(tree)),
    file: 'social.bash',
    install: `echo 'eval "$(social completion bash -q)"' >> ~/.bashrc`,
  },
  zsh: {
    write: (tree) => zshScript(withReaders(tree)),
    file: '_social',
    install: `echo 'eval "$(social completion zsh -q)"' >> ~/.zshrc`,
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
