// What a wait after a call is, as a part of its operation: how an answer is judged, what is shown of it, and which
// command takes the wait up again. It neither sends nor prints: the polling is `wait/`'s.

/** How what is waited for stands, judged on one answer. */
export interface WaitVerdict {
  readonly state: 'pending' | 'done' | 'ended_badly';
  /** As a clause: `1 of 2 targets settled`. */
  readonly standing: string;
  /** The ids of the parts that settled, and not as wanted. */
  readonly bad?: readonly string[];
  /** The ids of the parts that are as wanted already, whatever the others are. */
  readonly good?: readonly string[];
}

/** What a wait is about. */
export interface Awaited {
  /** The parts that count, by their ids; all of them without it. */
  readonly wanted?: readonly string[] | undefined;
  /** The answer to a look before the call: a part that still looks so has not started yet. */
  readonly before?: unknown;
}

/** When an answer came. */
export interface PollTime {
  /** Milliseconds since the wait began. */
  readonly elapsedMs: number;
  /** The server's own clock, in milliseconds since 1970. */
  readonly now: number;
}

export interface NotBefore {
  readonly at: string;
  readonly clause: string;
}

/** The wait of an operation but for the read that polls. */
export interface WaitRules {
  /** What `--wait` does, for help. */
  readonly summary: string;
  /** What has become of it after the usual good end: `published`. */
  readonly reached?: string;
  /** What is waited for, where the standing alone does not say it. */
  readonly subject?: string;
  /** What to do after an end that is not good. */
  readonly hint?: string;
  judge(data: unknown, awaited: Awaited, time: PollTime): WaitVerdict;
  /** Whether an answer says how these parts of what has this id stand; without it every answer does. */
  tells?(data: unknown, id: string, parts: readonly string[]): boolean;
  /** What is watched, by name. */
  statesOf(data: unknown): ReadonlyMap<string, string>;
  /** The platform and the status of each part that counts, for the totals of many. */
  partsOf(data: unknown, awaited: Awaited): readonly (readonly [kind: string, status: string])[];
  /** What of a look before the call has to be kept while the wait lasts; without it all of it. */
  remember?(before: unknown): unknown;
  /** The parts that a call set going, by their ids, where the input names none; all where that is nothing. */
  startedBy?(before: unknown, answer: unknown): readonly string[] | undefined;
  /** When it is over whatever happens, as a timestamp. */
  expiresAt?(data: unknown): unknown;
  /** Where it cannot be done before some time: that time, and a clause that says so of this id. */
  notBefore?(data: unknown, awaited: Awaited, id: string): NotBefore | undefined;
  /** What a user should know of an answer while they wait. */
  remarks?(data: unknown): readonly string[];
  /** The command that waits for these ids again; without it the operation's own, which asks for a credential. */
  resume?(ids: readonly string[], awaited: Awaited): string;
}
