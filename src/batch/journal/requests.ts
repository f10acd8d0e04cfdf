// The requests of one key of a journal. Each is for parts of a resource, such as the targets of a post, and has a state of
// its own for each part: one that was refused changes nothing about an earlier one that is unknown.

import {
  type Acceptance,
  acceptanceOf,
  type PartState,
  type Seen,
} from '../../api/operations/part-states.ts';
import { type EndedEntry, HASHED, type RequestEnd, type IntentEntry } from './format.ts';

/** The name of the only part of a resource without parts. */
export const WHOLE_PART = '';

/** A request, with its state for one part. */
interface PartRequest {
  readonly sent: IntentEntry;
  readonly ended?: EndedEntry | undefined;
  /** The entry in the history of the run that sent it. */
  readonly run: string | undefined;
  /** True once its outcome was found out later; a run that then ends it does not undo that. */
  readonly wasSettled?: boolean;
}

/** A request whose outcome is still to be found out, with the parts for which it is. */
export interface OpenRequest extends PartRequest {
  readonly key: string;
  /** The ID of its record; `undefined` if that is a credential. */
  readonly id: string | undefined;
  readonly parts: readonly string[];
}

/** The state of a request for a part: unknown from its intent until its end. */
const endOfRequest = ({ ended }: PartRequest): RequestEnd => ended?.as ?? 'unknown';

/** The states after which a part may be sent again. */
const REPEATABLE: ReadonlySet<RequestEnd> = new Set<RequestEnd>(['refused', 'failed', 'not done']);

/** The states of a request, those first that leave most to do. */
const OPEN_FIRST: readonly RequestEnd[] = [
  'unknown',
  'accepted',
  'not done',
  'failed',
  'refused',
  'done',
];

interface Standing {
  readonly end: RequestEnd | 'before' | 'skipped';
  readonly attempts: number;
}

export class RecordRequests {
  readonly key: string;
  /** The requests for each part, by their IDs, in the order in which they were sent. */
  readonly #byPart = new Map<string, Map<string, PartRequest>>();
  /** The parts that are published; no later line undoes that. */
  readonly #done = new Set<string>();
  /** The last states of all parts that a response has shown. */
  readonly #seen = new Map<string, readonly PartState[]>();
  #isFinished = false;

  constructor(key: string) {
    this.key = key;
  }

  applySent(sent: IntentEntry, run: string | undefined): void {
    for (const part of sent.parts) {
      const requests = this.#byPart.get(part) ?? new Map<string, PartRequest>();
      this.#byPart.set(part, requests.set(sent.requestId, { sent, run }));
    }
    this.addSeen(sent.seen);
  }

  applyEnded(ended: EndedEntry): void {
    for (const part of ended.parts) {
      const request = this.#byPart.get(part)?.get(ended.ended);
      if (request === undefined) continue;
      const wasSettled = request.wasSettled === true || ended.settled === true;
      this.#byPart.get(part)!.set(ended.ended, { ...request, ended, wasSettled });
      if (ended.as === 'done') this.#done.add(part);
    }
    this.addSeen(ended.seen);
  }

  applyDone(parts: readonly string[] | undefined, seen: Seen | undefined): void {
    if (parts === undefined) this.#isFinished = true;
    for (const part of parts ?? []) this.#done.add(part);
    this.addSeen(seen);
  }

  addSeen(seen: Seen | undefined): void {
    for (const [part, states] of Object.entries(seen?.parts ?? {})) this.#seen.set(part, states);
  }

  /** True if nothing is left of a record that names these parts, or of one for the whole resource. */
  isFinished(named: readonly string[] | undefined): boolean {
    return this.#isFinished || (named ?? [WHOLE_PART]).every((part) => this.#done.has(part));
  }

  /** True if every part that a read has ever shown is published. */
  isAllDone(): boolean {
    return this.#seen.size > 0 && [...this.#seen.keys()].every((part) => this.#done.has(part));
  }

  hasSeenOnly(parts: ReadonlySet<string>): boolean {
    return [...this.#seen.keys()].every((part) => parts.has(part));
  }

  isDone(part: string): boolean {
    return this.#isFinished || this.#done.has(part);
  }

  /** True if there is a request for one of the parts, and all that were sent are done. */
  isAllSentDone(named: readonly string[] | undefined): boolean {
    const sent = [...this.#byPart.keys()].filter((part) => named?.includes(part) ?? true);
    return sent.length > 0 && sent.every((part) => this.isDone(part));
  }

  /** True if a request for the part is in this state, and the part is not done. */
  has(part: string, state: RequestEnd): boolean {
    return !this.isDone(part) && this.#requestsFor(part).some((one) => endOfRequest(one) === state);
  }

  /**
   * True if the part may be sent: it is not done, and no request for it is accepted or, unless allowed, unknown. The
   * selection of parts asks it before a call, and `writeIntent` again before each request. An
   * earlier attempt of the `own` request does not count: it is repeated only if it certainly did nothing.
   */
  maySend(part: string, isUnknownAllowed: boolean, own?: string): boolean {
    return (
      !this.isDone(part) &&
      this.#requestsFor(part).every((request) => {
        if (request.sent.requestId === own) return true;
        const end = endOfRequest(request);
        return REPEATABLE.has(end) || (isUnknownAllowed && end === 'unknown');
      })
    );
  }

  /** Returns the parts that were sent, or had failed when they were seen last. */
  wantedParts(): readonly string[] {
    const failed = [...this.#seen].filter(([, states]) =>
      states.every(({ status }) => status === 'failed'),
    );
    return [...new Set([...this.#byPart.keys(), ...failed.map(([part]) => part)])];
  }

  /** Returns the named parts, or all that are known. */
  partsOf(named: readonly string[] | undefined): readonly string[] {
    return named ?? [...new Set([...this.#byPart.keys(), ...this.#seen.keys(), ...this.#done])];
  }

  /** Returns the accepted requests for a part. */
  acceptedFor(part: string): readonly PartRequest[] {
    if (this.isDone(part)) return [];
    return [...(this.#byPart.get(part)?.values() ?? [])].filter(
      (request) => endOfRequest(request) === 'accepted',
    );
  }

  /** Returns the requests that are unknown, or were in progress when `history settle` found them out. */
  openRequests(): readonly OpenRequest[] {
    const found = new Map<string, OpenRequest>();
    for (const [part, requests] of this.#byPart)
      for (const request of requests.values()) {
        const { sent, ended } = request;
        const end = endOfRequest(request);
        const isMoving = end === 'accepted' && ended?.settled === true && !this.isDone(part);
        if (end !== 'unknown' && !isMoving) continue;
        const id = this.key.startsWith(HASHED) ? sent.id : this.key;
        const parts = [...(found.get(sent.requestId)?.parts ?? []), part];
        found.set(sent.requestId, { ...request, key: this.key, id, parts });
      }
    return [...found.values()];
  }

  /**
   * Returns the state of each request that a run sent, or that others sent before a time, by the part that is furthest from
   * its end, and whether it was left unknown. A record sends one request in a run.
   */
  requestsIn(
    run: string,
    before?: number,
  ): readonly { readonly end: RequestEnd; readonly wasUnknown: boolean }[] {
    const byId = new Map<string, { ends: RequestEnd[]; wasUnknown: boolean }>();
    for (const [part, requests] of this.#byPart)
      for (const [id, request] of requests) {
        const isOwn = request.run === run;
        if (before === undefined ? !isOwn : isOwn || request.sent.at >= before) continue;
        const found = byId.get(id) ?? { ends: [], wasUnknown: false };
        byId.set(id, found);
        found.ends.push(this.isDone(part) ? 'done' : endOfRequest(request));
        found.wasUnknown ||= endOfRequest(request) === 'unknown' || request.wasSettled === true;
      }
    return [...byId.values()].map(({ ends, wasUnknown }) => ({
      end: OPEN_FIRST.find((one) => ends.includes(one))!,
      wasUnknown,
    }));
  }

  /**
   * Returns the state of each record of this key now, by its last request for each part, and how often it was sent;
   * without a request it is done already, or there was nothing to send.
   */
  standings(): readonly Standing[] {
    const requests = [...this.#byPart.values()].flatMap((byId) => [...byId.values()]);
    const unsent = this.#isFinished || this.isAllDone() ? 'before' : 'skipped';
    if (requests.length === 0) return [{ end: unsent, attempts: 0 }];
    // A record sends one request in a run, so two in one run are of two records, which share no part.
    const sentIn = (run: string | undefined) =>
      new Set(requests.filter((one) => one.run === run).map(({ sent }) => sent.requestId)).size;
    const isOne = requests.every(({ run }) => sentIn(run) === 1);
    let groups: (readonly string[])[] = [];
    for (const { sent } of requests) {
      const touches = (group: readonly string[]) =>
        isOne || group.some((part) => sent.parts.includes(part));
      const joined = [...groups.filter(touches).flat(), ...sent.parts];
      groups = [...groups.filter((group) => !touches(group)), [...new Set(joined)]];
    }
    return groups.map((parts) => {
      const byPart = parts.map((part) => [...this.#byPart.get(part)!.values()]);
      const ends = parts.map((part, n) =>
        this.isDone(part) ? 'done' : endOfRequest(byPart[n]!.at(-1)!),
      );
      const attempts = Math.max(...byPart.map(({ length }) => length));
      return { end: OPEN_FIRST.find((one) => ends.includes(one))!, attempts };
    });
  }

  /** A request for the whole resource concerns each of its parts, and the other way round. */
  #requestsFor(part: string): readonly PartRequest[] {
    const names = part === WHOLE_PART ? [...this.#byPart.keys()] : [part, WHOLE_PART];
    return names.flatMap((name) => [...(this.#byPart.get(name)?.values() ?? [])]);
  }
}

/** Makes the acceptance of a request of an earlier run, for a wait. */
export const acceptanceIn = (part: string, { sent, ended }: PartRequest): Acceptance =>
  acceptanceOf(part, sent.seen, ended?.seen, { date: ended?.seen?.date, isEarlier: true });
