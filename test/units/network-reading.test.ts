// What a socket has read, for whoever fetches it: at once, later, or slower than it comes.

import * as net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { directReading } from '../../src/call/network-reading.ts';

/** Text of which each part can be told from all others. */
const numbers = (count: number) => Array.from({ length: count }, (_, i) => `${i},`).join('');

const pause = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server that says these one by one and hangs up, and a socket to it that reads directly. */
async function socketTo(...texts: readonly string[]) {
  const say = async (peer: net.Socket) => {
    for (const text of texts) {
      peer.write(text);
      await pause();
    }
    peer.end();
  };
  const server = net.createServer({ noDelay: true }, (peer) => void say(peer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  const { onread, open } = directReading();
  const socket = open(() => net.connect({ port, host: '127.0.0.1', onread }));
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

/** All that can be fetched, until the other side has hung up. */
function fetchAll(socket: net.Socket): Promise<string> {
  const fetched: Buffer[] = [];
  const fetch = () => {
    for (let bytes = socket.read() as Buffer | null; bytes !== null;) {
      fetched.push(Buffer.from(bytes));
      bytes = socket.read() as Buffer | null;
    }
  };
  socket.on('readable', fetch);
  return new Promise((resolve) => {
    socket.on('end', () => resolve(Buffer.concat(fetched).toString()));
  });
}

describe('direct reading', () => {
  it('gives what comes, and then the end', async () => {
    expect(await fetchAll(await socketTo('one, ', 'two, ', 'three'))).toBe('one, two, three');
  });

  it('queues nothing that is fetched at once', async () => {
    const socket = await socketTo('one, ', 'two');
    const queued: number[] = [];
    socket.on('readable', () => queued.push(socket.readableLength));
    expect(await fetchAll(socket)).toBe('one, two');
    expect(queued).toEqual(queued.map(() => 0));
  });

  it('gives more than fits into its memory', async () => {
    const text = numbers(50_000);
    expect(await fetchAll(await socketTo(text))).toBe(text);
  });

  it('keeps what nobody fetches yet, whole and in order', async () => {
    const socket = await socketTo('one, ', 'two, ', numbers(50_000));
    await pause(80);
    expect(await fetchAll(socket)).toBe(`one, two, ${numbers(50_000)}`);
  });

  it('reads no further ahead than a stream does while nobody fetches anything', async () => {
    const socket = await socketTo(numbers(2_000_000));
    await pause(100);
    expect(socket.bytesRead).toBeLessThan(1024 * 1024);
    expect(await fetchAll(socket)).toBe(numbers(2_000_000));
  });

  it('keeps what is left where only some is fetched', async () => {
    const socket = await socketTo(numbers(20_000));
    const first = await new Promise<string>((resolve) => {
      socket.once('readable', () => resolve(String(socket.read())));
    });
    await pause(50);
    expect(first + (await fetchAll(socket))).toBe(numbers(20_000));
  });

  it('gives what was passed over before what comes after it', async () => {
    const socket = await socketTo('one, ', 'two');
    let told = 0;
    socket.on('readable', () => told++);
    await pause(10);
    expect(told).toBeGreaterThan(0);
    expect(await fetchAll(socket)).toBe('one, two');
  });

  it('serves sockets that read at once without mixing them up', async () => {
    const texts = [numbers(30_000), 'x'.repeat(300_000), '-'.repeat(200_000)];
    const { onread, open } = directReading();
    const fetched = texts.map(async (text) => {
      const server = net.createServer((peer) => peer.end(text));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as net.AddressInfo;
      onTestFinished(() => void server.close());
      return fetchAll(open(() => net.connect({ port, host: '127.0.0.1', onread })));
    });
    expect(await Promise.all(fetched)).toEqual(texts);
  });
});
