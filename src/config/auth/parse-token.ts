// The rule for the text of a token, and the forms in which shells, editors and secret stores leave one that is not ready
// to be sent. Each is refused with what to do: a token is never guessed out of another text, and never shown.

import type { Fault } from '../../base/fault.ts';
import { decodeUtf8, isUtf16 } from '../../base/utf8.ts';

const MAX_TOKEN_BYTES = 8 * 1024;

const BEARER = /^Bearer +/i;

/** True if a token was pasted with the word `Bearer`, which is removed. */
export const hasBearer = (typed: string | Uint8Array): boolean => BEARER.test(textOf(typed));

/**
 * Parses a token as it was typed or stored, or the bytes of a file: removes one final newline and a pasted `Bearer `, and
 * nothing else. Returns the fault if it cannot be sent; the fault names a position or a form, never the text.
 */
export function parseToken(typed: string | Uint8Array, field: string): string | Fault {
  const text = textOf(typed)
    .replace(/\r?\n$/, '')
    .replace(BEARER, '');
  if (text.trim() === '') return { field, problem: 'is empty' };
  if (typeof typed !== 'string' && isUtf16(typed)) return { field, ...UTF_16 };
  const form = forms.find(({ pattern }) => pattern.test(text));
  if (form !== undefined) return { field, problem: form.problem, fix: form.fix };
  const at = text.search(/[^\x21-\x7e]/);
  if (at >= 0) {
    const name = invisible.find(([characters]) => characters.test(text[at]!))?.[1];
    return {
      field,
      problem: `contains a character that cannot be sent (position ${at + 1})`,
      fix: name && `it is ${name}; remove it`,
    };
  }
  return text.length > MAX_TOKEN_BYTES
    ? { field, problem: `is longer than ${MAX_TOKEN_BYTES} bytes` }
    : text;
}

/** Decodes bytes. If they are not UTF-8, each becomes a character, so that its position can be named. */
const textOf = (typed: string | Uint8Array): string =>
  typeof typed === 'string' ? typed : (decodeUtf8(typed) ?? Buffer.from(typed).toString('latin1'));

const UTF_16 = { problem: 'is UTF-16', fix: 'save it as UTF-8' };

const QUOTES = '["\'`“”„‟‘’‚‛«»]';
const NOT_REPLACED = 'where it is set, nothing replaces it: use the value itself';
const ALONE = 'keep only the token itself';

interface Form {
  readonly pattern: RegExp;
  readonly problem: string;
  readonly fix: string;
}

/** The forms in the order in which they are tried: a line of an env file may be in quotes as well. */
const forms: readonly Form[] = [
  // Without its mark, UTF-16 has a NUL beside each character.
  { pattern: /^(?:[^\0]\0|\0[^\0])+$/, ...UTF_16 },
  {
    pattern: /^\ufeff/,
    problem: 'begins with a byte order mark',
    fix: 'save it as UTF-8 without a BOM',
  },
  {
    // In a bearer token, = stands only at the end (RFC 6750 2.1).
    pattern:
      /^\s*(?:(?:export|declare|env|setx?|-)\s|\$env:|\w+\s*=\s*[^\s=]|\w*token\s*:\s*[^\s])/im,
    problem: 'is a line that sets a variable',
    fix: 'keep only the value, without name and quotation marks',
  },
  {
    pattern: /^(?:-H\s*)?["']?(?:proxy-)?authorization\s*:/i,
    problem: 'is a whole header',
    fix: 'keep only what follows Bearer',
  },
  {
    pattern: /\$\{|\{\{|^\$\(|^\$[a-z_]\w*$|^%[^%]+%$|^#\{.*\}#?$|^__.*__$|^@@.*@@$/i,
    problem: 'is the name of a variable, not its value',
    fix: NOT_REPLACED,
  },
  {
    pattern: /^\s*[{[]/,
    problem: 'is JSON',
    fix: `${ALONE}, for example by: jq -r .access_token`,
  },
  {
    pattern: new RegExp(`^${QUOTES}|${QUOTES}$`),
    problem: 'begins or ends with a quotation mark',
    fix: ALONE,
  },
  {
    pattern: /\r$/,
    problem: 'ends with a carriage return',
    fix: 'the file that sets it has Windows line ends; save it with Unix ones',
  },
  { pattern: /[\r\n]/, problem: 'has more than one line', fix: ALONE },
  {
    pattern: /^(?:[a-z][a-z\d+.-]*:\/\/|arn:|(?:vault|ssm|file|env|keychain):)/i,
    problem: 'is a reference to a secret, not the secret',
    fix: 'resolve it first, or set a command that does: social context set <name> --token-command …',
  },
  {
    pattern: /^(?:@?~\/|@?\.{0,2}\/(?:run|var|etc|home|root|tmp|mnt|Users)\/|[a-z]:\\)/i,
    problem: 'is the path of a file',
    fix: 'set SOCIAL_TOKEN_FILE to that path instead',
  },
  {
    pattern:
      /^(?:<.*>|\*+|•+|\.{3}|…|x{6,64}|bearer|(?:change|replace)[-_ ]?(?:me|this)|todo|tbd|placeholder|null|undefined|none|nil|\(null\)|redacted|your[-_ ].*|(?:insert|enter|paste|put)[-_ ].*)$/i,
    problem: 'is a placeholder',
    fix: 'put the real token there',
  },
];

/** Characters that a screen does not show, with their names. They are not part of a token, so they may be named. */
const invisible: readonly (readonly [characters: RegExp, name: string])[] = [
  [/ /, 'a space'],
  [/\t/, 'a tab'],
  [/[\u00a0\u202f\u2000-\u200a\u3000]/, 'a space that is not the usual one'],
  [/[\u00ad\u200b-\u200f\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff]/, 'an invisible character'],
  [/\p{Cc}/u, 'a control character'],
];
