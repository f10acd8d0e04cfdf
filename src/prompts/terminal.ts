// Questions at a terminal, drawn on stderr so that stdout stays the result's. Loaded when one is put.
// What is asked may hold text from outside: it is made safe to show here.

import { checkbox, confirm, input as line, password, search, select } from '@inquirer/prompts';
import { cancelledFailure } from '../base/errors.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { Prompts, Choice, TextQuestion } from '../base/runtime.ts';
import { wrapText } from '../output/wrap.ts';

interface PromptStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;
}

type Context = Pick<PromptStreams, 'input' | 'output' | 'signal'>;

/** Prompts at a terminal. Ctrl-C and Ctrl-D end the command as an interrupt. */
export function terminalPrompts(terminal: PromptStreams): Prompts {
  const { unicode } = terminal;
  const theme = unicode ? {} : ascii;
  const put = <T>(question: (context: Context) => Promise<T>) => interruptible(question, terminal);
  const items = <T>(choices: readonly Choice<T>[]) =>
    choices.map((choice) => asItem(choice, terminal.output.columns));
  return {
    confirm: (text, usual = false) =>
      put((context) => confirm({ message: sanitizeLine(text), default: usual, theme }, context)),
    text: (question) =>
      put((context) => (question.offers?.length ? offered : typed)(question, unicode, context)),
    async secret(question) {
      const cleaned = cleaner(question);
      const text = await put((context) =>
        password(
          {
            message: sanitizeLine(question.message),
            mask: unicode ? '•' : '*',
            // No key may show a secret.
            toggleMask: false,
            validate: (value) => complaint(question.validate(cleaned(value))),
            theme,
          },
          context,
        ),
      );
      return cleaned(text);
    },
    choose: ({ message, choices }) =>
      put((context) =>
        select(
          { message: sanitizeLine(message), choices: items(choices), loop: false, pageSize, theme },
          context,
        ),
      ),
    checklist: ({ message, choices, validate }) =>
      put((context) =>
        checkbox(
          {
            message: sanitizeLine(message),
            choices: items(choices),
            validate: (picked) => validate?.(picked.map(({ value }) => value)) ?? true,
            loop: false,
            pageSize,
            theme,
          },
          context,
        ),
      ),
  };
}

/** Enough for every list that the API has. */
const pageSize = 14;

const ASCII_KEYS: Readonly<Record<string, string>> = { '↑↓': 'arrows', '⏎': 'enter' };

/** What the prompts are drawn with where only ASCII can be. */
const ascii = {
  prefix: { idle: '?', done: '+' },
  icon: { cursor: '>', checked: '[x]', unchecked: '[ ]' },
  style: {
    keysHelpTip: (keys: [key: string, action: string][]) =>
      keys.map(([key, action]) => `${ASCII_KEYS[key] ?? key} ${action}`).join(', '),
  },
};

/** A choice with its hint below it, as far to the right as the name. */
function asItem<T>({ value, name, hint, checked }: Choice<T>, width: number) {
  const short = sanitizeLine(name);
  const more = hint === undefined ? '' : `\n${wrapText(sanitizeLine(hint), width - 1, '   ')}`;
  return {
    value,
    name: `${short}${more}`,
    short,
    ...(checked === undefined ? {} : { checked }),
  };
}

const complaint = (text: string | undefined) => (text === undefined ? true : sanitizeLine(text));

/** A line that is judged at Enter. A TAB completes the usual answer, and is never part of one. */
async function typed(question: TextQuestion, unicode: boolean, context: Context): Promise<string> {
  const { message, initial, validate } = question;
  const cleaned = cleaner(question);
  const text = await line(
    {
      message: sanitizeLine(message),
      ...(initial === undefined ? {} : { default: initial }),
      validate: (value) => complaint(validate(cleaned(value))),
      transformer: (value, { isFinal }) =>
        sanitizeLine(isFinal ? cleaned(value) : value.replaceAll('\t', '')),
      theme: unicode ? {} : { prefix: ascii.prefix },
    },
    context,
  );
  return cleaned(text);
}

/** A list of offers, filtered by what is typed. A whole answer comes first: Enter never takes another one for it. */
async function offered(
  question: TextQuestion,
  unicode: boolean,
  context: Context,
): Promise<string> {
  const { message, initial = '', offers = [], validate } = question;
  const cleaned = cleaner(question);
  return search<string>(
    {
      message: sanitizeLine(message),
      source: (term = '') => {
        const text = cleaned(term);
        const whole = text === '' ? initial : text;
        const words = text.toLowerCase().split(/\s+/);
        const found = offers.filter(([value, word]) => {
          const offer = `${value} ${word}`.toLowerCase();
          return value !== whole && words.every((each) => offer.includes(each));
        });
        const problem = validate(whole);
        const exact = offers.find(([value]) => value === whole) ?? ([whole, 'as typed'] as const);
        const listed = whole !== '' && problem === undefined ? [exact, ...found] : found;
        if (listed.length === 0) throw new Error(sanitizeLine(problem ?? 'type an answer'));
        return listed.map(([value, word]) => ({
          value,
          name: sanitizeLine(word === '' ? value : `${value}  ${word}`),
          short: sanitizeLine(value),
        }));
      },
      validate: (value) => complaint(validate(value)),
      theme: unicode ? {} : ascii,
    },
    context,
  );
}

const cleaner =
  ({ clean = (text: string) => text }: TextQuestion) =>
  (text: string) =>
    clean(text.replaceAll('\t', ''));

/** Puts a question. The library knows Ctrl-C; left to itself it waits for ever once input has ended. */
async function interruptible<T>(
  question: (context: Context) => Promise<T>,
  { input, output, signal }: Context,
): Promise<T> {
  const gone = new AbortController();
  const end = () => gone.abort();
  const onKey = (_text: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (key?.ctrl === true && key.name === 'd') end();
  };
  input.on('keypress', onKey).once('end', end);
  try {
    return await question({ input, output, signal: AbortSignal.any([signal, gone.signal]) });
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw cancelledFailure();
  } finally {
    input.off('keypress', onKey).off('end', end);
  }
}
