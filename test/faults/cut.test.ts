// An answer that is cut off at every byte there is: a read is asked for again and ends as no answer, a change is
// never sent twice. What a whole answer says counts, wherever the connection ends after it.

import { describe, expect, it } from 'vitest';
import { tell, times } from '../properties/times.ts';
import { CANARY } from '../support/token-leak-check.ts';
import { rawResponse, misbehavingServer } from '../support/misbehaving-server.ts';
import { testCli } from '../support/test-cli.ts';

const whole = rawResponse(
  '200 OK',
  { connection: 'close' },
  '{"ok":true,"data":{"id":"PostSpringLaunch"}}',
);
const chunked = Buffer.from(
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n16\r\n{"ok":true,"data":{"id\r\n16\r\n":"PostSpringLaunch"}}\r\n0\r\n\r\n',
);
const forms = { 'a length': whole, chunks: chunked } as const;
const endings = ['end', 'reset'] as const;

describe.each(Object.entries(forms))('a response with %s', (_form, bytes) => {
  it.each(endings)(
    'cut at every byte by a %s never repeats a change',
    { timeout: 60_000 },
    async (ending) => {
      let at = 0;
      const service = await misbehavingServer((socket) => {
        socket.write(bytes.subarray(0, at), () => {
          if (ending === 'end') socket.end();
          else socket.resetAndDestroy();
        });
      });
      const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY, SOCIAL_NO_HISTORY: '1' };
      const { social } = testCli();
      const ended = async (line: string) => {
        const { exitCode, stdout } = await social(line.split(' '), { env });
        return { at, exitCode, stdout };
      };
      let [changes, reads] = [0, 0];
      // Where it ends matters more than how.
      const step = ending === 'end' ? 1 : times(5, 1).numRuns;
      for (at = 0; at < bytes.length; at += step) {
        const send = 'accounts bluesky send convo-1 -a AccountBlueskyAA --text hi --json';
        expect(await ended(send)).toEqual({ at, exitCode: 12, stdout: '' });
        expect(service.requests('POST')).toBe((changes += 1));
        // A read is tried again: that is the same at every byte.
        if (at % 10 !== 0) continue;
        const get = 'posts get PostSpringLaunch --retries 1';
        expect(await ended(get)).toEqual({ at, exitCode: 9, stdout: '' });
        expect(service.requests('GET')).toBe((reads += 2));
      }
      tell(
        `cut at ${changes} of ${bytes.length} bytes (${ending}): as many changes, none repeated`,
      );
    },
  );

  it('is never accepted when cut', async () => {
    const service = await misbehavingServer((socket) => void socket.end(bytes));
    const env = { SOCIAL_BASE_URL: service.url, SOCIAL_TOKEN: CANARY };
    const argv = ['posts', 'get', 'PostSpringLaunch', '--json', '-q'];
    const { exitCode, stdout } = await testCli().social(argv, { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{"id":"PostSpringLaunch"}\n' });
  });
});
