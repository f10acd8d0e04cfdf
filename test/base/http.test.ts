// The IDs of a request, in failures that follow from each other.

import { expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { identified, idsOf, REQUEST_ID } from '../../src/base/http.ts';

const failure = (facts: object = {}) =>
  new Failure('refused', { what: 'no', status: 409, ...facts });

it('a failure passes on the request IDs that it has', () => {
  const ids = { requestId: 'req-1', clientRequestId: 'id-1' };
  expect(idsOf(failure(ids))).toEqual(ids);
  for (const each of [{ requestId: 'req-1' }, { clientRequestId: 'id-1' }, {}])
    expect(idsOf(failure(each))).toEqual(each);
  expect(idsOf(undefined)).toEqual({});
});

it('a failure without a request ID gets the one of the response', () => {
  const named = identified(failure(), { [REQUEST_ID]: 'req-1' });
  expect(named).toMatchObject({
    kind: 'refused',
    facts: { what: 'no', status: 409, requestId: 'req-1' },
  });
  const known = failure({ requestId: 'req-0' });
  expect(identified(known, { [REQUEST_ID]: 'req-1' })).toBe(known);
  const none = failure();
  expect(identified(none, { [REQUEST_ID]: '', undefined: 'x' })).toBe(none);
  const fault = new TypeError('boom');
  expect(identified(fault, { [REQUEST_ID]: 'req-1' })).toBe(fault);
  expect(REQUEST_ID).toBe('x-request-id');
});
