// `completion install`, in a fresh home: real shells complete afterwards, and no file of the user's is lost.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { describe, expect, it, onTestFinished } from 'vitest';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome } from '../../support/program.ts';
import { isInstalled, type ShellName, withProgram } from '../../support/shells.ts';
import { atTerminal } from '../../support/terminal.ts';

const shells: readonly ShellName[] = ['bash', 'zsh', 'fish'];

const paths = {
  bash: '.local/share/bash-completion/completions/social',
  zsh: '.local/share/social/_social',
  fish: '.config/fish/completions/social.fish',
} as const;

interface Result {
  readonly shell: string;
  readonly result: string;
  readonly path: string;
  readonly startFile?: string;
  readonly startLine?: string;
  readonly startResult?: string;
}

/** Runs `completion install` without a terminal, and returns its JSON. */
async function install(home: string, flags: readonly string[], env = {}): Promise<Result> {
  const line = ['completion', 'install', ...flags, '--json', '-q'];
  const { exitCode, stdout, stderr } = await socialInProcess(line, { home, env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Result;
}

/** The sequences by which a shell moves and colours its text, and blanks, which it may draw by moving. */
const NOT_TEXT = /\u001b(?:\[[\d;?]*[A-Za-z]|\(B)|\s/g;

/** Starts a shell as a terminal does, presses TAB after a line, waits until the screen has a text, and returns it without blanks. */
async function pressTab(shell: ShellName, home: string, line: string, shown: string) {
  const env = { ...withProgram(), HOME: home, TERM: 'xterm', LANG: 'C.UTF-8' };
  const terminal = spawn(shell, ['-i'], { cwd: home, cols: 200, rows: 50, env });
  onTestFinished(() => terminal.kill());
  let screen = '';
  terminal.onData((text) => (screen += text));
  const limit = Date.now() + 25_000;
  const until = async (mark: RegExp) => {
    while (!mark.test(screen.replace(NOT_TEXT, ''))) {
      if (Date.now() > limit) throw new Error(`${shell} never showed ${mark}:\n${screen}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await until(/[#$%>]/);
  terminal.write(`${line}\t`);
  await until(new RegExp(shown.replace(NOT_TEXT, '')));
  return screen.replace(NOT_TEXT, '');
}

describe.each(shells)('%s', (shell) => {
  it.skipIf(!isInstalled(shell))('completes in a fresh home, after a yes', async () => {
    const home = freshHome();
    const env = { SHELL: `/usr/bin/${shell}` };
    const terminal = atTerminal(['completion', 'install'], { home, env, cols: 300 });
    if (shell !== 'fish') {
      await terminal.waitFor('which loads it?');
      terminal.type('y');
      terminal.press('enter');
    }
    expect((await terminal.ended()).exitCode).toBe(0);
    expect(await pressTab(shell, home, 'social posts ret', 'posts retry')).toContain('postsretry');
  });

  it('is installed once, and renewed only if it was not edited', async () => {
    const home = freshHome();
    const flags = ['--shell', shell, '-y'];
    const path = join(home, paths[shell]);
    expect(await install(home, flags)).toMatchObject({ shell, path, result: 'written' });
    const text = readFileSync(path, 'utf8');
    expect(await install(home, flags)).toMatchObject({ result: 'up to date' });
    writeFileSync(path, `${text}# mine\n`);
    const refused = await socialInProcess(['completion', 'install', ...flags], { home });
    expect(refused).toMatchObject({ exitCode: 13, stdout: '' });
    expect(refused.stderr).toContain(
      `cannot write ${path}: it was changed since social installed it`,
    );
    expect(refused.stderr).toContain('move this one away');
    expect(readFileSync(path, 'utf8')).toBe(`${text}# mine\n`);
  });
});

describe('the start file', () => {
  const zsh = ['--shell', 'zsh'];

  it('stays as it is without a yes, and the line is shown', async () => {
    const home = freshHome();
    const { exitCode, stderr } = await socialInProcess(['completion', 'install', ...zsh], { home });
    const path = join(home, paths.zsh);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `add this line to ${home}/.zshrc: test -r ${path} && fpath+=( ${dirname(path)} ) && source ${path}\nor have it added: social completion install --shell zsh --yes\n`,
    });
    expect(existsSync(join(home, '.zshrc'))).toBe(false);
    const terminal = atTerminal(['completion', 'install', ...zsh], { home, cols: 300 });
    await terminal.waitFor('which loads it?');
    terminal.press('enter');
    expect(await terminal.ended()).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(home, '.zshrc'))).toBe(false);
  });

  it('gets the line once, on a line of its own, and keeps its mode, its link and its text', async () => {
    const home = freshHome();
    const real = join(home, 'dotfiles', 'zshrc');
    mkdirSync(dirname(real));
    writeFileSync(real, 'setopt x\r\nexport A=é');
    chmodSync(real, 0o644);
    symlinkSync('dotfiles/zshrc', join(home, '.zshrc'));
    const { startLine, startResult } = await install(home, [...zsh, '-y']);
    expect(startResult).toBe('added');
    expect(await install(home, [...zsh, '-y'])).toMatchObject({ startResult: 'present' });
    expect(readFileSync(real, 'utf8')).toBe(`setopt x\r\nexport A=é\n${startLine}\n`);
    expect(statSync(real).mode & 0o777).toBe(0o644);
    expect(lstatSync(join(home, '.zshrc')).isSymbolicLink()).toBe(true);
  });

  it.each([
    ['with ~', `source ~/${paths.zsh}\n`, 'present'],
    ['with $HOME', `  [ -f "$HOME/${paths.zsh}" ] && . "$HOME/${paths.zsh}"\n`, 'present'],
    ['in a comment', `# source ~/${paths.zsh}\n`, 'added'],
    ['of another name', `source ~/${paths.zsh}.old\n`, 'added'],
  ])('that loads the script %s', async (_how, content, startResult) => {
    const home = freshHome();
    writeFileSync(join(home, '.zshrc'), content);
    expect(await install(home, [...zsh, '-y'])).toMatchObject({ startResult });
  });

  it.skipIf(!isInstalled('zsh'))(
    'of zsh may run compinit before the line or after it',
    async () => {
      const home = freshHome();
      const compinit = 'autoload -Uz compinit && compinit\n';
      writeFileSync(join(home, '.zshrc'), compinit);
      const { startLine } = await install(home, [...zsh, '-y']);
      expect(await pressTab('zsh', home, 'social posts ret', 'posts retry')).toContain(
        'postsretry',
      );
      writeFileSync(join(home, '.zshrc'), `${startLine}\n${compinit}`);
      expect(await pressTab('zsh', home, 'social posts ret', 'posts retry')).toContain(
        'postsretry',
      );
    },
  );

  it('that is read-only is refused, and the line is shown', async () => {
    const home = freshHome();
    writeFileSync(join(home, '.zshrc'), 'mine\n', { mode: 0o444 });
    const line = ['completion', 'install', ...zsh, '-y'];
    const { exitCode, stdout, stderr } = await socialInProcess(line, { home });
    expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: '' });
    expect(stderr).toContain(`cannot write ${home}/.zshrc: it is read-only`);
    expect(stderr).toContain('the script is saved; add this line yourself: test -r ');
    expect(readFileSync(join(home, '.zshrc'), 'utf8')).toBe('mine\n');
  });

  it('of bash needs no line if it runs bash-completion', async () => {
    const home = freshHome();
    const loader = join(home, 'share', 'bash_completion');
    mkdirSync(dirname(loader));
    const bash = ['--shell', 'bash', '-y'];
    writeFileSync(join(home, '.bashrc'), `if [ -f "${loader}" ]; then . "${loader}"; fi\n`);
    expect(await install(home, bash, { SHELL: '' })).toMatchObject({ startResult: 'added' });
    writeFileSync(loader, '');
    expect(await install(home, bash)).not.toHaveProperty('startFile');
  });
});

describe('where', () => {
  it('follows the variables of the shells', async () => {
    const home = freshHome();
    const env = {
      XDG_DATA_HOME: join(home, 'my data'),
      XDG_CONFIG_HOME: join(home, 'conf'),
      ZDOTDIR: home,
      BASH_COMPLETION_USER_DIR: `${home}/bc:${home}/other`,
    };
    const at = async (shell: string) => (await install(home, ['--shell', shell, '-y'], env)).path;
    expect(await at('bash')).toBe(`${home}/bc/completions/social`);
    expect(await at('zsh')).toBe(`${home}/my data/social/_social`);
    expect(await at('fish')).toBe(`${home}/conf/fish/completions/social.fish`);
    // The path with a space is one word of the line, which is added once.
    const again = await install(home, ['--shell', 'zsh', '-y'], env);
    expect(again.startResult).toBe('present');
    expect(again.startLine).toContain(`source '${home}/my data/social/_social'`);
  });

  it('follows from the login shell, and an unknown one asks for --shell', async () => {
    const home = freshHome();
    expect(await install(home, [], { SHELL: '/opt/bin/fish' })).toMatchObject({ shell: 'fish' });
    const env = { SHELL: '/bin/tcsh' };
    const refused = await socialInProcess(['completion', 'install'], { home, env });
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--shell is required: SHELL is "/bin/tcsh"');
    expect(refused.stderr).toContain('shells: bash, zsh, fish');
  });

  it('is only shown by a dry run', async () => {
    const home = freshHome();
    const shown = await install(home, ['--shell', 'zsh', '-y', '-n']);
    expect(shown).toMatchObject({ result: 'would be written', startResult: 'not added' });
    expect([existsSync(shown.path), existsSync(join(home, '.zshrc'))]).toEqual([false, false]);
  });
});
