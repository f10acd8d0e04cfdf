// Makes the request of an operation and its input. Pure; opens nothing.

import type { HttpRequest } from '../base/http.ts';
import { toJson } from '../base/json.ts';
import { isChange, type Operation, type Input } from '../api/operations/define-operation.ts';
import { version } from '../base/version.ts';

const JSON_TYPE = 'application/json';
const AGENT = `social/${version}`;
/** All requests share this object, so that anything derived from it is made only once. */
const HEADERS = { accept: JSON_TYPE, 'user-agent': AGENT };
/** A read decides what is sent next, and whether a change is done, so a cache has to ask the service. */
const HEADERS_OF_READ = { accept: JSON_TYPE, 'cache-control': 'no-cache', 'user-agent': AGENT };
const HEADERS_WITH_BODY = { accept: JSON_TYPE, 'content-type': JSON_TYPE, 'user-agent': AGENT };

interface Address {
  /** Absolute, without a trailing slash; may have a path that contains all of the API. */
  readonly baseUrl: string;
  /** Query parameters that add to or override the operation's own. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** The ID of the call. */
  readonly id?: string;
}

/**
 * Builds the request of an operation for valid input. A body is sent exactly if the operation declares a body field, so
 * that a bare retry sends `{}` and a disable sends nothing. Has no token.
 */
export function toRequest(operation: Operation, input: Input, address: Address): HttpRequest {
  const { body } = operation.places;
  const url =
    address.baseUrl + fillPath(operation.path, input) + toQuery(operation, input, address);
  const { method } = operation;
  const more = { id: address.id, sharesConnection: operation.sharesConnection };
  if (!isChange(operation)) return { method, url, headers: HEADERS_OF_READ, ...more };
  if (body.length === 0) return { method, url, headers: HEADERS, ...more };
  const payload = Object.fromEntries(body.map((field) => [field, input[field]]));
  return { method, url, headers: HEADERS_WITH_BODY, body: toJson(payload), ...more };
}

/** Makes the function that adds the bearer token to requests that have none. */
export function bearerAuth(token: string): (request: HttpRequest) => HttpRequest {
  const authorization = `Bearer ${token}`;
  let last: HttpRequest['headers'] | undefined;
  let authorized: HttpRequest['headers'] = {};
  return (request) => {
    const { headers } = request;
    if (headers !== last) [last, authorized] = [headers, { authorization, ...headers }];
    // Object.assign, because on Node 20 each property after a spread costs 1 µs.
    return Object.assign({}, request, { headers: authorized });
  };
}

/**
 * Fills values into the placeholders of a path, each as one encoded segment. Throws for an empty value, `.` and `..`,
 * which would change the path in any encoding.
 */
export function fillPath(template: string, input: Input): string {
  return template.replace(/\{(\w+)\}/g, (_all, field: string) => segment(input[field], field));
}

function segment(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new TypeError(`${field} cannot be a path segment`);
  }
  return encodeURIComponent(value);
}

/** Formats `name=value` for the URL. An apostrophe is escaped, so that the shown URL is the sent one. */
export const queryPair = ([name, value]: readonly [string, string]): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(value)}`.replaceAll("'", '%27');

function toQuery(operation: Operation, input: Input, address: Address): string {
  if (operation.places.query.length === 0 && !address.query?.length) return '';
  const names = operation.places.query.filter((name) => input[name] !== undefined);
  const parameters = new Map(names.map((name) => [name, String(input[name])]));
  for (const [name, value] of address.query ?? []) parameters.set(name, value);
  const pairs = [...parameters].map(queryPair);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
