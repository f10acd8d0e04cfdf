// Lets the user write a text in an editor: help and the last problem stand below a scissors line, and are not sent. The
// prompt of @inquirer/prompts is not used: it passes the token in the environment, and lets the editor draw on stdout.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { unsentFailure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { splitShellWords } from '../base/shell.ts';
import { runReason } from '../fs/io-errors.ts';

const SCISSORS = '# ------------------------ >8 ------------------------';

/**
 * Opens `$VISUAL`, `$EDITOR` or the system's default editor on a private file until its text is valid, and returns the
 * text. Throws `declined` for an empty text. The editor does not get the token.
 */
export async function editText(
  description: string,
  validate: (text: string) => string | undefined,
  runtime: Runtime,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'social-'));
  const path = join(folder, 'text.txt');
  const help = [
    SCISSORS,
    `# ${description}. The text above this line is sent.`,
    '# Leave it empty to cancel.',
  ];
  try {
    let page = ['', ...help];
    for (;;) {
      await writeFile(path, `${page.join('\n')}\n`, { mode: 0o600 });
      await openEditor(path, runtime);
      const written = (await readFile(path, 'utf8')).split(SCISSORS)[0]!;
      const text = written.replaceAll('\r\n', '\n').trimEnd();
      if (text === '')
        throw unsentFailure('declined', { what: 'the text is empty', nothingWas: 'sent' });
      const problem = validate(text);
      if (problem === undefined) return text;
      page = [text, ...help, `# INVALID: the text ${problem}`];
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openEditor(path: string, { env, signal, program }: Runtime): Promise<void> {
  const usual = program.platform === 'win32' ? 'notepad' : 'vi';
  const line = env['VISUAL'] || env['EDITOR'] || usual;
  const [editor = usual, ...args] = splitShellWords(line, program.platform) ?? [];
  const { failed, exitCode, code } = await execa(editor, [...args, path], {
    reject: false,
    stdin: 'inherit',
    // stdout belongs to the result, so the editor draws on stderr: the terminal.
    stdout: 2,
    stderr: 'inherit',
    extendEnv: false,
    env: { ...env, SOCIAL_TOKEN: undefined },
    cancelSignal: signal,
  });
  if (signal.aborted) throw signal.reason;
  if (!failed) return;
  const why =
    exitCode === undefined ? `cannot be run (${runReason(code)})` : `exited with ${exitCode}`;
  throw unsentFailure('local_io', {
    what: `the editor ${editor} ${why}`,
    nothingWas: 'sent',
    hint: 'set VISUAL or EDITOR',
  });
}
