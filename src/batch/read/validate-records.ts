// The records of a batch: all are read, validated and compared before anything is sent. Equal records are merged; two
// that overlap in another way would send a target twice, and are an error.

import { type Input, type Operation, idOf } from '../../api/operations/define-operation.ts';
import { fieldsOf, partWord } from '../../api/operations/fields.ts';
import { inTurns } from '../../base/abort.ts';
import { type Failure, unsentFailure, usageFailure } from '../../base/errors.ts';
import type { Fault } from '../../base/fault.ts';
import { hashOf, sha256 } from '../../base/hash.ts';
import { sanitizeLine } from '../../base/sanitize.ts';
import { withSuggestions } from '../../base/suggestions.ts';
import { validateInput } from '../../input/validate-input.ts';
import { HASHED } from '../journal/format.ts';
import { type BatchOptions, type Shard, isInShard } from '../options.ts';
import type { OperationCall } from '../../input/collect-input.ts';
import type { ParsedRecord } from './list-ids.ts';
import { STDIN } from './list.ts';

/** A record to do: one call. */
export interface BatchRecord {
  /** The position of the record in its list: of a line, of a value in JSON, or of the typed ID. */
  readonly line: number;
  /** The input, with each target once. */
  readonly input: Input;
  /** The key of the record in the journal: equal for all records of one post, whichever targets they name. */
  readonly key: string;
}

/** Where records come from: typed IDs need no position in messages. */
export interface RecordSource {
  readonly source: 'typed' | 'list';
  /** The unit in which positions in messages count. */
  readonly unit: 'line' | 'record';
}

/** Returns the words for a record in messages: its ID, and its position if it is of a list. */
export function labelOf(
  { line, input }: BatchRecord,
  { source, unit }: RecordSource,
  mask: (text: string) => string,
): string {
  const id = sanitizeLine(mask(idOf(input)));
  return source === 'typed' ? id : `${unit} ${line}: ${id}`;
}

/** The records of a list, or of the command line. */
export interface RecordList extends RecordSource {
  /** Its name in messages. */
  readonly name: string;
  readonly parsed: readonly ParsedRecord[];
  /** The numbers of lines and rows that were skipped before. */
  readonly comments?: number;
  readonly blankRows?: number;
  readonly headers?: number;
}

const MAX_FAULTS = 20;

type RecordFields = Pick<OperationCall, 'operation' | 'fields' | 'shared'>;

/**
 * Validates all records. Returns those of this shard, each once, with the number of duplicates, of those that
 * --skip-missing skipped, and of those in other shards. Throws one `usage` failure that lists the invalid lines, twenty
 * at most.
 */
export async function validateRecords(
  { name, unit, parsed, comments = 0 }: RecordList,
  call: RecordFields,
  { shard, allowEmpty, skipMissing }: Pick<BatchOptions, 'shard' | 'allowEmpty' | 'skipMissing'>,
  signal: AbortSignal,
) {
  const { operation, fields } = call;
  const { partsField = '' } = operation;
  const invalid: InvalidRecord[] = [];
  const complete = completer(call);
  const keyOf = keysOf(operation);
  const texts = new Set<string>();
  const overlapOf = overlapFinder(partWord(operation), unit);
  const records: BatchRecord[] = [];
  let [repeated, missing, otherShards] = [0, 0, 0];
  const take = (record: ParsedRecord): void => {
    const { line } = record;
    if ('fault' in record) {
      const { fault: problem, isMissing = false } = record;
      if (isMissing && skipMissing === true) missing++;
      else invalid.push({ line, problem, isMissing });
      return;
    }
    const completed = complete(record.input);
    const inputFaults = validateInput(operation, fields, completed);
    if (inputFaults.length > 0) {
      invalid.push({ line, problem: withSuggestions(inputFaults).map(sentence).join('; ') });
      return;
    }
    const key = keyOf(completed);
    const named = namedTargets(completed, operation);
    const targets = named && [...new Set(named)];
    const input = targets === undefined ? completed : { ...completed, [partsField]: targets };
    const text = JSON.stringify([key, targets?.toSorted()]);
    if (texts.has(text)) {
      repeated++;
      return;
    }
    texts.add(text);
    const overlap = overlapOf(key, targets, line);
    if (overlap !== undefined) invalid.push({ line, problem: overlap });
    else if (isOfShard(operation, input, shard)) records.push({ line, input, key });
    // Records of other shards are validated too, so that each machine reports the faults of the whole list.
    else otherShards++;
  };
  for await (const some of inTurns(parsed, signal)) some.forEach(take);
  const valid = records.length + otherShards;
  // If the value is missing everywhere, leaving out these records leaves nothing.
  if (invalid.length > 0) throw invalidRecords(invalid, name, { unit, isAnyValid: valid > 0 });
  if (valid === 0 && allowEmpty !== true) throw noRecords(name, { missing, comments });
  return { records, repeated, missing, otherShards };
}

/** The IDs of the targets that a record names; `undefined` if it is for the whole post. */
type Targets = readonly string[] | undefined;

/** Returns the targets (the parts of a resource) that an input names; `undefined` if it is for the whole. */
export const namedTargets = (input: Input, { partsField = '' }: Operation): Targets =>
  input[partsField] as Targets;

/**
 * Makes the function that adds missing fields to a record, in declared order, so that equal records become equal JSON
 * text.
 */
function completer({ operation, shared }: RecordFields): (typed: Input) => Input {
  const filled = (record: Input): Input => {
    const input: Record<string, unknown> = {};
    for (const name of Object.keys(operation.input.shape)) {
      const value = record[name] === undefined ? shared[name] : record[name];
      if (value !== undefined) input[name] = value;
    }
    return input;
  };
  if (operation.complete === undefined) return filled;
  // `complete` needs the shared values, and may add fields in another order. A batch does not print its notes.
  return (record) => filled(operation.complete!(filled(record), () => undefined));
}

interface InvalidRecord {
  readonly line: number;
  /** All its faults in words. */
  readonly problem: string;
  /** True if --skip-missing would skip it. */
  readonly isMissing?: boolean;
}

const sentence = ({ field, problem, fix }: Fault) =>
  `${field} ${problem}${fix === undefined ? '' : `; ${fix}`}`;

/** Makes the failure: one line for each different problem, with its records, and the number of records not shown. */
function invalidRecords(
  invalid: readonly InvalidRecord[],
  name: string,
  { unit, isAnyValid }: { readonly unit: string; readonly isAnyValid: boolean },
): Failure {
  const units = (count: number) => (count === 1 ? unit : `${unit}s`);
  const shown = invalid.slice(0, MAX_FAULTS);
  const linesByProblem = new Map<string, Set<number>>();
  for (const { line, problem } of shown)
    linesByProblem.set(problem, (linesByProblem.get(problem) ?? new Set()).add(line));
  const why = [...linesByProblem].map(
    ([problem, lines]) => `${units(lines.size)} ${[...lines].join(', ')}: ${problem}`,
  );
  const more = invalid.length - shown.length;
  const isAnyMissing = invalid.some(({ isMissing }) => isMissing);
  return unsentFailure('usage', {
    what: `${invalid.length} invalid ${units(invalid.length)} in ${name}`,
    nothingWas: 'sent',
    why: more > 0 ? [...why, `… ${more} more`] : why,
    details: shown.map(({ line, problem }) => ({ field: `${unit} ${line}`, problem })),
    hint:
      isAnyMissing && isAnyValid
        ? '--skip-missing leaves out records without the value'
        : undefined,
  });
}

function noRecords(
  name: string,
  { missing, comments }: { readonly missing: number; readonly comments: number },
): Failure {
  const only = comments > 0 ? `, only ${comments} ${comments === 1 ? 'comment' : 'comments'}` : '';
  return usageFailure({
    field: '--from',
    problem:
      missing > 0
        ? `contains no records: all ${missing} in ${name} were skipped by --skip-missing`
        : `contains no records: no IDs ${name === STDIN ? 'on' : 'in'} ${name}${only}`,
    fix: 'write one per line: an ID or a JSON object; --allow-empty accepts an empty list',
  });
}

/** 132 bits of a SHA-256, which do not reveal a text or a credential. */
const HASH_LENGTH = 22;

/** Returns the input without its named targets, as JSON text that is equal for all records of one post. */
function resourceText({ partsField = '' }: Operation, input: Input): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(input).filter(([name]) => name !== partsField)),
  );
}

/** Makes the function that returns the key of an input: its ID, or a hash if it has other fields or a hidden ID. */
function keysOf(operation: Operation): (input: Input) => string {
  const { partsField = '' } = operation;
  const [first, ...more] = fieldsOf(operation).filter(({ name }) => name !== partsField);
  // The journal must not contain a credential, such as the ID of a pairing.
  const isKeyOfId = first !== undefined && more.length === 0 && !first.hidden;
  const hashed = (input: Input) =>
    HASHED + sha256(resourceText(operation, input), 'base64url').slice(0, HASH_LENGTH);
  return isKeyOfId ? (input) => String(input[first.name]) : hashed;
}

/**
 * True if a record belongs to this shard. All records of one post do, because another machine does not know which
 * targets they name.
 */
const isOfShard = (operation: Operation, input: Input, shard: Shard | undefined): boolean =>
  shard === undefined || isInShard(hashOf(resourceText(operation, input)), shard);

/**
 * Makes the function that compares a record with those before it. It returns the problem if an earlier one names the
 * same target, or one of both names the whole.
 */
function overlapFinder(word: string, unit: string) {
  /** For each key, the position of the first record that names a target, or the whole (`undefined`). */
  const linesByKey = new Map<string, Map<string | undefined, number>>();
  return (key: string, targets: Targets, line: number): string | undefined => {
    const lines = linesByKey.get(key) ?? new Map<string | undefined, number>();
    linesByKey.set(key, lines);
    // A whole overlaps with anything, a target with itself and with the whole.
    const rivals = targets === undefined ? [...lines.keys()] : [undefined, ...targets];
    const rival = rivals.find((name) => lines.has(name));
    const before = lines.get(rival);
    for (const target of targets ?? [undefined]) if (!lines.has(target)) lines.set(target, line);
    if (before === undefined) return undefined;
    const what = rival === undefined ? `all of ${key}` : `${word} ${rival} of ${key}`;
    return `overlaps with ${unit} ${before}, which names ${what}`;
  };
}
