// The prompts of `webhooks create`: what an endpoint may have besides its URL and its events. Ends with the equivalent
// command line, without secrets.

import { existsSync } from 'node:fs';
import {
  CustomHeaders,
  WebhookEvent,
  WebhookName,
  WebhookSecret,
} from '../../api/schema/webhook.ts';
import type { Prompts } from '../../base/runtime.ts';
import { suggestCommand } from '../../config/flags.ts';
import { generateSecret } from '../../input/secret-input.ts';
import type { DialogueAnswers, DialogueContext } from '../../client/call-context.ts';
import { shellQuote } from '../../base/shell.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import type { RawFlags } from '../../config/choices.ts';

/** Asks for the rest of an endpoint; `usual` is the default name. */
export async function webhookDialogue(
  input: Input,
  usual: string,
  { ask, runtime, settings, flags }: DialogueContext,
): Promise<DialogueAnswers> {
  const name = await ask.text({
    message: 'Name',
    initial: usual,
    clean: trimmed,
    validate: by(WebhookName),
  });
  const signed = await askSecret(ask);
  const customHeaders = await askHeaders(ask);
  const isActive = await ask.confirm('Activate now?', true);
  const answers = {
    ...input,
    name,
    ...(signed.secret === undefined ? {} : { secret: signed.secret }),
    ...(isActive ? {} : { isActive }),
    ...(Object.keys(customHeaders).length === 0 ? {} : { customHeaders }),
  };
  const line = lineOf(answers, usual, signed.flags);
  runtime.note(`same as: ${suggestCommand(line, { settings, flags })}`);
  return { input: answers, flags: signed.flags };
}

const trimmed = (text: string): string => text.trim();

/** Validates by a schema: the message of its first issue. */
const by = (rule: typeof WebhookName | typeof CustomHeaders) => (value: unknown) =>
  rule.safeParse(value).error?.issues[0]?.message;

/** The secret, and the flags that generate it. */
async function askSecret(ask: Prompts): Promise<{ secret?: string; flags: RawFlags }> {
  const how = await ask.choose({
    message: 'Signing secret',
    choices: [
      { value: 'none', name: 'none' },
      { value: 'typed', name: 'Enter one' },
      { value: 'made', name: 'Generate one and save it to a file' },
    ],
  });
  if (how === 'none') return { flags: {} };
  if (how === 'typed') {
    const secret = await ask.secret({ message: 'Secret', validate: by(WebhookSecret) });
    return { secret, flags: {} };
  }
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
async function askHeaders(ask: Prompts): Promise<Readonly<Record<string, string>>> {
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

/** The equivalent command line; `<…>` stands for a secret. */
function lineOf(
  { url, events, name, secret, isActive, customHeaders }: Input,
  usual: string,
  flags: RawFlags,
): string {
  const chosen = events as readonly string[];
  const secretOut = flags['secretOut'];
  const signing =
    typeof secretOut === 'string'
      ? ['--generate-secret', '--secret-out', shellQuote(secretOut)]
      : secret === undefined
        ? []
        : ['--secret-file', '<file>'];
  return [
    'webhooks create',
    `--url ${shellQuote(String(url))}`,
    ...(chosen.length === WebhookEvent.options.length
      ? ['--all-events']
      : chosen.map((event) => `--event ${event}`)),
    ...(name === usual ? [] : [`--name ${shellQuote(String(name))}`]),
    ...signing,
    ...Object.keys(customHeaders ?? {}).map((each) => `--header '${each}: <value>'`),
    ...(isActive === false ? ['--inactive'] : []),
  ].join(' ');
}
