// The least that a client can do: a loop of undici's `request` over a list of ids: the JSON is parsed, nothing is
// checked, nothing printed.

import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

const [, , file, origin, connections, method = 'GET', certificate] = process.argv;
const ids = readFileSync(file, 'utf8').trim().split('\n');
const connect = certificate && { ca: readFileSync(certificate) };
const dispatcher = new Agent({ connections: Number(connections), pipelining: 1, connect });
const headers = { authorization: 'Bearer bench' };
let next = 0;
const worker = async () => {
  while (next < ids.length) {
    const path = method === 'GET' ? ids[next++] : `${ids[next++]}/retry`;
    const { body } = await request(`${origin}/v1/posts/${path}`, { dispatcher, method, headers });
    await body.json();
  }
};
await Promise.all(Array.from({ length: Number(connections) }, worker));
await dispatcher.close();
