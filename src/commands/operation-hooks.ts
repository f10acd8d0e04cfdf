// The hooks of operations, by command. Each is loaded where the line names its command.

import type { CommandHooks } from '../client/call-context.ts';

const pairing = async () => (await import('./connect/telegram.ts')).pairingHooks;

const hooks: Readonly<Record<string, () => Promise<CommandHooks>>> = {
  'connect facebook pages': async () =>
    (await import('./connect/facebook-pages.ts')).requireReadyPages,
  'connect telegram access-code': pairing,
  'connect telegram session': pairing,
  'posts get': async () => (await import('./posts/next-step.ts')).getHooks,
  'posts retry': async () => (await import('./posts/retry.ts')).retryHooks,
};

/** What a command does beyond its operation; empty for most. */
export const hooksFor = async (command: string): Promise<CommandHooks> =>
  (await hooks[command]?.()) ?? {};
