// Addresses in two: where a request goes, and what it asks for there.

export interface UrlParts {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

export type UrlSplitter = (url: string) => UrlParts;

/** A path that a URL parser gives back as it is. */
const PLAIN_PATH = /^(?:\/[\w-]+)+$/;

/** Cuts up absolute addresses. Remembers the last origin, for thousands of requests in a row go to one. */
export function createUrlSplitter(): UrlSplitter {
  let last: string | undefined;
  return (url) => {
    if (last !== undefined && url.startsWith(last)) {
      const path = url.slice(last.length);
      if (PLAIN_PATH.test(path)) return { origin: last, path };
    }
    const { origin, pathname, search } = new URL(url);
    last = origin;
    return { origin, path: pathname + search };
  };
}

// What counts as this machine. Decided on the host as the URL parser made it, so that `127.1` counts
// and `127.0.0.1.evil.com` does not.

/** Tells whether a URL's `hostname` is a loopback address. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
