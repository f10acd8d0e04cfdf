// What to do about the posts of a batch that failed: it follows from their causes, as for a triage.

import type { BatchAdvice, BatchFailures, CallContext } from '../../client/call-context.ts';
import { suggestCommand } from '../../config/flags.ts';
import { accountsToReconnect, adviceFor, readinessLine } from './triage-next.ts';

/** After `posts retry`: again those that a retry can mend. */
export const adviseRetries = (failures: BatchFailures, callContext: CallContext): BatchAdvice =>
  advise(failures, callContext, (cause) => failures.again('--cause', cause));

/** After `posts wait`: a retry of those that it can mend. */
export const adviseWaits = (failures: BatchFailures, callContext: CallContext): BatchAdvice =>
  advise(failures, callContext, (cause) =>
    failures.records === undefined
      ? undefined
      : suggestCommand(`posts retry ${failures.records} --cause ${cause} --wait`, callContext),
  );

function advise(
  { causes, temporary, accounts, records }: BatchFailures,
  callContext: CallContext,
  retry: (cause: string) => string | undefined,
): BatchAdvice {
  const next = temporary > 0 ? retry('temporary') : undefined;
  const has = (cause: string) => causes.has(cause);
  const check = readinessLine(accounts, callContext);
  const afterwards = has('reconnect') ? retry('reconnect') : undefined;
  const looks = has('other') || (has('reconnect') && accounts.length === 0);
  const look =
    looks && records !== undefined
      ? suggestCommand(`posts triage ${records}`, callContext)
      : undefined;
  const first = next ?? check ?? look;
  const line = (words: string, command: string | undefined) =>
    command === undefined || command === first ? [] : [`${words}: ${command}`];
  return {
    next: first,
    hints: [
      ...(has('reconnect') ? [`reconnect: ${accountsToReconnect(accounts)}`] : []),
      ...(has('reconnect') ? line('then check', check) : []),
      ...line('then retry those', afterwards),
      ...(has('content') ? [`content: ${adviceFor.content}`] : []),
      ...(has('platform') ? [`platform: ${adviceFor.platform}`] : []),
      ...(has('request') ? [`request: ${requestAdvice(callContext)}`] : []),
      ...line('see why', look),
    ],
  };
}

/** A post without failed targets is refused when it is retried as a whole. */
const requestAdvice = ({ command, flags }: CallContext): string =>
  command.endsWith('posts retry') && flags['failed'] === undefined
    ? 'the service refuses these again; --failed skips posts that have no failed target'
    : 'the service refuses these again; check the IDs';
