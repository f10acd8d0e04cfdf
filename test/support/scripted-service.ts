// A service for calls in this process, which takes up no socket.

import type { HttpRequest, HttpResponse } from '../../src/base/http.ts';

/** Answers each request with the data that `dataFor` gives. */
export const scriptedService = (dataFor: (request: HttpRequest) => unknown) => ({
  baseUrl: 'https://a.example',
  source: 'env',
  newId: () => 'id',
  send: async (request: HttpRequest): Promise<HttpResponse> => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ok: true, data: dataFor(request) }),
  }),
});
