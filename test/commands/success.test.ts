// The sentence after a change: on a terminal, one, by the response.

import { describe, expect, it } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { isChange } from '../../src/api/operations/define-operation.ts';
import { commandVariants, operationLines } from '../support/command-lines.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { splitWords } from '../support/shell-words.ts';
import { serviceAt } from '../support/terminal.ts';
import { testCli } from '../support/test-cli.ts';

const said = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith('✓ '));
const sandbox = { SOCIAL_CONTEXT: 'sandbox' };

it('every operation that changes something declares its sentence, and no other', async () => {
  const wrong = (await everyOperation()).filter(
    ({ operation }) => isChange(operation) !== (operation.done !== undefined),
  );
  expect(wrong.map(({ operation }) => operation.command)).toEqual([]);
});

// A text from standard input needs one that is no terminal.
const changes = [...operationLines, ...commandVariants].filter(
  ({ method, stdin }) => method !== 'GET' && stdin === undefined,
);

it.each(changes)('is said once, at a terminal only: social $line', async ({ line }) => {
  const service = await recordingServer();
  const { social } = testCli();
  const env = serviceAt(service.url);
  const run = (columns: number | undefined, ...more: string[]) =>
    social([...more, '--yes', ...splitWords(line)], { env, columns });
  const { stderr, exitCode } = await run(200);
  expect(exitCode).toBe(0);
  expect(said(stderr)).toHaveLength(1);
  expect(said(stderr)[0]).not.toMatch(/undefined|\.$/);
  for (const quiet of [await run(undefined), await run(200, '--json'), await run(200, '-q')])
    expect(said(quiet.stderr)).toEqual([]);
  const spoken = await run(200, '--accessible');
  expect(said(spoken.stderr)).toEqual([]);
  expect(spoken.stderr).toContain(`${said(stderr)[0]!.slice(2)}.`);
});

describe('the sentence', () => {
  const sentences = async (line: string, data?: object) => {
    const service = await recordingServer(successResponse(JSON.stringify(data ?? {})));
    const env = data === undefined ? sandbox : serviceAt(service.url);
    const { stderr } = await testCli().social(splitWords(line), { env, columns: 200 });
    return said(stderr);
  };

  it.each([
    ['posts reply PostAutumnRecaps --target TargetAutumnMast --text Hi', 'Replied on Mastodon'],
    [
      'connect pinterest select-board -a AccountPinterest --profile ProfileMainBrand --board 549755885175',
      'Pinterest board selected: 549755885175, for the account Riverbank Roasters',
    ],
    [
      'webhooks update WebhookAlertsOps --inactive',
      'The endpoint Alerts for operations is inactive now',
    ],
    ['posts retry PostSpringLaunch', 'Retry of PostSpringLaunch accepted: publishing now'],
    [
      'accounts mastodon unmute 113000000000000001 -a AccountMastodonA',
      'The Mastodon status 113000000000000001 is not muted now',
    ],
  ])('of %s', async (line, sentence) => {
    expect(await sentences(line)).toEqual([`✓ ${sentence}`]);
  });

  it('claims what the response shows, not what was asked for', async () => {
    const mute = 'accounts mastodon mute 113 -a AccountMastodonA';
    expect(await sentences(mute, { status: { muted: false } })).toEqual([
      '✓ The Mastodon status 113 is not muted now',
    ]);
    const update = 'webhooks update WebhookAlertsOps --inactive';
    expect(await sentences(update, { isActive: true })).toEqual([
      '✓ The endpoint WebhookAlertsOps is active now',
    ]);
    const retry = 'posts retry PostSpringLaunch --yes';
    expect(await sentences(retry, { status: 'failed' })).toEqual([
      '✓ Retry of PostSpringLaunch accepted',
    ]);
  });

  it('has text of the service that does not act, and not too much of it', async () => {
    const evil = `\u001b[2J\n✓ gone\u202e${'x'.repeat(5000)}`;
    const update = 'webhooks update WebhookAlertsOps --event post.failed';
    const [line, ...more] = await sentences(update, { name: evil });
    expect(more).toEqual([]);
    expect(line).toMatch(/^✓ Updated the endpoint \\u\{1b\}\[2J⏎/);
  });

  it('is not said where nothing was sent', async () => {
    expect(await sentences('posts retry PostEventRecapsA --failed')).toEqual([]);
  });
});
