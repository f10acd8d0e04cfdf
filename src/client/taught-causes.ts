// Cause rules that operators write: in causes.tsv, in the folder for settings, and in files that a team shares
// (`--causes`). The first matching rule decides, before the built-in table.

import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import type { Operation } from '../api/operations/define-operation.ts';
import { Platform } from '../api/schema/platforms.ts';
import { type Fault, unsentFailure, usageFailure } from '../base/errors.ts';
import { fileNames } from '../base/paths.ts';
import type { Runtime } from '../base/runtime.ts';
import { quote } from '../base/sanitize.ts';
import { notOneOf } from '../base/suggestions.ts';
import { decodeUtf8 } from '../base/utf8.ts';
import type { RawFlags } from '../config/flags.ts';
import { readTrustedText } from '../config/trusted-file.ts';
import { saveFile } from '../fs/atomic-write.ts';
import { ioFailure } from '../fs/io-errors.ts';
import { withFileLock } from '../fs/lock.ts';
import { checkWritableBy } from '../fs/permissions.ts';
import { readIfPresent } from '../fs/safe-read.ts';

/** The causes of failed targets, in the order in which a person acts on them. */
export const targetCauses = ['temporary', 'reconnect', 'content', 'platform', 'other'] as const;

export type TargetCause = (typeof targetCauses)[number];

export interface CauseRule {
  readonly platform: string;
  readonly cause: TargetCause;
  readonly match: string;
  /** The source of the rule: `causes.tsv line 4`. */
  readonly readFrom: string;
  /** True if an error contains the text, or matches the expression. */
  fits(error: string): boolean;
}

/** A rule as it was added: the three columns of its line. */
export type TaughtRule = Pick<CauseRule, 'platform' | 'match'> & { readonly cause: string };

const EVERY_PLATFORM = '*';
const platforms: readonly string[] = [EVERY_PLATFORM, ...Platform.options];
const causes: readonly string[] = targetCauses;

const MAX_BYTES = 1024 * 1024;

export const causeRulesPath = (runtime: Runtime): string =>
  join(runtime.configDir(), fileNames.causes);

/**
 * Reads the rules of the files in `--causes`, then those in the folder for settings. Throws `usage` or `local_io` with
 * all invalid lines.
 */
function loadCauseRules(flags: RawFlags, runtime: Runtime): readonly CauseRule[] {
  const shared = causeFiles(flags).map((path) => readSharedRules(path, runtime.note));
  const faults = shared.flatMap((file) => file.faults);
  if (faults.length > 0) throw usageFailure(faults);
  return [...shared.flatMap(({ rules }) => rules), ...ownRules(runtime)];
}

/** Returns the rules for a command that shows causes, and none for others, which an invalid line must not stop. */
export const causeRulesFor = (
  { command }: Pick<Operation, 'command'>,
  flags: RawFlags,
  runtime: Runtime,
): readonly CauseRule[] => (command.startsWith('posts ') ? loadCauseRules(flags, runtime) : []);

/** Returns a fault for each invalid line of the files in `--causes`. */
export const causeFileFaults = (flags: RawFlags): readonly Fault[] =>
  causeFiles(flags).flatMap((path) => readSharedRules(path).faults);

const causeFiles = (flags: RawFlags) => (flags['causes'] ?? []) as readonly string[];

function readSharedRules(path: string, note?: Runtime['note']) {
  const bytes = readIfPresent(path, MAX_BYTES);
  if (bytes === undefined) throw ioFailure(`cannot read ${path}: no such file`);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw ioFailure(`cannot read ${path}: it is not valid UTF-8`);
  const { rules, faults } = parseCauseRules(text, path, note);
  return { rules, faults: faults.map((problem) => ({ field: '--causes', problem })) };
}

/** Reads the rules in the folder for settings. Throws `local_io` for an invalid line. */
export function ownRules(runtime: Runtime): readonly CauseRule[] {
  const path = causeRulesPath(runtime);
  const { rules, faults } = parseCauseRules(
    readTrustedText(path, runtime) ?? '',
    fileNames.causes,
    runtime.note,
  );
  if (faults.length === 0) return rules;
  const [first, ...why] = faults;
  throw unsentFailure('local_io', { what: first!, why, hint: `correct ${path}` });
}

/**
 * Parses one rule per line: platform or `*`, cause, text or `/expression/`, separated by tabs. `name` is for messages.
 */
export function parseCauseRules(
  text: string,
  name: string,
  note: Runtime['note'] = () => undefined,
) {
  const rules: CauseRule[] = [];
  const faults: string[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const readFrom = `${name} line ${index + 1}`;
    const [platform = '', cause = '', match = '', ...more] = line.split('\t');
    const [fault] =
      more.length > 0
        ? [`has ${more.length + 3} columns; a rule is: platform or *, cause, text`]
        : ruleFaults({ platform, cause, match }).map(({ field, problem }) => `${field} ${problem}`);
    if (fault !== undefined) faults.push(`${readFrom}: ${fault}`);
    else {
      const giveUp = () =>
        note(`warning: ${readFrom} takes too long on an error, and is not used any more`);
      const fits = fitting(match, giveUp);
      rules.push({ platform, cause: cause as TargetCause, match, readFrom, fits });
    }
  }
  return { rules, faults };
}

const listed = (field: string, typed: string, choices: readonly string[]): readonly Fault[] =>
  choices.includes(typed)
    ? []
    : [{ field, problem: notOneOf(choices, quote(typed)), among: { typed, choices } }];

function ruleFaults({ platform, cause, match }: TaughtRule): readonly Fault[] {
  const problem = matchFault(match);
  return [
    ...listed('platform', platform, platforms),
    ...listed('cause', cause, causes),
    ...(problem === undefined ? [] : [{ field: 'text', problem }]),
  ];
}

const expressionIn = (match: string): string | undefined => /^\/(.+)\/$/.exec(match)?.[1];

/** Returns the problem with a text or an expression. */
function matchFault(match: string): string | undefined {
  if (match.trim() === '') return 'must not be empty';
  if (/[\t\r\n]/.test(match)) return 'must be one line without tabs';
  try {
    RegExp(expressionIn(match) ?? '');
    return undefined;
  } catch {
    return `is not a valid expression: ${quote(match)}`;
  }
}

/** One second: some expressions (`/(a+)+b/`) would take for ever on some errors. */
const MAX_EXPRESSION_MS = 1000;

/**
 * Makes the function that matches an error. `giveUp` is called once, if an expression takes too long: from then on it
 * matches nothing.
 */
function fitting(match: string, giveUp: () => void): CauseRule['fits'] {
  const expression = expressionIn(match);
  if (expression === undefined) {
    const text = match.toLowerCase();
    return (error) => error.toLowerCase().includes(text);
  }
  const pattern = new RegExp(expression, 'i');
  let context: ReturnType<typeof createContext> | undefined;
  let isTooSlow = false;
  return (error) => {
    if (isTooSlow) return false;
    // A context takes almost a millisecond, so it is made when the first error is read.
    context ??= createContext({ pattern });
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

/** Returns the first rule that matches an error of a platform. */
export const ruleFor = (
  rules: readonly CauseRule[],
  platform: string,
  error: string,
): CauseRule | undefined =>
  rules.find(
    (rule) => (rule.platform === EVERY_PLATFORM || rule.platform === platform) && rule.fits(error),
  );

/** Returns the faults of a new rule, by the flags that gave it. */
export const taughtFaults = (rule: TaughtRule): readonly Fault[] => {
  const flags: Readonly<Record<string, string>> = { cause: '--teach', text: '--match' };
  return ruleFaults(rule).map((fault) => ({
    ...fault,
    field: flags[fault.field] ?? `--${fault.field}`,
  }));
};

/**
 * Appends a rule to those in the folder for settings. Returns its line, and whether it existed. Throws `usage` if an
 * earlier line has another cause for the same error, because that line would decide.
 */
export async function teachCause(
  { platform, cause, match }: TaughtRule,
  runtime: Runtime,
): Promise<{ readonly readFrom: string; readonly isNew: boolean }> {
  checkWritableBy(runtime.configDir());
  const path = causeRulesPath(runtime);
  const add = () => {
    const same = ownRules(runtime).find(
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
