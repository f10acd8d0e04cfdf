// JSON values to inputs: an object of input fields, the output of this program (the result of a batch, a post, a
// triage), or any object that has the ID at the path of --column.

import type { Field } from '../../api/operations/fields.ts';
import { ifPossible } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { flagWords, labelledLine } from '../../base/shell.ts';
import { closestWord } from '../../base/suggestions.ts';
import { isDelivery, readMessage, storedBytes } from './webhook-body.ts';
import { listId, type ParsedRecord, type RecordFormat } from './list-ids.ts';

/** A line without its end, numbered from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

const MAX_NAMES = 8;

/** Joins the names of columns or keys in a sentence. */
export function listOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? `, … ${more} more` : '');
}

export const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name).join(', ');

/** The start of an array of values, or of an object of several lines. */
const DOCUMENT = /^\s*(?:\[\s*(?:$|["{[\]\d-]|(?:null|true|false)\b)|\{\s*\n)/;

/** True if a list is JSON documents of one or more lines; false if it has one record per line. */
export const isJsonDocuments = (text: string): boolean => DOCUMENT.test(text);

/** A value of JSON text, with the line on which it starts, or the fault of this part of the text. */
export type JsonPart =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly fault: string };

/** Parses JSON text: one value, or several, which commas may separate. */
export function jsonParts(text: string, line: number): readonly JsonPart[] {
  const part = parsePart({ number: line, text });
  return 'value' in part ? [part] : splitDocuments(text, line).map(parsePart);
}

function parsePart({ number: line, text }: Line): JsonPart {
  try {
    const value = parseListJson(text);
    const keys = (text.match(STRING_OR_KEY) ?? []).filter((token) => token.endsWith(':'));
    if (keys.length === countKeys(value)) return { line, value };
    return { line, fault: 'has a key twice in one object; keep one of them' };
  } catch (error) {
    return { line, fault: `is ${(error as Error).message}` };
  }
}

const STRING_OR_KEY = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g;

/** Counts the keys of all objects in a value. JSON readers drop all but the last of equal keys. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: readonly unknown[] = Object.values(value);
  return parts.reduce<number>(
    (sum, part) => sum + countKeys(part),
    Array.isArray(value) ? 0 : parts.length,
  );
}

const STRING = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"?/y;

/** Strings, commas without a value after them, and numbers with an exponent or zeros after the decimal point. */
const LENIENT = /"[^"\\]*(?:\\.[^"\\]*)*"|,(?=\s*[\]}])|-?\d+(?:\.\d+)?e[+-]?\d+|-?\d+\.0+(?!\d)/gi;

/**
 * Parses the JSON of a list, in which a comma may follow the last value. A number such as `1.13e17` or `5.0` becomes
 * text with its digits: JavaScript would make another ID of it, and the check of IDs refuses it.
 */
function parseListJson(text: string): unknown {
  const value = /\d[.e]/i.test(text) ? undefined : ifPossible(() => parseJson(text));
  return value ?? parseJson(text.replace(LENIENT, strictToken));
}

const strictToken = (token: string): string => {
  if (token.startsWith('"')) return token;
  return token === ',' ? '' : JSON.stringify(token.replace(/e(?=\d)/i, 'e+'));
};

/** Splits JSON text into its arrays and objects, and what stands between them. The last one may be cut off. */
function splitDocuments(text: string, firstLine: number): readonly Line[] {
  const documents: Line[] = [];
  const marks = /["[\]{}\n]/g;
  let [depth, line] = [0, firstLine];
  let start = { index: 0, line };
  const add = (end: number) => {
    const part = text.slice(start.index, end);
    // Only commas may stand between the documents of a list.
    const before = /^[\s,]*/.exec(part)![0];
    const number = start.line + before.split('\n').length - 1;
    if (before !== part) documents.push({ number, text: part.trim().replace(/,$/, '') });
    start = { index: end, line };
  };
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const { index } = mark;
    if (mark[0] === '\n') line++;
    else if (mark[0] === '"') {
      STRING.lastIndex = index;
      marks.lastIndex = index + STRING.exec(text)![0].length;
    } else if (mark[0] === '[' || mark[0] === '{') {
      if (depth++ === 0) add(index);
    } else if (depth > 0 && --depth === 0) add(index + 1);
  }
  add(text.length);
  return documents;
}

/** Returns the records of a JSON value. */
export function fromJson(
  line: number,
  value: unknown,
  format: RecordFormat,
): readonly ParsedRecord[] {
  const { idField, column } = format;
  if (isPlain(value) && idField !== undefined) return [recordOfId(line, value, 'ID', idField)];
  if (!isObject(value)) return [{ line, fault: 'is neither an ID in quotes nor a JSON object' }];
  if (isDelivery(value) && idField?.name === 'postId' && (column ?? 'postId') === 'postId')
    return fromDelivery(line, value, idField);
  if (column === undefined) return fromObject(line, value, format);
  const found = withDelivered(value).flatMap((each) =>
    valuesAtPath(each, column).map((id) => ({ each, id })),
  );
  if (found.every(({ id }) => isAbsent(id))) {
    const { ok, data } = value;
    if (ok === true && isObject(data)) return fromJson(line, data, format);
    const page = listIn(value, format);
    if (page !== undefined) return page.flatMap((each) => fromJson(line, each, format));
  }
  return found.map(({ each, id }) => recordAtPath(line, each, id, idField!, column));
}

/** True for what may be an ID: a text, or a number. */
const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

const isAbsent = (value: unknown) => value === undefined || value === null;

/** Makes the input of one call from an ID; a blank one is a fault. */
export function recordOfId(
  line: number,
  id: string | number,
  name: string,
  idField: Field,
): ParsedRecord {
  return typeof id === 'string' && listId(id) === ''
    ? { line, fault: `has a blank ${name}`, isMissing: true }
    : { line, input: { [idField.name]: id } };
}

function fromObject(
  line: number,
  value: Readonly<Record<string, unknown>>,
  format: RecordFormat,
): readonly ParsedRecord[] {
  const { fields, idField, isChange } = format;
  const unknown = Object.keys(value).filter((key) => fields.every(({ name }) => name !== key));
  if (unknown.length === 0) return [{ line, input: value }];
  const flagged = fields.find(({ name, flag }) => unknown.includes(flag) && !(name in value));
  if (flagged !== undefined) {
    const { [flagged.flag]: one, ...rest } = value;
    const named = flagged.kind === 'list' ? [one].flat() : one;
    return fromObject(line, { ...rest, [flagged.name]: named }, format);
  }
  const { input, ok, groups, id, targets, postId, data } = value;
  const isOfPost = idField?.name === 'postId';
  // A list for a retry names targets, but a read is of the whole post.
  const isForRetry = typeof postId === 'string' && unknown.every((key) => key === 'targetIds');
  if (isOfPost && isForRetry && !isChange) return [recordOfId(line, postId, 'postId', idField)];
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
  // The answer of the service, as it was saved.
  if (typeof ok === 'boolean' && isObject(value['error']))
    return [{ line, fault: 'is an error response of the service, and no record' }];
  if (ok === true && isObject(data)) return fromObject(line, data, format);
  const page = listIn(value, format);
  if (page !== undefined) return page.flatMap((each) => fromJson(line, each, format));
  const named = listOf(unknown.map((key) => JSON.stringify(key)));
  // This record may name targets: reading only its `postId` would mean the whole post, so no column is suggested.
  const others = fields
    .filter((field) => field !== idField)
    .flatMap(({ name, flag }) => [name, flag]);
  const isMistyped =
    idField !== undefined &&
    idField.name in value &&
    unknown.some((key) => closestWord(key, others) !== undefined);
  const guess =
    isForRetry || isMistyped
      ? undefined
      : idField && suggestedColumn(leavesOf(withDelivered(value)[0]!), idField);
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

/** Returns the record of the ID at the path of --column. */
function recordAtPath(
  line: number,
  value: Readonly<Record<string, unknown>>,
  id: unknown,
  idField: Field,
  column: string,
): ParsedRecord {
  const isMissing = isAbsent(id) || (typeof id === 'string' && listId(id) === '');
  if (isPlain(id) && !isMissing) return recordOfId(line, id, column, idField);
  const what = id === undefined ? 'no' : isMissing ? 'a blank' : 'no ID in quotes in';
  const fault = `has ${what} ${JSON.stringify(column)} (fields: ${listOf(leavesOf(value))})`;
  return isMissing ? { line, fault, isMissing } : { line, fault };
}

/** The keys under which services and programs put the records of a page. */
const PAGE_KEYS = ['data', 'items', 'results', 'records', 'rows', 'values', 'ids'];

/**
 * Returns the records of a page, such as `{"data":[…],"next":null}`: the list at a usual key, or else the only list, if
 * it has objects. With --column that must be the page of the whole list: any other object may be a record of its own
 * that lacks the column.
 */
function listIn(
  value: Readonly<Record<string, unknown>>,
  { idField, column, isOnly }: RecordFormat,
): readonly unknown[] | undefined {
  const lists = listsIn(value, idField);
  const { name = '', idKind = '' } = idField ?? {};
  const keys = [...PAGE_KEYS, normalized(`${name}s`), `${idKind}s`];
  const usual = lists.filter(([key]) => keys.includes(normalized(key)));
  if (usual.length === 1) return usual[0]![1];
  const [[, only] = []] = lists;
  const isPage = lists.length === 1 && only!.length > 0 && only!.every(isObject);
  return isPage && (column === undefined || isOnly === true) ? only : undefined;
}

/** Returns the lists in an object, with their keys, but none below an object that has an ID itself. */
function listsIn(
  value: Readonly<Record<string, unknown>>,
  idField: Field | undefined,
): readonly (readonly [key: string, list: readonly unknown[]])[] {
  const entries = Object.entries(value);
  const own = entries.filter(([, part]) => isPlain(part)).map(([key]) => key);
  if (idField !== undefined && suggestedColumn(own, idField) !== undefined) return [];
  return entries.flatMap(([key, part]) => {
    if (isObject(part)) return listsIn(part, idField);
    const isList = Array.isArray(part) && (part.every(isObject) || part.every(isPlain));
    return isList ? [[key, part] as const] : [];
  });
}

function messageOf(delivery: Readonly<Record<string, unknown>>) {
  const { headers } = delivery;
  const bytes = storedBytes(delivery) ?? Buffer.alloc(0);
  return readMessage(bytes, isObject(headers) ? headers : {}, parseListJson);
}

/**
 * Returns the records of the posts of a delivery: the one that its line names, or all in its body, of which the line of
 * a long list names only the first.
 */
function fromDelivery(
  line: number,
  value: Readonly<Record<string, unknown>>,
  idField: Field,
): readonly ParsedRecord[] {
  const own = value['postId'];
  if (typeof own === 'string') return [recordAtPath(line, value, own, idField, 'postId')];
  const { posts, unreadable } = messageOf(value);
  if (unreadable !== undefined)
    return [{ line, fault: `has an unreadable body: ${unreadable}`, isMissing: true }];
  const isList = Array.isArray(own) && own.length > 0;
  const ids: readonly unknown[] = posts.length > 0 ? posts : isList ? own : [own];
  return ids.map((id) => recordAtPath(line, value, id, idField, 'postId'));
}

/**
 * Adds the members of the delivered JSON to those of a delivery, which take precedence; a delivered list gives one
 * object for each event. Other records stay unchanged.
 */
function withDelivered(
  value: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] {
  if (!isDelivery(value)) return [value];
  const delivered = [messageOf(value).json].flat().filter(isObject);
  return delivered.length > 0 ? delivered.map((each) => ({ ...each, ...value })) : [value];
}

/** Returns the values at a key, or at a path of keys and list indexes; a list without an index means all its items. */
const valuesAtPath = (value: Readonly<Record<string, unknown>>, path: string): readonly unknown[] =>
  valuesAt(value, Object.hasOwn(value, path) ? [path] : path.split('.'));

function valuesAt(part: unknown, [key, ...rest]: readonly string[]): readonly unknown[] {
  if (key === undefined) return Array.isArray(part) && part.every(isPlain) ? part : [part];
  if (typeof part !== 'object' || part === null) return [undefined];
  if (Array.isArray(part) && !/^\d+$/.test(key))
    return part.every(isObject)
      ? part.flatMap((each) => valuesAt(each, [key, ...rest]))
      : [undefined];
  if (!Object.hasOwn(part, key)) return [undefined];
  return valuesAt((part as Readonly<Record<string, unknown>>)[key], rest);
}

/** Lists the paths of plain values; a list of objects has those of its first one. */
function leavesOf(value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(value).flatMap(([key, part]) => {
    const inner: unknown = Array.isArray(part) ? part[0] : part;
    if (isObject(inner)) return leavesOf(inner).map((rest) => `${key}.${rest}`);
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
