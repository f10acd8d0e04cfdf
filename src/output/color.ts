// Decides whether a stream gets colour, and makes its styles.

import { Chalk } from 'chalk';
import type { Tone } from '../api/schema/rules.ts';
import type { OutputStream, Runtime } from '../base/runtime.ts';
import { type ColorChoice, type ColorWish, readSwitch } from '../config/flags.ts';

/** Functions that style a text, which stays unchanged without colour, and the signs before a status word. */
export type Colors = Readonly<Record<Tone | 'faint' | 'strong', (text: string) => string>> & {
  readonly signs: Readonly<Record<Tone, string>>;
};

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

/** `isAscii` is set where the terminal may not show other signs. */
export function makeColors(colored: boolean, isAscii = false): Colors {
  const chalk = new Chalk({ level: colored ? 1 : 0 });
  return {
    good: chalk.green,
    bad: chalk.red,
    moving: chalk.yellow,
    still: (text) => text,
    faint: chalk.dim,
    strong: chalk.bold,
    signs: isAscii
      ? { good: '+', bad: 'x', moving: 'o', still: '.' }
      : { good: '✓', bad: '✗', moving: '◌', still: '·' },
  };
}

/** True if the terminal shows signs beyond ASCII, by the locale. */
export const hasUtf8 = ({ env, program }: Pick<Runtime, 'env' | 'program'>): boolean =>
  program.platform === 'win32' ||
  /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');

export const colorsFor = (
  sink: OutputStream,
  { color }: { readonly color: ColorWish },
  runtime: Runtime,
): Colors => makeColors(wantsColor(color, sink.isTTY, runtime.env), !hasUtf8(runtime));
