// The accessible mode: prompts as plain lines, for screen readers and simple terminals, with numbered choices and no
// cursor movement, and the notice that the mode is on. Node's readline reads the answers.

import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { cancelledFailure } from '../base/errors.ts';
import { fileNames } from '../base/paths.ts';
import type { Choice, Prompts, Runtime, TextQuestion } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { checkWriteAsRoot, makePrivateFolder } from '../fs/permissions.ts';
import { wrapText } from '../output/wrap.ts';

/** Prints the notice if this machine has not shown it yet; an empty file remembers that. */
export async function announceAccessible({ stateDir, stderr }: Runtime): Promise<void> {
  if (!rememberNotice(stateDir())) return;
  await stderr.write('accessible mode is on: plain lines, numbered questions, no redrawing\n');
}

/** Remembers that the notice is shown. False if it was before; true each time if that cannot be remembered. */
function rememberNotice(folder: string): boolean {
  try {
    checkWriteAsRoot(folder);
    makePrivateFolder(folder);
    closeSync(openSync(join(folder, fileNames.accessibleNotice), 'wx', 0o600));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}

/** The escape sequences of arrow keys and similar keys. */
const KEYS = /\u001b(?:\[[0-9;]*[A-Za-z~]|O?[A-Za-z])?/g;
/** Few, because a screen reader reads all of them before the question. */
const MOST_OFFERED = 10;

/** Makes line prompts on the given streams. Ctrl-C, Ctrl-D and the end of input end the command as an interrupt. */
export function accessiblePrompts(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
): Prompts {
  const readLine = lineReader(input, output, signal);
  const say = (text: string) =>
    void output.write(`${wrapText(sanitizeLine(text), output.columns || 80)}\n`);

  /** Asks until `validate` accepts the answer. */
  const ask = async (question: TextQuestion, isHidden = false): Promise<string> => {
    const { message, initial = '', validate, clean = (text: string) => text } = question;
    const rest = initial === '' ? ': ' : `, then Enter (Enter alone: ${initial}): `;
    for (;;) {
      const answer = clean(await readLine(message + rest, isHidden)) || initial;
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
 * Makes the function that reads a line after a prompt. The terminal itself edits and echoes a visible line; readline
 * edits a hidden one without drawing it. Lines that were pasted together answer the prompts that follow.
 */
function lineReader(input: NodeJS.ReadStream, output: NodeJS.WriteStream, signal: AbortSignal) {
  const pasted: string[] = [];
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return async (prompt: string, isHidden: boolean): Promise<string> => {
    // This comes before the prompt, because input typed as soon as the prompt appears must not be echoed.
    const lines = createInterface({ input, output: nowhere, terminal: isHidden });
    output.write(sanitizeLine(prompt));
    try {
      if (pasted.length === 0) {
        pasted.push(...(await nextLines(lines, input, signal)));
        if (isHidden) output.write('\n');
      } else output.write(isHidden ? '\n' : `${sanitizeLine(pasted[0]!)}\n`);
      return pasted.shift()!;
    } catch (error) {
      output.write('\n');
      throw error;
    } finally {
      lines.close();
    }
  };
}

/** Resolves with the next line, and those that arrive in the same turn. */
async function nextLines(
  lines: Interface,
  input: NodeJS.ReadStream,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const received: string[] = [];
  const ended = new AbortController();
  const end = () => ended.abort();
  lines.on('line', (line) => void received.push(line.replace(KEYS, '').replace(/\p{Cc}/gu, '')));
  lines.once('close', end);
  // This listener comes before that of readline, which would return the text typed so far as a line.
  input.prependOnceListener('end', end);
  try {
    await once(lines, 'line', { signal: AbortSignal.any([signal, ended.signal]) });
    return received;
  } catch {
    throw cancelledFailure();
  } finally {
    input.off('end', end);
  }
}
