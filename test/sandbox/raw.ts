// Bytes to the sandbox and back, for requests that no HTTP client would send.

import { connect } from 'node:net';

/** Sends the parts one after the other; resolves with all that came back once the connection has ended. */
export function exchange(url: string, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => {
      received += String(text);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) reject(error);
    });
    socket.on('close', () => resolve(received));
    for (const part of parts) socket.write(part);
  });
}

/** A request as text, with `Connection: close`. */
export function requestText(line: string, headers: readonly string[], body = ''): string {
  return `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
}
