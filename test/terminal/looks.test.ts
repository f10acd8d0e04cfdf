// The output of every area at a terminal: it fits the width, loses nothing, and has an accessible mode.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { commandNamesOf } from '../../src/api/operations/fields.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { testCli } from '../support/test-cli.ts';
import { atTerminal, serviceAt } from '../support/terminal.ts';
import { splitWords } from '../support/shell-words.ts';

const examples = (await everyOperation())
  .map(({ operation }) => commandNamesOf(operation)[0]!)
  .map((spelling) => splitWords(Object.values(spelling.examples)[0]!).slice(1));

const lines = (text: string) => text.split('\n');
const roles = ['discord', 'roles', '223344556677889900', '-a', 'AccountDiscordAa'];

// This runs in the process of the test: a terminal wraps a line that is too wide, so that its screen shows none.
describe.each([120, 50])('at %i columns', (columns) => {
  it('no command prints a line wider than the terminal', async () => {
    const shown = await Promise.all(
      examples.map(async (words) => {
        const argv = ['-C', 'sandbox', '-q', '--no-input', ...words];
        const outcome = await testCli().social(argv, { columns, env: { NO_COLOR: '1' } });
        expect(outcome).toMatchObject({ exitCode: 0 });
        return outcome.stdout;
      }),
    );
    const wide = shown.flatMap(lines).filter((line) => stringWidth(line) > columns);
    // A link and an id are never cut: each has a line of its own.
    expect(wide.filter((line) => !/^ *\S+$/.test(line))).toEqual([]);
    expect(shown.join('\n')).not.toMatch(/undefined|\[object/);
    expect(shown).toHaveLength(18);
  });
});

describe('colour', () => {
  const red = '\u001b[31m';
  const failed = ['-C', 'sandbox', '-q', 'posts', 'get', 'PostFlashSaleNow'];
  const wrong = ['posts', 'get', 'short', '--no-input'];

  it.each([
    ['a flag against NO_COLOR', ['--color', 'always'], { NO_COLOR: '1' }, true],
    ['--no-color', ['--no-color'], {}, false],
    ['CLICOLOR_FORCE', [], { CLICOLOR_FORCE: '1', TERM: 'dumb' }, true],
    ['NO_COLOR', [], { NO_COLOR: '1', FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, false],
  ] as const)(
    'is decided in the same way for results and errors by %s',
    async (_what, flags, env, colored) => {
      const scene = { columns: 80, env: { TERM: 'xterm-256color', ...env } };
      // The built program reads the variables; flags are read in this process too.
      const { said: result } =
        flags.length === 0
          ? await atTerminal([...failed, ...flags], { env }).ended()
          : { said: (await testCli().social([...failed, ...flags], scene)).stdout };
      const { stderr: error } = await testCli().social([...wrong, ...flags], scene);
      expect(result).toContain('PostFlashSaleNow');
      expect(error).toContain('post ID must be');
      for (const [what, said] of Object.entries({ result, error })) {
        expect({ what, colored: said.includes(red) }).toEqual({ what, colored });
        expect(colored || !/\u001b|Warning/.test(said)).toBe(true);
      }
    },
  );

  it.each([
    ['they say never', '{"color":"never"}', false],
    ['they are damaged', '{"color":"never"', true],
  ])('in help and errors follows the settings: %s', async (_what, settings, colored) => {
    const cli = testCli();
    const folder = join(cli.folder, 'config');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'config.json'), settings, { mode: 0o600 });
    const scene = { columns: 80, env: { TERM: 'xterm-256color' } };
    const { stdout: help } = await cli.social(['--help'], scene);
    const { stderr: error } = await cli.social(['posts', 'unknown'], scene);
    expect(help).toContain('Usage:');
    expect(error).toContain('is not a command of social posts');
    expect({ help: help.includes('\u001b'), error: error.includes('\u001b') }).toEqual({
      help: colored,
      error: colored,
    });
  });

  it.each([
    [['--no-color'], {}, false],
    [[], { NO_COLOR: '', FORCE_COLOR: '' }, true],
  ] as const)('in prompts follows the same rule: %j %j', async (flags, env, colored) => {
    const argv = ['-C', 'sandbox', '-q', 'posts', 'get', ...flags];
    const terminal = atTerminal(argv, { env });
    await terminal.waitFor('? Post ID');
    expect(/\u001b\[\d*m/.test(terminal.said())).toBe(colored);
    terminal.press('ctrl-c');
    const { said } = await terminal.ended();
    expect(said).not.toContain('Warning');
  });
});

describe('the accessible mode', () => {
  const on = 'accessible mode is on: plain lines, numbered questions, no redrawing';

  it.each([
    ['--accessible', ['--accessible'], {}],
    ['SOCIAL_ACCESSIBLE', [], { SOCIAL_ACCESSIBLE: '1' }],
  ])('with %s is announced', async (_how, flags, env) => {
    const argv = ['-C', 'sandbox', ...roles, ...flags];
    const { stderr } = await testCli().social(argv, { columns: 80, env });
    expect(stderr.split('\n')).toContain(on);
  });

  it('is announced first, and shows tables as lines', async () => {
    const service = await recordingServer(
      successResponse(
        '{"accountId":"AccountDiscordAa","guildId":"223344556677889900","roles":[{"name":"Staff","id":"1"},{"name":"All","id":"2"}]}',
      ),
    );
    const terminal = atTerminal(roles, {
      env: { ...serviceAt(service.url), ACCESSIBLE: '1', NO_COLOR: '1' },
    });
    const { text } = await terminal.ended();
    expect(lines(text)).toEqual([
      on,
      'guild id:    223344556677889900',
      'account id:  AccountDiscordAa',
      '',
      'role 1 of 2',
      'name:  Staff',
      'id:    1',
      '',
      'role 2 of 2',
      'name:  All',
      'id:    2',
    ]);
  });

  it('asks in numbered lines without redrawing', async () => {
    const service = await recordingServer(successResponse('{"id":"WebhookMadeByYou"}'));
    const terminal = atTerminal(['webhooks', 'create', '--accessible'], {
      env: { ...serviceAt(service.url), NO_COLOR: '1' },
      cols: 120,
    });
    const answer = async (question: string | RegExp, text: string) => {
      await terminal.waitFor(question);
      terminal.type(`${text}\r`);
    };
    await answer('Webhook URL:', 'http://x');
    await answer(/Invalid: must be https:.*\nWebhook URL:$/, 'https://a.example/h');
    await terminal.waitFor('12. account.ads.initial_sync_completed');
    await answer('Numbers, separated by spaces, then Enter:', '13');
    await answer('Invalid: type numbers from 1 to 12', '5 6');
    const { exitCode, said, text } = await terminal.ended();
    expect(exitCode).toBe(0);
    expect(lines(text)[0]).toBe(on);
    expect(text).not.toContain('\u00a0');
    expect(said).not.toContain('\u001b');
    expect(JSON.parse(service.requests[0]!.body)).toEqual({
      url: 'https://a.example/h',
      events: ['post.failed', 'post.partial'],
      name: 'a.example',
    });
  });
});
