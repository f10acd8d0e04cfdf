// A port that neither accepts nor refuses a connection: its server is stopped and its queue is full, so that the system
// drops every packet, as a firewall does.

import { spawn } from 'node:child_process';
import * as net from 'node:net';
import { onTestFinished } from 'vitest';

const SERVER = `require('node:net').createServer().listen({ host: process.argv[1], port: 0, backlog: 1 }, function () {
  console.log(this.address().port); });`;

/** Resolves with the port once it drops connections. */
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
