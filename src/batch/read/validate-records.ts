// The records of a batch: all are read, validated and compared before anything is sent. Equal records are merged; two
// that overlap in another way would send a part twice, and are an error.

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Input, type Operation, idOf } from '../../api/operations/define-operation.ts';
import { fieldsOf, partWord } from '../../api/operations/fields.ts';
import { type Fault, unsentFailure, usageFailure } from '../../base/errors.ts';
import { hashOf } from '../../base/hash.ts';
import type { Runtime } from '../../base/runtime.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { withSuggestions } from '../../base/suggestions.ts';
import { validateInput } from '../../input/validate-input.ts';
import { HASHED } from '../journal/format.ts';
import type { LeftToDo } from '../journal/journal.ts';
import { type BatchSettings, type Shard, isInShard } from '../options.ts';
import type { PreparedCall } from '../../input/collect-input.ts';
import type { ParsedRecord } from './json.ts';
import { STDIN } from './list.ts';

/** A record to do: one call, with its state in the journal. */
export interface BatchRecord {
  /** The position of the record in its list: of a line, of a value in JSON, or of the typed ID. */
  readonly line: number;
  /** The input, with each part once; of a resumed batch only those that are left to do. */
  readonly input: Input;
  /** The key of the record in the journal: equal for all records of one resource. */
  readonly key: string;
  /** The state in which an earlier run left the record. */
  readonly past?: LeftToDo['past'];
  /**
   * Parts that an earlier run has sent and that are not done: they are not sent again, and waited for with the others.
   */
  readonly underWay?: readonly string[] | undefined;
}

/** Returns the words for a record in messages: its ID, and its position if it is of a list. */
export function labelOf(
  { line, input }: BatchRecord,
  unit: string | undefined,
  mask: (text: string) => string,
): string {
  const id = sanitizeLine(mask(idOf(input)));
  return unit === undefined ? id : `${unit} ${line}: ${id}`;
}

/** The records of a list, or of the command line. */
export interface RecordList {
  /** Its name in messages. */
  readonly name: string;
  /** The unit of positions in messages; `undefined` for typed IDs, which need no position. */
  readonly unit?: string | undefined;
  readonly parsed: readonly ParsedRecord[];
}

/** The unit of positions in a list that does not say it. */
const UNIT = 'record';
const MAX_FAULTS = 20;
/** The number of records after which signals are handled. */
const SLICE = 5000;

type Prepared = Pick<PreparedCall, 'operation' | 'fields' | 'shared'>;

/** The records to do, and how many others the list has. */
export interface ValidRecords {
  /** The records of this shard, each once. */
  readonly records: readonly BatchRecord[];
  /** The number of duplicates. */
  readonly repeated: number;
  /** The number of records without the requested value, skipped by --skip-missing. */
  readonly missing: number;
  readonly otherShards: number;
}

/** Validates all records. Throws one `usage` failure that lists the invalid lines, twenty at most. */
export async function validateRecords(
  { name, unit, parsed }: RecordList,
  prepared: Prepared,
  { shard, allowEmpty, skipMissing }: Pick<BatchSettings, 'shard' | 'allowEmpty' | 'skipMissing'>,
  runtime: Pick<Runtime, 'signal'>,
): Promise<ValidRecords> {
  const { operation, fields } = prepared;
  const { partsField = '' } = operation;
  const faults = new FaultList(name, unit);
  const complete = completer(prepared);
  const keyOf = keysOf(operation);
  const overlapOf = overlapFinder(partWord(operation));
  const records: BatchRecord[] = [];
  let [repeated, missing, otherShards] = [0, 0, 0];
  for (const [i, record] of parsed.entries()) {
    if (i % SLICE === SLICE - 1) await setImmediate();
    runtime.signal.throwIfAborted();
    const { line } = record;
    if ('fault' in record) {
      if (record.isMissing === true && skipMissing === true) missing++;
      else faults.add(line, [{ field: '', problem: record.fault }], record.isMissing);
      continue;
    }
    const completed = complete(record.input);
    const inputFaults = validateInput(operation, fields, completed);
    if (inputFaults.length > 0) {
      faults.add(line, inputFaults);
      continue;
    }
    const key = keyOf(completed);
    const named = namedParts(completed, operation);
    const parts = named && [...new Set(named)];
    const input = parts === undefined ? completed : { ...completed, [partsField]: parts };
    const overlap = overlapOf(key, parts, line);
    if (overlap === 'repeated') repeated++;
    else if (overlap !== undefined) {
      const problem = `overlaps with ${unit ?? UNIT} ${overlap.line}, which names ${overlap.what}`;
      faults.add(line, [{ field: '', problem }]);
    } else if (isOfShard(operation, input, shard)) records.push({ line, input, key });
    // It was validated all the same: each machine reports the faults of the whole list.
    else otherShards++;
  }
  faults.raise();
  if (records.length + otherShards === 0 && allowEmpty !== true) throw noRecords(name, missing);
  return { records, repeated, missing, otherShards };
}

/** Returns the parts that an input names; `undefined` for the whole, as `''` is the name of no field. */
export const namedParts = (
  input: Input,
  { partsField = '' }: Operation,
): readonly string[] | undefined => input[partsField] as readonly string[] | undefined;

/**
 * Makes the function that adds missing fields to a record, in declared order, so that equal records become equal JSON
 * text.
 */
function completer({ operation, shared }: Prepared): (typed: Input) => Input {
  const keys = Object.keys(operation.input.shape);
  const nothingShared = keys.every((name) => shared[name] === undefined);
  const filled = (record: Input): Input => {
    // A single field is complete and has no order.
    if (nothingShared && keys.length === 1) return record;
    const input: Record<string, unknown> = {};
    for (const name of keys) {
      const value = record[name] === undefined ? shared[name] : record[name];
      if (value !== undefined) input[name] = value;
    }
    return input;
  };
  if (operation.complete === undefined) return filled;
  // `complete` needs the shared values, and may add fields in another order. Its notes are for a single call.
  return (record) => filled(operation.complete!(filled(record), () => undefined));
}

/** Formats a fault; that of a whole record has no field. */
const sentence = ({ field, problem, fix }: Fault) =>
  `${field} ${problem}${fix === undefined ? '' : `; ${fix}`}`.trimStart();

/** Collects faults: the first lines in words, the rest as a number. */
class FaultList {
  readonly #name: string;
  readonly #unit: string;
  readonly #details: Fault[] = [];
  /** The positions of each problem. */
  readonly #positions = new Map<string, Set<number>>();
  #count = 0;
  #isAnyMissing = false;

  constructor(name: string, unit = UNIT) {
    this.#name = name;
    this.#unit = unit;
  }

  add(line: number, faults: readonly Fault[], isMissing = false): void {
    this.#isAnyMissing ||= isMissing;
    if (++this.#count > MAX_FAULTS) return;
    const problem = withSuggestions(faults).map(sentence).join('; ');
    this.#details.push({ field: `${this.#unit} ${line}`, problem });
    this.#positions.set(problem, (this.#positions.get(problem) ?? new Set()).add(line));
  }

  /** Throws the failure with all faults, if there are any. */
  raise(): void {
    if (this.#count === 0) return;
    const units = (count: number) => (count === 1 ? this.#unit : `${this.#unit}s`);
    const why = [...this.#positions].map(
      ([problem, lines]) => `${units(lines.size)} ${[...lines].join(', ')}: ${problem}`,
    );
    const more = this.#count - this.#details.length;
    throw unsentFailure('usage', {
      what: `${this.#count} invalid ${units(this.#count)} in ${this.#name}; nothing was sent`,
      why: more > 0 ? [...why, `… ${more} more`] : why,
      details: this.#details,
      hint: this.#isAnyMissing ? '--skip-missing leaves out records without the value' : undefined,
    });
  }
}

const noRecords = (name: string, missing: number) =>
  usageFailure({
    field: '--from',
    problem:
      missing > 0
        ? `contains no records: all ${missing} in ${name} were skipped by --skip-missing`
        : `contains no records: no IDs ${name === STDIN ? 'on' : 'in'} ${name}`,
    fix: 'write one per line: an ID or a JSON object; --allow-empty accepts an empty list',
  });

/** 132 bits of a SHA-256, which do not reveal a text or a credential. */
const HASH_LENGTH = 22;

/** Returns the input without its named parts, as JSON text that is equal for all records of one resource. */
function wholeOf({ partsField = '' }: Operation, input: Input): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).filter(([name]) => name !== partsField)),
  );
}

/** Makes the function that returns the key of an input: its ID, or a hash of an input with more than an ID. */
function keysOf(operation: Operation): (input: Input) => string {
  const { partsField = '' } = operation;
  const [first, ...more] = fieldsOf(operation).filter(({ name }) => name !== partsField);
  // The journal must not contain a credential, such as the ID of a pairing.
  const isKeyOfId = first !== undefined && more.length === 0 && !first.hidden;
  const hashed = (input: Input) => {
    const hash = createHash('sha256').update(wholeOf(operation, input)).digest('base64url');
    return HASHED + hash.slice(0, HASH_LENGTH);
  };
  return isKeyOfId ? (input) => String(input[first.name]) : hashed;
}

/**
 * True if a record belongs to this shard. All records of one resource do, because another machine does not know which
 * parts they name.
 */
const isOfShard = (operation: Operation, input: Input, shard: Shard | undefined): boolean =>
  shard === undefined || isInShard(hashOf(wholeOf(operation, input)), shard);

/** An earlier record that names the same part or whole, by its position. */
interface Overlap {
  readonly line: number;
  /** The words for what it names. */
  readonly what: string;
}

/** Makes the function that compares a record with those before it. It returns `repeated` if an equal one was there. */
function overlapFinder(word: string) {
  const texts = new Set<string>();
  /** The position of the first record that names a part, or a whole, by the words for that. */
  const lines = new Map<string, number>();
  /** The words for the first part that a record named, by the key of the whole: with it a later whole overlaps. */
  const firstPartOf = new Map<string, string>();
  return (
    key: string,
    parts: readonly string[] | undefined,
    line: number,
  ): 'repeated' | Overlap | undefined => {
    const text = JSON.stringify([key, parts?.toSorted()]);
    if (texts.has(text)) return 'repeated';
    texts.add(text);
    const whole = `all of ${key}`;
    const named = parts?.map((part) => `${word} ${part} of ${key}`) ?? [whole];
    const first = firstPartOf.get(key);
    // An equal whole has returned above, so a whole can only overlap with a part.
    const rivals = parts === undefined ? [first] : [whole, ...named];
    const what = rivals.find((name) => name !== undefined && lines.has(name));
    const overlap = what === undefined ? undefined : { line: lines.get(what)!, what };
    if (parts !== undefined && first === undefined) firstPartOf.set(key, named[0]!);
    for (const name of named) if (!lines.has(name)) lines.set(name, line);
    return overlap;
  };
}
