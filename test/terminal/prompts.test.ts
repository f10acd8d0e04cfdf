// Questions at the terminal: a missing value is asked for and validated on Enter, Ctrl-C leaves everything unchanged, and
// stdout has only the result.

import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { atTerminal, serviceAt, type Key } from '../support/terminal.ts';
import { testCli } from '../support/test-cli.ts';
import { targets, targetPost } from '../support/posts.ts';
import { loginTo } from '../support/command-lines.ts';
import { needsUnix } from '../support/unix.ts';

const CANARY = 'canary-secret-9f3b2';
const sandbox = ['-C', 'sandbox', '-q'];

describe('the prompt for a missing value', () => {
  it('validates on Enter, not on the first letter', async () => {
    const terminal = atTerminal([...sandbox, 'posts', 'get']);
    await terminal.waitFor('? Post ID');
    terminal.type('Post7');
    await terminal.waitFor(/Post7$/);
    expect(terminal.said()).not.toContain('must be');
    terminal.press('enter');
    await terminal.waitFor('> must be exactly 16 letters a-z A-Z, but character 5 is "7"');
    terminal.press('backspace');
    // Any key clears the error.
    await terminal.waitFor(/Post$/);
    expect(terminal.screen()).not.toContain('must be');
    terminal.type('SpringLaunch');
    await terminal.waitFor(/PostSpringLaunch$/);
    expect(terminal.screen()).not.toContain('must be');
    terminal.press('enter');
    expect(await terminal.ended()).toMatchObject({ exitCode: 0, cursor: true, cooked: true });
    expect(terminal.screen()).toContain('TargetSpringLink');
  });

  it('trims spaces and TABs, and adds https:// to an address', async () => {
    const argv = ['webhooks', 'create', '--all-events', '--name', 'x', '--dry-run', '--json'];
    const terminal = atTerminal([...argv, '--accessible'], { separateStdout: true });
    await terminal.waitFor('Webhook URL');
    terminal.type('\t ops.example.com/hook  ');
    terminal.press('enter');
    const { exitCode, stdout } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"url":"https://ops.example.com/hook"');
  });

  it('follows the previous one, with the twelve events as a checklist that needs at least one', async () => {
    const service = await recordingServer(successResponse('{"id":"WebhookMadeByYou"}'));
    const terminal = atTerminal(['webhooks', 'create', '--name', 'x'], {
      env: serviceAt(service.url),
    });
    await terminal.waitFor('? Webhook URL');
    terminal.type('http://ops');
    terminal.press('enter');
    await terminal.waitFor('> must be https:// with a host and no user name');
    terminal.press('ctrl-u');
    terminal.type('https://ops.example.com/hook');
    terminal.press('enter');
    await terminal.waitFor('? Event to subscribe to');
    // The frame may arrive in parts.
    const list = await terminal.waitFor('account.ads.initial_sync_completed');
    expect(list.match(/◯/g)).toHaveLength(12);
    for (const event of ['post.scheduled', 'ad.created']) expect(list).toContain(event);
    terminal.press('enter');
    await terminal.waitFor('> needs at least one event');
    terminal.press('down', 'down', 'space', 'enter');
    expect(await terminal.ended()).toMatchObject({ exitCode: 0, cursor: true, cooked: true });
    expect(JSON.parse(service.requests[0]!.body)).toEqual({
      url: 'https://ops.example.com/hook',
      events: ['post.published'],
      name: 'x',
    });
  });

  it('is on stderr: stdout has only the result', async () => {
    const terminal = atTerminal([...sandbox, 'posts', 'get', '--json', '--fields', 'id'], {
      separateStdout: true,
    });
    await terminal.waitFor('? Post ID');
    terminal.type('PostSpringLaunch');
    terminal.press('enter');
    const { exitCode, stdout } = await terminal.ended();
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '{"id":"PostSpringLaunch"}\n' });
  });

  it('is not shown when another value is invalid', async () => {
    const argv = ['webhooks', 'create', '--url', 'http://x'];
    const { exitCode, stderr } = await testCli().social(argv, { columns: 80 });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--url must be https:// with a host and no user name');
    expect(stderr).toContain('--event');
  });
});

describe('the prompt for a secret', () => {
  it('never shows it, whatever key is pressed', async () => {
    const terminal = atTerminal(loginTo('https://api.example.com'));
    await terminal.waitFor('? Token for api.example.com');
    terminal.type('two words');
    terminal.press('enter');
    await terminal.waitFor('> contains a character that cannot be sent (position 4)');
    terminal.press('ctrl-u');
    terminal.type(`  ${CANARY}`);
    await terminal.waitFor('•'.repeat(CANARY.length));
    terminal.press('ctrl-t');
    terminal.type('x');
    await terminal.waitFor('•'.repeat(CANARY.length + 1));
    terminal.press('enter');
    const { exitCode, said } = await terminal.ended();
    expect(exitCode).toBe(0);
    for (const typed of [CANARY, 'two']) expect(said).not.toContain(typed);
  });
});

describe('Ctrl-C', () => {
  // Ctrl-D is the end of the input.
  const kinds: readonly (readonly [Key, kind: string, argv: readonly string[], seen: string])[] = [
    ['ctrl-c', 'a text', ['posts', 'get'], '? Post ID'],
    ['ctrl-d', 'a text', ['posts', 'get'], '? Post ID'],
    ['ctrl-c', 'a checklist', ['webhooks', 'create', '--url', 'https://a.example'], '? Event'],
    ['ctrl-d', 'a yes or no', ['ads', 'audiences', 'delete', '23'], '(y/N)'],
    ['ctrl-c', 'a secret', loginTo('https://a.example'), '? Token for'],
    ['ctrl-c', 'a plain line', ['posts', 'get', '--accessible'], 'Post ID:'],
    ['ctrl-d', 'a plain line', ['posts', 'get', '--accessible'], 'Post ID:'],
    ['ctrl-c', 'a plain secret', loginTo('https://a.example', '--accessible'), 'Token for'],
  ];

  it.each(kinds)('%s in %s ends with 130, and nothing is sent', async (key, _kind, argv, seen) => {
    const service = await recordingServer();
    const terminal = atTerminal(argv, { env: serviceAt(service.url) });
    await terminal.waitFor(seen);
    terminal.press(key);
    const { exitCode, cursor, cooked, text } = await terminal.ended();
    expect({ exitCode, cursor, cooked }).toEqual({ exitCode: 130, cursor: true, cooked: true });
    expect(text).toMatch(/cancelled; nothing was sent$/);
    expect(service.connections()).toBe(0);
  });

  it('after a read does not claim that nothing was sent', async () => {
    const service = await recordingServer(
      successResponse(JSON.stringify(targetPost([targets.linkedin('failed')]))),
    );
    const terminal = atTerminal(['posts', 'retry', 'PostForTheTestsA', '-i'], {
      env: serviceAt(service.url),
    });
    await terminal.waitFor('? Which targets to retry?');
    terminal.press('ctrl-c');
    const { exitCode, text } = await terminal.ended();
    expect(exitCode).toBe(130);
    expect(text).toMatch(/cancelled; nothing was changed$/);
    expect(service.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});

/** Makes an editor: a script that gets the file as its argument, and counts its calls. */
function editor(home: string, script: string): Record<string, string> {
  needsUnix('Unix shell');
  const path = join(home, 'editor');
  writeFileSync(
    path,
    `#!/bin/sh\nn=$(cat ${home}/n 2>/dev/null || echo 0)\nn=$((n+1))\necho $n > ${home}/n\n${script}\n`,
  );
  chmodSync(path, 0o755);
  return { EDITOR: path };
}

describe('--editor', () => {
  const reply = ['posts', 'reply', 'PostAutumnRecaps', '--target', 'TargetAutumnMast', '--editor'];

  /** Replies by an editor, in the home of the editor. */
  async function edited(home: string, editorOf: Record<string, string>, token?: string) {
    const service = await recordingServer(successResponse('{"postId":"PostAutumnRecaps"}'));
    const env = { ...editorOf, ...serviceAt(service.url, token) };
    return { service, ...(await atTerminal(reply, { home, env }).ended()) };
  }

  it('opens a text that is too long again, with the reason', async () => {
    const home = freshHome();
    const env = editor(
      home,
      `cp "$1" ${home}/page$n
       if [ $n = 1 ]; then printf 'x%.0s' $(seq 301) > "$1"; else printf 'Thank you!\\n' > "$1"; fi`,
    );
    const { exitCode, service } = await edited(home, env);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(home, 'page1'), 'utf8')).toContain(
      '# Text of the reply, 1 to 300 characters',
    );
    const again = readFileSync(join(home, 'page2'), 'utf8');
    expect(again).toContain(`${'x'.repeat(301)}\n`);
    expect(again).toContain('# INVALID: the text must be 1 to 300 characters, got 301');
    expect(JSON.parse(service.requests[0]!.body)).toMatchObject({ text: 'Thank you!' });
  });

  it('treats an empty text as cancelled, and sends nothing', async () => {
    const home = freshHome();
    const { exitCode, text, service } = await edited(home, editor(home, 'true'));
    expect(exitCode).toBe(3);
    expect(text).toContain('the text is empty; nothing was sent');
    expect(service.connections()).toBe(0);
  });

  it('hides the token from the editor, and the text from other users; accepts Windows line ends', async () => {
    const home = freshHome();
    const script = `env > ${home}/env; stat -c %a "$1" > ${home}/mode; printf 'Thank you!\\r\\nBye\\r\\n' > "$1"`;
    const { exitCode, service } = await edited(home, editor(home, script), CANARY);
    expect(exitCode).toBe(0);
    expect(JSON.parse(service.requests[0]!.body)).toMatchObject({ text: 'Thank you!\nBye' });
    expect(readFileSync(join(home, 'env'), 'utf8')).not.toContain(CANARY);
    expect(readFileSync(join(home, 'mode'), 'utf8')).toBe('600\n');
  });

  it.each([
    ['fails', 'exit 3', 'exited with 3'],
    ['is not there', undefined, 'cannot be run (not found)'],
  ])('reports an editor that %s, and sends nothing', async (_what, script, why) => {
    const home = freshHome();
    const env = script === undefined ? { EDITOR: '/nowhere/vi' } : editor(home, script);
    const { exitCode, text, service } = await edited(home, env);
    expect(exitCode).toBe(13);
    expect(text).toContain(why);
    expect(service.connections()).toBe(0);
  });
});

describe('posts retry -i', () => {
  const post = targetPost([
    targets.twitter('published'),
    targets.linkedin('failed', 'The token\u001b]0;pwned\u0007 had expired.'),
    targets.mastodon('failed', '503 Service Unavailable'),
  ]);

  it('offers failed targets with their reasons, and retries the selected ones', async () => {
    const service = await recordingServer(successResponse(JSON.stringify(post)));
    const terminal = atTerminal(['posts', 'retry', post.id, '-i', '-q'], {
      env: serviceAt(service.url),
    });
    const list = await terminal.waitFor('? Which targets to retry?');
    expect(list).toContain('◉ linkedin');
    expect(list).toContain('503 Service Unavailable');
    expect(list).toContain('The token\\u{1b}]0;pwned\\u{7} had expired.');
    expect(list).not.toContain('twitter');
    terminal.press('space', 'enter');
    const { exitCode, said } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(said).not.toContain('\u001b]0;');
    expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
    expect(JSON.parse(service.requests[2]!.body)).toEqual({
      targetIds: [targets.mastodon('failed').id],
    });
  });
});

it('lines pasted at a plain question answer the next ones too, up to a hidden one', async () => {
  const home = freshHome();
  const argv = ['auth', 'login', '-C', 'prod', '--no-check', '--insecure-storage', '--accessible'];
  const terminal = atTerminal(argv, { home, env: { NO_COLOR: '1' }, cols: 120 });
  await terminal.waitFor('Base URL');
  terminal.type('not an address\ra.example\r');
  await terminal.waitFor('Token for');
  // Lines behind a secret in one paste are dropped, never shown.
  terminal.type(`a token with blanks\r${CANARY}-first\r`);
  await terminal.waitFor('Invalid: contains a character');
  terminal.type(`${CANARY}\r`);
  const { exitCode, cooked, said } = await terminal.ended();
  expect({ exitCode, cooked }).toEqual({ exitCode: 0, cooked: true });
  expect(said).toContain('token stored, not checked: https://a.example, context "prod"');
  expect(said).not.toContain(CANARY);
  const stored = readFileSync(join(home, '.config', 'social', 'credentials.json'), 'utf8');
  expect(stored).toContain(`"${CANARY}"`);
});
