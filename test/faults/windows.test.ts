// Windows as far as it can be shown elsewhere: the built program in a process that looks like one of Windows
// (support/as-windows.cjs), on files that everybody may write, in folders and under names as Windows has them.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { configDirFrom, stateDirFrom } from '../../src/base/paths.ts';
import { setVariableLine, splitShellWords } from '../../src/base/shell.ts';
import { loginTo } from '../support/command-lines.ts';
import { countingServer, post } from '../support/counting-server.ts';
import { freshHome, social } from '../support/program.ts';
import { CANARY } from '../support/token-leak-check.ts';

const asWindows = fileURLToPath(new URL('../support/as-windows.cjs', import.meta.url));
const get = ['posts', 'get', 'PostSpringLaunch'];

/** Everything in a folder as Windows shows it: open to all. */
function openAll(folder: string): void {
  for (const each of fs.readdirSync(folder, { withFileTypes: true, recursive: true }))
    fs.chmodSync(join(each.parentPath, each.name), each.isDirectory() ? 0o777 : 0o666);
  fs.chmodSync(folder, 0o777);
}

/** A profile of Windows, and the program run in it with all files open to all. */
function setup() {
  const home = freshHome();
  const [roaming, local] = [join(home, 'AppData/Roaming'), join(home, 'AppData/Local')];
  for (const folder of [roaming, local]) fs.mkdirSync(folder, { recursive: true });
  const profile = {
    AppData: roaming,
    LOCALAPPDATA: local,
    NODE_OPTIONS: `--require ${JSON.stringify(asWindows)}`,
  };
  const run = (argv: readonly string[], input = '', env: Record<string, string> = {}) => {
    openAll(home);
    return social(argv, { home, input, env: { ...profile, APPDATA: roaming, ...env } });
  };
  return { home, roaming, local, profile, run };
}

describe('on Windows', () => {
  it('a save is retried while a virus scanner has the old file open', async () => {
    const { roaming, run } = setup();
    const folder = join(roaming, 'social');
    fs.mkdirSync(folder);
    fs.writeFileSync(join(folder, 'config.json'), '{"timeout":"20s"}');
    expect(await run(['config', 'set', 'timeout', '30s'])).toMatchObject({ exitCode: 0 });
    expect(fs.readdirSync(folder)).toEqual(['config.json']);
    expect(JSON.parse(fs.readFileSync(join(folder, 'config.json'), 'utf8'))).toMatchObject({
      timeout: '30s',
    });
  });

  it('modes and owners forbid nothing, and files are in the Windows folders', async () => {
    const service = await countingServer((id) => ({ body: post(id) }));
    const { home, roaming, local, run } = setup();
    const passes = async (argv: readonly string[], input = '') => {
      const { exitCode, stdout, stderr } = await run(argv, input);
      expect({ argv, exitCode, stderr }).toMatchObject({ exitCode: 0 });
      return stdout;
    };
    await passes(loginTo(service.url, '--insecure-storage'), CANARY);
    expect(await passes(get)).toContain('TargetSpringLink');
    await passes(['-C', 'sandbox', 'posts', 'retry', 'PostSpringLaunch']);
    expect(await passes(['history', 'list'])).toContain('posts retry');
    const wrong = await run(['doctor', '-C', 'sandbox'], '', { SOCIAL_TIMEOUT: 'soon' });
    expect(wrong.stdout).toMatch(/^settings\tok\t/m);
    expect(wrong.stdout + wrong.stderr).toContain('Remove-Item Env:SOCIAL_TIMEOUT');
    expect(wrong.stdout + wrong.stderr).not.toContain('chmod');
    expect(fs.readdirSync(join(roaming, 'social')).toSorted()).toEqual([
      'config.json',
      'credentials.json',
    ]);
    expect(fs.readdirSync(join(local, 'social'))).toEqual(
      expect.arrayContaining(['history.ndjson', 'sandbox.json']),
    );
    expect(fs.readdirSync(home)).toEqual(['AppData']);
  });

  it('settings, tokens and token files outside of the profile are rejected, also behind a link', async () => {
    const { home, roaming, run } = setup();
    const elsewhere = freshHome();
    const real = fs.realpathSync(home);
    const refused = async (what: string, env: Record<string, string>) => {
      const { exitCode, stdout, stderr } = await run(get, '', env);
      expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: '' });
      expect(stderr).toContain(
        `error: refusing to ${what}: other users may read or change what is outside ${real}; move it there`,
      );
    };
    const nowhere = { APPDATA: '/no/such', LOCALAPPDATA: 'none' };
    await refused(`use ${elsewhere}`, { SOCIAL_CONFIG_DIR: elsewhere, ...nowhere });
    expect(fs.existsSync('none')).toBe(false);
    const token = join(elsewhere, 'token');
    fs.writeFileSync(token, CANARY);
    await refused(`read ${token}`, {
      SOCIAL_TOKEN_FILE: token,
      SOCIAL_BASE_URL: 'https://api.example',
    });
    const config = join(roaming, 'social/config.json');
    fs.mkdirSync(join(roaming, 'social'));
    fs.writeFileSync(join(elsewhere, 'config.json'), '{}');
    fs.symlinkSync(join(elsewhere, 'config.json'), config);
    await refused(`read ${config}`, {});
  });

  it('the profile may have folders on another drive', async () => {
    const { run } = setup();
    const there = { APPDATA: freshHome(), LOCALAPPDATA: freshHome() };
    const set = await run(['config', 'set', 'timeout', '20s'], '', there);
    expect(set).toMatchObject({ exitCode: 0 });
    const own = join(there.LOCALAPPDATA, 'own');
    fs.cpSync(join(there.APPDATA, 'social'), own, { recursive: true });
    const env = { ...there, SOCIAL_CONFIG_DIR: own };
    expect((await run(['config', 'list'], '', env)).stdout).toContain('timeout\t20s');
  });
});

describe('a path of Windows', () => {
  it('keeps its backslashes in a command line, and a quoted part its spaces', () => {
    const line = `"C:\\Program Files\\pass\\pass.exe" show 'my entry' C:\\x\\`;
    expect(splitShellWords(line, 'win32')).toEqual([
      'C:\\Program Files\\pass\\pass.exe',
      'show',
      'my entry',
      'C:\\x\\',
    ]);
    expect(splitShellWords(`C:\\x "y`, 'win32')).toBeUndefined();
  });

  it('is set in a variable as PowerShell does', () => {
    expect(setVariableLine('X', "it's", 'win32')).toBe("$env:X = 'it''s'");
    expect(setVariableLine('X', "it's", 'linux')).toBe(`export X='it'"'"'s'`);
  });
});

it('comes from the system, unless a variable names the folder', () => {
  const home = () => '/home/ann';
  const folders = (env: Record<string, string>, platform: string) =>
    [configDirFrom, stateDirFrom].map((from) => from(env, home, platform));
  const system = { APPDATA: '/r', LOCALAPPDATA: '/l' };
  const linux = ['/home/ann/.config/social', '/home/ann/.local/state/social'];
  expect(folders(system, 'linux')).toEqual(linux);
  expect(folders(system, 'darwin')).toEqual(linux);
  expect(folders(system, 'win32')).toEqual(['/r/social', '/l/social']);
  const usual = ['/home/ann/AppData/Roaming/social', '/home/ann/AppData/Local/social'];
  expect(folders({}, 'win32')).toEqual(usual);
  expect(folders({ APPDATA: 'r', LOCALAPPDATA: '' }, 'win32')).toEqual(usual);
  const xdg = { ...system, XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' };
  expect(folders(xdg, 'win32')).toEqual(['/c/social', '/s/social']);
  const own = { ...xdg, SOCIAL_CONFIG_DIR: '/own', SOCIAL_STATE_DIR: '/state' };
  expect(folders(own, 'win32')).toEqual(['/own', '/state']);
});
