// A failure as it may be shown anywhere: no secret is left in any of its texts.

import { Failure } from '../errors.ts';
import { isExactNumber } from '../json.ts';

type Mask = (text: string) => string;

/** The same failure with every text of it masked, what to type next as well: it may repeat what was typed. */
export function redacted(failure: Failure, mask: Mask): Failure {
  const { what, message, why, hint, next, code, details, requestId, ...facts } = failure.facts;
  return new Failure(failure.kind, {
    ...facts,
    what: mask(what),
    ...(message === undefined ? {} : { message: mask(message) }),
    ...(why === undefined ? {} : { why: why.map(mask) }),
    ...(hint === undefined ? {} : { hint: mask(hint) }),
    ...(next === undefined ? {} : { next: mask(next) }),
    ...(code === undefined ? {} : { code: mask(code) }),
    ...(requestId === undefined ? {} : { requestId: mask(requestId) }),
    ...(details === undefined ? {} : { details: masked(details, mask) }),
  });
}

/** A value of JSON with every text in it masked, keys included. */
export function masked(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, mask));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [mask(key), masked(item, mask)]),
  );
}
