// The texts of `help <topic>`, read off data where there is some. Loaded late: `topic-names.ts` names them.

import { everyOperation } from '../api/operations/registry.ts';
import { failureKinds } from '../base/errors.ts';
import { globalFlags, longName } from '../config/flags.ts';
import { assumptions } from '../sandbox/assumptions.ts';

// `help assumptions`: all that the operations take for granted, read off their data.

/** What is taken for granted of every operation. */
const everywhere = [
  'any 2xx is a success unless its body says error; the document shows the status of one success',
  '401 and 403 are about the token, 404 and 410 about what is not there, 429 asks to wait, any other 4xx is a refusal; the document shows no status of any error',
  'after a 5xx a change may have happened; it is not repeated unless its method allows that',
  'lengths count Unicode code points; the document names no unit',
  'Retry-After is kept to; the document shows no limits',
];

export async function assumptionsTopic(): Promise<readonly string[]> {
  const operations = await everyOperation();
  const assuming = operations.filter(({ operation }) => operation.assumes.length > 0);
  return [
    'Assumptions',
    '',
    'What the API document does not show and this tool takes for granted:',
    '',
    '  everywhere',
    ...everywhere.map((each) => `    - ${each}`),
    ...assuming.flatMap(({ operation }) => [
      '',
      `  social ${operation.command}`,
      ...operation.assumes.map((each) => `    - ${each}`),
    ]),
  ];
}

// `help batch`: the forms of a list, and what a journal promises.

export function batchTopic(): readonly string[] {
  return [
    'Batches',
    '',
    'Every command of the service takes --from <file>, or - for standard input: a record a line.',
    '',
    '  PostSpringLaunch                                        an id, the first argument',
    '  {"postId":"PostSpringLaunch","targetIds":["…"]}         a JSON object of inputs',
    '  postId,target                                           or CSV with a header; lists with ;',
    '',
    'Which it is, the first line of data says. Blank lines and # comments are skipped, repeats are done',
    'once, flags fill in what a record leaves out. All records are checked before the first is sent.',
    '',
    '  --concurrency 8        requests under way at once, 1 to 32',
    '  --rate 10/s, 90/m      requests a second or minute',
    '  --fail-fast, --max-failures n    start nothing more; what is under way finishes',
    '  --failures-to f        what failed or was not started, for another --from',
    '  --shard 2/8            only this part of the list, for machines side by side',
    '',
    'With --journal each change is written down, durably, before it leaves. The same line again does what',
    'is left: nothing that was done, and nothing of which the outcome is unknown, unless --retry-unknown.',
    '--journal auto keeps it with the state; it goes away when everything is done.',
    '',
    'Results come as they finish; --json gives a line each:',
    '  {"line","input","ok","exitCode","data"|"error"}',
    'Exit: 0 all done, 11 some failed, 12 nothing worse than unknown, 4 the token was refused.',
    'Ctrl-C starts nothing more and waits up to 10 s for what is under way; a second one ends at once.',
  ];
}

// `help contexts`: what a context is, what goes with it, and which of several counts.

export function contextsTopic(): readonly string[] {
  return [
    'Contexts',
    '',
    'A context is a service by name: its address, a token, and defaults. sandbox is built in.',
    '',
    '  social auth login -C prod --base-url <url>  make one, and keep its token',
    '  social context set prod --protected         change it: address, defaults',
    '  social context use prod                     when none is named',
    '  social context list                         all of them',
    '  social -C staging posts get <id>            this one, for one call',
    '',
    'Which one counts: -C, then SOCIAL_CONTEXT, then the one in use. What is kept in it gives way to a flag and to a variable: --base-url, then SOCIAL_BASE_URL, then the address of the context.',
    '',
    'Which token counts: SOCIAL_TOKEN, then SOCIAL_TOKEN_FILE, then the context’s --token-command (a password manager, run without a shell), then the stored one. A stored token, a token file and what a token command prints go to the origin of their context and nowhere else; every token goes over https only, or to this machine. social auth status tells which one won, and why.',
    '',
    'In a protected context every change asks first. --yes answers, except before deleting and disabling: there the id is typed, or given with --confirm.',
    '',
    'Names are 1 to 32 letters, digits, - and _.',
  ];
}

// `help environment`: the variables that are read. Those that stand in for a flag come from the flags' table.

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

export function environmentTopic(): readonly string[] {
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

// `help exit-codes`: read off the table of failures, so that it cannot differ from it.

/** Every code a command can end with, and what it means. */
export function exitCodeTable(): readonly {
  readonly code: number;
  readonly name: string;
  readonly meaning: string;
}[] {
  const done = { code: 0, name: 'done', meaning: 'done (a closed pipe counts as done)' };
  const rows = Object.entries(failureKinds);
  return [done, ...rows.map(([name, { exitCode: code, meaning }]) => ({ code, name, meaning }))];
}

export function exitCodesTopic(): readonly string[] {
  const table = exitCodeTable();
  const width = Math.max(...table.map(({ name }) => name.length));
  const rows = table.map(
    ({ code, name, meaning }) => `${String(code).padStart(5)}  ${name.padEnd(width)}  ${meaning}`,
  );
  return [
    'Exit codes',
    '',
    ...rows,
    '',
    'The word is the code of an error object (--json) where the service gave none of its own. After 12, and after a signal whose message says so, a change may have happened: look before you repeat.',
    '',
    'After a signal the process ends by the signal itself, so a shell shows 129, 130 or 143 and stops its loop.',
  ];
}

export function outputTopic(): readonly string[] {
  return [
    'Output',
    '',
    'stdout carries the result and nothing else; notes, questions and errors go to stderr.',
    '',
    '  -o table   for reading; fitted to the terminal, blocks of fields below 60 columns',
    '  -o tsv     for pipes: the rows of the table, all their columns, no heading, nothing cut',
    '  --json     the service’s data, unchanged: one document, one line in a pipe',
    '  -o ndjson  one JSON value a line: the items where the result is a list',
    '',
    'Without a choice a terminal gets a table and a pipe gets TSV.',
    '',
    'In TSV a list is a line a row, and what stands above its table is left out; one thing is one line with all its fields. Each field keeps its place, what is absent is -, so a script may count:',
    '  social posts get PostSpringLaunch | cut -f1,2        platform and status of each target',
    '  social posts retry PostSpringLaunch | cut -f1,2      the same, after a retry',
    '',
    '  --fields      status,targets.id picks fields by their path, in every form',
    '  --jq          puts the JSON through jq: the same as --json | jq -r, without jq. A string is printed as it is, all else as JSON, a result a line. An expression that does not compile sends nothing (exit 2); one that does not fit the data ends with 13. Errors stay text unless --json',
    '  --utc         exact times in a table instead of relative ones; a pipe gets them as they were sent',
    '  --color       auto, always or never; --no-color is never. The flag takes precedence over NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR, these over the settings; an empty variable is unset. A word and a sign always say the same as a color',
    '  --accessible  plain lines instead of tables',
    '  -q            keeps notes and warnings back',
    '',
    'Text of the service is shown without control characters and escape sequences; JSON has it whole, escaped, and every number with its own digits. What the API document does not list is shown as it came.',
    '',
    'Several ids with --json give one line each: {"line","input","ok","exitCode","data"|"error"}.',
    '',
    'A failure leaves stdout empty, but for a wait that ended badly: that shows the last state. With --json the last line of stderr is one object:',
    '',
    '  {"ok":false,"error":{"code","message","details","status","sent","outcome",',
    '   "retryable","hint","next","exitCode","kind","why":[…],"retryAfterMs",',
    '   "timedOut","attempts","host","requestId"}}',
  ];
}

// `help sandbox`: what the embedded service is, and what it takes for granted.

export function sandboxTopic(): readonly string[] {
  return [
    'The sandbox',
    '',
    'A real HTTP service that comes with this tool, over a state kept on this machine.',
    '',
    '  social -C sandbox posts get PostSpringLaunch   start it for one command',
    '  social sandbox serve                           run it, to point scripts at',
    '  social sandbox show                            what it holds, with an id of every kind',
    '  social sandbox reset --state outage            start over, here with 240 failed posts',
    '',
    'It listens on 127.0.0.1 only, wants its own random token, and contacts nobody.',
    '',
    'As a test bench for scripts, sandbox serve makes faults on purpose:',
    '',
    "  social sandbox serve --chaos 'latency=200ms±100ms,429=5%,503=2%,reset=1%,lost=1%' --seed 7",
    '',
    '  latency  waits before anything is done; ± may be written +-',
    '  429      or any status from 400 to 599: answers it, and nothing is done',
    '  reset    the connection is reset before anything is done',
    '  lost     all is done, and no answer comes',
    '',
    'The same seed and the same requests meet the same faults. -C sandbox never makes any.',
    '',
    'The API document leaves some things open. There the sandbox assumes:',
    ...assumptions.map((line) => `  - ${line}`),
  ];
}

// `help scripting`: what a script may rely on, a screen of it. docs/scripting.md has the whole.

export function scriptingTopic(): readonly string[] {
  return [
    'Scripts',
    '',
    'stdout carries the result and nothing else, and stays empty where there is none. Off a terminal nothing is asked: what is missing is exit 2, and what takes something away needs --yes or --confirm <id>.',
    '',
    '  social posts get "$id" --jq .status',
    '  social posts get "$id" -o tsv --fields targets.id,targets.status',
    '  social posts retry --from ids.txt --failed --journal auto --json',
    "  social api GET /v1/queue -f limit=20 --jq '.[].id'",
    '',
    '--jq is --json | jq -r without jq: a string as it is, all else as JSON, a result a line; compiled before anything is sent. In a batch it is given the line of each item.',
    '',
    'Ask the exit code, not the text (social help exit-codes):',
    '',
    '  0        done',
    '  2, 3     nothing was sent',
    '  4, 5, 6  token; not found; refused',
    '  7, 9     too many requests; no answer: nothing has changed, do it again',
    '  8, 10    still pending; ended badly: the last state is on stdout',
    '  11       some of many failed: --failures-to, or the same --journal',
    '  12       outcome unknown: first run the command that stderr names',
    '',
    'Reads are repeated by themselves; a change that may have happened never is. --json makes an error one object on the last line of stderr.',
    '',
    'In CI, SOCIAL_BASE_URL and SOCIAL_TOKEN (or SOCIAL_TOKEN_FILE) are all it needs; SOCIAL_NO_HISTORY=1 keeps no record.',
  ];
}
