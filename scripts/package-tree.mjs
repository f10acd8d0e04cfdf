// The single file with its completions and licences, where a system looks for them: below a folder like
// /usr or ~/.local.

import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './package-run.mjs';

export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
export const out = join(root, 'out');

/** Zsh has another folder for completions that come with packages on Debian. */
export const ZSH = 'share/zsh/site-functions/_social';
export const ZSH_DEBIAN = 'share/zsh/vendor-completions/_social';

/** Writes the tree anew; returns its paths. */
export function writeTree(folder, { zsh = ZSH } = {}) {
  rmSync(folder, { recursive: true, force: true });
  const paths = [];
  const put = (path, write) => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    write(join(folder, path));
    paths.push(path);
  };
  const copy = (path, from) => put(path, (to) => cpSync(join(root, from), to));
  copy('bin/social', 'out/sea/social');
  copy('share/bash-completion/completions/social', 'completions/social.bash');
  copy(zsh, 'completions/_social');
  copy('share/fish/vendor_completions.d/social.fish', 'completions/social.fish');
  copy('share/doc/social/LICENSE', 'LICENSE');
  copy('share/doc/social/NOTICES.txt', 'out/sea/NOTICES.txt');
  copy('share/doc/social/CHANGELOG.md', 'CHANGELOG.md');
  return paths;
}
