// Requests that no operation describes, as operations: what they may be taken for when something goes wrong.

import * as z from 'zod/mini';
import type { Method } from '../../base/http.ts';
import { everyOperation } from './registry.ts';
import { operation, type Operation } from './define-operation.ts';

const unknown = {
  command: 'api',
  summary: 'Send a request to any path of the service',
  path: '/',
  input: {},
  result: z.looseObject({}),
  columns: [],
  examples: [['Read', 'social api GET /v1/posts/PostSpringLaunch']],
} as const;

/** A read: repeated like any other. */
export const anyRead = operation({ ...unknown, method: 'GET' });

/** A change of which nothing is known, whatever its method says: once it was sent it is never repeated. */
export const anyChange = operation({
  ...unknown,
  method: 'POST',
  inspect: 'Check in the service’s own console: no request is known that shows this change.',
});

/** The operation of the API document that a method and a path stand for; `undefined` for all others. */
export async function operationAt(method: Method, path: string): Promise<Operation | undefined> {
  const segments = path.split('/');
  const fits = (template: readonly string[]) =>
    template.length === segments.length &&
    template.every((part, i) => part.startsWith('{') || part === segments[i]);
  const every = await everyOperation();
  return every
    .map(({ operation: each }) => each)
    .find((each) => each.method === method && fits(each.path.split('/')));
}
