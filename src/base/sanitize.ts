import { INVISIBLE } from './invisible.ts';

// Text from outside, made safe to show to a person: no control byte, no escape sequence, nothing that
// reorders or hides. What is taken out stays visible as \u{1b}. JSON has its own escapes (`json.ts`).

// The characters that no person is shown as they are, in one place for text, JSON and completion. How they are shown
// instead is for each of these to say.
const shown = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** For running text: newlines and tabs stay. */
export function sanitize(text: string): string {
  return text.replace(INVISIBLE, shown);
}

/** For one line of text: newlines and tabs become visible too. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}

/** For a cell of tab-separated values: newlines and tabs as \n and \t, nothing cut. */
export function sanitizeCell(text: string): string {
  return sanitize(text).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Takes the drawn line away, so that another can be written in its place. */
export const ERASE_LINE = '\r\u001b[2K';

/** Whatever the tool itself tells a terminal: colours, and to take a drawn line away. */
const OWN = /(\r\u001b\[2K|\u001b\[(?:[012]|22|39|3[0-7]|38;5;\d{1,3})m)/;

/**
 * The last look at a whole text on its way to a person, whoever wrote it: our own colours stay, and nothing else acts
 * on the terminal. Text from outside is made safe where it is laid out; what was missed there ends here.
 */
export function stripControls(text: string): string {
  if (text.search(INVISIBLE) < 0) return text;
  return text
    .split(OWN)
    .map((part, i) => (i % 2 === 1 ? part : sanitize(part)))
    .join('');
}

/** A text in at most so many characters; of a longer one its start, and how long it is: answers may have megabytes. */
export function excerpt(text: string, most: number): string {
  if (text.length <= most) return text;
  const note = `… (${text.length} characters)`;
  return text.slice(0, most - note.length).replace(/[\ud800-\udbff]$/, '') + note;
}

/** A value quoted inside a message: one line, at most 200 characters. */
export function quote(text: string): string {
  const line = sanitizeLine(text);
  const characters = Array.from(line);
  return `"${characters.length > 200 ? `${characters.slice(0, 199).join('')}…` : line}"`;
}
