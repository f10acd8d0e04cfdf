// Runs the built program at a pseudo-terminal: a test reads the screen, presses keys, and checks the state in which the
// terminal is left. stdout can be separate, as with a shell's `>`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { Terminal as Screen } from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';
import { assertNoToken } from './token-leak-check.ts';
import { launcher } from './launcher.ts';
import { bareEnv, freshHome } from './program.ts';
import { needsUnix } from './unix.ts';

const KEYS = {
  enter: '\r',
  space: ' ',
  up: '\u001b[A',
  down: '\u001b[B',
  backspace: '\u007f',
  'ctrl-c': '\u0003',
  'ctrl-d': '\u0004',
  'ctrl-t': '\u0014',
  'ctrl-u': '\u0015',
  'ctrl-z': '\u001a',
  escape: '\u001b',
} as const;

export type Key = keyof typeof KEYS;

export interface TerminalOptions {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cols?: number;
  readonly rows?: number;
  /** Keeps stdout off the terminal, in `Ended.stdout`. */
  readonly separateStdout?: boolean;
  /** Runs it under job control: a stopped program shows `[stopped]`, and continues after a line was typed. */
  readonly jobControl?: boolean;
  /** The launcher of another build. */
  readonly program?: string;
}

export interface TerminalResult {
  readonly exitCode: number;
  /** The content of stdout, if it was separate. */
  readonly stdout: string;
  /** All bytes that were sent to the terminal. */
  readonly said: string;
  /** The text on the screen and above it, without trailing blanks. */
  readonly text: string;
  /** `cursor` is true if the cursor is visible, `cooked` if the terminal edits lines, echoes and interrupts again. */
  readonly cursor: boolean;
  readonly cooked: boolean;
}

export interface Terminal {
  type(text: string): void;
  press(...keys: Key[]): void;
  /** Returns the visible screen. */
  screen(): string;
  /** Waits until a text is on the screen, and returns the screen. */
  waitFor(text: string | RegExp, ms?: number): Promise<string>;
  /** Returns all bytes that were sent to the terminal so far. */
  said(): string;
  resize(cols: number, rows: number): void;
  ended(): Promise<TerminalResult>;
}

const PATIENCE_MS = 15_000;

/** Written to the terminal after the program has ended: a sequence for applications, which no screen shows. */
const END = '\u001b_ended\u001b\\';

// The terminal stays open until the test has read all output: otherwise it is closed 200 ms after its last process has
// ended, also if some output is unread.
const REPORT = `{ echo "$code"; stty -a; } > "$REPORT" 2>&1
trap '' INT TSTP QUIT
printf '\\033_ended\\033\\\\'
exec sleep 60
`;

// A shell runs the program, so that the state of the terminal can be checked after the program has ended.
const SCRIPT = `
trap : INT TSTP
if [ -n "$APART" ]; then "$@" > "$APART"; else "$@"; fi
code=$?
${REPORT}`;

// A stopped job ends with 128 and the number of SIGTSTP.
const JOBS = `
set -m
"$@"
code=$?
while [ "$code" = 148 ]; do
  echo "[stopped]"
  stty -a > "$REPORT.stopped"
  read -r line
  echo "[typed $line]"
  fg > /dev/null
  code=$?
done
${REPORT}`;

/** Starts `social` with these words at a new terminal. */
export function atTerminal(argv: readonly string[], setting: TerminalOptions = {}): Terminal {
  needsUnix('terminal with a Unix shell');
  const {
    home = freshHome(),
    env,
    cols = 80,
    rows = 30,
    separateStdout: apart = false,
    jobControl: jobs = false,
    program = launcher,
  } = setting;
  const folder = temporaryFolder();
  const [report, stdout] = ['report', 'stdout'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  const screen = new Screen({ cols, rows, allowProposedApi: true, scrollback: 5000 });
  let said = '';
  const shell = jobs ? ['bash', JOBS] : ['sh', SCRIPT];
  const pty = spawn(shell[0]!, ['-c', shell[1]!, 'sh', process.execPath, program, ...argv], {
    cwd: folder,
    cols,
    rows,
    env: {
      ...bareEnv(home),
      TERM: 'xterm-256color',
      REPORT: report,
      APART: apart ? stdout : '',
      ...env,
    },
  });
  let drawn = Promise.resolve();
  let isOver = false;
  let toldEnd: () => void;
  const over = new Promise<void>((resolve) => (toldEnd = resolve));
  pty.onData((text) => {
    said += text;
    drawn = drawn.then(() => new Promise((resolve) => screen.write(text, resolve)));
    if (isOver || !said.includes(END)) return;
    isOver = true;
    said = said.replace(END, '');
    toldEnd();
  });
  onTestFinished(() => {
    pty.kill('SIGKILL');
    screen.dispose();
  });
  const linesFrom = (first: number) => {
    const { active } = screen.buffer;
    const lines = Array.from({ length: active.length - first }, (_, i) =>
      (active.getLine(first + i)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.join('\n').trimEnd();
  };
  const seen = () => linesFrom(screen.buffer.active.baseY);
  const holds = (text: string | RegExp) =>
    typeof text === 'string' ? seen().includes(text) : text.test(seen());
  return {
    type: (text) => pty.write(text),
    press: (...keys) => keys.forEach((key) => pty.write(KEYS[key])),
    screen: seen,
    async waitFor(text, ms = PATIENCE_MS) {
      const limit = Date.now() + ms;
      for (;;) {
        await drawn;
        if (holds(text)) return seen();
        if (Date.now() > limit || isOver) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          if (holds(text)) return seen();
          throw new Error(`never saw ${String(text)}:\n${seen()}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    },
    said: () => said,
    resize(columns, lines) {
      pty.resize(columns, lines);
      screen.resize(columns, lines);
    },
    async ended() {
      await within(over, () => `it never ended:\n${seen()}`);
      await drawn;
      const [code, ...rest] = readFileSync(report, 'utf8').split('\n');
      const state = rest.join('\n');
      assertNoToken({ argv, env, stdout: apart ? readFileSync(stdout, 'utf8') : '', stderr: said });
      return {
        exitCode: Number(code),
        stdout: apart ? readFileSync(stdout, 'utf8') : '',
        said,
        text: linesFrom(0),
        cursor: said.lastIndexOf('\u001b[?25l') <= said.lastIndexOf('\u001b[?25h'),
        cooked: ['icanon', 'echo', 'isig'].every((flag) =>
          new RegExp(`[^-]\\b${flag}\\b`).test(state),
        ),
      };
    },
  };
}

async function within(event: Promise<void>, complaint: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(complaint())), PATIENCE_MS);
  });
  await Promise.race([event, late]).finally(() => clearTimeout(timer));
}

/** Returns the environment that leads to a service of the test. */
export const serviceAt = (url: string, token = 'a-token-of-the-test') => ({
  SOCIAL_BASE_URL: url,
  SOCIAL_TOKEN: token,
});

/** Presses Ctrl-C, and again once `heard` is on the screen: the program counts two signals within a moment as one. */
export async function interruptTwice(
  terminal: Terminal,
  heard: string | RegExp = 'stopping:',
): Promise<void> {
  terminal.press('ctrl-c');
  await terminal.waitFor(heard);
  await new Promise((resolve) => setTimeout(resolve, 100));
  terminal.press('ctrl-c');
}
