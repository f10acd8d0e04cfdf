// The accessible mode: prompts as plain lines, for screen readers and simple terminals, with numbered choices and no
// cursor movement, and the notice that the mode is on. Node's readline reads the answers.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { cancelledFailure } from '../base/errors.ts';
import { fileNames } from '../base/paths.ts';
import type { Choice, Prompts, Runtime, TextQuestion } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { checkWriteAsRoot, makePrivateFolder } from '../fs/permissions.ts';
import { wrapText } from '../output/wrap.ts';
import type { Terminal } from './terminal.ts';

/** Prints the notice, once for each machine: an empty file remembers it. If none can be made, it is printed each time. */
export async function announceAccessible({ stateDir, stderr }: Runtime): Promise<void> {
  const folder = stateDir();
  try {
    checkWriteAsRoot(folder);
    makePrivateFolder(folder);
    writeFileSync(join(folder, fileNames.accessibleNotice), '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
  }
  await stderr.write('accessible mode is on: plain lines, numbered questions, no redrawing\n');
}

/** The escape sequences of arrow keys and similar keys. */
const KEYS = /\u001b(?:\[[0-9;]*[A-Za-z~]|O?[A-Za-z])?/g;
/** Few, because a screen reader reads all of them before the question. */
const MOST_OFFERED = 10;

/** Makes line prompts. Ctrl-C, Ctrl-D and the end of input end the command as an interrupt. */
export function accessiblePrompts(terminal: Terminal): Prompts {
  const { output } = terminal;
  const say = (text: string) =>
    void output.write(`${wrapText(sanitizeLine(text), output.columns || 80)}\n`);

  /** Asks until `validate` accepts the answer. */
  const ask = async (question: TextQuestion, isHidden = false): Promise<string> => {
    const { message, initial = '', validate, clean = (text: string) => text } = question;
    const rest = initial === '' ? ': ' : `, then Enter (Enter alone: ${initial}): `;
    for (;;) {
      const answer = clean(await readLine(message + rest, isHidden, terminal)) || initial;
      const problem = validate(answer);
      if (problem === undefined) return answer;
      say(`Invalid: ${problem}`);
    }
  };

  const list = (message: string, choices: readonly Choice<unknown>[]) => {
    say(message);
    choices.forEach(({ name, hint }, i) =>
      say(`${i + 1}. ${name}${hint === undefined ? '' : `: ${hint}`}`),
    );
  };

  return {
    async confirm(message, usual = false) {
      const answer = await ask({
        message: `${message} Type yes or no`,
        initial: usual ? 'yes' : 'no',
        clean: (text) => text.trim(),
        validate: (text) => (/^(y(es)?|no?)$/i.test(text) ? undefined : 'type yes or no'),
      });
      return /^y/i.test(answer);
    },
    text(question) {
      const offers = (question.offers ?? []).slice(0, MOST_OFFERED);
      if (offers.length === 0) return ask(question);
      list(
        question.message,
        offers.map(([value, word]) => ({ value, name: value, hint: word || undefined })),
      );
      const { clean = (text: string) => text } = question;
      return ask({
        ...question,
        message: `Number from 1 to ${offers.length}, or type another, then Enter`,
        clean: (text) => offers[Number(text) - 1]?.[0] ?? clean(text),
      });
    },
    secret: (question) =>
      ask({ ...question, message: `${question.message} (typing is not shown)` }, true),
    async checklist({ message, choices, validate }) {
      list(message, choices);
      const rule = `type numbers from 1 to ${choices.length}`;
      const initial = choices.flatMap(({ checked }, i) => (checked ? [i + 1] : [])).join(' ');
      const line = await ask({
        message: `Numbers, separated by spaces${initial === '' ? ', then Enter' : ''}`,
        initial,
        validate: (text) => {
          const values = picked(choices, text);
          return values === undefined ? rule : validate?.(values);
        },
      });
      return picked(choices, line)!;
    },
  };
}

/** Returns the choices whose numbers are in a line; `undefined` if one is invalid. */
function picked<T>(choices: readonly Choice<T>[], line: string): readonly T[] | undefined {
  const numbers = line.split(/[\s,]+/).filter(Boolean);
  const found = numbers.map((number) => choices[Number(number) - 1]);
  return found.includes(undefined) ? undefined : found.map((choice) => choice!.value);
}

/**
 * Reads a line after a prompt. The terminal itself edits and echoes a visible line; readline edits a hidden one without
 * drawing it.
 */
async function readLine(prompt: string, isHidden: boolean, terminal: Terminal): Promise<string> {
  const { input, output, signal } = terminal;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // This comes before the prompt, because input typed as soon as the prompt appears must not be echoed.
  const lines = createInterface({ input, output: nowhere, terminal: isHidden });
  output.write(sanitizeLine(prompt));
  const ended = new AbortController();
  const end = () => ended.abort();
  lines.once('close', end);
  // This listener comes before that of readline, which would return the text typed so far as a line.
  input.prependOnceListener('end', end);
  try {
    const stop = AbortSignal.any([signal, ended.signal]);
    const [line] = (await once(lines, 'line', { signal: stop })) as [string];
    if (isHidden) output.write('\n');
    return line.replace(KEYS, '').replace(/\p{Cc}/gu, '');
  } catch {
    output.write('\n');
    throw cancelledFailure();
  } finally {
    input.off('end', end);
    lines.close();
  }
}
