// Everything outside the program as one argument: streams, environment, clocks, randomness, prompts, folders. `main.ts`
// builds a `Host` from the process; `program.ts` completes it to the `Runtime` that all other code receives.

import type { Failure, Traffic } from './errors.ts';

/**
 * An output stream. `write` resolves when the text is accepted, also when the reader has closed the pipe (that is not
 * an error).
 */
export interface OutputStream {
  readonly isTTY: boolean;
  /** True for a pipe of a shell, whose reader may write to the same terminal at any moment. */
  readonly isPipe?: boolean;
  /** Width in columns, if it is known and positive. */
  readonly columns: number | undefined;
  /** Height in lines, if it is known and positive. */
  readonly rows?: number | undefined;
  write(text: string): Promise<void>;
  /** Set once the reader has closed the pipe: later output is not seen. */
  readonly gone?: boolean;
  /** The failure to report at the end if part of the output was lost. */
  failure?(): Failure | undefined;
}

/** Standard input. */
interface InputStream {
  readonly isTTY: boolean;
  /** Yields chunks until the end of the input, which is opened at the first one. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** A suggested answer. */
export type Offer = readonly [value: string, description: string];

export interface TextQuestion {
  readonly message: string;
  /** Answers to choose from; any other can be typed as well. */
  readonly offers?: readonly Offer[] | undefined;
  /** The answer for an empty line. */
  readonly initial?: string | undefined;
  validate(text: string): string | undefined;
  /** Cleans an answer before it is validated: an ID loses the spaces around it. */
  clean?(text: string): string;
}

export interface Choice<T> {
  readonly value: T;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly checked?: boolean | undefined;
}

/** Prompts for the person at the terminal. Each throws an `interrupted` failure on Ctrl-C. */
export interface Prompts {
  /** Asks yes or no; `usual` is the answer for Enter, false by default. */
  confirm(message: string, usual?: boolean): Promise<boolean>;
  /** Asks for a line of text; `validate` returns the problem with it. */
  text(question: TextQuestion): Promise<string>;
  /** Asks for a line of text without showing it. */
  secret(question: TextQuestion): Promise<string>;
  /** Offers any number of choices; `validate` checks them together. */
  checklist<T>(question: {
    readonly message: string;
    readonly choices: readonly Choice<T>[];
    validate?(values: readonly T[]): string | undefined;
  }): Promise<readonly T[]>;
}

/** The system's store for secrets, by name. Every call may reject, because the system need not have one. */
export interface Keychain {
  read(name: string): Promise<string | undefined>;
  write(name: string, secret: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/**
 * A line, or a block of lines, on stderr that shows what a command waits for. `text` is called each time it is drawn. A
 * line is erased when it stops; a block is drawn a last time and stays.
 */
export interface Progress {
  show(text: () => string): void;
  stop(): void;
}

/** Facts about the running program. */
interface ProgramFacts {
  /** Node's version, `v20.19.0`. */
  readonly node: string;
  /** `linux`, `darwin`, `win32` … */
  readonly platform: string;
  /** The processor: `x64`. */
  readonly arch: string;
  /** The folder of the built files. */
  readonly folder: string;
}

/** The secrets of this run, by value. */
export interface Secrets {
  /** Masks these texts until the returned function is called. */
  add(secrets: readonly string[]): () => void;
  /** Masks this access token from now on, in results too. */
  addToken(token: string): void;
  /** The text with a mask in place of each secret. */
  mask(text: string): string;
  /** Masks access tokens in the texts of a result. Returns the same value if there is none. */
  maskTokens(value: unknown): unknown;
  /** Masks every secret in the texts of a result, except those of its own call. Returns the same value if there is none. */
  maskExcept(value: unknown, own: readonly string[]): unknown;
}

export interface Host {
  readonly program: ProgramFacts;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Wall clock, milliseconds since 1970. For showing and for records, never for measuring. */
  readonly now: () => number;
  /** A clock that only goes forward, in milliseconds. */
  readonly monotonic: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Resolves after `ms` milliseconds; rejects at once with the reason when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted by the first Ctrl-C, with the `Failure` the command ends with. */
  readonly signal: AbortSignal;
  /** Calls `stop` on a second signal, a moment before the process ends. Returns a function that removes `stop`. */
  onUrgent(stop: () => void): () => void;
  /** Loads the prompts on first use. Call it only if both stdin and stderr are terminals. */
  readonly ask: (how: {
    readonly accessible: boolean;
    readonly colored: boolean;
  }) => Promise<Prompts>;
  /** Returns a line or a block that is redrawn in place, or `undefined` without a terminal of known width. */
  liveProgress(as?: 'block'): Promise<Progress | undefined>;
  keychain(): Promise<Keychain>;
  /** Opens an address of the web in the browser of this user. */
  browse?(url: string): Promise<void>;
  /** Counts the requests that may have reached the service, for the message of a command that was stopped. */
  readonly traffic?: Traffic | undefined;
  /** Set for a command that an agent runs: it is recorded as such, and confirms nothing in a protected context. */
  readonly agent?: {
    /** Aborts a change that was sent. `signal` only stops what is not sent yet. */
    readonly changeSignal: AbortSignal;
  };
  /** The folders for settings, and for state (sandbox, journals, history). Neither need exist. */
  configDir(): string;
  stateDir(): string;
  /** The home folder of this user. */
  homeDir(): string;
}

export interface Runtime extends Host {
  readonly secrets: Secrets;
  /** Writes a line for the user on stderr; nothing with `--quiet`. */
  readonly note: (line: string) => void;
  /** Registers `run` for the end of the command, whatever its result. */
  readonly onEnd: (run: () => void) => void;
}
