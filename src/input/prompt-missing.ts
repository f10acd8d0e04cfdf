// Asks for the value of a field, and validates the answer with the field's rule.

import type { Field } from '../api/operations/fields.ts';
import type { Operation, Input } from '../api/operations/define-operation.ts';
import { withScheme } from '../base/url.ts';
import { validateField } from './validate-input.ts';
import { strictPlatformOf } from '../api/schema/platforms.ts';
import type { Offer, Prompts } from '../base/runtime.ts';
import { knownIds } from '../history/seen-ids.ts';
import { openPrompts } from '../prompts/confirm.ts';
import type { FlagContext } from './flag-values.ts';
import type { Invocation } from './types.ts';

interface Missing {
  readonly missing: readonly Field[];
  readonly inputs: readonly Input[];
}

export async function promptForMissing(
  { operation, fields }: Pick<Invocation, 'operation' | 'fields'>,
  { missing, inputs }: Missing,
  { settings, runtime }: Pick<FlagContext, 'settings' | 'runtime'>,
): Promise<readonly Input[]> {
  const ask = await openPrompts(settings, runtime);
  const platform = strictPlatformOf(operation);
  const ofPosts = fields.filter(({ idKind }) => idKind === 'post');
  let answers: Input = {};
  for (const field of missing) {
    const answered: Input = { ...inputs[0], ...answers };
    const posts = ofPosts.flatMap(({ name }) => (answered[name] ?? []) as string | string[]);
    const { idKind: kind } = field;
    const offers = kind ? knownIds({ kind, platform, posts }, { ...settings, ...runtime }) : [];
    answers = { ...answers, [field.name]: await askFor(field, operation, ask, offers) };
  }
  // Prompts follow the order in which the operation declares its fields.
  const names = fields.map(({ name }) => name);
  return inputs.map((input) => {
    const all: Input = { ...input, ...answers };
    const declared = names.filter((name) => all[name] !== undefined);
    return { ...Object.fromEntries(declared.map((name) => [name, all[name]])), ...all };
  });
}

/** Asks for the value of a field, in the form that its schema accepts. */
async function askFor(
  field: Field,
  operation: Operation,
  ask: Prompts,
  offers: readonly Offer[],
): Promise<unknown> {
  const validate = (value: unknown) => validateField(operation, field, value);
  // The rest of the description is about the flag.
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
}

/** A pasted ID may have spaces around it, and an address often lacks its scheme; texts and secrets stay unchanged. */
function cleanerOf({ secret, prose, placeholder }: Field): (text: string) => string {
  if (secret || prose) return (text) => text;
  return placeholder.endsWith('url') ? withScheme : (text) => text.trim();
}

const split = (line: string) =>
  line
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
