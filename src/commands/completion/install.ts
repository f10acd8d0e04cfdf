// `completion install`: saves the script of a shell where the shell looks for it. If the shell does not look there by
// itself, a line in its start file loads the script; only a yes adds that line.

import { statSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { asFailure, usageFailure } from '../../base/errors.ts';
import { folderNamed } from '../../base/paths.ts';
import type { Runtime } from '../../base/runtime.ts';
import { quote } from '../../base/sanitize.ts';
import { type CommandLine, labelledLine, quotedLine } from '../../base/shell.ts';
import type { Invocation } from '../../cli/command-spec.ts';
import { appendToUserFile } from '../../fs/append-log.ts';
import { refuseForeignFile } from '../../fs/atomic-write.ts';
import { installFiles } from '../../fs/installed-file.ts';
import { checkWriteAsRoot, parentName } from '../../fs/permissions.ts';
import { readIfPresent } from '../../fs/safe-read.ts';
import { printValue } from '../../output/write-result.ts';
import { promptsFor } from '../../prompts/confirm.ts';

interface Place {
  readonly path: string;
  /** The start file that must load the script, unless the shell does by itself. */
  readonly startFile?: string | undefined;
}

/** Installs the script, of those given by the names of their shells. */
export async function installCompletion(
  call: Invocation,
  scripts: Readonly<Record<string, { readonly text: string }>>,
): Promise<void> {
  const { runtime, settings, flags } = call;
  const shells = Object.keys(scripts);
  const shell = (flags['shell'] as string | undefined) ?? shellInUse(runtime, shells);
  const home = runtime.homeDir();
  checkWriteAsRoot(home);
  const { path, startFile } = placeOf(shell, runtime);
  // A `compinit` that follows forgets what was loaded before, and finds the script again by its folder.
  const found: CommandLine =
    shell === 'zsh' ? [{ gap: 'fpath+=(' }, dirname(path), { gap: ') &&' }] : [];
  const words: CommandLine = ['test', '-r', path, { gap: '&&' }, ...found, 'source', path];
  const isLoaded = startFile === undefined || loads(startFile, path, quotedLine(words), home);
  const file = { path, text: scripts[shell]!.text, comment: ['# ', ''] as const };
  const [result] = installFiles([file], settings.dryRun);
  const isAdded = !isLoaded && (await mayAdd(startFile, words, call));
  if (isAdded) addLine(startFile, words);
  const startResult = isAdded ? 'added' : isLoaded ? 'present' : 'not added';
  const start = { startFile, startLine: quotedLine(words), startResult };
  const shown = { shell, result, path, ...(startFile === undefined ? {} : start) };
  await printValue(call, Object.keys(shown), shown);
  if (settings.dryRun) return runtime.note('dry run: nothing was written');
  if (isLoaded || isAdded) return runtime.note('Open a new terminal to use it.');
  runtime.note(labelledLine(`add this line to ${startFile}`, words));
  const again = ['social', 'completion', 'install', '--shell', shell, '--yes'];
  runtime.note(labelledLine('or have it added', again));
}

/** Returns the login shell. A container often has none, so the shell that started this process is next. */
function shellInUse({ env }: Runtime, shells: readonly string[]): string {
  const login = env['SHELL'] ?? '';
  const found = [parse(login).name, parentName()].find((name) => shells.includes(name ?? ''));
  if (found !== undefined) return found;
  throw usageFailure({
    field: '--shell',
    problem: `is required: SHELL is ${login === '' ? 'not set' : quote(login)}`,
    fix: `shells: ${shells.join(', ')}`,
  });
}

function placeOf(shell: string, { env, homeDir, program }: Runtime): Place {
  const home = homeDir();
  const data = folderNamed(env, 'XDG_DATA_HOME', join(home, '.local', 'share'));
  if (shell === 'fish') {
    const config = folderNamed(env, 'XDG_CONFIG_HOME', join(home, '.config'));
    return { path: join(config, 'fish', 'completions', 'social.fish') };
  }
  if (shell === 'zsh') {
    // Loaded by a line, it needs no `compinit` before or after it.
    const startFile = join(folderNamed(env, 'ZDOTDIR', home), '.zshrc');
    return { path: join(data, 'social', '_social'), startFile };
  }
  // A terminal of macOS starts a login shell, which reads this file alone.
  const profile = join(home, '.bash_profile');
  const isLogin = program.platform === 'darwin' && isFile(profile);
  const startFile = isLogin ? profile : join(home, '.bashrc');
  // bash-completion searches each of these folders.
  const [named] = (env['BASH_COMPLETION_USER_DIR'] ?? '').split(':');
  const folder = folderNamed({ named }, 'named', join(data, 'bash-completion'));
  return {
    path: join(folder, 'completions', 'social'),
    startFile: loadsBashCompletion(startFile) ? undefined : startFile,
  };
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;

const MAX_BYTES = 1024 * 1024;

/** Returns the lines of a start file, without its comments. */
const linesOf = (path: string): readonly string[] =>
  (readIfPresent(path, MAX_BYTES)?.toString() ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('#'));

/** True if a start file of bash runs bash-completion, which then loads the script at the first TAB. */
const loadsBashCompletion = (startFile: string): boolean =>
  [startFile, '/etc/bash.bashrc']
    .flatMap(linesOf)
    .flatMap((line) => line.match(/\/[^\s'"]*\/bash_completion(?:\.sh)?(?![\w.])/g) ?? [])
    .some(isFile);

/** True if a start file has the line, or another one with the path, which may be written with `~` or `$HOME`. */
function loads(startFile: string, path: string, line: string, home: string): boolean {
  const end = path.startsWith(`${home}/`) ? path.slice(home.length) : path;
  return linesOf(startFile).some(
    (each) => each === line || each.split(/[\s'";]+/).some((word) => word.endsWith(end)),
  );
}

/** Asks whether the line may be added. Without a terminal only --yes allows it. */
async function mayAdd(
  startFile: string,
  words: CommandLine,
  { settings, runtime }: Invocation,
): Promise<boolean> {
  if (settings.dryRun) return false;
  if (settings.yes) return true;
  const prompts = await promptsFor(settings, runtime);
  if (prompts === undefined) return false;
  await runtime.stderr.write(`${labelledLine('line', words)}\n`);
  return prompts.confirm(`The script is saved. Add the line to ${startFile}, which loads it?`);
}

/** Adds the line at the end of a start file. The file keeps its mode, and a link stays one. */
function addLine(startFile: string, words: CommandLine): void {
  try {
    refuseForeignFile(startFile, () => true);
    appendToUserFile(startFile, `${quotedLine(words)}\n`);
  } catch (error) {
    const hint = `the script is saved; ${labelledLine('add this line yourself', words)}`;
    throw asFailure(error).with({ hint });
  }
}
