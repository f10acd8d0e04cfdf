// The IDs that completion offers: those that are stored, those that never are, and the candidates whatever the files
// contain.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunOptions, testCli, temporaryFolder } from '../support/test-cli.ts';
import { candidates } from '../../src/commands/completion/complete.ts';
import { commandLines } from '../support/command-lines.ts';
import { splitWords } from '../support/shell-words.ts';
import { idsIn, isIdOf, MAX_SEEN_BYTES } from '../../src/history/seen-ids.ts';
import { needsUnix } from '../support/unix.ts';

const terminal: RunOptions = {
  columns: 80,
  env: { SOCIAL_CONTEXT: 'sandbox', SOCIAL_NO_INPUT: '1', NO_COLOR: '1' },
};

function setup() {
  const { social, folder } = testCli();
  const path = join(folder, 'state', 'seen.tsv');
  const text = () => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '');
  return { social, folder, path, text };
}

const letter = (n: number) => String.fromCodePoint(97 + n);

/** The folders of the files, and the environment. */
interface Place {
  readonly configDir: string;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Returns the IDs of this kind that completion offers for a line, on a machine with these files. */
function offered(kind: string, line: Line = {}, more: Partial<Place> = {}): string {
  const folder = temporaryFolder();
  const { configDir = folder, stateDir = folder, env = {} } = more;
  const machine = { env, configDir: () => configDir, stateDir: () => stateDir };
  const found = candidates(kind, { ...machine, ...line, words: [] });
  return found.map(([word, text]) => `${word}\t${text}\n`).join('');
}

/** The values of `--context` and `--base-url`. */
interface Line {
  readonly context?: string;
  readonly baseUrl?: string;
}

const sandbox = { context: 'sandbox' };

describe('the IDs shown by a call', () => {
  it('are stored at a terminal, the most descriptive first', async () => {
    needsUnix('owners and modes');
    const { social, text, path } = setup();
    await social(['posts', 'get', 'PostSpringLaunch'], terminal);
    expect(text().split('\n').toReversed().slice(1, 5)).toEqual([
      'sandbox\tpost\tPostSpringLaunch\tSpring launch 🌱 春の新作, partial',
      'sandbox\tprofile\tProfileMainBrand',
      'sandbox\ttarget\tTargetSpringTwit\ttwitter, published\tPostSpringLaunch',
      'sandbox\taccount\tAccountTwitterAa\ttwitter\ttwitter',
    ]);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.byteLength(text())).toBeLessThan(900);
  });

  it.each([
    ['in a pipe', { ...terminal, columns: undefined }],
    ['without a history', { ...terminal, env: { ...terminal.env, SOCIAL_NO_HISTORY: '1' } }],
  ])('are not stored %s', async (_where, scene: RunOptions) => {
    const { social, text } = setup();
    const { stdout } = await social(['posts', 'get', 'PostSpringLaunch'], scene);
    expect(stdout).toContain('TargetSpringTwit');
    expect(text()).toBe('');
  });

  it('are skipped without a message when the file cannot be written', async () => {
    const { social, path } = setup();
    fs.mkdirSync(path, { recursive: true });
    const { exitCode, stderr } = await social(['posts', 'get', 'PostSpringLaunch', '-q'], terminal);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('of every operation are resource IDs, and none belongs to a pairing', async () => {
    const { social, text } = setup();
    for (const { line, stdin } of commandLines)
      await social(
        ['--yes', ...splitWords(line)],
        stdin === undefined ? terminal : { ...terminal, stdin },
      );
    const kept = text()
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    const kinds = new Set(kept.map(([, kind = '']) => kind));
    expect([...kinds].toSorted()).toEqual([
      'account',
      'audience',
      'board',
      'channel',
      'conversation',
      'credential',
      'guild',
      'message',
      'post',
      'profile',
      'status',
      'tag',
      'target',
      'webhook',
    ]);
    const owners: Readonly<Record<string, RegExp>> = {
      account: /^[a-z]*$/,
      target: /^Post[A-Za-z]{12}$/,
    };
    for (const [origin, kind = '', id, , owner = '', ...rest] of kept) {
      expect([origin, rest]).toEqual(['sandbox', []]);
      expect(owner).toMatch(owners[kind] ?? /^$/);
      expect(isIdOf(kind, id)).toBe(true);
    }
    expect(text()).not.toMatch(/5e551011|TG-482913/);
  });

  it('of a response to any request are found by its path', () => {
    const posts = [{ id: 'PostSpringLaunch', title: 'A' }, { id: 'short' }, null, 7];
    expect(idsIn('/v1/posts', {}, posts)).toEqual([
      { kind: 'post', id: 'PostSpringLaunch', description: 'A', owner: '' },
    ]);
    expect(idsIn('/v1/queue', {}, { posts, accountId: 'AccountMastodonA' })).toEqual([
      { kind: 'account', id: 'AccountMastodonA', description: '', owner: '' },
      { kind: 'post', id: 'PostSpringLaunch', description: 'A', owner: '' },
    ]);
    expect(idsIn('/v1/media', {}, [{ id: 'PostSpringLaunch' }])).toEqual([]);
  });

  it.each([
    [undefined],
    [null],
    ['text'],
    [[]],
    [{ id: { id: 1 } }],
    [{ targets: 'x' }],
    [{ ['__proto__']: 1, id: null }],
    [Array.from({ length: 100_000 }, () => ({ id: 'PostSpringLaunch' }))],
  ])('may be looked for in any value: %#', (data) => {
    expect(idsIn('/v1/posts', {}, data).length).toBeLessThanOrEqual(1);
  });

  it('do not pile up', async () => {
    const { social, path } = setup();
    await social(['posts', 'get', 'PostSpringLaunch'], terminal);
    fs.appendFileSync(path, `${'x'.repeat(99)}\n`.repeat(MAX_SEEN_BYTES / 100));
    await social(['posts', 'get', 'PostSpringLaunch'], terminal);
    expect(fs.existsSync(path)).toBe(false);
    expect(fs.statSync(`${path}.1`).size).toBeGreaterThan(MAX_SEEN_BYTES);
  });

  it('are deleted with the history', async () => {
    const { social, text } = setup();
    await social(['posts', 'get', 'PostSpringLaunch'], terminal);
    expect(text()).toContain('PostSpringLaunch');
    await social(['history', 'clear', '--yes'], terminal);
    expect(text()).toBe('');
  });
});

describe('a valid ID', () => {
  it.each([
    [
      'account credential post target webhook',
      'PostSpringLaunch',
      ['short', 'PostSpringLaunc1', ''],
    ],
    ['channel guild message', '12345678901234567890', ['123456789012345678901', '', '1a', '٣']],
    [
      'audience board conversation profile status tag',
      'a-b_c.d',
      ['$(x)', '`x`', 'a b', "a'b", 'a"b', '-x', '../x', 'a\n', 'a:b', 'a/b', 'é', '*', '~', ''],
    ],
  ])('of %s is %s', (kinds, good, others) => {
    for (const kind of kinds.split(' ')) {
      expect(isIdOf(kind, good)).toBe(true);
      expect(others.filter((id) => isIdOf(kind, id))).toEqual([]);
    }
  });
});

describe('completion offers', () => {
  const seen = [
    'https://api.example\tpost\tPostOfProduction\tfirst',
    'sandbox\tpost\tPostSpringLaunch\tOld, failed',
    'sandbox\tpost\tPostAutumnRecaps\tRed',
    'sandbox\tpost\tPostSpringLaunch\tNew, partial',
    'sandbox\tpost\tPostSpringLaunch\t',
    'sandbox\tpost\tPostSpringLaunch',
    'sandbox\tpost',
    'sandbox\tpost\t$(touch x)\thostile',
    'sandbox\tsession\tPostSpringLaunch\tno',
  ].join('\n');

  /** A machine with these files; the folder of both. */
  const machine = (files: Readonly<Record<string, string>> = {}): Partial<Place> => {
    const folder = temporaryFolder();
    const all = { 'seen.tsv': `${seen}\n`, ...files };
    for (const [name, text] of Object.entries(all)) fs.writeFileSync(join(folder, name), text);
    return { configDir: folder, stateDir: folder };
  };

  it('the newest IDs first, each once, with its latest description', () => {
    expect(offered('post', sandbox, machine())).toBe(
      'PostSpringLaunch\tNew, partial\nPostAutumnRecaps\tRed\n',
    );
  });

  it('recorded changes, the newest first, with their command and ID', async () => {
    const { social, folder } = setup();
    await social(['posts', 'retry', 'PostSpringLaunch', '--failed'], terminal);
    const stateDir = join(folder, 'state');
    const listed = JSON.parse((await social(['history', 'list', '--json'], terminal)).stdout) as {
      id: string;
    }[];
    const [newest] = listed;
    const text = offered('change', {}, { stateDir });
    expect(text).toBe(`${newest!.id}\tposts retry PostSpringLaunch\n`);
    fs.appendFileSync(join(stateDir, 'history.ndjson'), '{"id":"abcdef","startedAt":"","com\n\0');
    fs.appendFileSync(join(stateDir, 'history.ndjson'), '{"id":"a;rm -rf","command":"x"}\n');
    expect(offered('change', {}, { stateDir })).toBe(text);
  });

  it('at most one screen of IDs', () => {
    const many = Array.from({ length: 26 * 26 }, (_, i) =>
      ['sandbox', 'post', `PostSpringLaun${letter(Math.floor(i / 26))}${letter(i % 26)}`, ''].join(
        '\t',
      ),
    );
    const text = offered('post', sandbox, machine({ 'seen.tsv': many.join('\n') }));
    expect(text.trimEnd().split('\n')).toHaveLength(60);
  });
});
