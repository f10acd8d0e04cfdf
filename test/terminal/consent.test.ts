// Consent before a change that must not happen by accident: nothing is answered for the user, and nothing is sent
// before they have said yes.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countingServer, idOf } from '../support/counting-server.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome, social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { atTerminal, serviceAt } from '../support/terminal.ts';

const disabled = successResponse(
  JSON.stringify({
    credential: { id: 'CredentialOfOurs', displayName: 'Our app', platform: 'twitter' },
    impact: { linkedAccountCount: 12, connectedAccountCount: 9, needsReconnectAccountCount: 12 },
    action: 'disabled',
  }),
);
const disable = ['credentials', 'disable', 'CredentialOfOurs'];

/** A home whose context `prod` leads to a service and is protected, or not. */
function homeFor(baseUrl: string, guarded: boolean): string {
  const home = freshHome();
  const folder = join(home, '.config', 'social');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const config = {
    format: 1,
    context: 'prod',
    contexts: { prod: { baseUrl, protected: guarded } },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  return home;
}
const env = { SOCIAL_TOKEN: 'a-token-of-the-test' };

describe('taking something away', () => {
  it('says that the impact is known only afterwards, asks, and then shows it as three numbers', async () => {
    const service = await recordingServer(disabled);
    const terminal = atTerminal(disable, { env: serviceAt(service.url) });
    const asked = await terminal.waitFor('(y/N)');
    expect(asked).toMatch(/the API shows which\s+ones\s+only\s+afterwards\./);
    expect(asked).toContain('? Disable credential "CredentialOfOurs"?');
    expect(service.connections()).toBe(0);
    terminal.type('y');
    terminal.press('enter');
    const { exitCode, text } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(text).toContain(
      ['linked accounts:     12', 'connected accounts:  9', 'to reconnect:        12'].join('\n'),
    );
    expect(text).toMatch(/credential: +Our app\n/);
  });

  it.each([['n'], ['']])(
    'with the answer "%s" ends with 3, and nothing is sent',
    async (answer) => {
      const service = await recordingServer(disabled);
      const terminal = atTerminal(disable, { env: serviceAt(service.url) });
      await terminal.waitFor('(y/N)');
      terminal.type(answer);
      terminal.press('enter');
      const { exitCode, text } = await terminal.ended();
      expect(exitCode).toBe(3);
      expect(text).toContain('not confirmed; nothing was sent');
      expect(service.connections()).toBe(0);
    },
  );

  it.each([[['--yes']], [['--confirm', 'CredentialOfOurs']]])(
    'needs no question with %j',
    async (flags) => {
      const service = await recordingServer(disabled);
      const setting = { env: serviceAt(service.url) };
      const { exitCode } = await socialInProcess([...disable, ...flags], setting);
      expect(exitCode).toBe(0);
      expect(service.requests).toHaveLength(1);
    },
  );

  it('without a terminal ends with 2 and the line to type', async () => {
    const service = await recordingServer(disabled);
    const { exitCode, stderr } = await social(disable, { env: serviceAt(service.url) });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'try: social credentials disable CredentialOfOurs --confirm CredentialOfOurs\n',
    );
    expect(service.connections()).toBe(0);
  });
});

describe('a protected context', () => {
  it('wants the id typed, whatever --yes says', async () => {
    const service = await recordingServer(disabled);
    const home = homeFor(service.url, true);
    const terminal = atTerminal([...disable, '--yes'], { home, env, cols: 120 });
    await terminal.waitFor(/in prod \(protected\)\?\n.*Type "CredentialOfOurs" to confirm:/);
    terminal.type('CredentialOfOurs');
    terminal.press('enter');
    expect((await terminal.ended()).exitCode).toBe(0);
    expect(service.requests).toHaveLength(1);
  });

  it.each([['CredentialOfTheirs'], ['y'], ['']])(
    'with "%s" typed ends with 3, and nothing is sent',
    async (typed) => {
      const service = await recordingServer(disabled);
      const terminal = atTerminal(disable, { home: homeFor(service.url, true), env, cols: 120 });
      await terminal.waitFor('Type "CredentialOfOurs" to confirm:');
      terminal.type(typed);
      terminal.press('enter');
      const { exitCode, text } = await terminal.ended();
      expect(exitCode).toBe(3);
      expect(text).toContain('the typed ID did not match; nothing was sent');
      expect(service.connections()).toBe(0);
    },
  );

  it('without a terminal is not answered by --yes, and by --confirm is', async () => {
    const service = await recordingServer(disabled);
    const home = homeFor(service.url, true);
    const refused = await social([...disable, '--yes'], { home, env });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--yes is not enough here');
    expect(refused.stderr).toContain(
      'try: social -C prod credentials disable CredentialOfOurs --confirm CredentialOfOurs\n',
    );
    expect(service.connections()).toBe(0);
    const given = await social([...disable, '--confirm', 'CredentialOfOurs'], { home, env });
    expect(given.exitCode).toBe(0);
  });

  const favourite = ['accounts', 'mastodon', 'favourite', '113', '-a', 'AccountMastodonA'];

  it('without a terminal says the whole line to type for any change', async () => {
    const service = await recordingServer({});
    const home = homeFor(service.url, true);
    const { exitCode, stderr } = await social(favourite, { home, env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`\ntry: social ${favourite.join(' ')} --yes\n`);
    expect(service.connections()).toBe(0);
  });

  it('asks before every change, naming itself', async () => {
    const service = await recordingServer(successResponse('{"action":"favourite"}'));
    const home = homeFor(service.url, true);
    const terminal = atTerminal(favourite, { home, env });
    await terminal.waitFor('? Run accounts mastodon favourite on "113" in prod (protected)? (y/N)');
    terminal.type('y');
    terminal.press('enter');
    expect((await terminal.ended()).exitCode).toBe(0);
    const off = await socialInProcess(favourite, { home, env });
    expect(off.exitCode).toBe(2);
    const given = await socialInProcess([...favourite, '--yes'], { home, env });
    expect(given.exitCode).toBe(0);
    expect(service.requests).toHaveLength(2);
  });

  it('lets reads pass, and a context that is not protected lets changes pass', async () => {
    const service = await recordingServer(successResponse('{"id":"PostForTheTestsA"}'));
    const read = ['posts', 'get', 'PostForTheTestsA'];
    for (const [argv, guarded] of [
      [read, true],
      [favourite, false],
    ] as const) {
      const home = homeFor(service.url, guarded);
      expect((await socialInProcess(argv, { home, env })).exitCode).toBe(0);
    }
  });
});

const confirming = (some: readonly string[]) => some.flatMap((id) => ['--confirm', id]);

async function disabling(
  many: readonly string[],
  confirmed: readonly string[],
  listed: boolean,
  program: typeof social | typeof socialInProcess = socialInProcess,
) {
  const service = await countingServer((id) => ({
    body: JSON.stringify({ ok: true, data: { credential: { id }, impact: {}, action: 'x' } }),
  }));
  const home = homeFor(service.url, true);
  const { exitCode, stderr } = await program(
    [
      'credentials',
      'disable',
      '--yes',
      ...confirming(confirmed),
      ...(listed ? ['--from', '-'] : many),
    ],
    { home, env, ...(listed ? { input: many.join('\n') } : {}) },
  );
  return { exitCode, stderr, sent: service.total() };
}

describe('--confirm', () => {
  const ids = Array.from({ length: 200 }, (_, i) => idOf(i));

  it('with the first hundred of two hundred covers not all of them, listed or typed', async () => {
    for (const listed of [true, false]) {
      const ended = await disabling(ids, ids.slice(0, 100), listed, social);
      expect(ended).toMatchObject({ exitCode: 2, sent: 0 });
    }
  });

  it.each([
    ['all but the last of three', ids.slice(0, 3), ids.slice(0, 2)],
    ['all but the first of three', ids.slice(0, 3), ids.slice(1, 3)],
    ['all but the last of two hundred', ids, ids.slice(0, 199)],
    ['the end of an id', ids.slice(0, 1), [ids[0]!.slice(-8)]],
    ['the beginning of an id', ids.slice(0, 1), [ids[0]!.slice(0, 8)]],
    ['an id and more', ids.slice(0, 1), [`x${ids[0]!}`]],
    ['an id in capitals', ids.slice(0, 1), [ids[0]!.toUpperCase()]],
    ['another id', ids.slice(0, 1), ids.slice(1, 2)],
  ])('with %s covers not all of them: 2, and nothing is sent', async (_what, many, some) => {
    for (const listed of [true, false])
      expect(await disabling(many, some, listed)).toMatchObject({ exitCode: 2, sent: 0 });
  });

  it.each([
    ['three', ids.slice(0, 3)],
    ['two hundred', ids],
  ])('with each of %s covers them', async (_what, many) => {
    for (const [listed, program] of [
      [true, social],
      [false, socialInProcess],
    ] as const)
      expect(await disabling(many, many.toReversed(), listed, program)).toMatchObject({
        exitCode: 0,
        sent: many.length,
      });
  });

  it('of some leaves the others to be typed', async () => {
    const service = await recordingServer(disabled);
    const terminal = atTerminal(
      [...disable, 'CredentialSystem', ...confirming(['CredentialOfOurs'])],
      { home: homeFor(service.url, true), env, cols: 160 },
    );
    await terminal.waitFor('Type "CredentialSystem" to confirm:');
    terminal.type('CredentialSystem');
    terminal.press('enter');
    expect((await terminal.ended()).exitCode).toBe(0);
    expect(service.requests).toHaveLength(2);
  });

  it.each([
    ['abc', 0],
    ['c', 2],
    ['media/abc', 2],
    ['/v1/media/abc', 0],
    ['/abc', 2],
  ])('%s for a path ends with %i', async (id, exitCode) => {
    const service = await recordingServer(successResponse());
    const argv = ['api', 'DELETE', '/v1/media/abc', '--confirm', id];
    const ended = await socialInProcess(argv, { env: serviceAt(service.url) });
    expect(ended.exitCode).toBe(exitCode);
    expect(service.requests).toHaveLength(exitCode === 0 ? 1 : 0);
  });
});

describe('a request of any kind', () => {
  it('that deletes asks first', async () => {
    const service = await recordingServer(successResponse());
    const argv = ['api', 'DELETE', '/v1/media/abc'];
    const terminal = atTerminal(argv, { env: serviceAt(service.url) });
    await terminal.waitFor('Run api DELETE on "/v1/media/abc"?');
    terminal.type('n');
    terminal.press('enter');
    expect((await terminal.ended()).exitCode).toBe(3);
    expect(service.connections()).toBe(0);
  });
});
