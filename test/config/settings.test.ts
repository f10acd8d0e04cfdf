// The settings of a call: the source that takes precedence, and the values that are refused. Durations are parsed and
// formatted.

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/base/durations.ts';
import type { Fault } from '../../src/base/fault.ts';
import { quote } from '../../src/base/sanitize.ts';
import { accountFor, resolveSettings } from '../../src/config/settings.ts';
import { stateDirFrom } from '../../src/base/paths.ts';
import { int, readValue, writtenPath } from '../../src/config/flag-types.ts';
import { socialInProcess } from '../support/in-process.ts';
import { freshHome } from '../support/program.ts';
import { testCli } from '../support/test-cli.ts';

const settingsOf = (raw: Record<string, unknown>, env: Record<string, string> = {}) => {
  const { settings, faults } = resolveSettings(raw, env);
  expect(faults).toEqual([]);
  return settings;
};
const faultsOf = (raw: Record<string, unknown>, env: Record<string, string> = {}) =>
  resolveSettings(raw, env).faults.map(({ field, problem }) => `${field} ${problem}`);

describe('a setting', () => {
  it('has a default', () => {
    expect(settingsOf({})).toMatchObject({
      baseUrl: undefined,
      output: undefined,
      timeoutMs: 30_000,
      retries: 2,
      color: { choice: 'auto', typed: false },
      yes: false,
      dryRun: false,
    });
  });

  it.each([
    ['context', 'SOCIAL_CONTEXT', 'sandbox', 'sandbox'],
    ['baseUrl', 'SOCIAL_BASE_URL', 'https://flag.example', 'https://env.example'],
    ['output', 'SOCIAL_OUTPUT', 'tsv', 'json'],
  ])('%s comes from its flag before %s', (key, variable, flag, value) => {
    expect(settingsOf({ [key]: flag }, { [variable]: value })).toMatchObject({ [key]: flag });
    expect(settingsOf({}, { [variable]: value })).toMatchObject({ [key]: value });
    expect(settingsOf({}, { [variable]: '' })).toMatchObject({ [key]: undefined });
  });

  it('that is an account has its source, the flag before the variable', () => {
    const env = { SOCIAL_ACCOUNT: 'Environment' };
    const accountOf = (raw: object) => accountFor(settingsOf({ ...raw }, env), undefined);
    expect(accountOf({ account: 'Flag' })).toEqual({ id: 'Flag', field: '--account' });
    expect(accountOf({})).toEqual({ id: 'Environment', field: 'SOCIAL_ACCOUNT' });
  });

  it('that is a switch is on with 1, true or yes in its variable, and off else', () => {
    const noInput = (value: string) => settingsOf({}, { SOCIAL_NO_INPUT: value }).noInput;
    expect(['1', 'true', 'yes'].map(noInput)).toEqual([true, true, true]);
    expect(['', '0', 'false'].map(noInput)).toEqual([false, false, false]);
  });

  it('that is invalid is reported with its source', () => {
    expect(faultsOf({ timeout: '10' })[0]).toMatch(/^--timeout needs .*, got "10"$/);
    expect(faultsOf({}, { SOCIAL_TIMEOUT: '10' })[0]).toMatch(/^SOCIAL_TIMEOUT needs/);
  });

  it('is taken from the file only if it may stand there: a consent never', () => {
    const written = { yes: true, noInput: true, dryRun: true, quiet: true, debug: true, note: 'x' };
    const contexts = { prod: { baseUrl: 'https://a.example', ...written } };
    const config = { context: 'prod', contexts, ...written, retries: '7' } as never;
    expect(resolveSettings({}, {}, config).settings).toMatchObject({
      baseUrl: 'https://a.example',
      retries: 7,
      yes: false,
      noInput: false,
      dryRun: false,
      quiet: false,
      debug: false,
      note: undefined,
    });
  });

  it('is reported together with all other faults', () => {
    const raw = { timeout: 'x', retries: 'x', output: 'x', color: 'x', query: ['x', '=y'] };
    expect(faultsOf(raw, { SOCIAL_BASE_URL: 'x' })).toHaveLength(7);
  });
});

const MISTAKES = [
  ['~', 'begins with ~'],
  ['~/x', 'begins with ~'],
  ['~root/x', 'begins with ~'],
  ['$HOME/x', 'has a variable'],
  ['a/${HOME}/x', 'has a variable'],
  ['%USERPROFILE%\\x', 'has a variable'],
  ['"a"', 'has quotes'],
  ["'a'", 'has quotes'],
  ['a ', 'has a space'],
  ['a\r', 'has a space or a line end'],
  ['file:///tmp/x', 'is a URL'],
] as const;

describe('a path that its author did not mean', () => {
  it.each(MISTAKES)('is refused for what is created: %j', (path, words) => {
    for (const field of ['SOCIAL_CONFIG_DIR', 'SOCIAL_STATE_DIR'])
      expect(faultsOf({}, { [field]: path })).toEqual([
        expect.stringMatching(`^${field} must be the name of a folder, got .*: it ${words}`),
      ]);
    const faults: Fault[] = [];
    readValue(writtenPath('file'), path, '--journal', faults);
    expect(faults).toMatchObject([{ field: '--journal', fix: expect.any(String) as string }]);
  });

  it('is ignored as a folder of XDG, like a relative one', () => {
    for (const folder of ['/tmp/$USER', '/tmp/x\r', 'relative'])
      expect(stateDirFrom({ XDG_STATE_HOME: folder }, () => '/home/me', 'linux')).toBe(
        '/home/me/.local/state/social',
      );
  });

  it.each(['./~/x', 'a~', 'a b', 'x$', '5%', 'C:\\x', '/tmp/it’s', 'é'])('is not: %s', (path) => {
    expect(faultsOf({}, { SOCIAL_STATE_DIR: path })).toEqual([]);
  });

  it('creates nothing', async () => {
    const home = freshHome();
    for (const path of ['~/made', 'file:///made', 'made ']) {
      const env = { SOCIAL_STATE_DIR: path, SOCIAL_CONFIG_DIR: path, SOCIAL_ACCESSIBLE: '1' };
      const ended = await socialInProcess(['posts', 'get', 'PostSpringLaunch'], { home, env });
      expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ended.stderr.split(`got "${path}"`)).toHaveLength(3);
    }
    expect(readdirSync(home)).toEqual([]);
    expect(readdirSync('.').filter((name) => /^(?:~|file:|made)/.test(name))).toEqual([]);
  });
});

describe('a base URL', () => {
  it.each([
    ['https://h.example', 'https://h.example'],
    ['https://h.example/team/api//', 'https://h.example/team/api'],
  ])('may be %s', (text, url) => {
    expect(settingsOf({ baseUrl: text }).baseUrl).toBe(url);
  });

  it.each([
    '',
    ' ',
    'h.example',
    'https://u:p4ss@h.example',
    'https://h.example?p4ss',
    'https://h.example#p4ss',
  ])('may not be %j, and is not shown', (text) => {
    const [fault] = faultsOf({ baseUrl: text });
    expect(fault).toMatch(/^--base-url must be https:\/\/host\[:port\]\[\/path\]/);
    expect(fault).not.toContain('p4ss');
  });
});

it('a base URL with the sandbox is a fault that names the flag or the variable of the sandbox', () => {
  const baseUrl = 'https://h.example';
  const clash = '--base-url cannot be combined with';
  expect(faultsOf({ baseUrl, context: 'sandbox' })).toEqual([`${clash} -C sandbox`]);
  const env = { SOCIAL_CONTEXT: 'sandbox' };
  expect(faultsOf({ baseUrl }, env)).toEqual([`${clash} SOCIAL_CONTEXT=sandbox`]);
});

it('lists of fields and queries are split, and a field needs a name', () => {
  const { fields, query } = settingsOf({
    fields: ['a, b.c', 'd', ''],
    query: ['n=v', 'a=b=c', 'e='],
  });
  expect(fields).toEqual(['a', 'b.c', 'd']);
  expect(query).toEqual([
    ['n', 'v'],
    ['a', 'b=c'],
    ['e', ''],
  ]);
  for (const none of [[''], [' '], [',', ' , ']])
    expect(faultsOf({ fields: none })).toEqual([
      '--fields must name a field, e.g. status,targets.id',
    ]);
});

describe('a whole number', () => {
  const read = (text: string) => {
    const faults: Fault[] = [];
    const number = readValue(int(0, 10), text, '--n', faults);
    return { number, faults };
  };

  it.each(['0', '10'])('may be %s', (text) => {
    expect(read(text)).toEqual({ number: Number(text), faults: [] });
  });

  it.each(['', '-1', '11', '1.0', '1e1', '0x1', ' 1', '1 ', '٣', '9999999999', 'NaN'])(
    'may not be %j',
    (text) => {
      const problem = `must be a whole number from 0 to 10, got ${quote(text)}`;
      expect(read(text)).toEqual({
        number: undefined,
        faults: [{ field: '--n', problem, fix: undefined, among: undefined }],
      });
    },
  );
});

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['24h', 86_400_000],
    ['1ms', 1],
  ])('%s is %i milliseconds', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '10', 's', '10x', '1.5s', ' 1s', '1s ', '1S', '0s', '1441m', '9999999s', '1d'])(
    'cannot be %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

it.each([
  ['1', true],
  ['0', false],
])('SOCIAL_DEBUG=%s: a stack trace is shown: %s', async (value, isTraced) => {
  const env = { SOCIAL_DEBUG: value };
  const { stderr } = await testCli().social(['posts', 'get', 'short'], { env });
  expect(stderr).toContain('error: post ID must be exactly 16 letters');
  expect(/^ {4}at /m.test(stderr)).toBe(isTraced);
});
