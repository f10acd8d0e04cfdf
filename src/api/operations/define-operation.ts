// An operation is data that everything else is a projection of. It never prints, sends, asks or reads.

import * as z from 'zod/mini';
import type { Method } from '../../base/http.ts';
import type { AccountPlatform } from '../schema/platforms.ts';
import type { SentChange, Settlement } from './settle.ts';

/** A command that is shown in help and run against the sandbox: what it does, and the line itself. */
export type Example = readonly [purpose: string, line: string];

/** The data that an operation declares. */
interface Declaration {
  /** The words that are typed. `{field}` projects to one command for each value of that field's enumeration. */
  readonly command: string;
  /** One line, imperative, without a full stop. */
  readonly summary: string;
  /** Paragraphs that a user should read before running it. */
  readonly details?: readonly string[];
  readonly method: Method;
  /** The path with `{placeholders}`, each a field of `input`. */
  readonly path: string;
  /** The platform that its account has to be on, where it needs one. */
  readonly platform?: AccountPlatform;
  /** Fields that travel in the query although the method has a body. */
  readonly query?: readonly string[];
  /** The field of the result that holds one row each; without it the result is one row. */
  readonly rows?: string | undefined;
  /** Dotted paths of the result shown above the rows. */
  readonly header?: readonly string[];
  /** Dotted paths of a row shown in tables, the most telling first: narrow terminals drop from the end. */
  readonly columns: readonly string[];
  /**
   * The field that lists parts of what the operation is about. An input without it is about all of them; two inputs
   * that share a part would do it twice.
   */
  readonly parts?: string;
  /** How to wait for its result after the call. */
  readonly wait?: Wait;
  /** The words before the ID in the question for confirmation: `Retry post`. */
  readonly action?: string;
  /** A sentence that names the loss, where this takes something away; the user is asked before. */
  readonly danger?: string | undefined;
  /** It only sets what it names: a second call very likely changes nothing more. It is not repeated for that. */
  readonly sets?: boolean;
  /** Finds out whether a change happened when no answer came: a command with `{placeholders}`, or advice. */
  readonly inspect?: string | undefined;
  /** How a read shows whether a change happened; without it none can. */
  readonly settle?: Settle;
  readonly examples: readonly Example[];
}

export interface Operation<
  InputSchema extends z.ZodMiniObject = z.ZodMiniObject,
  ResultSchema extends z.ZodMiniObject = z.ZodMiniObject,
> extends Declaration {
  /** Flat and strict. A field that is not in the path travels as query (GET, DELETE, or named in `query`) or as JSON. */
  readonly input: InputSchema;
  readonly result: ResultSchema;
  readonly details: readonly string[];
  readonly query: readonly string[];
  readonly header: readonly string[];
  readonly sets: boolean;
  /** Where each field travels. */
  readonly places: FieldLocations;
  /** The ids of the input with the keys under which an answer repeats them. */
  readonly repeats: readonly (readonly [field: string, key: string])[];
  /**
   * Its request may use a connection that another one has used, which the service may close at that moment. A read may
   * where its answer names what was asked for, and a change where its unknown outcome can be found out or it can be
   * repeated.
   */
  readonly sharesConnection: boolean;
}

/** The wait of an operation: how an answer is judged, what is shown of it, and which command takes the wait up again. */
export interface Wait {
  /** The read that polls, with the fields of the same name in its path. Without it the operation polls itself. */
  readonly poll?: Operation;
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

/** Finds out, by a read alone, what became of a change whose answer was lost. */
export interface Settle {
  /** The read, with the fields of the same name in its path. */
  readonly read: Operation;
  judge(data: unknown, change: SentChange): Settlement;
  /** The command that repeats what failed, with `{placeholders}`; without it the line as it was typed. */
  readonly again?: string;
}

export type InputOf<O> = O extends Operation<infer InputSchema> ? z.output<InputSchema> : never;
export type ResultOf<O> =
  O extends Operation<z.ZodMiniObject, infer ResultSchema> ? z.output<ResultSchema> : never;

/** Declares an operation. A test holds the names in its texts, columns and `query` against input and result. */
export function operation<
  Shape extends z.core.$ZodLooseShape,
  ResultSchema extends z.ZodMiniObject,
>(
  declared: Declaration & { readonly input: Shape; readonly result: ResultSchema },
): Operation<z.ZodMiniObject<Shape, z.core.$strict>, ResultSchema> {
  const { details = [], query = [], header = [], sets = false } = declared;
  const input = z.strictObject(declared.input);
  const whole = { ...declared, details, query, header, sets, input };
  const places = sortFields(whole);
  const repeats = repeatedIds(places, declared);
  return {
    ...whole,
    places,
    repeats,
    sharesConnection: isChange(whole)
      ? whole.settle !== undefined || mutationOf(whole) !== 'once'
      : repeats.length > 0 && repeats.length >= places.path.length + places.query.length,
  };
}

/** An answer repeats an id under its own name; what the path ends with is its `id`. */
function repeatedIds(
  { path }: FieldLocations,
  { input, result }: { readonly input: z.core.$ZodLooseShape; readonly result: z.ZodMiniObject },
): Operation['repeats'] {
  const ids = Object.keys(input).filter((name) => /^id$|Id$/.test(name));
  const same = ids.filter((name) => name in result.shape).map((name) => [name, name] as const);
  const last = path.at(-1);
  return last !== undefined && 'id' in result.shape ? [...same, [last, 'id']] : same;
}

/** Where each input field travels. A body is sent exactly when a body field is declared. */
export interface FieldLocations {
  readonly path: readonly string[];
  /**
   * A field travels under its own name. The API document does not show the names of four query parameters: `accountId`
   * and `subreddit` are assumed, here alone, and `--query name=value` adds or overrides any.
   */
  readonly query: readonly string[];
  readonly body: readonly string[];
}

function sortFields(
  declared: Pick<Operation, 'path' | 'input' | 'method' | 'query'>,
): FieldLocations {
  const path = [...declared.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const rest = Object.keys(declared.input.shape).filter((field) => !path.includes(field));
  const bodiless = declared.method === 'GET' || declared.method === 'DELETE';
  const query = rest.filter((field) => bodiless || declared.query.includes(field));
  return { path, query, body: rest.filter((field) => !query.includes(field)) };
}

/** The first value of an input, an id or a name, which names it. */
export const idOf = (input: Input): string => String(Object.values(input)[0]);

/** The fields of an input that the read of a wait takes: those in its path. */
export const pollInput = (poll: Operation, input: Input): Input =>
  Object.fromEntries(poll.places.path.map((name) => [name, input[name]]));

/** The id of what is waited for. */
export const polledId = ({ wait, places }: Operation, input: Input): string =>
  String(input[(wait?.poll?.places ?? places).path[0]!]);

/** Tells whether the operation changes anything at the service. */
export const isChange = ({ method }: Pick<Operation, 'method'>): boolean => method !== 'GET';

/**
 * The effect of a second call with the same input. `none`: reads alone. `idempotent`: nothing more, by its method.
 * `set`: very likely nothing more. `once`: the thing again, a second message or endpoint.
 */
export type Mutation = 'none' | 'idempotent' | 'set' | 'once';

export function mutationOf({ method, sets }: Pick<Operation, 'method' | 'sets'>): Mutation {
  if (method === 'GET') return 'none';
  if (method === 'PUT' || method === 'DELETE') return 'idempotent';
  return sets ? 'set' : 'once';
}

/** The effect of a command that is run again: nothing, the same, one more, or a loss. */
export type Effect = 'reads' | 'sets' | 'once' | 'takes away';

const effects = { none: 'reads', idempotent: 'sets', set: 'sets', once: 'once' } as const;

export const effectOf = (given: Operation): Effect =>
  given.danger === undefined ? effects[mutationOf(given)] : 'takes away';

export type Input = Readonly<Record<string, unknown>>;
