// Redacts secrets by their value, wherever they occur: plain, JSON-escaped, percent-encoded, and in base64.

import type { Field } from '../api/operations/fields.ts';
import type { Failure } from '../base/errors.ts';
import { isObject, mapTexts } from '../base/json.ts';
import type { Input } from '../api/operations/define-operation.ts';
import type { Secrets } from '../base/runtime.ts';

/** The text in place of a secret. */
export const MASK = '[redacted]';

/** Shorter texts are not treated as secrets, because they would be found everywhere. */
const SHORTEST = 4;

/**
 * Makes a function that masks the given secrets in a text. It uses plain searches, because a regular expression of a
 * long secret overflows.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const searched = secrets.filter(({ length }) => length >= SHORTEST);
  // Longer forms come first, because a secret may be the start of another, such as its base64 without padding.
  const forms = [...new Set(searched.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  const shortest = forms.at(-1)?.length ?? Infinity;
  return (text) =>
    text.length < shortest
      ? text
      : forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

/** Returns the forms in which a text may contain the secret. */
function formsOf(secret: string): readonly string[] {
  // A service may echo the header `Authorization: Bearer …` in base64.
  const base64 = [secret, `Bearer ${secret}`].flatMap((text) => {
    const padded = Buffer.from(text).toString('base64');
    const whole = [padded, padded.replaceAll('+', '-').replaceAll('/', '_')];
    return whole.flatMap((form) => [form, form.replace(/=+$/, '')]);
  });
  // A service may echo digits as a JSON number: they come back as the nearest double, often with other last digits.
  const rounded = /^\d+$/.test(secret) ? [String(Number(secret))] : [];
  const texts = [secret, ...rounded, ...base64].flatMap((text) => [
    text,
    ...jsonForms(text),
    ...urlForms(text),
  ]);
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
  const tokens = new Set([token]);
  const lists = new Set([others]);
  let redact = createRedactor([]);
  let redactTokens = redact;
  const update = () => {
    redact = createRedactor([...tokens, ...[...lists].flat()]);
    redactTokens = createRedactor([...tokens]);
  };
  update();
  return {
    add(secrets) {
      // A batch adds the secrets of each record, and most records have none.
      if (secrets.length === 0) return () => undefined;
      lists.add(secrets);
      update();
      return () => {
        lists.delete(secrets);
        update();
      };
    },
    addToken(added) {
      tokens.add(added);
      update();
    },
    mask: (text) => redact(text),
    // A result may show its secrets, but never an access token. Without one this returns `value` itself, not a copy,
    // because the caller sees by that whether something was masked.
    maskTokens(value) {
      let found = false;
      const masked = mapTexts(value, (text) => {
        const safe = redactTokens(text);
        found ||= safe !== text;
        return safe;
      });
      return found ? masked : value;
    },
  };
}

/**
 * Returns the values of an input's `hidden` fields: secrets, values of secret maps, and IDs that are credentials. Only
 * the result of the operation may show them.
 */
export function secretValuesIn(fields: readonly Field[], input: Input): readonly string[] {
  const values = fields.filter(({ hidden }) => hidden).map(({ name }) => input[name]);
  return values.flatMap((value) =>
    isObject(value) ? Object.values(value).map(String) : typeof value === 'string' ? [value] : [],
  );
}

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

/** Copies the failure with every text changed, except the details. */
export function mapFailureTexts(
  failure: Failure,
  change: (text: string, name: string) => string,
): Failure {
  const { facts } = failure;
  const changed: Record<string, string> = {};
  for (const [name, fact] of Object.entries(facts))
    if (typeof fact === 'string' && name !== 'outcome' && name !== 'details')
      changed[name] = change(fact, name);
  const why = facts.why?.map((line) => change(line, 'why'));
  const next = facts.next?.map((word) => (typeof word === 'string' ? change(word, 'next') : word));
  return failure.with({ ...changed, why, next });
}

/** Copies the failure with every text masked, including the suggested command, which may repeat typed text. */
export function redactFailure(failure: Failure, mask: (text: string) => string): Failure {
  const masked = mapFailureTexts(failure, mask);
  return masked.with({ details: mapTexts(masked.facts.details, mask) });
}
