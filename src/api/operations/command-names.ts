// From an operation to the commands that are typed for it: one, or one for each value of a field in its words.

import * as z from 'zod/mini';
import type { Example, Operation } from './define-operation.ts';

export interface CommandNames {
  /** `['accounts', 'mastodon', 'favourite']` */
  readonly words: readonly string[];
  /** The fields that the words themselves give. */
  readonly given: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly examples: readonly Example[];
  /** Other spellings of the last word. */
  readonly aliases: readonly string[];
}

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

function spell(operation: Operation, given: Readonly<Record<string, string>>): CommandNames {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (all, name: string) => given[name] ?? all);
  const words = fill(operation.command).split(' ');
  return {
    words,
    given,
    summary: upper(fill(operation.summary)),
    examples: operation.examples.map(
      ([purpose, line]) => [upper(fill(purpose)), fill(line)] as const,
    ),
    aliases: ALIASES[words.at(-1)!] ?? [],
  };
}
