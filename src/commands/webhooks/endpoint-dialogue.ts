// The prompts of `webhooks create` after the URL and the events, and of `webhooks update` with nothing to change. Both
// end with the equivalent command line, without secrets.

import { existsSync } from 'node:fs';
import {
  CustomHeaders,
  WebhookEvent,
  WebhookName,
  WebhookSecret,
  WebhookUrl,
} from '../../api/schema/webhook.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import type { Choice, Prompts } from '../../base/runtime.ts';
import { shellQuote } from '../../base/shell.ts';
import { withScheme } from '../../base/url.ts';
import type { DialogueAnswers, DialogueContext } from '../../client/call-context.ts';
import type { RawFlags } from '../../config/choices.ts';
import { suggestCommand } from '../../config/flags.ts';
import { lastKnownLists } from '../../history/known-lists.ts';
import { generateSecret } from '../../input/secret-input.ts';

/** An answer: what it changes, and the flags that say the same, as a shell reads them. */
interface Answer {
  readonly input: Input;
  readonly words: readonly string[];
  /** The flags that generate a secret. */
  readonly flags?: RawFlags;
}

/** Asks for the rest of a new endpoint; `usual` is the default name. */
export async function createDialogue(
  input: Input,
  usual: string,
  context: DialogueContext,
): Promise<DialogueAnswers> {
  const { ask } = context;
  const { url, events } = input as { readonly url: string; readonly events: readonly string[] };
  const secret = await askSecret(ask, { value: { input: {}, words: [] }, name: 'none' });
  const more = (await ask.confirm('More settings (name, custom headers, inactive)?'))
    ? [await askName(ask, usual), await askHeaders(ask), await askActive(ask)]
    : [];
  const [name = { input: { name: usual }, words: [] }, headers = nothing, active = nothing] = more;
  const where = { input, words: [`--url ${shellQuote(url)}`, ...eventFlags(events)] };
  return conclude('webhooks create', [where, name, secret, headers, active], context);
}

const nothing: Answer = { input: {}, words: [] };

async function askName(ask: Prompts, usual = ''): Promise<Answer> {
  const validate = by(WebhookName);
  const name = await ask.text({ message: 'Name', initial: usual, clean: trimmed, validate });
  return { input: { name }, words: name === usual ? [] : [`--name ${shellQuote(name)}`] };
}

async function askActive(ask: Prompts): Promise<Answer> {
  const isActive = await ask.confirm('Activate now?', true);
  return isActive ? nothing : { input: { isActive }, words: ['--inactive'] };
}

/** The questions about an endpoint that exists; each may be chosen. */
const questions: Readonly<
  Record<string, (context: DialogueContext, id: string) => Promise<Answer>>
> = {
  async URL({ ask }) {
    const question = { message: 'Webhook URL', clean: withScheme, validate: by(WebhookUrl) };
    const url = await ask.text(question);
    return { input: { url }, words: [`--url ${shellQuote(url)}`] };
  },

  async events({ ask, runtime, settings }, id) {
    const known = lastKnownLists(id, settings, runtime)?.events;
    const events = await ask.checklist({
      message: known === undefined ? 'All its events' : 'All its events (marked: last known here)',
      choices: WebhookEvent.options.map((value) => ({
        value,
        name: value,
        checked: known?.includes(value) === true,
      })),
      validate: ({ length }) => (length === 0 ? 'needs at least one event' : undefined),
    });
    return { input: { events }, words: eventFlags(events) };
  },

  'signing secret': ({ ask }) => {
    const value = { input: { secret: null }, words: ['--clear-secret'] };
    return askSecret(ask, { value, name: 'none: remove it' });
  },

  name: ({ ask }) => askName(ask),

  async 'custom headers'({ ask }) {
    const removes = await ask.choose({
      message: 'Custom headers',
      choices: [
        { value: false, name: 'Replace all of them' },
        { value: true, name: 'Remove all of them' },
      ],
    });
    // No header given leaves them as they are: removing them is a choice of its own.
    if (!removes) return askHeaders(ask);
    return { input: { customHeaders: null }, words: ['--clear-headers'] };
  },

  async 'active or inactive'({ ask }) {
    const isActive = await ask.choose({
      message: 'Deliveries',
      choices: [
        { value: true, name: 'Activate the endpoint' },
        { value: false, name: 'Deactivate the endpoint' },
      ],
    });
    return { input: { isActive }, words: [isActive ? '--active' : '--inactive'] };
  },
};

/** Asks what to change, and for the new values. */
export async function updateDialogue(
  input: Input,
  context: DialogueContext,
): Promise<DialogueAnswers> {
  const id = String(input['id']);
  const chosen = await context.ask.checklist({
    message: 'What to change?',
    choices: Object.entries(questions).map(([name, value]) => ({ name, value })),
    validate: ({ length }) => (length === 0 ? 'choose at least one' : undefined),
  });
  const answers: Answer[] = [{ input, words: [] }];
  for (const question of chosen) answers.push(await question(context, id));
  return conclude(`webhooks update ${id}`, answers, context);
}

/** All answers as one, after the command line that gives them. */
function conclude(
  command: string,
  answers: readonly Answer[],
  { runtime, settings, flags }: DialogueContext,
): DialogueAnswers {
  const words = answers.flatMap((answer) => answer.words);
  const line = suggestCommand([command, ...words].join(' '), { settings, flags });
  if (words.length > 0) runtime.note(`same as: ${line}`);
  return {
    input: Object.assign({}, ...answers.map((answer) => answer.input)) as Input,
    flags: Object.assign({}, ...answers.map((answer) => answer.flags)) as RawFlags,
  };
}

const trimmed = (text: string): string => text.trim();

/** Validates by a schema: the message of its first issue. */
const by = (rule: typeof WebhookName | typeof CustomHeaders) => (value: unknown) =>
  rule.safeParse(value).error?.issues[0]?.message;

/** Asks for the secret; `without` is the choice of none. In the line `<file>` stands for one that was typed. */
async function askSecret(ask: Prompts, without: Choice<Answer>): Promise<Answer> {
  const how = await ask.choose<Answer | 'typed' | 'made'>({
    message: 'Signing secret',
    choices: [
      without,
      { value: 'typed', name: 'Enter one' },
      { value: 'made', name: 'Generate one and save it to a file' },
    ],
  });
  if (how === 'typed') {
    const secret = await ask.secret({ message: 'Secret', validate: by(WebhookSecret) });
    return { input: { secret }, words: ['--secret-file <file>'] };
  }
  if (how !== 'made') return how;
  const secretOut = await ask.text({
    message: 'File for the generated secret (new)',
    initial: 'webhook-secret.txt',
    clean: trimmed,
    validate: (path) =>
      path === '-' ? 'must be the name of a file' : existsSync(path) ? 'already exists' : undefined,
  });
  return {
    input: { secret: generateSecret() },
    words: [`--generate-secret --secret-out ${shellQuote(secretOut)}`],
    flags: { generateSecret: true, secretOut },
  };
}

/** Asks for headers. Names are shown; values are often secrets, and are not: `<value>` stands for each in the line. */
async function askHeaders(ask: Prompts): Promise<Answer> {
  const customHeaders = Object.create(null) as Record<string, string>;
  for (;;) {
    const name = await ask.text({
      message: 'Custom header (empty to finish)',
      clean: trimmed,
      validate: (text) => (text === '' ? undefined : by(CustomHeaders)({ [text]: '' })),
    });
    if (name === '') break;
    const validate = (text: string) => by(CustomHeaders)({ [name]: text });
    customHeaders[name] = await ask.secret({ message: `Value of ${name}`, validate });
  }
  const words = Object.keys(customHeaders).map(
    (name) => `--header ${shellQuote(`${name}: <value>`)}`,
  );
  return words.length === 0 ? nothing : { input: { customHeaders }, words };
}

const eventFlags = (events: readonly string[]): readonly string[] =>
  events.length === WebhookEvent.options.length
    ? ['--all-events']
    : events.map((event) => `--event ${event}`);
