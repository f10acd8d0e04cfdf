// Requests to any path: the operation at a path, and the assumptions that apply at any other when something goes wrong.

import * as z from 'zod/mini';
import { operation, type Operation } from './define-operation.ts';
import { everyOperation } from './registry.ts';

const unknown = {
  command: 'api',
  summary: 'Send a request to any path of the service',
  path: '/',
  input: {},
  result: z.looseObject({}),
  columns: [],
  examples: { Read: 'social api GET /v1/posts/PostSpringLaunch' },
} as const;

/** A read of any path, retried like any other. */
export const anyRead = operation({ ...unknown, method: 'GET' });

/** A change at any path. Nothing is known about it, whatever its method: once it was sent it is never retried. */
export const anyChange = operation({
  ...unknown,
  method: 'POST',
  inspect: 'Check in the service’s own console: no request is known that shows this change.',
});

/** Returns the operation of the API document for a method and a path, if there is one. */
export async function operationAt(method: string, path: string): Promise<Operation | undefined> {
  const operations = (await everyOperation()).map((entry) => entry.operation);
  return operations.find((known) => known.method === method && valuesInPath(known, path));
}

/** Returns the values in a path by their fields, still encoded; `undefined` if it is not a path of the operation. */
export function valuesInPath(
  { path: template }: Operation,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const pattern = template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const match = new RegExp(`^${pattern}$`).exec(path);
  return match === null ? undefined : { ...match.groups };
}
