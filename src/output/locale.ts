// What the locale of a terminal can show, and our own punctuation for one that shows ASCII alone.

type LocaleEnv = Readonly<Record<string, string | undefined>>;

/** Tells whether the locale shows more than ASCII. */
export function isUnicode(env: LocaleEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale === '' ? env['TERM'] !== 'linux' : /utf-?8/i.test(locale);
}

const PLAIN: Readonly<Record<string, string>> = {
  '’': "'",
  '…': '...',
  '→': '->',
  '⏎': '\\n',
  '×': 'x',
  '·': '-',
};

/** A text of ours in what a locale can show. */
export const forLocale = (text: string, env: LocaleEnv): string =>
  isUnicode(env) ? text : inAscii(text);

/** The same text with ASCII in the place of our marks. A line of JSON stays as it is. */
export function inAscii(text: string): string {
  return text.replace(/^(?!\{).+$/gm, (line) =>
    line.replace(/[’…→⏎×·]/g, (mark) => PLAIN[mark] ?? mark),
  );
}
