// How many deliveries are stored and passed on at once, against targets that hang.

import * as http from 'node:http';
import { describe, expect, it } from 'vitest';
import type { LocalCall } from '../../../src/cli/local-command.ts';
import { type DeliveryRecord, recordOf } from '../../../src/commands/webhooks/delivery.ts';
import { createForwarder } from '../../../src/commands/webhooks/forward.ts';
import { openIntake } from '../../../src/commands/webhooks/accept-delivery.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { createSecrets } from '../../../src/output/redact.ts';
import { listenOnLoopback } from '../../support/listen.ts';
import { temporaryFolder, testRuntime } from '../../support/test-cli.ts';

const delivery = {
  time: 0,
  target: '/',
  rawHeaders: ['x-a', '1'],
  body: Buffer.from('{"event":"post.failed"}'),
};

/** A target that answers nothing, and a forwarder to it. */
async function hanging(timeoutMs: number) {
  let underway = 0;
  let most = 0;
  const server = http.createServer(({ socket }) => {
    most = Math.max(most, ++underway);
    socket.once('close', () => underway--);
  });
  return { ...(await forwarderTo(server, timeoutMs)), most: () => most };
}

async function forwarderTo(server: http.Server, timeoutMs: number) {
  const port = await listenOnLoopback(server);
  const said = { stdout: '', stderr: '' };
  const host = testRuntime(temporaryFolder(), { now: 0 }, { inRealTime: true }, said);
  const own = { secrets: createSecrets(''), note: () => undefined, onEnd: () => undefined };
  const runtime = { ...host, ...own };
  const lines: string[] = [];
  const forwarder = await createForwarder(
    `http://127.0.0.1:${port}/`,
    { timeoutMs } as Settings,
    runtime,
    {
      openFailures: () => ({
        append: async (line) => void lines.push(line),
        close: () => undefined,
      }),
      note: () => undefined,
    },
  );
  const record = recordOf(delivery);
  const errors = () =>
    lines.map(
      (line) => (JSON.parse(line) as DeliveryRecord & { forward: { error: string } }).forward.error,
    );
  return {
    forward: () => forwarder.forward(delivery, record),
    forwarder,
    errors,
  };
}

describe('many deliveries at once', () => {
  it('are stored 32 at a time, and all of them', async () => {
    let underway = 0;
    let most = 0;
    const said = { stdout: '', stderr: '' };
    const host = testRuntime(temporaryFolder(), { now: 0 }, { inRealTime: true }, said);
    const stdout = {
      ...host.stdout,
      async write() {
        most = Math.max(most, ++underway);
        await new Promise((resolve) => setImmediate(resolve));
        underway--;
      },
    };
    const own = { secrets: createSecrets(''), note: () => undefined, onEnd: () => undefined };
    const runtime = { ...host, ...own, stdout };
    const settings = { fields: [] as readonly string[] } as Settings;
    const call = { runtime, form: 'tsv', settings } as Partial<LocalCall> as LocalCall;
    const options = { append: undefined, forwardTo: undefined, signing: undefined };
    const intake = await openIntake(call, { ...options, mustVerify: false });
    const answers = await Promise.all(Array.from({ length: 100 }, () => intake.take(delivery)));
    expect(new Set(answers)).toEqual(new Set([200]));
    expect([most, intake.counts.received]).toEqual([32, 100]);
  });
});

describe('a target that hangs', () => {
  it('has eight deliveries at once and 256 in all; the others fail, and all of them at the end', async () => {
    const { forward, forwarder, errors, most } = await hanging(30_000);
    const all = Array.from({ length: 260 }, forward);
    expect(await Promise.all(all.slice(256))).toEqual([false, false, false, false]);
    expect(new Set(errors())).toEqual(new Set(['256 deliveries are waiting already']));
    while (most() < 8) await new Promise((resolve) => setTimeout(resolve, 5));
    await forwarder.close(20);
    expect(await Promise.all(all)).toEqual(Array(260).fill(false));
    expect(most()).toBe(8);
    expect(errors().slice(4)).toEqual(Array(256).fill('stopped before a response came'));
  });

  it('gets every delivery where it answers, however many there were before', async () => {
    const server = http.createServer((request, response) => {
      request.resume();
      response.end();
    });
    const { forward, forwarder } = await forwarderTo(server, 30_000);
    for (let i = 0; i < 3; i++)
      expect(await Promise.all(Array.from({ length: 100 }, forward))).toEqual(
        Array(100).fill(true),
      );
    await forwarder.close(0);
  });

  it('fails when its time is over', async () => {
    const { forward, forwarder, errors } = await hanging(50);
    expect(await forward()).toBe(false);
    expect(errors()).toEqual(['no response after 0.05s']);
    await forwarder.close(0);
  });
});
