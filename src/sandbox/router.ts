// The sandbox as a function from request to response: routes from the operations, input validation, dispatch to the
// handlers. Opens no socket and requires no token.

import { type Operation } from '../api/operations/define-operation.ts';
import { everyOperation } from '../api/operations/registry.ts';
import type { HttpResponse } from '../base/http.ts';
import { isObject, parseJson } from '../base/json.ts';
import { handlers } from './handlers/all-handlers.ts';
import type { Handler } from './handlers/handler.ts';
import {
  errorResponse,
  type FieldFault,
  httpError,
  invalid,
  isHttpError,
  successResponse,
} from './responses.ts';
import type { State } from './store/store.ts';

/** A request with any method. Its URL is absolute or starts with the path, as in an `HttpRequest`. */
export interface ArrivedRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
}

/** Resolves with an error envelope for a refusal; rejects if the state cannot be read or saved. */
export type RequestHandler = (request: ArrivedRequest) => Promise<HttpResponse>;

/** Makes the handler of a state; `now` is in milliseconds since 1970. */
export async function createRequestHandler(
  state: State,
  now: () => number,
): Promise<RequestHandler> {
  const routes = await allRoutes();
  return async (request) => {
    try {
      const { route, input } = readRequest(routes, request);
      return successResponse(await state.run((records) => route.handler(input, records)), now());
    } catch (thrown) {
      if (isHttpError(thrown)) return errorResponse(thrown, now());
      throw thrown;
    }
  };
}

interface Route {
  readonly operation: Operation;
  readonly handler: Handler<Record<string, unknown>, unknown>;
  readonly segments: readonly string[];
}

async function allRoutes(): Promise<readonly Route[]> {
  const operations = await everyOperation();
  return operations.map(({ area, name, operation }) => ({
    operation,
    // The type of `handlers` guarantees a handler for each operation, under its area and name.
    handler: (handlers[area] as Record<string, unknown>)[name] as Route['handler'],
    segments: operation.path.split('/'),
  }));
}

/** Finds the route and its input. Throws an `HttpError`: 400 unreadable, 404 no such path, 422 invalid. */
function readRequest(routes: readonly Route[], { method, url, body = '' }: ArrivedRequest) {
  // `new URL` would resolve `%2e%2e`.
  const [path = '', query = ''] = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/);
  const segments = path.split('/').map(decodeSegment);
  const route = routes.find(
    (candidate) => candidate.operation.method === method && fits(candidate.segments, segments),
  );
  if (route === undefined) throw httpError(404, 'unknown_path', 'Unknown method or path.');
  const parameters = new URLSearchParams(query);
  const named = route.operation.places.query.filter((name) => parameters.has(name));
  const queried = named.map((name) => [name, parameters.get(name)]);
  const inPath = route.segments.flatMap((part, i) =>
    isField(part) ? [[part.slice(1, -1), segments[i]]] : [],
  );
  const fields = Object.fromEntries([...queried, ...inPath]) as Record<string, string>;
  const isExpected = route.operation.places.body.length > 0;
  return { route, input: inputOf(route.operation, readBody(body, isExpected), fields) };
}

/** Decodes one segment at a time: an escaped slash stays inside its segment. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw httpError(400, 'malformed_path', 'The path has a malformed percent escape.');
  }
}

/** A placeholder matches any segment that is not empty, `.` or `..`. */
const fits = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length &&
  template.every((part, i) =>
    isField(part) ? !['', '.', '..'].includes(segments[i]!) : part === segments[i],
  );

const isField = (part: string): boolean => part.startsWith('{');

function readBody(text: string, isExpected: boolean): Record<string, unknown> {
  if (text === '' && !isExpected) return {};
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : 'not complete JSON';
    throw httpError(400, 'malformed_json', `The body cannot be read: ${reason}.`);
  }
  if (isObject(value)) return value;
  throw httpError(422, 'validation_failed', 'The body must be a JSON object.');
}

/** Checks the whole input with the schema of the operation. */
function inputOf(
  { input, places }: Operation,
  body: Record<string, unknown>,
  fields: Record<string, string>,
): Record<string, unknown> {
  const unknown = Object.keys(body).filter((name) => !places.body.includes(name));
  const result = input.safeParse({ ...body, ...fields });
  if (result.success && unknown.length === 0) return result.data;
  const faults = (result.error?.issues ?? [])
    .filter(({ code }) => code !== 'unrecognized_keys')
    .map(({ path, message }): FieldFault => ({ field: path.join('.'), message }));
  throw invalid([
    ...unknown.map((field) => ({ field, message: 'is not a field of this body' })),
    ...faults,
  ]);
}
