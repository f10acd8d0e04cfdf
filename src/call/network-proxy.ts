// The proxy in between, for the few who have one. Loaded only for them.

import { connectingThrough } from './network-tunnel.ts';
import type { Proxy } from './network.ts';

/** The proxy at an http or https address. */
export function proxyAt(url: string): Proxy {
  const address = new URL(url);
  return {
    host: address.host,
    connecting: (options) => connectingThrough(address, options),
  };
}
