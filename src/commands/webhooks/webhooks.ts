// `webhooks events | listen`: the commands of webhooks that are no operations. What listening does is loaded when it
// runs.

import { WebhookEvent } from '../../api/schema/webhook.ts';
import type { CommandSpec } from '../../cli/command-spec.ts';
import { httpsUrl, port, writtenPath } from '../../config/flag-types.ts';
import { printWords } from '../../output/write-result.ts';
import { signatureScheme } from './signature.ts';

const listenCommand: CommandSpec = {
  words: ['webhooks', 'listen'],
  summary: 'Receive webhook deliveries on this machine until Ctrl-C',
  details: [
    'Takes any POST on 127.0.0.1 and prints its time, event, post ID and whether it was verified. Needs no service and no token. To reach it from outside, use a tunnel of your choice. Web pages are refused; so are bodies over 1 MiB.',
    'The response is 200 once the delivery is safe: with --append when it is on the disk, otherwise when it is printed. If it cannot be stored, the response is 503, so that the service sends it again. --append writes one JSON line per delivery: receivedAt, event, postId, verified, path and headers (secrets masked), and the unchanged body, as body or bodyBase64. The file grows with each delivery and is never cut: move it away between two runs. posts triage and posts retry read it with --from <file> --column data.post.id, a path into the delivered JSON.',
    '--forward-to posts the same bytes once, after the delivery is stored. A failure is one line on stderr; nothing is retried.',
    'The API document shows no signature. --verify takes hmac-sha256-hex:<header> (with or without sha256= before the value), hmac-sha256-base64:<header>, or standard-webhooks (at most 5 minutes old; a secret that begins with whsec_ is base64).',
    'With --json, the first line is the url, and each delivery is one line like those of --append.',
  ].join('\n\n'),
  example: 'social webhooks listen --port 4242 --append deliveries.ndjson',
  examples: [
    [
      'Verify deliveries and pass them on to a local program',
      'social webhooks listen --verify hmac-sha256-hex:X-Signature --secret-file secret.txt --require-verified --forward-to http://127.0.0.1:3000/hook',
    ],
  ],
  flags: [
    {
      flags: '--port <n>',
      description: 'Port to listen on (default 0: any free port)',
      type: port,
    },
    {
      flags: '--append <file>',
      description: 'Append each delivery to this private file before the response',
      type: writtenPath('file name'),
    },
    {
      flags: '--forward-to <url>',
      description: 'Also post each delivery once to this URL (https, or this machine)',
      type: httpsUrl,
    },
    {
      flags: '--verify <scheme>',
      description:
        'Verify signatures: hmac-sha256-hex:<header>, hmac-sha256-base64:<header> or standard-webhooks',
      type: signatureScheme,
    },
    {
      flags: '--secret-file <file>',
      description: 'Signing secret, read from a file ("-" for stdin)',
      stdin: true,
      once: true,
      secret: true,
    },
    {
      flags: '--secret-env <name>',
      description: 'Read the secret from this environment variable',
      secret: true,
    },
    {
      flags: '--require-verified',
      description: 'Refuse deliveries that are not verified (HTTP 401)',
      requires: ['--verify'],
    },
  ],
  effect: 'sets',
  config: 'any',
  collectsFaults: true,
  run: async (call) => (await import('./listen.ts')).listenForDeliveries(call),
};

export const webhookCommands: readonly CommandSpec[] = [
  {
    words: ['webhooks', 'events'],
    summary: 'List the events an endpoint can subscribe to',
    details: 'Needs no service and no token.',
    example: 'social webhooks events',
    run: (call) => printWords(call, WebhookEvent.options),
  },
  listenCommand,
];
