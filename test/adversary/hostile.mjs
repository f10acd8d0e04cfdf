// Texts that want to drive a terminal, to reorder or hide what is read, or to forge a line.

const PIECES = [
  '\u001b]0;title\u0007',
  '\u001b]52;c;cm0gLXJmIC8=\u0007',
  '\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\',
  '\u001b[2J\u001b[H',
  '\u001b[31mred\u001b[0m',
  '\u001b[6n',
  '\u001bPq\u001b\\',
  '\u001bc',
  '\u009b31m',
  '\u009d0;t\u009c',
  '\r\nerror: forged',
  '\nok 1',
  '\rover',
  '\b\b\b',
  '\u0000',
  '\u0007',
  '\u000b\u000c',
  '\u007f',
  '\u0085next',
  '\u202eevil',
  '\u2066a\u2069',
  '\u200f',
  '\u061c',
  '\u200b',
  '\u2060',
  '\ufeff',
  '\u2028\u2029',
  '\u{e0041}\u{e007f}',
  '\ud800',
  '\udfff',
  '\ufff9',
  '\t\ttab',
];

/** A text with something hostile in it, of a length by chance. */
export function hostileText(random, length = 3) {
  const parts = Array.from({ length: 1 + random.below(length) }, () => random.pick(PIECES));
  return `${random.letters(random.below(5))}${parts.join(random.letters(2))}${random.letters(3)}`;
}

/** Any value of JSON, with hostile keys and texts at every place. */
export function hostileValue(random, depth = 3) {
  const kind = random.below(depth > 0 ? 6 : 3);
  if (kind < 3)
    return random.pick([hostileText(random), 7, true, null, '__proto__', hostileText(random, 40)]);
  if (kind === 3)
    return Array.from({ length: random.below(4) }, () => hostileValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [
      hostileText(random),
      hostileValue(random, depth - 1),
    ]),
  );
}
