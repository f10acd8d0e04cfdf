// The sandbox as a function from request to response: routes from the operations, input validation, dispatch to the
// handlers. Opens no socket. Refuses a request without the state's own token before anything else.

import { isChange, type Operation, queryFields } from '../api/operations/define-operation.ts';
import { everyOperation } from '../api/operations/registry.ts';
import { Failure } from '../base/errors.ts';
import type { HttpResponse } from '../base/http.ts';
import { isObject, parseJson } from '../base/json.ts';
import { handlers } from './handlers/all-handlers.ts';
import { MAX_BODY_BYTES } from './options.ts';
import { isAuthorized } from './origin-guard.ts';
import {
  type FieldFault,
  invalid,
  isHttpError,
  type HttpError,
  httpError,
  errorResponse,
  successResponse,
} from './responses.ts';
import type { State } from './store/store.ts';
import type { Handler } from './handlers/types.ts';

interface Route {
  readonly operation: Operation;
  readonly handler: Handler<Record<string, unknown>, unknown>;
  readonly segments: readonly string[];
}

interface Match {
  readonly route: Route;
  /** The path fields, decoded. */
  readonly fields: Readonly<Record<string, string>>;
}

async function allRoutes(): Promise<readonly Route[]> {
  const operations = await everyOperation();
  return operations.map(({ area, name, operation }) => ({
    operation,
    // The type of `handlers` guarantees one for each operation, under its area and name.
    handler: (handlers[area] as Record<string, unknown>)[name] as Route['handler'],
    segments: operation.path.split('/'),
  }));
}

/**
 * The route of a method and a raw path. Segments are decoded one by one: an escaped slash stays inside its segment.
 * Throws an `HttpError`: 400 bad escape, 404 no such path, 405 other method.
 */
function matchRoute(routes: readonly Route[], method: string, path: string): Match {
  const segments = path.split('/').map(decodeSegment);
  const fitting = routes.filter((route) => fits(route.segments, segments));
  const route = fitting.find((one) => one.operation.method === method);
  if (route !== undefined) return { route, fields: fieldsOf(route.segments, segments) };
  if (fitting.length === 0) throw httpError(404, 'unknown_path', 'Unknown path.');
  const allowed = fitting.map((one) => one.operation.method).join(', ');
  const headers = { allow: allowed };
  throw httpError(405, 'method_not_allowed', `This path accepts ${allowed}.`, { headers });
}

function decodeSegment(segment: string): string {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    throw httpError(400, 'malformed_path', 'The path has a malformed percent escape.');
  }
}

/** A field matches any segment that is not empty, `.` or `..`. */
function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, i) => {
      const segment = segments[i]!;
      return isField(part) ? !['', '.', '..'].includes(segment) : part === segment;
    })
  );
}

const fieldsOf = (
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    template.flatMap((part, i) => (isField(part) ? [[part.slice(1, -1), segments[i]!]] : [])),
  );

const isField = (part: string): boolean => part.startsWith('{');

/**
 * The input of an operation, from path, query and body, checked by the operation's own schema; only unknown query names
 * are ignored. Throws an `HttpError`: 400 unreadable, 413 too large, 415 not JSON, 422 not valid.
 */
function inputOf(
  { route: { operation }, fields }: Match,
  query: string,
  request: ArrivedRequest,
): Record<string, unknown> {
  const expected = operation.places.body;
  const body = bodyOf(request, expected.length > 0);
  const faults = Object.keys(body)
    .filter((name) => !expected.includes(name))
    .map((name) => ({ field: name, message: 'is not a field of this body' }));
  const queried = queryOf(queryFields(operation), query, faults);
  const result = operation.input.safeParse({ ...body, ...queried, ...fields });
  if (result.success && faults.length === 0) return result.data;
  for (const issue of result.error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys')
      faults.push({ field: issue.path.join('.'), message: issue.message });
  }
  throw invalid(faults);
}

function bodyOf(
  { body = '', headers }: ArrivedRequest,
  isExpected: boolean,
): Record<string, unknown> {
  if (body === '') {
    if (isExpected) throw httpError(400, 'body_missing', 'This operation requires a JSON body.');
    return {};
  }
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw httpError(413, 'body_too_large', `The body must be at most ${MAX_BODY_BYTES} bytes.`);
  }
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
    const message = 'The body must be JSON, with Content-Type: application/json.';
    throw httpError(415, 'unsupported_media_type', message);
  }
  const value = parsed(body);
  if (isObject(value)) return value;
  throw httpError(422, 'validation_failed', 'The body must be a JSON object.');
}

function parsed(body: string): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : 'not complete JSON';
    throw httpError(400, 'malformed_json', `The body cannot be read: ${reason}.`);
  }
}

/** The query fields under their own names; a repeated one is a fault. */
function queryOf(
  names: readonly (readonly [field: string, name: string])[],
  query: string,
  faults: FieldFault[],
): Record<string, string> {
  const given = new URLSearchParams(query);
  const found: Record<string, string> = {};
  for (const [field, name] of names) {
    const values = given.getAll(name);
    if (values.length > 1) faults.push({ field, message: 'must appear once' });
    if (values[0] !== undefined) found[field] = values[0];
  }
  return found;
}

/** A request as it arrived: any method, header names in lower case. An `HttpRequest` is one. */
export interface ArrivedRequest {
  readonly method: string;
  /** Absolute, or from the first slash of the path. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** Always resolves, with an error envelope where it refuses. */
export type RequestHandler = (request: ArrivedRequest) => Promise<HttpResponse>;

/** Statuses of ordinary use: `onRefused` is not called. */
const ORDINARY = new Set([404, 409, 422]);

/**
 * Serves a state. The token is the state's own, as it is on disk at the time of the request. `onRefused` is called for
 * each request that was refused as such, and for faults of the sandbox; never with header values.
 */
export async function createRequestHandler(
  state: State,
  now: () => number,
  onRefused?: (request: ArrivedRequest, reason: string) => void,
): Promise<RequestHandler> {
  const routes = await allRoutes();
  return async (request) => {
    try {
      return successResponse(await answerTo(request, routes, state), now());
    } catch (thrown) {
      const reason = asHttpError(thrown);
      const isOrdinary = ORDINARY.has(reason.status) && reason.code !== 'unknown_path';
      if (!isOrdinary) onRefused?.(request, `${reason.status} ${reason.code}`);
      return errorResponse(reason, now());
    }
  };
}

async function answerTo(
  request: ArrivedRequest,
  routes: readonly Route[],
  state: State,
): Promise<unknown> {
  const { token } = await state.header();
  if (!isAuthorized(request.headers['authorization'], token)) throw unauthorized;
  const [path, query] = splitUrl(request.url);
  const match = matchRoute(routes, request.method, path);
  const { operation, handler } = match.route;
  const input = inputOf(match, query, request);
  return isChange(operation)
    ? state.change((records) => handler(input, records))
    : state.read((records) => handler(input, records));
}

const unauthorized = httpError(
  401,
  'unauthorized',
  'The sandbox requires its own token: Authorization: Bearer <token>.',
  { headers: { 'www-authenticate': 'Bearer' } },
);

/** Raw path and query. Not `new URL`, which would resolve `%2e%2e`. */
function splitUrl(url: string): readonly [path: string, query: string] {
  const [target = ''] = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split('#');
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** A fault of the disk or of the sandbox itself is answered too: it must not end the process. */
function asHttpError(thrown: unknown): HttpError {
  if (isHttpError(thrown)) return thrown;
  if (thrown instanceof Failure) return httpError(500, 'sandbox_storage', `${thrown.message}.`);
  return httpError(500, 'sandbox_fault', 'The sandbox failed; this is a fault of the tool.');
}
