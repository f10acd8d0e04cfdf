// The steps that every command starts with: flags → settings → faults → filter.

import { Failure, type Fault, usageFailure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { extraWords } from '../base/secret-words.ts';
import type { RawFlags } from '../config/flags.ts';
import { readConfig } from '../config/file.ts';
import { resolveSettings, withSettings } from '../config/settings.ts';
import { prepareFilter, withFilter } from '../output/jq-filter.ts';
import { formOf } from '../output/write-result.ts';
import { announceAccessible } from '../prompts/policy.ts';
import type { Call, CommandSpec, Program } from './command-spec.ts';
import { readFlags, type TypedFlags } from './read-flags.ts';
import { unknownFlags } from './unknown-words.ts';

/** The parsed command line. */
export interface TypedLine {
  /** The words after the command that are not flags. */
  readonly words: readonly string[];
  readonly flags: TypedFlags;
}

/** The surroundings of a command. */
export interface RunContext {
  readonly runtime: Runtime;
  /** The words as they were typed. */
  readonly argv: readonly string[];
  readonly program: Program;
}

/** Runs a command. Throws the `Failure` that it ends with. */
export async function runCommand(
  spec: CommandSpec,
  line: TypedLine,
  context: RunContext,
): Promise<void> {
  const call = await readCall(spec, line, context);
  if (spec.collectsFaults !== true) refuseFaults(call);
  await withFilter(call.filter, call.done, call.runtime, async (runtime) => {
    try {
      await spec.run({ ...call, runtime });
    } catch (error) {
      // An operation already has its next step, or none.
      throw spec.operation === undefined ? helped(error, `${call.command} --help`) : error;
    }
  });
}

/** Throws one `usage` failure with all faults of a call, including those that its command has found. */
export function refuseFaults(call: Call, found: readonly Fault[] = []): void {
  const all = [...call.faults, ...found];
  if (all.length > 0) throw usageFailure(all, `${call.command} --help`);
}

async function readCall(spec: CommandSpec, line: TypedLine, context: RunContext): Promise<Call> {
  const { argv, program } = context;
  const command = ['social', ...spec.words].join(' ');
  const { operands, faults: unknown } = unknownFlags(spec, line.words, argv);
  const { typed, values: flags, faults: mistyped } = readFlags(spec.flags ?? [], line.flags);
  const isOwn = spec.config === 'own';
  const config = isOwn || spec.config === 'none' ? {} : readConfig(context.runtime);
  const env = isOwn ? {} : context.runtime.env;
  const { settings, faults: wrong, unknownContext } = resolveSettings(flags, env, config);
  const lost = spec.config === undefined && unknownContext !== undefined ? [unknownContext] : [];
  const runtime = withSettings(context.runtime, settings);
  await announceAccessible(settings, runtime);
  const most = spec.operands?.some(({ many }) => many === true)
    ? Infinity
    : (spec.operands ?? []).length;
  const extra = extraWords(command, operands, { most, areSecret: spec.secretWords });
  const jq = await prepareFilter(settings, runtime);
  return {
    command,
    runtime,
    settings,
    config,
    operands,
    typed,
    flags,
    form: formOf(settings, runtime.stdout),
    argv,
    faults: [
      ...unknown,
      ...mistyped,
      ...dryRunFaults(spec, flags),
      ...wrong,
      ...lost,
      ...extra,
      ...jq.faults,
    ],
    filter: jq.filter,
    done: { isSent: false, isChange: false, writesResults: false },
    program,
  };
}

/** A silently ignored `--dry-run` would be a false promise that nothing changes. */
function dryRunFaults({ effect = 'reads', dryRun }: CommandSpec, flags: RawFlags) {
  if (effect === 'reads' || dryRun === true) return [];
  const problem = 'is not supported here: the command would still make its changes on this machine';
  const typed = [
    ['--dry-run', flags['dryRun']],
    ['--curl', flags['curl']],
  ] as const;
  return typed.filter(([, isOn]) => isOn === true).map(([field]): Fault => ({ field, problem }));
}

/** Adds the help page as next step to a usage failure without one. */
function helped(error: unknown, next: string): unknown {
  if (!(error instanceof Failure) || error.kind !== 'usage') return error;
  return error.facts.next === undefined ? new Failure('usage', { ...error.facts, next }) : error;
}
