// Telegram pairing: automatic business sessions and access codes. Moves between statuses are not shown.

import * as z from 'zod';
import { AccountResult } from './account.ts';
import { sampled } from './enumeration.ts';
import { Timestamp } from './time.ts';

export const TelegramSession = z
  .object({
    sessionId: z.string(),
    status: sampled('pending_start'),
    expiresAt: Timestamp,
    account: AccountResult,
  })
  .partial()
  .meta({ id: 'TelegramSession' });

export const TelegramAccessCode = z
  .object({
    code: z.string(),
    status: sampled('pending'),
    expiresAt: Timestamp,
    account: AccountResult,
  })
  .partial()
  .meta({ id: 'TelegramAccessCode' });
