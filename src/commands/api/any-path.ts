// The operation that stands for a request to any path. A read is retried like any other; a change is sent only once,
// because it is unknown whether repeating it is safe. An operation of the API document adds its danger and its advice.

import * as z from 'zod/mini';
import { operation, type Operation, valuesInPath } from '../../api/operations/define-operation.ts';
import { withIds } from '../../base/shell.ts';
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

const anyRead = operation({ ...atAnyPath, method: 'GET' });

const anyChange = operation({
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
