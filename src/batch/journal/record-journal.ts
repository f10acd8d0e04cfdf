// The journal of one record of a batch: what earlier runs left of it, and the lines that this run writes.

import type { Input, Operation } from '../../api/operations/define-operation.ts';
import { fieldsOf } from '../../api/operations/fields.ts';
import { internalFailure } from '../../base/errors.ts';
import { type Acceptance, endAtRead, type Seen, seenIn } from '../../api/operations/part-states.ts';
import type { PartLedger } from '../../client/session.ts';
import type { CauseRule } from '../../client/taught-causes.ts';
import type { SentChange } from '../../client/open-client.ts';
import { unsureIn } from '../../client/cause.ts';
import type { Result } from '../../client/read-response.ts';
import { type BatchRecord, namedTargets } from '../read/validate-records.ts';
import { HASHED, type RequestEnd } from './format.ts';
import type { JournalState } from './journal.ts';
import { acceptanceIn, type RecordRequests, WHOLE_PART } from './requests.ts';

/** A longer value is a text, not an ID. */
const LONGEST_ID = 64;

/** Returns the ID of a record whose key is a hash; `undefined` if the ID is a credential. */
function shownId({ input, key }: BatchRecord, operation: Operation): string | undefined {
  const [name = '', id] = Object.entries(input)[0] ?? [];
  const isHidden = fieldsOf(operation).some((field) => field.name === name && field.hidden);
  const isShown = typeof id === 'string' && id.length <= LONGEST_ID && !isHidden;
  return isShown && key.startsWith(HASHED) ? id : undefined;
}

export class RecordJournal implements PartLedger {
  readonly #journal: JournalState;
  readonly #operation: Operation;
  readonly #record: BatchRecord;
  readonly #requests: RecordRequests;
  readonly #retriesUnknown: boolean;
  readonly #rules: readonly CauseRule[];
  /** The parts that the last read has shown. */
  #shown: ReadonlySet<string> = new Set();

  constructor(
    journal: JournalState,
    operation: Operation,
    record: BatchRecord,
    retriesUnknown: boolean,
    rules: readonly CauseRule[] = [],
  ) {
    this.#journal = journal;
    this.#operation = operation;
    this.#record = record;
    this.#requests = journal.requestsOf(record.key);
    this.#retriesUnknown = retriesUnknown;
    this.#rules = rules;
  }

  get #named(): readonly string[] | undefined {
    return namedTargets(this.#record.input, this.#operation);
  }

  isFinished(): boolean {
    return this.#requests.isFinished(this.#named);
  }

  /** True if parts of the record were sent, and all of them are published. */
  isAllSentDone(): boolean {
    return this.#requests.isAllSentDone(this.#named);
  }

  takeRead(post: unknown, { serverTime, ageMs }: Result): void {
    const seen = seenIn(post, serverTime);
    this.#shown = new Set(Object.keys(seen.parts));
    this.#requests.addSeen(seen);
    const published: string[] = [];
    const time = { elapsedMs: 0, serverTime, isCached: ageMs !== undefined };
    for (const [part, states] of Object.entries(seen.parts)) {
      if (this.#requests.isDone(part)) continue;
      if (endAtRead(states, undefined, time) === 'published') published.push(part);
      else
        for (const request of this.#requests.acceptedFor(part)) {
          const end = endAtRead(states, acceptanceIn(part, request), time);
          if (end !== 'moving') this.#writeFailure(request.sent.requestId, part, post);
        }
    }
    this.writePublished(published, seen);
  }

  stateOf(part: string): ReturnType<PartLedger['stateOf']> {
    if (this.#requests.isDone(part)) return 'done';
    if (this.#requests.has(part, 'accepted')) return 'accepted';
    return this.#requests.maySend(part, this.#retriesUnknown) ? undefined : 'unknown';
  }

  accepted(): ReadonlyMap<string, Acceptance> {
    const found = new Map<string, Acceptance>();
    for (const part of this.#requests.partsOf(this.#named))
      for (const request of this.#requests.acceptedFor(part))
        found.set(part, acceptanceIn(part, request));
    return found;
  }

  /** Returns the parts of the record whose outcome is unknown. */
  unknownParts(): readonly string[] {
    const parts = this.#requests.partsOf(this.#named ?? this.#onlyPart());
    return parts.filter((part) => this.#requests.has(part, 'unknown'));
  }

  /** A resource without parts has one. */
  #onlyPart(): readonly string[] | undefined {
    return this.#operation.partsField === undefined ? [WHOLE_PART] : undefined;
  }

  /**
   * Resolves when the intent is on the disk. The journal has the last word on each request, whatever has chosen its
   * parts: one that it does not allow is a bug of this program, and ends the batch before it is sent.
   */
  async writeIntent({ input, clientRequestId, before }: SentChange): Promise<void> {
    const id = shownId(this.#record, this.#operation);
    const seen = before?.seen();
    const parts = this.partsIn(input);
    const may = (part: string) =>
      this.#requests.maySend(part, this.#retriesUnknown, clientRequestId);
    if (!parts.every(may))
      throw internalFailure(new Error('the journal does not allow this request'));
    await this.#journal.writeIntent({
      sent: this.#record.key,
      id,
      parts,
      requestId: clientRequestId,
      seen,
    });
  }

  /** Writes that the service has accepted a request. Without a wait that is its result. */
  writeAccepted({ input, clientRequestId }: SentChange, { data, serverTime }: Result): void {
    const parts = this.partsIn(input);
    if (this.#operation.wait === undefined) return this.#write(clientRequestId, parts, 'done');
    const seen = seenIn(data, serverTime);
    this.#journal.writeEnd({ ended: clientRequestId, parts, as: 'accepted', seen });
    const published = parts.filter((part) =>
      seen.parts[part]?.some(({ status }) => status === 'published'),
    );
    this.writePublished(published);
  }

  /** Writes how a request ended that the service has not accepted. */
  writeEnd(
    { input, clientRequestId, before }: SentChange,
    as: 'refused' | 'unknown',
    status: number | undefined,
  ): void {
    const date = as === 'unknown' ? before?.dateNow() : undefined;
    const parts = this.partsIn(input);
    this.#journal.writeEnd({ ended: clientRequestId, parts, as, status, date });
  }

  /** Takes note of the parts that a poll shows. */
  notePoll(post: unknown): void {
    this.#requests.addSeen(seenIn(post, undefined));
  }

  /** Writes that parts are published. */
  writePublished(parts: readonly string[], seen?: Seen): void {
    const news = parts.filter((part) => !this.#requests.isDone(part));
    if (news.length > 0) this.#journal.writeDone(this.#record.key, news, seen);
  }

  /** Writes that accepted changes of these parts have failed, as the post shows. */
  writeFailed(parts: readonly string[], post: unknown): void {
    for (const part of parts)
      for (const { sent } of this.#requests.acceptedFor(part))
        this.#writeFailure(sent.requestId, part, post);
  }

  /** Writes that a request failed; it stays unknown if the error says that the part may be published all the same. */
  #writeFailure(requestId: string, part: string, post: unknown): void {
    const isOpen = unsureIn(post, this.#rules).includes(part);
    this.#write(requestId, [part], isOpen ? 'unknown' : 'failed');
  }

  /** Writes that nothing is left of the record after a read that found nothing to send, if it has shown all targets. */
  finishAfterRead(): void {
    if (this.#requests.hasSeenOnly(this.#shown)) this.#finish();
    else this.finishAfterWait();
  }

  /** Writes that nothing is left of the record after a wait, if every target that was ever seen is published. */
  finishAfterWait(): void {
    if (this.#requests.isAllDone()) this.#finish();
  }

  /** A record that names targets is finished by them: its key is that of the whole post. */
  #finish(): void {
    if (this.#named === undefined && !this.isFinished()) this.#journal.writeDone(this.#record.key);
  }

  #write(requestId: string, parts: readonly string[], as: RequestEnd): void {
    this.#journal.writeEnd({ ended: requestId, parts, as });
  }

  partsIn(input: Input): readonly string[] {
    return namedTargets(input, this.#operation) ?? [WHOLE_PART];
  }

  /**
   * Returns the input for another run outside this journal: it names only parts that may be sent again, and never one
   * that is done, accepted or unknown. `undefined` if there is none.
   */
  repeatable(candidates: readonly string[] | undefined): Input | undefined {
    const { input } = this.#record;
    const { partsField } = this.#operation;
    const maySend = (part: string) => this.#requests.maySend(part, false);
    if (partsField === undefined) return maySend(WHOLE_PART) ? input : undefined;
    const all = this.#requests.partsOf(candidates);
    if (candidates === undefined && all.every(maySend)) return input;
    // If the record names no parts, another one of the resource may be cancelled, or in progress.
    const parts = (candidates ?? this.#requests.wantedParts()).filter(maySend);
    return parts.length === 0 ? undefined : { ...input, [partsField]: parts };
  }
}
