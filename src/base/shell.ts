// Lines of a shell: splits a line into words and quotes a word, as a POSIX shell does, and makes the lines that this
// program suggests to type. Expands and runs nothing.

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

/**
 * Quotes a word so that every POSIX shell reads the same text. In zsh, a word that begins with = is a program's path.
 */
export function shellQuote(text: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Makes the command line of these words, for the user to type. */
export const commandLine = (words: readonly string[]): string =>
  ['social', ...words.map(shellQuote)].join(' ');

/** The settings and flags of a call that select its service. */
interface SuggestedFrom {
  readonly settings: { readonly context?: string | undefined };
  readonly flags: Readonly<Record<string, unknown>>;
}

/** Adds the service of this call to `words`, which are quoted already: `social -C prod posts get …`. */
export function suggestCommand(words: string, { settings, flags }: SuggestedFrom): string {
  const { baseUrl, cacert } = flags;
  return ['social', ...serviceFlags(settings.context, baseUrl, cacert), words].join(' ');
}

/** Makes the flags that select a service: `-C prod --base-url https://… --cacert ca.pem`, those that are set. */
export const serviceFlags = (context: unknown, baseUrl: unknown, cacert: unknown) =>
  [
    ['-C', context],
    ['--base-url', baseUrl],
    ['--cacert', cacert],
  ].flatMap(([flag, value]) => (typeof value === 'string' ? [flag, shellQuote(value)] : []));

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
export const unsetVariableLine = (name: string, platform: string): string =>
  platform === 'win32' ? `Remove-Item Env:${name}` : `unset ${name}`;
