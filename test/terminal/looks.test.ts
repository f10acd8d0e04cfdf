// The output of every area at a terminal: it fits the width, loses nothing, uses only signs that the terminal can show,
// and has an accessible mode.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';
import { everyOperation } from '../../src/api/operations/registry.ts';
import { commandNamesOf } from '../../src/api/operations/fields.ts';
import { targetPost, targets } from '../support/posts.ts';
import { socialInProcess } from '../support/in-process.ts';
import { social } from '../support/program.ts';
import { recordingServer, successResponse } from '../support/recording-server.ts';
import { testCli } from '../support/test-cli.ts';
import { atTerminal, serviceAt, type TerminalOptions } from '../support/terminal.ts';
import { splitWords } from '../support/shell-words.ts';

const examples = (await everyOperation())
  .map(({ operation }) => commandNamesOf(operation)[0]!)
  .map((spelling) => splitWords(Object.values(spelling.examples)[0]!).slice(1));

/** Returns the output of a line at a terminal, on a fresh sandbox. */
async function look(words: readonly string[], setting: TerminalOptions = {}): Promise<string> {
  const terminal = atTerminal(['-C', 'sandbox', '-q', '--no-input', ...words], setting);
  const { exitCode, text } = await terminal.ended();
  expect({ exitCode, text }).toMatchObject({ exitCode: 0 });
  return text;
}

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

describe('a simple terminal', () => {
  it('without UTF-8 shows ASCII signs, in tables and prompts', async () => {
    const env = { LANG: 'C' };
    const shown = await look(['posts', 'get', 'PostFlashSaleNow'], { env });
    expect(shown).toContain('x failed');
    const terminal = atTerminal(['webhooks', 'create', '--url', 'https://a.example'], { env });
    const list = await terminal.waitFor('? Event');
    expect(list).toMatch(/>\[ \] post\.scheduled/);
    expect(list).toContain('arrows navigate');
    terminal.press('space');
    await terminal.waitFor('[x] post.scheduled');
    expect(terminal.said()).toMatch(/^[\0-\x7f]*$/);
    terminal.press('ctrl-c');
    await terminal.ended();
  });

  it('without UTF-8 shows only ASCII text of ours, in help, errors and progress', async () => {
    const env = { LANG: 'C' };
    const service = await recordingServer((n) =>
      successResponse(
        JSON.stringify(targetPost([targets.linkedin(n < 3 ? 'publishing' : 'published')])),
      ),
    );
    const there = { ...env, ...serviceAt(service.url) };
    const wait = ['posts', 'wait', 'PostForTheTestsA', '--interval', '50ms'];
    const seen = [
      await atTerminal(['posts', 'reply', '--help'], { env }).ended(),
      await atTerminal(['posts', 'get', 'x', '--timeout', '…', '--no-input'], { env }).ended(),
      await atTerminal(wait, { env: { ...there, TERM: 'dumb' } }).ended(),
      await atTerminal([...wait, '--accessible'], { env: there }).ended(),
      await atTerminal(wait, { env: there }).ended(),
    ];
    expect(seen.map(({ exitCode }) => exitCode)).toEqual([0, 2, 0, 0, 0]);
    for (const { said } of seen) expect(said).toMatch(/^[\0-\x7f]*$/);
    expect(seen[2]!.said).toContain('publishing -> published');
    // Without a terminal the progress is shown as lines, which use the same locale.
    const piped = await socialInProcess(['posts', 'wait', 'PostForTheTestsA'], { env: there });
    expect(piped.stderr).toMatch(/^[\0-\x7f]+$/);
    // A line of JSON is the same everywhere.
    const json = await social(['posts', 'get', 'x', '--timeout', '’', '--json'], { env });
    expect(json.stderr).toContain('’');
  });
});

describe('the accessible mode', () => {
  const on = 'accessible mode is on: plain lines, numbered questions, no redrawing';

  it.each([
    ['--accessible', ['--accessible'], {}],
    ['ACCESSIBLE', [], { ACCESSIBLE: '1' }],
    ['SOCIAL_ACCESSIBLE', [], { SOCIAL_ACCESSIBLE: '1' }],
  ])('with %s is announced first, and shows tables as lines', async (_how, flags, env) => {
    const service = await recordingServer(
      successResponse(
        '{"accountId":"AccountDiscordAa","guildId":"223344556677889900","roles":[{"name":"Staff","id":"1"},{"name":"All","id":"2"}]}',
      ),
    );
    const terminal = atTerminal([...roles, ...flags], {
      env: { ...serviceAt(service.url), ...env, NO_COLOR: '1' },
    });
    const { text } = await terminal.ended();
    expect(lines(text)).toEqual([
      on,
      'Guild ID: 223344556677889900',
      'Account ID: AccountDiscordAa',
      '',
      'Role 1 of 2',
      'Name: Staff',
      'ID: 1',
      '',
      'Role 2 of 2',
      'Name: All',
      'ID: 2',
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
