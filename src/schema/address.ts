// What counts as this machine. Decided on the host as the URL parser made it, so that `127.1` counts
// and `127.0.0.1.evil.com` does not.

/** Tells whether a URL's `hostname` is a loopback address. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
