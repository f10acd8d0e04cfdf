// The least that a client can do: a loop of undici's `request` over a list of IDs. The JSON is parsed; nothing is
// checked or printed.

import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

const [, , file, origin, connections, method = 'GET', ca] = process.argv;
const ids = readFileSync(file, 'utf8').trim().split('\n');
const connect = ca === undefined ? {} : { ca: readFileSync(ca) };
const dispatcher = new Agent({ connections: Number(connections), pipelining: 1, connect });
const isRead = method === 'GET';
const path = isRead ? '' : '/retry';
const sent = isRead ? undefined : '{}';
const headers = { authorization: 'Bearer bench', 'content-type': 'application/json' };
let next = 0;
const worker = async () => {
  while (next < ids.length) {
    const url = `${origin}/v1/posts/${ids[next++]}${path}`;
    const { body } = await request(url, { dispatcher, method, headers, body: sent });
    await body.json();
  }
};
await Promise.all(Array.from({ length: Number(connections) }, worker));
await dispatcher.close();
