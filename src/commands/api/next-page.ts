// Where the next page of a list is, as its answer says: a Link header (RFC 8288), a cursor, a page number, or what
// `--next` makes of the body; and the items of a page. Pure.

import { Failure } from '../../base/errors.ts';
import { isExactNumber, isMap, toJson } from '../../base/json.ts';
import { excerpt, quote } from '../../base/sanitize.ts';
import { queryPair } from '../../client/build-request.ts';

/** The failure of a list that cannot be followed. */
export const cannotContinue = (what: string): Failure =>
  new Failure('no_answer', {
    what,
    hint: '--next says where the next page is, as a jq expression',
    sent: true,
    retryable: false,
  });

const MOST_SHOWN = 200;

/** An address or a result as it is shown in an error. */
export const shown = (text: string): string => quote(excerpt(text, MOST_SHOWN));

type Fields = Readonly<Record<string, unknown>>;

/** The list of a page: the body, its data, or the only list in either; else nothing. */
export function pageItems(body: unknown): readonly unknown[] | undefined {
  const data = isMap(body) && body['data'] != null ? body['data'] : body;
  if (Array.isArray(data)) return data as readonly unknown[];
  const lists = isMap(data) ? Object.values(data).filter(Array.isArray) : [];
  return lists.length === 1 ? (lists[0] as readonly unknown[]) : undefined;
}

/** A parameter of a link: its name, and its value with or without quotes. */
const PARAMETER = /\s*;\s*([\w!#$&+.^`|~*-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+)))?/g;
const LINK = new RegExp(`<([^<>]*)>((?:${PARAMETER.source})*)`, 'g');

/** The target of `rel=next` in a Link header; nothing where there is none. */
export function linkedNext(header: string | undefined): string | undefined {
  for (const [, target, parameters = ''] of (header ?? '').matchAll(LINK)) {
    const all = Array.from(parameters.matchAll(PARAMETER));
    // Of several the first one counts.
    const [, , quoted, plain] = all.find(([, name]) => name?.toLowerCase() === 'rel') ?? [];
    const words = (quoted ?? plain ?? '').toLowerCase().split(/\s+/);
    if (words.includes('next')) return target;
  }
  return undefined;
}

/** Objects in which services say where a list goes on. */
const PLACES = ['data', 'meta', 'pagination', 'paging', 'page_info', 'pageInfo'];

/** The body and what of it may say where the list goes on. */
function placesIn(body: unknown): readonly Fields[] {
  const inner = (value: Fields) => PLACES.map((name) => value[name]).filter(isMap);
  if (!isMap(body)) return [];
  const first = inner(body);
  return [body, ...first, ...first.flatMap(inner)];
}

/** The first value of one of these names that says something. */
const valueOf = (places: readonly Fields[], names: readonly string[]): unknown =>
  places.flatMap((place) => names.map((name) => place[name])).find((value) => value != null);

const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || isExactNumber(value) ? toJson(value) : undefined;
};

/** How a list goes on: at an address, or with another value of a parameter of the query. */
type Step =
  | { readonly to: string }
  /** From the first slash, below the base URL. */
  | { readonly path: string }
  | { readonly name: string; readonly value: string };

/** What an answer says itself; nothing at the end of the list. */
export function stepIn(headers: Readonly<Record<string, string>>, body: unknown): Step | undefined {
  const to = linkedNext(headers['link']);
  if (to !== undefined) return { to };
  const places = placesIn(body);
  const more = valueOf(places, ['hasMore', 'has_more', 'hasNextPage', 'has_next_page']);
  if (more === false) return undefined;
  const cursor = textOf(valueOf(places, ['nextCursor', 'next_cursor', 'cursor']));
  if (cursor !== undefined) return { name: 'cursor', value: cursor };
  const next = textOf(valueOf(places, ['nextPage', 'next_page']));
  if (next !== undefined) return { name: 'page', value: next };
  const page = valueOf(places, ['page', 'currentPage', 'current_page']);
  if (typeof page === 'number' && (more === true || page < pagesIn(places)))
    return { name: 'page', value: String(page + 1) };
  if (more === true)
    throw cannotContinue('the response says that the list continues, but not where');
  return undefined;
}

/** How many pages there are, by their number or by that of all items. */
function pagesIn(places: readonly Fields[]): number {
  const pages = valueOf(places, [
    'pages',
    'totalPages',
    'total_pages',
    'pageCount',
    'lastPage',
    'last_page',
  ]);
  if (typeof pages === 'number') return pages;
  const total = valueOf(places, ['total', 'totalCount', 'total_count']);
  const size = valueOf(places, ['limit', 'perPage', 'per_page', 'pageSize', 'page_size']);
  return typeof total === 'number' && typeof size === 'number' && size > 0
    ? Math.ceil(total / size)
    : 0;
}

/** What `--next` has made of a body: an address, a path, a query, or else a cursor; nothing at the end of the list. */
export function stepOf(text: string): Step | undefined {
  const [result = '', ...others] = text.split('\n').filter((line) => line !== '');
  if (others.length > 0)
    throw cannotContinue(`--next has more than one result for a page: ${shown(result)}`);
  if (['', 'null', 'false'].includes(result)) return undefined;
  if (/^\/(?!\/)/.test(result)) return { path: result };
  return /^(?:\/\/|\?|https?:)/i.test(result) ? { to: result } : { name: 'cursor', value: result };
}

/**
 * Path and query of the next page after the one at `path`. Throws where it is not below the base URL: the token goes
 * nowhere else.
 */
export function nextPath(step: Step, path: string, baseUrl: string): string {
  if ('name' in step) return withParameter(path, step.name, step.value);
  const [to, from] =
    'path' in step ? [baseUrl + step.path, baseUrl] : [step.to, `${baseUrl}${path}`];
  if (!URL.canParse(to, from)) throw cannotContinue(`the next page is no URL: ${shown(to)}`);
  const next = new URL(to, from);
  next.hash = '';
  const base = new URL(`${baseUrl}/`);
  if (next.username + next.password !== '')
    throw cannotContinue('the URL of the next page has a user name; it was not followed');
  if (next.origin !== base.origin)
    throw cannotContinue(
      `the next page is not at ${base.origin}; it was not followed: ${shown(next.origin)}`,
    );
  if (!next.pathname.startsWith(base.pathname))
    throw cannotContinue(
      `the next page is not below ${baseUrl}; it was not followed: ${shown(next.pathname)}`,
    );
  return next.href.slice(base.href.length - 1).replaceAll("'", '%27');
}

function withParameter(path: string, name: string, value: string): string {
  const [start = '', query = ''] = path.split('?');
  const others = query.split('&').filter((pair) => pair !== '' && pair.split('=')[0] !== name);
  return `${start}?${[...others, queryPair([name, value])].join('&')}`;
}
