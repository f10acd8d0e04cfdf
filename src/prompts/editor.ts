// A text written in the user's own editor, with the rule and the last complaint below a line that is cut off.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { Failure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { splitShellWords } from '../base/shell.ts';
import { runReason } from '../fs/io-errors.ts';
import { tempFolder } from '../fs/temp-folder.ts';

const SCISSORS = '# ------------------------ >8 ------------------------';

/**
 * Opens `$VISUAL`, `$EDITOR` or what is usual on a private file until what is in it is good, and gives the text.
 * Throws `declined` for an empty text. The editor gets no token.
 */
export async function editText(
  what: string,
  complaint: (text: string) => string | undefined,
  runtime: Runtime,
): Promise<string> {
  const folder = await mkdtemp(join(tempFolder(), 'social-'));
  const path = join(folder, 'text.txt');
  try {
    let text = '';
    for (;;) {
      await writeFile(path, page(text, what, text === '' ? undefined : complaint(text)), {
        mode: 0o600,
      });
      await openEditor(path, runtime);
      text = (await readFile(path, 'utf8'))
        .split(SCISSORS)[0]!
        .replaceAll('\r\n', '\n')
        .replace(/\s*$/, '');
      if (text === '')
        throw new Failure('declined', {
          what: 'the text is empty; nothing was sent',
          sent: false,
        });
      if (complaint(text) === undefined) return text;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function page(text: string, what: string, complaint: string | undefined): string {
  const lines = [
    SCISSORS,
    `# ${what}. The text above this line is sent.`,
    '# Leave it empty to cancel.',
  ];
  const now = complaint === undefined ? [] : [`# INVALID: the text ${complaint}`];
  return `${text}\n${[...lines, ...now].join('\n')}\n`;
}

async function openEditor(
  path: string,
  { env, signal, program: { platform } }: Runtime,
): Promise<void> {
  const usual = platform === 'win32' ? 'notepad' : 'vi';
  const line = env['VISUAL'] || env['EDITOR'] || usual;
  const [program = usual, ...args] = splitShellWords(line, platform) ?? [];
  const { failed, exitCode, code } = await execa(program, [...args, path], {
    reject: false,
    stdin: 'inherit',
    // stdout belongs to the result, so the editor draws on what stderr is: the terminal.
    stdout: 2,
    stderr: 'inherit',
    extendEnv: false,
    env: { ...env, SOCIAL_TOKEN: undefined },
    cancelSignal: signal,
  });
  if (signal.aborted) throw signal.reason as Failure;
  if (!failed) return;
  const why =
    exitCode === undefined ? `cannot be run (${runReason(code)})` : `exited with ${exitCode}`;
  throw new Failure('local_io', {
    what: `the editor ${program} ${why}; nothing was sent`,
    hint: 'set VISUAL or EDITOR',
    sent: false,
  });
}
