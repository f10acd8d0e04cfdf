// The operation that stands for a request to any path. A read is retried like any other; a change is sent only once,
// because it is unknown whether repeating it is safe. An operation of the API document adds its danger and its advice.
// And the readers of the response, of which nothing is known either.

import * as z from 'zod/mini';
import {
  operation as define,
  type Operation,
  valuesInPath,
} from '../../api/operations/define-operation.ts';
import type { HttpResponse } from '../../base/http.ts';
import { isObject } from '../../base/json.ts';
import { withIds } from '../../base/shell.ts';
import { readResponse, type ResponseReader, type Result } from '../../client/read-response.ts';
import { type ApiRequest, isRead } from './request.ts';

const atAnyPath = {
  command: 'api',
  summary: 'Send a request to any path of the service',
  path: '/',
  input: {},
  result: z.looseObject({}),
  columns: [],
  examples: { Read: 'social api GET /v1/posts/PostSpringLaunch' },
} as const;

const anyRead = define({ ...atAnyPath, method: 'GET' });

const anyChange = define({
  ...atAnyPath,
  method: 'POST',
  inspect: 'Check in the service’s own console: no request is known that shows this change.',
});

/** Makes the operation of a request, with the danger to confirm and the command that shows the outcome. */
export function operationFor(request: ApiRequest): Operation {
  if (isRead(request.method)) return anyRead;
  const deletes = request.method === 'DELETE' ? 'This cannot be undone.' : undefined;
  const danger = request.documented?.danger ?? deletes;
  return { ...anyChange, danger, inspect: inspectFor(request) };
}

/**
 * Returns the command that shows whether the change was applied: that of the operation at the path, or a read of the
 * path.
 */
function inspectFor({ method, path, maskedPath, documented }: ApiRequest): Operation['inspect'] {
  // The command would need the ID of the pairing, which is not shown.
  if (maskedPath !== path) return anyChange.inspect;
  if (documented?.inspect !== undefined) {
    if (typeof documented.inspect === 'string') return documented.inspect;
    const values = valuesInPath(documented, path) ?? {};
    return withIds(documented.inspect, (name) => [values[name] ?? name]);
  }
  // A POST creates a resource at another path.
  return method === 'POST' ? anyChange.inspect : { words: ['api', 'GET'], ids: [path] };
}

/** The keys of a successful envelope. */
const ENVELOPE = new Set(['ok', 'data', 'error']);

/**
 * Reads a response that the API document does not describe. The data is the content of the envelope, or the whole body
 * without one.
 */
export function readAny(operation: Operation, response: HttpResponse): Result {
  return readResponse(operation, response, (body) => {
    if (!isObject(body) || !Object.hasOwn(body, 'data')) return { data: body, warnings: [] };
    const beside = Object.keys(body).filter((key) => !ENVELOPE.has(key));
    const warnings =
      beside.length === 0
        ? []
        : [`the response has ${beside.join(', ')} beside its data; --whole shows all of it`];
    return { data: body['data'], warnings };
  });
}

/** Reads a response as `readAny` does, with the envelope around the data. */
export function readWhole(operation: Operation, response: HttpResponse): Result {
  return readResponse(operation, response, (data) => ({ data, warnings: [] }));
}

/** Reads a response that has only headers. */
export function readHead(operation: Operation, response: HttpResponse): Result {
  if (response.status >= 300) return readResponse(operation, response);
  return { data: headOf(response), warnings: [] };
}

/** Makes a reader whose data has the status, the headers and the `body`. */
export const withHead =
  (read: ResponseReader): ResponseReader =>
  (operation, response) => {
    const { data, warnings } = read(operation, response);
    return { data: { ...headOf(response), body: data }, warnings };
  };

const headOf = ({ status, headers }: HttpResponse) => ({ status, headers });
