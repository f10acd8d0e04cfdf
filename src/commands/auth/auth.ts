// `auth login | logout | status | token`: the token of a context. Only `auth token` shows it, and never to a terminal.

import { usageFailure } from '../../base/errors.ts';
import { printLine } from '../../output/write-result.ts';
import type { Invocation, CommandSpec } from '../../cli/command-spec.ts';
import { baseUrlOf } from '../../client/open-client.ts';
import { globalFlag } from '../../config/flags.ts';
import { changeConfig, withContext } from '../../config/file.ts';
import { SANDBOX, type Settings } from '../../config/settings.ts';
import { findToken } from '../../config/auth/token.ts';
import { deleteToken } from '../../config/auth/token-store.ts';
import { quote } from '../../base/sanitize.ts';

export const authCommands: readonly CommandSpec[] = [
  {
    words: ['auth', 'login'],
    summary: 'Store a token for a context',
    effect: 'sets',
    details:
      'Asks for the token on a terminal and reads it from stdin in a pipe. The token is stored in the system’s keychain, or in a private file if no keychain is available, and is only sent to the origin it was stored for. Harmless requests, one without the token, check it first. Unless the service answers as the API does and accepts the token, it is not stored: a terminal asks, a script needs --no-check.',
    example: 'social auth login --context prod --base-url https://api.example.com',
    examples: {
      'Store a token from a password manager':
        'pass show social | social auth login -C prod --base-url https://api.example.com',
      'Set up a protected context and switch to it': 'social auth login -C prod --use --protected',
    },
    flags: [
      globalFlag('--context', 'Context to log in to (default: the current one, or "default")'),
      globalFlag('--base-url', 'Base URL of the service, e.g. https://api.example.com'),
      {
        flags: '--insecure-storage',
        description: 'Store the token in the private file, not in the keychain',
      },
      { flags: '--use', description: 'Switch to the context' },
      { flags: '--protected', description: 'Ask for confirmation before every change there' },
      { flags: '--no-check', description: 'Store the token without asking the service' },
    ],
    config: 'any',
    extraWordsAreSecret: true,
    run: async (call) => {
      refuseSandbox(call.settings);
      await (await import('./login.ts')).login(call);
    },
  },
  {
    words: ['auth', 'logout'],
    summary: 'Delete the stored token of a context',
    effect: 'takes away',
    example: 'social auth logout -C prod',
    run: logout,
  },
  {
    words: ['auth', 'status'],
    summary: 'Show where each context’s token comes from',
    example: 'social auth status --check',
    flags: [
      {
        flags: '--check',
        description:
          'Check the token with harmless requests (a heuristic: the API has no who-am-I)',
      },
    ],
    run: async (call) => (await import('./status.ts')).status(call),
  },
  {
    words: ['auth', 'token'],
    summary: 'Print the token in use (pipes only)',
    details: 'Does not print to a terminal.',
    example: 'social auth token | pbcopy',
    extraWordsAreSecret: true,
    run: showToken,
  },
];

/** Rejects the sandbox, which makes its own token: there is none to show, store or delete. */
function refuseSandbox({ context }: Settings): void {
  if (context !== SANDBOX) return;
  throw usageFailure({
    field: 'context "sandbox"',
    problem: 'needs no token',
    fix: 'specify another context, e.g. --context prod',
  });
}

async function logout(call: Invocation): Promise<void> {
  const { settings, runtime } = call;
  refuseSandbox(settings);
  const { context: name, stored } = settings;
  if (name === undefined || stored === undefined)
    throw usageFailure({ field: '--context', problem: 'is required to log out' });
  await deleteToken(name, stored.tokenIn, runtime);
  await changeConfig(runtime, (config) => withContext(config, name, { tokenIn: undefined }));
  const of = `context ${quote(name)}`;
  // Unlike a note, this line is shown in spite of --quiet.
  await runtime.stderr.write(
    stored.tokenIn === undefined
      ? `No token is stored for ${of}.\n`
      : `Deleted the stored token of ${of} from this machine. It is still valid at the service.\n`,
  );
}

async function showToken(call: Invocation): Promise<void> {
  const { settings, runtime } = call;
  if (runtime.stdout.isTTY) {
    const problem = 'does not print to a terminal';
    const fix = 'pipe it to the program that needs it';
    throw usageFailure({ field: 'auth token', problem, fix });
  }
  refuseSandbox(settings);
  const { context, stored } = settings;
  const { token } = await findToken(context, stored, baseUrlOf(settings), runtime);
  await printLine(call, token);
}
