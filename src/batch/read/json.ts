// JSON values to inputs: an object of input fields, the output of this program (the result of a batch, a post, a
// triage), or any object that has the ID at the path of --column.

import type { Input } from '../../api/operations/define-operation.ts';
import type { Field } from '../../api/operations/fields.ts';
import { ifPossible } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { flagWords, labelledLine } from '../../base/shell.ts';
import { withoutBom } from '../../base/utf8.ts';

/** A record of a list before validation: its input, or a fault. A fault quotes no value, because it may be secret. */
export type ParsedRecord =
  /** `line`: the position of the record, counted in the unit of its list. */
  | { readonly line: number; readonly input: Input }
  /** `isMissing`: the record has no ID, or no value in the requested column; --skip-missing skips it. */
  | { readonly line: number; readonly fault: string; readonly isMissing?: true };

/** The operation for which records are read, and the column that has their IDs. */
export interface RecordFormat {
  /** True for a change: then unknown keys of a record are faults. */
  readonly isChange: boolean;
  readonly fields: readonly Field[];
  /** The input field for an ID without a field name, or for the value in `column`. */
  readonly idField: Field | undefined;
  /** The value of --column, which is refused if there is no `idField`. */
  readonly column: string | undefined;
}

const MAX_NAMES = 8;

/** Joins the names of columns or keys in a sentence. */
export function listOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? `, … ${more} more` : '');
}

export const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name).join(', ');

/** The start of an array of IDs or objects, an object of several lines, or the output of `posts triage --json`. */
const DOCUMENT = /^\s*(?:\[\s*(?:$|["{[\]\d-])|\{\s*\n|\{"posts":\d+,"failedTargets":)/;

/** Separates documents that follow each other, as `jq` prints them. Inside a document there is a comma. */
const BETWEEN_DOCUMENTS = /(?<=[}\]])\s*\n\s*(?=[{[])/;

/** Splits a list into its JSON documents of one or more lines; `undefined` if it has one record per line. */
export const jsonDocuments = (text: string): readonly string[] | undefined =>
  DOCUMENT.test(text) ? text.split(BETWEEN_DOCUMENTS) : undefined;

/** Returns the records of a JSON value. */
export function fromJson(
  line: number,
  value: unknown,
  format: RecordFormat,
): readonly ParsedRecord[] {
  const { idField, column } = format;
  const id = idText(value);
  if (id !== undefined && idField !== undefined) return [recordOfId(line, id, 'ID', idField)];
  if (isObject(value))
    return column === undefined
      ? fromObject(line, value, format)
      : [idAtPath(line, withDelivered(value), idField!, column)];
  return [{ line, fault: 'is neither an ID in quotes nor a JSON object' }];
}

/**
 * Returns the text of an ID in JSON, which may be a number; `undefined` for all else. JavaScript loses digits of a
 * number above 2^53, which would be another ID.
 */
function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const isInteger = Number.isSafeInteger(value) && (value as number) >= 0;
  return isInteger ? String(value) : undefined;
}

/** Makes the input of one call from an ID; a blank one is a fault. */
export function recordOfId(line: number, id: string, name: string, idField: Field): ParsedRecord {
  const value = id.trim();
  return value === ''
    ? { line, fault: `has a blank ${name}`, isMissing: true }
    : { line, input: { [idField.name]: value } };
}

function fromObject(
  line: number,
  value: Readonly<Record<string, unknown>>,
  format: RecordFormat,
): readonly ParsedRecord[] {
  const { fields, idField, isChange } = format;
  const unknown = Object.keys(value).filter((key) => fields.every(({ name }) => name !== key));
  if (unknown.length === 0) return [{ line, input: value }];
  const { input, ok, groups, id, targets, postId } = value;
  const isOfPost = idField?.name === 'postId';
  // A list for a retry names targets, but a read is of the whole post.
  const isForRetry = typeof postId === 'string' && unknown.every((key) => key === 'targetIds');
  if (isOfPost && isForRetry && !isChange) return [recordOfId(line, postId, 'postId', idField)];
  if (isOfPost && isDelivery(value)) return [idAtPath(line, value, idField, 'postId')];
  if (isObject(input) && typeof ok === 'boolean') {
    // Results of a batch have no secrets, so a record that needs one cannot be sent again.
    const hidden = fields.find(({ secret, name }) => secret && input[name] != null);
    if (hidden === undefined) return fromObject(line, input, format);
    const fault = `is a result, which does not show its ${hidden.name}; use the records it came from`;
    return [{ line, fault }];
  }
  // The groups of a triage.
  if (Array.isArray(groups) && groups.every(hasRecords))
    return groups.flatMap(({ records }) =>
      records.flatMap((record) => fromJson(line, record, format)),
    );
  // A post, as a read shows it.
  if (isOfPost && typeof id === 'string' && Array.isArray(targets))
    return [recordOfId(line, id, 'id', idField)];
  const named = listOf(unknown.map((key) => JSON.stringify(key)));
  // This record names targets: reading only its `postId` would mean the whole post, so no column is suggested.
  const guess = isForRetry
    ? undefined
    : idField && suggestedColumn(leavesOf(withDelivered(value)), idField);
  const word = unknown.length === 1 ? 'field' : 'fields';
  return [{ line, fault: `unknown ${word} ${named} ${expected(fields, guess)}` }];
}

const hasRecords = (group: unknown): group is { readonly records: readonly unknown[] } =>
  isObject(group) && Array.isArray(group['records']);

/** Lists the accepted fields, and suggests the column with the ID, if there is one. */
export function expected(fields: readonly Field[], guess: string | undefined): string {
  const hint = guess === undefined ? '' : `; ${labelledLine('try', flagWords('--column', guess))}`;
  return `(expected: ${namesOf(fields)})${hint}`;
}

/** Returns the ID at the path of --column. */
function idAtPath(
  line: number,
  value: Readonly<Record<string, unknown>>,
  idField: Field,
  column: string,
): ParsedRecord {
  const found = valueAtPath(value, column);
  const id = idText(found);
  const isMissing = found === undefined || found === null || id?.trim() === '';
  if (id !== undefined && !isMissing) return recordOfId(line, id, column, idField);
  const what = found === undefined ? 'no' : isMissing ? 'a blank' : 'no ID in quotes in';
  const fault = `has ${what} ${JSON.stringify(column)} (fields: ${listOf(leavesOf(value))})`;
  return isMissing ? { line, fault, isMissing } : { line, fault };
}

/** True if a record is a line of `webhooks listen --append`. */
const isDelivery = (value: Readonly<Record<string, unknown>>): boolean =>
  'receivedAt' in value && 'headers' in value;

/** Adds the members of the delivered JSON to those of a delivery, which take precedence. Other records stay unchanged. */
function withDelivered(
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { body } = value;
  if (!isDelivery(value) || typeof body !== 'string') return value;
  const delivered = ifPossible(() => parseJson(withoutBom(body)));
  return isObject(delivered) ? { ...delivered, ...value } : value;
}

/** Returns the value of a key, or of a path of keys and list indexes. */
function valueAtPath(value: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(value, path)) return value[path];
  return path
    .split('.')
    .reduce<unknown>(
      (part, key) =>
        typeof part === 'object' && part !== null && Object.hasOwn(part, key)
          ? (part as Readonly<Record<string, unknown>>)[key]
          : undefined,
      value,
    );
}

/** Lists the paths of plain values. */
function leavesOf(value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(value).flatMap(([key, part]) => {
    if (isObject(part)) return leavesOf(part).map((rest) => `${key}.${rest}`);
    return Array.isArray(part) ? [] : [key];
  });
}

/** Normalizes a name: no case, no punctuation. */
const normalized = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Suggests the column that most likely has the ID: `post_id` or `data.post.id` for `postId`; otherwise `id`. */
export function suggestedColumn(names: readonly string[], idField: Field): string | undefined {
  const wanted = normalized(idField.name);
  return (
    names.find((name) => normalized(name) === wanted) ??
    names.find((name) => normalized(name).endsWith(wanted)) ??
    names.find((name) => normalized(name) === 'id')
  );
}
