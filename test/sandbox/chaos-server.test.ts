// Injected faults on real sockets, as a client meets them: requests that were processed, requests that were not, and
// those without a fault.

import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ChaosFault, ChaosPlan } from '../../src/sandbox/chaos.ts';
import { requestText } from './raw.ts';
import { openSandbox } from './sandbox.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const AUDIENCE = '/v1/ads/audiences/23850000000000001';

/** A sandbox in which every request meets this fault, one on the same state that makes none, and what was recorded. */
async function troubled(fault: ChaosFault | undefined, latency?: ChaosPlan['latency']) {
  const folder = temporaryFolder();
  const told: (ChaosFault | undefined)[] = [];
  const plan: ChaosPlan = {
    faults: fault === undefined ? [] : [[fault, 100]],
    ...(latency === undefined ? {} : { latency }),
  };
  const bad = await openSandbox(folder, {
    chaos: { plan, seed: 1 },
    onRequest: (_request, met) => void told.push(met),
  });
  const good = await openSandbox(folder);
  const isDone = async () => (await good.call('DELETE', AUDIENCE)).status === 404;
  return { ...bad, told, isDone };
}

describe('a requested fault', () => {
  it.each([400, 401, 404, 418, 429, 500, 503, 599])(
    'responds %i in the error envelope, and nothing is done',
    async (status) => {
      const { call, told, isDone } = await troubled(status);
      const reply = await call('DELETE', AUDIENCE);
      expect(reply.status).toBe(status);
      expect(reply.headers['x-social-sandbox']).toBe('1');
      expect(reply.headers['retry-after']).toBe([429, 503].includes(status) ? '1' : undefined);
      expect(reply.envelope.error).toMatchObject({ code: 'injected_fault' });
      expect(told).toEqual([status]);
      expect(await isDone()).toBe(false);
    },
  );

  it('resets the connection before anything is done', async () => {
    const { call, told, isDone } = await troubled('reset');
    await expect(call('DELETE', AUDIENCE)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(told).toEqual(['reset']);
    expect(await isDone()).toBe(false);
  });

  it('drops the response to a request that was done', async () => {
    const { call, told, isDone } = await troubled('lost');
    await expect(call('DELETE', AUDIENCE)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(told).toEqual(['lost']);
    expect(await isDone()).toBe(true);
  });

  it('delays a request that is then done, also when the client has disconnected', async () => {
    const { url, token, told, isDone } = await troubled(undefined, { ms: 150, spreadMs: 0 });
    const port = Number(new URL(url).port);
    const head = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`];
    const start = performance.now();
    const socket = connect(port, '127.0.0.1');
    socket.write(requestText(`DELETE ${AUDIENCE} HTTP/1.1`, head), () =>
      setTimeout(() => socket.destroy(), 50),
    );
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(performance.now() - start).toBeGreaterThanOrEqual(140);
    expect(told).toEqual([undefined]);
    expect(await isDone()).toBe(true);
  });

  it('affects no request without the token', async () => {
    const { call, told } = await troubled('reset');
    expect((await call('DELETE', AUDIENCE, undefined, { authorization: undefined })).status).toBe(
      401,
    );
    expect((await call('DELETE', AUDIENCE, undefined, { authorization: 'Bearer no' })).status).toBe(
      401,
    );
    expect(told).toEqual([]);
  });

  it('does not keep the server from stopping', async () => {
    const { call, sandbox } = await troubled(undefined, { ms: 3_600_000, spreadMs: 0 });
    const waiting = call('DELETE', AUDIENCE).catch((error: Error) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await sandbox.close();
    // Ended or reset, depending on what the kernel still held of the request.
    expect(['UND_ERR_SOCKET', 'ECONNRESET']).toContain(((await waiting) as { code?: string }).code);
  });
});
