// undici's connector, which opens one connection: what a transport and the connections through a proxy have in common.

import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import makeConnector from 'undici/lib/core/connect.js';

export type ConnectOptions = buildConnector.BuildOptions & {
  readonly timeout: number;
  /** Certificate authorities, PEM, instead of Node's own. */
  readonly ca?: string[];
};

/** Opens a connection. undici's types do not say that its connector returns the socket. */
export type Open = (...given: Parameters<buildConnector.connector>) => Socket;

/**
 * Connections with these options, set up when the first one is opened. All that use TLS share one context: by itself
 * each makes its own, which takes a quarter of the time of a change and stays in memory for as long as its socket.
 */
export function createOpen(options: ConnectOptions): Open {
  let open: Open | undefined;
  return (address, callback) => {
    open ??= makeConnector(
      address.protocol === 'https:' ? { ...options, secureContext: contextFor(options) } : options,
    ) as Open;
    return open(address, callback);
  };
}

const contextFor = ({ ca }: ConnectOptions) => createSecureContext(ca === undefined ? {} : { ca });
