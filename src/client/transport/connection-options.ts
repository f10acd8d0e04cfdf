// The options of connections to the service: certificate authorities and a proxy, from flags and environment.
// Certificate checks cannot be turned off.

import { createReadStream, readFileSync, statSync } from 'node:fs';
import { iterateUntilAborted } from '../../base/abort.ts';
import { Failure } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { isLoopbackHost } from '../../base/url.ts';
import type { Settings } from '../../config/settings.ts';
import type { TransportOptions } from './open-transport.ts';
import { isProxyBypassed, proxyFromEnv } from './proxy.ts';

/**
 * Returns the network options for a base URL. Throws `local_io` for an unusable CA file, `usage` for an unusable proxy.
 */
export async function connectionOptions(
  baseUrl: string,
  { cacert, timeoutMs }: Settings,
  runtime: Runtime,
  connections: number | undefined,
): Promise<TransportOptions> {
  const url = new URL(baseUrl);
  const isEncrypted = url.protocol === 'https:';
  if (isEncrypted && runtime.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    runtime.note('ignoring NODE_TLS_REJECT_UNAUTHORIZED=0');
  // A token for this machine stays on it, whatever the environment says.
  const mayUseProxy = isEncrypted && !isLoopbackHost(url.hostname);
  const proxy = mayUseProxy ? proxyFromEnv(runtime) : undefined;
  return {
    timeoutMs,
    connections,
    loopbackOnly: !isEncrypted,
    // Like curl and kubectl, --cacert replaces all other authorities; without it Node's own and NODE_EXTRA_CA_CERTS are
    // used.
    ca: isEncrypted && cacert !== undefined ? [await readCaFile(cacert, runtime)] : undefined,
    proxy: isProxyBypassed(url, runtime.env) ? undefined : proxy,
  };
}

/** The maximum size of a file of authorities; that of a system has some hundred KiB. */
const MOST_BYTES = 10 * 1024 * 1024;

/** Reads the certificates of a PEM file. Throws `local_io` if it cannot be read, has none, or has a damaged one. */
async function readCaFile(path: string, { signal }: Pick<Runtime, 'signal'>): Promise<string> {
  const cannot = (why: string, cause?: unknown) =>
    new Failure('local_io', {
      what: `cannot read CA file ${path}: ${why}`,
      sent: false,
      retryable: false,
      cause,
    });
  let text = '';
  try {
    for await (const chunk of chunksOf(path, signal)) {
      text += chunk.toString('latin1');
      if (text.length > MOST_BYTES) throw cannot(`larger than ${MOST_BYTES} bytes`);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw cannot((error as NodeJS.ErrnoException).code ?? 'unreadable', error);
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw cannot('no certificate found');
  // TLS silently ignores a certificate that it cannot read.
  const damaged = blocks.findIndex((block) => !isCertificate(block));
  if (damaged >= 0) throw cannot(`certificate ${damaged + 1} of ${blocks.length} is damaged`);
  return text;
}

/**
 * Reads a regular file at once, because Node loads a dozen modules for a stream. A pipe, such as a shell's `<(…)`, may
 * be silent.
 */
function chunksOf(path: string, signal: AbortSignal): Iterable<Buffer> | AsyncIterable<Buffer> {
  const found = statSync(path);
  return found.isFile() && found.size <= MOST_BYTES
    ? [readFileSync(path)]
    : iterateUntilAborted<Buffer>(createReadStream(path), signal);
}

function isCertificate(block: string): boolean {
  try {
    const { X509Certificate } = process.getBuiltinModule('node:crypto');
    return new X509Certificate(block).fingerprint !== '';
  } catch {
    return false;
  }
}
