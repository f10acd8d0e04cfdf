// `webhooks events | listen | replay`: the commands of webhooks that are not operations. What they do is loaded when they
// run.

import { WebhookEvent } from '../../api/schema/webhook.ts';
import type { CommandSpec } from '../../cli/command-spec.ts';
import { isJsonForm } from '../../config/flags.ts';
import { httpsUrl, int, port, writtenPath } from '../../config/flag-types.ts';
import { printText, printValue } from '../../output/write-result.ts';

const listenCommand: CommandSpec = {
  words: ['webhooks', 'listen'],
  summary: 'Receive webhook deliveries on this machine until Ctrl-C',
  details: [
    'Takes any POST on 127.0.0.1 and needs no service and no token; use a tunnel to reach it from outside. Responds 200 once the delivery is stored or printed, and 503 if it cannot be stored. Ctrl-C ends it (130).',
    'posts triage and posts retry read the file with --from <file> --skip-missing, and find the posts in it.',
  ].join('\n\n'),
  example: 'social webhooks listen --port 4242 --append deliveries.ndjson',
  examples: {
    'Pass deliveries on to a local program':
      'social webhooks listen --append deliveries.ndjson --forward-to http://127.0.0.1:3000/hook',
  },
  flags: [
    {
      flags: '--port <n>',
      description: 'Port to listen on (default 0: any free port)',
      type: port,
    },
    {
      flags: '--append <file>',
      description: 'Append each delivery as a JSON line to this file',
      type: writtenPath('file'),
    },
    {
      flags: '--forward-to <url>',
      description: 'Post each delivery once to this URL, once stored',
      type: httpsUrl,
    },
  ],
  effect: 'sets',
  instead: 'receive deliveries',
  config: 'any',
  collectsFaults: true,
  run: async (call) => (await import('./listen.ts')).listenForDeliveries(call),
};

const replayCommand: CommandSpec = {
  words: ['webhooks', 'replay'],
  summary: 'Send stored deliveries again, byte for byte',
  details:
    'Reads a file of webhooks listen --append, needs no service and no token, and sends one delivery after the other. A header that was stored masked is not sent. Exit 11 if one is not answered with 2xx.',
  example:
    'social webhooks replay --from deliveries.ndjson --forward-to http://127.0.0.1:3000/hook',
  flags: [
    {
      flags: '--from <file>',
      description: 'File of deliveries ("-" for stdin)',
      stdin: true,
      required: true,
    },
    {
      flags: '--forward-to <url>',
      description: 'Post each delivery to this URL: https, or this machine',
      type: httpsUrl,
      required: true,
    },
    {
      flags: '--id <n>',
      description: 'Only the delivery on this line of the file',
      repeatable: true,
      type: int(1, 1_000_000_000),
    },
  ],
  effect: 'sets',
  instead: 'send the deliveries',
  config: 'any',
  collectsFaults: true,
  run: async (call) => (await import('./replay.ts')).replayDeliveries(call),
};

const eventRows = WebhookEvent.options.map((event) => ({ event }));

export const commands: readonly CommandSpec[] = [
  {
    words: ['webhooks', 'events'],
    summary: 'List the events an endpoint can subscribe to',
    details: 'Needs no service and no token.',
    example: 'social webhooks events',
    // A script gets a list of words.
    run: (call) =>
      isJsonForm(call.form)
        ? printText(call, '', WebhookEvent.options)
        : printValue(call, ['event'], eventRows),
  },
  listenCommand,
  replayCommand,
];
