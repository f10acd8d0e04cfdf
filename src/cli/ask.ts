// Questions at a terminal, drawn on stderr so that stdout stays the result's. Loaded when one is put.

import {
  createPrompt,
  isBackspaceKey,
  isEnterKey,
  makeTheme,
  useKeypress,
  usePrefix,
  useState,
} from '@inquirer/core';
import { checkbox, confirm, select } from '@inquirer/prompts';
import { Failure } from '../errors.ts';
import type { Ask, Choice, TextQuestion } from '../world.ts';

/** Prompts on the given streams. Ctrl-C ends the command as an interrupt. */
export function prompts(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  signal: AbortSignal,
): Ask {
  const context = { input, output, signal };
  const line = (question: TextQuestion, masked: boolean) =>
    interruptible(liveLine({ ...question, masked }, context));
  return {
    confirm: (message) => interruptible(confirm({ message, default: false }, context)),
    text: (question) => line(question, false),
    secret: (question) => line(question, true),
    choose: ({ message, choices }) =>
      interruptible(select({ message, choices: choices.map(asItem) }, context)),
    checklist: ({ message, choices, validate }) =>
      interruptible(
        checkbox(
          {
            message,
            choices: choices.map(asItem),
            validate: (picked) => validate?.(picked.map(({ value }) => value)) ?? true,
            loop: false,
            pageSize: 14,
          },
          context,
        ),
      ),
  };
}

function asItem<T>({ value, name, hint, checked }: Choice<T>) {
  return {
    value,
    name: hint === undefined ? name : `${name}  ${hint}`,
    short: name,
    ...(checked === undefined ? {} : { checked }),
  };
}

interface LiveLine extends TextQuestion {
  readonly masked: boolean;
}

/** A line that is judged with every key; Enter takes it only when nothing is wrong with it. */
const liveLine = createPrompt<string, LiveLine>(
  ({ message, initial = '', masked, validate, note }, done) => {
    const theme = makeTheme({});
    const [value, setValue] = useState('');
    const [touched, setTouched] = useState(false);
    const [status, setStatus] = useState<'idle' | 'done'>('idle');
    const prefix = usePrefix({ status, theme });
    const answer = value === '' ? initial : value;

    useKeypress((key, readline) => {
      if (status === 'done') return;
      if (!isEnterKey(key)) {
        setTouched(value !== '' || !isBackspaceKey(key));
        setValue(readline.line);
      } else if (validate(answer) === undefined) {
        setStatus('done');
        done(answer);
      } else {
        setTouched(true);
        readline.write(value); // Enter has emptied the line
      }
    });

    const shown = masked ? '•'.repeat(Array.from(value).length) : value;
    const offered =
      value === '' && initial !== '' && status === 'idle' ? theme.style.defaultAnswer(initial) : '';
    const line = `${prefix} ${theme.style.message(message, status)} ${offered}${status === 'done' && masked ? '(hidden)' : shown}`;
    if (status === 'done') return line;
    const complaint = touched ? validate(answer) : undefined;
    return [line, complaint === undefined ? note?.(answer) : theme.style.error(complaint)];
  },
);

async function interruptible<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error;
    throw new Failure('interrupted', { what: 'cancelled; nothing was sent', sent: false });
  }
}
