// Colour, and the marks that carry a meaning without it. Decided once per stream; NO_COLOR always wins.

import { Chalk } from 'chalk';
import { GLUE } from './glue.ts';
import { inAscii } from './locale.ts';
import type { Mood } from './mood.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

type Paint = (text: string) => string;

/** How a piece of text is meant; without colour it is the text itself. */
export interface Tone {
  readonly good: Paint;
  readonly bad: Paint;
  readonly moving: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
  /** A mark of that colour, `#rrggbb`, to stand before its name; nothing where there is no colour. */
  readonly swatch: Paint;
  /** A whole text in what the locale can show. */
  readonly plain: Paint;
  /** Marks before a status word; plain ASCII where the locale cannot show more. */
  readonly signs: Readonly<Record<Mood, string>>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Tells whether a stream gets colour. */
export function wantsColor(choice: ColorChoice, isTTY: boolean, env: Env): boolean {
  if (choice === 'never' || (env['NO_COLOR'] ?? '') !== '') return false;
  if (choice === 'always') return true;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTTY && env['TERM'] !== 'dumb';
}

export function tone(color: boolean, unicode: boolean): Tone {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const many = new Chalk({ level: color ? 2 : 0 });
  return {
    good: chalk.green,
    bad: chalk.red,
    moving: chalk.yellow,
    faint: chalk.dim,
    strong: chalk.bold,
    swatch: (hex) => (color ? `${many.hex(hex)(unicode ? '■' : '*')}${GLUE}` : ''),
    plain: unicode ? (text) => text : inAscii,
    signs: unicode
      ? { good: '✓', bad: '✗', moving: '◌', still: '·' }
      : { good: '+', bad: 'x', moving: '~', still: '-' },
  };
}
