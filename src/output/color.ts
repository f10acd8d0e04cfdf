// Decides whether a stream gets colour, and which signs it gets: beyond ASCII or not.

import { Chalk } from 'chalk';
import type { Tone } from '../api/schema/rules.ts';
import type { OutputStream, Runtime } from '../base/runtime.ts';
import { type ColorChoice, type ColorWish, readSwitch } from '../config/flags.ts';

type Paint = (text: string) => string;

/** Functions that style a text; without colour they return it unchanged. */
export interface Colors {
  readonly good: Paint;
  readonly bad: Paint;
  readonly moving: Paint;
  readonly still: Paint;
  readonly faint: Paint;
  readonly strong: Paint;
  /** Converts a whole text to the characters of the locale. */
  readonly forLocale: Paint;
  /** Signs before a status word; ASCII if the locale has no more. */
  readonly signs: Readonly<Record<Tone, string>>;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Decides whether a stream gets colour: by the command line, else the environment, else the settings, else by the
 * stream.
 */
export function wantsColor({ choice, typed }: ColorWish, isTTY: boolean, env: Env): boolean {
  // A typed `auto` leaves the choice to the environment, like no flag.
  const wish = typed && choice !== 'auto' ? choice : (choiceOf(env) ?? choice);
  return wish === 'auto' ? isTTY && env['TERM'] !== 'dumb' : wish === 'always';
}

/**
 * NO_COLOR wins over FORCE_COLOR, that over CLICOLOR_FORCE, that over CLICOLOR. By their conventions any
 * non-empty value of NO_COLOR counts, also 0, and CLICOLOR_FORCE=0 decides nothing.
 */
function choiceOf(env: Env): ColorChoice | undefined {
  const forced = readSwitch(env['FORCE_COLOR']) ?? (readSwitch(env['CLICOLOR_FORCE']) || undefined);
  if (readSwitch(env['NO_COLOR']) !== undefined) return 'never';
  if (forced !== undefined) return forced ? 'always' : 'never';
  return readSwitch(env['CLICOLOR']) === false ? 'never' : undefined;
}

/** Makes the styles; without `colored` they change nothing. Without Unicode, the signs and texts are ASCII. */
export function makeColors(colored: boolean, unicode: boolean): Colors {
  const chalk = new Chalk({ level: colored ? 1 : 0 });
  return {
    good: chalk.green,
    bad: chalk.red,
    moving: chalk.yellow,
    still: (text) => text,
    faint: chalk.dim,
    strong: chalk.bold,
    forLocale: unicode ? (text) => text : inAscii,
    signs: unicode
      ? { good: '✓', bad: '✗', moving: '◌', still: '·' }
      : { good: '+', bad: 'x', moving: '~', still: '-' },
  };
}

/** Returns the colours and signs of a stream. */
export const colorsFor = (
  sink: OutputStream,
  { color }: { readonly color: ColorWish },
  { env }: Runtime,
): Colors => makeColors(wantsColor(color, sink.isTTY, env), isUnicode(env));

/** A no-break space: no line is wrapped at it. Who lays text out replaces it by an ordinary space afterwards. */
export const GLUE = '\u00a0';

/** True if the locale shows more than ASCII. */
export function isUnicode(env: Env): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  // The font of the Linux console lacks our signs; elsewhere a missing locale says nothing, and UTF-8 is usual.
  return locale === '' ? env['TERM'] !== 'linux' : /utf-?8/i.test(locale);
}

const ASCII: Readonly<Record<string, string>> = {
  '’': "'",
  '…': '...',
  '→': '->',
  '⏎': '\\n',
  '×': 'x',
  '·': '-',
};

/** Converts one of our texts to the characters of the locale. */
export const forLocale = (text: string, env: Env): string =>
  isUnicode(env) ? text : inAscii(text);

/**
 * Replaces our punctuation by ASCII; status signs are chosen in `signs`. An error as JSON is one line, which stays as
 * it is for the program that reads it.
 */
function inAscii(text: string): string {
  return text.replace(/^(?!\{).+$/gm, (line) =>
    line.replace(/[’…→⏎×·]/g, (mark) => ASCII[mark] ?? mark),
  );
}
