// Recognises a response that is a rate limit, whatever its status, and reads how long it asks to wait. Pure.

import type { ErrorForm } from '../base/error-forms.ts';
import type { HttpResponse } from '../base/http.ts';
import { isObject } from '../base/json.ts';

export interface RateLimit {
  readonly isLimit: boolean;
  /** True if a quota of a day, a month or a plan is used up: no pause of a call helps. */
  readonly isLasting: boolean;
  /** Milliseconds that the service asks to wait, never negative; `undefined` if it names no time. */
  readonly waitMs: number | undefined;
}

type Headers = HttpResponse['headers'];

/** Reads the limit of an error response; `text` is its message, or that of a page. */
export function rateLimitIn(
  { status, headers }: HttpResponse,
  { codes, text = '' }: Pick<ErrorForm, 'codes'> & { readonly text?: string | undefined },
  body: unknown,
): RateLimit {
  const codeWords = codes.map(inWords);
  const waitAsked = retryAfterMs(headers);
  const mayBeLimit = status === 400 || MAY_BE_LIMITS.has(status) || BUSY.has(status);
  const isLimit =
    status === 429 ||
    (!NEVER_LIMITS.has(status) && codeWords.some((code) => LIMIT_CODE.test(code))) ||
    (mayBeLimit && (LIMIT_TEXT.test(text) || isUsedUp(headers))) ||
    (MAY_BE_LIMITS.has(status) && waitAsked !== undefined);
  const waitMs =
    waitAsked ??
    (isLimit || isUsedUp(headers) ? resetMs(headers) : undefined) ??
    (isLimit ? waitInBody(body) : undefined);
  const words = [...codeWords, text].join('. ');
  const isLasting = isLimit && waitMs === undefined && LASTING.test(words) && !SHORT.test(words);
  return { isLimit, isLasting, waitMs };
}

/** A rejected token, a payment and a timeout are what they say. */
const NEVER_LIMITS = new Set([401, 402, 408]);
/** Refusals that services also use for limits: then they say so, ask to wait, or have a header without a remainder. */
const MAY_BE_LIMITS = new Set([403, 420, 430]);
/** Statuses of a service that is overloaded, and has refused the request for that. */
export const BUSY = new Set([503, 509, 529]);

/** Splits `userRateLimitExceeded` and `rate_limit_exceeded` into words. */
const inWords = (code: string): string =>
  code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').replace(/[_.:#/-]+/g, ' ');

const USED_UP = String.raw`(?:exceed|reach|exhaust|hit|used up|violat)`;
const LIMIT_CODE = new RegExp(
  String.raw`\b(?<!invalid )(?:rate|request) ?limit(?:s|ed|ing|er)?(?: ?(?:${USED_UP}|error|exception|fault).*)?$|\bthrottl|\bslow ?down\b|\btoo ?many ?(?:requests|calls|attempts)|\bresource exhausted|` +
    String.raw`\b(?:insufficient|over) ?quota|\bquota ?${USED_UP}|\b(?:daily|monthly|hourly) limit ?${USED_UP}|\benhance your calm|\bflood ?wait`,
  'i',
);
const LIMIT_TEXT = new RegExp(
  String.raw`\b(?:rate|request|call|throttle|(?:hourly|daily|monthly) (?:\w+ )?)[ -]?limit\w*\b.{0,40}\b${USED_UP}|` +
    String.raw`\b${USED_UP}\w*\b.{0,40}\b(?:rate|request|call)[ -]?limit|\brate[ -]?limited\b|^\W*(?:\w+ )?rate[ -]?limit(?:ing|s)?\W*$|` +
    String.raw`\btoo many (?:requests|calls|attempts)\b|\bthrottl(?:ed|ing)\b|\bslow down\b|\brate exceeded\b|` +
    String.raw`\brequests? per (?:second|minute|hour|day)\b|\bquota\b.{0,40}\b${USED_UP}|\b${USED_UP}\w*\b.{0,40}\bquota\b|\bout of quota\b`,
  'i',
);
const LASTING =
  /\b(?:week|month|year)|\bdaily\b|\b(?:per|a) day\b|\btoday\b|\bcredits?\b|\bbilling\b|\binsufficient quota|\b(?:plan|usage|spending) (?:limit|quota)|\bquota\b.{0,20}\bplan\b/i;
const SHORT = /\b(?:per|a|an|each) (?:second|minute|hour)\b|\bhourly\b/i;

const USED_UP_HEADER = /\brate-?limit(?:-\w+)*-remaining\b/;

/** True if a header says that no request remains. */
const isUsedUp = (headers: Headers): boolean =>
  Object.entries(headers).some(
    ([name, value]) =>
      USED_UP_HEADER.test(name) && /(?:^|, ?)0+(?:\.0+)?(?:,|$)/.test(value.trim()),
  ) || policiesIn(headers).some(({ remaining }) => remaining === 0);

const numberAt = (policy: string, names: string): string | undefined =>
  new RegExp(String.raw`(?:^|[;,\s])(?:${names})=(\d+)(?![\w.])`).exec(policy)?.[1];

/** Reads `RateLimit`, `limit=9, remaining=0, reset=30` or `"default";r=0;t=30`, which may have several policies. */
function policiesIn(headers: Headers) {
  const value = headers['ratelimit'] ?? '';
  return (value.includes(';') ? value.split(',') : [value]).map((policy) => {
    const remaining = numberAt(policy, 'r|remaining');
    return {
      remaining: remaining === undefined ? undefined : Number(remaining),
      reset: numberAt(policy, 't|reset'),
    };
  });
}

/** Returns the time until requests remain again: the longest of the policies that are used up, else that of a header. */
function resetMs(headers: Headers): number | undefined {
  const resets = policiesIn(headers)
    .filter(({ remaining, reset }) => remaining === 0 && reset !== undefined)
    .map(({ reset }) => Number(reset) * 1000);
  if (resets.length > 0) return Math.min(Math.max(...resets), LONGEST_MS);
  const names = ['ratelimit-reset', 'x-ratelimit-reset-after', 'x-ratelimit-reset'];
  return [...names, 'x-rate-limit-reset']
    .map((name) => untilReset(headers[name]?.trim() ?? '', headers))
    .find((ms) => ms !== undefined);
}

/** Above these, a number of seconds would be decades: it is a time in seconds, or in milliseconds, since 1970. */
const FIRST_EPOCH_S = 1e9;
const FIRST_EPOCH_MS = 1e11;

/** Reads a number of seconds, or a time; one that has passed says nothing. */
function untilReset(value: string, headers: Headers): number | undefined {
  const number = SECONDS.test(value) ? Number(value) : undefined;
  if (number !== undefined && number < FIRST_EPOCH_S) return wholeSeconds(number * 1000);
  const time =
    number === undefined
      ? ISO_TIME.test(value)
        ? Date.parse(value)
        : NaN
      : number < FIRST_EPOCH_MS
        ? number * 1000
        : number;
  const ms = time - (serverTimeIn(headers) ?? Date.now());
  return ms > 0 ? wholeSeconds(ms) : undefined;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Returns the `retry_after` of a body, in seconds: of the error, or of what stands beside it. */
function waitInBody(body: unknown): number | undefined {
  const within = isObject(body) ? [body, body['error'], body['parameters'], body['details']] : [];
  for (const holder of within.filter(isObject))
    for (const key of ['retry_after', 'retryAfter']) {
      const value = holder[key];
      const seconds = typeof value === 'number' ? String(value) : value;
      if (typeof seconds === 'string' && SECONDS.test(seconds))
        return wholeSeconds(Number(seconds) * 1000);
    }
  return undefined;
}

const SECONDS = /^\d+(?:\.\d+)?$/;
/** Thirty years. A longer time would not stay a number that can be added to others. */
const LONGEST_MS = 1e12;
const wholeSeconds = (ms: number): number => Math.min(Math.ceil(ms / 1000) * 1000, LONGEST_MS);
const IMF_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Returns the milliseconds that `Retry-After` asks to wait, never negative; `undefined` if it is absent or invalid. A
 * date is compared with the server's clock if the response has it.
 */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined) return undefined;
  if (SECONDS.test(value)) return wholeSeconds(Number(value) * 1000);
  if (!IMF_DATE.test(value)) return undefined;
  return Math.max(0, Date.parse(value) - (serverTimeIn(headers) ?? now));
}

/** Returns the service's clock, if the response has a Date header. */
export function serverTimeIn(headers: Headers): number | undefined {
  const time = Date.parse(headers['date'] ?? '');
  return Number.isNaN(time) ? undefined : time;
}
