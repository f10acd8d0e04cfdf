// Everything outside the program as an argument: streams, environment, clocks, randomness, prompts, folders. `main.ts`
// builds a `Host` from the process; `program.ts` makes it the `Runtime` that all else is given.

import type { Failure, Traffic } from './errors.ts';

/**
 * A place for text. `write` resolves when the text is taken, also when the reader has gone (a closed pipe is no fault).
 */
export interface OutputStream {
  readonly isTTY: boolean;
  /** Width in columns where it is known and positive. */
  readonly columns: number | undefined;
  /** Height in lines where it is known and positive. */
  readonly rows?: number | undefined;
  write(text: string): Promise<void>;
  /** Set once the reader has gone: what is written from then on nobody sees. */
  readonly gone?: boolean;
  /** The failure that will be reported after all is written, because a part of it could not be shown. */
  failure?(): Failure | undefined;
}

/** Standard input. */
interface InputStream {
  readonly isTTY: boolean;
  /** Chunks until the end; opened at the first one asked for. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** An answer that is offered, and what it is. */
export type Offer = readonly [value: string, word: string];

export interface TextQuestion {
  readonly message: string;
  /** Answers to pick from; any other can be typed as well. */
  readonly offers?: readonly Offer[] | undefined;
  /** Taken when nothing is typed. */
  readonly initial?: string | undefined;
  validate(text: string): string | undefined;
  /** Cleans an answer before it is judged: an ID loses the spaces around it. */
  clean?(text: string): string;
}

export interface Choice<T> {
  readonly value: T;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly checked?: boolean | undefined;
}

/** Questions to the person at the terminal. Each throws an `interrupted` failure on Ctrl-C. */
export interface Prompts {
  /** Yes or no; Enter alone is `usual`, which is no unless it is said. */
  confirm(message: string, usual?: boolean): Promise<boolean>;
  /** A line of text, judged when it is given: `validate` says what is wrong with it. */
  text(question: TextQuestion): Promise<string>;
  /** A line of text that is not shown. */
  secret(question: TextQuestion): Promise<string>;
  choose<T>(question: {
    readonly message: string;
    readonly choices: readonly Choice<T>[];
  }): Promise<T>;
  /** Any number of choices; `validate` judges them together. */
  checklist<T>(question: {
    readonly message: string;
    readonly choices: readonly Choice<T>[];
    validate?(values: readonly T[]): string | undefined;
  }): Promise<readonly T[]>;
}

/** A place of the system for secrets, by name. Every call may reject: there need not be one. */
export interface Keychain {
  read(name: string): Promise<string | undefined>;
  write(name: string, secret: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Shows on stderr what a command waits for: a line that changes with time, asked for whenever it is drawn. */
export interface Progress {
  show(line: () => string): void;
  stop(): void;
}

/** The program as it runs. */
export interface Program {
  /** Node's version, `v20.19.0`. */
  readonly node: string;
  /** `linux`, `darwin`, `win32` …, and the processor, `x64`. */
  readonly platform: string;
  readonly arch: string;
  /** The folder of the built files. */
  readonly folder: string;
}

/** Secrets known by their value. */
export interface Secrets {
  /** Masks these texts until the returned function is called. */
  add(secrets: readonly string[]): () => void;
  /** Masks this access token from now on, in results too. */
  addToken(token: string): void;
  /** The text with a mask in place of each secret. */
  mask(text: string): string;
  /** A result with a mask in place of each access token in its texts; the same value where there is none. */
  maskTokens(value: unknown): unknown;
}

export interface Host {
  readonly program: Program;
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
  /**
   * `stop` is called at a second signal, and there is a second to end in; without any the process ends there and then.
   */
  onUrgent(stop: () => void): () => void;
  /** The one who asks; loaded when first needed. Only where both stdin and stderr are terminals. */
  ask(accessible?: boolean): Promise<Prompts>;
  /** A view drawn in place, on a terminal of known width; `undefined` where there is none. */
  liveProgress(): Promise<Progress | undefined>;
  keychain(): Promise<Keychain>;
  /** The folder for settings, and the one for state (sandbox, journals, history). Neither need exist. */
  configDir(): string;
  stateDir(): string;
}

export interface Runtime extends Host {
  readonly secrets: Secrets;
  /** Writes a line for the user on stderr, beside the result; nothing with `--quiet`. */
  readonly note: (line: string) => void;
  /** Counts the requests to the service of which a byte may have left, for what is said of a command that was stopped. */
  readonly traffic?: Traffic | undefined;
  /** `run` is called when the command has ended, however it did. */
  readonly onEnd: (run: () => void) => void;
}
