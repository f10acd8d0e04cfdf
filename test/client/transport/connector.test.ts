// Connections to names with several addresses.

import { expect, it, onTestFinished } from 'vitest';
import { createConnector, createOpen } from '../../../src/client/transport/connector.ts';
import { blackholePort } from '../../support/blackhole-port.ts';

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
