// Real shells at a pseudo-terminal, with our completion loaded and the built program on the path: a line is typed, a key
// inserts every candidate, and a function in the place of `social` prints its words.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { execa, execaSync } from 'execa';
import { afterAll } from 'vitest';
import { launcher } from './launcher.ts';
import { isUnix, needsUnix } from './unix.ts';

export type ShellName = 'bash' | 'zsh' | 'fish';

export interface Shell {
  /** The folder in which the shell runs; a test checks what a line created there. */
  readonly folder: string;
  /** Returns the words of a line with every candidate inserted, `back` characters before its end. */
  complete(line: string, back?: number): Promise<readonly string[]>;
  /** Presses TAB after a line until a text is shown, discards the line, and returns the screen. */
  tab(line: string, shown: string): Promise<string>;
  /** Presses TAB once and discards the line, for tests of what completion runs. */
  press(line: string): Promise<void>;
  close(): void;
}

const completions = fileURLToPath(new URL('../../completions/', import.meta.url));

/** True if a shell is installed. */
export const isInstalled = (shell: ShellName): boolean =>
  isUnix && execaSync(shell, ['--version'], { reject: false }).exitCode === 0;

const say = `social() { printf '{%s}\\n' "$@"; echo 'said'' it'; }`;

/**
 * The startup file of each shell, and the arguments that prevent all others. To read all functions takes zsh two seconds
 * of a core: its first shell keeps what it found for the others.
 */
const set = {
  bash: (source: string) => `${source}
${say}
bind '"\\C-t": insert-completions'
bind 'set bell-style none'
bind 'set page-completions off'
bind 'set enable-bracketed-paste off'
PS1='ready> '`,
  zsh: (source: string) => `autoload -Uz compinit && compinit -C -u -d "$FUNCTIONS"
${source}
${say}
zle -C every complete-word _generic
bindkey '^t' every
# Left to itself zsh expands the word before it completes: its own doing, not ours.
bindkey '^i' complete-word
zstyle ':completion:every:*' completer _all_matches _complete
zstyle ':completion:every:*' insert true
zstyle ':completion:every:*' list-colors ''
unsetopt beep prompt_cr prompt_sp zle_bracketed_paste
PROMPT='ready> '`,
} as const;

const fileOf = { bash: 'social.bash', zsh: '_social' } as const;

/** A shell that takes longer is stuck. */
const PATIENCE_MS = 25_000;

let folder: string | undefined;
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

/** Returns an environment with the built program as `social`, for as long as the tests of a file run. */
export function withProgram() {
  folder ??= mkdtempSync(join(tmpdir(), 'social-path-'));
  const program = `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`;
  writeFileSync(join(folder, 'social'), program, { mode: 0o755 });
  const path = [folder, process.env['PATH']].join(delimiter);
  return { PATH: path, FUNCTIONS: join(folder, 'functions') };
}

/** Starts bash or zsh. `source` loads the completion; by default it reads the file. */
export async function startShell(
  name: 'bash' | 'zsh',
  source = `source "${join(completions, fileOf[name])}"`,
  more: Readonly<Record<string, string>> = {},
): Promise<Shell> {
  needsUnix('Unix shell at a terminal');
  const place = mkdtempSync(join(tmpdir(), 'social-shell-'));
  const home = join(place, 'home');
  mkdirSync(home);
  writeFileSync(join(place, 'a note.txt'), '');
  mkdirSync(join(place, 'notes'));
  writeFileSync(join(home, name === 'bash' ? '.bashrc' : '.zshrc'), set[name](source));
  const args = name === 'bash' ? ['--noprofile', '-i'] : ['-i'];
  const terminal = spawn(name, args, {
    cwd: place,
    cols: 500,
    rows: 50,
    env: {
      ...withProgram(),
      HOME: home,
      ZDOTDIR: home,
      TERM: 'dumb',
      LANG: 'C.UTF-8',
      ...more,
    },
  });
  let screen = '';
  terminal.onData((text) => (screen += text));
  const shows = async (mark: string): Promise<void> => {
    const limit = Date.now() + PATIENCE_MS;
    while (!screen.includes(mark)) {
      if (Date.now() > limit) throw new Error(`${name} never said ${mark}:\n${screen}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const until = async (mark: string): Promise<string> => {
    await shows(mark);
    const end = screen.indexOf(mark) + mark.length;
    const seen = screen.slice(0, end);
    screen = screen.slice(end);
    return seen;
  };
  const dropped = async () => {
    terminal.write(`\x15echo 'all'' done'\r`);
    const seen = await until('all done');
    await until('ready> ');
    return seen;
  };
  await until('ready> ');
  return {
    folder: place,
    async complete(line, back = 0) {
      terminal.write(`social ${line}${'\x02'.repeat(back)}\x14\r`);
      const seen = await until('said it');
      await until('ready> ');
      return [...seen.matchAll(/\{(.*)\}\r/g)].map(([, word]) => word!);
    },
    async tab(line, shown) {
      terminal.write(`social ${line}\t\t`);
      await shows(shown);
      return dropped();
    },
    async press(line) {
      rmSync(join(place, 'ran'), { force: true });
      terminal.write(`social ${line}\t`);
      await dropped();
    },
    close() {
      terminal.kill();
      // A shell may write its history as it ends.
      rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/**
 * Returns the candidates of fish after each of these lines, typed one after the other, each with its description behind
 * a tab.
 */
export async function fishOffers(
  lines: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, readonly string[]>> {
  needsUnix('fish');
  const script = join(completions, 'social.fish');
  const ask = 'for line in $argv[2..-1]; complete -C "social $line"; printf "\\x1e\\n"; end';
  const { stdout, stderr } = await execa(
    'fish',
    ['--no-config', '-c', `source $argv[1]; source $argv[1]; ${ask}`, script, ...lines],
    {
      cwd,
      env: { ...withProgram(), HOME: cwd, ...more },
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
    },
  );
  if (stderr !== '') throw new Error(stderr);
  const answers = stdout.split('\x1e\n');
  if (answers.length !== lines.length + 1) throw new Error(`fish answered ${answers.length} times`);
  const offers = (i: number) => answers[i]!.split('\n').filter((each) => each !== '');
  return new Map(lines.map((line, i) => [line, offers(i)]));
}

/** Returns the candidates without descriptions. */
export const withoutDescription = (offers: readonly string[]): readonly string[] =>
  offers.map((each) => each.split('\t')[0]!);
