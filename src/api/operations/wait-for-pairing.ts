// Waiting for a Telegram pairing: until there is an account, or it has expired by the server's clock.

import { isObject } from '../../base/json.ts';
import { isTimestamp } from '../schema/rules.ts';
import type { Wait } from './define-operation.ts';
import type { Awaited, PollTime, WaitVerdict } from './wait.ts';

/** Until a pairing has an account or is over; `subject` is what the command calls it. */
export const waitForPairing = (subject: string): Wait => ({
  summary: 'Wait until paired or expired',
  reached: 'paired',
  subject,
  hint: 'this pairing cannot be resumed: start a new one at the service',
  judge: judgePairing,
  statesOf: (data) => new Map([['pairing', statusOf(data)]]),
  partsOf: (data) => [['telegram', statusOf(data)]],
  expiresAt: (data) => fieldsIn(data)['expiresAt'],
});

const fieldsIn = (data: unknown): Readonly<Record<string, unknown>> => (isObject(data) ? data : {});

function statusOf(data: unknown): string {
  const { status } = fieldsIn(data);
  return typeof status === 'string' ? status : '-';
}

export function judgePairing(
  pairing: unknown,
  _awaited: Partial<Awaited>,
  { now }: Pick<PollTime, 'now'>,
): WaitVerdict {
  const { account, expiresAt, status } = fieldsIn(pairing);
  const word = typeof status === 'string' ? status : 'without a status';
  if (isObject(account)) return { state: 'done', standing: 'paired' };
  if (typeof expiresAt === 'string' && isTimestamp(expiresAt) && Date.parse(expiresAt) <= now)
    return { state: 'ended_badly', standing: `expired at ${expiresAt}` };
  if (word === 'new' || word.startsWith('pending')) return { state: 'pending', standing: word };
  return { state: 'ended_badly', standing: `ended as ${word}, without an account` };
}
