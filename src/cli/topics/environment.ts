// `help environment`: the variables that are read. Those that stand in for a flag come from the flags' table.

import { globalFlags, longName } from '../globals.ts';

const own: readonly (readonly [string, string])[] = [
  ['SOCIAL_TOKEN', 'Bearer token'],
  ['SOCIAL_CONFIG_DIR', 'Folder for settings (~/.config/social)'],
  ['SOCIAL_STATE_DIR', 'Folder for the sandbox and other state (~/.local/state/social)'],
  ['SOCIAL_NO_HISTORY', 'Keep no record of changes and of ids seen on this machine'],
  ['NO_COLOR, FORCE_COLOR', 'Colour off, or on; NO_COLOR wins'],
  ['NODE_EXTRA_CA_CERTS', 'File with further certificate authorities'],
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
    'A flag counts before its variable.',
    '',
    ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
  ];
}
