// The prompts of `webhooks create` after the URL and the events: the secret, and the rest where it is wanted. Ends with
// the equivalent command line, without secrets.

import { WebhookName } from '../../api/schema/webhook.ts';
import type { Input } from '../../api/operations/define-operation.ts';
import type { Prompts } from '../../base/runtime.ts';
import { shellQuote } from '../../base/shell.ts';
import type { DialogueAnswers, DialogueContext } from '../../client/call-context.ts';
import { suggestCommand } from '../../config/flags.ts';
import {
  askHeaders,
  askSecret,
  by,
  eventFlags,
  headerFlags,
  type SecretAnswer,
  secretFlags,
  trimmed,
} from './endpoint-questions.ts';

/** Asks for the rest of an endpoint; `usual` is the default name. */
export async function createDialogue(
  input: Input,
  usual: string,
  { ask, runtime, settings, flags }: DialogueContext,
): Promise<DialogueAnswers> {
  const signed = await askSecret(ask, { value: { flags: {} }, name: 'none' });
  const wantsMore = await ask.confirm('More settings (name, custom headers, inactive)?');
  const { secret } = signed;
  const answers = {
    ...input,
    ...(wantsMore ? await askMore(usual, ask) : { name: usual }),
    ...(secret === undefined ? {} : { secret }),
  };
  const line = lineOf(answers, usual, signed);
  runtime.note(`same as: ${suggestCommand(line, { settings, flags })}`);
  return { input: answers, flags: signed.flags };
}

async function askMore(usual: string, ask: Prompts): Promise<Input> {
  const name = await ask.text({
    message: 'Name',
    initial: usual,
    clean: trimmed,
    validate: by(WebhookName),
  });
  const customHeaders = await askHeaders(ask);
  const isActive = await ask.confirm('Activate now?', true);
  return {
    name,
    ...(isActive ? {} : { isActive }),
    ...(Object.keys(customHeaders).length === 0 ? {} : { customHeaders }),
  };
}

/** The equivalent command line; `<…>` stands for a secret. */
function lineOf(
  { url, events, name, isActive, customHeaders }: Input,
  usual: string,
  signed: SecretAnswer,
): string {
  return [
    'webhooks create',
    `--url ${shellQuote(String(url))}`,
    ...eventFlags(events as readonly string[]),
    ...(name === usual ? [] : [`--name ${shellQuote(String(name))}`]),
    ...secretFlags(signed),
    ...headerFlags(customHeaders ?? {}),
    ...(isActive === false ? ['--inactive'] : []),
  ].join(' ');
}
