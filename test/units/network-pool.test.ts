// Many requests at once over a few connections: none too many, none mixed up, none lost, and nothing taken for an answer
// that nobody asked for.

import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { network } from '../../src/call/network.ts';
import type { HttpRequest } from '../../src/http.ts';
import { raw, rogue } from '../support/rogue.ts';

const never = new AbortController().signal;
/** A read that shares connections; any answer will do. */
const request = (url: string): HttpRequest => ({ method: 'GET', url, headers: {}, repeats: [] });

function open(connections: number) {
  const { send, close } = network({ timeoutMs: 10_000, connections });
  onTestFinished(close);
  return send;
}

/** A server that answers nothing by itself; the sockets on which requests have come, in their order. */
async function silent() {
  const asked: Socket[] = [];
  const service = await rogue((socket) => asked.push(socket));
  const answer = (at: number, text = `"${at}"`) => asked[at]!.write(raw('200 OK', {}, text));
  const come = async (count: number) =>
    expect.poll(() => service.requests(), { interval: 5 }).toBe(count);
  return { ...service, asked, answer, come };
}

describe('connections', () => {
  it('are as many as allowed; further requests wait for the first that is free', async () => {
    const { url, come, answer, connections } = await silent();
    const send = open(2);
    const answers = [0, 1, 2, 3].map(() => send(request(url), never));
    await come(2);
    answer(1);
    expect(await answers[1]).toMatchObject({ body: '"1"' });
    await come(3);
    answer(2);
    expect(await answers[2]).toMatchObject({ body: '"2"' });
    await come(4);
    answer(0);
    answer(3);
    expect(await answers[0]).toMatchObject({ body: '"0"' });
    expect(await answers[3]).toMatchObject({ body: '"3"' });
    expect(connections()).toBe(2);
  });

  it('send nothing of a request that was given up in line, and serve the next', async () => {
    const { url, come, answer, requests } = await silent();
    const send = open(1);
    const patience = new AbortController();
    const first = send(request(url), never);
    const second = send(request(url), patience.signal);
    const third = send(request(url), never);
    await come(1);
    patience.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    answer(0);
    await first;
    await come(2);
    answer(1);
    expect(await third).toMatchObject({ body: '"1"' });
    expect(requests()).toBe(2);
  });

  it('that fail make room for the next', async () => {
    const { url, come, asked, answer } = await silent();
    const send = open(1);
    const [first, second] = [send(request(url), never), send(request(url), never)];
    await come(1);
    asked[0]!.destroy();
    await expect(first).rejects.toMatchObject({ facts: { sent: true } });
    await come(2);
    answer(1);
    expect(await second).toMatchObject({ body: '"1"' });
  });

  it('end with all who wait for them', async () => {
    const { url, come, requests } = await silent();
    const { send, close } = network({ timeoutMs: 10_000 });
    const [first, second] = [send(request(url), never), send(request(url), never)];
    await come(1);
    await Promise.all([
      expect(first).rejects.toMatchObject({ facts: { sent: true } }),
      expect(second).rejects.toMatchObject({ facts: { sent: false } }),
      close(),
    ]);
    expect(requests()).toBe(1);
  });
});

describe('answers that come at once', () => {
  it('in pieces, in turns, are each put together from their own', async () => {
    const { url, come, asked } = await silent();
    const send = open(8);
    const texts = 'abcdefgh'.split('').map((letter) => JSON.stringify(`${letter}é`.repeat(50_000)));
    const answers = texts.map(() => send(request(url), never));
    await come(texts.length);
    const pieces = texts.map((text) => {
      const bytes = raw('200 OK', {}, text);
      return Array.from({ length: 5 }, (_, i) => bytes.subarray(i * 40_001, (i + 1) * 40_001));
    });
    for (let i = 0; i < 5; i++)
      for (const [at, each] of pieces.entries()) asked[at]!.write(each[i]!);
    const bodies = (await Promise.all(answers)).map(({ body }) => body);
    expect(bodies.toSorted()).toEqual(texts);
  });

  it('in one packet with what nobody asked for lose that, and the connection', async () => {
    const { url, come, asked, answer, connections } = await silent();
    const send = open(1);
    const first = send(request(url), never);
    await come(1);
    asked[0]!.write(Buffer.concat([raw('200 OK', {}, '"0"'), raw('200 OK', {}, '"stray"')]));
    expect(await first).toMatchObject({ body: '"0"' });
    const second = send(request(url), never);
    await come(2);
    answer(1);
    expect(await second).toMatchObject({ body: '"1"' });
    expect(connections()).toBe(2);
  });

  it('before the question are no answers', async () => {
    const { url, come, asked, answer, connections } = await silent();
    const send = open(1);
    const first = send(request(url), never);
    await come(1);
    answer(0);
    await first;
    answer(0, '"stray"');
    await new Promise((resolve) => asked[0]!.once('close', resolve));
    const second = send(request(url), never);
    await come(2);
    answer(1);
    expect(await second).toMatchObject({ body: '"1"' });
    expect(connections()).toBe(2);
  });
});
