// Redacts secrets by their value, wherever they occur: as they are, JSON-escaped, percent-encoded, and in base64.

import type { Field } from '../api/operations/fields.ts';
import { Failure } from '../base/errors.ts';
import { isObject, mapTexts } from '../base/json.ts';
import type { Input } from '../api/operations/define-operation.ts';
import type { Secrets } from '../base/runtime.ts';

/** What stands for a secret. */
export const MASK = '[redacted]';

/** Shorter texts would be found everywhere, and are no secrets. */
const SHORTEST = 4;

/** A function that masks each of the given secrets in a text. Plain searches: a pattern of a long secret overflows. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter(({ length }) => length >= SHORTEST);
  // A secret may be the beginning of another, as its base64 without padding is of that with it.
  const forms = [...new Set(known.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  const shortest = forms.at(-1)?.length ?? Infinity;
  return (text) =>
    text.length < shortest
      ? text
      : forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

function formsOf(secret: string): readonly string[] {
  // A service may echo the header `Authorization: Bearer …` in base64.
  const base64 = [secret, `Bearer ${secret}`].flatMap((text) => {
    const padded = Buffer.from(text).toString('base64');
    const whole = [padded, padded.replaceAll('+', '-').replaceAll('/', '_')];
    return whole.flatMap((each) => [each, each.replace(/=+$/, '')]);
  });
  // Echoed as a JSON number, digits come back as the nearest double: of twenty of them the first sixteen.
  const rounded = /^\d+$/.test(secret) ? [String(Number(secret))] : [];
  const texts = [secret, ...rounded, ...base64].flatMap((text) => [
    text,
    ...jsonForms(text),
    ...urlForms(text),
  ]);
  return texts.filter(({ length }) => length >= SHORTEST);
}

/** In a JSON string, with an escaped slash as PHP writes it, and in JSON inside JSON. */
function jsonForms(text: string): readonly string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const both = [once, once.replaceAll('/', String.raw`\/`)];
  return [...both, ...both.map((each) => JSON.stringify(each).slice(1, -1))];
}

/** In a path, strictly by RFC 3986, and in a form; with capital and with small digits. */
function urlForms(text: string): readonly string[] {
  // Without lone surrogates, which cannot be encoded.
  const plain = Buffer.from(text).toString();
  const inForm = new URLSearchParams([['', plain]]).toString().slice(1);
  const strict = inForm.replaceAll('+', '%20').replaceAll('*', '%2A').replaceAll('%7E', '~');
  const all = [encodeURIComponent(plain), strict, inForm];
  return [...all, ...all.map((each) => each.replace(/%../g, (code) => code.toLowerCase()))];
}

/** The secrets of a program run. `token` is that of the environment, `others` are no access tokens. */
export function createSecrets(token: string, others: readonly string[] = []): Secrets {
  const tokens = new Set([token]);
  const lists = new Set([others]);
  const redact = remembered(() => [...tokens, ...[...lists].flat()]);
  const redactTokens = remembered(() => [...tokens]);
  return {
    add(secrets) {
      // A batch adds those of each record, of which most have none.
      if (secrets.length === 0) return () => undefined;
      lists.add(secrets);
      return () => void lists.delete(secrets);
    },
    addToken: (each) => void tokens.add(each),
    mask: redact,
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

/** A redactor of a list that may change, made anew only where it has. */
function remembered(list: () => readonly string[]): (text: string) => string {
  let [known, redact]: [readonly string[], (text: string) => string] = [[], (text) => text];
  return (text) => {
    const now = list();
    const same = now.length === known.length && now.every((each, i) => each === known[i]);
    if (!same) [known, redact] = [now, createRedactor(now)];
    return redact(text);
  };
}

/** The same input with a mask in place of every secret. */
export function maskSecretFields(fields: readonly Field[], input: Input): Input {
  const hidden = fields
    .filter(({ secret, name }) => secret && input[name] != null)
    .map(({ name }): [string, unknown] => {
      const value = input[name];
      return [
        name,
        isObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, MASK])) : MASK,
      ];
    });
  return { ...input, ...Object.fromEntries(hidden) };
}

type Mask = (text: string) => string;

const TEXTS = [
  'what',
  'brief',
  'lead',
  'message',
  'code',
  'hint',
  'next',
  'requestId',
  'clientRequestId',
] as const;

/** The same failure with every text of it changed, but for the details. */
export function mapFailureTexts(
  { kind, facts }: Failure,
  change: (text: string, name: (typeof TEXTS)[number] | 'why') => string,
): Failure {
  const texts = TEXTS.flatMap((name) => {
    const text = facts[name];
    return text === undefined ? [] : [[name, change(text, name)] as const];
  });
  const why = facts.why && { why: facts.why.map((each) => change(each, 'why')) };
  return new Failure(kind, { ...facts, ...Object.fromEntries(texts), ...why });
}

/** The same failure with every text of it masked, what to type next as well: it may repeat what was typed. */
export function redactFailure(failure: Failure, mask: Mask): Failure {
  const { kind, facts } = mapFailureTexts(failure, mask);
  if (facts.details === undefined) return new Failure(kind, facts);
  return new Failure(kind, { ...facts, details: mapTexts(facts.details, mask) });
}
