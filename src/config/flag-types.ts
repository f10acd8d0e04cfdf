// The types of flags: how a text becomes a value, and its allowed words or limits. An invalid text throws
// `InvalidValue`, which becomes a fault beside all others of the line.

import { durationRule, parseDuration } from '../base/durations.ts';
import type { Fault } from '../base/fault.ts';
import { ownProperty } from '../base/json.ts';
import { pathMistake } from '../base/paths.ts';
import { looksLikeSecret, quote, sanitizeLine } from '../base/sanitize.ts';
import { notOneOf } from '../base/suggestions.ts';
import { baseUrlFault, completedUrl, mayCarryToken } from '../base/url.ts';

export interface FlagType<T = unknown> {
  parse(text: string): T;
  /** The allowed words, if they are limited. */
  readonly values?: readonly string[];
}

/** The problem with the text of a flag: a clause that follows the flag's name. */
export class InvalidValue extends Error {
  /** How to correct it. */
  readonly help: Pick<Fault, 'fix' | 'among'>;

  constructor(problem: string, help: Pick<Fault, 'fix' | 'among'> = {}) {
    super(problem);
    this.help = help;
  }
}

/** Reads the value of a text. If it is invalid, it adds a fault of `field` and returns `undefined`. */
export function readValue<T>(
  type: FlagType<T>,
  text: string,
  field: string,
  faults: Fault[],
): T | undefined {
  try {
    return type.parse(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    faults.push({ field, problem: error.message, ...error.help });
    return undefined;
  }
}

/** Makes a type from a function that returns `undefined` for a text that breaks the rule. */
export const typeBy = <T>(rule: string, read: (text: string) => T | undefined): FlagType<T> => ({
  parse(text) {
    const value = read(text);
    if (value !== undefined) return value;
    const { length } = Array.from(text);
    throw new InvalidValue(`${rule}, got ${length > 200 ? `${length} characters` : quote(text)}`);
  },
});

export const int = (minimum: number, maximum: number): FlagType<number> =>
  typeBy(`must be a whole number from ${minimum} to ${maximum}`, (text) => {
    const number = Number(text);
    return /^\d{1,9}$/.test(text) && number >= minimum && number <= maximum ? number : undefined;
  });

/** A port of this machine; 0 means any free port. */
export const port = int(0, 65_535);

/** A duration in milliseconds: `500ms`, `30s`, `5m`, `1h`. */
export const duration = typeBy(durationRule, parseDuration);

/** One of the given words; `same` has words of other tools with the one that was meant. */
export const oneOf = <T extends string>(
  values: readonly T[],
  same: Readonly<Record<string, T>> = {},
): FlagType<T> => ({
  values,
  parse(text) {
    const value = values.find((word) => word === text);
    const among = { typed: text, choices: values, meant: ownProperty(same, text) };
    if (value === undefined) throw new InvalidValue(notOneOf(values, quote(text)), { among });
    return value;
  },
});

/** Makes a type whose value is the text; `problemOf` returns the problem of an invalid one, without quoting it. */
const textBy = (problemOf: (text: string) => string | undefined): FlagType<string> => ({
  parse(text) {
    const problem = problemOf(text);
    if (problem !== undefined) throw new InvalidValue(problem);
    return text;
  },
});

export const nonEmpty = textBy((text) => (text.trim() === '' ? 'must not be empty' : undefined));

/** The URL may contain a password, so a fault does not show it. */
export const serviceUrl: FlagType<string> = {
  parse(text) {
    const problem = baseUrlFault(text);
    if (problem === undefined) return text;
    const meant = completedUrl(text);
    if (meant === undefined) throw new InvalidValue(problem);
    const among = looksLikeSecret(text) ? undefined : { typed: text, choices: [], meant };
    throw new InvalidValue(problem, { fix: `add ${new URL(meant).protocol}// before it`, among });
  },
};

/** The name of a file or folder to write. `-` is rejected, because it would be a file with that name. */
export const writtenPath = (what: 'file' | 'folder'): FlagType<string> => ({
  parse(text) {
    const rule = `must be the name of a ${what}, got ${quote(text)}`;
    const fix = `stdout is for the result; for a ${what} called -, write ./-`;
    if (text === '-') throw new InvalidValue(rule, { fix });
    if (text.trim() === '') throw new InvalidValue(rule);
    const mistake = pathMistake(text);
    if (mistake === undefined) return text;
    throw new InvalidValue(`${rule}: it ${mistake.problem}`, { fix: mistake.fix });
  },
});

/** Returns the faults of the variables that name our folders. */
export function folderFaults(env: Readonly<Record<string, string | undefined>>): readonly Fault[] {
  const faults: Fault[] = [];
  for (const field of ['SOCIAL_CONFIG_DIR', 'SOCIAL_STATE_DIR'])
    if (env[field]) readValue(writtenPath('folder'), env[field], field, faults);
  return faults;
}

const urlRule = 'must be https://…, or http:// to this machine (127.0.0.1, localhost)';

/** An address that may receive bodies, under the rule for tokens. A query is allowed, a password is not. */
export const httpsUrl = textBy((text) => {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return urlRule;
  const url = new URL(text);
  if (url.username + url.password !== '') return `${urlRule}, without a user name or password`;
  return mayCarryToken(url) ? undefined : urlRule;
});

const MAX_NOTE = 200;

/** The text of `--note`, without the space around it. */
export const note = typeBy(
  `must be one line of 1 to ${MAX_NOTE} characters without control characters`,
  (typed) => {
    const text = typed.trim();
    const isShort = text !== '' && Array.from(text).length <= MAX_NOTE;
    return isShort && sanitizeLine(text) === text ? text : undefined;
  },
);
