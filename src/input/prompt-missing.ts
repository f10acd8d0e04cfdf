// Asks for the value of a field, with the field's own rule as its judge.

import type { Field } from '../api/operations/fields.ts';
import type { Operation, Input } from '../api/operations/define-operation.ts';
import { withScheme } from '../base/url.ts';
import { validateField } from './validate-input.ts';
import { strictPlatformOf } from '../api/schema/platforms.ts';
import type { Offer, Prompts, Runtime } from '../base/runtime.ts';
import type { Settings } from '../config/settings.ts';
import { knownIds } from '../history/seen-ids.ts';
import type { Invocation } from './types.ts';

interface Missing {
  readonly missing: readonly Field[];
  readonly inputs: readonly Input[];
}

interface PromptContext {
  readonly settings: Settings;
  readonly runtime: Runtime;
}

/** Asks for the required fields that have no value. */
export async function promptForMissing(
  { operation, fields }: Pick<Invocation, 'operation' | 'fields'>,
  { missing, inputs }: Missing,
  { settings, runtime }: PromptContext,
): Promise<readonly Input[]> {
  const ask = await runtime.ask(settings.accessible);
  let answers: Input = {};
  const promptFor = asker(operation, ask);
  const offersFor = offersAt(fields, operation, { settings, runtime });
  for (const field of missing) {
    const offers = offersFor(field, { ...inputs[0], ...answers });
    answers = { ...answers, [field.name]: await promptFor(field, offers) };
  }
  return inputs.map((input) => inDeclaredOrder(fields, { ...input, ...answers }));
}

/** The fields as the operation declares them, whatever came first. */
function inDeclaredOrder(fields: readonly Field[], input: Input): Input {
  const names = fields.map(({ name }) => name).filter((name) => input[name] !== undefined);
  return { ...Object.fromEntries(names.map((name) => [name, input[name]])), ...input };
}

/** Makes the function that gives the IDs to offer for a field, by the values that are there already. */
function offersAt(
  fields: readonly Field[],
  operation: Operation,
  { settings, runtime }: PromptContext,
): (field: Field, input: Input) => readonly Offer[] {
  const platform = strictPlatformOf(operation);
  const ofPosts = fields.filter(({ idKind }) => idKind === 'post');
  return ({ idKind: kind }, input) => {
    if (kind === undefined) return [];
    const posts = ofPosts.flatMap(({ name }) => (input[name] ?? []) as string | string[]);
    return knownIds({ kind, platform, posts }, { ...settings, ...runtime });
  };
}

/** Makes the function that asks for the value of a field, as its schema takes it. */
function asker(operation: Operation, ask: Prompts) {
  return async (field: Field, offers: readonly Offer[]): Promise<unknown> => {
    const validate = (value: unknown) => validateField(operation, field, value);
    // What comes after helps with typing the flag.
    const message = field.description.split(/;| \(/)[0]!;
    const choices = field.values?.map((value) => ({ value, name: value }));
    if (choices !== undefined)
      return field.kind === 'list'
        ? ask.checklist({ message, choices, validate })
        : ask.choose({ message, choices });
    if (field.kind === 'list') {
      const text = await ask.text({
        message: `${message} (separated by commas)`,
        validate: (line) => validate(split(line)),
      });
      return split(text);
    }
    const question = { message, offers, validate, clean: cleanerOf(field) };
    return field.secret ? ask.secret(question) : ask.text(question);
  };
}

/** A pasted ID has spaces around it, and an address often no scheme; a text and a secret stay as they are. */
function cleanerOf({ secret, prose, placeholder }: Field): (text: string) => string {
  if (secret || prose) return (text) => text;
  return placeholder.endsWith('url') ? withScheme : (text) => text.trim();
}

const split = (line: string) =>
  line
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
