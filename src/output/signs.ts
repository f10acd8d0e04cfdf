// The marks that carry a meaning, and how they look without colour.

import { inAscii } from './locale.ts';
import type { Mood } from './mood.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

/** What was asked for, and whether it was typed on the line: then it counts before the environment. */
export interface ColorWish {
  readonly choice: ColorChoice;
  readonly typed: boolean;
}

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

/** Tells whether a stream gets colour: by the line, else the environment, else the settings, else what the stream is. */
export function wantsColor({ choice, typed }: ColorWish, isTTY: boolean, env: Env): boolean {
  const wish = typed && choice !== 'auto' ? choice : (choiceOf(env) ?? choice);
  return wish === 'auto' ? isTTY && env['TERM'] !== 'dumb' : wish === 'always';
}

/** What the environment asks for. */
function choiceOf(env: Env): ColorChoice | undefined {
  const forced = switchOf(env['FORCE_COLOR']) ?? (switchOf(env['CLICOLOR_FORCE']) || undefined);
  if (switchOf(env['NO_COLOR']) !== undefined) return 'never';
  if (forced !== undefined) return forced ? 'always' : 'never';
  return switchOf(env['CLICOLOR']) === false ? 'never' : undefined;
}

/** Whether a variable says yes; an empty one says nothing. */
const switchOf = (text: string | undefined): boolean | undefined =>
  text === undefined || text === '' ? undefined : !['0', 'false'].includes(text);

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
