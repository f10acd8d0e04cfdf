// The outside as an argument: streams, environment, clock, randomness, standard input, where things are kept.
// Only `main.ts` builds one from the real process.

/** A place for text. `write` resolves when the text is taken, also when the reader has gone (a closed pipe is no fault). */
export interface Sink {
  readonly isTTY: boolean;
  /** Width in columns where it is known and positive. */
  readonly columns: number | undefined;
  write(text: string): Promise<void>;
}

/** Standard input. */
export interface Source {
  readonly isTTY: boolean;
  /** Chunks until the end; opened at the first one asked for. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Questions to the person at the terminal. Each throws an `interrupted` failure on Ctrl-C. */
export interface Ask {
  confirm(message: string): Promise<boolean>;
}

export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Wall clock, milliseconds since 1970. For showing and for records, never for measuring. */
  readonly now: () => number;
  /** A clock that only goes forward, in milliseconds. */
  monotonic(): number;
  /** A number in [0, 1). */
  random(): number;
  /** Resolves after `ms` milliseconds; rejects at once when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Aborted by the first Ctrl-C, with the `Failure` the command ends with. */
  readonly signal: AbortSignal;
  /** The one who asks; loaded when first needed. Only where both stdin and stderr are terminals. */
  ask(): Promise<Ask>;
  /** The folder for settings, and the one for state (sandbox, journals, history). Neither need exist. */
  configDir(): string;
  stateDir(): string;
}
