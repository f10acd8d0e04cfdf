// A port that neither accepts nor refuses a connection: its server is stopped and its queue is full, so that the system
// drops every packet, as a firewall does.

import { once } from 'node:events';
import * as net from 'node:net';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';

const SERVER = `require('node:net').createServer().listen({ host: process.argv[1], port: 0, backlog: 1 }, function () {
  console.log(this.address().port); });`;

/** Resolves with the port once it drops connections. */
export async function blackholePort(host: string): Promise<number> {
  const child = execa(process.execPath, ['-e', SERVER, host], { reject: false });
  const queue: net.Socket[] = [];
  onTestFinished(() => {
    for (const socket of queue) socket.destroy();
    child.kill('SIGKILL');
  });
  const port = Number(await once(child.stdout, 'data'));
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
