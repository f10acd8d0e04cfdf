// Lines of a shell: splits a line into words as a POSIX shell does, and makes the lines that this program suggests to
// type. Such a line is a list of words until `shellLine` quotes it to be printed. Expands and runs nothing.

import { INVISIBLE } from './sanitize.ts';

/**
 * A word of a line. A gap is printed as it is, and has only text of this program: `<session-id>` for the user to fill in,
 * `…` for an omitted text.
 */
export type Word = string | { readonly gap: string };

/** The words of a line to type, with the name of its program first. None is quoted. */
export type CommandLine = readonly Word[];

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gy;

/** On Windows a backslash is part of a path, never an escape. */
const WINDOWS_WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/gy;

/** Splits a line into words. Returns `undefined` for an open quote, or a backslash at the end. */
export function splitShellWords(
  line: string,
  platform: string = 'posix',
): readonly string[] | undefined {
  const isWindows = platform === 'win32';
  const pattern = isWindows ? WINDOWS_WORD : WORD;
  const words: string[] = [];
  const text = line.trim();
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) return undefined;
    words.push(isWindows ? found.replace(/"([^"]*)"|'([^']*)'/g, '$1$2') : unquoted(found));
    at += found.length;
    while (at < text.length && /\s/.test(text[at]!)) at++;
  }
  return words;
}

function unquoted(word: string): string {
  return word.replace(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
    (_all, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
  );
}

/** Characters that a terminal hides or acts on, and line breaks: a word with one cannot be read before it is typed. */
export const UNTYPEABLE = new RegExp(String.raw`[\n\t]|${INVISIBLE.source}`, 'u');

/**
 * Quotes the words as one line of a shell: pasted, it means these words and nothing else. Returns `undefined` if a word
 * cannot be shown as it is.
 */
export function shellLine(words: CommandLine): string | undefined {
  const isUntypeable = words.some((word) => typeof word === 'string' && UNTYPEABLE.test(word));
  return isUntypeable ? undefined : quotedLine(words);
}

/** Quotes the words as `shellLine` does, with whatever characters they have: the body of a request has line breaks. */
export const quotedLine = (words: CommandLine): string =>
  words.map((word) => (typeof word === 'string' ? shellQuote(word) : word.gap)).join(' ');

/** The sentence in place of a line that cannot be shown. */
export const NOT_SHOWN =
  'the command is not shown: one of its words has a control character or an invisible one';

/** Formats `try: social …`, or says instead that the command cannot be shown. */
export function labelledLine(label: string, words: CommandLine): string {
  const line = shellLine(words);
  return line === undefined ? NOT_SHOWN : `${label}: ${line}`;
}

/** True if both are the same line. */
export const isSameLine = (one: CommandLine, other: CommandLine | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * Quotes a word so that every POSIX shell reads the same text. In zsh, a word that begins with = is a program's path.
 * An apostrophe is quoted without a backslash, because a TSV cell doubles that, and the word would end there.
 */
function shellQuote(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** A command of this program. The IDs may come from the service. */
export interface SocialCommand {
  readonly words: CommandLine;
  readonly ids?: CommandLine | undefined;
  readonly flags?: CommandLine | undefined;
}

/** Fills in the IDs of a command that are written as `{name}`. */
export const withIds = (
  { ids = [], ...command }: SocialCommand,
  valuesOf: (name: string) => readonly string[],
): SocialCommand => ({
  ...command,
  ids: ids.flatMap((id): CommandLine => {
    const name = typeof id === 'string' ? /^\{(\w+)\}$/.exec(id)?.[1] : undefined;
    return name === undefined ? [id] : valuesOf(name);
  }),
});

/** The settings and flags of a call that select its service. */
interface SuggestedFrom {
  readonly settings: { readonly context?: string | undefined };
  readonly flags: Readonly<Record<string, unknown>>;
}

/** Makes the line of a command, with the service of the call if there is one: `social -C prod posts get …`. */
export const socialLine = (command: SocialCommand, call?: SuggestedFrom): CommandLine => [
  'social',
  ...(call === undefined ? [] : serviceFlags(call.settings.context, call.flags)),
  ...commandWords(command),
];

/** Returns the words of a command in the order in which they are typed. */
export function commandWords({ words, ids = [], flags = [] }: SocialCommand): CommandLine {
  // An ID that begins with a dash would be read as a flag.
  const isDashed = ids.some((id) => typeof id === 'string' && id.startsWith('-'));
  return isDashed ? [...words, ...flags, '--', ...ids] : [...words, ...ids, ...flags];
}

/** Makes the words of a flag with its value, for each value. */
export const flagWords = (flag: string, ...values: readonly Word[]): CommandLine =>
  values.flatMap((value) => {
    if (typeof value !== 'string' || !value.startsWith('-')) return [flag, value];
    // Apart, a value that begins with a dash would be read as another flag.
    return [flag.startsWith('--') ? `${flag}=${value}` : `${flag}${value}`];
  });

/**
 * Makes the flags that every suggested line repeats, those that are set: which service, how it is reached, and how its
 * times and lines are read. `-C prod --base-url https://… --timeout 5s --utc`.
 */
export const serviceFlags = (
  context: string | undefined,
  { baseUrl, cacert, timeout, retries, utc, accessible }: Readonly<Record<string, unknown>>,
): CommandLine =>
  Object.entries({
    '-C': context,
    '--base-url': baseUrl,
    '--cacert': cacert,
    '--timeout': timeout,
    '--retries': retries,
    '--utc': utc,
    '--accessible': accessible,
  }).flatMap(([flag, value]) => {
    if (value === true) return [flag];
    return typeof value === 'string' ? flagWords(flag, value) : [];
  });

/** Returns the words with another value for a flag, typed as `--flag value` or `--flag=value`. */
export const withFlagValue = (
  words: readonly string[],
  flag: string,
  value: string,
): readonly string[] =>
  words.map((word, i) => {
    if (words[i - 1] === flag) return value;
    return word.startsWith(`${flag}=`) ? `${flag}=${value}` : word;
  });

/** Makes the line that sets a variable: for PowerShell on Windows, else for a POSIX shell. */
export const setVariableLine = (name: string, value: string, platform: string): string =>
  platform === 'win32'
    ? `$env:${name} = '${value.replaceAll("'", "''")}'`
    : `export ${name}=${shellQuote(value)}`;

/** Makes the line that unsets a variable: for PowerShell on Windows, else for a POSIX shell. */
export const unsetVariableLine = (name: string, platform: string): CommandLine =>
  platform === 'win32' ? ['Remove-Item', `Env:${name}`] : ['unset', name];
