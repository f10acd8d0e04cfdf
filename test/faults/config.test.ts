// The settings file and its folder in every state that a machine leaves them in: read or refused, never destroyed.

import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { times } from '../properties/times.ts';
import { changeConfig } from '../../src/config/file.ts';
import { createSecrets } from '../../src/output/redact.ts';
import { hostOf, socialInProcess } from '../support/in-process.ts';
import {
  bareEnv,
  freshHome,
  homeWith,
  launcher,
  noCompileCache,
  shell,
  social,
} from '../support/program.ts';
import { loginTo } from '../support/command-lines.ts';
import { needsUnix } from '../support/unix.ts';

const list = ['context', 'list'];
const set = ['config', 'set', 'timeout', '1m'];

const good = '{"contexts":{"a":{"baseUrl":"https://a.example"}},"context":"a"}';

/** Changes that each of four writers makes; fifty in the large run. */
const WRITES = times(2, 50).numRuns;

describe('a settings file', () => {
  it('is not created by reading', async () => {
    const home = freshHome();
    for (const argv of [['--help'], ['config', 'list'], ['auth', 'status'], ['posts', 'get', 'x']])
      await socialInProcess(argv, { home });
    expect((await social(list, { home, env: noCompileCache })).exitCode).toBe(0);
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it.each<readonly [what: string, content: string | Uint8Array, words: string]>([
    ['empty', '', 'is damaged (line 1)'],
    ['cut off', good.slice(0, 30), 'is damaged (line'],
    ['not JSON, with a secret on line 3', '{\n"a": 1,\n s3cret-value }', 'is damaged (line 3)'],
    ['a list', '[]', 'is damaged (line 1)'],
    ['of the wrong types', '{"contexts":{"a":{"baseUrl":7}}}', 'is damaged: contexts.a.baseUrl'],
    ['with a context of no name', '{"contexts":{"a.b":{}}}', 'is damaged: contexts.a.b'],
  ])('that is %s is named, and left unchanged', async (what, content, words) => {
    const { home, path } = homeWith(content);
    const before = fs.readFileSync(path);
    const other = ['context', 'set', 'b', '--base-url', 'https://b.example'];
    for (const argv of [list, set, other]) {
      const run = what === 'empty' && argv === list ? social : socialInProcess;
      const outcome = await run(argv, { home });
      expect(outcome).toMatchObject({ exitCode: 13, stdout: '' });
      expect(outcome.stderr).toContain(`${path} ${words}`);
      expect(outcome.stderr).toContain(`try: mv -n ${path} ${path}.damaged`);
      expect(outcome.stderr).not.toMatch(/s3cret|SyntaxError|Unexpected/);
      expect(fs.readFileSync(path)).toEqual(before);
    }
  });

  it('may start with a byte order mark and have Windows line ends', async () => {
    const { home } = homeWith(`\ufeff${good.replaceAll(',', ',\r\n')}`);
    expect((await socialInProcess(list, { home })).stdout).toContain('https://a.example');
  });

  it('keeps unknown keys; one of a newer version is left unchanged', async () => {
    const { home, path } = homeWith('{"future":{"x":[1]},"contexts":{"a":{"tint":"red"}}}');
    expect((await socialInProcess(set, { home })).exitCode).toBe(0);
    expect(JSON.parse(fs.readFileSync(path, 'utf8'))).toMatchObject({
      future: { x: [1] },
      contexts: { a: { tint: 'red' } },
      timeout: '1m',
    });
    const newer = homeWith('{"format":3}');
    const outcome = await socialInProcess(set, { home: newer.home });
    expect(outcome.exitCode).toBe(13);
    expect(outcome.stderr).toContain('was written by a newer version of social (format 3)');
    expect(fs.readFileSync(newer.path, 'utf8')).toBe('{"format":3}');
  });

  it('and the state are not made in a folder that only a shell could name', async () => {
    const home = freshHome();
    const folders = { SOCIAL_CONFIG_DIR: '~/social', SOCIAL_STATE_DIR: '"$HOME/state"' };
    const env = { ...noCompileCache, ...folders, SOCIAL_ACCESSIBLE: '1' };
    const get = ['posts', 'get', 'PostSpringLaunch', '-C', 'sandbox'];
    for (const argv of [set, get, ['sandbox', 'reset']]) {
      const { exitCode, stderr } = await social(argv, { home, env });
      expect(exitCode).toBe(2);
      expect(stderr).toContain('SOCIAL_CONFIG_DIR must be the name of a folder, got "~/social"');
      expect(stderr).toContain('SOCIAL_STATE_DIR must be the name of a folder');
    }
    const { stdout } = await social(['doctor', '--offline', '--json'], { home, env });
    expect(stdout).toContain('unset SOCIAL_STATE_DIR');
    expect(fs.readdirSync(home)).toEqual([]);
  });

  it.each(['', 'repository'])(
    'is not searched below the current folder when HOME is %j',
    async (HOME) => {
      const day = freshHome();
      for (const place of ['.', 'repository']) {
        const theirs = join(day, place, '.config/social');
        fs.mkdirSync(theirs, { recursive: true });
        fs.writeFileSync(join(theirs, 'config.json'), good);
      }
      const before = fs.readdirSync(day, { recursive: true });
      const outputOf = async (argv: readonly string[]) => {
        const setting = { cwd: day, env: bareEnv(HOME), extendEnv: false, reject: false } as const;
        return (await execa(process.execPath, [launcher, ...argv], setting)).stdout;
      };
      expect(await outputOf(['__complete', 'social -C '])).toBe(
        'words\t\tname\nsandbox\tthe embedded service',
      );
      expect(await outputOf(['doctor', '--offline'])).toMatch(/^settings\t.*path: \//m);
      expect(fs.readdirSync(day, { recursive: true })).toEqual(before);
    },
  );

  it('with a token in it is rejected, and the token is not shown', async () => {
    for (const content of [
      '{"token":"hand-wr1tten-token"}',
      '{"contexts":{"a":{"token":"hand-wr1tten-token"}}}',
    ]) {
      const { home } = homeWith(content);
      const outcome = await socialInProcess(list, { home });
      expect(outcome.exitCode).toBe(13);
      expect(outcome.stderr).toContain('tokens must not be in the settings');
      expect(outcome.stderr).toContain('social auth login');
      expect(outcome.stderr).not.toContain('hand-wr1tten-token');
    }
  });

  it.each(['folder', 'pipe', 'device'])('that is a %s is rejected at once', async (kind) => {
    needsUnix('named pipes');
    const { home, path } = homeWith('');
    fs.rmSync(path);
    if (kind === 'folder') fs.mkdirSync(path);
    else if (kind === 'pipe') execFileSync('mkfifo', [path]);
    else fs.symlinkSync('/dev/zero', path);
    for (const argv of [list, set]) {
      // Opening a pipe could keep a process from ending, also after its output.
      const run = kind === 'pipe' && argv === list ? social : socialInProcess;
      const start = performance.now();
      const outcome = await run(argv, { home });
      expect(performance.now() - start).toBeLessThan(4000);
      expect(outcome.exitCode).toBe(13);
      expect(outcome.stderr).toContain(`${path} is not a regular file`);
    }
  });

  it('and the token file are private, even if the umask lets others read', async () => {
    needsUnix('owners and modes');
    const home = freshHome();
    const login = loginTo('https://a.example', '--insecure-storage').join(' ');
    const script = `umask 000; echo a-token-to-keep | social ${login}`;
    expect((await shell(script, { home })).exitCode).toBe(0);
    const folder = join(home, '.config/social');
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of ['config.json', 'credentials.json'])
      expect(fs.statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });
});

describe('saving', () => {
  it('keeps all keys of four simultaneous writers', { timeout: 120_000 }, async () => {
    const home = freshHome();
    const writer = async (name: string) => {
      const lines = Array.from(
        { length: WRITES },
        (_, i) => `context set ${name}${i} --base-url https://${name}${i}.example -q`,
      );
      return shell(lines.map((line) => `social ${line} || echo failed`).join('\n'), { home });
    };
    const ends = await Promise.all(['a', 'b', 'c', 'd'].map(writer));
    expect(ends.map(({ stdout, stderr }) => stdout + stderr).join('')).toBe('');
    const config = JSON.parse(
      fs.readFileSync(join(home, '.config/social/config.json'), 'utf8'),
    ) as { contexts: object };
    expect(Object.keys(config.contexts)).toHaveLength(4 * WRITES);
    expect(fs.readdirSync(join(home, '.config/social'))).toEqual(['config.json']);
  });

  it('refuses a value of the wrong type, and leaves the old file', async () => {
    const { home, path, folder } = homeWith(good);
    const host = hostOf({ home }, { stdout: '', stderr: '' });
    const ignored = () => undefined;
    const runtime = { ...host, secrets: createSecrets('', []), note: ignored, onEnd: ignored };
    const wrong = { utc: 'yes' } as object;
    await expect(changeConfig(runtime, (config) => ({ ...config, ...wrong }))).rejects.toThrow(
      `cannot write ${path}: Config schema violation: \`utc\` must be boolean`,
    );
    expect(fs.readFileSync(path, 'utf8')).toBe(good);
    expect(fs.readdirSync(folder)).toEqual(['config.json']);
  });

  const inject = ['-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'];
  const canInject =
    spawnSync('strace', [...inject, '-e', 'inject=fsync:error=EIO', 'true']).status === 0;

  /** Changes a setting while the system fails, or kills the process, at each call of a kind. */
  const setWhile = (calls: string, fault: string, home: string) => {
    needsUnix('tracing, namespaces and limits');
    // With --seccomp-bpf, strace injects errors but no signals.
    const flags = inject.filter((flag) => flag !== '--seccomp-bpf' || !fault.includes('signal'));
    const traced = `strace ${flags.join(' ')} -e trace=${calls} -e inject=${calls}:${fault}`;
    return shell(`${traced} "${process.execPath}" "${launcher}" ${set.join(' ')}`, { home });
  };

  it.runIf(canInject).each([
    ['fsync', 'error=ENOSPC', 'disk full'],
    ['rename,renameat2', 'error=EIO', 'input/output error'],
    ['link,linkat', 'error=EROFS', 'read-only file system'],
    // A disk that is full takes a part of what is written; conf does not ask how much.
    ['pwrite64', 'retval=10', 'the file was cut short'],
  ])('leaves the old file whole when %s ends with %s', async (calls, fault, words) => {
    const { home, path, folder } = homeWith(good);
    const outcome = await setWhile(calls, fault, home);
    expect(outcome.exitCode).toBe(13);
    expect(outcome.stderr).toContain(words);
    expect(fs.readFileSync(path, 'utf8')).toBe(good);
    expect(fs.readdirSync(folder)).toEqual(['config.json']);
  });

  it.runIf(canInject).each(['pwrite64', 'fsync', 'rename,renameat2'])(
    'that is killed at %s leaves the old file whole, and the next one tidies up',
    async (calls) => {
      const { home, path, folder } = homeWith(good);
      await setWhile(calls, 'signal=KILL', home);
      expect(fs.readFileSync(path, 'utf8')).toBe(good);
      expect(fs.readdirSync(folder).length).toBeGreaterThan(1);
      expect((await socialInProcess(set, { home })).exitCode).toBe(0);
      expect(fs.readFileSync(path, 'utf8')).toContain('"timeout": "1m"');
      expect(fs.readdirSync(folder)).toEqual(['config.json']);
    },
  );

  it.runIf(canInject)('without a folder fails at once, and reading still works', async () => {
    needsUnix('tracing, namespaces and limits');
    const home = freshHome();
    const traced = `strace ${inject.join(' ')} -e trace=mkdir,mkdirat -e inject=mkdir,mkdirat:error=EACCES`;
    const run = (argv: readonly string[]) =>
      shell(`${traced} "${process.execPath}" "${launcher}" ${argv.join(' ')}`, {
        home,
        env: noCompileCache,
      });
    expect((await run(list)).exitCode).toBe(0);
    const outcome = await run(set);
    expect(outcome).toMatchObject({ exitCode: 13, stdout: '' });
    expect(outcome.stderr).toMatch(
      new RegExp(`^error: cannot write ${home}/\\.config/social\\S*: permission denied\\n$`),
    );
    expect(fs.readdirSync(home)).toEqual([]);
  });
});
