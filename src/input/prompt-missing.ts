// Asks for the value of a field, with the field's own rule as its judge.

import * as z from 'zod/mini';
import type { Field } from '../api/operations/fields.ts';
import type { Operation } from '../api/operations/define-operation.ts';
import { validateField } from './validate-input.ts';
import type { Prompts } from '../base/runtime.ts';

/** A value for a field, as its schema takes it. */
export async function promptForField(
  field: Field,
  operation: Operation,
  ask: Prompts,
): Promise<unknown> {
  const complaint = (value: unknown) => validateField(operation, field, value);
  // What comes after a semicolon helps with typing the flag.
  const message = field.description.split(';')[0]!;
  if (field.kind === 'list' && field.values !== undefined) {
    return ask.checklist({
      message,
      choices: field.values.map((value) => ({ value, name: value })),
      validate: complaint,
    });
  }
  if (field.values !== undefined) {
    return ask.choose({ message, choices: field.values.map((value) => ({ value, name: value })) });
  }
  if (field.kind === 'list') {
    const text = await ask.text({
      message: `${message}, with commas between`,
      validate: (line) => complaint(split(line)),
    });
    return split(text);
  }
  const question = { message, validate: complaint };
  if (field.secret) return ask.secret(question);
  return ask.text(
    field.prose
      ? { ...question, note: lengthNote(operation.input.shape[field.name] as z.ZodMiniType) }
      : question,
  );
}

const split = (line: string) =>
  line
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

/** `12 of 300 characters`, while one types. */
function lengthNote(schema: z.ZodMiniType): (text: string) => string {
  const most = z.globalRegistry.get(schema)?.['maxLength'];
  return (text) => `${Array.from(text).length} of ${String(most)} characters`;
}
