// The help topics: they fit the terminal, lose no word, and leave out no variable that is read.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topics, variables } from '../../src/cli/help-topics.ts';
import { wrapCommand, wrapPage } from '../../src/output/wrap.ts';
import { testCli } from '../support/test-cli.ts';

const wordsOf = (lines: readonly string[]) =>
  lines.join(' ').replaceAll(' \\ ', ' ').split(/\s+/).filter(Boolean);

describe.each(Object.keys(topics))('social help %s', (topic) => {
  it.each([120, 80, 60, 50])('fits %i columns and is complete', async (columns) => {
    const env = { NO_COLOR: '1' };
    const help = await testCli().social(['help', topic], { columns, env });
    const { exitCode, stdout, stderr } = help;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(
      lines.filter(
        (line) =>
          line.length > Math.min(columns, 80) && /\S +\S/.test(line.trim().replace(/ \\$/, '')),
      ),
    ).toEqual([]);
    expect(wordsOf(lines)).toEqual(wordsOf(topics[topic]!()));
  });
});

it('a topic has bold headings on a terminal, as other pages do', async () => {
  const env = { TERM: 'xterm' };
  const { stdout } = await testCli().social(['help', 'flags'], { columns: 80, env });
  expect(stdout).toContain('\u001b[1mTarget:\u001b[22m\n');
});

const said = (script: string) => spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout;

describe('a command line', () => {
  const line = `social webhooks create --url https://h.example --name "a b c" | jq '.id and .name'`;

  it('is broken into lines that a shell reads as one command', () => {
    expect(wrapCommand(line, 40).split('\n')).toEqual([
      '  social webhooks create \\',
      '    --url https://h.example \\',
      '    --name "a b c" | jq \\',
      `    '.id and .name'`,
    ]);
  });

  it.each([20, 30, 40, 60, 80, 120])('runs the same when wrapped at %i columns', (columns) => {
    const script = wrapCommand(line, columns)
      .replace('social', `printf '{%s}'`)
      .replace('| jq', '-');
    const whole = line.replace('social', `printf '{%s}'`).replace('| jq', '-');
    expect(said(script)).toBe(said(whole));
  });
});

describe('a page', () => {
  it('indents wrapped lines to where the text begins', () => {
    const lines = ['Title', '', 'one two three', '', '  --flag  four five six'];
    expect(wrapPage(lines, 16)).toEqual([
      'Title',
      '',
      'one two three',
      '',
      '  --flag  four',
      '          five',
      '          six',
    ]);
    expect(wrapPage(['  seven eight nine'], 12)).toEqual(['  seven', '  eight nine']);
    expect(wrapPage(['  a-very-long-term   text of it'], 22)).toEqual([
      '  a-very-long-term',
      '    text of it',
    ]);
  });

  it('keeps every word, in its order, at any width', () => {
    const word = fc.stringMatching(/^[a-z-]{1,12}$/);
    const line = fc
      .tuple(fc.constantFrom('', '  ', '    - '), fc.array(word, { minLength: 1, maxLength: 12 }))
      .map(([start, words]) => start + words.join(' '));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.integer({ min: 20, max: 90 }),
        (lines, width) => {
          const page = wrapPage(lines, width);
          expect(wordsOf(page)).toEqual(wordsOf(lines));
          expect(page.filter((each) => each.length > width)).toEqual([]);
        },
      ),
      { seed: 20260302, numRuns: 300 },
    );
  });
});

/** Variables that every program reads, or that only tests and the build set. */
const ordinary = ['HOME', 'PATH', 'SHELL', 'ZDOTDIR', 'XDG_DATA_HOME'];

describe('help environment', () => {
  it('lists exactly the variables that the sources read', () => {
    const folder = new URL('../../src/', import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(new URL(path, folder), 'utf8'));
    const read = sources.flatMap((text) => [
      ...[...text.matchAll(/env\['(\w+)'\]/g)].map(([, name]) => name!.toUpperCase()),
      ...[...text.matchAll(/'((?:SOCIAL|XDG)_[A-Z_]+)'/g)].map(([, name]) => name!),
      ...(text.includes("'HTTPS_PROXY'") ? ['HTTPS_PROXY'] : []),
    ]);
    // Node reads them itself.
    read.push('NODE_EXTRA_CA_CERTS', 'NODE_DISABLE_COMPILE_CACHE');
    const names = variables().map(([name]) => name);
    expect(new Set(read.filter((name) => !ordinary.includes(name)))).toEqual(new Set(names));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('“did you mean”', () => {
  it.each<readonly string[]>([
    ['post get x', 'social posts', 'social posts --help'],
    ['posts gte x', 'social posts get', 'social posts get --help'],
    [
      'accounts mastodon favorit 1',
      'social accounts mastodon favorite',
      'social accounts mastodon favorite --help',
    ],
    ['accounts mastadon mute 1', 'social accounts mastodon', 'social accounts mastodon --help'],
    ['sandbox serv', 'social sandbox serve', 'social sandbox serve --help'],
    ['posts get PostSpringLaunch --jso', '--json'],
    ['posts retry PostSpringLaunch --targt x', '--target'],
    ['posts get PostSpringLaunch --hlep', '--help'],
    ['--versio', '--version', 'social --help'],
    ['posts --jsn', '--json', 'social posts --help'],
    ['posts get PostSpringLaunch -o jsno', 'json'],
    ['posts get PostSpringLaunch --color=alway', 'always'],
    ['posts get PostSpringLaunch --fields statsu', 'status'],
    ['webhooks create --url https://h.example --event post.faild', 'post.failed'],
    ['webhooks update WebhookAlertsOps --event post.failed,ad.creatd', 'ad.created'],
    ['help posts gte', 'social posts get', 'social posts get --help'],
    ['completion bsh', 'bash'],
    ['config set timeot 1m', 'timeout'],
    ['config set color alwys', 'always'],
    ['context show sandbx', 'sandbox'],
    ['posts get PostSpringLaunch -C sanbox', 'sandbox'],
    ['schema posts rety', 'posts retry', 'social schema posts retry'],
  ])('%s', async (line = '', near = '', next?: string) => {
    const { exitCode, stdout, stderr } = await testCli().social(line.split(' '));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`did you mean ${near}?`);
    expect(stderr).toContain(next === undefined ? '' : `try: ${next}\n`);
  });

  it.each([
    'posts get PostSpringLaunch --web',
    'posts get PostSpringLaunch --yess',
    'ads audiences delete 1 --ye',
    'ads audiences delete 1 --confrm 1',
    'posts retry --from ids --journal j --retry-unknwn',
    'webhooks update WebhookAlertsOps --clear-secrt',
    'mcp serve --allow-write',
    'auth login --no-chek',
    'auth login --insecure-storag',
    'context set prod --no-protecte',
    'posts retry PostSpringLaunch --force-unloc x',
    'posts retry PostSpringLaunch --force',
  ])('never suggests a flag that confirms or deletes: %s', async (line) => {
    const { exitCode, stderr } = await testCli().social(line.split(' '));
    expect(exitCode).toBe(2);
    expect(stderr).not.toMatch(
      /mean --(?:yes|confirm|retry-unknown|clear-\w+|allow-writes|no-check|insecure-storage|no-protected|for\b)/,
    );
  });

  it('suggests no other flag when one of those was meant', async () => {
    const { stderr } = await testCli().social('posts get PostSpringLaunch --confrm x'.split(' '));
    expect(stderr).toContain('unknown flag "--confrm"\ntry: ');
  });

  it('stays silent when nothing is similar, and never repeats a value', async () => {
    const { social } = testCli();
    const far = await social('posts get PostSpringLaunch -o qqqqqqqq'.split(' '));
    expect(far.stderr).not.toContain('did you mean');
    const secret = await social('posts get PostSpringLaunch --jsonn=hunter2'.split(' '));
    expect(secret.stderr).toContain('did you mean --json?');
    expect(secret.stderr).not.toContain('hunter2');
  });

  it('keeps the list of words out of the details of an error object', async () => {
    const { stderr } = await testCli().social(
      'posts get PostSpringLaunch -o jsno --json'.split(' '),
    );
    const { error } = JSON.parse(stderr) as { error: { details: object[] } };
    expect(error.details.map((each) => Object.keys(each))).toEqual([['field', 'problem', 'fix']]);
  });
});

describe('a typing mistake', () => {
  it.each([
    ['sandbox serve --seed 7', 'social sandbox serve --help'],
    ['completion tcsh', 'social completion --help'],
    ['config set otput json', 'social config set --help'],
    ['config set utc maybe', 'social config set --help'],
    ['context use nowhere', 'social context use --help'],
    ['context delete sandbox', 'social context delete --help'],
    ['auth login --context sandbox', 'social auth login --help'],
    ['history list --since 1x', 'social history list --help'],
    ['history show', 'social history show --help'],
    ['history clear', 'social history clear --yes'],
  ])('%s is answered with the correction: %s', async (line, next) => {
    const { exitCode, stderr } = await testCli().social(line.split(' '));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`\ntry: ${next}\n`);
  });
});
