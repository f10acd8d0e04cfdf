// The accepted changes of a resource in the history: a wait or a retry in another process knows by them what is still on
// its way, although the service may show it as before.

import {
  type Acceptance,
  acceptanceOf,
  retriedParts,
  MAY_START_MS,
  seenIn,
} from '../api/operations/part-states.ts';
import { ifPossible } from '../base/errors.ts';
import { type Client, originOf } from '../client/open-client.ts';
import type { Result } from '../client/read-response.ts';
import { isHistoryOff } from '../config/flags.ts';
import { type AcceptedChange, readHistory } from './entries.ts';

/**
 * Makes a function that returns the last accepted change of each part of a resource, by its ID and a read of it, without
 * those that are long past by the service's clock. It reads the history once, on its first call; one that cannot be read
 * knows of no change.
 */
export function acceptedLately({
  runtime,
  service,
}: Pick<Client, 'runtime' | 'service'>): (
  id: string,
  read: Result,
) => ReadonlyMap<string, Acceptance> {
  let changes: ReadonlyMap<string, readonly AcceptedChange[]> | undefined;
  return (id, { data, serverTime }) => {
    changes ??= isHistoryOff(runtime) ? new Map() : readChanges(runtime, service);
    const acceptances = new Map<string, Acceptance>();
    for (const { parts, before, answered } of changes.get(id) ?? []) {
      const { date } = answered;
      if (
        date !== undefined &&
        serverTime !== undefined &&
        serverTime - date > MAY_START_MS.lagging
      )
        continue;
      // The response to a change that named no part and followed no read may show nothing.
      const isBlank = before === undefined && Object.keys(answered.parts).length === 0;
      const shown = isBlank ? seenIn(data, date) : answered;
      for (const part of parts ?? retriedParts(before, shown))
        acceptances.set(part, acceptanceOf(part, before, answered, { date, isEarlier: true }));
    }
    return acceptances;
  };
}

function readChanges(runtime: Client['runtime'], service: Client['service']) {
  const { resetAt = '' } = service;
  const byId = new Map<string, AcceptedChange[]>();
  for (const entry of ifPossible(() => readHistory(runtime).changes) ?? []) {
    if (entry.origin !== originOf(service) || entry.startedAt < resetAt) continue;
    for (const change of entry.accepted ?? [])
      byId.set(change.of, [...(byId.get(change.of) ?? []), change]);
  }
  return byId;
}
