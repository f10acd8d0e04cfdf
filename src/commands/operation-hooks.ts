// The hooks of operations, by command.

import type { CommandHooks } from '../client/call-context.ts';
import { requireReadyPages } from './connect/facebook-pages.ts';
import { pairingHooks } from './connect/telegram.ts';
import { retryHooks } from './posts/retry.ts';
import { nextStep } from './posts/next-step.ts';
import { triageHooks } from './posts/triage.ts';
import { waitHooks } from './posts/wait.ts';
import { createWebhookHooks } from './webhooks/create.ts';
import { updateWebhookHooks } from './webhooks/update.ts';

const hooks: Readonly<Record<string, CommandHooks>> = {
  'connect facebook pages': requireReadyPages,
  'connect telegram access-code': pairingHooks,
  'connect telegram session': pairingHooks,
  'posts get': { after: nextStep },
  'posts retry': retryHooks,
  'posts triage': triageHooks,
  'posts wait': waitHooks,
  'webhooks create': createWebhookHooks,
  'webhooks update': updateWebhookHooks,
};

/** What a command does beyond its operation; empty for most. */
export const hooksFor = (command: string): CommandHooks => hooks[command] ?? {};
