// The IDs of a list, as editors, spreadsheets and exports leave them: spaces and quotes around an ID are removed, and
// text that a program has put in its place is refused. IDs on the command line stay as they were typed.

import type { Input } from '../../api/operations/define-operation.ts';
import { type Field, isIdName } from '../../api/operations/fields.ts';
import { quote, sanitizeLine } from '../../base/sanitize.ts';

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
  /** True if the list is one JSON value. */
  readonly isOnly?: boolean | undefined;
}

const AROUND =
  /^[\s\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064]+|[\s\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064]+$/g;

/** Removes spaces and invisible characters around a text. */
export const trimmed = (text: string): string => text.replace(AROUND, '');

/** Numbers and long words: most IDs are one of them, and there is nothing to remove or to refuse in them. */
const PLAIN = /^(?:\d+|[a-z]{10,})$/i;

/** Removes also a pair of quotes, plain or typographic. */
export function listId(text: string): string {
  if (PLAIN.test(text)) return text;
  const id = trimmed(text);
  const [, , plain, typographic] = QUOTED.exec(id) ?? [];
  return trimmed(plain ?? typographic ?? id);
}

const QUOTED = /^(?:(["'])(.*)\1|[“”„‟«»‘’‚‹›](.*)[“”«»‘’‹›])$/s;

/** A quote at one end alone. */
const STRAY_QUOTE = /^["“”„‟«»‘’‚‹›]|[“”„‟«»‘’‚‹›]$|^[^"]+"$/;

/** Words that exports write for a cell without a value. */
const NO_VALUE = /^(?:null|\\N|none|nan|undefined|n\/a)$/i;

/** The errors that spreadsheets show in a cell, in any language: `#NAME?`, `#BEZUG!`, `#N/A`. */
export const SPREADSHEET_ERROR = /^#(?:\p{Lu}[\p{Lu}\d/_]*[!?]|N\/[A-Z]|NV)$/u;

/** The short names of months in spreadsheets of six languages. */
const MONTH =
  '(?:jan|ene|gen|feb|fev|fév|mar|mär|mrz|apr|avr|abr|may|mai|mag|jun|giu|jul|lug|aug|aoû|ago|sep|sept|set|oct|okt|ott|out|nov|dec|dez|déc|dic)\\.?';

/**
 * Forms that spreadsheets give an ID. The patterns leave honest IDs alone: `12e4567` is the start of a hash, because a
 * number in scientific notation has one digit, a fraction or a sign; `1503435956.000247` names a message.
 */
const SPREADSHEET_FORMATS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [
    /^[-+]?(?:\d(?:[.,]\d+)?e[-+]?\d{1,3}|\d+[.,]\d+e[-+]?\d+|\d+e[-+]\d+)$/i,
    'scientific notation',
  ],
  [/^\d{1,3}(?:([.,'’\s])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/, 'thousands separators'],
  [/^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/, 'thousands separators'],
  [/^[-+]?\d+(?:[.,]0+|,\d+)$/, 'decimal places'],
  [/^['’]/, 'an apostrophe before it'],
  [/^=/, 'a formula'],
  [/^#+$/, 'a column that was too narrow'],
  [SPREADSHEET_ERROR, 'an error value'],
  [
    new RegExp(`^(?:\\d{1,2}[-. ]{1,2}${MONTH}|${MONTH}[- ]\\d{2,4})(?:[- ]\\d{2,4})?$`, 'iu'),
    'a date',
  ],
  [/^(?:\d{1,2}([./])\d{1,2}\1\d{2,4}|\d{4}-\d\d-\d\d)(?:[T ]\d\d?:\d\d(?::\d\d)?)?$/, 'a date'],
  [/^(?:TRUE|FALSE|WAHR|FALSCH|VRAI|FAUX|VERDADERO|FALSO)$/, 'a truth value'],
  [/^\p{Sc}\s?[\d.,'\s]+$|^[\d.,'\s]+\s?(?:\p{Sc}|%)$/u, 'a number format'],
];

/** Names what a spreadsheet has made of an ID; `undefined` if it has left it alone. */
export const spreadsheetFormat = (id: string): string | undefined =>
  PLAIN.test(id) ? undefined : SPREADSHEET_FORMATS.find(([pattern]) => pattern.test(id))?.[1];

/** Returns the record with its IDs alone, or the faults of all of them. */
export function withListIds(record: ParsedRecord, format: RecordFormat): ParsedRecord {
  if ('fault' in record) return record;
  const { line } = record;
  const { idField, column } = format;
  const input: Record<string, unknown> = { ...record.input };
  const problems: string[] = [];
  for (const field of format.fields.filter(isIdField)) {
    const value = input[field.name];
    if (value === undefined) continue;
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const ids = items.map(idText);
    const isColumn = field === idField && column !== undefined;
    const where = isColumn ? `column ${JSON.stringify(column)}` : field.name;
    const found = ids.map((id) => problemOf(id, field)).filter((each) => each !== undefined);
    problems.push(...found.map((problem) => `${where} ${problem}`));
    input[field.name] = Array.isArray(value) ? ids : ids[0];
  }
  if (problems.length === 0) return { line, input };
  const fault = problems.join('; ');
  const isMissing = idField !== undefined && NO_VALUE.test(String(input[idField.name]));
  return isMissing ? { line, fault, isMissing } : { line, fault };
}

const isIdField = ({ name, argument }: Field) => isIdName(name) || argument !== undefined;

/** Returns the text of an ID, which in JSON may be a number. Validation reports what is neither. */
function idText(value: unknown): unknown {
  if (typeof value === 'string') return listId(value);
  return Number.isSafeInteger(value) && (value as number) >= 0 ? String(value) : value;
}

/** Returns the problem with the ID of a list as a clause after its name. A credential is not quoted. */
function problemOf(id: unknown, { hidden }: Field): string | undefined {
  const shown = hidden ? '' : ` ${quote(String(id))}`;
  if (typeof id === 'number')
    return `has the number${shown}, whose digits JSON readers change; write IDs in quotes`;
  if (typeof id !== 'string' || PLAIN.test(id)) return undefined;
  if (NO_VALUE.test(id)) return `has no value:${shown}`;
  const format = spreadsheetFormat(id);
  if (format !== undefined)
    return `has${shown}: a spreadsheet changed this ID (${format}); open the original with this column as text, and export it again`;
  if (sanitizeLine(id) !== id) return `has${shown}, with an invisible character; remove it`;
  if (STRAY_QUOTE.test(id) || /^[[{].*[\]}]$/.test(id))
    return `has${shown}, with a quote or a bracket; write the ID alone`;
  return undefined;
}
