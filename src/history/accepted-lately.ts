// The accepted changes of a resource in the history: a wait or a retry in another process knows by them what is still on
// its way, although the service may show it as before; and records how they have ended.

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
import { checkWriteAsRoot } from '../fs/permissions.ts';
import { type AcceptedChange, appendHistory, type EntryEnd, readHistory } from './entries.ts';

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
  const byId = new Map<string, AcceptedChange[]>();
  for (const { accepted = [] } of entriesOf(runtime, service))
    for (const change of accepted) byId.set(change.of, [...(byId.get(change.of) ?? []), change]);
  return byId;
}

const entriesOf = (runtime: Client['runtime'], service: Client['service']) =>
  (ifPossible(() => readHistory(runtime).changes) ?? []).filter(
    ({ origin, startedAt }) => origin === originOf(service) && startedAt >= (service.resetAt ?? ''),
  );

/**
 * Writes how the accepted changes of a resource have ended, as a later wait has seen: those of single calls whose parts
 * are all done or failed. A history that cannot be read or written stays as it is.
 */
export function recordEnds(
  { runtime, service }: Pick<Client, 'runtime' | 'service'>,
  id: string,
  done: readonly string[],
  failed: readonly string[] = [],
): void {
  if (isHistoryOff(runtime)) return;
  const ended = [...done, ...failed];
  const partsOf = ({ of, parts, before, answered }: AcceptedChange) =>
    of === id ? (parts ?? retriedParts(before, answered)) : [''];
  const lines = entriesOf(runtime, service)
    .filter(({ outcome, count }) => outcome === 'accepted' && count === undefined)
    .flatMap(({ id: entry, exitCode = 0, ms = 0, accepted = [] }): readonly EntryEnd[] => {
      const parts = accepted.flatMap(partsOf);
      if (accepted.length === 0 || !parts.every((part) => ended.includes(part))) return [];
      const bad = parts.filter((part) => failed.includes(part)).length;
      const result = `${bad} of ${parts.length} ${parts.length === 1 ? 'target' : 'targets'} failed`;
      const end = bad > 0 ? ({ outcome: 'failed', result } as const) : ({ outcome: 'ok' } as const);
      return [{ id: entry, exitCode, ms, ...end }];
    });
  if (lines.length > 0)
    ifPossible(() => {
      checkWriteAsRoot(runtime.stateDir());
      appendHistory(runtime, lines);
    });
}
