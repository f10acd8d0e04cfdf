// Cause rules that operators write: in causes.tsv, in the folder for settings, and in files that a team shares
// (`--causes`). The first matching rule decides, before the built-in table.

import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { Platform } from '../api/schema/platforms.ts';
import { unsentFailure, usageFailure } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { fileNames } from '../base/paths.ts';
import type { Runtime } from '../base/runtime.ts';
import { quote } from '../base/sanitize.ts';
import { decodeUtf8, withoutBom } from '../base/utf8.ts';
import { type FlagType, InvalidValue, oneOf, readValue } from '../config/flag-types.ts';
import type { FlagSpec, RawFlags } from '../config/flags.ts';
import { readTrustedText } from '../config/file.ts';
import { saveFile } from '../fs/atomic-write.ts';
import { ioFailure } from '../fs/io-errors.ts';
import { withFileLock } from '../fs/lock.ts';
import { checkWriteAsRoot } from '../fs/permissions.ts';
import { readIfPresent } from '../fs/safe-read.ts';

/**
 * The causes of failed targets, in the order in which a person acts on them. A target is `unsure` if it may be published
 * already.
 */
export const targetCauses = [
  'temporary',
  'reconnect',
  'content',
  'platform',
  'unsure',
  'other',
] as const;

export type TargetCause = (typeof targetCauses)[number];

export interface CauseRule {
  /** A platform, or `*` for all. */
  readonly platform: string;
  readonly cause: TargetCause;
  readonly match: string;
  /** The source of the rule: `causes.tsv line 4`. */
  readonly readFrom: string;
  /** True if an error contains the text, or matches the expression. */
  fits(error: string): boolean;
}

/** A rule to add with `--teach`: the three columns of its line. */
export type TaughtRule = Pick<CauseRule, 'platform' | 'cause' | 'match'>;

/** The flag for the rules of a team. A command has it exactly if it shows or selects causes. */
export const causesFlag: FlagSpec = {
  flags: '--causes <file>',
  description: 'Apply the cause rules of this file first',
  repeatable: true,
};

export const causeRulesPath = (runtime: Runtime): string =>
  join(runtime.configDir(), fileNames.causes);

const MAX_BYTES = 1024 * 1024;

/**
 * Reads the rules of the files in `--causes`, whose invalid lines become faults, and then those in the folder for
 * settings. Throws `local_io` for a file that cannot be read.
 */
export function readCauseRules(
  flags: RawFlags,
  runtime: Runtime,
  faults: Fault[],
): readonly CauseRule[] {
  const paths = (flags['causes'] ?? []) as readonly string[];
  const shared = paths.flatMap((path) => {
    const bytes = readIfPresent(path, MAX_BYTES);
    if (bytes === undefined) throw ioFailure(`cannot read ${path}: no such file`);
    const text = decodeUtf8(bytes);
    if (text === undefined) throw ioFailure(`cannot read ${path}: it is not valid UTF-8`);
    const { rules, problems } = parseCauseRules(text, path, runtime.note);
    faults.push(...problems.map((problem) => ({ field: '--causes', problem })));
    return rules;
  });
  return [...shared, ...readSavedRules(runtime)];
}

/** Reads the rules that this user saved in the folder for settings. Throws `local_io` for an invalid line. */
export function readSavedRules(runtime: Runtime): readonly CauseRule[] {
  const path = causeRulesPath(runtime);
  const text = readTrustedText(path, runtime) ?? '';
  const { rules, problems } = parseCauseRules(text, fileNames.causes, runtime.note);
  if (problems.length === 0) return rules;
  const [what = '', ...why] = problems;
  throw unsentFailure('local_io', { what, why, hint: `correct ${path}` });
}

const platformType = oneOf(['*', ...Platform.options]);
const causeType = oneOf(targetCauses);
const COLUMNS = 'platform or *, cause, text';

/**
 * Parses one rule per line: platform or `*`, cause, text or `/expression/`, separated by tabs. Returns the problem of
 * each invalid line. `name` is for messages.
 */
export function parseCauseRules(text: string, name: string, note: Runtime['note'] = () => {}) {
  const rules: CauseRule[] = [];
  const problems: string[] = [];
  for (const [index, line] of withoutBom(text).split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const readFrom = `${name} line ${index + 1}`;
    const [platform = '', cause = '', match = '', ...more] = line.split('\t');
    const faults: Fault[] = [];
    const rule = {
      platform: readValue(platformType, platform, 'platform', faults)!,
      cause: readValue(causeType, cause, 'cause', faults)!,
      match: readValue(matchType, match, 'text', faults)!,
      readFrom,
    };
    const [fault] = faults;
    const giveUp = () =>
      note(`warning: ${readFrom} takes too long on an error, and is not used any more`);
    if (more.length > 0)
      problems.push(`${readFrom}: has ${3 + more.length} columns; a rule is: ${COLUMNS}`);
    else if (fault !== undefined) problems.push(`${readFrom}: ${fault.field} ${fault.problem}`);
    else rules.push({ ...rule, fits: matcherOf(rule.match, giveUp) });
  }
  return { rules, problems };
}

const expressionIn = (match: string): string | undefined => /^\/(.+)\/$/.exec(match)?.[1];

/** The text of a rule, or an expression between slashes. */
export const matchType: FlagType<string> = {
  parse(text) {
    if (text.trim() === '') throw new InvalidValue('must not be empty');
    if (/[\t\r\n]/.test(text)) throw new InvalidValue('must be one line without tabs');
    try {
      RegExp(expressionIn(text) ?? '');
    } catch {
      throw new InvalidValue(`is not a valid expression: ${quote(text)}`);
    }
    return text;
  },
};

/** One second: some expressions (`/(a+)+b/`) would take for ever on some errors, and only `node:vm` can end them. */
const MAX_EXPRESSION_MS = 1000;

/**
 * Makes the function that matches an error. `giveUp` is called once, if an expression takes too long: from then on it
 * matches nothing.
 */
function matcherOf(match: string, giveUp: () => void): CauseRule['fits'] {
  const expression = expressionIn(match);
  if (expression === undefined) {
    const text = match.toLowerCase();
    return (error) => error.toLowerCase().includes(text);
  }
  const context = createContext({ pattern: new RegExp(expression, 'i') });
  let isTooSlow = false;
  return (error) => {
    if (isTooSlow) return false;
    context['error'] = error;
    try {
      return runInContext('pattern.test(error)', context, { timeout: MAX_EXPRESSION_MS }) === true;
    } catch {
      isTooSlow = true;
      giveUp();
      return false;
    }
  };
}

/**
 * Saves a rule in the folder for settings, unless it is there. Returns its place, and whether it is new. Throws `usage`
 * if an earlier line has another cause for the same text, because that line would decide.
 */
export async function teachCause(
  { platform, cause, match }: TaughtRule,
  runtime: Runtime,
): Promise<{ readonly readFrom: string; readonly isNew: boolean }> {
  checkWriteAsRoot(runtime.configDir());
  const path = causeRulesPath(runtime);
  const add = () => {
    const same = readSavedRules(runtime).find(
      (rule) => rule.platform === platform && rule.match === match,
    );
    if (same !== undefined && same.cause !== cause) {
      const problem = `${same.readFrom} says ${same.cause} of this text; change that line in ${path}`;
      throw usageFailure({ field: '--teach', problem });
    }
    if (same !== undefined) return { readFrom: same.readFrom, isNew: false };
    const before = readTrustedText(path, runtime) ?? '';
    const start = before === '' || before.endsWith('\n') ? before : `${before}\n`;
    const lines = start.split('\n').length;
    saveFile(path, `${start}${platform}\t${cause}\t${match}\n`);
    return { readFrom: `${fileNames.causes} line ${lines}`, isNew: true };
  };
  return withFileLock(path, add, runtime);
}
