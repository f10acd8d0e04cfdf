// `api --paginate`: reads a list page by page and prints the items of each as it arrives. The response names the next
// page, as `Link: rel=next` (RFC 8288) or as `nextCursor`. After a failure the suggested command resumes at the page
// that failed.

import { afterSending, Failure } from '../../base/errors.ts';
import type { HttpRequest, HttpResponse } from '../../base/http.ts';
import { isObject, toJson } from '../../base/json.ts';
import type { Runtime } from '../../base/runtime.ts';
import { excerpt, quote } from '../../base/sanitize.ts';
import { queryPair } from '../../client/build-request.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { Client } from '../../client/open-client.ts';
import { readWhole, withHead } from '../../client/read-response.ts';
import { asFailure } from '../../output/error-report.ts';
import { oncePerLine } from '../../output/wrap.ts';
import { anyRead } from './request.ts';

/** A limit for lists that never end. */
const MAX_PAGES = 1000;

/** A list to read, and the function that shows each page. */
interface PagedList {
  readonly headers: HttpRequest['headers'];
  /** Path and query of the first page, from the first slash. */
  readonly path: string;
  /** Makes the command that resumes at another path; `undefined` if that may not be shown. */
  resume(path: string): string | undefined;
  /** Prints a page; `runtime` shows each note once for all pages. */
  show(items: readonly unknown[], runtime: Runtime): Promise<void>;
}

/** Reads and shows page after page. Throws the failure of a page, with the command that resumes there. */
export async function paginate(list: PagedList, client: Client): Promise<void> {
  const { baseUrl } = client.service;
  const runtime = { ...client.runtime, note: oncePerLine(client.runtime.note) };
  const paths = new Set<string>();
  let next: string | undefined = list.path;
  while (next !== undefined) {
    const path: string = next;
    if (paths.has(path))
      throw cannotContinue(`the next page was read before; stopped: ${quoted(path)}`);
    if (paths.size === MAX_PAGES) throw tooManyPages(list.resume(path));
    const isFirst = paths.size === 0;
    paths.add(path);
    const request = { method: 'GET', url: baseUrl + path, headers: list.headers } as const;
    const options = { request, read: withHead(readWhole) };
    const { data } = await callOperation({ ...client, runtime }, anyRead, {}, options).catch(
      (error: unknown) => {
        throw isFirst ? error : withResumeLine(error, list.resume(path));
      },
    );
    const page = data as Page;
    await list.show(itemsOf(page.body, runtime), runtime);
    // A reader that has closed the pipe has seen enough.
    if (runtime.stdout.gone === true) return;
    next = nextPath(page, path, baseUrl);
    if (isFirst && next === undefined && cursorIn(page.body) === undefined)
      // A list without pages is complete; but it may also have pages that are named in another way.
      runtime.note('note: the response names no next page (Link rel=next or nextCursor)');
  }
}

interface Page {
  readonly headers: HttpResponse['headers'];
  readonly body: unknown;
}

function itemsOf(body: unknown, { note }: Runtime): readonly unknown[] {
  const items = pageItems(body);
  if (items === undefined)
    note('note: the response is not one list; each page is printed as one item');
  return items ?? [body];
}

/** Returns the list of a page: the body, its data, or the only list in either; else `undefined`. */
export function pageItems(body: unknown): readonly unknown[] | undefined {
  const data = isObject(body) && body['data'] != null ? body['data'] : body;
  if (Array.isArray(data)) return data as readonly unknown[];
  const lists = isObject(data) ? Object.values(data).filter(Array.isArray) : [];
  return lists.length === 1 ? (lists[0] as readonly unknown[]) : undefined;
}

/**
 * Returns path and query of the next page; `undefined` at the end of the list. Throws if it is not below the base URL,
 * because the token may not be sent elsewhere.
 */
export function nextPath(
  { headers, body }: Page,
  path: string,
  baseUrl: string,
): string | undefined {
  const link = linkedNext(headers['link']);
  if (link !== undefined) return pathBelow(baseUrl, link, `${baseUrl}${path}`);
  const cursor = cursorIn(body);
  if (cursor !== undefined && cursor !== null && cursor !== '') {
    const [start = '', query = ''] = path.split('?');
    const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('cursor='));
    const text = typeof cursor === 'string' ? cursor : toJson(cursor);
    return `${start}?${[...others, queryPair(['cursor', text])].join('&')}`;
  }
  if (fieldIn(body, 'hasMore') === true)
    throw cannotContinue(
      'the response says that the list continues, but names no next page (Link rel=next or nextCursor)',
    );
  return undefined;
}

/**
 * Returns the `nextCursor` of the response: beside its data, in it or in `meta`. It is `null` at the end of a list, and
 * `undefined` if the response has none, or one of another type.
 */
function cursorIn(body: unknown): unknown {
  const cursor = fieldIn(body, 'nextCursor');
  const isCursor = typeof cursor === 'string' || Number.isSafeInteger(cursor);
  return isCursor || cursor === null ? cursor : undefined;
}

function fieldIn(body: unknown, name: string): unknown {
  if (!isObject(body)) return undefined;
  const places = [body, body['data'], body['meta']].filter(isObject);
  return places.find((place) => Object.hasOwn(place, name))?.[name];
}

/** Returns the target of `rel=next` in a Link header; `undefined` if there is none. */
export const linkedNext = (header = ''): string | undefined =>
  header
    .split(/,\s*(?=<)/)
    .map((link) => /^\s*<([^<>]*)>.*;\s*rel\s*=\s*"?(?:[^";]*\s)?next\b(?!-)/is.exec(link)?.[1])
    .find((target) => target !== undefined);

function pathBelow(baseUrl: string, link: string, from: string): string {
  const base = new URL(`${baseUrl}/`);
  const next = URL.canParse(link, from) ? new URL(link, from) : undefined;
  if (next?.origin !== base.origin || !next.pathname.startsWith(base.pathname))
    throw cannotContinue(
      `the next page is not below ${baseUrl}; it was not followed: ${quoted(next ? next.origin + next.pathname : 'no URL')}`,
    );
  return next.pathname.slice(base.pathname.length - 1) + next.search;
}

/** Makes the failure of a list that cannot be followed. */
const cannotContinue = (what: string): Failure =>
  new Failure('no_answer', { what, sent: true, retryable: false });

const MAX_SHOWN = 200;

/** Formats an address for an error. */
const quoted = (text: string): string => quote(excerpt(text, MAX_SHOWN));

/** Adds the command that resumes to a failure, unless a login has to come first. */
function withResumeLine(error: unknown, resume: string | undefined): Failure {
  // The result is a `Failure`, because the argument is one.
  const failure = afterSending(asFailure(error)) as Failure;
  const { status, next } = failure.facts;
  return failure.with({ next: next ?? (status === 401 ? undefined : resume) });
}

/** Makes the failure of a list that is too long. */
const tooManyPages = (next: string | undefined): Failure =>
  new Failure('still_pending', {
    what: `stopped after ${MAX_PAGES} pages; the list continues`,
    sent: true,
    retryable: false,
    next,
  });
