// The marks that carry a meaning, and how they look without colour.

import { ownProperty } from '../base/json.ts';
import type { ColorChoice, ColorWish } from '../config/choices.ts';
import { inAscii } from './locale.ts';

// What the locale of a terminal can show, and our own punctuation for one that shows ASCII alone.
// What a status word means to the reader. Colour and sign follow from it; the word itself always stands.

export type StatusTone = 'good' | 'bad' | 'moving' | 'still';

const MOODS: Readonly<Record<string, StatusTone>> = {
  published: 'good',
  connected: 'good',
  pinned: 'good',
  ready: 'good',
  failed: 'bad',
  partial: 'bad',
  action_required: 'bad',
  expired: 'bad',
  missing: 'bad',
  publishing: 'moving',
  scheduled: 'moving',
};

/** The mood of a status word, also of one that the document does not list. */
export function statusTone(status: string): StatusTone {
  return ownProperty(MOODS, status) ?? (status.startsWith('pending') ? 'moving' : 'still');
}

type Paint = (text: string) => string;

/** How a piece of text is meant; without colour it is the text itself. */
export interface Colors {
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
  readonly signs: Readonly<Record<StatusTone, string>>;
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
export function plainColors(unicode: boolean): Colors {
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

// How a stream may be coloured and marked.
// Whether colour was asked for on the line, read off the raw words: for what is said before a line is parsed, or because
// it does not parse.

const choices: readonly string[] = ['auto', 'always', 'never'] satisfies readonly ColorChoice[];
const isChoice = (word: string): word is ColorChoice => choices.includes(word);

/** The wish that was typed last; `usual` where none was. */
export function colorFromArgv(argv: readonly string[], usual: ColorChoice = 'auto'): ColorWish {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const wishes = words.flatMap((word, i) => {
    if (word === '--no-color') return ['never'];
    if (word === '--color') return [words[i + 1] ?? ''];
    return word.startsWith('--color=') ? [word.slice('--color='.length)] : [];
  });
  const last = wishes.findLast(isChoice);
  return last === undefined ? { choice: usual, typed: false } : { choice: last, typed: true };
}

// What holds words on one line.

/** Stands between a sign and its word until a table is laid out, and is a space from then on. */
export const GLUE = '\u00a0';
