// `api --paginate`: reads a list page by page. The response names the next page, as `Link: rel=next` (RFC 8288) or as
// `nextCursor`. After a failure the suggested command resumes at the page that failed.

import { afterSending, asFailure, Failure } from '../../base/errors.ts';
import type { HttpResponse } from '../../base/http.ts';
import { isObject, toJson } from '../../base/json.ts';
import { quote } from '../../base/sanitize.ts';
import { type CommandLine, flagWords, socialLine } from '../../base/shell.ts';
import { queryPair } from '../../client/build-request.ts';
import { callOperation } from '../../client/call-operation.ts';
import type { Client } from '../../client/open-client.ts';
import { readWhole, withHead } from '../../client/read-response.ts';
import { anyRead } from './any-path.ts';
import { type ApiRequest, headerFlags } from './request.ts';

/** A limit for lists that never end. */
const MAX_PAGES = 1000;

/** Reads page after page, and yields the items of each. Throws the failure of a page, with the command that resumes. */
export async function* readPages(
  request: ApiRequest,
  client: Client,
): AsyncGenerator<readonly unknown[]> {
  const { baseUrl } = client.service;
  const { note } = client.runtime;
  const paths = new Set<string>();
  let next: string | undefined = request.path + request.query;
  while (next !== undefined) {
    const path: string = next;
    const isFirst = paths.size === 0;
    if (paths.has(path))
      throw cannotContinue(`the next page was read before; stopped: ${quote(path)}`);
    if (paths.size === MAX_PAGES)
      throw new Failure('still_pending', {
        what: `stopped after ${MAX_PAGES} pages; the list continues`,
        sent: true,
        retryable: false,
        next: resumeLine(path, request, client),
      });
    paths.add(path);
    const page = await readPage(path, request, client).catch((error: unknown) => {
      throw isFirst ? error : withNext(error, resumeLine(path, request, client));
    });
    const items = pageItems(page.body);
    if (items === undefined)
      note('note: the response is not one list; each page is printed as one item');
    yield items ?? [page.body];
    next = nextPath(page, path, baseUrl);
    if (isFirst && next === undefined && cursorIn(page.body) === undefined)
      // A list without pages is complete; but it may also have pages that are named in another way.
      note('note: the response names no next page (Link rel=next or nextCursor)');
  }
}

async function readPage(path: string, { headers }: ApiRequest, client: Client): Promise<Page> {
  const request = { method: 'GET', url: client.service.baseUrl + path, headers } as const;
  const read = withHead(readWhole);
  return (await callOperation(client, anyRead, {}, { request, read })).data as Page;
}

interface Page {
  readonly headers: HttpResponse['headers'];
  readonly body: unknown;
}

/** Returns the list of a page: its data (the body, if that has none), or the only list in it; else `undefined`. */
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
  if (cursor != null && cursor !== '') {
    const [start = '', query = ''] = path.split('?');
    const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('cursor='));
    const text = typeof cursor === 'string' ? cursor : toJson(cursor);
    return `${start}?${[...others, queryPair(['cursor', text])].join('&')}`;
  }
  if (fieldIn(body, 'hasMore') === true)
    throw cannotContinue(
      'the response has hasMore, but no next page (Link rel=next or nextCursor)',
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
      `the next page is not below ${baseUrl}; it was not followed: ${quote(next ? next.origin + next.pathname : 'no URL')}`,
    );
  return next.pathname.slice(base.pathname.length - 1) + next.search;
}

/** Makes the failure of a list that cannot be followed. */
const cannotContinue = (what: string): Failure =>
  new Failure('no_answer', { what, sent: true, retryable: false });

/** Makes the command that reads the list from another path on; `undefined` if the path contains a secret. */
function resumeLine(
  from: string,
  { path, maskedPath }: ApiRequest,
  { settings, flags }: Client,
): CommandLine | undefined {
  if (path !== maskedPath) return undefined;
  const { jq, fields } = settings;
  // The path of a later page already contains the fields (-f) of the first.
  const repeated = [
    '--paginate',
    ...headerFlags(flags),
    ...(jq === undefined ? [] : flagWords('--jq', jq)),
    ...(fields.length === 0 ? [] : flagWords('--fields', fields.join(','))),
  ];
  return socialLine({ words: ['api'], ids: [from], flags: repeated }, { settings, flags });
}

/** Adds the command that resumes to a failure, unless a login has to come first. */
function withNext(error: unknown, resume: CommandLine | undefined): Failure {
  // The result is a `Failure`, because the argument is one.
  const failure = afterSending(asFailure(error)) as Failure;
  const { status, next } = failure.facts;
  return failure.with({ next: next ?? (status === 401 ? undefined : resume) });
}
