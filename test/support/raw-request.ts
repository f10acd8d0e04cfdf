// A request straight to a service, past all local checks: any method, any path, any body.

import * as http from 'node:http';

export interface RawRequestResult {
  readonly status: number;
  readonly body: string;
}

export function rawRequest(
  base: { url: string; token: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<RawRequestResult> {
  const { hostname, port } = new URL(base.url);
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${base.token}`,
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
  };
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() }),
      );
    });
    request.on('error', reject);
    request.end(payload);
  });
}
