// `webhooks update`: what replaces a whole list says so, and values of headers stay secret.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { testCli } from '../support/test-cli.ts';

const ID = 'WebhookAlertsOps';
const CANARY = 'header-canary-5511';
const env = { SOCIAL_CONTEXT: 'sandbox' };

describe('webhooks update --event and --header', () => {
  it('warn that they replace the whole list', async () => {
    const { social } = testCli();
    const line = ['webhooks', 'update', ID, '--event', 'post.failed', '--header', 'X-New: 1'];
    const { stderr } = await social(line, { env });
    expect(stderr).toContain('--event replaces all events of this endpoint\n');
    expect(stderr).toContain('--header replaces all custom headers of this endpoint\n');
  });

  it('show header names and store no value', async () => {
    const { social, folder } = testCli();
    const line = ['webhooks', 'update', ID, '--header', `x-team: ${CANARY}`];
    const { stdout } = await social(line, { env });
    expect(stdout).toContain('x-team');
    const kept = readFileSync(join(folder, 'state', 'history.ndjson'), 'utf8');
    expect(kept).toContain('--header …');
    expect(kept).not.toContain(CANARY);
    const listed = await social(['history', 'list', '--json'], { env });
    expect(listed.stdout).not.toContain(CANARY);
  });
});

it('hides header values in the line to confirm, in a protected context', async () => {
  const service = await recordingServer(
    successResponse(`{"id":"${ID}","events":["post.failed"],"customHeaders":{}}`),
  );
  const { social } = testCli();
  const login = { env: { SOCIAL_TOKEN: 'a-token-of-the-test' } };
  const place = ['--base-url', service.url, '--protected'];
  await social(['context', 'set', 'prod', ...place], login);
  const add = ['webhooks', 'update', ID, '--header', `X-New: ${CANARY}`];
  const { exitCode, stderr } = await social(add, login);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--header 'X-New: [redacted]' --yes");
  expect(stderr).not.toContain(CANARY);
  expect((await social([...add, '--yes'], login)).exitCode).toBe(0);
  expect(JSON.parse(service.requests[0]!.body)).toEqual({
    id: ID,
    customHeaders: { 'X-New': CANARY },
  });
});

it.each([
  ['with its ID', [ID]],
  ['without an ID, which is not asked for', []],
])('webhooks update %s and nothing to change is an error at a terminal', async (_case, ids) => {
  const { exitCode, stderr } = await testCli().social(['webhooks', 'update', ...ids], {
    env,
    columns: 100,
    ask: {},
  });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('has nothing to change');
});
