// `help environment`: the variables that are read. Those that stand in for a flag come from the flags' table.

import { globalFlags, longName } from '../globals.ts';

const own: readonly (readonly [string, string])[] = [
  ['SOCIAL_TOKEN', 'Bearer token; counts before every other source of one'],
  ['SOCIAL_TOKEN_FILE', 'File that holds the token; nobody else may read it'],
  ['SOCIAL_CONFIG_DIR', 'Folder for settings (~/.config/social)'],
  ['SOCIAL_STATE_DIR', 'Folder for the sandbox, journals and history (~/.local/state/social)'],
  ['SOCIAL_NO_HISTORY', 'Keep no record of changes and of ids seen on this machine'],
  ['XDG_CONFIG_HOME', 'Holds the folder for settings, unless that is told'],
  ['XDG_STATE_HOME', 'Holds the folder for state, unless that is told'],
  ['XDG_CACHE_HOME', 'Holds the folder for compiled files (~/.cache)'],
  ['NO_COLOR', 'No colour, unless --color says otherwise'],
  ['FORCE_COLOR', 'Colour in a pipe too; 0 for none; NO_COLOR takes precedence'],
  ['CLICOLOR_FORCE', 'Same as FORCE_COLOR=1'],
  ['CLICOLOR', '0: no colour'],
  ['TERM', 'dumb: no colour, questions line by line, nothing is redrawn'],
  ['CI', 'Nothing is redrawn'],
  ['LC_ALL', 'The locale: signs beyond ASCII where it says UTF-8'],
  ['LC_CTYPE', 'The locale, where LC_ALL is not set'],
  ['LANG', 'The locale, where neither is set'],
  ['ACCESSIBLE', 'Same as SOCIAL_ACCESSIBLE'],
  ['VISUAL', 'The editor of --editor'],
  ['EDITOR', 'The editor, where VISUAL is not set (vi)'],
  ['HTTPS_PROXY', 'Proxy for https, also as https_proxy; never for this machine'],
  ['NO_PROXY', 'Hosts that go without the proxy, also as no_proxy'],
  ['NODE_EXTRA_CA_CERTS', 'File with further certificate authorities'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', 'Ignored: certificates are always checked'],
  ['NODE_DISABLE_COMPILE_CACHE', 'Start without the cache of compiled files'],
];

/** Every variable that is read, and what it does. */
export function variables(): readonly (readonly [name: string, text: string])[] {
  const flags = globalFlags.flatMap(({ env, flags: each }) =>
    env === undefined ? [] : [[env, `Same as ${longName(each)}`] as const],
  );
  return [...flags, ...own];
}

export function environment(): readonly string[] {
  const rows = variables();
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    'Environment',
    '',
    'A flag counts before its variable, a variable before the context and the settings.',
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
    '',
    'Whether what is set here is any good: social doctor',
  ];
}
