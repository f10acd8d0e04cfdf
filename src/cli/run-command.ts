// The steps that every command starts with: read flags and settings, report all faults, open the filter of --jq.

import { RESOURCE_ID } from '../api/schema/id-patterns.ts';
import { Failure, usageFailure } from '../base/errors.ts';
import type { Fault } from '../base/fault.ts';
import { isStdinPath } from '../base/paths.ts';
import { correctedLine } from '../base/suggestions.ts';
import { type CommandLine, socialLine } from '../base/shell.ts';
import type { Runtime } from '../base/runtime.ts';
import { readConfig } from '../config/file.ts';
import { readValue } from '../config/flag-types.ts';
import { type FlagSpec, isJsonForm, keyOfFlag, longName, type RawFlags } from '../config/flags.ts';
import { resolveSettings, withSettings } from '../config/settings.ts';
import { prepareFilter, withFilter } from '../output/jq-filter.ts';
import { formOf } from '../output/write-result.ts';
import {
  type Invocation,
  type CommandSpec,
  type Program,
  withGlobalFlags,
} from './command-spec.ts';
import { unknownWords, valuesOfSwitches } from './unknown-words.ts';

/** The flags of a line by key, in the order of the line: the texts of each, or `true` for one without a value. */
export type FlagTexts = ReadonlyMap<string, true | readonly string[]>;

interface ParsedLine {
  /** The words as they were typed. */
  readonly argv: readonly string[];
  /** The words after the command that are not flags. */
  readonly words: readonly string[];
  readonly flagTexts: FlagTexts;
}

/** Runs a command. Throws the `Failure` that it ends with. */
export async function runCommand(
  spec: CommandSpec,
  line: ParsedLine,
  runtime: Runtime,
  program: Program,
): Promise<void> {
  const call = await readCall(spec, line, runtime, program);
  try {
    if (spec.collectsFaults !== true) refuseFaults(call);
    await withFilter(call.filter, call.runtime, async (filtered) =>
      spec.run({ ...call, runtime: filtered }),
    );
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error;
    const { slip, next, lacks, nothingWas } = error.facts;
    // A destructive line is not suggested: the word may have meant another thing to delete.
    const isOffered = slip !== undefined && spec.effect !== 'takes away';
    const corrected = isOffered ? correctedLine(call.argv, slip) : undefined;
    // A failure of an operation already has a next step, unless no command can help.
    const isOfService = spec.operation !== undefined || spec.effect === 'once';
    const help = spec.operation === undefined && !lacks ? helpLine(call) : undefined;
    const consenting = lacks === '--yes' ? await consentingLine(call) : undefined;
    throw error.with({
      next: corrected ?? consenting ?? next ?? help,
      // Most other commands send nothing anyway.
      nothingWas: nothingWas && !isOfService ? 'changed' : nothingWas,
    });
  }
}

/** Throws one `usage` failure with all faults of a call, including those that its command has found. */
export function refuseFaults(call: Invocation, found: readonly Fault[] = []): void {
  const all = [...call.faults, ...found];
  const listing = all.length === 1 ? all[0]!.among?.listing : undefined;
  if (all.length > 0) throw usageFailure(all, listing ?? targetsLine(call, all) ?? helpLine(call));
}

/** Returns the command that shows the targets of the typed post, if a target is the only fault. */
function targetsLine(call: Invocation, faults: readonly Fault[]): CommandLine | undefined {
  const { words, operands: ids } = call;
  const isPost = words[0] === 'posts' && ids.length === 1 && RESOURCE_ID.test(ids[0]!);
  if (!isPost || faults.some(({ field }) => field !== '--target')) return undefined;
  return socialLine({ words: ['posts', 'get'], ids }, call);
}

/** Makes the line that was typed with --yes, and with its context, which may be another one when it is pasted. */
async function consentingLine({ argv, flags, settings: { context } }: Invocation) {
  const { repeatable } = await import('../batch/options.ts');
  const typed = repeatable(argv, flags['from'] as string | undefined);
  const named = context === undefined || flags['context'] !== undefined ? [] : ['-C', context];
  // After `--` a flag would be an ID.
  const isOpen = typed.includes('--');
  return ['social', ...named, ...(isOpen ? ['--yes', ...typed] : [...typed, '--yes'])];
}

const helpLine = ({ words }: Invocation): CommandLine => ['social', ...words, '--help'];

async function readCall(
  spec: CommandSpec,
  { argv, words, flagTexts }: ParsedLine,
  opened: Runtime,
  program: Program,
): Promise<Invocation> {
  const misplaced = valuesOfSwitches(spec, argv);
  const rest = words.filter((word) => misplaced.every((each) => each.word !== word));
  const { operands, strays } = splitWords(rest, argv);
  const { typedFlags, flags, faults: mistyped } = readFlags(spec.flags ?? [], flagTexts);
  // Such a command reports the faults of the environment and of the file itself: here it gets only its flags.
  const readsSettingsItself = spec.config === 'own';
  const config = readsSettingsItself || spec.config === 'none' ? {} : readConfig(opened);
  const env = readsSettingsItself ? {} : opened.env;
  const { settings, faults: invalid, unknownContext } = resolveSettings(flags, env, config);
  const needsContext = spec.config === undefined;
  const runtime = withSettings(opened, settings);
  const isText = !isJsonForm(settings.output ?? 'table');
  // The notice makes a file, and a fault may be that of its folder.
  if (settings.accessible && !settings.quiet && isText && invalid.length === 0) {
    const { announceAccessible } = await import('../prompts/accessible.ts');
    await announceAccessible(runtime);
  }
  const jq = await prepareFilter(settings, runtime);
  return {
    words: spec.words,
    runtime,
    settings,
    config,
    operands,
    flags,
    typedFlags,
    form: formOf(settings, runtime.stdout),
    argv,
    faults: [
      ...misplaced.map(({ fault }) => fault),
      ...unknownWords(spec, operands, strays, (flag) => flagTexts.has(keyOfFlag(flag))),
      ...mistyped,
      ...dryRunFaults(spec, flags),
      ...invalid,
      ...(needsContext && unknownContext !== undefined ? [unknownContext] : []),
      ...jq.faults,
    ],
    filter: jq.filter,
    program,
  };
}

/**
 * Splits the words after a command into operands and unknown flags. Words after `--` are never flags; others after an
 * unknown flag may be its value, so they are not operands.
 */
function splitWords(words: readonly string[], argv: readonly string[]) {
  const end = argv.indexOf('--');
  const after = end < 0 ? [] : argv.slice(end + 1);
  const isFlag = (word: string) => word.startsWith('-') && word.length > 1 && !after.includes(word);
  const first = words.findIndex(isFlag);
  return {
    operands: first < 0 ? words : words.slice(0, first),
    // After an unknown flag the parser leaves `--` among the words.
    strays: words.filter((word) => isFlag(word) && word !== '--'),
  };
}

/**
 * Parses a command's flags by their types; `resolveSettings` checks the global ones. `typedFlags` has them as they were
 * typed, `flags` as their types parsed them. A repeatable flag has a list of values, another one its last.
 */
export function readFlags(commandFlags: readonly FlagSpec[], flagTexts: FlagTexts) {
  // They are recorded in the order in which they were typed.
  const typedFlags: Record<string, unknown> = Object.fromEntries(flagTexts);
  const flags: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const flag of withGlobalFlags(commandFlags)) {
    const { type, repeatable, once } = flag;
    const key = keyOfFlag(flag);
    const field = longName(flag.flags);
    const texts = flagTexts.get(key);
    if (texts === undefined) continue;
    const typed = texts === true || repeatable === true ? texts : texts.at(-1)!;
    typedFlags[key] = flags[key] = typed;
    if (once === true && texts !== true && texts.length > 1)
      faults.push({ field, problem: 'cannot be repeated: it takes one value' });
    if (type === undefined || typed === true) continue;
    const parse = (text: string) => readValue(type, text, field, faults);
    // Each text of a repeatable flag may be several values with commas.
    flags[key] =
      typeof typed === 'string'
        ? parse(typed)
        : typed.flatMap((text) => text.split(',')).map(parse);
  }
  faults.push(
    ...commandFlags.flatMap((flag) => combinationFaults(flag, flagTexts)),
    ...stdinFaults(commandFlags, flags),
  );
  return { typedFlags, flags, faults };
}

/** Returns a fault for a flag beside one that it excludes, or without one that it needs. */
function combinationFaults(flag: FlagSpec, flagTexts: FlagTexts): readonly Fault[] {
  if (!flagTexts.has(keyOfFlag(flag))) return [];
  const { conflicts = [], requires = [] } = flag;
  const isTyped = (name: string) => flagTexts.has(keyOfFlag({ flags: name }));
  const name = longName(flag.flags);
  const faults: Fault[] = conflicts
    .filter(isTyped)
    .map((other) => ({ field: other, problem: `cannot be combined with ${name}` }));
  if (requires.length > 0 && !requires.some(isTyped))
    faults.push({ field: name, problem: `requires ${requires[0]!}` });
  return faults;
}

/** Rejects a second flag that reads standard input, which would be empty by then. */
function stdinFaults(commandFlags: readonly FlagSpec[], values: RawFlags): readonly Fault[] {
  const [first, ...others] = commandFlags.filter((flag) => {
    const value = flag.stdin === true ? values[keyOfFlag(flag)] : undefined;
    return typeof value === 'string' && isStdinPath(value);
  });
  return others.map(({ flags }) => ({
    field: longName(flags),
    problem: `cannot read stdin: ${longName(first!.flags)} reads it`,
  }));
}

/** A silently ignored `--dry-run` would be a false promise that nothing changes. */
function dryRunFaults({ effect = 'reads', dryRun, instead }: CommandSpec, flags: RawFlags) {
  if (effect === 'reads' || dryRun === true) return [];
  const does = instead ?? 'make its changes on this machine';
  const problem = `is not supported here: the command would still ${does}`;
  const typed = ['--dry-run', '--curl'].filter(
    (name) => flags[keyOfFlag({ flags: name })] === true,
  );
  return typed.map((field): Fault => ({ field, problem }));
}
