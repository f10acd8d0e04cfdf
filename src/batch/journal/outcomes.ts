// The outcomes that the lines of a journal add up to for one post. A request is for named targets of a post or for the
// whole post. Other resources are treated as posts without targets.

import { type EndEntry, HASHED, type JournalOutcome, type SendEntry } from './format.ts';

/** The IDs of the targets that a request or a record names; `undefined` if it is for the whole post. */
export type Targets = readonly string[] | undefined;

/** The last request for a target or for the whole post, and the last outcome since then. */
interface LastLines {
  readonly sent?: SendEntry | undefined;
  readonly ended?: EndEntry | undefined;
}

/** A request without an outcome. */
export interface UnknownRequest {
  readonly key: string;
  /** The ID of its record; `undefined` if that is a credential. */
  readonly id: string | undefined;
  /** The targets that it named and that have no outcome; `undefined` if it was for the whole post. */
  readonly targets: Targets;
  /** The time at which its intent was written, in milliseconds since 1970. */
  readonly at: number;
  /** The time at which its outcome was recorded as unknown; `undefined` after a crash before that. */
  readonly until: number | undefined;
  /** The HTTP status of its response, if one arrived. */
  readonly status: number | undefined;
}

/** The part of a record that earlier runs left to do. */
export interface LeftToDo {
  /**
   * `done`: nothing is left. `accepted`: all was sent, and some of it is waited for. `unknown`: some of it may have
   * been sent. `undefined`: some of it has to be sent, and nothing of it has an unknown outcome.
   */
  readonly past: 'done' | 'accepted' | 'unknown' | undefined;
  /** The targets to send, or for `accepted` those to wait for; `undefined` for the whole post. */
  readonly targets: Targets;
  /** Targets that were sent and are not done: they are waited for, and not sent. */
  readonly underWay: readonly string[];
}

/** The whole post, beside its targets. */
const WHOLE = undefined;

const isSent = (outcome: JournalOutcome | undefined): boolean =>
  outcome === 'done' || outcome === 'accepted';

export class PostOutcomes {
  readonly #last = new Map<string | typeof WHOLE, LastLines>();

  /**
   * Applies an intent: until its end, the outcome is unknown. An intent for the whole post replaces the lines of its
   * targets, except those that are done, because a published target stays published.
   */
  applyIntent(sent: SendEntry): void {
    if (sent.targets === undefined)
      for (const [target, { ended }] of this.#last)
        if (ended?.as !== 'done') this.#last.delete(target);
    for (const target of sent.targets ?? [WHOLE]) this.#last.set(target, { sent });
  }

  applyEnd(ended: EndEntry): void {
    for (const target of ended.targets ?? [WHOLE])
      this.#last.set(target, { sent: this.#last.get(target)?.sent, ended });
  }

  /** True if this is already the last line about a target, or about the whole post. */
  hasEnd(target: string | undefined, outcome: JournalOutcome): boolean {
    return this.#last.get(target)?.ended?.as === outcome;
  }

  /** Returns the outcome of a target or of the whole post: `unknown` from an intent until its end. */
  #outcomeOf(target: string | undefined): JournalOutcome | undefined {
    const last = this.#last.get(target);
    return last && (last.ended?.as ?? 'unknown');
  }

  /**
   * Returns the outcome of a target: its own, or that of a request for the whole post. If that request has failed or
   * was not sent, the target may be sent, like one without any outcome.
   */
  #outcomeOfTarget(target: string): JournalOutcome | undefined {
    const own = this.#outcomeOf(target);
    // `posts retry P --failed` names targets in its request, but ends both them and the post: only a request that was
    // for the whole post says something of a target without lines of its own.
    if (own !== undefined || this.#last.get(WHOLE)?.sent === undefined) return own;
    const whole = this.#outcomeOf(WHOLE);
    return isSent(whole) || whole === 'unknown' ? whole : undefined;
  }

  #targets(): readonly string[] {
    return [...this.#last.keys()].filter((target) => target !== WHOLE);
  }

  /** Returns what is left of a record for the whole post, or for named targets. */
  leftToDo(named: Targets): LeftToDo {
    const all = named ?? this.#targets();
    const toSend = all.filter((target) => !isSent(this.#outcomeOfTarget(target)));
    const underWay = all.filter((target) => this.#outcomeOfTarget(target) === 'accepted');
    // A record that names targets has nothing left beside them, so the rest of the post counts as done.
    const whole = named === undefined ? this.#outcomeOf(WHOLE) : 'done';
    const isUnknown =
      whole === 'unknown' || all.some((target) => this.#outcomeOfTarget(target) === 'unknown');
    if (isUnknown || toSend.length > 0 || !isSent(whole))
      return { past: isUnknown ? 'unknown' : undefined, targets: named && toSend, underWay };
    // If the journal names no targets of an accepted post, all of them are waited for.
    const isWaited = underWay.length > 0 || (whole === 'accepted' && all.length === 0);
    if (!isWaited) return { past: 'done', targets: named, underWay };
    return { past: 'accepted', targets: named && underWay, underWay };
  }

  /** Returns a function that is true for targets that were sent and have not failed; `undefined` if there are none. */
  sentBefore(): ((target: string) => boolean) | undefined {
    const isWholeSent = this.#last.get(WHOLE)?.sent !== undefined && isSent(this.#outcomeOf(WHOLE));
    const isAnySent =
      isWholeSent || this.#targets().some((target) => isSent(this.#outcomeOf(target)));
    return isAnySent ? (target) => isSent(this.#outcomeOfTarget(target)) : undefined;
  }

  /** Returns the requests without an outcome, each without targets that have an outcome or a later request. */
  unknownRequests(): readonly UnknownRequest[] {
    const found = new Map<SendEntry, UnknownRequest>();
    for (const [target, { sent, ended }] of this.#last) {
      if (sent === undefined || this.#outcomeOf(target) !== 'unknown') continue;
      const { send: key, at } = sent;
      const id = key.startsWith(HASHED) ? sent.id : key;
      const targets = target === WHOLE ? undefined : [...(found.get(sent)?.targets ?? []), target];
      found.set(sent, { key, id, targets, at, until: ended?.at, status: ended?.status });
    }
    return [...found.values()];
  }
}
