// Splits a command line as a POSIX shell does: words, single and double quotes, without expansion.

/** Returns the words of a line. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"'\\]+|\\.|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(
      /"([^"]*)"|'([^']*)'|\\(.)/g,
      (_all, double?: string, single?: string, escaped?: string) =>
        double ?? single ?? escaped ?? '',
    ),
  );
}
