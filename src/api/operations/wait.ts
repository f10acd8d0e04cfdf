// The wait of an operation: how an answer is judged, what is shown of it, and which command takes the wait up again. It
// neither sends nor prints: the polling is `wait/`'s.

/** How what is waited for stands, judged on one answer. */
export interface WaitVerdict {
  readonly state: 'pending' | 'done' | 'ended_badly';
  /** As a clause: `1 of 2 targets finished`; of a bad end, the whole of what failed. */
  readonly standing: string;
  /** The ids of the parts that ended badly. */
  readonly bad?: readonly string[];
  /** The ids of the parts that are done already. */
  readonly good?: readonly string[];
  /** Advice after a bad end. */
  readonly hint?: string;
  /** Notes on the answer for a user who waits. */
  readonly remarks?: readonly string[];
  /** The timestamp before which it cannot be done. */
  readonly dueAt?: string | undefined;
}

/** The subject of a wait. */
export interface Awaited {
  /** The parts that count, by their ids; all of them without it. */
  readonly wanted?: readonly string[] | undefined;
  /** The state before the call: a part that is still the same has not started yet. */
  readonly before?: unknown;
}

/** When an answer came. */
export interface PollTime {
  /** Milliseconds since the wait began. */
  readonly elapsedMs: number;
  /** The server's own clock, in milliseconds since 1970. */
  readonly now: number;
}

/** A call that was accepted. */
export interface StartedCall extends Awaited {
  readonly id: string;
  readonly answer: unknown;
}

/** The wait of an operation but for the read that polls. */
export interface WaitRules {
  /** The description of `--wait` in help. */
  readonly summary: string;
  /** The word for a good end: `published`. */
  readonly reached: string;
  judge(data: unknown, awaited: Awaited, time: PollTime): WaitVerdict;
  /** The statuses that are watched, by name. */
  statesOf(data: unknown): ReadonlyMap<string, string>;
  /**
   * Where the answer to the change is no poll, or does not say which parts it set going: how things stand, and the
   * parts that count.
   */
  begin?(call: StartedCall): { readonly state: unknown; readonly wanted: Awaited['wanted'] };
  /** The command that waits for these ids again; without it the read that polls. */
  resume?(ids: readonly string[], awaited: Awaited): string;
}
