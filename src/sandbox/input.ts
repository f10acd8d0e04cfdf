// The input of an operation, gathered from path, query and body and judged by the operation's own schema.
// Refuses what the document does not allow; ignores only query names that no field has.

import { isObject, parseJson } from '../json.ts';
import type { Match } from './routes.ts';
import { type FieldFault, invalid, refusal } from './refusal.ts';

/** The largest body, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

export interface Message {
  readonly query: string;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** The valid input. Throws a `Refusal`: 400 unreadable, 413 too large, 415 not JSON, 422 not valid. */
export function inputOf({ route, fields }: Match, message: Message): Record<string, unknown> {
  const body = bodyOf(message, route.places.body.length > 0);
  const faults = Object.keys(body)
    .filter((name) => !route.places.body.includes(name))
    .map((name) => ({ field: name, message: 'is not a field of this body' }));
  const query = queryOf(route.query, message.query, faults);
  const result = route.operation.input.safeParse({ ...body, ...query, ...fields });
  if (result.success && faults.length === 0) return result.data;
  for (const issue of result.error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys')
      faults.push({ field: issue.path.join('.'), message: issue.message });
  }
  throw invalid(faults);
}

function bodyOf({ body, contentType }: Message, isExpected: boolean): Record<string, unknown> {
  if (body === '') {
    if (isExpected) throw refusal(400, 'body_missing', 'This operation takes a JSON body.');
    return {};
  }
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    throw refusal(413, 'body_too_large', `A body has at most ${MAX_BODY_BYTES} bytes.`);
  }
  if (!/^application\/json *(;|$)/i.test(contentType ?? '')) {
    throw refusal(
      415,
      'unsupported_media_type',
      'A body is JSON, with Content-Type: application/json.',
    );
  }
  const value = parsed(body);
  if (isObject(value)) return value;
  throw refusal(422, 'validation_failed', 'The body must be a JSON object.');
}

function parsed(body: string): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    const reason = error instanceof RangeError ? error.message : 'not complete JSON';
    throw refusal(400, 'malformed_json', `The body cannot be read: ${reason}.`);
  }
}

/** The query fields under their own names; one that is given twice is a fault. */
function queryOf(
  names: readonly (readonly [field: string, name: string])[],
  query: string,
  faults: FieldFault[],
): Record<string, string> {
  const given = new URLSearchParams(query);
  const found: Record<string, string> = {};
  for (const [field, name] of names) {
    const values = given.getAll(name);
    if (values.length > 1) faults.push({ field, message: 'must be given once' });
    if (values[0] !== undefined) found[field] = values[0];
  }
  return found;
}
