// Connections through a proxy, for the few who have one.

import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import type { Proxy } from './network.ts';

/** The proxy of HTTPS_PROXY, which the hosts in `noProxy` (NO_PROXY) do without. `url` is http or https. */
export function proxyAt(url: string, noProxy: string): Proxy {
  return {
    host: new URL(url).host,
    dispatcher: (options, tls) =>
      new EnvHttpProxyAgent({
        ...options,
        httpProxy: '',
        httpsProxy: url,
        noProxy,
        requestTls: tls,
      }),
  };
}
