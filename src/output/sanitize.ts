// Text from outside, made safe to show to a person: no control byte, no escape sequence, nothing that
// reorders or hides. What is taken out stays visible as \u{1b}. JSON has its own escapes (`json.ts`).

// C0 but newline and tab, DEL, C1, bidi and invisible controls, line separators, byte order mark, tags.
const UNSAFE =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}|[\u{e0000}-\u{e007f}]/gu;

const shown = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** For running text: newlines and tabs stay. */
export function sanitize(text: string): string {
  return text.replace(UNSAFE, shown);
}

/** For one line of text: newlines and tabs become visible too. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}

/** For a cell of tab-separated values: newlines and tabs as \n and \t, nothing cut. */
export function sanitizeCell(text: string): string {
  return sanitize(text).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** A value quoted inside a message: one line, at most 200 characters. */
export function quote(text: string): string {
  const line = sanitizeLine(text);
  const characters = Array.from(line);
  return `"${characters.length > 200 ? `${characters.slice(0, 199).join('')}…` : line}"`;
}
