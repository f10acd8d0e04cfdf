// Makes text from outside safe for a terminal: no control byte, no escape sequence, nothing that reorders or hides
// text. Removed characters stay visible as \u{1b}. JSON has its own escapes (`json.ts`). Also quotes words in messages,
// unless they may be secrets.

/**
 * Control characters except newline and tab, characters that reorder text, and invisible ones that make two different
 * texts look the same. Joiners and variation selectors stay: they form emoji and shape words. The list is explicit
 * because `\p{Default_Ignorable_Code_Point}` costs every start and TAB half a millisecond.
 */
export const INVISIBLE =
  /[\u034f\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\u17b4-\u17b5]/gu;

const asCodePoint = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Sanitizes running text: newlines and tabs stay. */
export function sanitize(text: string): string {
  return text.replace(INVISIBLE, asCodePoint);
}

/** Sanitizes one line of text: newlines become visible, tabs become spaces. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replaceAll('\n', '⏎').replaceAll('\t', ' ');
}

/** Sanitizes a cell of tab-separated values: newlines and tabs become \n and \t, nothing is cut. */
export function sanitizeCell(text: string): string {
  return sanitize(text).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** The colours that this program writes. */
const OUR_COLORS = /(\u001b\[(?:[012]|22|39|3[0-7])m)/;

/**
 * Checks a whole text last, before it is shown: our own colours stay, every other escape sequence is removed. Text from
 * outside is sanitized where it is formatted; this catches what was missed.
 */
export function stripControls(text: string): string {
  if (text.search(INVISIBLE) < 0) return text;
  // A split by a pattern with a group keeps its matches: the colours are at the odd indexes.
  return text
    .split(OUR_COLORS)
    .map((part, i) => (i % 2 === 1 ? part : sanitize(part)))
    .join('');
}

/** Shortens a text to `most` characters: its start and its full length. Responses may have megabytes. */
export function excerpt(text: string, most: number): string {
  if (text.length <= most) return text;
  const note = `… (${text.length} characters)`;
  return text.slice(0, most - note.length).replace(/[\ud800-\udbff]$/, '') + note;
}

/**
 * Escapes text for a log of GitHub Actions, where `##[` is a command anywhere in a line, and `::` after an indentation
 * too. JSON keeps its value.
 */
export const forActionsLog = (text: string): string =>
  text.replace(/##(?=\[)/g, String.raw`#\u0023`).replace(/^([ \t]+):(?=:)/gm, String.raw`$1\u003a`);

/** Quotes a value inside a message: one line, at most 200 characters. */
export function quote(text: string): string {
  const line = sanitizeLine(text);
  const characters = Array.from(line);
  return `"${characters.length > 200 ? `${characters.slice(0, 199).join('')}…` : line}"`;
}

/** The advice for a secret on a command line: the shell has it in its history. */
export const IN_HISTORY =
  'it is not shown because it may be a secret; if it is one, replace it: your shell history has it now';

/**
 * Guesses that a word is a secret. IDs of the service are letters only; a token has digits, or is long, or follows a
 * name and `=`.
 */
export const looksLikeSecret = (word: string): boolean =>
  !NO_SECRET.test(word) &&
  !PLAIN_URL.test(word) &&
  (word.includes('=') ||
    (word.length >= 8 &&
      /\d/.test(word) &&
      /[a-z]/i.test(word) &&
      !/^[\w-]*\.\w{1,5}$/.test(word)) ||
    word.length > 24);

/** Words that people type by mistake and are no secret, however long: a list of IDs, a date or time, the path of a list. */
const NO_SECRET =
  /^(?:[a-z]{16}(?:,[a-z]{16})*|\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?|[\w./~-]+\.(?:[ct]sv|json|ndjson|jsonl|journal|txt))$/i;

/** An address with a scheme or a port, whose path has only short words: a webhook's may have a token there. */
const PLAIN_URL =
  /^(?:https?:\/\/[\w.-]+(?::\d{1,5})?|(?:localhost|[\w-]+(?:\.[\w-]+)+):\d{1,5})(?:\/(?:[a-z_.-]{0,15}|v\d))*$/i;

/** Quotes a word for a message; a possible secret is reduced to the name before its `=`. */
export function quoteUnlessSecret(word: string): string {
  if (!looksLikeSecret(word)) return quote(word);
  const name = /^([\w.-]{1,20})=/.exec(word)?.[1];
  return name === undefined || looksLikeSecret(name) ? '(not shown)' : `"${name}=…"`;
}
