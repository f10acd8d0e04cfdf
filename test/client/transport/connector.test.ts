// Connections to names: with several addresses, and with a dot at the end.

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createConnector, createOpen } from '../../../src/client/transport/connector.ts';
import { blackholePort } from '../../support/blackhole-port.ts';
import { makeCertificates, secureServer } from '../../support/certificates.ts';

it('the first of two addresses has time for a long way there [T5]', async () => {
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

it('a name is told to the server without the dot at its end, and its certificate is checked', async () => {
  const certificates = makeCertificates();
  onTestFinished(certificates.remove);
  const names: string[] = [];
  const pair = certificates.pair('good');
  const { port } = await secureServer({
    ...pair,
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
  for (const hostname of ['api.test', 'api.test.']) (await to(hostname)).destroy();
  await expect(to('other.test.')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  await expect(to('127.0.0.1')).resolves.toBeTruthy();
  expect(names).toEqual(['api.test', 'api.test', 'other.test']);
});
