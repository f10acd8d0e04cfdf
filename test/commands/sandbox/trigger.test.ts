// `sandbox trigger`: what is sent for each event, signatures that `webhooks listen` verifies, and how it ends.

import { createServer, type Socket } from 'node:net';
import * as https from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Post } from '../../../src/api/schema/post.ts';
import { WebhookEvent } from '../../../src/api/schema/webhook.ts';
import { makeCertificates } from '../../support/certificates.ts';
import { deliveryReceiver } from '../../support/delivery-receiver.ts';
import { listenOnLoopback } from '../../support/listen.ts';
import { recordingServer } from '../../support/recording-server.ts';
import { testCli } from '../../support/test-cli.ts';

const token = { SOCIAL_TOKEN: 'canary-token-of-the-user' };

interface Body {
  readonly id: string;
  readonly event: string;
  readonly createdAt: string;
  readonly data: { readonly post?: Post; readonly account?: object; readonly ad?: object };
}

describe('an event', () => {
  it('is delivered with what fits it, and without a token', async () => {
    const { url, requests } = await recordingServer({ status: 204 });
    const { social } = testCli();
    for (const event of WebhookEvent.options) {
      const { exitCode, stdout } = await social(
        ['sandbox', 'trigger', event, '--to', `${url}/in?a=1`, '--json'],
        { env: token },
      );
      expect(exitCode).toBe(0);
      const body = JSON.parse(requests.at(-1)!.body) as Body;
      const { id: deliveryId, data } = body;
      const post = data.post === undefined ? {} : { postId: data.post.id };
      expect(JSON.parse(stdout)).toEqual({ status: 204, event, deliveryId, ...post });
      expect(body).toMatchObject({ event, createdAt: expect.stringMatching(/Z$/) as string });
      expect(Object.keys(data)).toEqual([/^[^.]+/.exec(event)![0]]);
    }
    expect(requests).toHaveLength(12);
    const sent = requests.map(({ body }) => JSON.parse(body) as Body);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(12);
    const statuses = sent.flatMap(({ event, data }) =>
      data.post === undefined ? [] : [[event.slice(5), data.post.status]],
    );
    expect(Object.fromEntries(statuses)).toMatchObject({
      scheduled: 'scheduled',
      published: 'published',
      failed: 'failed',
      partial: 'partial',
    });
    for (const { method, target, headers } of requests) {
      expect([method, target]).toEqual(['POST', '/in?a=1']);
      expect(headers).toMatchObject({ 'content-type': 'application/json' });
      expect(headers).not.toHaveProperty('authorization');
    }
  });

  it('is about the post that is named, as it is now', async () => {
    const { url, requests } = await recordingServer({ status: 200 });
    const { social } = testCli();
    const line = ['sandbox', 'trigger', 'post.updated', '--to', url, '--post'];
    expect((await social([...line, 'PostAutumnRecaps'])).exitCode).toBe(0);
    expect(JSON.parse(requests[0]!.body)).toMatchObject({
      data: { post: { id: 'PostAutumnRecaps' } },
    });
    const unknown = await social([...line, 'PostNowhereToSee']);
    expect(unknown).toMatchObject({ exitCode: 5, stdout: '' });
    expect(unknown.stderr).toContain('PostNowhereToSee');
    await social(['sandbox', 'reset', '--state', 'clean']);
    const none = await social(['sandbox', 'trigger', 'post.failed', '--to', url]);
    expect(none.exitCode).toBe(5);
    expect(none.stderr).toBe(
      'error: no post of the sandbox is failed\ntry: social sandbox reset\n',
    );
    expect(requests).toHaveLength(1);
  });

  it.each(['hmac-sha256-hex:X-Sig', 'hmac-sha256-base64:X-Sig', 'standard-webhooks'])(
    'is signed as %s for the one who verifies it',
    async (scheme) => {
      const env = { HOOK_SECRET: 'whsec_c2VjcmV0LWNhbmFyeS0xMjM=', OTHER: 'another-secret' };
      const words = ['--verify', scheme, '--secret-env', 'HOOK_SECRET', '--require-verified'];
      const { url, folder, stop } = await deliveryReceiver(words, { env });
      const { social } = testCli(folder);
      const line = ['sandbox', 'trigger', 'post.failed', '--to', url, '--sign', scheme];
      const right = await social([...line, '--secret-env', 'HOOK_SECRET'], { env });
      expect(right).toMatchObject({ exitCode: 0, stderr: '' });
      const wrong = await social([...line, '--secret-env', 'OTHER'], { env });
      expect(wrong.exitCode).toBe(4);
      expect(wrong.stderr).toContain('error: HTTP 401 from 127.0.0.1');
      const { stdout, stderr } = await stop();
      expect(stdout).toMatch(/\tpost\.failed\tPostFlashSaleNow\tverified\n$/);
      expect(stderr).toContain('(401 the signature does not match)');
    },
  );

  it('is shown and not sent with --dry-run and --curl', async () => {
    const { url, requests } = await recordingServer();
    const { social } = testCli();
    const line = ['sandbox', 'trigger', 'post.failed', '--to', url];
    const dry = await social([...line, '--dry-run'], { env: token });
    expect(dry.stdout).toMatch(new RegExp(`^POST ${url}\n`));
    const curl = await social([...line, '--curl'], { env: token });
    expect(curl.stdout).toMatch(/^curl -X POST .* --data-raw '\{"id":/);
    expect(dry.stdout + curl.stdout).not.toMatch(/authorization|SOCIAL_TOKEN/i);
    expect(requests).toEqual([]);
  });
});

describe('how it ends', () => {
  it.each([
    [302, 9],
    [400, 6],
    [401, 4],
    [404, 5],
    [413, 6],
    [429, 7],
    [500, 9],
    [503, 9],
  ])('with %i as %i, after one request', async (status, exitCode) => {
    const { url, requests } = await recordingServer({ status, body: 'why \u001b[2J' });
    const outcome = await testCli().social(['sandbox', 'trigger', 'post.failed', '--to', url]);
    expect(outcome).toMatchObject({ exitCode, stdout: '' });
    expect(outcome.stderr).toContain(
      `error: HTTP ${status} from ${new URL(url).host}: why \\u{1b}[2J`,
    );
    expect(requests).toHaveLength(1);
  });

  it('without an answer as 9, and says where a receiver comes from', async () => {
    const sockets: Socket[] = [];
    const port = await listenOnLoopback(createServer((socket) => sockets.push(socket)));
    const line = ['sandbox', 'trigger', 'post.failed', '--to'];
    const { social } = testCli();
    const patient = [...line, `http://127.0.0.1:${port}`, '--timeout', '100ms'];
    const hanging = await social(patient, { inRealTime: true });
    expect(hanging.exitCode).toBe(9);
    expect(hanging.stderr).toContain('no response');
    const gone = createServer();
    const free = await listenOnLoopback(gone);
    await new Promise((resolve) => gone.close(resolve));
    const refused = await social([...line, `http://127.0.0.1:${free}`]);
    expect(refused.exitCode).toBe(9);
    expect(refused.stderr).toContain('is a receiver running? social webhooks listen\n');
  });

  it('over TLS, to a receiver whose authority is given', async () => {
    const { ca, pair, remove } = makeCertificates();
    onTestFinished(remove);
    const server = https.createServer(pair('good'), (_request, response) => response.end());
    const url = `https://127.0.0.1:${await listenOnLoopback(server)}`;
    const line = ['sandbox', 'trigger', 'post.failed', '--to', url];
    const { social } = testCli();
    const { exitCode, stderr } = await social(line);
    expect(exitCode).toBe(9);
    expect(stderr).toContain('\n  specify its authority with --cacert FILE');
    expect(await social([...line, '--cacert', ca])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('with all faults of the line at once', async () => {
    const line = 'sandbox trigger post.faild --to http://example.com --sign md5 --post X';
    const { exitCode, stderr } = await testCli().social(line.split(' '));
    expect(exitCode).toBe(2);
    expect(stderr).toContain('unknown event "post.faild"; did you mean post.failed?');
    expect(stderr).toContain('--to must be https://');
    expect(stderr).toContain('--sign must be one of');
    expect(stderr).toContain('--sign needs the signing secret');
    const bare = await testCli().social(['sandbox', 'trigger']);
    expect(bare.stderr).toMatch(/event is required.*--to is required/s);
    const words = ['sandbox', 'trigger', 'ad.created', '--post', 'X', '--to', 'http://127.0.0.1:1'];
    expect((await testCli().social(words)).stderr).toContain(
      '--post cannot be used with "ad.created"',
    );
  });
});
