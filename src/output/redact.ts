// Redacts secrets by their value, wherever they occur: as they are, escaped in any of the usual ways or in several of
// them (JSON, percent signs, HTML), as base64 at any alignment, as hexadecimal, and where a text was cut in the midst.

import type { Field } from '../api/operations/fields.ts';
import { Failure } from '../base/errors.ts';
import { isObject, mapTexts } from '../base/json.ts';
import { type EscapeKind, type UnescapedText, unescapeWithSpans } from './unescape.ts';
import type { Input } from '../api/operations/define-operation.ts';
import type { Secrets } from '../base/runtime.ts';

/** What stands for a secret. */
export const MASK = '[redacted]';

/** Shorter texts would be found everywhere, and are no secrets. */
const SHORTEST = 4;
/** The same of a part of base64 that does not begin where the text does. */
const SHORTEST_BASE64 = 6;
/** An escaped text may have been escaped again: a URL in JSON in JSON. */
const DEEPEST = 3;
/** A secret that looks escaped itself survives only the kinds that were laid over it, each taken off alone. */
const SINGLE_KINDS = ['json', 'url', 'html'] as const;
const DEEPEST_SINGLE = 2;

/** From a character to one after the last, in a text. */
type Span = readonly [start: number, end: number];

/** A function that masks each of the given secrets in a text. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter(({ length }) => length >= SHORTEST);
  if (known.length === 0) return (text) => text;
  const forms = [...new Set(known.flatMap(formsOf))];
  const hex = new RegExp(
    known.map((secret) => Buffer.from(secret).toString('hex')).join('|'),
    'gi',
  );
  const looksEscaped = known.some((secret) => /[\\%&]/.test(secret));
  const spansIn = (text: string): readonly Span[] => [
    ...forms.flatMap((form) => occurrences(form, text)),
    ...Array.from(text.matchAll(hex), ({ 0: { length }, index }): Span => [index, index + length]),
    ...cutsIn(text, forms),
  ];
  return (text) => {
    const spans = [...spansIn(text)];
    const search = (
      outer: UnescapedText | undefined,
      kinds: readonly EscapeKind[],
      left: number,
    ) => {
      for (const kind of left === 0 ? [] : kinds) {
        const plain = unescapeWithSpans(outer?.text ?? text, outer, kind);
        if (plain === undefined) continue;
        const { startOf, endOf } = plain;
        spans.push(...spansIn(plain.text).map(([a, b]): Span => [startOf(a), endOf(b)]));
        search(plain, kinds, left - 1);
      }
    };
    search(undefined, ['any'], DEEPEST);
    if (looksEscaped) search(undefined, SINGLE_KINDS, DEEPEST_SINGLE);
    return masked(text, spans);
  };
}

function formsOf(secret: string): readonly string[] {
  const base64 = base64Of(Buffer.from(secret));
  // One that holds what looks like an escape is found without it as well.
  const plain = unescapeWithSpans(secret)?.text ?? '';
  return [
    secret,
    ...(plain.length >= SHORTEST ? [plain] : []),
    // As a form of the web sends it.
    secret.replaceAll(' ', '+'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/**
 * What is the same in the base64 of whatever holds the secret, wherever in it that begins: `user:secret` as well. The
 * characters at both ends that hold bits of something else are left out.
 */
function base64Of(secret: Buffer): readonly string[] {
  const own = secret.toString('base64');
  const within = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), secret]).toString('base64');
    const end = Math.floor(((before + secret.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), end);
  });
  return [own, own.replace(/=+$/, ''), ...within.filter(({ length }) => length >= SHORTEST_BASE64)];
}

function occurrences(form: string, text: string): readonly Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
    found.push([at, at + form.length]);
  return found;
}

/** The beginnings of forms that a cut left: what stands before `…` and `...`. */
function cutsIn(text: string, forms: readonly string[]): readonly Span[] {
  const ends = Array.from(text.matchAll(/…|\.{3}/g), ({ index }) => index);
  return ends.flatMap((end) =>
    forms.flatMap((form): readonly Span[] => {
      const tail = text.slice(Math.max(0, end - form.length), end);
      const [first] = occurrences(form.slice(0, SHORTEST), tail).filter(([at]) =>
        form.startsWith(tail.slice(at)),
      );
      return first === undefined ? [] : [[end - tail.length + first[0], end]];
    }),
  );
}

/** The text with a mask for each span; those that overlap have one. */
function masked(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let [made, done] = ['', 0];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= done) made += text.slice(done, start) + MASK;
    done = Math.max(done, end);
  }
  return made + text.slice(done);
}

/** The secrets of a program run, with those that are known from the start. */
export function createSecrets(always: readonly string[]): Secrets {
  const lists = new Set([always]);
  let [known, redact]: [readonly string[], (text: string) => string] = [[], (text) => text];
  return {
    add(secrets) {
      lists.add(secrets);
      return () => void lists.delete(secrets);
    },
    mask(text) {
      const now = [...lists].flat();
      const same = now.length === known.length && now.every((each, i) => each === known[i]);
      if (!same) [known, redact] = [now, createRedactor(now)];
      return redact(text);
    },
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
