// The secrets of a list are masked from the first record to the end of the command: a service may echo that of any
// record in its answer to any other.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome } from '../support/program.ts';
import { recordingServer } from '../support/recording-server.ts';
import { savedLines } from '../support/saved-list.ts';
import { serviceAt } from '../support/terminal.ts';
import { encodingsOf } from '../support/token-leak-check.ts';

/** Each record with a secret and a header: the first is created, the others are refused. */
const records = ['one', 'two', 'three', 'four'].map((name) => ({
  url: `https://${name}.example.com/hook`,
  events: ['post.failed'],
  secret: `se/cr+et "of" ${name}`,
  customHeaders: { 'X-Api-Key': `header=value of ${name}` },
}));
const secretsOf = ({ secret, customHeaders }: (typeof records)[number]) => [
  secret,
  customHeaders['X-Api-Key'],
];
const everySecret = records.flatMap(secretsOf);

/** Returns the secrets that a text has in any form. */
const leaksIn = (text: string, secrets: readonly string[] = everySecret) =>
  secrets.filter((secret) => encodingsOf(secret).some((form) => text.includes(form)));

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

it.each([
  ['JSON', ['--json']],
  ['TSV', []],
  ['fields', ['--fields', 'id,name']],
  ['TSV, with a trace', ['-o', 'tsv', '--debug']],
])('no output has the secret of another record: %s', async (_form, flags) => {
  const { url } = await recordingServer((_number, { body }) => {
    const echo = everySecret.flatMap(encodingsOf).join(' ');
    const isCreated = body.includes('one.example');
    const error = { code: 'invalid', message: `No. ${echo}`, details: { [echo]: echo } };
    const data = { id: 'WebhookOfTheTest', name: echo, [echo]: [echo], secret: records[0]!.secret };
    return isCreated
      ? { body: JSON.stringify({ ok: true, data }) }
      : {
          status: 422,
          headers: { 'x-request-id': 'r1' },
          body: JSON.stringify({ ok: false, error }),
        };
  });
  const home = freshHome();
  const at = (name: string) => join(home, name);
  writeFileSync(at('list'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const files = ['--from', at('list'), '--journal', at('journal'), '--failures-to', at('failed')];
  const line = ['webhooks', 'create', ...files, '--concurrency', '1', '--yes', ...flags];
  const { exitCode, stdout, stderr } = await socialInProcess(line, { home, env: serviceAt(url) });
  expect(exitCode).toBe(11);
  expect(stderr).toContain('[redacted]');
  // Only the result about a record may show its secrets.
  const [own, ...others] = records;
  expect(leaksIn(stdout, others.flatMap(secretsOf))).toEqual([]);
  expect(stdout).toContain('WebhookOfTheTest');
  expect(leaksIn(stdout.split('\n').slice(1).join('\n'), secretsOf(own!))).toEqual([]);
  expect(leaksIn(stderr)).toEqual([]);
  const [list, failed] = [at('list'), at('failed')];
  const kept = filesBelow(home).filter((path) => path !== list && path !== failed);
  expect(kept.length).toBeGreaterThan(1);
  for (const path of kept) expect([path, leaksIn(readFileSync(path, 'utf8'))]).toEqual([path, []]);
  // The records that are left have to be sent again, so they are whole, in a private file.
  expect(savedLines(failed).map((text) => JSON.parse(text) as unknown)).toMatchObject(others);
  expect(statSync(failed).mode & 0o777).toBe(0o600);
});

it('the IDs of other pairings are masked too', async () => {
  const ids = ['a', 'b', 'c'].map((letter) => `5e551011a1b2${letter.repeat(52)}`);
  const { url } = await recordingServer(() => ({
    body: JSON.stringify({ ok: true, data: { status: ids.join(' ') } }),
  }));
  const line = ['connect', 'telegram', 'session', '--from', '-', '--json', '--debug'];
  const { stdout, stderr } = await socialInProcess(line, {
    env: serviceAt(url),
    input: ids.join('\n'),
  });
  const shown = stdout
    .trim()
    .split('\n')
    .map((text) => ids.filter((id) => text.includes(id)).join());
  expect(shown.toSorted((a, b) => a.localeCompare(b))).toEqual(ids);
  expect(leaksIn(stderr, ids)).toEqual([]);
});
