// Telegram pairing: automatic business sessions and access codes. Moves between statuses are not shown.

import * as z from 'zod/mini';
import { AccountResult } from './account.ts';
import { sampled } from './enumeration.ts';
import { Timestamp } from './time.ts';

export const TelegramSession = z
  .partial(
    z.object({
      sessionId: z.string(),
      status: sampled('pending_start'),
      expiresAt: Timestamp,
      account: AccountResult,
    }),
  )
  .register(z.globalRegistry, { id: 'TelegramSession' });

export const TelegramAccessCode = z
  .partial(
    z.object({
      code: z.string(),
      status: sampled('pending'),
      expiresAt: Timestamp,
      account: AccountResult,
    }),
  )
  .register(z.globalRegistry, { id: 'TelegramAccessCode' });
