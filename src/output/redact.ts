// Redacts secrets by their value, wherever they occur: plain, JSON-escaped, percent-encoded, and in base64.

import type { Field } from '../api/operations/fields.ts';
import type { Failure } from '../base/errors.ts';
import { isObject, mapTexts } from '../base/json.ts';
import type { Input } from '../api/operations/define-operation.ts';
import type { Runtime, Secrets } from '../base/runtime.ts';
import { isJsonForm } from '../config/flags.ts';
import type { Settings } from '../config/settings.ts';

/** The text in place of a secret. */
export const MASK = '[redacted]';

/** Shorter texts are not treated as secrets, because they would be found everywhere. */
const SHORTEST = 4;

/** Makes a function that masks the given secrets in a text. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = new SecretForms(secrets);
  return (text) => forms.mask(text);
}

/**
 * The forms of any number of secrets. A list has thousands: each form is found by a key of its first four characters,
 * so the time to mask a text does not depend on their number.
 */
class SecretForms {
  readonly #forms = new Set<string>();
  /** The lengths of the forms with a key, the longest first, because a secret may be the start of another. */
  readonly #lengthsByKey = new Map<number, readonly number[]>();
  #shortest = Infinity;

  constructor(secrets: Iterable<string>) {
    this.add(secrets);
  }

  add(secrets: Iterable<string>): void {
    for (const secret of secrets) for (const form of formsOf(secret)) this.#addForm(form);
  }

  #addForm(form: string): void {
    this.#forms.add(form);
    this.#shortest = Math.min(this.#shortest, form.length);
    let key = 0;
    for (let i = 0; i < SHORTEST; i++) key = nextKey(key, form.charCodeAt(i));
    const lengths = this.#lengthsByKey.get(key) ?? [];
    if (lengths.includes(form.length)) return;
    this.#lengthsByKey.set(
      key,
      [...lengths, form.length].toSorted((a, b) => b - a),
    );
  }

  has(form: string): boolean {
    return this.#forms.has(form);
  }

  /** Masks the forms in a text, except those of `shown`. Forms that overlap become one mask. */
  mask(text: string, shown?: SecretForms): string {
    if (text.length < this.#shortest) return text;
    let masked = '';
    /** The text before it is in `masked`. */
    let copied = 0;
    let [start, end] = [0, 0];
    let key = 0;
    const isHidden = (form: string) => this.has(form) && shown?.has(form) !== true;
    const flush = () => {
      if (end > 0) masked += text.slice(copied, start) + MASK;
      copied = end;
    };
    for (let last = 0; last < text.length; last++) {
      key = nextKey(key, text.charCodeAt(last));
      const lengths = this.#lengthsByKey.get(key);
      const at = last + 1 - SHORTEST;
      if (lengths === undefined || at < 0) continue;
      const length = lengths.find((some) => isHidden(text.slice(at, at + some)));
      if (length === undefined) continue;
      if (at >= end) {
        flush();
        start = at;
      }
      end = Math.max(end, at + length);
    }
    flush();
    return masked + text.slice(copied);
  }
}

/** Adds a character to a key. After four more characters it no longer has a part in it. */
const nextKey = (key: number, character: number): number => (key << 8) ^ character;

/** Returns the forms in which a text may contain the secret; none of one that is too short. */
function formsOf(secret: string): readonly string[] {
  if (secret.length < SHORTEST) return [];
  // A service may echo the header `Authorization: Bearer …` in base64.
  const base64 = [secret, `Bearer ${secret}`].flatMap((text) => {
    const padded = Buffer.from(text).toString('base64');
    const whole = [padded, padded.replaceAll('+', '-').replaceAll('/', '_')];
    return whole.flatMap((form) => [form, form.replace(/=+$/, '')]);
  });
  // A service may echo digits as a JSON number: they come back as the nearest double, often with other last digits.
  const rounded = /^\d+$/.test(secret) ? [String(Number(secret))] : [];
  const texts = [secret, ...rounded, ...base64].flatMap((text) =>
    // Most secrets of a long list are written alike everywhere.
    /^[\w-]*$/.test(text) ? [text] : [text, ...jsonForms(text), ...urlForms(text)],
  );
  return texts.filter(({ length }) => length >= SHORTEST);
}

/** Returns the forms in a JSON string, with an escaped slash as PHP writes it, and in JSON inside JSON. */
function jsonForms(text: string): readonly string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const both = [once, once.replaceAll('/', String.raw`\/`)];
  return [...both, ...both.map((form) => JSON.stringify(form).slice(1, -1))];
}

/**
 * Returns the forms in a path, strictly by RFC 3986, and in an HTML form; with upper-case and lower-case hex digits.
 */
function urlForms(text: string): readonly string[] {
  // Lone surrogates are replaced, because they cannot be encoded.
  const plain = Buffer.from(text).toString();
  const inForm = new URLSearchParams([['', plain]]).toString().slice(1);
  const strict = inForm.replaceAll('+', '%20').replaceAll('*', '%2A').replaceAll('%7E', '~');
  const all = [encodeURIComponent(plain), strict, inForm];
  return [...all, ...all.map((form) => form.replace(/%../g, (code) => code.toLowerCase()))];
}

/** Collects the secrets of a run. `token` is the access token of the environment, `others` are other secrets. */
export function createSecrets(token: string, others: readonly string[] = []): Secrets {
  const tokenList = [token];
  const lists = new Set([tokenList, others]);
  // Forms are made for the first text: a page of help has none to mask, a single result only tokens.
  let tokens: SecretForms | undefined;
  let all: SecretForms | undefined;
  const formsOfTokens = () => (tokens ??= new SecretForms(tokenList));
  const formsOfAll = () => (all ??= new SecretForms([...lists].flat()));
  return {
    add(secrets) {
      lists.add(secrets);
      all?.add(secrets);
      return () => {
        lists.delete(secrets);
        all = undefined;
      };
    },
    addToken(added) {
      tokenList.push(added);
      tokens?.add([added]);
      all?.add([added]);
    },
    mask: (text) => formsOfAll().mask(text),
    maskTokens: (value) => maskTexts(value, (text) => formsOfTokens().mask(text)),
    maskExcept(value, own) {
      const shown = new SecretForms(own);
      return maskTexts(value, (text) => formsOfAll().mask(text, shown));
    },
  };
}

/** Masks the texts of a value. Returns `value` itself, not a copy, if nothing was masked: the caller sees that. */
function maskTexts(value: unknown, mask: (text: string) => string): unknown {
  let found = false;
  const copy = mapTexts(value, (text) => {
    const safe = mask(text);
    found ||= safe !== text;
    return safe;
  });
  return found ? copy : value;
}

/**
 * Returns the values of an input's `hidden` fields: secrets, values of secret maps, and IDs that are credentials. Only
 * the result of the operation may show them.
 */
export function secretValuesIn(fields: readonly Field[], input: Input): readonly string[] {
  const values = fields.filter(({ hidden }) => hidden).map(({ name }) => input[name]);
  return values.flatMap((value) =>
    isObject(value) ? Object.values(value).filter(isText) : isText(value) ? [value] : [],
  );
}

/**
 * True if the error of a command may repeat the credential that a person has typed as its ID: on the screen where it was
 * typed, and not in an output that is kept.
 */
export const showsTypedCredential = ({ debug, output }: Settings, { stderr }: Runtime): boolean =>
  stderr.isTTY && !debug && !isJsonForm(output);

/** A value of a list may be anything before it is validated. */
const isText = (value: unknown): value is string => typeof value === 'string';

/** Copies the input with a mask in place of every secret; a map of secrets keeps its keys. */
export function maskSecretFields(fields: readonly Field[], input: Input): Input {
  const masked: Record<string, unknown> = { ...input };
  for (const { name } of fields.filter(({ secret }) => secret)) {
    const value = input[name];
    if (isObject(value))
      masked[name] = Object.fromEntries(Object.keys(value).map((key) => [key, MASK]));
    else if (value != null) masked[name] = MASK;
  }
  return masked;
}

/** Facts that are words of this program, and the details, which have a form of their own. */
const FIXED = new Set(['outcome', 'nothingWas', 'details']);

/** Copies the failure with every text changed, except the details. */
export function mapFailureTexts(
  failure: Failure,
  change: (text: string, name: string) => string,
): Failure {
  const { facts } = failure;
  const changed: Record<string, string> = {};
  for (const [name, fact] of Object.entries(facts))
    if (typeof fact === 'string' && !FIXED.has(name)) changed[name] = change(fact, name);
  const why = facts.why?.map((line) => change(line, 'why'));
  const parts = facts.parts?.map((part) => change(part, 'what')) as typeof facts.parts;
  const next = facts.next?.map((word) => (typeof word === 'string' ? change(word, 'next') : word));
  return failure.with({ ...changed, parts, why, next });
}

/** Copies the failure with every text masked, including the suggested command, which may repeat typed text. */
export function redactFailure(failure: Failure, mask: (text: string) => string): Failure {
  const masked = mapFailureTexts(failure, mask);
  return masked.with({ details: mapTexts(masked.facts.details, mask) });
}
