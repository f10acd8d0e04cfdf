// `social doctor --report`: a bug report says what matters of a machine, and nothing that belongs to its user.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installOf } from '../../../src/commands/doctor/setup-report.ts';
import { variables } from '../../../src/cli/help-topics.ts';
import { socialInProcess } from '../../support/in-process.ts';
import { freshHome, social } from '../../support/program.ts';
import { recordingServer } from '../../support/recording-server.ts';
import { temporaryFolder, testCli } from '../../support/test-cli.ts';

const SECRET = 'canaryFromEverywhere';
const ACCOUNT = 'CanaryAccountAbc';

interface Report {
  readonly settings: readonly { name: string; value: string; from: string }[];
  readonly findings: readonly { check: string; status: string; what: string }[];
  readonly variables: readonly string[];
  readonly stored: object;
}

/** Settings of which everything that is free text is a canary. */
const contexts = (url: string, more: object = {}) => ({
  context: 'canaryProd',
  account: ACCOUNT,
  timeout: '45s',
  contexts: {
    canaryProd: {
      baseUrl: `${url}/canary`,
      account: ACCOUNT,
      accounts: { mastodon: ACCOUNT },
      protected: true,
      tokenIn: 'file',
      ...more,
    },
    canaryOther: { tokenIn: 'keychain' },
  },
  format: 1,
});

interface Stored {
  readonly contexts?: Readonly<Record<string, { readonly baseUrl?: string }>>;
}

/** A home with settings, tokens and state of the user's own. */
function lived(config: object | string, home = join(freshHome(), 'canaryHome')) {
  const folder = join(home, '.config/social');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, content: object | string) =>
    fs.writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content),
      { mode: 0o600 },
    );
  write('config.json', config);
  const { baseUrl } = Object.values((config as Stored).contexts ?? {})[0] ?? {};
  const origin = baseUrl === undefined ? '' : new URL(baseUrl).origin;
  write('credentials.json', { canaryProd: { token: SECRET, origin } });
  fs.writeFileSync(join(home, 'canary.pem'), '');
  write('names.json', { canaryProd: { canary: 'CanaryPostLaunch' } });
  fs.writeFileSync(join(home, '.bashrc'), 'eval "$(social completion bash -q)" # canary\n');
  return home;
}

/** Node itself reads these; a folder would be another one than that of the test. */
const short = ['LANG', 'LC_ALL', 'LC_CTYPE'];
const own = /_DIR$|^XDG_|^NODE_EXTRA/;
const everywhere = Object.fromEntries(
  variables()
    .filter(([name]) => !own.test(name))
    .map(([name]) => [name, short.includes(name) ? 'canary' : SECRET]),
);
const proxy = {
  HTTPS_PROXY: 'http://canary:canary@canary.example:3128',
  NO_PROXY: 'canary.example',
};

async function nothingLeaks(
  home: string,
  env: Readonly<Record<string, string>>,
  ...more: readonly string[]
) {
  const plain = await socialInProcess(['doctor', '--report', ...more], { home, env });
  // In a process of its own one of the two: Node itself reads some variables.
  const json = await social(['doctor', '--report', '--json', ...more], { home, env });
  for (const { stdout, stderr, exitCode } of [plain, json]) {
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).not.toMatch(/canary/i);
    expect(stdout).not.toContain(home);
    expect(stdout).not.toMatch(/127\.0\.0\.1|\.example/);
  }
  expect(plain.stdout).toMatch(/^### social \d\S+ on Node v\d/);
  return JSON.parse(json.stdout) as Report;
}

const valueOf = ({ settings }: Report, name: string) => {
  const { value, from } = settings.find((each) => each.name === name)!;
  return `${value} from ${from}`;
};
const seenBy = ({ findings }: Report, name: string) =>
  findings.filter(({ check }) => check === name).map(({ status, what }) => `${status}: ${what}`);

describe('the report', () => {
  it('shows nothing of a user’s settings, tokens, names and proxies, and of what a service sends', async () => {
    const service = await recordingServer(() => ({
      status: 302,
      headers: { location: 'https://canary.example', 'x-request-id': SECRET },
      body: SECRET,
    }));
    const home = lived(contexts(service.url));
    const file = join(home, 'canary.token');
    fs.writeFileSync(file, SECRET, { mode: 0o600 });
    const env = { SHELL: '/bin/bash', ...proxy, SOCIAL_NOTE: SECRET };
    const known = await nothingLeaks(home, env, '--network');
    expect(service.requests.length).toBeGreaterThan(0);
    expect(valueOf(known, 'context')).toBe('stored, protected from config');
    expect(valueOf(known, 'baseUrl')).toBe('http, loopback, with a port, with a path from context');
    expect(valueOf(known, 'account')).toBe('set from context');
    expect(valueOf(known, 'timeout')).toBe('45000 ms from config');
    expect(known.variables).toEqual(expect.arrayContaining(['SOCIAL_NOTE', 'HTTPS_PROXY']));
    expect(known.stored).toMatchObject({ contexts: 2, protected: 1, tokensInKeychain: 1 });
    expect(seenBy(known, 'completion')).toEqual(['ok: bash, loaded in …']);
    expect(seenBy(known, 'network')).toEqual([
      expect.stringMatching(/^fail: it redirects to …: the base URL is probably wrong$/),
    ]);
    await nothingLeaks(home, { ...env, SOCIAL_TOKEN_FILE: file });
    await nothingLeaks(home, {
      ...env,
      SOCIAL_TOKEN: SECRET,
      SOCIAL_BASE_URL: 'https://canary.example',
    });
    const command = lived(contexts('https://canary.example', { tokenCommand: ['canary', SECRET] }));
    await nothingLeaks(command, env);
  });

  it('shows nothing of variables that are wrong, damaged settings, and files that are missing', async () => {
    const home = lived('{"contexts": "canary');
    const wrong = await nothingLeaks(home, { ...everywhere });
    expect(wrong.findings.filter(({ status }) => status === 'fail').length).toBeGreaterThan(4);
    expect(seenBy(wrong, 'settings')).toContain('fail: SOCIAL_TIMEOUT is invalid');
    expect(seenBy(wrong, 'settings')).toContain('fail: the context does not exist');
    expect(valueOf(wrong, 'timeout')).toBe('30000 ms from environment');
    await nothingLeaks(
      home,
      {
        SHELL: `/bin/${SECRET}`,
        HTTPS_PROXY: 'socks5://canary:canary@canary.example',
        NODE_EXTRA_CA_CERTS: join(home, 'canary.pem'),
      },
      '--cacert',
      join(home, 'canary.pem'),
    );
    fs.chmodSync(join(home, '.config/social/credentials.json'), 0o644);
    const open = await nothingLeaks(home, {});
    expect(seenBy(open, 'token')).toContain('fail: others can read … (mode 0644)');
  });

  it('says in a terminal what it is', async () => {
    const { stdout } = await testCli().social(['doctor', '--report'], {
      columns: 132,
      env: { TERM: 'xterm-256color', LANG: 'de_DE.UTF-8', LC_CTYPE: '', SOCIAL_CONTEXT: 'sandbox' },
    });
    expect(stdout).toContain('size: 132 columns');
    expect(stdout).toContain('TERM: xterm-256color; locale: de_DE.UTF-8; signs: UTF-8');
    expect(stdout).toContain('| context | the sandbox | environment |');
    expect(stdout).toContain('| service | ok | the embedded sandbox |');
  });

  it.each([
    ['/opt/homebrew/Cellar/social/1/libexec/lib/node_modules/@social-cli/social/dist', 'Homebrew'],
    ['C:\\Users\\a\\scoop\\apps\\social\\1\\node_modules\\@social-cli\\social\\dist', 'Scoop'],
    ['/usr/lib/node_modules/@social-cli/social/dist', 'npm'],
    ['/usr/bin', '.deb or .rpm'],
  ])('knows an installation in %s as %s', (folder, name) => {
    expect(installOf(folder)).toBe(name);
  });

  it('knows a checkout, a copy, and what install.sh has put there', async () => {
    const folder = temporaryFolder();
    for (const each of ['dist', 'src', 'bin', 'copy', 'share/social'])
      fs.mkdirSync(join(folder, each), { recursive: true });
    expect(installOf(join(folder, 'bin'))).toBe('the single file');
    for (const each of ['src/start.ts', 'share/social/files', 'copy/main.cjs'])
      fs.writeFileSync(join(folder, each), '');
    expect(installOf(join(folder, 'dist'))).toBe('a checkout');
    fs.rmSync(join(folder, 'src'), { recursive: true });
    expect(installOf(join(folder, 'copy'))).toBe('a copy of the package');
    expect(installOf(join(folder, 'bin'))).toBe('install.sh');
  });
});
