// Questions at a terminal, drawn on stderr so that stdout stays the result's. Loaded when one is put.
// What is asked may hold text from outside: it is made safe to show here.

import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  makeTheme,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from '@inquirer/core';
import { checkbox, confirm, select } from '@inquirer/prompts';
import { cancelledFailure } from '../base/errors.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import type { Prompts, Choice, Offer, TextQuestion } from '../base/runtime.ts';
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
  const line = (question: TextQuestion, masked: boolean) =>
    put((context) => {
      const message = sanitizeLine(question.message);
      return liveLine({ ...question, message, masked, unicode }, context);
    });
  return {
    confirm: (text, usual = false) =>
      put((context) => confirm({ message: sanitizeLine(text), default: usual, theme }, context)),
    text: (question) => line(question, false),
    secret: (question) => line(question, true),
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

interface LiveLine extends TextQuestion {
  readonly masked: boolean;
  readonly unicode: boolean;
}

const safe = (text?: string) => (text === undefined ? undefined : sanitizeLine(text));

/** Few enough to see the question and what was asked before it. */
const OFFERS_SHOWN = 7;

/**
 * What can be taken for what is typed: the offers that have every word of it. A whole answer comes first, so that Enter
 * never takes another one for it.
 */
function takeable(typed: string, { offers = [], validate }: TextQuestion): readonly Offer[] {
  if (offers.length === 0) return [];
  const words = typed.toLowerCase().split(/\s+/);
  const found = offers.filter((offer) => {
    const text = offer.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const exact = offers.filter(([value]) => value === typed);
  const isAnswer = typed !== '' && exact.length === 0 && validate(typed) === undefined;
  const whole = isAnswer ? [[typed, 'as typed'] as const] : exact;
  return [...whole, ...found.filter((offer) => !exact.includes(offer))];
}

/**
 * A line that is judged at Enter, and from then on with every key. Enter takes it only when nothing is wrong with it.
 * With offers, those that fit are listed below it, and Enter takes the marked one.
 */
const liveLine = createPrompt<string, LiveLine>((question, done) => {
  const { message, initial = '', masked, unicode, validate, note, offers = [] } = question;
  const { clean = (text: string) => text } = question;
  const theme = makeTheme(unicode ? {} : ascii);
  const [value, setValue] = useState('');
  const [judged, setJudged] = useState(false);
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const [marked, setMarked] = useState(0);
  const prefix = usePrefix({ status, theme });
  const listed = takeable(clean(value), question);
  const written = clean(value) === '' ? initial : clean(value);
  const answer = listed[marked]?.[0] ?? written;
  const page = usePagination({
    items: listed,
    active: marked,
    pageSize: OFFERS_SHOWN,
    loop: false,
    renderItem({ item: [id, word], isActive }) {
      const text = sanitizeLine(word === '' ? id : `${id}  ${word}`);
      return isActive ? theme.style.highlight(`${unicode ? '❯' : '>'} ${text}`) : `  ${text}`;
    },
  });

  useKeypress((key, readline) => {
    if (status === 'done') return;
    if (isTabKey(key)) {
      // A TAB completes the usual answer, and is never part of one.
      const completed = value === '' ? initial : value;
      readline.clearLine(0);
      readline.write(completed);
      setValue(completed);
    } else if (offers.length > 0 && (isUpKey(key) || isDownKey(key))) {
      const next = marked + (isUpKey(key) ? -1 : 1);
      if (next >= 0 && next < listed.length) setMarked(next);
      // What was typed before may have come up.
      readline.clearLine(0);
      readline.write(value);
    } else if (!isEnterKey(key)) {
      if (readline.line !== value) setMarked(0);
      setValue(readline.line);
    } else if (validate(answer) === undefined) {
      setStatus('done');
      done(answer);
    } else {
      setJudged(true);
      readline.write(value); // Enter has emptied the line
    }
  });

  const dots = (unicode ? '•' : '*').repeat(Array.from(value).length);
  const typed = sanitizeLine(status === 'done' ? answer : value);
  const shown = masked ? (status === 'done' ? '(hidden)' : dots) : typed;
  const offered =
    value === '' && initial !== '' && status === 'idle'
      ? theme.style.defaultAnswer(sanitizeLine(initial))
      : '';
  const line = `${prefix} ${theme.style.message(message, status)} ${offered}${shown}`;
  if (status === 'done') return line;
  const complaint = judged ? safe(validate(answer)) : undefined;
  if (complaint !== undefined) return [line, theme.style.error(complaint)];
  if (offers.length === 0) return [line, safe(note?.(answer))];
  const keys = unicode ? '↑↓' : 'arrows';
  const help = theme.style.help(
    `type to filter or enter another, ${keys} to move, Enter to select`,
  );
  return [line, [page, help].filter(Boolean).join('\n')];
});

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
