// The lists of an endpoint: what falls away where one is replaced, items added to and removed from the list that an
// answer last showed here, and the dialogues of create and update.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Prompts } from '../../src/base/runtime.ts';
import { errorResponse, recordingServer, successResponse } from '../support/recording-server.ts';
import { testCli } from '../support/test-cli.ts';

const ID = 'WebhookAlertsOps';
const CANARY = 'header-canary-5511';
const env = { SOCIAL_CONTEXT: 'sandbox' };

/** A machine on which the endpoint of the sandbox was updated once, so that its lists are known. */
async function knowing(...words: readonly string[]) {
  const { social, folder, clock } = testCli();
  const update = (...more: readonly string[]) =>
    social(['webhooks', 'update', ID, ...more], { env });
  const body = async (...more: readonly string[]) => {
    const { stdout, stderr, exitCode } = await update(...more, '--dry-run', '--json');
    const sent = exitCode === 0 ? (JSON.parse(stdout) as { body: unknown }).body : undefined;
    return { sent, stderr, exitCode };
  };
  if (words.length > 0) await update(...words);
  clock.now += 180_000;
  const history = () => readFileSync(join(folder, 'state', 'history.ndjson'), 'utf8');
  return { social, update, body, history, clock };
}

describe('webhooks update --event and --header', () => {
  it('say what falls away where the last list is known', async () => {
    const { update } = await knowing('--active');
    const { stderr } = await update('--event', 'post.failed', '--header', 'X-New: 1');
    expect(stderr).toContain(
      'removed events: post.partial, account.disconnected (as of 3 minutes ago)',
    );
    expect(stderr).toContain('removed headers: X-Team (as of 3 minutes ago)');
    const again = await update('--event', 'post.failed,post.partial', '--header', 'x-new: 2');
    expect(again.stderr).not.toContain('removed');
    expect((await update('--clear-headers')).stderr).toContain('removed headers: x-new');
  });

  it('say only that they replace where it is not', async () => {
    const { update } = await knowing();
    const { stderr } = await update('--event', 'post.failed');
    expect(stderr).toContain('--event replaces all events of this endpoint\n');
    expect(stderr).not.toContain('removed');
  });

  it('need no history that can be read', async () => {
    const { social, folder } = testCli();
    mkdirSync(join(folder, 'state', 'history.ndjson'), { recursive: true, mode: 0o700 });
    const line = ['webhooks', 'update', ID, '--event', 'post.failed', '--dry-run'];
    expect((await social(line, { env })).exitCode).toBe(0);
  });

  it('show names of headers and store no value', async () => {
    const { update, history, social } = await knowing('--header', `X-Team: ${CANARY}`);
    const { stdout } = await update('--add-header', `x-team: ${CANARY}2`);
    expect(stdout).toContain('x-team');
    const kept = history();
    expect(kept).toContain('"headers":["x-team"]');
    expect(kept).toContain('--add-header …');
    expect(kept).not.toContain(CANARY);
    const listed = await social(['history', 'list', '--json'], { env });
    expect(listed.stdout).not.toContain(CANARY);
  });
});

describe('webhooks update --add-event and --remove-event', () => {
  it('start from the last known list and say so, with -q too', async () => {
    const { body, update } = await knowing('--active');
    const line = ['--add-event', 'ad.created', '--remove-event', 'post.partial', '-q'];
    expect(await body(...line)).toEqual({
      exitCode: 0,
      sent: { id: ID, events: ['post.failed', 'account.disconnected', 'ad.created'] },
      stderr:
        'starting from events: post.failed, post.partial, account.disconnected (as of 3 minutes ago; changes made elsewhere since are lost)\n',
    });
    expect((await update(...line)).stdout).toContain('ad.created');
    // What was changed is what the next one starts from.
    expect((await body('--add-event', 'post.updated')).sent).toEqual({
      id: ID,
      events: ['post.failed', 'account.disconnected', 'ad.created', 'post.updated'],
    });
  });

  it.each([
    [['--add-event', 'nope'], '--add-event must be one of'],
    [['--add-event', 'ad.created', '--event', 'ad.created'], 'cannot be combined with --event'],
    [['--remove-event', 'ad.created', '--all-events'], 'cannot be combined with --all-events'],
    [['--add-header', 'A: b', '--clear-headers'], 'cannot be combined with --clear-headers'],
    [['--remove-event', 'ad.created'], '"ad.created" is not in the last list known here: post.'],
    [
      ['--add-event', 'ad.created', '--remove-event', 'ad.created'],
      '--remove-event "ad.created" is added as well',
    ],
    [
      ['--remove-event', 'post.failed,post.partial,account.disconnected'],
      '--remove-event leaves no event, and an endpoint needs one',
    ],
    [['--add-header', 'no colon'], "--add-header must be 'Name: value' (number 1 has no colon)"],
    [['--remove-header', 'X-Nope'], '"X-Nope" is not in the last list known here: X-Team'],
    [
      ['--add-header', `X-New: ${CANARY}`],
      '--add-header cannot keep X-Team: the values of headers',
    ],
  ])('refuse %j', async (line, problem) => {
    const { update, history } = await knowing('--active');
    const before = history();
    const { exitCode, stderr } = await update(...line);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(problem) });
    expect(stderr).not.toContain(CANARY);
    expect(stderr).not.toContain('nothing to change');
    expect(history()).toBe(before);
  });

  it('refuse where nothing is known, and say how to give the whole list', async () => {
    const { update } = await knowing();
    const { exitCode, stderr } = await update('--add-event', 'ad.created', '--remove-header', 'A');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--add-event has no list to start from: no answer has shown it here');
    expect(stderr).toContain('give the whole list: --event <name> for each event');
    expect(stderr).toContain("--header 'Name: value' for each header, or --clear-headers");
  });

  it.each([
    [
      'a request of social api',
      ['api', 'PATCH', '/v1/webhooks', '-f', `id=${ID}`, '-F', 'isActive=true'],
    ],
    ['a batch', ['webhooks', 'update', '--from', '-', '--active']],
  ])('refuse after %s, which showed no list', async (_what, line) => {
    const { social, body } = await knowing('--active');
    expect((await body('--add-event', 'ad.created')).exitCode).toBe(0);
    expect((await social(line, { env, stdin: `${ID}\n` })).exitCode).toBe(0);
    expect((await body('--add-event', 'ad.created')).exitCode).toBe(2);
  });

  it('refuse in a batch and without a history', async () => {
    const { update, social } = await knowing('--active');
    const batch = await social(['webhooks', 'update', '--from', '-', '--add-event', 'ad.created'], {
      env,
      stdin: `${ID}\n`,
    });
    expect(batch).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--from') });
    const off = await social(['webhooks', 'update', ID, '--add-event', 'ad.created'], {
      env: { ...env, SOCIAL_NO_HISTORY: '1' },
    });
    expect(off.exitCode).toBe(2);
    expect((await update('--add-event', 'ad.created')).exitCode).toBe(0);
  });
});

describe('webhooks update --add-header and --remove-header', () => {
  it('work where no value of another header is needed', async () => {
    const { body, update } = await knowing('--active');
    expect((await body('--add-header', 'x-team: b', '--add-header', 'X-B: c')).stderr).toContain(
      'starting from headers: X-Team',
    );
    expect((await body('--remove-header', 'x-team')).sent).toEqual({ id: ID, customHeaders: null });
    await update('--remove-header', 'X-Team', '--add-header', 'X-B: c');
    const { stdout } = await update('--active');
    expect(stdout).toContain('{"X-B":"[redacted]"}');
  });

  it('take the name of anything for a header', async () => {
    const { update } = await knowing('--clear-headers');
    const line = ['--add-header', `problem: ${CANARY}`, '--add-header', `field: ${CANARY}`];
    const { exitCode, stdout, stderr } = await update(
      ...line,
      '--json',
      '--fields',
      'customHeaders',
    );
    expect(exitCode).toBe(0);
    expect(Object.keys((JSON.parse(stdout) as { customHeaders: object }).customHeaders)).toEqual([
      'problem',
      'field',
    ]);
    expect(stderr).not.toContain(CANARY);
  });
});

it('shows no value of a header in the line to confirm, where the context is protected', async () => {
  const service = await recordingServer(
    successResponse(`{"id":"${ID}","events":["post.failed"],"customHeaders":{}}`),
  );
  const { social } = testCli();
  const words = ['webhooks', 'update', ID];
  const login = { env: { SOCIAL_TOKEN: 'a-token-of-the-test' } };
  const place = ['--base-url', service.url, '--protected'];
  await social(['context', 'set', 'prod', ...place], login);
  expect((await social([...words, '--active', '--yes'], login)).exitCode).toBe(0);
  const add = [...words, '--add-header', `X-New: ${CANARY}`];
  const { exitCode, stderr } = await social(add, login);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--add-header 'X-New: [redacted]' --yes");
  expect(stderr).not.toContain(CANARY);
  expect((await social([...add, '--yes'], login)).exitCode).toBe(0);
  expect(JSON.parse(service.requests[1]!.body)).toEqual({
    id: ID,
    customHeaders: { 'X-New': CANARY },
  });
});

/** Prompts that answer by their message, and the messages in order. */
function answering(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const answer = (message: string) => {
    asked.push(message);
    if (!Object.hasOwn(answers, message)) throw new Error(`asked: ${message}`);
    return answers[message];
  };
  const named = async ({
    message,
    choices,
  }: {
    message: string;
    choices: readonly { name: string; value: unknown }[];
  }) => {
    const wanted = [answer(message)].flat();
    return choices.filter(({ name }) => wanted.includes(name)).map(({ value }) => value);
  };
  const line = async ({ message }: { message: string }) => answer(message) as string;
  const ask = {
    text: line,
    secret: line,
    confirm: async (message: string) => answer(message) as boolean,
    choose: async (question: Parameters<typeof named>[0]) => (await named(question))[0],
    checklist: named,
  } as Partial<Prompts>;
  return { asked, ask };
}

describe('at a terminal', () => {
  const url = 'https://ops.example.com/hook';

  it('webhooks create asks for URL, events, secret, and whether there is more', async () => {
    const { social } = testCli();
    const { asked, ask } = answering({
      'Webhook URL': url,
      'Event to subscribe to': ['post.failed'],
      'Signing secret': 'none',
      'More settings (name, custom headers, inactive)?': false,
    });
    const { exitCode, stderr, stdout } = await social(['webhooks', 'create'], {
      env,
      columns: 100,
      ask,
    });
    expect(exitCode).toBe(0);
    expect(asked).toHaveLength(4);
    expect(stdout).toMatch(/name: +ops\.example\.com/);
    expect(stderr).toContain(
      `same as: social -C sandbox webhooks create --url ${url} --event post.failed\n`,
    );
  });

  it('webhooks update with nothing to change asks what, then for that alone', async () => {
    const { social, update } = await knowing();
    await update('--active');
    const { asked, ask } = answering({
      'What to change?': ['events', 'custom headers', 'active or inactive'],
      'All its events (marked: last known here)': ['post.failed', 'ad.created'],
      'Custom headers': 'Remove all of them',
      Deliveries: 'Deactivate the endpoint',
    });
    const { exitCode, stderr, stdout } = await social(['webhooks', 'update', ID], {
      env,
      columns: 100,
      ask,
    });
    expect(exitCode).toBe(0);
    expect(asked).toHaveLength(4);
    expect(stdout).toMatch(/events: +post\.failed, ad\.created/);
    expect(stderr).toContain(
      `same as: social -C sandbox webhooks update ${ID} --event post.failed --event ad.created --clear-headers --inactive\n`,
    );
    expect(stderr).toContain('removed events: post.partial, account.disconnected');
  });

  it('webhooks update typed bare asks for the ID first, and offers the endpoints seen', async () => {
    const { social, update } = await knowing();
    await update('--active');
    const { asked, ask } = answering({
      'Webhook ID': ID,
      'What to change?': ['signing secret', 'name', 'URL'],
      'Signing secret': 'none: remove it',
      Name: 'New',
      'Webhook URL': url,
    });
    const line = ['webhooks', 'update', '--dry-run', '--json'];
    const { stdout } = await social(line, { env, columns: 100, ask });
    expect(asked[0]).toBe('Webhook ID');
    expect((JSON.parse(stdout) as { body: unknown }).body).toEqual({
      id: ID,
      url,
      name: 'New',
      secret: null,
    });
  });

  it.each([[['--inactive']], [['--add-event', 'ad.created']]])(
    'webhooks update %j asks nothing',
    async (line) => {
      const { social } = await knowing('--active');
      const { ask, asked } = answering({});
      const update = ['webhooks', 'update', ID, ...line];
      expect((await social(update, { env, columns: 100, ask })).exitCode).toBe(0);
      expect(asked).toEqual([]);
    },
  );
});

describe('webhooks create --generate-secret', () => {
  const line =
    'webhooks create --url https://a.example --all-events --generate-secret --secret-out';
  const create = async (service: string) => {
    const { social, folder } = testCli();
    const path = join(folder, 'secret');
    const at = { SOCIAL_BASE_URL: service, SOCIAL_TOKEN: 'token-for-this-test' };
    const outcome = await social([...line.split(' '), path], { env: at, inRealTime: true });
    return { ...outcome, path, isKept: existsSync(path) };
  };

  it('leaves no file in the way of the next try where nothing was created', async () => {
    const refusing = await recordingServer(errorResponse(422));
    expect(await create(refusing.url)).toMatchObject({ exitCode: 6, isKept: false });
    const closed = 'http://127.0.0.1:1';
    expect(await create(closed)).toMatchObject({ exitCode: 9, isKept: false });
  });

  it('keeps the file where an endpoint was created, or may have been, and says the latter', async () => {
    const created = await recordingServer(successResponse('{"id":"WebhookNew"}'));
    expect(await create(created.url)).toMatchObject({ exitCode: 0, isKept: true });
    const lost = await recordingServer({ status: 500, body: 'no' });
    const { exitCode, isKept, stderr, path } = await create(lost.url);
    expect({ exitCode, isKept }).toEqual({ exitCode: 12, isKept: true });
    expect(stderr).toContain(`the secret is kept in ${path}: it may be in use\n`);
  });
});
