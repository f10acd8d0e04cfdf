// How something is deprecated (docs/stability.md): in a copy of src/ commands, flags, a field and an operation are
// deprecated by their data alone. They still work, everything that describes them says so, and nothing offers them.

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Deprecation } from '../../src/base/deprecation.ts';
import { version } from '../../src/base/version.ts';
import type { CommandTree } from '../../src/cli/read-command-tree.ts';
import { reference } from '../../tools/docs/commands-md.ts';
import type * as program from '../../src/program.ts';
import type * as posts from '../../src/api/operations/posts.ts';
import type * as tools from '../../src/commands/mcp/tools.ts';
import { root } from '../support/program.ts';
import { NOON, temporaryFolder, testCli, testRuntime } from '../support/test-cli.ts';

const place = mkdtempSync(join(tmpdir(), 'social-deprecation-'));
let copy: Pick<typeof program, 'runProgram'>;

const dated = (instead: string): Deprecation => ({ since: '0.3.0', instead, removedIn: '0.5.0' });
const data = (instead: string, key = 'deprecated') => `${key}: ${JSON.stringify(dated(instead))}`;

/** What is put into the copy: the file, the words before it, and the text. */
const invented: readonly (readonly [file: string, before: string, text: string])[] = [
  [
    'config/flags.ts',
    '  Target: [\n',
    `{ flags: '--zone <name>', env: 'SOCIAL_ZONE', description: 'Zone', ${data('--context')} },\n`,
  ],
  [
    'commands/doctor/doctor.ts',
    '  options: [',
    `{ flags: '--online', description: 'Connect', ${data('--offline')} }, { flags: '--depth <n>', description: 'Depth', ${data('--offline')} },\n`,
  ],
  [
    'commands/webhooks/webhooks.ts',
    '  listenCommand,\n',
    `{ word: 'kinds', summary: 'List the events of an endpoint', run: (call) => printWords(call, WebhookEvent.options), ${data('social webhooks events')} },\n`,
  ],
  ['commands/registry.ts', '  name: {\n', `${data('social names')},\n`],
  ['api/operations/posts.ts', "  command: 'posts reply',\n", `${data('social posts answer')},\n`],
  [
    'api/operations/accounts.ts',
    "  command: 'accounts mastodon {action}',\n",
    `${data('social accounts act')},\n`,
  ],
  [
    'api/operations/posts.ts',
    "  input: { postId: described(ResourceId, 'Post ID', { argument: 'many' })",
    `, tenant: described(z.optional(z.string()), 'Tenant', { ${data('--context', 'deprecation')} })`,
  ],
];

beforeAll(async () => {
  for (const part of ['src', 'package.json'])
    cpSync(join(root, part), join(place, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  for (const [file, before, text] of invented) {
    const path = join(place, 'src', file);
    const source = readFileSync(path, 'utf8');
    if (source.split(before).length !== 2) throw new Error(`${file} has no place for ${text}`);
    writeFileSync(
      path,
      source.replace(before, () => before + text),
    );
  }
  copy = (await import(/* @vite-ignore */ join(place, 'src/program.ts'))) as typeof program;
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Runs the program of the copy in this process. */
async function runCopy(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const said = { stdout: '', stderr: '' };
  const runtime = testRuntime(temporaryFolder(), { now: NOON }, { env }, said);
  return { exitCode: await copy.runProgram(words, runtime), ...said };
}

const run = (line: string, env = {}) => runCopy(line.split(' '), env);
const out = async (line: string) => {
  const { stdout, exitCode } = await run(line);
  expect(exitCode).toBe(0);
  return stdout;
};
const warning = (name: string, instead: string) =>
  `warning: ${name} is deprecated and will be removed in 0.5.0; use ${instead}\n`;
const clause = 'deprecated since 0.3.0, removed in 0.5.0: use';

const post = 'posts get PostSpringLaunch -n --base-url https://a.example';

describe('what is deprecated', () => {
  it.each<readonly [line: string, zone: string, warnings: string]>([
    ['webhooks kinds', '', warning('social webhooks kinds', 'social webhooks events')],
    ['accounts mastodon', '', warning('social accounts mastodon', 'social accounts act')],
    ['name list -C sandbox', '', warning('social name list', 'social names')],
    [
      'doctor --online --depth 3 --depth=4',
      '',
      warning('--online', '--offline') + warning('--depth', '--offline'),
    ],
    [post, 'a', warning('SOCIAL_ZONE', '--context')],
    [`--zone a ${post} --zone=b`, 'a', warning('--zone', '--context')],
    [`${post} --tenant a`, '', warning('--tenant', '--context')],
    [`posts reply PostSpringLaunch --target TargetSpringTwit --text Hi ${post.slice(27)}`, '', ''],
    [post, '', ''],
  ])('works, and is warned of once on stderr: %s, SOCIAL_ZONE=%s', async (line, zone, warnings) => {
    const env = { SOCIAL_ZONE: zone };
    const { stderr, stdout, exitCode } = await run(line, env);
    const expected = line.startsWith('posts reply')
      ? warning('social posts reply', 'social posts answer')
      : warnings;
    expect({ exitCode, stderr: stderr.replace(/^no names in .*\n/m, '') }).toEqual({
      exitCode: 0,
      stderr: expected,
    });
    expect(stdout).not.toContain('warning:');
    const quiet = await run(`${line} -q`, env);
    expect(quiet).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('leaves the error of --json on the last line, and is not warned of in help', async () => {
    const { stderr, exitCode } = await run('posts get x --tenant a --json');
    const [first, last, ...more] = stderr.trimEnd().split('\n');
    expect(`${first!}\n`).toBe(warning('--tenant', '--context'));
    expect(JSON.parse(last!)).toMatchObject({ ok: false, error: { exitCode } });
    expect(more).toEqual([]);
    expect((await run('webhooks kinds --help')).stderr).toBe('');
  });

  it('is marked in help', async () => {
    expect(await out('webhooks --help')).toMatch(/^ {2}kinds +List the events .*\(deprecated\)$/m);
    expect(await out('webhooks --help')).toMatch(/^ {2}events .*subscribe to$/m);
    const flat = async (line: string) => (await out(line)).replace(/\s+/g, ' ');
    expect(await flat('webhooks kinds --help')).toContain(
      `This command is ${clause} social webhooks events.`,
    );
    expect(await flat('name set --help')).toContain(`This command is ${clause} social names.`);
    expect(await flat('posts reply --help')).toContain(`${clause} social posts answer.`);
    expect(await flat('doctor --help')).toContain(`--online Connect (${clause} --offline)`);
    expect(await flat('posts get --help')).toContain(`Tenant (${clause} --context)`);
    expect(await flat('help flags')).toContain(`--zone <name> Zone (${clause} --context)`);
    expect(await flat('help environment')).toContain(`SOCIAL_ZONE Same as --zone (${clause}`);
  });

  it('is not completed, and understood where it is typed', async () => {
    const offered = async (...words: readonly string[]) =>
      (await runCopy(['__complete', String(words.length - 1), ...words])).stdout
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t')[0]);
    expect(await offered('webhooks', '')).toContain('events');
    expect(await offered('webhooks', '')).not.toContain('kinds');
    expect(await offered('')).not.toContain('name');
    expect(await offered('name', '')).toEqual(['']);
    const flags = await offered('doctor', '--depth', '3', '--');
    expect(flags).toContain('--offline');
    expect(flags).not.toEqual(expect.arrayContaining(['--online']));
    expect(flags).not.toEqual(expect.arrayContaining(['--zone']));
    expect(await offered('webhooks', 'kinds', '--zone', 'a', '--j')).toContain('--json');
  });

  it('is not suggested for a slip', async () => {
    const slips = ['doctor --onlin', 'webhooks kind', 'nam', 'nme list', 'posts get a --tenan b'];
    for (const line of slips) {
      const { stderr, exitCode } = await run(line);
      expect(exitCode).toBe(2);
      expect(stderr).not.toMatch(/--online|kinds|did you mean (?:social )?name|--tenant\b/);
    }
  });

  it('is in `commands --json`, in the reference', async () => {
    const tree = JSON.parse(await out('commands --json --all')) as CommandTree;
    type Marked = readonly (readonly [string, Deprecation])[];
    const marked = tree.commands.flatMap(({ path, deprecated, flags }): Marked => [
      ...(deprecated === undefined ? [] : [[path, deprecated] as const]),
      ...flags.flatMap((flag): Marked =>
        flag.deprecated === undefined ? [] : [[`${path} ${flag.long}`, flag.deprecated]],
      ),
    ]);
    const others = marked.filter(([name]) => !name.startsWith('accounts mastodon '));
    expect(marked.length - others.length).toBe(8);
    expect(Object.fromEntries(others)).toEqual({
      'accounts mastodon': dated('social accounts act'),
      'doctor --depth': dated('--offline'),
      'doctor --online': dated('--offline'),
      name: dated('social names'),
      'name delete': dated('social names'),
      'name list': dated('social names'),
      'name set': dated('social names'),
      'posts get --tenant': dated('--context'),
      'posts reply': dated('social posts answer'),
      'webhooks kinds': dated('social webhooks events'),
    });
    const zone = tree.globalFlags.filter(({ deprecated }) => deprecated !== undefined);
    expect(zone).toMatchObject([{ long: '--zone', deprecated: dated('--context') }]);
    const page = reference(tree);
    expect(page).toContain(`**This command is ${clause} social webhooks events.**`);
    expect(page).toMatch(/^- \[webhooks kinds\].*\(deprecated since 0\.3\.0/m);
    expect(page).toContain(`| \`--online\` | Connect; **${clause} --offline** |`);
  });

  it('is in the schemas, and a tool says it', async () => {
    const { input } = JSON.parse(await out('schema posts get')) as {
      input: { properties: Record<string, object> };
    };
    expect(input.properties['tenant']).toEqual({
      type: 'string',
      description: 'Tenant',
      deprecated: true,
    });
    const { paths } = JSON.parse(await out('schema --openapi')) as {
      paths: Record<string, Record<string, { deprecated?: boolean }>>;
    };
    expect(paths['/v1/posts/{postId}/comments/reply']!['post']!.deprecated).toBe(true);
    expect(paths['/v1/posts/{postId}/retry']!['post']).not.toHaveProperty('deprecated');
    const from = (file: string) => import(/* @vite-ignore */ join(place, 'src', file));
    const { describeTool, toolOf } = (await from('commands/mcp/tools.ts')) as typeof tools;
    const { reply } = (await from('api/operations/posts.ts')) as typeof posts;
    const { description } = describeTool(toolOf('posts', 'reply', reply), undefined);
    expect(description).toContain(`This is ${clause} social posts answer.`);
  });
});

/** What docs/stability.md does not allow of a deprecation in this version. */
function faultsOf({ since, instead, removedIn }: Deprecation, now: string): readonly string[] {
  const parts = (text: string) => /^(\d+)\.(\d+)\.0$/.exec(text)?.slice(1).map(Number);
  const [from, to, current] = [parts(since), parts(removedIn), parts(now.replace(/\d+$/, '0'))];
  if (from === undefined || to === undefined) return ['is not of a minor release'];
  const isBefore = (a: readonly number[], b: readonly number[]) =>
    a[0]! < b[0]! || (a[0] === b[0] && a[1]! < b[1]!);
  return [
    ...(isBefore(from, to) ? [] : ['has no release that warns']),
    ...(from[0]! > 0 && from[0] === to[0] ? ['is removed before the next major release'] : []),
    ...(isBefore(current!, to) ? [] : ['is still there']),
    ...(instead === '' ? ['says nothing to use instead'] : []),
  ];
}

describe('a deprecation', () => {
  it.each<readonly [since: string, removedIn: string, now: string, faults: readonly string[]]>([
    ['0.3.0', '0.4.0', '0.3.7', []],
    ['0.3.0', '0.4.0', '0.4.0', ['is still there']],
    ['0.3.0', '0.3.0', '0.2.9', ['has no release that warns']],
    ['0.3.1', '0.4.0', '0.3.1', ['is not of a minor release']],
    ['0.9.0', '1.0.0', '0.9.0', []],
    ['1.2.0', '1.4.0', '1.2.0', ['is removed before the next major release']],
    ['1.2.0', '2.0.0', '1.9.9', []],
  ])('from %s to %s, in %s: %j', (since, removedIn, now, faults) => {
    expect(faultsOf({ since, removedIn, instead: 'x' }, now)).toEqual(faults);
  });

  it('of this program is warned of for a minor release, and then gone', async () => {
    const { stdout } = await testCli().social(['commands', '--json', '--all']);
    const { commands, globalFlags } = JSON.parse(stdout) as CommandTree;
    const all = [...commands, ...globalFlags, ...commands.flatMap(({ flags }) => flags)];
    const bad = all.flatMap((node) =>
      node.deprecated === undefined
        ? []
        : faultsOf(node.deprecated, version).map(
            (fault) => `${'path' in node ? node.path : node.long} ${fault}`,
          ),
    );
    expect(bad).toEqual([]);
  });
});
