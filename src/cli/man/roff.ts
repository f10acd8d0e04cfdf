// The few words of roff that a manual page needs, and text made safe for it: every character comes out as itself, in
// whatever encoding the page is read, and can be copied into a shell.

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Text as it is. A line that starts with a full stop would be a request: nothing stands before it, invisibly. */
export function text(plain: string): string {
  const safe = plain.replace(
    /[\\\-'"`^~]|[^\0-\x7f]/gu,
    (character) => SPECIAL[character] ?? `\\[u${hex(character)}]`,
  );
  return safe.replace(/^\./gm, '\\&.');
}

const hex = (character: string): string =>
  character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');

export const bold = (plain: string): string => `\\fB${text(plain)}\\fR`;
export const italic = (plain: string): string => `\\fI${text(plain)}\\fR`;

/** A heading; roff sets those of the first rank in capitals only where they are written so. */
export const section = (title: string): string => `.SH ${text(title.toUpperCase())}`;
export const subsection = (title: string): string => `.SS ${text(title)}`;

export const paragraph = (content: string): readonly string[] => ['.PP', content];

/** A term, and what it is, indented below it. */
export const item = (term: string, content: string): readonly string[] =>
  content === '' ? ['.TP', term, '\\&'] : ['.TP', term, content];

/** Lines that are not to be filled, indented. */
export const literal = (lines: readonly string[]): readonly string[] => [
  '.PP',
  '.RS 4',
  '.nf',
  ...lines.map((line) => (line === '' ? '\\&' : text(line))),
  '.fi',
  '.RE',
];
