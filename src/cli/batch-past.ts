// What a journal knows of a record, whole by whole and part by part: a list that has changed since may name the same
// parts in other records.

import type { Journal, JournalKey } from '../call/journal.ts';
import { keyOf } from '../call/journal-key.ts';
import type { Outcome } from '../call/journal-line.ts';
import type { Part, Subject } from './batch-subject.ts';

export type KnownOutcomes = Pick<Journal, 'before' | 'hasUnknownPart'>;

export interface Past {
  /** What an earlier run knows of it. */
  readonly past: Outcome | undefined;
  /** What the journal calls what is left to do. */
  readonly keys: readonly JournalKey[];
  /** The parts that are left to do; `undefined` for a whole. */
  readonly parts: readonly Part[] | undefined;
}

/** Looks up what was claimed of a record. */
export function pastOf(
  journal: KnownOutcomes,
  subject: Subject,
  claimed: 'all' | readonly Part[],
): Past {
  const whole = keyOf(subject.whole);
  const ofWhole = journal.before(whole);
  if (claimed === 'all') {
    // The request for the whole would include a part of which nobody knows whether it was done.
    const past = !wasSent(ofWhole) && journal.hasUnknownPart(whole) ? 'unknown' : ofWhole;
    return { past, keys: [{ key: whole }], parts: undefined };
  }
  const known = claimed.map((part) => {
    const key = keyOf(part.text);
    const own = journal.before(key);
    // Whoever did the whole did its parts.
    const past = !wasSent(own) && wasSent(ofWhole) ? ofWhole : own;
    return { part, past, key: { key, of: whole } };
  });
  const of = (some: typeof known, past: Outcome | undefined): Past => ({
    past,
    keys: some.map(({ key }) => key),
    parts: some.map(({ part }) => part),
  });
  const open = known.filter(({ past }) => past !== 'done' && past !== 'accepted');
  if (open.length > 0)
    return of(open, open.some(({ past }) => past === 'unknown') ? 'unknown' : open[0]!.past);
  const accepted = known.filter(({ past }) => past === 'accepted');
  return accepted.length > 0 ? of(accepted, 'accepted') : of(known, 'done');
}

/** Whether a request may have done it. */
const wasSent = (outcome: Outcome | undefined): boolean =>
  outcome === 'done' || outcome === 'accepted' || outcome === 'unknown';
