// Questions about an endpoint that creating and updating one share, and the flags that the answers stand for.

import { existsSync } from 'node:fs';
import {
  CustomHeaders,
  WebhookEvent,
  type WebhookName,
  WebhookSecret,
} from '../../api/schema/webhook.ts';
import type { Choice, Prompts } from '../../base/runtime.ts';
import { shellQuote } from '../../base/shell.ts';
import type { RawFlags } from '../../config/choices.ts';
import { generateSecret } from '../../input/secret-input.ts';

export const trimmed = (text: string): string => text.trim();

type Rule = typeof WebhookName | typeof CustomHeaders;

/** Validates by a schema: the message of its first issue. */
export const by = (rule: Rule) => (value: unknown) =>
  rule.safeParse(value).error?.issues[0]?.message;

export interface SecretAnswer {
  /** `null` removes it. */
  readonly secret?: string | null;
  /** The flags that generate it. */
  readonly flags: RawFlags;
}

/** The secret; `without` is the choice of none. */
export async function askSecret(
  ask: Prompts,
  without: Choice<SecretAnswer>,
): Promise<SecretAnswer> {
  const how = await ask.choose<SecretAnswer | 'typed' | 'made'>({
    message: 'Signing secret',
    choices: [
      without,
      { value: 'typed', name: 'Enter one' },
      { value: 'made', name: 'Generate one and save it to a file' },
    ],
  });
  if (how === 'typed') {
    const secret = await ask.secret({ message: 'Secret', validate: by(WebhookSecret) });
    return { secret, flags: {} };
  }
  if (how !== 'made') return how;
  const secretOut = await ask.text({
    message: 'File for the generated secret (new)',
    initial: 'webhook-secret.txt',
    clean: trimmed,
    validate: (path) =>
      path === '-' ? 'must be the name of a file' : existsSync(path) ? 'already exists' : undefined,
  });
  return { secret: generateSecret(), flags: { generateSecret: true, secretOut } };
}

/** Names are shown; values are often secrets, and are not. */
export async function askHeaders(ask: Prompts): Promise<Readonly<Record<string, string>>> {
  const headers = Object.create(null) as Record<string, string>;
  for (;;) {
    const name = await ask.text({
      message: 'Custom header (empty to finish)',
      clean: trimmed,
      validate: (text) => (text === '' ? undefined : by(CustomHeaders)({ [text]: '' })),
    });
    if (name === '') return headers;
    const validate = (text: string) => by(CustomHeaders)({ [name]: text });
    headers[name] = await ask.secret({ message: `Value of ${name}`, validate });
  }
}

/** The flags of a list of events. */
export const eventFlags = (events: readonly string[]): readonly string[] =>
  events.length === WebhookEvent.options.length
    ? ['--all-events']
    : events.map((event) => `--event ${event}`);

/** The flags of a secret; `<file>` stands for one that was typed. */
export function secretFlags({ secret, flags }: SecretAnswer): readonly string[] {
  const { secretOut } = flags;
  if (typeof secretOut === 'string')
    return ['--generate-secret', '--secret-out', shellQuote(secretOut)];
  if (secret === null) return ['--clear-secret'];
  return secret === undefined ? [] : ['--secret-file', '<file>'];
}

/** The flags of headers; `<value>` stands for each value. */
export const headerFlags = (headers: object): readonly string[] =>
  Object.keys(headers).map((name) => `--header ${shellQuote(`${name}: <value>`)}`);
