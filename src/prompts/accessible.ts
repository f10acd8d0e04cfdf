// The same questions as plain lines for screen readers and simple terminals: numbered choices, no redrawing.

import { createInterface } from 'node:readline/promises';
import { cancelledFailure } from '../base/errors.ts';
import type { Prompts, Choice, Offer, TextQuestion } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { wrapText } from '../output/wrap.ts';

/** What arrow keys and their like send. */
const KEYS = /\u001b(?:\[[0-9;]*[A-Za-z~]|O?[A-Za-z])?/g;

interface LineStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Reads a line that the terminal does not echo; Ctrl-C, Ctrl-D and an abort reject. Leaves the terminal as it was. */
function readHidden(prompt: string, { input, output, signal }: LineStreams): Promise<string> {
  // First: what is typed as soon as the prompt is seen must neither be echoed nor taken for the end of a line.
  input.setRawMode(true);
  output.write(prompt);
  input.resume();
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (settle: () => void) => {
      input.off('data', take);
      input.off('end', abort);
      signal.removeEventListener('abort', abort);
      input.setRawMode(false);
      input.pause();
      output.write('\n');
      settle();
    };
    const abort = () => end(() => reject(cancelledFailure()));
    const take = (chunk: Buffer) => {
      for (const character of chunk.toString('utf8').replace(KEYS, '')) {
        if (character === '\r' || character === '\n') return end(() => resolve(typed));
        if (character === '\u0003' || character === '\u0004') return abort();
        if (character === '\u007f' || character === '\b')
          typed = Array.from(typed).slice(0, -1).join('');
        else if (character >= ' ') typed += character;
      }
    };
    input.on('data', take).once('end', abort);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
}

/** Line prompts on the given streams. Ctrl-C and the end of input end the command as an interrupt. */
export function accessiblePrompts(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
): Prompts {
  // What is asked may hold text from outside.
  const say = (text: string) =>
    void output.write(`${wrapText(sanitizeLine(text), output.columns || 80, '')}\n`);

  const readLine = (prompt: string) => oneLine(sanitizeLine(prompt), { input, output, signal });

  const untilGood = async (
    question: TextQuestion,
    read: (prompt: string) => Promise<string>,
  ): Promise<string> => {
    const { message, initial = '', clean = (text: string) => text } = question;
    const prompt = initial === '' ? `${message}: ` : asked(message, initial);
    for (;;) {
      // A terminal that edits the line itself takes a TAB for a character.
      const answer = clean((await read(prompt)).replaceAll('\t', '')) || initial;
      const complaint = question.validate(answer);
      if (complaint === undefined) return answer;
      say(`Invalid: ${complaint}`);
    }
  };

  const list = <T>(message: string, choices: readonly Choice<T>[]) => {
    say(message);
    choices.forEach(({ name, hint }, i) =>
      say(`${i + 1}. ${name}${hint === undefined ? '' : `: ${hint}`}`),
    );
  };

  return {
    confirm: async (message, usual = false) => {
      const answer = (await untilGood(yesOrNo(message, usual), readLine)).trim();
      return answer === '' ? usual : /^y/i.test(answer);
    },
    text(question) {
      const offers = (question.offers ?? []).slice(0, MOST_OFFERED);
      if (offers.length === 0) return untilGood(question, readLine);
      list(question.message, offers.map(asChoice));
      return untilGood(numberOrOther(question, offers), readLine);
    },
    secret: (question) =>
      untilGood({ ...question, message: `${question.message} (typing is not shown)` }, (prompt) =>
        readHidden(sanitizeLine(prompt), { input, output, signal }),
      ),
    choose: async ({ message, choices }) => {
      list(message, choices);
      return pick(choices, await untilGood(numberOf(choices), readLine))![0]!;
    },
    checklist: async ({ message, choices, validate }) => {
      list(message, choices);
      const complaint = (text: string) => {
        const picked = pick(choices, text);
        return picked === undefined
          ? `type numbers from 1 to ${choices.length}`
          : validate?.(picked);
      };
      const initial = choices
        .flatMap(({ checked }, i) => (checked === true ? [i + 1] : []))
        .join(' ');
      const text = await untilGood(
        {
          message: `Numbers, separated by spaces${initial === '' ? ', then Enter' : ''}`,
          ...(initial === '' ? {} : { initial }),
          validate: complaint,
        },
        readLine,
      );
      return pick(choices, text)!;
    },
  };
}

/** What may be read aloud before a question. */
const MOST_OFFERED = 10;

const asChoice = ([value, word]: Offer): Choice<string> =>
  word === '' ? { value, name: value } : { value, name: value, hint: word };

/** A number stands for an offer; anything else is the answer itself. */
function numberOrOther(question: TextQuestion, offers: readonly Offer[]): TextQuestion {
  const { clean = (text: string) => text } = question;
  return {
    ...question,
    message: `Number from 1 to ${offers.length}, or type another, then Enter`,
    clean: (text) => offers[Number(/^\s*(\d{1,2})\s*$/.exec(text)?.[1]) - 1]?.[0] ?? clean(text),
  };
}

/** One line, edited by the terminal itself: readline's own editing would draw the line anew with every key. */
async function oneLine(prompt: string, { input, output, signal }: LineStreams): Promise<string> {
  const lines = createInterface({ input, output, terminal: false });
  const over = new AbortController();
  lines.once('close', () => over.abort());
  try {
    return await lines.question(prompt, { signal: AbortSignal.any([signal, over.signal]) });
  } catch {
    throw cancelledFailure();
  } finally {
    lines.close();
  }
}

/** The choices whose numbers a line names; `undefined` where one is no choice. */
function pick<T>(choices: readonly Choice<T>[], text: string): readonly T[] | undefined {
  const numbers = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
  const picked = numbers.map((number) => choices[number - 1]);
  return picked.includes(undefined) ? undefined : picked.map((choice) => choice!.value);
}

const yesOrNo = (message: string, usual: boolean): TextQuestion => ({
  message: `${message} Type yes or no`,
  initial: usual ? 'yes' : 'no',
  validate: (text) => (/^\s*(y(es)?|no?)?\s*$/i.test(text) ? undefined : 'type yes or no'),
});

const numberOf = (choices: readonly Choice<unknown>[]): TextQuestion => ({
  message: `Number from 1 to ${choices.length}, then Enter`,
  validate: (text) =>
    pick(choices, text)?.length === 1 ? undefined : `type a number from 1 to ${choices.length}`,
});

/** What is typed, and what Enter alone answers. */
const asked = (message: string, initial: string) =>
  `${message}, then Enter (Enter alone: ${initial}): `;
