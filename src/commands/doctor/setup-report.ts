// `doctor --report`: what to paste into a bug report, as Markdown or as data. It is made of words of this program, of
// numbers, and of values from closed lists alone: nothing that a user has typed or stored can be in it.

import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '../../base/runtime.ts';
import { isLoopbackHost } from '../../base/url.ts';
import { version } from '../../base/version.ts';
import { variables } from '../../cli/help-topics.ts';
import type { LocalCall } from '../../cli/local-command.ts';
import { isJsonForm } from '../../config/choices.ts';
import { isHistoryOff } from '../../config/flags.ts';
import {
  SANDBOX,
  type SettingOrigin,
  settingOrigins,
  switchOrigin,
} from '../../config/settings.ts';
import { isUnicode } from '../../output/locale.ts';
import { markdownTable } from '../../output/markdown.ts';
import { printRows } from '../../output/write-result.ts';
import type { Finding } from './finding.ts';

/** Shows the report. Succeeds whatever the checks found. */
export async function showReport(findings: readonly Finding[], call: LocalCall): Promise<void> {
  const { runtime, form } = call;
  const report = reportOf(findings, call);
  if (isJsonForm(form)) return printRows(call, [], [report], report);
  await runtime.stdout.write(runtime.secrets.mask(asMarkdown(report)));
}

const reportOf = (findings: readonly Finding[], call: LocalCall) => ({
  program: programOf(call.runtime),
  terminal: terminalOf(call.runtime),
  stored: storedOf(call),
  variables: variablesSet(call.runtime),
  settings: settingsOf(call),
  findings: findings.map(({ check, status, shared: what }) => ({ check, status, what })),
});

function programOf({ program }: Runtime) {
  const { node, platform, arch, folder } = program;
  // What follows the numbers may be chosen by whoever built the system.
  const [kernel = 'unknown'] = /^\d+(?:\.\d+)*/.exec(release()) ?? [];
  const place = existsSync('/.dockerenv') ? ', in a container' : '';
  const install = `${installOf(folder)}${place}`;
  return { social: version, node, platform, release: kernel, arch, install };
}

/** How the program was installed, by the folder of its files. */
export function installOf(folder: string): string {
  const path = folder.replaceAll('\\', '/');
  if (/\/(?:Cellar|homebrew)\//.test(path)) return 'Homebrew';
  if (/\/scoop\//i.test(path)) return 'Scoop';
  if (path.includes('/node_modules/')) return 'npm';
  if (existsSync(join(folder, '../src/start.ts'))) return 'a checkout';
  if (existsSync(join(folder, 'main.cjs'))) return 'a copy of the package';
  if (existsSync(join(folder, '../share/social/files'))) return 'install.sh';
  return path === '/usr/bin' ? '.deb or .rpm' : 'the single file';
}

const kindOf = ({ isTTY }: { readonly isTTY: boolean }) => (isTTY ? 'terminal' : 'no terminal');

function terminalOf({ stdin, stdout, stderr, env }: Runtime) {
  const { columns, rows } = stdout.isTTY ? stdout : stderr;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return {
    stdin: kindOf(stdin),
    stdout: kindOf(stdout),
    stderr: kindOf(stderr),
    size: columns === undefined ? 'unknown' : `${columns} columns, ${rows ?? 'unknown'} rows`,
    term: known(env['TERM'] ?? '', TERMS),
    locale: known(locale, LOCALES),
    signs: isUnicode(env) ? 'UTF-8' : 'ASCII',
  };
}

/** The usual ones; another value could be anything. */
const TERMS =
  /^(?:alacritty|ansi|cygwin|dumb|foot|kitty|linux|rxvt|screen|st|tmux|vt\d{3}|wezterm|xterm)(?:-(?:256color|color|direct|ghostty|kitty|unicode-256color))*$/;
const LOCALES = /^(?:C|POSIX|[a-z]{2}_[A-Z]{2})(?:\.(?:utf-?8|iso-?8859-?\d{1,2}))?(?:@euro)?$/i;

const known = (text: string, usual: RegExp): string =>
  text === '' ? 'not set' : usual.test(text) ? text : 'another one';

/** How much is stored; not what. */
function storedOf({ config, runtime }: LocalCall) {
  const contexts = Object.values(config.contexts ?? {});
  const count = (has: (context: (typeof contexts)[0]) => boolean) => contexts.filter(has).length;
  return {
    contexts: contexts.length,
    protected: count((each) => each.protected === true),
    tokenCommands: count(({ tokenCommand }) => tokenCommand !== undefined),
    tokensInKeychain: count(({ tokenIn }) => tokenIn === 'keychain'),
    history: isHistoryOff(runtime) ? 'off' : 'on',
  };
}

/** The names of the variables that are set. */
function variablesSet({ env }: Runtime): readonly string[] {
  const names = [...variables().map(([name]) => name), 'NODE_OPTIONS', 'SSL_CERT_FILE'];
  const all = names.flatMap((name) =>
    name.endsWith('_PROXY') ? [name, name.toLowerCase()] : [name],
  );
  return [...new Set(all)].filter((name) => (env[name] ?? '') !== '');
}

const setting = (name: string, value: string, from: SettingOrigin = 'default') => ({
  name,
  value,
  from,
});

function settingsOf({ settings, flags, config, runtime: { env } }: LocalCall) {
  const { context, contextFrom, stored, baseUrl, accountOrigin, cacert } = settings;
  const sources = { raw: flags, env, stored, config };
  const text = (name: string, value: string) =>
    setting(name, value, settingOrigins(name, sources)?.from);
  const onOff = (name: 'utc' | 'accessible' | 'noInput' | 'debug') =>
    setting(name, settings[name] ? 'on' : 'off', switchOrigin(name, sources));
  const kind = context === SANDBOX ? 'the sandbox' : stored === undefined ? 'unknown' : 'stored';
  const isProtected = stored?.protected === true ? ', protected' : '';
  return [
    setting('context', context === undefined ? 'none' : `${kind}${isProtected}`, contextFrom),
    text('baseUrl', baseUrl === undefined ? 'none' : kindOfAddress(baseUrl)),
    setting('account', accountOrigin === undefined ? 'none' : 'set', accountOrigin),
    text('output', settings.wide ? 'wide' : (settings.output ?? 'automatic')),
    text('color', settings.color.choice),
    text('timeout', `${settings.timeoutMs} ms`),
    text('retries', String(settings.retries)),
    text('cacert', cacert === undefined ? 'none' : 'set'),
    ...(['utc', 'accessible', 'noInput', 'debug'] as const).map(onOff),
  ];
}

/** `https, custom host, with a path`: what matters of an address, without its name. */
function kindOfAddress(address: string): string {
  const { protocol, hostname, port, pathname } = new URL(address);
  return [
    protocol.slice(0, -1),
    isLoopbackHost(hostname) ? 'loopback' : 'custom host',
    ...(port === '' ? [] : ['with a port']),
    ...(pathname === '/' ? [] : ['with a path']),
  ].join(', ');
}

function asMarkdown(report: ReturnType<typeof reportOf>): string {
  const { social, node, platform, release: kernel, arch, install } = report.program;
  const { stdin, stdout, stderr, size, term, locale, signs } = report.terminal;
  const { contexts, tokenCommands, tokensInKeychain, history } = report.stored;
  return `${[
    `### social ${social} on Node ${node}`,
    [
      `- system: ${platform} ${kernel} ${arch}; installed by: ${install}`,
      `- stdin: ${stdin}; stdout: ${stdout}; stderr: ${stderr}; size: ${size}`,
      `- TERM: ${term}; locale: ${locale}; signs: ${signs}`,
      `- contexts: ${contexts} (${report.stored.protected} protected, ${tokenCommands} with a token command, ${tokensInKeychain} with a token in the keychain); history: ${history}`,
      `- variables set: ${report.variables.join(', ') || 'none'}`,
    ].join('\n'),
    markdownTable(
      ['Setting', 'Value', 'From'],
      report.settings.map(({ name, value, from }) => [name, value, from]),
    ),
    markdownTable(
      ['Check', 'Status', 'Seen'],
      report.findings.map(({ check, status, what }) => [check, status, what]),
    ),
  ].join('\n\n')}\n`;
}
