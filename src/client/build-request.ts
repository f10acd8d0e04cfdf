// Makes the request of an operation and its input. Pure; opens nothing.

import type { HttpRequest } from '../base/http.ts';
import { toJson } from '../base/json.ts';
import { isChange, type Operation, type Input } from '../api/operations/define-operation.ts';
import { version } from '../base/version.ts';

const JSON_TYPE = 'application/json';
/** A compressed response is refused, so the service is asked for none. */
const PLAIN = { accept: JSON_TYPE, 'accept-encoding': 'identity' };
const AGENT = { 'user-agent': `social/${version}` };
export const HEADERS = { ...PLAIN, ...AGENT };
/** A read decides what is sent next, and whether a change is done, so a cache has to ask the service. */
const HEADERS_OF_READ = { ...PLAIN, 'cache-control': 'no-cache', ...AGENT };
export const HEADERS_WITH_BODY = { ...PLAIN, 'content-type': JSON_TYPE, ...AGENT };

interface Address {
  /** Absolute, without a trailing slash; may have a path that contains all of the API. */
  readonly baseUrl: string;
  /** Query parameters that add to or override the operation's own. */
  readonly query?: readonly (readonly [name: string, value: string])[];
}

/**
 * Builds the request of an operation for valid input. A body is sent exactly if the operation declares a body field, so
 * that a bare retry sends `{}` and a disable sends nothing. Has no token.
 */
export function toRequest(operation: Operation, input: Input, address: Address): HttpRequest {
  const { method, sharesConnection, places } = operation;
  const url =
    address.baseUrl + fillPath(operation.path, input) + toQuery(operation, input, address);
  if (!isChange(operation)) return { method, url, headers: HEADERS_OF_READ, sharesConnection };
  if (places.body.length === 0) return { method, url, headers: HEADERS, sharesConnection };
  const body = toJson(Object.fromEntries(places.body.map((field) => [field, input[field]])));
  return { method, url, headers: HEADERS_WITH_BODY, body, sharesConnection };
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
  const names = operation.places.query.filter((name) => input[name] !== undefined);
  const parameters = new Map(names.map((name) => [name, String(input[name])]));
  for (const [name, value] of address.query ?? []) parameters.set(name, value);
  const pairs = [...parameters].map(queryPair);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
