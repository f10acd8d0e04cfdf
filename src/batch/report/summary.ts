// The data of a batch's report: the counts, the failures by cause, and the first records of each kind.

import { type Input, isChange, type Operation } from '../../api/operations/define-operation.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Failure } from '../../base/errors.ts';
import type { CommandLine } from '../../base/shell.ts';
import type { CallOutcome, FailedAccount, SkippedParts } from '../../client/session.ts';
import {
  type Cause,
  causes,
  readFailure,
  type TargetError,
  targetErrorsIn,
} from '../../client/remedies.ts';
import type { CauseRule } from '../../client/taught-causes.ts';
import { readCause } from '../../client/cause.ts';

export interface CauseCount {
  readonly cause: Cause;
  readonly count: number;
  /** The messages, the most frequent first; at most a hundred. */
  readonly texts: readonly { readonly text: string; readonly count: number }[];
  /** The number of failures with other messages. */
  readonly more: number;
}

/** The code of the failure with which a batch stops after its canary. */
export const CANARY_FAILED = 'canary_failed';

/** A suggested command names at most this many records. */
export const MAX_NAMED = 20;
const MAX_TEXTS = 100;
const MAX_TEXT_LENGTH = 160;

/**
 * The end of a record. `accepted`: the service has accepted the change, and its result is unknown; `skipped`: there was
 * nothing to do; `unstarted`: nothing was sent.
 */
export type RecordVerdict = 'ok' | 'failed' | 'unknown' | 'accepted' | 'skipped' | 'unstarted';

/** The number of records by verdict; `before` counts those done by an earlier run. */
export type BatchCounts = Readonly<Record<Exclude<RecordVerdict, 'unstarted'> | 'before', number>>;

interface CauseGroup {
  count: number;
  /** The number of records that do not exist at the service. */
  notFound: number;
  /** The number of messages by text. */
  readonly texts: Map<string, number>;
}

type Look = Pick<Runtime, 'monotonic'> & { readonly secrets: Pick<Runtime['secrets'], 'mask'> };

/** The word for records whose end is unknown: the service accepted the change; by a read it accepted nothing. */
export const openWord = (operation: Operation): string =>
  isChange(operation) ? 'accepted' : 'in progress';

/** Counts the records whose change the service took, and whose end is unknown. */
export const acceptedIn = ({
  counts,
  unwaited,
}: Pick<BatchSummary, 'counts' | 'unwaited'>): number => counts.accepted + unwaited;

/** Counts results as they arrive, and failures by cause and message. */
export class BatchSummary {
  /** The number of all records of the batch, with those that an earlier run has done. */
  readonly count: number;
  readonly counts = { ok: 0, failed: 0, unknown: 0, accepted: 0, skipped: 0, before: 0 };
  /** The first records that failed, are unknown, or were accepted and are not done. */
  readonly named = { failed: [] as Input[], unknown: [] as Input[], accepted: [] as Input[] };
  /** The number of skipped targets by reason. */
  readonly skipped = new Map<string, number>();
  /** The command that resumes the wait, for the first accepted record. */
  pendingLine: CommandLine | undefined;
  /** The number of records with a failure that a retry may fix. */
  temporary = 0;
  /** The number of `temporary` records whose request failed, so that nothing is known of their targets. */
  unanswered = 0;
  /** The number of records that are waited for now. */
  waits = 0;
  /** The number of `ok` records whose change an earlier run has made. */
  found = 0;
  /** The number of `ok` records whose change was accepted, and not waited for. */
  unwaited = 0;
  /** The hints of the records that got no usable response; `undefined` for one without. */
  readonly hints = new Set<string | undefined>();
  /** When the platforms that asked to wait take posts again, by the monotonic clock. */
  readonly opensAt = new Map<string, number>();
  readonly #mask: (text: string) => string;
  readonly #rules: readonly CauseRule[];
  readonly #monotonic: () => number;
  readonly #groups = new Map<Cause, CauseGroup>();
  readonly #reconnect = new Map<string, FailedAccount & { count: number }>();
  /** The number of unknown records that an earlier run left so, and this one did not send. */
  #leftUnknown = 0;

  /** The runtime redacts each message before it is cut. */
  constructor(count: number, runtime: Look, rules: readonly CauseRule[] = []) {
    this.count = count;
    this.#monotonic = runtime.monotonic;
    this.#mask = runtime.secrets.mask;
    this.#rules = rules;
  }

  /** Counts a record; `isLeftUnknown` if an earlier run left it unknown and this one did not send it. */
  add(
    verdict: keyof BatchCounts,
    input: Input,
    ended: Partial<CallOutcome>,
    isLeftUnknown = false,
  ): void {
    const { failure } = ended;
    this.counts[verdict]++;
    if (verdict === 'ok' && ended.isFound === true) this.found++;
    const isUnwaited = verdict === 'ok' && ended.isUnwaited === true;
    if (isUnwaited) this.unwaited++;
    if (isLeftUnknown) this.#leftUnknown++;
    const kind = isUnwaited ? 'accepted' : verdict;
    if (kind !== 'unknown' && kind !== 'accepted' && kind !== 'failed') return;
    if (this.named[kind].length < MAX_NAMED) this.named[kind].push(input);
    if (verdict === 'accepted') this.pendingLine ??= failure?.facts.next;
    else if (failure !== undefined) this.#addFailure(input, failure, ended);
  }

  #addFailure(input: Input, failure: Failure, { data, bad }: Partial<CallOutcome>): void {
    const { errors, cause, texts } = failureTexts(input, { failure, data, bad }, this.#rules);
    const isOfTargets = failure.kind === 'ended_badly';
    const targetCauses = errors.map(
      ({ platform, error }) => readCause(platform, error, this.#rules).cause,
    );
    if (cause === 'temporary' || targetCauses.includes('temporary')) this.temporary++;
    if (cause === 'temporary' && !isOfTargets) this.unanswered++;
    this.hints.add(failure.kind === 'no_answer' ? failure.facts.hint : undefined);
    for (const [i, error] of errors.entries()) {
      if (targetCauses[i] === 'reconnect') this.#addAccount(error);
      const waitMs = targetCauses[i] === 'temporary' ? waitIn(error.error) : undefined;
      if (waitMs !== undefined) this.opensAt.set(error.platform, this.#monotonic() + waitMs);
    }
    const group = this.#groups.get(cause) ?? {
      count: 0,
      notFound: 0,
      texts: new Map<string, number>(),
    };
    this.#groups.set(cause, group);
    group.count++;
    if (failure.kind === 'not_found') group.notFound++;
    for (const message of texts) {
      const text = cut(this.#mask(message));
      group.texts.set(text, (group.texts.get(text) ?? 0) + 1);
    }
  }

  #addAccount({ platform, account }: TargetError): void {
    if (account === undefined) return;
    const entry = this.#reconnect.get(account) ?? { platform, account, count: 0 };
    entry.count++;
    this.#reconnect.set(account, entry);
  }

  /** Counts the targets that a record skipped. */
  addSkipped(targets: SkippedParts): void {
    for (const [reason, count] of Object.entries(targets))
      this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + count);
  }

  /** The number of records that were not started. */
  get notStarted(): number {
    return this.count - Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** The number of records to send again: those that failed or were not started. */
  get left(): number {
    return this.counts.failed + this.notStarted;
  }

  /** Returns the number of records that failed or became unknown in this run. */
  failures(): number {
    return this.counts.failed + this.counts.unknown - this.#leftUnknown;
  }

  /** Returns the accounts to reconnect, those with the most failures first. */
  accounts(): readonly FailedAccount[] {
    return [...this.#reconnect.values()].toSorted((a, b) => b.count - a.count);
  }

  /** Returns the word for a cause, for a person. */
  wordFor(cause: Cause, count = this.#groups.get(cause)?.count ?? 0): string {
    if (cause === 'unknown') return 'unknown outcome';
    if (cause === 'request')
      return this.#groups.get(cause)?.notFound === count ? 'not found' : 'refused';
    return cause === 'token' ? `invalid token${count === 1 ? '' : 's'}` : cause;
  }

  /** Returns the failures by cause, in the order of `causes`. */
  causes(): readonly CauseCount[] {
    return causes
      .filter((cause) => this.#groups.has(cause))
      .map((cause) => {
        const { count, texts } = this.#groups.get(cause)!;
        const all = [...texts]
          .map(([text, times]) => ({ text, count: times }))
          .toSorted((a, b) => b.count - a.count);
        const more = all.slice(MAX_TEXTS).reduce((sum, text) => sum + text.count, 0);
        return { cause, count, texts: all.slice(0, MAX_TEXTS), more };
      });
  }
}

/** Returns the cause of a record's failure, and its messages: the errors of its targets, or its own. */
export function failureTexts(
  input: Input,
  { failure, data, bad }: Pick<CallOutcome, 'data' | 'bad'> & { readonly failure: Failure },
  rules: readonly CauseRule[],
) {
  // Only after a failed wait are the errors of the targets those of this change.
  const errors = failure.kind === 'ended_badly' ? targetErrorsIn(data, bad) : [];
  const { cause } = readFailure(failure, errors, rules);
  const texts = errors.length > 0 ? errors.map(({ error }) => error) : [textOf(failure, input)];
  return { errors, cause, texts };
}

/** Returns the message without the record's ID, so that many records share one message. */
function textOf({ facts }: Failure, input: Input): string {
  const { code, what, message = what } = facts;
  const text = code === undefined ? message : `${code}: ${message}`;
  // The first field of an input is its ID, if it has one.
  const [id] = Object.values(input);
  return typeof id === 'string' && id !== '' ? text.replaceAll(id, '…') : text;
}

const cut = (text: string) =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH - 1)}…` : text;

const SECOND_MS = 1000;
const UNITS_MS = { s: SECOND_MS, m: 60 * SECOND_MS, h: 3600 * SECOND_MS };

/** Reads the time that an error of a platform asks to wait: `try again in 48 seconds`, `ends in a minute`. */
function waitIn(error: string): number | undefined {
  const found =
    /\b(?:in|after|for) (an?|\d{1,5}) ?([smh])(?:ec|in|r|econds?|inutes?|ours?)?\b/i.exec(error);
  if (found === null) return undefined;
  const count = /^an?$/i.test(found[1]!) ? 1 : Number(found[1]);
  return count * UNITS_MS[found[2]!.toLowerCase() as keyof typeof UNITS_MS];
}
