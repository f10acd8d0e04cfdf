// The least that a client can do: a loop of undici's `request` over a list of IDs. The JSON is parsed; nothing is
// checked or printed.

import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

const [, , file, origin, connections] = process.argv;
const ids = readFileSync(file, 'utf8').trim().split('\n');
const dispatcher = new Agent({ connections: Number(connections), pipelining: 1 });
const headers = { authorization: 'Bearer bench' };
let next = 0;
const worker = async () => {
  while (next < ids.length) {
    const { body } = await request(`${origin}/v1/posts/${ids[next++]}`, { dispatcher, headers });
    await body.json();
  }
};
await Promise.all(Array.from({ length: Number(connections) }, worker));
await dispatcher.close();
