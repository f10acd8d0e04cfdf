// What a body that is not JSON is: nothing, cut off, another type, or the HTML page of something in between. Pure.

import { type FailureFacts, ofResponse } from '../base/errors.ts';
import type { HttpResponse } from '../base/http.ts';
import { parseJson } from '../base/json.ts';
import { quote } from '../base/sanitize.ts';

/** What a failure says, with what else is known of it. */
export type Said = Pick<FailureFacts, 'what' | 'lead'> & Partial<FailureFacts>;

/** Why a body could not be read. */
export function notJson(response: HttpResponse): Said {
  const { body, status } = response;
  if (body === '') return { what: 'empty response', lead: 'empty response' };
  if (isTooDeep(body)) return ofResponse('is nested deeper than 64 levels');
  const page = htmlPageIn(response);
  if (page !== undefined) {
    const what = `expected JSON, got ${page} (HTTP ${status})`;
    return { what, lead: what, hint: PAGE_CAUSES };
  }
  const type = typeOf(response);
  if (type === 'application/json') return ofResponse('is not complete JSON');
  const what = `expected JSON, got ${type ?? 'an unnamed type'} (${Buffer.byteLength(body)} bytes)`;
  return { what, lead: what };
}

const typeOf = ({ headers }: HttpResponse): string | undefined =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase();

/** Who sends pages where the service is expected. */
export const PAGE_CAUSES = 'probably a proxy, a login page, or the wrong --base-url';

/** Where a title is looked for, and how much of it is shown. */
const PAGE_START = 65_536;
const MOST_TITLE = 80;

/** `an HTML page "Sign in"`, where a body is one. */
export function htmlPageIn(response: HttpResponse): string | undefined {
  const start = response.body.slice(0, PAGE_START);
  const isPage = typeOf(response) === 'text/html' || /^\s*<(?!\?xml)/.test(start);
  if (!isPage) return undefined;
  const raw = /<title(?:\s[^>]{0,200})?>([^<]{1,500})/i.exec(start)?.[1] ?? '';
  const title = raw.replace(/\s+/g, ' ').trim();
  // Cut between words: a part of a token would not be known as one.
  const isLong = title.length > MOST_TITLE;
  const short = isLong ? title.slice(0, MOST_TITLE).replace(/\s*\S*$/, '') : title;
  return short === '' ? 'an HTML page' : `an HTML page ${quote(isLong ? `${short} …` : short)}`;
}

function isTooDeep(text: string): boolean {
  try {
    parseJson(text);
  } catch (error) {
    return error instanceof RangeError;
  }
  return false;
}
