// The sandbox as a function from request to response: routes from the operations, input validation, dispatch to the
// handlers. Opens no socket and requires no token.

import { type Operation, valuesInPath } from '../api/operations/define-operation.ts';
import { everyOperation, type ListedOperation } from '../api/operations/registry.ts';
import type { HttpResponse } from '../base/http.ts';
import { isObject, parseJson } from '../base/json.ts';
import { handlers } from './handlers/all-handlers.ts';
import type { Handler } from './handlers/handler.ts';
import { errorResponse, invalid, successResponse } from './responses.ts';
import { type FieldFault, type HttpError, httpError } from '../server/http-server.ts';
import type { State } from './store/store.ts';

/** A request with any method. Its URL is absolute or starts with the path, as in an `HttpRequest`. */
export interface ArrivedRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
}

/**
 * Makes the function that answers the requests to a state, with an error envelope for a refusal; it rejects if the state
 * cannot be read or saved. `now` is in milliseconds since 1970.
 */
export async function createRequestHandler(state: State, now: () => number) {
  const operations = await everyOperation();
  return async (request: ArrivedRequest): Promise<HttpResponse> => {
    try {
      const { handler, input } = readRequest(operations, request);
      return successResponse(await state.run((records) => handler(input, records)), now());
    } catch (thrown) {
      // A refusal is thrown as a plain `HttpError`.
      if (thrown instanceof Error) throw thrown;
      return errorResponse(thrown as HttpError, now());
    }
  };
}

/** Finds the handler and its input. Throws an `HttpError`: 400 unreadable, 404 no such path, 422 invalid. */
function readRequest(operations: readonly ListedOperation[], request: ArrivedRequest) {
  // `new URL` would take a segment `%2e%2e` for the parent folder, and find another path.
  const address = request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  const [path = '', query = ''] = address.split(/[?#]/);
  const found = operations
    .filter(({ operation }) => operation.method === request.method)
    .map((listed) => ({ ...listed, encoded: valuesInPath(listed.operation, path) }))
    .find(({ encoded }) => encoded !== undefined);
  if (found?.encoded === undefined) throw httpError(404, 'unknown_path', 'Unknown method or path.');
  const { area, name, operation, encoded } = found;
  const fields: Record<string, string> = {};
  const parameters = new URLSearchParams(query);
  for (const field of operation.places.query) {
    const value = parameters.get(field);
    if (value !== null) fields[field] = value;
  }
  for (const [field, segment] of Object.entries(encoded)) fields[field] = decodeSegment(segment);
  const body = readBody(request.body ?? '', operation.places.body.length > 0);
  // The type of `handlers` guarantees a handler for each operation, under its area and name.
  const handler = (handlers[area] as Record<string, unknown>)[name] as Handler<
    Record<string, unknown>,
    unknown
  >;
  return { handler, input: inputOf(operation, body, fields) };
}

/** Decodes one segment at a time: an escaped slash stays inside its segment. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw httpError(400, 'malformed_path', 'The path has a malformed percent escape.');
  }
}

function readBody(text: string, isExpected: boolean): Record<string, unknown> {
  if (text === '' && !isExpected) return {};
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    // `parseJson` throws a `RangeError` for JSON that is nested too deeply.
    const reason = error instanceof RangeError ? error.message : 'not valid JSON';
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
  // In a body, the fields of the path and the query are unknown too, although the schema accepts them.
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
