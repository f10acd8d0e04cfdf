// The journal of one record of a batch: what earlier runs left of it, and the lines that this run writes.

import type { Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import type { CallOutcome } from '../../client/call-context.ts';
import { type BatchRecord, namedTargets } from '../read/validate-records.ts';
import { HASHED, type JournalOutcome } from './format.ts';
import type { Journal } from './journal.ts';
import type { Targets } from './outcomes.ts';

/** Adds the state in which earlier runs left a record. Its input then names only the targets that are left to do. */
export function withPast(record: BatchRecord, journal: Journal, operation: Operation): BatchRecord {
  const { partsField = '' } = operation;
  const named = namedTargets(record.input, operation);
  const { past, underWay, targets } = journal.outcomesOf(record.key).leftToDo(named);
  const input = targets === undefined ? record.input : { ...record.input, [partsField]: targets };
  return { ...record, input, past, underWay };
}

/** A longer value is a text, not an ID. */
const LONGEST_ID = 64;

/** Returns the ID of a record whose key is a hash; `undefined` if the ID is a credential. */
function shownId({ input, key }: BatchRecord, operation: Operation): string | undefined {
  const [name = '', id] = Object.entries(input)[0] ?? [];
  const isHidden = fieldsOf(operation).some((field) => field.name === name && field.hidden);
  const isShown = typeof id === 'string' && id.length <= LONGEST_ID && !isHidden;
  return isShown && key.startsWith(HASHED) ? id : undefined;
}

export class RecordJournal {
  readonly #journal: Journal;
  readonly #operation: Operation;
  readonly #record: BatchRecord;
  /** The targets that the record names; `undefined` if it is for the whole post. */
  readonly #named: Targets;
  /** The request of this run, once its intent is written: the targets that it named. */
  #sent: { readonly targets: Targets } | undefined;
  /** The targets that are waited for; `undefined` before the wait, or if the response does not show which. */
  #awaited: Targets;

  constructor(journal: Journal, operation: Operation, record: BatchRecord) {
    this.#journal = journal;
    this.#operation = operation;
    this.#record = record;
    this.#named = namedTargets(record.input, operation);
  }

  /**
   * Returns a function that is true for targets that an earlier run has sent, if the record is for the whole post;
   * `undefined` if all may be sent.
   */
  sentBefore(): ((target: string) => boolean) | undefined {
    if (this.#operation.partsField === undefined || this.#named !== undefined) return undefined;
    return this.#journal.outcomesOf(this.#record.key).sentBefore();
  }

  /** Resolves when the intent is on the disk: for the targets of the request, or for the whole post. */
  async intend(targets: Targets, requestId: string): Promise<void> {
    const id = shownId(this.#record, this.#operation);
    await this.#journal.intend(this.#record.key, targets, { id, requestId });
    this.#sent = { targets };
  }

  /** Notes which targets are waited for, and writes that the service has accepted the request, if this run sent one. */
  wait(awaited: Targets): void {
    this.#awaited = awaited;
    if (this.#sent !== undefined) this.end('accepted', {});
  }

  /** Writes that these targets are done. */
  done(targets: readonly string[]): void {
    this.#write(targets, 'done', 0);
  }

  /** Writes the outcome. After a failed wait, the targets in `bad` have failed, and the others are done. */
  end(outcome: JournalOutcome, { failure, bad }: Partial<CallOutcome>): void {
    const { past } = this.#record;
    // If this run sent nothing, only the end of a wait is news. What an earlier run left unknown stays so until it is
    // done.
    const isNews = outcome === 'done' || (bad !== undefined && past !== 'unknown');
    if (this.#sent === undefined && !isNews) return;
    const exit = failure?.exitCode ?? 0;
    const status = outcome === 'unknown' ? failure?.facts.status : undefined;
    const sentTargets = this.#sent?.targets;
    // A record for the whole post ends the post if it was sent, now or earlier; otherwise the next run reads it again.
    // An unknown request that named targets says nothing of the others.
    const isOfWhole =
      this.#named === undefined &&
      (this.#sent !== undefined || past === 'accepted') &&
      !(outcome === 'unknown' && sentTargets !== undefined);
    if (isOfWhole) this.#write(undefined, outcome, exit, status);
    const all = this.#awaited ?? sentTargets ?? this.#named ?? [];
    const failed = outcome === 'failed' ? bad : undefined;
    if (failed === undefined) return this.#write(all, outcome, exit, status);
    this.#write(failed, 'failed', exit);
    this.done(all.filter((target) => !failed.includes(target)));
  }

  /** Writes an outcome for those of the targets, or for the whole post, that do not have it already. */
  #write(targets: Targets, outcome: JournalOutcome, exit: number, status?: number): void {
    const { key } = this.#record;
    const outcomes = this.#journal.outcomesOf(key);
    const isNew = (target: string | undefined) => !outcomes.hasEnd(target, outcome);
    if (targets === undefined && isNew(undefined))
      this.#journal.end(key, undefined, outcome, exit, status);
    const news = targets?.filter(isNew) ?? [];
    if (news.length > 0) this.#journal.end(key, news, outcome, exit, status);
  }
}
