// Judges the requests of a history by what the program could know when it sent them: what it was told of earlier
// requests, and what it was shown since. It gives the program the benefit of every doubt, so that each harm it names is
// one. What really happened at the service counts only for targets that were published twice.

/** A change that still reads as before may take this long to show; a little less than the program's own limit. */
const GRACE_MS = 28_000;
/** `history settle` may say no earlier that an unknown change was not made; also a little less. */
const PATIENCE_MS = 57_000;
const PATIENCE_OF_GATEWAY_MS = 14.8 * 60_000;
/** A response may not have been read by a program that was killed so soon after it. */
const READING_MS = 1000;

const MOVING = ['publishing', 'scheduled'];
const KNOWN = [...MOVING, 'published', 'failed', 'action_required', 'cancelled'];

const rowsFor = (rows, id) => rows.filter((row) => row.id === id);
const isOneOf = (rows, statuses) => rows.some(({ status }) => statuses.includes(status));
const isSame = (a, b) =>
  a.status === b.status && a.updatedAt === b.updatedAt && a.error === b.error;
const isMixed = (rows) => new Set(rows.map(({ status }) => status)).size > 1;
const newest = (rows) => Math.max(-Infinity, ...rows.map(({ updatedAt }) => updatedAt));

/** True if the program may not have read this response, because it was killed at about that time. */
const mayBeUnread = ({ run, answeredAt, realAt }) =>
  run.killedAt !== undefined && (answeredAt ?? realAt ?? Infinity) > run.killedAt - READING_MS;

/** True if the rows of a target show that it is over and not published. */
const isOver = (rows) =>
  rows.length > 0 &&
  !isOneOf(rows, [...MOVING, 'published']) &&
  !rows.some((row) => !KNOWN.includes(row.status));

/** What was seen of a target up to the acceptance of a request: in the last read before it, and in its response. */
function seenBefore(log, request, id) {
  const at = log.indexOf(request);
  const before = log.findLast(
    (entry, i) =>
      i < at && entry.kind === 'read' && entry.run === request.run && entry.post === request.post,
  );
  return [...rowsFor(before?.rows ?? [], id), ...rowsFor(request.rows ?? [], id)];
}

/** True if a read between a request and `until` shows that its change of a target has ended without success. */
function hasFailedSince(log, request, id, until, since = request.at) {
  const seen = seenBefore(log, request, id);
  return readsOf(log, request, until).some(({ rows, at, isCached }) => {
    const now = rowsFor(rows, id);
    if (isCached || !isOver(now)) return false;
    const isNews = (row) => row.updatedAt >= newest(seen) && !seen.some((one) => isSame(one, row));
    return at - since >= GRACE_MS || now.every(isNews);
  });
}

const readsOf = (log, request, until) =>
  log
    .slice(log.indexOf(request) + 1, until)
    .filter(
      (entry) => entry.kind === 'read' && entry.post === request.post && entry.answers !== request,
    );

/** True if a `history settle` between an unknown request and `until` could find out that it was not made, or failed. */
function couldBeSettled(log, request, id, until) {
  const patienceMs = request.status >= 502 ? PATIENCE_OF_GATEWAY_MS : PATIENCE_MS;
  return readsOf(log, request, until).some((read) => {
    if (read.run.kind !== 'settle' || read.isCached) return false;
    const rows = rowsFor(read.rows, id);
    if (isOneOf(rows, MOVING)) return hasFailedSince(log, request, id, until, read.at);
    return read.hasDate && isOver(rows) && read.at - request.at >= patienceMs;
  });
}

/** True if a run of the journal was shown that a target is published. */
function wasShownPublished(log, id, until, run) {
  return log.slice(0, until).some((read) => {
    if (read.kind !== 'read' || read.isCached || read.isAdvice || mayBeUnread(read)) return false;
    if (read.answers !== undefined && !read.answers.ids.includes(id)) return false;
    const rows = rowsFor(read.rows, id);
    const isRemembered =
      read.run === run || (run.journal !== undefined && read.run.journal !== undefined);
    const isInScope = read.run.scope?.has(id) === true;
    return (
      rows.length > 0 &&
      rows.every(({ status }) => status === 'published') &&
      isRemembered &&
      isInScope
    );
  });
}

/**
 * Returns why a target may not be named by a run at a place of the log: a list of kinds, empty if it may. `permitted`
 * stands for an unknown request that the operator chose to repeat.
 */
export function reasonsAgainst(log, id, until, run, { isOwn = () => true, self, repeats } = {}) {
  const mayRepeat = repeats ?? run.retriesUnknown;
  const reasons = new Set();
  if (wasShownPublished(log, id, until, run)) reasons.add('done');
  for (const request of log.slice(0, until)) {
    if (
      request.kind !== 'request' ||
      request === self ||
      !request.ids.includes(id) ||
      !isOwn(request)
    )
      continue;
    const reason = reasonOf(log, request, id, until, { run, mayRepeat });
    if (reason !== undefined) reasons.add(reason);
  }
  return reasons;
}

function reasonOf(log, request, id, until, { run, mayRepeat }) {
  const isAcross = run.journal === undefined || request.run.journal === undefined;
  // A program that was killed may know of the acceptance or not, and may then take either way.
  const isUnread = mayBeUnread(request);
  if (request.told === 'refused') return undefined;
  const isAccepted = request.told === 'accepted';
  if (isAccepted && hasFailedSince(log, request, id, until)) return undefined;
  if (isAccepted && !isUnread) return isAcross ? 'accepted elsewhere' : 'accepted';
  if (couldBeSettled(log, request, id, until)) return undefined;
  return mayRepeat || (isAcross && run !== request.run) ? 'permitted' : 'unknown';
}

/** Returns the kinds of harm of a request, each with the target that it named: `[kind, target]`. */
export function harmsOf(log, request) {
  const at = log.indexOf(request);
  const { run, ids } = request;
  const read = log.findLast(
    (entry, i) =>
      i < at && entry.kind === 'read' && entry.run === run && entry.post === request.post,
  );
  const isBatch = run.journal !== undefined;
  const harms = ids.flatMap((id) => {
    const kinds = [...reasonsAgainst(log, id, at, run, { self: request })].filter(
      (kind) => kind !== 'permitted',
    );
    const rows = rowsFor(read?.rows ?? [], id);
    if (isOneOf(rows, [...MOVING, 'published']))
      kinds.push(isMixed(rows) ? 'listed twice' : 'against its read');
    return kinds.map((kind) => [kind, id]);
  });
  if (isBatch && read === undefined) for (const id of ids) harms.push(['not read', id]);
  if (isBatch && request.isWhole) harms.push(['names no target', request.post]);
  if (isBatch && !request.hasIntent) harms.push(['no intent', request.id]);
  return harms;
}

/** True if an operator chose to repeat an unknown change of this target. */
export const wasPermitted = (log, id) =>
  log.some(
    (entry, at) =>
      entry.kind === 'request' &&
      entry.ids.includes(id) &&
      reasonsAgainst(log, id, at, entry.run, { self: entry }).has('permitted'),
  );
