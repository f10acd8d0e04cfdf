// The marks that carry a meaning, and how they look without colour. NO_COLOR always wins.

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

const asItIs: Paint = (text) => text;

/** Without colour every text is itself. */
export function plainTone(unicode: boolean): Tone {
  return {
    good: asItIs,
    bad: asItIs,
    moving: asItIs,
    faint: asItIs,
    strong: asItIs,
    swatch: () => '',
    plain: unicode ? asItIs : inAscii,
    signs: unicode
      ? { good: '✓', bad: '✗', moving: '◌', still: '·' }
      : { good: '+', bad: 'x', moving: '~', still: '-' },
  };
}
