// Every way of a secret through the program, against a service that repeats it wherever it can: on each, the runtime is
// wrapped a few times (a filter, notes shown once, the signal of a batch or of a wait), and must keep its masks.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome } from '../support/program.ts';
import { recordingServer } from '../support/recording-server.ts';

const SECRET = 'whsec-of-mine-0815';
const PAIRING = 'ab12'.repeat(16);

/** Returns the text of every file below a folder. */
function textsBelow(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

/** A service whose every text has the secret. */
const echoing = (status: number, secret: string) =>
  recordingServer(() => ({
    status,
    headers: {
      'content-type': 'application/json',
      'x-request-id': `id ${secret}`,
      deprecation: secret,
    },
    body: JSON.stringify({
      ok: status === 200,
      error: { code: `c-${secret}`, message: `no ${secret}`, details: [{ field: secret }] },
      data: {
        id: 'WebhookAlertsOps',
        name: secret,
        status: secret,
        [secret]: [secret],
        expiresAt: '2020-01-01T00:00:00Z',
      },
      [secret]: secret,
    }),
  }));

const create = 'webhooks create --url https://ops.example/h --event post.failed';
const update = 'webhooks update WebhookAlertsOps';
const ways: readonly (readonly [way: string, line: string, hidden: string])[] = [
  ['a call', `${update} --secret-env MINE`, SECRET],
  ['a call that may be repeated', `${update} --secret-env MINE --retries 2`, SECRET],
  ['a filter', `${update} --secret-env MINE --json --jq .nothing`, SECRET],
  ['the requests', `${update} --secret-env MINE --debug`, SECRET],
  ['a dry run', `${create} --secret-env MINE --dry-run`, SECRET],
  ['a note', `${update} --secret-env MINE --note ${SECRET}`, SECRET],
  ['a batch', `${create} --from list.ndjson --fields isActive`, SECRET],
  ['a batch for a script', `${create} --from list.ndjson --json`, SECRET],
  ['a batch for a spreadsheet', `${create} --from list.ndjson -o tsv --fields isActive`, SECRET],
  [
    'a batch with all its files',
    `${create} --from list.ndjson --journal j --failures-to f --fields isActive`,
    SECRET,
  ],
  ['a wait', `connect telegram session ${PAIRING} --wait --interval 1s`, PAIRING],
  ['waits of a batch', 'connect telegram session --from ids --wait --debug', PAIRING],
];

describe.each([200, 422, 503])(
  'a service that answers %i with the secret in every text',
  (status) => {
    it.each(ways)('gets it into nothing but its own result: %s', async (_way, line, hidden) => {
      const { url, requests } = await echoing(status, hidden);
      const home = freshHome();
      const [list, ids] = ['list.ndjson', 'ids'].map((name) => join(home, name));
      writeFileSync(list!, `{"secret":"${SECRET}"}\n{"secret":"another-secret"}\n`);
      writeFileSync(ids!, `${PAIRING}\n${'cd34'.repeat(16)}\n`);
      const files = { 'list.ndjson': list!, ids: ids!, j: join(home, 'j'), f: join(home, 'f') };
      const argv = line.split(' ').map((word) => files[word as keyof typeof files] ?? word);
      const env = { SOCIAL_BASE_URL: url, SOCIAL_TOKEN: 'a-token', MINE: SECRET };
      const { stdout, stderr } = await socialInProcess(argv, { home, env });
      expect(requests.length > 0).toBe(!line.includes('--dry-run'));
      // Only the result that is about it may show it; a list for another run has to be usable.
      const shown = status === 200 ? '' : stdout;
      const journal = existsSync(files.j) ? readFileSync(files.j, 'utf8') : '';
      const kept = textsBelow(join(home, '.local'));
      for (const text of [stderr, shown, kept, journal]) expect(text).not.toContain(hidden);
      expect(journal !== '').toBe(line.includes('--journal'));
    });
  },
);
