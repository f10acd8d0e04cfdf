// `webhooks listen` in this process, and the deliveries that a test sends it.

import * as http from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { type Outcome, type RunOptions, testCli } from './test-cli.ts';

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface Delivered {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: http.OutgoingHttpHeaders | readonly string[];
  readonly body?: string | Uint8Array;
}

/** Sends one request to a receiver, or to any other server, past all checks of the program. */
export function deliver(url: string, delivered: Delivered = {}): Promise<Reply> {
  const { method = 'POST', path = '/', headers = {}, body = '' } = delivered;
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

export interface DeliveryReceiver {
  readonly url: string;
  readonly folder: string;
  /** `deliveries.ndjson` in the folder, for `--append`. */
  readonly file: string;
  send(delivered?: Delivered): Promise<Reply>;
  /** Stops the receiver as Ctrl-C does. */
  stop(): Promise<Outcome>;
}

/** Starts the receiver; `FILE` in the words stands for its file. */
export async function deliveryReceiver(
  argv: readonly string[],
  scene: RunOptions & { readonly folder?: string } = {},
): Promise<DeliveryReceiver> {
  const { social, folder } = testCli(scene.folder);
  const file = join(folder, 'deliveries.ndjson');
  const words = argv.map((word) => word.replace('FILE', file));
  const stopped = new AbortController();
  let ended: Promise<Outcome> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const signal = stopped.signal;
    const onStderr = (text: string) => {
      const listening = /^webhooks: listening on (\S+) until/m.exec(text);
      if (listening !== null) resolve(listening[1]!);
    };
    ended = social(['webhooks', 'listen', ...words], { ...scene, signal, onStderr });
    void ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  const stop = () => {
    stopped.abort(new Failure('interrupted', { what: 'stop' }));
    return ended!;
  };
  onTestFinished(async () => void (await stop()));
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  return { url, folder, file, send: (delivered) => deliver(url, delivered), stop };
}
