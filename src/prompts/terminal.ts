// Prompts at a terminal with @inquirer/prompts, drawn on stderr so that stdout has only the result. Questions may
// contain text of the service, which is sanitized here.

import { styleText } from 'node:util';
import { checkbox, confirm, input as line, password, search } from '@inquirer/prompts';
import { cancelledFailure } from '../base/errors.ts';
import type { Choice, Prompts, TextQuestion } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { wrapText } from '../output/wrap.ts';

/** The streams of the terminal, and the signal of Ctrl-C. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Enough rows for every list of the API. */
const pageSize = 14;

/** The sign of an answered question is that of everything else that is done. */
const theme = { prefix: { done: styleText('green', '✓') } };

/** Makes prompts at a terminal. Ctrl-C and Ctrl-D end the command as an interrupt. */
export function terminalPrompts(terminal: Terminal): Prompts {
  const ask = <T>(question: (terminal: Terminal) => Promise<T>) =>
    interruptible(question, terminal);
  return {
    confirm: (text, usual = false) =>
      ask((context) => confirm({ message: sanitizeLine(text), default: usual, theme }, context)),
    async text(question) {
      if (question.offers?.length) {
        const config = searchConfig(question);
        return ask((context) => search<string>(config, context));
      }
      const answer = await ask((context) => line(lineConfig(question), context));
      return cleanerOf(question)(answer);
    },
    async secret(question) {
      const { message, validate } = lineConfig(question);
      // Without this option a key could reveal the secret.
      const config = { message, validate, mask: '•', toggleMask: false, theme };
      return cleanerOf(question)(await ask((context) => password(config, context)));
    },
    checklist({ message, choices, validate }) {
      const config = {
        message: sanitizeLine(message),
        choices: choices.map((choice) => asItem(choice, terminal.output.columns)),
        validate: (picked: readonly { readonly value: (typeof choices)[number]['value'] }[]) =>
          validate?.(picked.map(({ value }) => value)) ?? true,
        loop: false,
        pageSize,
        theme,
      };
      return ask((context) => checkbox(config, context));
    },
  };
}

/** Makes a choice with its hint below it, indented like the name. */
function asItem<T>({ value, name, hint, checked = false }: Choice<T>, width: number) {
  const short = sanitizeLine(name);
  const more = hint === undefined ? '' : `\n${wrapText(sanitizeLine(hint), width - 1, '   ')}`;
  return { value, name: `${short}${more}`, short, checked };
}

/** Converts a problem, if there is one, to the answer that the library expects of `validate`. */
const trueOrProblem = (problem: string | undefined) =>
  problem === undefined ? true : sanitizeLine(problem);

/** Configures a line that is validated on Enter. A TAB completes the default answer, and is never part of an answer. */
function lineConfig(question: TextQuestion) {
  const { message, initial, validate } = question;
  const clean = cleanerOf(question);
  return {
    message: sanitizeLine(message),
    theme,
    default: initial,
    validate: (value: string) => trueOrProblem(validate(clean(value))),
    transformer: (value: string, { isFinal }: { isFinal: boolean }) =>
      sanitizeLine(isFinal ? clean(value) : value.replaceAll('\t', '')),
  };
}

/**
 * Configures a list of offers, filtered by the typed text. A complete ID comes first: Enter never replaces it by
 * another. If the text matches several offers in part, Enter writes the selected one into the line, and a second Enter
 * accepts it.
 */
function searchConfig(question: TextQuestion) {
  const { message, initial = '', offers = [], validate } = question;
  const clean = cleanerOf(question);
  let firstOfSeveral: string | undefined;
  return {
    message: sanitizeLine(message),
    theme,
    source: (term = '') => {
      // An offer that was written into the line has its description after the value.
      const [text = ''] = clean(term).split(BETWEEN);
      const whole = text === '' ? initial : text;
      const words = text.toLowerCase().split(/\s+/);
      const found = offers.filter(([value, word]) => {
        const offer = `${value} ${word}`.toLowerCase();
        return value !== whole && words.every((typed) => offer.includes(typed));
      });
      const problem = validate(whole);
      const exact = offers.find(([value]) => value === whole) ?? ([whole, 'as typed'] as const);
      const listed = whole !== '' && problem === undefined ? [exact, ...found] : found;
      const isPart = text !== '' && listed[0]?.[0] !== text;
      firstOfSeveral = isPart && listed.length > 1 ? listed[0]![0] : undefined;
      if (listed.length === 0) throw new Error(sanitizeLine(problem ?? 'type an answer'));
      return listed.map(([value, word]) => ({
        value,
        name: sanitizeLine(word === '' ? value : `${value}${BETWEEN}${word}`),
        short: sanitizeLine(value),
      }));
    },
    // The library writes an invalid value into the line, so that a second Enter accepts it.
    validate: (value: string) => value !== firstOfSeveral && trueOrProblem(validate(value)),
  };
}

/** Separates the value and the description of an offer. */
const BETWEEN = '  ';

const cleanerOf =
  ({ clean = (text: string) => text }: TextQuestion) =>
  (text: string) =>
    clean(text.replaceAll('\t', ''));

/** Runs a prompt. The library handles Ctrl-C, but would wait for ever after the end of input. */
async function interruptible<T>(
  question: (terminal: Terminal) => Promise<T>,
  { input, output, signal }: Terminal,
): Promise<T> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const onKey = (_text: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (key?.ctrl === true && key.name === 'd') end();
  };
  input.on('keypress', onKey).once('end', end);
  try {
    return await question({ input, output, signal: AbortSignal.any([signal, ended.signal]) });
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw cancelledFailure();
  } finally {
    input.off('keypress', onKey).off('end', end);
  }
}
