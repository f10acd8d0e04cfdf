// The texts of `help <topic>`, made from data where possible.

import { allBatchFlags } from '../batch/options.ts';
import { failureKinds } from '../base/errors.ts';
import { bugsUrl, homepage } from '../base/version.ts';
import { globalFlags, longName, noteFlag, type FlagSpec } from '../config/flags.ts';
import { aligned, type TopicPart } from './help.ts';

export const topics: Readonly<Record<string, () => readonly TopicPart[]>> = {
  flags: () => [
    'Global flags',
    'These flags may stand before or after the name of any command. One that a command cannot follow is refused: --dry-run where it would still change this machine, a table for the JSON of social api.',
    ...[...new Set(globalFlags.map(({ group }) => group))].flatMap((group) => [
      `${group}:`,
      ...flagRows(globalFlags.filter((flag) => flag.group === group)),
    ]),
    ...(homepage === undefined ? [] : [`Docs: ${homepage}`]),
    ...(bugsUrl === undefined ? [] : [`Bugs: ${bugsUrl}`]),
  ],
  // The formats of a list, the flags, and the guarantees of a journal.
  batch: () => [
    'Batches',
    'A command whose help names this page accepts --from <file> ("-" for stdin), one record per line:',
    ['PostSpringLaunch', 'an ID, the first argument'],
    ['{"postId":"…","targetIds":…}', 'a JSON object of inputs'],
    ['postId,target', 'CSV with a header; lists with ;'],
    'The first line of data decides the format. Blank lines and # comments (in CSV only above the header) are skipped, duplicates are ignored, and flags apply to every record that does not set the field itself. All records are checked before the first request.',
    ...flagRows([...allBatchFlags, noteFlag]),
    'With --wait all changes go out first; posts that are still moving are then polled under the same limits. Results appear as they finish.',
    'With --journal (changes alone) every change is recorded on disk before it is sent. Run the same command again to resume the batch: it skips what is done, also single targets of a post, and what has an unknown outcome (social history settle finds out what became of it; --retry-unknown resends it).',
    'With --json each result is one line: {"line","input","ok","exitCode","data"|"error"}',
    'Exit codes: 0 all done, 11 some failed, 12 none failed but some are unknown, 8 some are accepted and have not ended, 4 the token was rejected. Ctrl-C stops the batch and its waits, and waits up to 10s for requests in progress; a second Ctrl-C quits at once.',
  ],
  environment: () => [
    'Environment',
    'Flags take precedence over variables, and variables over the context and the settings.',
    ...variables(),
    'Check your setup: social doctor',
  ],
  'exit-codes': () => [
    'Exit codes',
    ...exitCodeTable().map(({ code, name, meaning }): TopicPart => [
      `${String(code).padStart(3)}  ${name}`,
      meaning,
    ]),
    'With --json, error.kind is this name, and so is error.code unless the service sent a code of its own. After 12, and after a signal whose message says so, a change may have been applied: check before you run it again.',
    'After a signal the process ends by that signal, so a shell shows 129, 130 or 143 and stops its loop.',
  ],
  output: () => [
    'Output',
    'stdout contains the result and nothing else; notes, prompts and errors go to stderr.',
    ['-o table', 'for reading; fits the terminal; below 60 columns one key: value line per field'],
    ['-o wide', 'the table with all columns, however wide'],
    ['-o tsv', 'for pipes: the rows of the table with all columns, no header, nothing truncated'],
    [
      '-o csv',
      'for a spreadsheet: a header and all columns; a cell that would run as a formula becomes text, and --from reads it as it was',
    ],
    ['--json', 'the service’s data, unchanged: one document, on one line in a pipe'],
    ['-o ndjson', 'one JSON value per line: the items if the result is a list'],
    'The default is a table on a terminal and TSV in a pipe.',
    'In TSV a list has one row per line, without the lines above its table; a single result is one line with all its fields, except that of sandbox show. The order of the columns never changes and a missing value is -, so scripts can rely on it: social posts get <post-id> | cut -f1,2 prints platform and status of each target.',
    ['--fields', 'print only these fields, e.g. status,targets.id, in every format'],
    [
      '--jq',
      'filter the JSON with a jq expression, like --json | jq -r: strings are printed raw, everything else as JSON, one result per line. An invalid expression exits with 2 and sends nothing; an expression that fails on the data exits with 13. Errors stay text unless --json is given',
    ],
    ['--utc', 'exact UTC times in tables instead of relative ones; pipes get times as sent'],
    [
      '--color',
      'auto, always or never (--no-color = never). The flag takes precedence over NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR, and these over the settings; an empty variable counts as unset. Colour is never the only sign of a status',
    ],
    ['--accessible', 'plain lines instead of tables'],
    ['-q', 'hide notes and warnings'],
    'Text from the service is shown without control characters and escape sequences. JSON contains it unchanged (escaped). --json also keeps the digits of numbers; --fields, --jq, -o ndjson, tables and TSV may round them above 2^53 and print 1.10 as 1.1. Values that the API document does not list are shown as they came.',
    'After an error stdout is empty; only a wait that ended with failures prints the last state. With --json the last line of stderr is one object:',
    '  {"ok":false,"error":{"code","message","details","status","sent","outcome",\n   "accepted","retryable","hint","next","exitCode","kind","why":[…],\n   "retryAfterMs","timedOut","attempts","host","requestId","clientRequestId"}}',
    'requestId is the service’s id of the request; clientRequestId is the x-request-id that was sent, the same for all attempts of a call. Errors, --debug and the history of changes show them. A dry run does not: each call has its own.',
  ],
};

const flagRows = (flags: readonly FlagSpec[]): readonly TopicPart[] =>
  flags.map(({ flags: term, description }) => [aligned(term), description]);

/** The variables that replace no flag. */
const otherVariables: readonly (readonly [string, string])[] = [
  ['SOCIAL_TOKEN', 'Bearer token; takes precedence over every other source'],
  ['SOCIAL_TOKEN_FILE', 'File with the token; must not be readable by others'],
  ['SOCIAL_CONFIG_DIR', 'Folder for settings (default ~/.config/social)'],
  ['SOCIAL_STATE_DIR', 'Folder for sandbox and history (default ~/.local/state/social)'],
  ['SOCIAL_NOTE', 'Note stored with every change, same as --note'],
  ['SOCIAL_NO_HISTORY', 'Do not record changes and IDs on this machine'],
  ['XDG_CONFIG_HOME', 'Parent of the settings folder, unless SOCIAL_CONFIG_DIR is set'],
  ['XDG_STATE_HOME', 'Parent of the state folder, unless SOCIAL_STATE_DIR is set'],
  ['XDG_CACHE_HOME', 'Parent of the cache folder (default ~/.cache)'],
  ['APPDATA', 'On Windows: parent of the settings folder, unless one of these is set'],
  ['LOCALAPPDATA', 'On Windows: parent of the state folder, likewise, and of the cache'],
  ['NO_COLOR', 'No colour, unless --color is given'],
  ['FORCE_COLOR', 'Colour in pipes too; 0 for none (NO_COLOR takes precedence)'],
  ['CLICOLOR_FORCE', 'Same as FORCE_COLOR=1'],
  ['CLICOLOR', '0: no colour'],
  ['TERM', 'dumb: no colour, line prompts, no redrawing'],
  ['CI', 'No redrawing'],
  ['GITHUB_ACTIONS', 'true: no text on stderr can be a workflow command'],
  ['ACCESSIBLE', 'Same as SOCIAL_ACCESSIBLE'],
  ['SUDO_USER', 'Name recorded with a change under sudo'],
  ['VISUAL', 'Editor for --editor'],
  ['EDITOR', 'Editor if VISUAL is not set (default vi, on Windows notepad)'],
  ['SSH_CONNECTION', 'posts open prints the address; also with SSH_TTY'],
  ['SSH_TTY', 'Same as SSH_CONNECTION'],
  ['DISPLAY', 'On Linux, posts open needs one of these three for a browser'],
  ['WAYLAND_DISPLAY', 'Same as DISPLAY'],
  ['WSL_DISTRO_NAME', 'Same as DISPLAY'],
  ['HTTPS_PROXY', 'Proxy for https, also as ALL_PROXY or in small letters; not used for localhost'],
  ['NO_PROXY', 'Hosts and networks to reach without the proxy, also as no_proxy'],
  ['NODE_EXTRA_CA_CERTS', 'File with additional certificate authorities'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', 'Ignored: certificates are always checked'],
  ['NODE_DISABLE_COMPILE_CACHE', 'Do not use the compile cache'],
];

/** Lists every variable that is read, with its effect. */
export function variables(): readonly (readonly [name: string, text: string])[] {
  const flags = globalFlags
    .filter(({ env }) => env !== undefined)
    .map(({ env, flags: names }) => [env!, `Same as ${longName(names)}`] as const);
  return [...flags, ...otherVariables];
}

/** Lists every exit code of a command with its meaning, from the table of failures. */
export function exitCodeTable() {
  const done = {
    code: 0,
    name: 'done',
    meaning: 'success (also when the output pipe is closed, unless that stops a batch: 13)',
  };
  const rows = Object.entries(failureKinds);
  return [done, ...rows.map(([name, { exitCode: code, meaning }]) => ({ code, name, meaning }))];
}
