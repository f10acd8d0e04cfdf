// Lines that are pasted at once, at the plain questions: each answers the question that it was meant for.

import { expect, it } from 'vitest';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { atTerminal, serviceAt } from '../support/terminal.ts';

const secret = 'canary-secret-9f3b2';

it.each([
  ['at the first question', 'Webhook URL:', []],
  ['at the hidden one', 'Secret (typing is not shown):', ['a.example/h', '5 6', '2']],
])('lines that are pasted %s answer those after it too', async (_what, question, before) => {
  const service = await recordingServer(successResponse('{"id":"WebhookMadeByYou"}'));
  const terminal = atTerminal(['webhooks', 'create', '--accessible'], {
    env: { ...serviceAt(service.url), NO_COLOR: '1' },
    cols: 120,
  });
  const all = ['a.example/h', '5 6', '2', 'short', secret, 'yes', 'Grüße', '', 'no'];
  if (before.length > 0) {
    await terminal.waitFor('Webhook URL:');
    terminal.type(before.map((line) => `${line}\r`).join(''));
  }
  await terminal.waitFor(question);
  terminal.type(
    all
      .slice(before.length)
      .map((line) => `${line}\r`)
      .join(''),
  );
  expect(await terminal.ended()).toMatchObject({ exitCode: 0, cooked: true });
  expect(JSON.parse(service.requests[0]!.body)).toEqual({
    url: 'https://a.example/h',
    events: ['post.failed', 'post.partial'],
    name: 'Grüße',
    secret,
    isActive: false,
  });
});
