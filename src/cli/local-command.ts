// A command that is not an operation: the same flags, checks and help as the others, and a body of its own.

import { Argument, type Command } from 'commander';
import type { Effect, Example } from '../api/operations/define-operation.ts';
import { Failure, type Fault, usageFailure } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { extraWords } from '../base/secret-words.ts';
import { type Config, readConfig } from '../config/file.ts';
import { resolveSettings, type Settings, withSettings } from '../config/settings.ts';
import { withFilter, prepareFilter } from '../output/jq-filter.ts';
import { helpWidth } from '../output/wrap.ts';
import { formOf } from '../output/write-result.ts';
import { announceAccessible } from '../prompts/policy.ts';
import {
  addGlobalFlags,
  addPlainFlags,
  typingFaults,
  pathOf,
  typedFlags,
} from './commander-options.ts';
import { type CommandContext, makeGroup } from './command-group.ts';
import { addEpilogue } from './help.ts';
import { unknownFlags } from './unknown-words.ts';
import { camelCase, type PlainFlag } from '../config/flags.ts';
import type { RawFlags, OutputForm } from '../config/choices.ts';

/** A whole local command: what it is called and takes, and what it does. */
export interface LocalCommand {
  readonly word: string;
  readonly summary: string;
  readonly details?: string;
  readonly example?: string;
  /** Further ones, each with its purpose. */
  readonly examples?: readonly Example[];
  /** Without it the command `reads`. */
  readonly effect?: Effect;
  /** Whether it can show the requests that it would send; without it, one that changes something refuses to. */
  readonly dryRun?: true;
  /** Whether a call that sends a request reads from the service or changes something there. */
  sends?(operands: readonly string[]): 'read' | 'change';
  readonly options?: readonly PlainFlag[];
  /** Whether a word that it does not take is most likely a token. */
  readonly secretWords?: true;
  /**
   * `none`: works without reading the settings. `any`: the context it names need not exist. `own`: reads and judges
   * them itself, but for what is typed.
   */
  readonly config?: 'none' | 'any' | 'own';
  readonly operands?: readonly Operand[];
  run(call: LocalCall, commandContext: CommandContext): void | Promise<void>;
}

interface Operand {
  readonly name: string;
  readonly description: string;
  readonly values?: readonly string[];
  readonly optional?: true;
  /** Takes any number of words, also none. */
  readonly many?: true;
}

/** Adds what follows one word of `social`, under the word and the summary that the registry has for it. */
export type AddCommand = (
  program: Command,
  commandContext: CommandContext,
  heading: Pick<LocalCommand, 'word' | 'summary'>,
) => void;

/** A word that is a command itself. */
export const localCommand =
  (command: Omit<LocalCommand, 'word' | 'summary'>): AddCommand =>
  (program, commandContext, heading) =>
    addLocalCommand(program, { ...heading, ...command }, commandContext);

/** A word that holds commands. */
export const localGroup =
  (commands: readonly LocalCommand[]): AddCommand =>
  (program, commandContext, { word, summary }) => {
    const group = makeGroup(program, word, summary);
    for (const command of commands) addLocalCommand(group, command, commandContext);
  };

export interface LocalCall {
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly config: Config;
  readonly flags: RawFlags;
  readonly operands: readonly string[];
  readonly form: OutputForm;
}

/** Adds a local command below a group or the program. */
export function addLocalCommand(
  parent: Command,
  spec: LocalCommand,
  commandContext: CommandContext,
): void {
  const { word, summary, details, options = [], operands: taken = [] } = spec;
  const command = parent
    .command(word)
    .summary(summary)
    .description([summary, details].filter(Boolean).join('\n\n'))
    .allowUnknownOption()
    .usage([...taken.map(bracketed), '[flags]'].join(' '));
  for (const each of taken) command.addArgument(argumentOf(each));
  addPlainFlags(command, options);
  addGlobalFlags(command);
  const { effect = 'reads' } = spec;
  const examples = examplesOf(spec);
  addEpilogue(command, helpWidth(commandContext.runtime.stdout), { examples });
  commandContext.describe?.(command, { examples, effect });
  command.action(async () => {
    const { argv } = commandContext;
    const { operands, faults } = unknownFlags(command, argv);
    const flags = typedFlags(command);
    const own = spec.config === 'own';
    const config = own || spec.config === 'none' ? {} : readConfig(commandContext.runtime);
    const env = own ? {} : commandContext.runtime.env;
    const { settings, faults: wrong, unknownContext } = resolveSettings(flags, env, config);
    const runtime = withSettings(commandContext.runtime, settings);
    await announceAccessible(settings, runtime);
    const lost = spec.config === undefined && unknownContext !== undefined ? [unknownContext] : [];
    const most = taken.some(({ many }) => many) ? Infinity : taken.length;
    const areSecret = spec.secretWords === true;
    const meant = limitMeant(spec, operands[most], argv);
    const extra = extraWords(pathOf(command), operands, { most, areSecret, meant });
    const jq = await prepareFilter(settings, runtime);
    const mistyped = [...typingFaults(command, flags), ...dryRunFaults(spec, flags)];
    const all = [...faults, ...wrong, ...lost, ...extra, ...mistyped, ...jq.faults];
    if (all.length > 0) throw usageFailure(all, `${pathOf(command)} --help`);
    const form = formOf(settings, runtime.stdout);
    const sent = settings.dryRun ? undefined : spec.sends?.(operands);
    const done = { isSent: sent !== undefined, isChange: sent === 'change' };
    const rest = { settings, config, flags, operands, form };
    const work = async (seen: Runtime) => spec.run({ runtime: seen, ...rest }, commandContext);
    await withFilter(jq.filter, done, runtime, work).catch((error: unknown) => {
      throw helped(error, `${pathOf(command)} --help`);
    });
  });
}

/** Other tools take `-n 3` for a limit; here `-n` is `--dry-run`, and the number is a word too many. */
function limitMeant(
  { options = [] }: LocalCommand,
  word: string | undefined,
  argv: readonly string[],
) {
  const hasLimit = options.some(({ flags }) => flags.startsWith('--limit '));
  const isMeant = hasLimit && word !== undefined && argv[argv.indexOf('-n') + 1] === word;
  return isMeant && /^\d+$/.test(word) ? `-n is --dry-run; use --limit ${word}` : undefined;
}

/** A `--dry-run` that is ignored would be taken for a promise that nothing changes. */
function dryRunFaults({ effect = 'reads', dryRun }: LocalCommand, flags: RawFlags) {
  if (effect === 'reads' || dryRun === true) return [];
  const problem = 'is not supported here: the command would still make its changes on this machine';
  return ['--dry-run', '--curl']
    .filter((flag) => flags[camelCase(flag.slice(2))] === true)
    .map((field): Fault => ({ field, problem }));
}

/** What was typed wrongly, with the page that says how it is typed where nothing better is known. */
function helped(error: unknown, next: string): unknown {
  if (!(error instanceof Failure) || error.kind !== 'usage') return error;
  return error.facts.next === undefined ? new Failure('usage', { ...error.facts, next }) : error;
}

const examplesOf = ({ summary, example, examples = [] }: LocalCommand): readonly Example[] => [
  ...(example === undefined ? [] : [[summary, example] as const]),
  ...examples,
];

/** `<name>`, `[name]` where it may be left out, `[<name>...]` where it takes many. */
function bracketed({ name, optional, many }: Operand): string {
  if (many === true) return `[<${name}>...]`;
  return optional === true ? `[${name}]` : `<${name}>`;
}

/** To the parser every operand may be left out; what is missing, or wrong, is for the command to judge. */
function argumentOf({ name, description, values, many }: Operand): Argument {
  const argument = new Argument(`[${name}${many === true ? '...' : ''}]`, description);
  if (values !== undefined) argument.argChoices = [...values];
  return argument;
}
