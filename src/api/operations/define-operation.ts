// An operation is data from which everything else is derived. It never prints, sends, asks or reads.

import type { CommandLine, SocialCommand } from '../../base/shell.ts';
import * as z from 'zod/mini';
import type { Method } from '../../base/http.ts';
import type { AccountPlatform } from '../schema/platforms.ts';
import type { Acceptance } from './part-states.ts';
import type { Settlement, SettlingRead, UnknownChange } from './settle.ts';

/** Examples for help, also run against the sandbox: lines by their purposes. */
export type Examples = Readonly<Record<string, string>>;

/**
 * Returns the text at a path of a response, else of the input, or of the input alone at `input.…`; `undefined` if there
 * is none.
 */
export type Said = (path: string) => string | undefined;

/** The data that an operation declares. */
interface Declaration {
  /** The command words. `{field}` makes one command for each value of that field's enumeration. */
  readonly command: string;
  /** One line, imperative, without a full stop. */
  readonly summary: string;
  /** A text that a user should read before running it. */
  readonly details?: string | undefined;
  readonly method: Method;
  /** The path with `{placeholders}`, each a field of `input`. */
  readonly path: string;
  /** The platform on which its account must be, if it needs one. */
  readonly platform?: AccountPlatform;
  /** Fields that are sent in the query although the method has a body. */
  readonly query?: readonly string[];
  /** The field of the result with the rows of a table; without it the result is one row. */
  readonly rows?: string | undefined;
  /** Dotted paths of the result shown above the rows. */
  readonly header?: readonly string[];
  /** Dotted paths of a row shown in tables, the most important first: narrow terminals drop from the end. */
  readonly columns: readonly string[];
  /** Returns the columns that say nothing about this result any more; tables for people leave them out. */
  outdated?(data: unknown, now: number): readonly string[];
  /**
   * The field that lists parts of the resource, such as targets. An input without it is about all of them; two inputs
   * that share a part would act on it twice.
   */
  readonly partsField?: string;
  /** How to wait for its result after the call. */
  readonly wait?: Wait;
  /** The words before the ID in the question for confirmation: `Retry post`. */
  readonly question?: string;
  /** A sentence that names the loss, if the change is destructive; the user has to confirm it. */
  readonly danger?: string | undefined;
  /**
   * The sentence for a change that was made, or waited for: what is so now. `said` returns the text of a field, by its
   * path in the response, or `input.…`.
   */
  done?(said: Said, isWaitedFor: boolean): string;
  /** True if a second call very likely changes nothing more, because it only sets values. It is still not retried. */
  readonly onlySetsValues?: boolean;
  /** Says of an ID that the service does not know where the right one stands, and which ID was probably meant. */
  meant?(id: string): { readonly hint: string; readonly id?: string | undefined };
  /** Fills in a missing value that follows from the others; `note` gets what the user should know of it. */
  complete?(input: Input, note: (line: string) => void): Input;
  /**
   * A way to see whether a change was applied when its response was lost: a command with the IDs of `{fields}`, or
   * advice.
   */
  readonly inspect?: SocialCommand | string | undefined;
  /** The read that shows whether a change was applied; without it no read can. */
  readonly settle?: Settle;
  readonly examples: Examples;
}

export interface Operation<
  InputSchema extends z.ZodMiniObject = z.ZodMiniObject,
  ResultSchema extends z.ZodMiniObject = z.ZodMiniObject,
> extends Declaration {
  /**
   * A flat and strict object. A field that is not in the path is sent as query (GET, DELETE, or named in `query`) or as
   * JSON.
   */
  readonly input: InputSchema;
  readonly result: ResultSchema;
  readonly query: readonly string[];
  readonly header: readonly string[];
  readonly onlySetsValues: boolean;
  /** The paths that are shown: those of the header, then those of a row. */
  readonly shownPaths: readonly string[];
  /** The part of the request in which each field is sent. */
  readonly places: FieldPlaces;
  /** The IDs of the input with the keys under which a response repeats them. */
  readonly repeatedIds: readonly (readonly [field: string, key: string])[];
  /**
   * True if its request may use a connection that another one has used, which the service may close at that moment.
   * That is safe for a read whose response names the resource, and for a change that can be repeated or settled.
   */
  readonly sharesConnection: boolean;
}

/** The wait of an operation: how a response is judged, what is shown of it, and which command resumes the wait. */
export interface Wait {
  /** The read to poll, with the fields of the same name in its path. Without it the operation polls itself. */
  readonly poll?: Operation;
  /** The description of `--wait` in help. */
  readonly summary: string;
  /** The word for success: `published`. */
  readonly reached: string;
  /** The interval of its polls if a person stands beside it: the shortest one, and it does not grow. */
  readonly everyMs?: number;
  /** Returns the time at which it ends by itself, by the service's clock in milliseconds since 1970. */
  endsAt?(data: unknown): number | undefined;
  /** Returns its stages in their order, for a person who watches it. */
  stagesOf?(data: unknown): readonly Stage[];
  judge(data: unknown, subject: WaitSubject, time: PollTime): WaitVerdict;
  /** Returns the watched statuses, by name. */
  statesOf(data: unknown): ReadonlyMap<string, string>;
  /**
   * Returns the parts to wait for after a change that named none, by the post before it and the response; `undefined`
   * for all.
   */
  partsOf?(before: unknown, response: unknown): readonly string[] | undefined;
  /** Makes the command that waits for these IDs again; without it, the command of the polled read. */
  resume?(ids: CommandLine, subject: WaitSubject): SocialCommand;
}

/** A stage of a wait: behind, at this moment, or ahead. The words may be those of the service. */
export type Stage = readonly [place: 'done' | 'now' | 'bad' | 'odd' | 'next', words: string];

/** The state of a wait, judged by one response. */
export interface WaitVerdict {
  readonly state: 'pending' | 'done' | 'ended_badly';
  /** The state as a clause: `1 of 2 targets finished`; after a failure, all failed parts. */
  readonly standing: string;
  /** The IDs of the failed parts. */
  readonly bad?: readonly string[];
  /** Their number, without their names: `1 of 2 targets failed`. */
  readonly result?: string;
  /** The IDs of the parts that are done. */
  readonly good?: readonly string[];
  /** Advice after a failure. */
  readonly hint?: string;
  /** Warnings about the response for a user who waits. */
  readonly remarks?: readonly string[];
  /** The earliest time at which it can be done. */
  readonly dueAt?: string | undefined;
}

/** The parts that a wait is for, and the changes of them that were accepted. */
export interface WaitSubject {
  /** The IDs of the parts to wait for; all of them without it. */
  readonly wanted?: readonly string[] | undefined;
  /** The acceptance of the change of each part; a part without one is judged as it is. */
  readonly accepted?: ReadonlyMap<string, Acceptance> | undefined;
}

/** The circumstances of a poll. */
export interface PollTime {
  /** Milliseconds since the wait began. */
  readonly elapsedMs: number;
  /** The server's own clock, in milliseconds since 1970; without one, that of this machine. */
  readonly now: number;
  /** The server's own clock, if the response has it. */
  readonly serverTime?: number | undefined;
  /** True for a response that a cache has kept. */
  readonly isCached?: boolean;
  /** The newest time of change that a poll has shown of each part; `judge` adds what this one shows. */
  readonly newest?: Map<string, number>;
}

/** Finds out, by a read only, the outcome of a change whose response was lost. */
export interface Settle {
  /** The read, with the fields of the same name in its path. */
  readonly read: Operation;
  /** The word for what is read: `post`. */
  readonly noun: string;
  judge(data: unknown, read: SettlingRead, change: UnknownChange): Settlement;
  /** The command that repeats what failed, with the IDs of `{fields}`; without it, the line as it was typed. */
  readonly again?: SocialCommand;
}

export type InputOf<O> = O extends Operation<infer InputSchema> ? z.output<InputSchema> : never;
export type ResultOf<O> =
  O extends Operation<z.ZodMiniObject, infer ResultSchema> ? z.output<ResultSchema> : never;

/** Completes a declaration. A test checks the names in its texts, columns and `query` against input and result. */
export function operation<
  Shape extends z.core.$ZodLooseShape,
  ResultSchema extends z.ZodMiniObject,
>(
  declared: Declaration & { readonly input: Shape; readonly result: ResultSchema },
): Operation<z.ZodMiniObject<Shape, z.core.$strict>, ResultSchema> {
  const { query = [], header = [], onlySetsValues = false, rows, columns } = declared;
  const input = z.strictObject(declared.input);
  const withDefaults = { ...declared, query, header, onlySetsValues, input };
  const places = placesOf(withDefaults);
  const repeatedIds = repeatedIdsOf(places, declared);
  return {
    ...withDefaults,
    shownPaths: [
      ...header,
      ...columns.map((path) => (rows === undefined ? path : `${rows}.${path}`)),
    ],
    places,
    repeatedIds,
    // A read names its resource if the response repeats each ID of the path and each field of the query.
    sharesConnection: isChange(withDefaults)
      ? withDefaults.settle !== undefined || onlySetsValues || isIdempotent(withDefaults)
      : repeatedIds.length > 0 && repeatedIds.length >= places.path.length + places.query.length,
  };
}

/** A response repeats an ID under its name; the last ID of the path is its `id`. */
function repeatedIdsOf(
  { path }: FieldPlaces,
  { input, result }: { readonly input: z.core.$ZodLooseShape; readonly result: z.ZodMiniObject },
): Operation['repeatedIds'] {
  const ids = Object.keys(input).filter((name) => /^id$|Id$/.test(name));
  const same = ids.filter((name) => name in result.shape).map((name) => [name, name] as const);
  const last = path.at(-1);
  return last !== undefined && 'id' in result.shape ? [...same, [last, 'id']] : same;
}

/** The part of the request in which each field is sent. A body is sent exactly if a body field is declared. */
export interface FieldPlaces {
  readonly path: readonly string[];
  /**
   * Query fields are sent under their own names. The API document does not show the names of four query parameters:
   * `accountId` and `subreddit` are assumed, only here, and `--query name=value` adds or overrides any.
   */
  readonly query: readonly string[];
  readonly body: readonly string[];
}

function placesOf(declared: Pick<Operation, 'path' | 'input' | 'method' | 'query'>): FieldPlaces {
  const path = [...declared.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const rest = Object.keys(declared.input.shape).filter((field) => !path.includes(field));
  const bodiless = declared.method === 'GET' || declared.method === 'DELETE';
  const query = rest.filter((field) => bodiless || declared.query.includes(field));
  return { path, query, body: rest.filter((field) => !query.includes(field)) };
}

/** Returns the value that identifies an input: its first. An input has the order in which the fields are declared. */
export const idOf = (input: Input): string => String(Object.values(input)[0]);

/** Selects the fields of an input that are in the path of the polled read. */
export const pollInput = (poll: Operation, input: Input): Input =>
  Object.fromEntries(poll.places.path.map((name) => [name, input[name]]));

/** Returns the ID of the resource that is waited for: the first in the path of the read. */
export const polledId = ({ wait, places }: Operation, input: Input): string =>
  String(input[(wait?.poll?.places ?? places).path[0]!]);

/** True if the operation changes anything at the service. */
export const isChange = ({ method }: Pick<Operation, 'method'>): boolean => method !== 'GET';

/** True if a second call changes nothing more, by its method. */
export const isIdempotent = ({ method }: Pick<Operation, 'method'>): boolean =>
  method === 'GET' || method === 'PUT' || method === 'DELETE';

/** The effect of running a command again: nothing, the same, one more (a second message or endpoint), or a loss. */
export type Effect = 'reads' | 'sets' | 'once' | 'takes away';

export function effectOf(
  declared: Pick<Operation, 'danger' | 'method' | 'onlySetsValues'>,
): Effect {
  if (declared.danger !== undefined) return 'takes away';
  if (!isChange(declared)) return 'reads';
  return declared.onlySetsValues || isIdempotent(declared) ? 'sets' : 'once';
}

export type Input = Readonly<Record<string, unknown>>;

/** Returns the values in a path by their fields, still encoded; `undefined` if it is not a path of the operation. */
export function valuesInPath(
  { path: template }: Operation,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const pattern = template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const match = new RegExp(`^${pattern}$`).exec(path);
  return match === null ? undefined : { ...match.groups };
}
