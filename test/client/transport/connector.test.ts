// Connections to names: with several addresses, and with a dot at the end.

import { readFileSync } from 'node:fs';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createConnector, createOpen } from '../../../src/client/transport/connector.ts';
import { blackholePort } from '../../support/blackhole-port.ts';
import { makeCertificates, secureServer } from '../../support/certificates.ts';

it('the first of two addresses has time for a long way there', async () => {
  const port = await blackholePort('127.0.0.1');
  const open = createOpen({
    lookup: (_name, _options, callback) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        // Nobody listens here: it fails at once.
        { address: '::1', family: 6 },
      ]),
  });
  const { connect, stop } = createConnector(open, 10_000, () => performance.now());
  onTestFinished(stop);
  const start = performance.now();
  const address = { protocol: 'http:', hostname: 'two.test', port: String(port) };
  await expect(connect(address)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  expect(performance.now() - start).toBeGreaterThan(600);
});

it('TLS is told the name without the dot at its end, and HTTP; a session is resumed for its name', async () => {
  const certificates = makeCertificates();
  onTestFinished(certificates.remove);
  const names: string[] = [];
  const protocols: string[][] = [];
  const pair = certificates.pair('good');
  const { port } = await secureServer({
    ...pair,
    maxVersion: 'TLSv1.2',
    ALPNCallback: (offered) => {
      protocols.push(offered.protocols);
      return 'http/1.1';
    },
    SNICallback: (name, callback) => {
      names.push(name);
      callback(null, createSecureContext(pair));
    },
  });
  const open = createOpen({
    ca: [readFileSync(certificates.ca, 'utf8')],
    lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const { connect, stop } = createConnector(open, 10_000, () => performance.now());
  onTestFinished(stop);
  const to = (hostname: string) => connect({ protocol: 'https:', hostname, port: String(port) });
  const reused: boolean[] = [];
  for (const hostname of ['api.test', 'api.test', 'api.test.']) {
    const socket = (await to(hostname)) as TLSSocket;
    reused.push(socket.isSessionReused());
    socket.destroy();
  }
  expect(reused).toEqual([false, true, false]);
  expect(protocols[0]).toEqual(['http/1.1']);
  await expect(to('other.test.')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  await expect(to('127.0.0.1')).resolves.toBeTruthy();
  // None is asked for by the one that resumes.
  expect(names).toEqual(['api.test', 'api.test', 'other.test']);
});
