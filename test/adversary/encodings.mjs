// A secret as others may write it, and the search for all of these forms.

const hex = (text) => Buffer.from(text).toString('hex');
const percent = (text, wanted) =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return byte < 128 && !wanted(character)
        ? character
        : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
const strange = (character) => !/[\w.~-]/.test(character);
const upper = (text) => text.replace(/%[0-9a-f]{2}/g, (escape) => escape.toUpperCase());
const entity = (character) =>
  ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character];
const perCharacter = (text, form) => [...text].map(form).join('');
const code = (character) => character.charCodeAt(0).toString(16).padStart(4, '0');

/** The middle of the base64 of a text that has so many bytes before it: what its neighbours cannot change. */
function middle(secret, before, encoding) {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const text = bytes.toString(encoding).replace(/=+$/, '');
  return text.slice(
    Math.ceil((before * 4) / 3) + (before > 0 ? 1 : 0),
    Math.floor((bytes.length * 8) / 6) - 1,
  );
}

/** All forms that are looked for. */
function formsOf(secret) {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return {
    plain: secret,
    'JSON text': escaped,
    'JSON text in JSON text': JSON.stringify(escaped).slice(1, -1),
    'JSON text with \\/': escaped.replaceAll('/', '\\/'),
    percent: percent(secret, strange),
    'percent in capitals': upper(percent(secret, strange)),
    'percent throughout': percent(secret, () => true),
    encodeURI: encodeURI(secret),
    form: upper(percent(secret, strange)).replaceAll('%20', '+'),
    hexadecimal: hex(secret),
    'hexadecimal in capitals': hex(secret).toUpperCase(),
    'HTML entities': perCharacter(secret, (character) => entity(character) ?? character),
    'HTML numbers': perCharacter(secret, (character) => `&#${character.charCodeAt(0)};`),
    'HTML hexadecimal': perCharacter(
      secret,
      (character) => `&#x${code(character).replace(/^0+/, '')};`,
    ),
    '\\u': perCharacter(secret, (character) => `\\u${code(character)}`),
    '\\u in capitals': perCharacter(secret, (character) => `\\u${code(character).toUpperCase()}`),
    ...Object.fromEntries(
      [0, 1, 2].flatMap((before) =>
        ['base64', 'base64url'].map((kind) => [
          `${kind} after ${before}`,
          middle(secret, before, kind),
        ]),
      ),
    ),
  };
}

/** The forms in which a server sends it; base64 with bytes around it, so that it lies in the middle. */
export function encodingsOf(secret, random) {
  const around = () => Buffer.from(random.letters(random.below(6)));
  const carried = (kind) => Buffer.concat([around(), Buffer.from(secret), around()]).toString(kind);
  const { plain, ...forms } = formsOf(secret);
  return [
    plain,
    plain,
    plain,
    carried('base64'),
    carried('base64url'),
    ...Object.values(forms).slice(0, -6),
  ];
}

/** The name of the first form in which a text holds a secret, whatever escapes of JSON lie over it. */
export function foundIn(text, secret) {
  const texts = [
    text,
    text.replaceAll('\\\\', '\\'),
    text.replaceAll('\\/', '/'),
    text.replaceAll('\\"', '"'),
  ];
  return Object.entries(formsOf(secret)).find(([, form]) =>
    texts.some((each) => each.includes(form)),
  )?.[0];
}
