// The commands of an operation: one, or one for each value of a field in its command words.

import * as z from 'zod/mini';
import type { Example, Operation } from './define-operation.ts';

export type CommandNames = Readonly<ReturnType<typeof spell>>;

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  favourite: ['favorite'],
  unfavourite: ['unfavorite'],
  reblog: ['boost'],
  unreblog: ['unboost'],
};

/** Every command of an operation. */
export function commandNamesOf(operation: Operation): readonly CommandNames[] {
  const field = /\{(\w+)\}/.exec(operation.command)?.[1];
  const schema: unknown = field === undefined ? undefined : operation.input.shape[field];
  if (field === undefined || !(schema instanceof z.ZodMiniEnum)) return [spell(operation, {})];
  return (schema.options as string[]).map((value) => spell(operation, { [field]: value }));
}

const upper = (text: string) => text[0]!.toUpperCase() + text.slice(1);

function spell(operation: Operation, values: Readonly<Record<string, string>>) {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  const words: readonly string[] = fill(operation.command).split(' ');
  return {
    /** `['accounts', 'mastodon', 'favourite']` */
    words,
    /** The fields that the command words determine. */
    given: values,
    summary: upper(fill(operation.summary)),
    examples: operation.examples.map(([purpose, line]): Example => [
      upper(fill(purpose)),
      fill(line),
    ]),
    /** Other spellings of the last word. */
    aliases: ALIASES[words.at(-1)!] ?? [],
  };
}
