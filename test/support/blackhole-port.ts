// A port that takes no more connections and refuses none: its server is stopped, its queue is full, and what
// comes is dropped. So a host looks that swallows every packet.

import { spawn } from 'node:child_process';
import * as net from 'node:net';
import { onTestFinished } from 'vitest';

const SERVER = `require('node:net').createServer().listen({ host: process.argv[1], port: 0, backlog: 1 }, function () {
  console.log(this.address().port); });`;

/** Resolves with the port once it is deaf. */
export async function blackholePort(host: string): Promise<number> {
  const child = spawn(process.execPath, ['-e', SERVER, host], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const queue: net.Socket[] = [];
  onTestFinished(() => {
    for (const socket of queue) socket.destroy();
    child.kill('SIGKILL');
  });
  const port = await new Promise<number>((resolve) =>
    child.stdout.once('data', (text) => resolve(Number(text))),
  );
  child.kill('SIGSTOP');
  for (;;) {
    const socket = net.connect({ host, port }).on('error', () => undefined);
    queue.push(socket);
    const isTaken = await Promise.race([
      new Promise<boolean>((resolve) => socket.once('connect', () => resolve(true))),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200)),
    ]);
    if (!isTaken) return port;
  }
}
