// Redacts secrets by their value, wherever they occur: as they are, JSON-escaped, percent-encoded, and in base64.

import type { Field } from '../api/operations/fields.ts';
import { Failure } from '../base/errors.ts';
import { isObject, mapTexts } from '../base/json.ts';
import type { Input } from '../api/operations/define-operation.ts';
import type { Secrets } from '../base/runtime.ts';

/** Stands for a secret. */
export const MASK = '[redacted]';

/** Shorter texts would be found everywhere, and are no secrets. */
const SHORTEST = 4;

/** A function that masks each of the given secrets in a text. Plain searches: a pattern of a long secret overflows. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const searched = secrets.filter(({ length }) => length >= SHORTEST);
  // A secret may be the beginning of another, as its base64 without padding is of that with it.
  const forms = [...new Set(searched.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
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
    return whole.flatMap((form) => [form, form.replace(/=+$/, '')]);
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
  return [...both, ...both.map((form) => JSON.stringify(form).slice(1, -1))];
}

/** In a path, strictly by RFC 3986, and in a form; with capital and with small digits. */
function urlForms(text: string): readonly string[] {
  // Without lone surrogates, which cannot be encoded.
  const plain = Buffer.from(text).toString();
  const inForm = new URLSearchParams([['', plain]]).toString().slice(1);
  const strict = inForm.replaceAll('+', '%20').replaceAll('*', '%2A').replaceAll('%7E', '~');
  const all = [encodeURIComponent(plain), strict, inForm];
  return [...all, ...all.map((form) => form.replace(/%../g, (code) => code.toLowerCase()))];
}

/** The secrets of a program run. `token` is that of the environment, `others` are no access tokens. */
export function createSecrets(token: string, others: readonly string[] = []): Secrets {
  const tokens = new Set([token]);
  const lists = new Set([others]);
  // Made when a text is masked, and again after the secrets have changed.
  let redact: ((text: string) => string) | undefined;
  let redactTokens: ((text: string) => string) | undefined;
  const changed = () => {
    redact = undefined;
    redactTokens = undefined;
  };
  return {
    add(secrets) {
      // A batch adds those of each record, of which most have none.
      if (secrets.length === 0) return () => undefined;
      lists.add(secrets);
      changed();
      return () => {
        lists.delete(secrets);
        changed();
      };
    },
    addToken(added) {
      tokens.add(added);
      changed();
    },
    mask: (text) => (redact ??= createRedactor([...tokens, ...[...lists].flat()]))(text),
    maskTokens(value) {
      const mask = (redactTokens ??= createRedactor([...tokens]));
      let found = false;
      const masked = mapTexts(value, (text) => {
        const safe = mask(text);
        found ||= safe !== text;
        return safe;
      });
      return found ? masked : value;
    },
  };
}

const masking = (key: string): readonly [string, string] => [key, MASK];

/** Returns a copy of the input with a mask in place of every secret. */
export function maskSecretFields(fields: readonly Field[], input: Input): Input {
  const masked: Record<string, unknown> = { ...input };
  for (const { name } of fields.filter(({ secret }) => secret)) {
    const value = input[name];
    if (isObject(value)) masked[name] = Object.fromEntries(Object.keys(value).map(masking));
    else if (value != null) masked[name] = MASK;
  }
  return masked;
}

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

/** Returns a copy of the failure with every text changed, but for the details. */
export function mapFailureTexts(
  { kind, facts }: Failure,
  change: (text: string, name: (typeof TEXTS)[number] | 'why') => string,
): Failure {
  const changed: Record<string, string> = {};
  for (const name of TEXTS) {
    const text = facts[name];
    if (text !== undefined) changed[name] = change(text, name);
  }
  const why = facts.why?.map((line) => change(line, 'why'));
  return new Failure(kind, { ...facts, ...changed, why });
}

/** Returns a copy of the failure with every text masked, also the next line to type: it may repeat what was typed. */
export function redactFailure(failure: Failure, mask: (text: string) => string): Failure {
  const { kind, facts } = mapFailureTexts(failure, mask);
  return new Failure(kind, { ...facts, details: mapTexts(facts.details, mask) });
}
