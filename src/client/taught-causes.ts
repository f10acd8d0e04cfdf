// Cause rules that operators write: in causes.tsv, in the folder for settings, and in files that a team shares
// (`--causes`). The first matching rule decides, before the built-in table.

import { join } from 'node:path';
import { Platform } from '../api/schema/platforms.ts';
import { unsentFailure } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { fileNames } from '../base/paths.ts';
import type { Runtime } from '../base/runtime.ts';
import { decodeUtf8, withoutBom } from '../base/utf8.ts';
import { type FlagType, InvalidValue, oneOf, readValue } from '../config/flag-types.ts';
import type { FlagSpec, RawFlags } from '../config/flags.ts';
import { readTrustedText } from '../config/file.ts';
import { ioFailure } from '../fs/io-errors.ts';
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
  /** A text that the error contains, in lower case. */
  readonly match: string;
  /** The source of the rule: `causes.tsv line 4`. */
  readonly readFrom: string;
}

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
    const { rules, problems } = parseCauseRules(text, path);
    faults.push(...problems.map((problem) => ({ field: '--causes', problem })));
    return rules;
  });
  return [...shared, ...readSavedRules(runtime)];
}

/** Reads the rules that this user saved in the folder for settings. Throws `local_io` for an invalid line. */
export function readSavedRules(runtime: Runtime): readonly CauseRule[] {
  const path = causeRulesPath(runtime);
  const text = readTrustedText(path, runtime) ?? '';
  const { rules, problems } = parseCauseRules(text, fileNames.causes);
  if (problems.length === 0) return rules;
  const [what = '', ...why] = problems;
  throw unsentFailure('local_io', { what, why, hint: `correct ${path}` });
}

const platformType = oneOf(['*', ...Platform.options]);
const causeType = oneOf(targetCauses);
const COLUMNS = 'platform or *, cause, text';

/**
 * Parses one rule per line: platform or `*`, cause, text, separated by tabs. Returns the problem of
 * each invalid line. `name` is for messages.
 */
export function parseCauseRules(text: string, name: string) {
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
    if (more.length > 0)
      problems.push(`${readFrom}: has ${3 + more.length} columns; a rule is: ${COLUMNS}`);
    else if (fault !== undefined) problems.push(`${readFrom}: ${fault.field} ${fault.problem}`);
    else rules.push(rule);
  }
  return { rules, problems };
}

/** The text of a rule, which the error contains in any case. */
const matchType: FlagType<string> = {
  parse(text) {
    if (text.trim() === '') throw new InvalidValue('must not be empty');
    if (/^\/.+\/$/.test(text)) throw new InvalidValue('must be plain text, not an expression');
    return text.toLowerCase();
  },
};
