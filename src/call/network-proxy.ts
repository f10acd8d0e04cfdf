// Connections through a proxy, for the few who have one.

import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import type { Proxy } from './network.ts';

/** The proxy of HTTPS_PROXY, which the hosts in `noProxy` (NO_PROXY) do without. `url` is http or https. */
export function proxyAt(url: string, noProxy: string): Proxy {
  // undici's own index file gives its clients the method that asks a proxy for a tunnel; it is not loaded here.
  Dispatcher.prototype.connect = connect;
  return {
    host: new URL(url).host,
    way: (options, tls) =>
      new EnvHttpProxyAgent({
        ...options,
        httpProxy: '',
        httpsProxy: url,
        noProxy,
        requestTls: tls,
      }),
  };
}
