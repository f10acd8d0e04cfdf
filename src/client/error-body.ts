// Reads what the body of a response says about an error: JSON of any form, plain text, or a page, which is not of the
// service. Pure.

import { type ErrorForm, errorIn, isProse, oneLine } from '../base/error-forms.ts';
import type { FailureFacts } from '../base/errors.ts';
import type { HttpResponse } from '../base/http.ts';
import { isObject } from '../base/json.ts';

export interface ErrorBody extends ErrorForm {
  /** `service` if the error has the form of the API document, `gateway` if it is a page. */
  readonly sender?: FailureFacts['sender'];
  /** The title of a page, or its first text. */
  readonly page?: string | undefined;
}

/** Reads the error in a response; `body` is the JSON of its body, `undefined` if it is none. */
export function errorBodyOf(response: HttpResponse, body: unknown): ErrorBody {
  const { status } = response;
  if (isPage(response, body))
    return { sender: 'gateway', page: wordsOfPage(response.body), codes: [] };
  const form = body === undefined ? { ...textForm(response), codes: [] } : errorIn(body, status);
  const error = isObject(body) ? body['error'] : undefined;
  const own = isObject(error) ? error : {};
  const details = own['details'] === undefined ? form.details : (own['details'] ?? undefined);
  const ownCode = textIn(own['code']);
  if (ownCode !== undefined) {
    const message = textIn(own['message']) ?? form.message;
    return { ...form, code: ownCode, message, details, sender: 'service' };
  }
  const header = errorInHeaders(response.headers);
  const code = form.code ?? header.code;
  return {
    code,
    message: isProse(form.message) ? form.message : (header.message ?? form.message),
    details,
    codes: code === undefined ? form.codes : [code, ...form.codes],
  };
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads a body that is not JSON: the text and the code of XML, or plain text; nothing of a type that is no text. */
function textForm(response: HttpResponse): Pick<ErrorForm, 'code' | 'message'> {
  const type = typeOf(response);
  const body = response.body.trimStart();
  if (type !== undefined && !/^text\/|json|xml|urlencoded/.test(type)) return {};
  const element = (names: string) =>
    new RegExp(`<(?:\\w+:)?(?:${names})\\b[^<>]*>([^<>]+)<`, 'i').exec(
      body.slice(0, SEARCHED),
    )?.[1];
  if (!body.startsWith('<')) return { message: oneLine(body) };
  const message = element('message|faultstring|detail|title|description') ?? wordsOfPage(body);
  return { code: element('code'), message: message && oneLine(decoded(message)) };
}

/** Reads the error that OAuth and AWS put into headers. */
function errorInHeaders(headers: HttpResponse['headers']): Pick<ErrorForm, 'code' | 'message'> {
  const challenge = headers['www-authenticate'] ?? '';
  const parameter = (name: string) =>
    new RegExp(`\\b${name}="?((?<=")[^"]+|[^\\s",]+)`, 'i').exec(challenge)?.[1];
  const type = headers['x-amzn-errortype']?.split(':')[0];
  return { code: parameter('error') ?? type, message: parameter('error_description') };
}

/** The answers of proxies and firewalls that are a few plain words. */
const GATEWAY_TEXT =
  /^(?:upstream (?:connect error|request timeout)|no healthy upstream|rbac: access denied|error code: 1\d{3}\s*$)/i;

/**
 * True if a firewall wants to see a browser first. Nothing was passed on to the service, although the status may be a
 * 202 without a body.
 */
export const isChallenge = ({ headers }: HttpResponse): boolean =>
  headers['cf-mitigated'] === 'challenge' || headers['x-amzn-waf-action'] !== undefined;

/** True if a response is a page, or the refusal of a gateway, and not an answer of an API. */
export const isPage = (response: HttpResponse, body?: unknown): boolean =>
  isChallenge(response) ||
  (body === undefined &&
    (START_OF_PAGE.test(response.body) ||
      (typeOf(response) === 'text/html' && /<[!/a-z]/i.test(response.body)) ||
      GATEWAY_TEXT.test(response.body)));

const START_OF_PAGE =
  /^\s*(?:<\?xml[^>]*>\s*)?<(?:!--|(?:!doctype html|html|head|body|title|h\d|p|div|center|meta)\b)/i;

export const typeOf = ({ headers }: HttpResponse): string | undefined =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase();

/** The part of a page that is searched for its title. */
const SEARCHED = 20_000;

/** True if a text can be shown whole: of a longer one, the half of a secret would not be masked. */
export const isShort = (text: string | undefined): text is string =>
  text !== undefined && text.length <= 180;

/** Returns the title of a page, or its first text that is short. */
function wordsOfPage(html: string): string | undefined {
  const start = html.length > SEARCHED ? html.slice(0, html.lastIndexOf('<', SEARCHED)) : html;
  const title = /<title\b[^<>]*>([^<]*)</i.exec(start)?.[1] ?? '';
  const texts = start
    // An element that does not end takes the rest with it.
    .replace(/<(script|style|head)\b[\s\S]*?(?:<\/\1\s*>|$)|<!--[\s\S]*?(?:-->|$)/gi, '<>')
    .split(/<[^>]*(?:>|$)/);
  return [title, ...texts].map((text) => oneLine(decoded(text))).find(isShort);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  middot: '·',
  ndash: '–',
  mdash: '—',
};

const decoded = (html: string): string =>
  html.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w+));/gi, (all, decimal, hex, name: string) => {
    const point = parseInt(String(decimal ?? hex), decimal === undefined ? 16 : 10);
    return Number.isNaN(point)
      ? (ENTITIES[name] ?? all)
      : String.fromCodePoint(Math.min(point, 0x10ffff));
  });

/** Describes a page in a clause. */
export const pageInWords = (words: string | undefined): string =>
  `a page of a gateway, not of the service${words === undefined ? '' : `: "${words}"`}`;
