// Finds the text, the code and the details of an error in JSON of any form: services, gateways and frameworks put them
// in different places. It searches by the names of members, and knows no framework. Pure.

import { isObject, toJson } from './json.ts';

export interface ErrorForm {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly details?: unknown;
  /** Every code in the error, also the address of its type: one of several may say that it is a rate limit. */
  readonly codes: readonly string[];
}

type Members = readonly (readonly [name: string, value: unknown])[];

// Only the letters of a name count: `error_message`, `errorMessage` and `ErrorMessage` are the same. The first comes first.
const TEXT = namesOf(
  'message defaultmessage errormessage errordescription detail description errormsg msg faultstring exception error title reason',
);
const CODE = namesOf('code errorcode type errortype error status reason');
const FIELD = namesOf(
  'field param parameter property propertyname propertypath attribute path loc instancepath pointer source key name location',
);
/** True of members whose lists and objects are errors of single fields. */
const holdsFaults = (name: string): boolean =>
  name !== 'error' &&
  /^(?:details?|messages?|.*(?:errors|violations?|issues|problems|fields|params))$/.test(name);
/** Names that only an error has. */
const ERROR = /^(?:errors?|message|errormessage)$/;
/** The deepest level of an object in which a text is searched. */
const MAX_LEVELS = 6;

function namesOf(names: string): readonly string[] {
  return names.split(' ');
}

/** Reads an error. A number equal to the HTTP status of its response is no code. */
export const errorIn = (body: unknown, status: number): ErrorForm => read(body, status, MAX_LEVELS);

function read(value: unknown, status: number, levels: number): ErrorForm {
  if (typeof value === 'string') return { message: oneLine(value), codes: [] };
  if (typeof value !== 'object' || value === null || levels === 0) return { codes: [] };
  if (Array.isArray(value)) {
    const { message, ...form } = read(value[0], status, levels - 1);
    return { ...form, message: message && faultLines(value)[0], details: filled(value) };
  }
  if (isFieldMap(value)) return { message: faultLines(value)[0], codes: [], details: value };
  // The data of a response is not its error, unless it is named as one and there is no other.
  const all = membersOf(value);
  const beside = all.filter(([name]) => name !== 'data');
  const data = all.find(([name]) => name === 'data')?.[1];
  const isInData =
    isObject(data) &&
    membersOf(data).some(([name]) => ERROR.test(name)) &&
    textsOf(beside).length === 0 &&
    beside.every(([, member]) => filled(member) === undefined);
  const members = isInData ? all : beside;
  const formsAt = (isWanted: (name: string) => boolean) =>
    members
      .filter(([name, member]) => filled(member) !== undefined && isWanted(name))
      .map(([, member]) => read(member, status, levels - 1));
  // An object named `error` is the error itself; what stands beside it says less.
  const own = formsAt((name) => name === 'error');
  const faults = formsAt(holdsFaults);
  const others = formsAt((name) => name !== 'error' && !holdsFaults(name));
  const nested = [...own, ...faults, ...others];
  const texts = textsOf(members);
  const message =
    own.find((form) => form.message)?.message ??
    texts.find(isProse) ??
    texts[0] ??
    nested.find((form) => form.message)?.message ??
    lastResort(members);
  const codes = CODE.flatMap((name) => valuesAt(members, [name]).map((code) => codeIn(name, code)))
    .filter((code) => code !== undefined && code !== String(status))
    .map(String);
  // The code of one field is not that of an error with a text of its own.
  const coded = [...own, ...nested.filter((form) => texts.length === 0 || !form.message)];
  return {
    message,
    code:
      codes
        .filter((code) => code !== message)
        .map(shortCode)
        .find(Boolean) ?? coded.find((form) => form.code)?.code,
    codes: [...codes, ...nested.flatMap((form) => form.codes)],
    details:
      members.find(([name, member]) => holdsFaults(name) && filled(member))?.[1] ??
      own.find((form) => form.details !== undefined)?.details,
  };
}

/** Returns any sentence, or a word whose name says that it is about an error. */
function lastResort(members: Members): string | undefined {
  const texts = members.filter(([, text]) => typeof text === 'string') as [string, string][];
  const found = texts.find(
    ([name, text]) => isProse(text) || (!CODE.includes(name) && /err|msg|cause|info/.test(name)),
  );
  return found && oneLine(found[1]);
}

const membersOf = (value: object): Members =>
  Object.entries(value).map(([key, member]) => [key.toLowerCase().replace(/[^a-z]/g, ''), member]);

const valuesAt = (members: Members, names: readonly string[]): readonly unknown[] =>
  names.flatMap((name) => members.filter(([key]) => key === name).map(([, value]) => value));

/** Returns the texts of an error; that of a list is its first. */
const textsOf = (members: Members): readonly string[] =>
  valuesAt(members, TEXT)
    .map((text) => (Array.isArray(text) ? faultLines(text)[0] : text))
    .map((text) => (typeof text === 'string' ? oneLine(text) : undefined))
    .filter((text) => text !== undefined);

/** Joins the lines of a text; `undefined` if it is empty. */
export const oneLine = (text: string): string | undefined =>
  text.replace(/\s+/g, ' ').trim() || undefined;

/** True if a text is more than a word: `Forbidden` says less than a sentence beside it. */
export const isProse = (text: unknown): text is string =>
  typeof text === 'string' && /\p{L}[\p{P}]*\s+["'(]*\p{L}/u.test(text);

/** Returns a code: a name that tells more than that there is an error, or a number where a code is expected. */
function codeIn(name: string, code: unknown): string | undefined {
  if (typeof code === 'number')
    return code !== 0 && name.endsWith('code') ? String(code) : undefined;
  const isName =
    typeof code === 'string' &&
    /^(?=\S*[a-z])[^\s{}]{1,200}$/i.test(code) &&
    !/^(?:error|fail(?:ed|ure)?|field)$/i.test(code);
  return isName ? code : undefined;
}

/** Returns the name in a code such as `com.example#Throttled`; nothing for the address of a page about it. */
const shortCode = (code: string): string | undefined =>
  /^\w+:/.test(code) ? undefined : code.split('#').at(-1);

const filled = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0 ? value : undefined;

/** True if every member is a field with a list of texts, or holds such fields; not if it only holds all errors. */
const isFieldMap = (value: unknown): boolean =>
  isObject(value) &&
  filled(value) !== undefined &&
  Object.entries(value).every(
    ([key, member]) =>
      !/^(?:data|details?|errors?|messages?)$/i.test(key) &&
      (Array.isArray(member)
        ? member.length > 0 && member.every((text) => typeof text === 'string')
        : isFieldMap(member)),
  );

/**
 * Formats errors of fields, one line each: `field: message`. They may be a list of texts or of objects, or an object
 * whose keys are the fields; `field` is that of the value itself.
 */
export function faultLines(value: unknown, field = ''): readonly string[] {
  const line = (text: string) => (field === '' ? text : `${field}: ${text}`);
  if (Array.isArray(value)) return value.flatMap((item: unknown) => itemLines(item, field));
  if (!isObject(value)) return [line(typeof value === 'string' ? value : toJson(value))];
  const members = membersOf(value);
  if (textsOf(members).length > 0 && fieldIn(members) !== undefined) return itemLines(value, field);
  return Object.entries(value).flatMap(([key, member]) =>
    faultLines(
      isObject(member) && !isTextual(member) ? toJson(member) : member,
      joined(field, key),
    ),
  );
}

/** True if a value is text through and through. */
const isTextual = (value: unknown): boolean =>
  typeof value === 'string' ||
  (filled(value) !== undefined && Object.values(value as object).every(isTextual));

/** Formats an item of a list: the first text of an object, after the field that it names. */
function itemLines(item: unknown, field: string): readonly string[] {
  if (!isObject(item)) return faultLines(item, field);
  const members = membersOf(item);
  const [text] = textsOf(members);
  const own = fieldIn(members);
  if (text !== undefined) return faultLines(text, joined(field, own ?? ''));
  const faults = members.filter(([, member]) => filled(member) !== undefined);
  if (own === undefined || faults.length === 0) return faultLines(toJson(item), field);
  return faults.flatMap(([, member]) =>
    (isObject(member) ? Object.values(member) : [member]).flatMap((inner) =>
      faultLines(inner, joined(field, own)),
    ),
  );
}

/** Joins the names of a field within another; a key that only says that errors follow is skipped. */
const joined = (field: string, name: string): string =>
  [field, /^_?errors?$/.test(name) ? '' : name].filter(Boolean).join('.');

/** Returns the field that an error is about: a name, a list of keys, or an object that has one. */
function fieldIn(members: Members): string | undefined {
  for (const value of valuesAt(members, FIELD)) {
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value) && value.length > 0) return value.map(String).join('.');
    const within = isObject(value) ? fieldIn(membersOf(value)) : undefined;
    if (within !== undefined) return within;
  }
  return undefined;
}

/** True for words of a refusal that may mean that the same was made before. */
export const saysDuplicate = (text: string): boolean => /duplicate|already/i.test(text);
