// The same questions as plain lines for screen readers and simple terminals: numbered choices, no redrawing. All of
// them share one reader of the input.

import { StringDecoder } from 'node:string_decoder';
import { cancelledFailure } from '../base/errors.ts';
import type { Prompts, Choice, Offer, TextQuestion } from '../base/runtime.ts';
import { sanitizeLine } from '../base/sanitize.ts';
import { wrapText } from '../output/wrap.ts';

/** What arrow keys and their like send. */
const KEYS = /\u001b(?:\[[0-9;]*[A-Za-z~]|O?[A-Za-z])?/g;

/**
 * Reads answers; what was typed or pasted ahead answers the next question. Ctrl-C, Ctrl-D, the end of the input and an
 * abort reject. Leaves the terminal as it was.
 */
function lineReader(input: NodeJS.ReadStream, output: NodeJS.WriteStream, signal: AbortSignal) {
  const decoder = new StringDecoder('utf8');
  let ahead = '';
  const nextLine = () =>
    new Promise<string>((resolve, reject) => {
      let typed = '';
      /** Whether that ends it. */
      const add = (text: string): boolean => {
        const characters = Array.from(text.replace(KEYS, '').replaceAll('\r\n', '\n'));
        ahead = '';
        for (const [i, character] of characters.entries()) {
          if (character === '\u0003' || character === '\u0004') {
            reject(cancelledFailure());
            return true;
          }
          if (character === '\r' || character === '\n') {
            ahead = characters.slice(i + 1).join('');
            resolve(typed);
            return true;
          }
          if (character === '\u007f' || character === '\b')
            typed = Array.from(typed).slice(0, -1).join('');
          else if (character >= ' ') typed += character;
        }
        return false;
      };
      const end = () => {
        input.off('data', take);
        input.off('end', abort);
        signal.removeEventListener('abort', abort);
        input.pause();
      };
      const abort = () => {
        end();
        reject(cancelledFailure());
      };
      const take = (chunk: Buffer) => {
        if (add(decoder.write(chunk))) end();
      };
      if (signal.aborted) return abort();
      if (add(ahead)) return;
      input.on('data', take).once('end', abort).resume();
      signal.addEventListener('abort', abort, { once: true });
    });
  return {
    /** Reads a line that the terminal itself edits: readline's own editing would draw it anew with every key. */
    async shown(prompt: string): Promise<string> {
      output.write(prompt);
      const isAhead = /[\r\n]/.test(ahead);
      const line = await nextLine().catch((error: unknown) => {
        output.write('\n');
        throw error;
      });
      // The terminal has not echoed it after the question.
      if (isAhead) output.write(`${sanitizeLine(line)}\n`);
      return line;
    },
    /** Reads a line that the terminal does not echo. */
    async hidden(prompt: string): Promise<string> {
      // First: what is typed as soon as the prompt is seen must neither be echoed nor taken for the end of a line.
      input.setRawMode(true);
      output.write(prompt);
      try {
        return await nextLine();
      } finally {
        input.setRawMode(false);
        output.write('\n');
      }
    },
  };
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

  const reader = lineReader(input, output, signal);
  const readLine = (prompt: string) => reader.shown(sanitizeLine(prompt));

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
        reader.hidden(sanitizeLine(prompt)),
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
