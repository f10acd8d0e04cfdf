// The prompts of `webhooks update` with nothing to change: which settings of the endpoint, then each of them. Ends with the
// equivalent command line, without secrets.

import { WebhookEvent, WebhookName, WebhookUrl } from '../../api/schema/webhook.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import { shellQuote } from '../../base/shell.ts';
import { withScheme } from '../../base/url.ts';
import type { DialogueAnswers, DialogueContext } from '../../client/call-context.ts';
import type { RawFlags } from '../../config/choices.ts';
import { suggestCommand } from '../../config/flags.ts';
import { lastKnownLists } from '../../history/known-lists.ts';
import {
  askHeaders,
  askSecret,
  by,
  eventFlags,
  headerFlags,
  secretFlags,
  trimmed,
} from './endpoint-questions.ts';

/** An answer: what it changes, and the flags that say the same. */
interface Change {
  readonly input: Input;
  readonly words: readonly string[];
  readonly flags?: RawFlags;
}

type Question = (context: DialogueContext, id: string) => Promise<Change>;

const questions: Readonly<Record<string, Question>> = {
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

  async 'signing secret'({ ask }) {
    const none = { value: { secret: null, flags: {} }, name: 'none: remove it' };
    const answer = await askSecret(ask, none);
    return { input: { secret: answer.secret }, words: secretFlags(answer), flags: answer.flags };
  },

  async name({ ask }) {
    const name = await ask.text({ message: 'Name', clean: trimmed, validate: by(WebhookName) });
    return { input: { name }, words: [`--name ${shellQuote(name)}`] };
  },

  async 'custom headers'({ ask }) {
    const removes = await ask.choose({
      message: 'Custom headers',
      choices: [
        { value: false, name: 'Replace all of them' },
        { value: true, name: 'Remove all of them' },
      ],
    });
    const headers = removes ? {} : await askHeaders(ask);
    // No header given leaves them as they are: removing them is a choice of its own.
    if (removes) return { input: { customHeaders: null }, words: ['--clear-headers'] };
    if (Object.keys(headers).length === 0) return { input: {}, words: [] };
    return { input: { customHeaders: headers }, words: headerFlags(headers) };
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
  const { ask, runtime, settings, flags } = context;
  const id = String(input['id']);
  const chosen = await ask.checklist({
    message: 'What to change?',
    choices: Object.entries(questions).map(([name, value]) => ({ name, value })),
    validate: ({ length }) => (length === 0 ? 'choose at least one' : undefined),
  });
  const changes: Change[] = [];
  for (const question of chosen) changes.push(await question(context, id));
  const words = changes.flatMap((change) => change.words);
  const line = ['webhooks update', id, ...words].join(' ');
  if (words.length > 0) runtime.note(`same as: ${suggestCommand(line, { settings, flags })}`);
  return {
    input: Object.assign({}, input, ...changes.map((change) => change.input)) as Input,
    flags: Object.assign({}, ...changes.map((change) => change.flags ?? {})) as RawFlags,
  };
}
