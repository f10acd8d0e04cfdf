// The flags of the secret that deliveries are signed with, of `webhooks listen` and `sandbox trigger`.

import type { PlainFlag } from '../../config/flags.ts';

export const signingSecretOptions: readonly PlainFlag[] = [
  {
    flags: '--secret-file <file>',
    description: 'Signing secret, read from a file ("-" for stdin)',
    stdin: true,
    secret: true,
  },
  {
    flags: '--secret-env <name>',
    description: 'Read the secret from this environment variable',
    secret: true,
  },
];
